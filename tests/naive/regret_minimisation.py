"""CFR and its variants as in the textbooks: a recursion over histories, with dictionaries. See
`hiddenhand.solvers.cfr` for the letters.
"""

from collections.abc import Callable

from naive.adding import added
from naive.behaviour import Behaviour, Node, probabilities

from hiddenhand.solvers.cfr_variants import Variant

Table = dict[int, dict[int, float]]


class NaiveCFR:
    """Zinkevich et al. (2007), with the discounts of Brown and Sandholm (2019) and the prediction
    of Farina, Kroer and Sandholm (2021).
    """

    def __init__(self, root: Node, num_players: int, variant: Variant) -> None:
        self.root = root
        self.num_players = num_players
        self.variant = variant
        self.iterations = 0
        self.sets: list[list[int]] = [[] for _ in range(num_players)]
        self.strategy: Behaviour = {}
        self._find_sets(root)
        self.regret: Table = {
            key: dict.fromkeys(sigma, 0.0) for key, sigma in self.strategy.items()
        }
        self.last_regret: Table = {
            key: dict.fromkeys(sigma, 0.0) for key, sigma in self.strategy.items()
        }
        self.sum: Table = {key: dict.fromkeys(sigma, 0.0) for key, sigma in self.strategy.items()}

    def iterate(self) -> None:
        self.iterations += 1
        for player in range(self.num_players):
            self._learn(player)
            if self.variant.alternating:
                self._match(player)
        if not self.variant.alternating:
            for player in range(self.num_players):
                self._match(player)

    def average(self) -> Behaviour:
        """The average strategy; uniform where the player never came."""
        result: Behaviour = {}
        for key, sums in self.sum.items():
            total = added(sums.values())
            result[key] = {
                action: s / total if total > 0 else 1 / len(sums) for action, s in sums.items()
            }
        return result

    def _find_sets(self, node: Node) -> None:
        if node.player >= 0 and node.key not in self.strategy:
            self.strategy[node.key] = dict.fromkeys(node.children, 1 / len(node.children))
            self.sets[node.player].append(node.key)
        for child in node.children.values():
            self._find_sets(child)

    def _learn(self, player: int) -> None:
        """Add this iteration's regrets and strategy of one player."""
        own_reach: dict[int, float] = {}
        instant: Table = {key: dict.fromkeys(self.strategy[key], 0.0) for key in self.sets[player]}
        self._walk(self.root, player, 1.0, 1.0, own_reach, instant)
        for key in self.sets[player]:
            for action, r in instant[key].items():
                self.last_regret[key][action] = r
                self._add_regret(key, action, r)
                self._add_strategy(key, action, own_reach[key] * self.strategy[key][action])

    def _add_regret(self, key: int, action: int, r: float) -> None:
        summed = self.regret[key][action] + r
        self.regret[key][action] = summed * self._discount(
            self.variant.alpha if summed > 0 else self.variant.beta
        )

    def _add_strategy(self, key: int, action: int, plan: float) -> None:
        self.sum[key][action] += self.iterations**self.variant.gamma * plan

    def _walk(
        self,
        node: Node,
        player: int,
        own: float,
        others: float,
        own_reach: dict[int, float],
        instant: Table,
    ) -> float:
        """What ``player`` expects from ``node`` on. On the way, note regrets times the others'
        reach, and the own reach.
        """
        if node.payoffs:
            return node.payoffs[player]
        values = {}
        for action, p in probabilities(node, self.strategy).items():
            mine = node.player == player
            values[action] = self._walk(
                node.children[action],
                player,
                own * p if mine else own,
                others if mine else others * p,
                own_reach,
                instant,
            )
        value = added(
            p * values[action] for action, p in probabilities(node, self.strategy).items()
        )
        if node.player == player:
            own_reach[node.key] = own
            for action, worth in values.items():
                instant[node.key][action] += others * (worth - value)
        return value

    def _discount(self, exponent: float) -> float:
        if exponent == float("inf"):
            return 1.0
        if exponent == -float("inf"):
            return 0.0
        return self.iterations**exponent / (self.iterations**exponent + 1)

    def _match(self, player: int) -> None:
        """Regret matching."""
        for key in self.sets[player]:
            guess = self.last_regret[key]
            positive = {
                action: max(r + self.variant.prediction * guess[action], 0.0)
                for action, r in self.regret[key].items()
            }
            total = added(positive.values())
            self.strategy[key] = {
                action: p / total if total > 0 else 1 / len(positive)
                for action, p in positive.items()
            }


Exponents = Callable[[int], tuple[float, float, float]]
"""alpha, beta and gamma of an iteration."""


class NaivePublishedCFR(NaiveCFR):
    """The recurrences of Xu et al. (2024) and of Zhang et al. (2024) as they are printed.

    In iteration t, what was there before is first discounted with the exponents of iteration t - 1,
    and then something is added.

    exponents: those of each iteration from 1 on.
    floored: whether what is left of R below 0 is forgotten.
    prediction: how much the last r counts in the guess of the next R, which is matched.
    """

    def __init__(
        self,
        root: Node,
        num_players: int,
        exponents: Exponents,
        floored: bool = True,
        prediction: float = 0.0,
    ) -> None:
        super().__init__(root, num_players, Variant())
        self.exponents = exponents
        self.floored = floored
        self.prediction = prediction

    def _discounted(self, regret: float, t: int) -> float:
        if t == 0:
            return 0.0
        alpha, beta, _ = self.exponents(t)
        exponent = alpha if regret > 0 else beta
        return regret * t**exponent / (t**exponent + 1)

    def _add_regret(self, key: int, action: int, r: float) -> None:
        summed = self._discounted(self.regret[key][action], self.iterations - 1) + r
        self.regret[key][action] = max(summed, 0.0) if self.floored else summed

    def _add_strategy(self, key: int, action: int, plan: float) -> None:
        t = self.iterations
        faded = ((t - 1) / t) ** self.exponents(t - 1)[2] if t > 1 else 0.0
        self.sum[key][action] = self.sum[key][action] * faded + plan

    def _match(self, player: int) -> None:
        """Regret matching, with a guess of the next r."""
        for key in self.sets[player]:
            found = self.regret[key]
            if self.prediction:
                found = {
                    action: self._discounted(regret, self.iterations)
                    + self.prediction * self.last_regret[key][action]
                    for action, regret in found.items()
                }
            positive = {action: max(regret, 0.0) for action, regret in found.items()}
            total = added(positive.values())
            self.strategy[key] = {
                action: p / total if total > 0 else 1 / len(positive)
                for action, p in positive.items()
            }


def hs_dcfr_exponents(horizon: int) -> Exponents:
    """Those of HS-DCFR(30) in a run of ``horizon`` iterations, which may go on: then each further
    schedule lasts as long as everything before.
    """
    shares = [k / horizon for k in range(1, horizon + 1)]
    while len(shares) < 1000:
        shares += [k / len(shares) for k in range(1, len(shares) + 1)]

    def exponents(t: int) -> tuple[float, float, float]:
        share = shares[t - 1]
        return 1 + 3 * share, -1 - 2 * share, 30 - 5 * share

    return exponents
