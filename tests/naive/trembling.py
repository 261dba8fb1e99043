"""CFR in which everybody trembles, as a recursion over histories; see
`hiddenhand.solvers.repair`."""

from naive.behaviour import Behaviour, Node, probabilities
from naive.regret_minimisation import NaiveCFR, Table

from hiddenhand.solvers.cfr_variants import Variant


class NaiveTrembling(NaiveCFR):
    """All histories are walked with both strategies: the one with trembles says how likely players
    come there, the one without what is played from there on.
    """

    def __init__(self, root: Node, num_players: int, variant: Variant, tremble: float) -> None:
        super().__init__(root, num_players, variant)
        self.tremble = tremble
        self.plans: list[
            dict[tuple[int, int], float]
        ] = []  # of each set and action, each iteration
        self.before: dict[int, tuple[float, float]] = {}

    def iterate(self) -> None:
        self.noted: dict[tuple[int, int], float] = {}
        super().iterate()
        self.plans.append(self.noted)
        t = self.iterations
        if t in (2**k for k in range(20)):
            self._fade(self.plans[t // 2 :] if t > 1 else self.plans)

    def _walk(
        self,
        node: Node,
        player: int,
        own: float,
        others: float,
        own_reach: dict[int, float],
        instant: Table,
    ) -> float:
        if node.payoffs:
            return node.payoffs[player]
        rarely = probabilities(node, self._trembling())
        mine = node.player == player
        value, values = 0.0, {}
        for action, p in probabilities(node, self.strategy).items():
            reach = own * rarely[action] if mine else own
            values[action] = self._walk(
                node.children[action],
                player,
                reach,
                others if mine else others * rarely[action],
                own_reach,
                instant,
            )
            value += (p if mine or node.player < 0 else rarely[action]) * values[action]
            if mine:
                self.noted[node.key, action] = reach
        if mine:
            own_reach[node.key] = own
            for action, worth in values.items():
                instant[node.key][action] += others * (worth - value)
        return value

    def _add_strategy(self, key: int, action: int, plan: float) -> None:
        super()._add_strategy(key, action, self.noted[key, action])

    def _trembling(self) -> Behaviour:
        return {
            key: {
                action: (1 - self.tremble) * p + self.tremble / len(sigma)
                for action, p in sigma.items()
            }
            for key, sigma in self.strategy.items()
        }

    def _fade(self, plans: list[dict[tuple[int, int], float]]) -> None:
        mean = {of: sum(plan[of] for plan in plans) / len(plans) for of in plans[0]}
        reach: dict[int, tuple[float, float]] = {}
        self._reach(self.root, [1.0] * self.num_players, 1.0, mean, reach)
        for key, (others, own) in reach.items():
            if key in self.before:
                for action in self.regret[key]:
                    self.regret[key][action] *= min(others / self.before[key][0], 1.0)
                    self.sum[key][action] *= min(own / self.before[key][1], 1.0)
        self.before = reach

    def _reach(
        self,
        node: Node,
        own: list[float],
        chance: float,
        mean: dict[tuple[int, int], float],
        reach: dict[int, tuple[float, float]],
    ) -> None:
        """Write the others' reach of each set, and the player's own, under the mean plans."""
        if node.payoffs:
            return
        if node.player >= 0:
            others = chance
            for player in range(self.num_players):
                if player != node.player:
                    others *= own[player]
            before = reach.get(node.key, (0.0, 0.0))[0]
            reach[node.key] = before + others, own[node.player]
        for action, child in node.children.items():
            if node.player >= 0:
                plans = list(own)
                plans[node.player] = mean[node.key, action]
                self._reach(child, plans, chance, mean, reach)
            else:
                p = probabilities(node, self.strategy)[action]
                self._reach(child, own, chance * p, mean, reach)
