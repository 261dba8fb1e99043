"""VR-MCCFR+ on nodes and dictionaries: slow, obvious, and without a tree in arrays.

It adds up in the order in which the compiled solver does, and draws as it does, so that both can be
compared bit for bit. See `hiddenhand.solvers.vr_mccfr` for the letters.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from naive.adding import added
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential

Place = tuple[object, ...]


@dataclass(eq=False)
class Spot:
    """A history: what follows upon it, and what the traversals remember of it.

    move: the action or outcome that led here, and ``chance`` its probability if chance made it.
    """

    history: History
    parent: "Spot | None" = None
    move: int = -1
    chance: float = 1.0
    children: "list[Spot]" = field(default_factory=list)
    own: float = 1.0
    others: float = 1.0
    worth: float = 0.0

    @property
    def player(self) -> int:
        return self.history.player

    @property
    def public(self) -> int:
        return self.history.public_key


def levels(game: Game) -> Iterator[Spot]:
    """All histories, those of fewer moves first."""
    level = [Spot(History(as_sequential(game)))]
    while level:
        below = []
        for spot in level:
            if spot.history.is_terminal:
                continue
            moves = (
                spot.history.chance_outcomes()
                if spot.player == CHANCE
                else [(action, 1.0) for action in spot.history.legal_actions()]
            )
            spot.children = [Spot(spot.history.child(a), spot, a, p) for a, p in moves]
            below += spot.children
        yield from level
        level = below


class NaiveVRMCCFR:
    """regret, average, strategy: from the key of a set to a number for each action."""

    def __init__(self, game: Game, baseline: str, rate: float, plus: bool, rng: Xoshiro) -> None:
        self.baseline, self.rate, self.plus, self.rng = baseline, rate, plus, rng
        self.num_players = game.num_players
        self.iterations = 0
        self.members: dict[int, list[Spot]] = {}
        self.following: dict[int, list[int]] = {}
        self.sets: dict[int, list[int]] = {}
        self.regret: dict[int, list[float]] = {}
        self.b: dict[Place, float] = {}
        for spot in levels(game):
            state = spot.public
            if state not in self.members:
                self.members[state], self.following[state], self.sets[state] = [], [], []
                if spot.parent is None:
                    self.root = state
                else:
                    self.following[spot.parent.public].append(state)
            self.members[state].append(spot)
            if spot.player >= 0 and spot.history.information_key not in self.regret:
                self.regret[spot.history.information_key] = [0.0] * len(spot.children)
                self.sets[state].append(spot.history.information_key)
        self.average = {key: [0.0] * len(row) for key, row in self.regret.items()}
        self.strategy = {key: [1.0 / len(row)] * len(row) for key, row in self.regret.items()}
        if baseline == "predictive":
            for state in reversed(self.members):
                self.predict(state)

    def iterate(self) -> None:
        self.iterations += 1
        for i in range(self.num_players):
            state, path = self.root, [self.root]
            self.reach(i, state)
            while following := self.following[state]:
                n = len(following)
                state = following[int(self.rng.uniform() * n) if n > 1 else 0]
                path.append(state)
                self.reach(i, state)
            q = 1.0
            for before in path[:-1]:
                q /= len(self.following[before])
            after, xi = None, 1.0
            while path:
                state = path.pop()
                self.visit(i, state, after, xi, q)
                if path:
                    n = len(self.following[path[-1]])
                    after, xi, q = state, 1.0 / n, q * n

    def reach(self, i: int, state: int) -> None:
        for spot in self.members[state]:
            if spot.parent is None:
                continue
            p = self.probability(spot)
            spot.own = spot.parent.own * (p if spot.parent.player == i else 1.0)
            spot.others = spot.parent.others * (1.0 if spot.parent.player == i else p)

    def probability(self, spot: Spot) -> float:
        parent = spot.parent
        assert parent is not None
        if parent.player == CHANCE:
            return spot.chance
        return self.strategy[parent.history.information_key][parent.children.index(spot)]

    def visit(self, i: int, state: int, after: int | None, xi: float, q: float) -> None:
        values = {key: [0.0] * len(self.regret[key]) for key in self.sets[state]}
        example: dict[int, Spot] = {}
        for spot in reversed(self.members[state]):
            if spot.history.is_terminal:
                spot.worth = spot.history.returns()[i]
                continue
            spot.worth = 0.0
            for number, child in enumerate(spot.children):
                b = self.b_of(i, child)
                u = child.worth if child.public == state else b
                if child.public == after:
                    u = b + (child.worth - b) / xi
                spot.worth += self.probability(child) * u
                if spot.player == i:
                    values[spot.history.information_key][number] += spot.others * u
                    example.setdefault(spot.history.information_key, spot)
        if after is not None:
            self.remember(i, after)
        for key in self.sets[state]:
            if key in example:
                self.update(key, values[key], example[key].own, q)

    def remember(self, i: int, state: int) -> None:
        if self.baseline == "predictive":
            self.predict(state)
        elif self.baseline != "off":
            self.learn(i, state)

    def update(self, key: int, values: list[float], own: float, q: float) -> None:
        sigma, regret = self.strategy[key], self.regret[key]
        mean = added(p * value for p, value in zip(sigma, values, strict=True))
        weight = own / q * (self.iterations if self.plus else 1.0)
        self.average[key] = [x + weight * p for x, p in zip(self.average[key], sigma, strict=True)]
        regret = [r + (value - mean) / q for r, value in zip(regret, values, strict=True)]
        self.regret[key] = [max(r, 0.0) for r in regret] if self.plus else regret
        positive = [max(r, 0.0) for r in regret]
        total = added(positive)
        n = len(regret)
        self.strategy[key] = [r / total for r in positive] if total > 0 else [1.0 / n] * n

    def place(self, i: int, spot: Spot) -> tuple[Place, float]:
        """What b of the move to a history is called, and the sign that it is kept with."""
        if spot.parent is None:
            return ("root", i), 1.0
        if self.baseline == "set":
            return (i, spot.parent.history.key(i), spot.move), 1.0
        if self.num_players == 2:
            return (spot,), 1.0 if i == 0 else -1.0
        return (i, spot), 1.0

    def b_of(self, i: int, spot: Spot) -> float:
        place, sign = self.place(i, spot)
        return sign * self.b.get(place, 0.0)

    def learn(self, i: int, state: int) -> None:
        total: dict[Place, float] = {}
        weights: dict[Place, float] = {}
        for spot in self.members[state]:
            if spot.parent is None or spot.parent.public == state:
                continue
            place, sign = self.place(i, spot)
            weight = spot.others if self.baseline == "set" else 1.0
            total[place] = total.get(place, 0.0) + weight * sign * spot.worth
            weights[place] = weights.get(place, 0.0) + weight
        for place, weight in weights.items():
            if weight > 0:
                b = self.b.get(place, 0.0)
                self.b[place] = b + self.rate * (total[place] / weight - b)

    def predict(self, state: int) -> None:
        for spot in reversed(self.members[state]):
            for i in range(1 if self.num_players == 2 else self.num_players):
                place, _ = self.place(i, spot)
                if spot.history.is_terminal:
                    self.b[place] = spot.history.returns()[i]
                else:
                    self.b[place] = added(
                        self.probability(child) * self.b_of(i, child) for child in spot.children
                    )
