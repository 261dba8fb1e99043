"""Resolving by hand: public states and frontiers by enumeration, and MCCR's traversal as a
recursion on histories and dictionaries.

Games are written out (`TreeGame`), so that what is compiled for one is compiled for all. Number h
of a `GameTree` is then number h of the `TreeGame`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from naive.adding import added
from naive.small_games import small
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.belief.public_states import Frontier
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]

HIDDEN_TURNS = "hidden turns"
SMALL_GAMES = (
    "Kuhn",
    "Leduc",
    "LD(1,1,3)",
    "IIGS(4)",
    "goofspiel(num_cards=3)",
    "coordination_game",
    "BRPS(10)",
    HIDDEN_TURNS,
)

_MASK = 2**64 - 1


# --- games ---


@lru_cache
def tree_of(spec: str) -> GameTree:
    """A game of that name written out, as a `TreeGame`."""
    return unroll(hidden_turns() if spec == HIDDEN_TURNS else small(spec))


@dataclass(frozen=True)
class _Spot:
    """A history: who moves, the name of their set, and for each move its probability (chance's),
    the tokens it gives, and what follows.
    """

    player: int
    label: str
    moves: tuple[tuple[float, tuple[int, int, int], "_Spot | None"], ...]


def hidden_turns(seed: int = 0) -> TreeGame:
    """A game with all that makes public states difficult.

    Chance says in secret who goes first. All know that it did, and then nothing until public token
    2 says that this part is over. In between,

    - player 0 moves twice (0.4), or
    - player 1 moves, and then player 0, once (0.3): at the first move player 0 cannot tell whether
      player 1 has moved, nor player 1 ever who has, or
    - player 1, who has been told that it is so, moves alone (0.3).

    Then player 1 chooses in public, then player 0 chooses. The payoffs are random numbers.
    """

    def choice(
        player: int, label: str, *moves: tuple[tuple[int, int, int], "_Spot | None"]
    ) -> _Spot:
        return _Spot(player, label, tuple((1.0, tokens, after) for tokens, after in moves))

    def last(label: str) -> _Spot:
        return choice(0, label, ((0, 0, 0), None), ((0, 0, 0), None))

    def rest(known_0: str, known_1: str) -> _Spot:
        return choice(1, known_1, *(((0, 0, 3 + a), last(f"{known_0}, {a}")) for a in range(2)))

    twice = choice(
        0,
        "first",
        *(
            (
                (0, 0, 0),
                choice(
                    0,
                    f"second {a}",
                    *(((0, 0, 2), rest(f"twice {a}{b}", "idle")) for b in range(2)),
                ),
            )
            for a in range(2)
        ),
    )
    after = choice(
        1,
        "unsure",
        *(
            (
                (0, 0, 0),
                choice(
                    0, "first", *(((0, 0, 2), rest(f"once {a}", f"unsure {c}")) for a in range(2))
                ),
            )
            for c in range(2)
        ),
    )
    alone = choice(1, "alone", *(((0, 0, 2), rest("waiting", f"alone {c}")) for c in range(2)))
    return _written(
        _Spot(
            CHANCE, "", ((0.4, (0, 0, 1), twice), (0.3, (0, 0, 1), after), (0.3, (0, 7, 1), alone))
        ),
        seed,
    )


def _written(root: _Spot, seed: int) -> TreeGame:
    random = np.random.default_rng(seed)
    spots: list[_Spot | None] = [root]
    first_child, probability, tokens = list[int](), [1.0], [(0, 0, 0)]
    for spot in spots:  # grows while it is walked
        first_child.append(len(spots))
        for p, told, after in spot.moves if spot else ():
            spots.append(after)
            probability.append(p)
            tokens.append(told)
    labels = {
        label: number
        for number, label in enumerate(
            dict.fromkeys(spot.label for spot in spots if spot and spot.player >= 0)
        )
    }
    payoff = np.array([0.0 if spot else random.normal() for spot in spots])
    return TreeGame(
        player=np.array([spot.player if spot else TERMINAL for spot in spots]),
        first_child=np.array(first_child),
        num_children=np.array([len(spot.moves) if spot else 0 for spot in spots]),
        probability=np.array(probability),
        information_set=np.array(
            [labels[spot.label] if spot and spot.player >= 0 else -1 for spot in spots]
        ),
        utilities=np.stack([payoff, -payoff], axis=1),
        private_token=np.array(tokens)[:, :2],
        public_token=np.array(tokens)[:, 2],
    )


def history_at(tree: GameTree, node: int) -> History:
    """The history with that number."""
    history = History(tree.game)
    for move in tree.path(node):
        history = history.child(move)
    return history


# --- public states ---


def public_states(tree: GameTree) -> dict[int, list[int]]:
    """From a public key to the histories with it that have not ended, in order."""
    states: dict[int, list[int]] = {}
    for h in range(tree.num_histories):
        if tree.player[h] != TERMINAL:
            states.setdefault(int(tree.keys[h, -1]), []).append(h)
    return states


def upper_frontier(tree: GameTree, histories: Sequence[int]) -> list[int]:
    """Those with no proper prefix among ``histories``."""
    members = set(histories)
    return [h for h in histories if not any(before in members for before in prefixes(tree, h))]


def prefixes(tree: GameTree, history: int) -> Iterator[int]:
    """The proper prefixes of a history, the longest first."""
    while history > 0:
        history = int(tree.parent[history])
        yield history


def names(tree: GameTree) -> list[int]:
    """The key of each history as a history, in integers without end."""
    found = [0x8BB84B93962EACC9]
    for h in range(1, tree.num_histories):
        before = int(tree.parent[h])
        index = h - int(tree.first_child[before])
        found.append(_mixed(found[before] ^ ((index + 1) * 0x2D358DCCAA6C78A5 & _MASK)))
    return found


def _mixed(x: int) -> int:
    """The finaliser of MurmurHash3."""
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & _MASK
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & _MASK
    return x ^ x >> 33


def frontier_of(
    tree: GameTree, nodes: Sequence[int], reach: Floats, focus: int | None = None
) -> Frontier:
    """Those histories as a `Frontier`; reach: ``float64[H, P + 1]``, as by `reach_probabilities`;
    focus: the key of a player's set.
    """
    rows = list(nodes)
    return Frontier(
        state=np.array(rows, np.int64)[:, None],
        keys=tree.keys[rows].copy(),
        history=np.array([names_of(tree)[h] for h in rows], np.uint64),
        weight=np.ones(len(rows)),
        reach=reach[rows].copy(),
        focus=np.zeros(len(rows), np.bool_)
        if focus is None
        else np.any(tree.keys[rows, :-1] == np.uint64(focus), axis=1),
    )


@lru_cache
def names_of(tree: GameTree) -> list[int]:
    """`names`, remembered."""
    return names(tree)


# --- the traversal of MCCR ---


@dataclass(frozen=True)
class Start:
    """A history that the gadget leads to.

    name: its key as a history; p: its probability at the gadget; reach: the resolver's, the
    opponent's and chance's part in it; focus: whether it is in the resolver's own set; set: the
    opponent's set; payoff: for terminating there, None where that is not allowed.
    """

    history: History
    name: int
    p: float
    reach: tuple[float, float, float]
    focus: bool
    set: int
    payoff: float | None


class NaiveMCCR:
    """Outcome sampling in the resolving gadget.

    keeps: whether values are collected in all public states to come. regret, mean: from the key of
    a set to a number for each action; gadget: from the opponent's set to the regrets of following
    and terminating; values: from the key of a history to numerator, denominator, and both with
    weights of 1. ``arithmetic``: Eq. 5 divided by the reach, else Eq. 6. ``tremble``: how
    often the other player acts at random in the first iteration, also at the gadget.
    """

    def __init__(
        self,
        starts: Sequence[Start],
        resolver: int,
        *,
        epsilon: float,
        focus: float,
        corrected: bool,
        moves: int,
        here: bool,
        keeps: bool,
        arithmetic: bool,
        rng: Xoshiro,
        tremble: float = 0.0,
    ) -> None:
        self.starts = starts
        self.resolver = resolver
        self.epsilon = epsilon
        share = added(start.p for start in starts if start.focus)
        self.focus = focus if 0 < share < added(start.p for start in starts) else 0.0
        self.own_share = share
        self.corrected = corrected
        self.moves = moves
        self.here = here
        self.keeps = keeps
        self.arithmetic = arithmetic
        self.rng = rng
        self.tremble = tremble
        self.iterations = 0
        self.regret: dict[int, list[float]] = {}
        self.mean: dict[int, list[float]] = {}
        self.gadget: dict[int, list[float]] = {start.set: [0.0, 0.0] for start in starts}
        self.values: dict[int, list[float]] = {}

    def iterate(self) -> None:
        for i in range(2):
            self.traverse(i)
        self.iterations += 1

    def traverse(self, i: int) -> None:
        start = self.drawn()
        f = self.follows(start)
        ours, theirs, chance = start.reach
        entered = f if start.payoff is None else self.trembling([f, 1 - f])[0]
        reach = {self.resolver: ours, 1 - self.resolver: entered * theirs, CHANCE: chance}
        l0 = self.sampled(start)
        x, l, u = self.below(
            start.history,
            start.name,
            reach,
            l0,
            i,
            in_memory=True,
            made=0,
            moved_here=False,
            entered=True,
        )
        if start.payoff is not None:
            paid = u if i != self.resolver else -u
            follow, terminate = ours * chance * paid * x / l, ours * chance * start.payoff / l0
            mean = f * follow + (1 - f) * terminate
            self.gadget[start.set][0] += follow - mean
            self.gadget[start.set][1] += terminate - mean

    def drawn(self) -> Start:
        if self.focus > 0 and self.rng.uniform() < self.focus:
            return self.pick(
                [start.p / self.own_share if start.focus else 0.0 for start in self.starts]
            )
        return (
            self.pick([start.p for start in self.starts])
            if len(self.starts) > 1
            else self.starts[0]
        )

    def pick(self, probabilities: Sequence[float]) -> Start:
        r = self.rng.uniform()
        total = 0.0
        for start, p in zip(self.starts, probabilities, strict=True):
            total += p
            if p > 0:
                last = start
                if r < total:
                    break
        return last

    def sampled(self, start: Start) -> float:
        """The probability of drawing a history, or, if that is not corrected for, the probability
        at the gadget; times the sum of everybody's part in all histories.
        """
        total = added(math.prod(start.reach) for start in self.starts)
        if not self.corrected:
            return start.p * total
        return total * (
            self.focus * (start.p / self.own_share if start.focus else 0.0)
            + (1 - self.focus) * start.p
        )

    def follows(self, start: Start) -> float:
        if start.payoff is None:
            return 1.0
        follow, terminate = (max(r, 0.0) for r in self.gadget[start.set])
        return follow / (follow + terminate) if follow + terminate > 0 else 0.5

    def below(
        self,
        h: History,
        name: int,
        reach: dict[int, float],
        l: float,
        i: int,
        *,
        in_memory: bool,
        made: int,
        moved_here: bool,
        entered: bool,
    ) -> tuple[float, float, float]:
        """Returns (x, l, u). made: in how many public states the resolver has moved."""
        if h.is_terminal:
            return 1.0, l, h.returns()[i]
        if h.player == self.resolver and not moved_here:
            made, moved_here = made + 1, True
        before = made - moved_here
        wanted = entered and (before >= self.moves if self.keeps else before == self.moves)
        index, phi, sigma, key, stays = self.choose(h, i, in_memory)
        weight_there = self.weight(h, reach)
        after = h.child(
            h.legal_actions()[index] if h.player != CHANCE else h.chance_outcomes()[index][0]
        )
        entering = after.public_key != h.public_key
        x, end, u = self.below(
            after,
            _mixed(name ^ ((index + 1) * 0x2D358DCCAA6C78A5 & _MASK)),
            reach | {h.player: reach[h.player] * sigma[index]},
            l * phi[index],
            i,
            in_memory=stays,
            made=max(made, 1) if self.here and entering else made,
            moved_here=moved_here and not entering,
            entered=entering,
        )
        c, x = x, x * sigma[index]
        if key is not None and h.player == i:
            w = u * reach[1 - i] * reach[CHANCE] / end
            for b in range(len(sigma)):
                self.regret[key][b] += (c - x) * w if b == index else -x * w
        elif key is not None:
            for b, p in enumerate(sigma):
                weight = reach[h.player] * reach[CHANCE] / l
                self.mean[key][b] += weight * (p - self.error() / len(sigma))
        if wanted:
            paid = u if i != self.resolver else -u
            row = self.values.setdefault(name, [0.0, 0.0, 0.0, 0.0])
            row[0] += weight_there * paid * x / end
            row[1] += weight_there / l
            row[2] += paid * x / end
            row[3] += 1 / l
        return x, end, u

    def choose(
        self, h: History, i: int, in_memory: bool
    ) -> tuple[int, list[float], list[float], int | None, bool]:
        """A move: its number, phi, sigma, the key of the set if it is in memory, and whether memory
        goes on after it.
        """
        if h.player == CHANCE:
            chance = [p for _, p in h.chance_outcomes()]
            return self.rng.draw(chance), chance, chance, None, in_memory
        n = len(h.legal_actions())
        uniform = [1.0 / n] * n
        if not in_memory:
            return int(self.rng.uniform() * n), uniform, uniform, None, False
        key, explore = h.information_key, self.epsilon if h.player == i else 0.0
        known = key in self.regret
        self.regret.setdefault(key, [0.0] * n)
        self.mean.setdefault(key, [0.0] * n)
        positive = [max(r, 0.0) for r in self.regret[key]]
        sigma = [r / added(positive) for r in positive] if added(positive) > 0 else uniform
        if h.player != i:
            sigma = self.trembling(sigma)
        phi = [explore / n + (1 - explore) * p for p in sigma]
        return self.rng.draw(phi), phi, sigma, key, known

    def error(self) -> float:
        return min(self.tremble / math.sqrt(self.iterations + 1), 0.5)

    def trembling(self, sigma: list[float]) -> list[float]:
        return [self.error() / len(sigma) + (1 - self.error()) * p for p in sigma]

    def weight(self, h: History, reach: dict[int, float]) -> float:
        if self.arithmetic:
            return reach[self.resolver] * reach[CHANCE]
        return reach[1 - self.resolver] if h.player == 1 - self.resolver else reach[self.resolver]


class NaiveExternal(NaiveMCCR):
    """External sampling in the resolving gadget. An iteration goes on until 16 moves more are made
    in all.
    """

    moves_made = 0

    def iterate(self) -> None:
        while self.moves_made < 16 * (self.iterations + 1):
            for i in range(2):
                self.traverse(i)
        self.iterations += 1

    def traverse(self, i: int) -> None:
        start = self.drawn()
        f, l = self.follows(start), self.sampled(start)
        ours, theirs, chance = start.reach
        entered = f if start.payoff is None else self.trembling([f, 1 - f])[0]
        w = (entered * theirs if i == self.resolver else ours) * chance / l
        u = self.paid(start.history, start.name, w, i, made=0, moved_here=False, entered=True)
        if start.payoff is not None:
            follow = ours * chance / l * (u if i != self.resolver else -u)
            terminate = ours * chance / l * start.payoff
            mean = f * follow + (1 - f) * terminate
            self.gadget[start.set][0] += follow - mean
            self.gadget[start.set][1] += terminate - mean

    def paid(
        self, h: History, name: int, w: float, i: int, *, made: int, moved_here: bool, entered: bool
    ) -> float:
        """What i is paid from h on. made: in how many public states the resolver has moved."""
        if h.is_terminal:
            return h.returns()[i]
        wanted = entered and made == self.moves and i != self.resolver
        if h.player == self.resolver and not moved_here:
            made, moved_here = made + 1, True

        def after(index: int) -> float:
            move = h.chance_outcomes()[index][0] if h.player == CHANCE else h.legal_actions()[index]
            child = h.child(move)
            entering = child.public_key != h.public_key
            self.moves_made += 1
            return self.paid(
                child,
                _mixed(name ^ ((index + 1) * 0x2D358DCCAA6C78A5 & _MASK)),
                w,
                i,
                made=max(made, 1) if self.here and entering else made,
                moved_here=moved_here and not entering,
                entered=entering,
            )

        if h.player == CHANCE:
            u = after(self.rng.draw([p for _, p in h.chance_outcomes()]))
        elif h.player == i:
            sigma = self.sigma(h)
            each = [after(index) for index in range(len(sigma))]
            u = added(p * paid for p, paid in zip(sigma, each, strict=True))
            for b, paid in enumerate(each):
                self.regret[h.information_key][b] += w * (paid - u)
        else:
            sigma = self.trembling(self.sigma(h))
            for b, p in enumerate(sigma):
                self.mean[h.information_key][b] += w * (p - self.error() / len(sigma))
            u = after(self.rng.draw(sigma))
        if wanted:
            row = self.values.setdefault(name, [0.0, 0.0, 0.0, 0.0])
            for k, number in enumerate((w * u, w, u, 1.0)):
                row[k] += number
        return u

    def sigma(self, h: History) -> list[float]:
        """The present strategy at h, which is known from now on."""
        n = len(h.legal_actions())
        regret = self.regret.setdefault(h.information_key, [0.0] * n)
        self.mean.setdefault(h.information_key, [0.0] * n)
        positive = [max(r, 0.0) for r in regret]
        total = added(positive)
        return [r / total for r in positive] if total > 0 else [1.0 / n] * n
