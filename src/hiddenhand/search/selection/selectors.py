"""Selection rules: how a tree search chooses an action in an information set, and what it learns
from the outcome.

The rules are those of the thesis of Lisy (2014), Section 2.2. Each rule is a small frozen dataclass
with the same two methods, which are compiled into the searches. A rule also says what a row of the
table holds: ``PER_ACTION`` runs of n numbers, then ``PER_SET`` numbers more. The run with number
``STRATEGY`` is the strategy: visits, or sums of the distributions that were used.

select(values, row, n, sigma, rng)              returns the index of the action to try, and writes
                                                the distribution that it was drawn from into sigma
update(values, row, n, a, p, reward, sigma)     learns that action a, tried with probability p, paid
                                                the reward

values   the numbers of all rows
row      where the row of the information set starts in ``values``
n        the number of actions
sigma    room for n probabilities
reward   the payoff of the player who chose; a rule that needs rewards in [0, 1] knows the largest
         payoff
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from hiddenhand.errors import OptionError, UnusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.random import RandomState, below
from hiddenhand.jit.sampling import match_exponentials, match_regrets, sample
from hiddenhand.jit.views import view


class Selector(Compiled):
    """Base of selection rules.

    PER_ACTION: how many numbers a row holds for each action.
    PER_SET: how many numbers it holds besides.
    STRATEGY: which run of n numbers in a row is the strategy, counted from 0.
    MOST_VISITED: whether, unless the user says otherwise, the move to make is the action with most
        of the strategy; else it is drawn from the strategy.
    """

    PER_ACTION: ClassVar[int]
    PER_SET: ClassVar[int] = 0
    STRATEGY: ClassVar[int]
    MOST_VISITED: ClassVar[bool] = False

    def for_streams(self, streams: int) -> "Selector":
        """The same rule for one of several streams (see `search.parallel.streams`), whose rows hold
        a part of all sums. Whatever depends on ratios of sums only stays as it is.
        """
        return self

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        raise NotImplementedError

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class UCT(Selector):
    """UCB1 (Auer, Cesa-Bianchi and Fischer 2002) in trees (Kocsis and Szepesvari 2006): maximise
    mean + C sqrt(ln N / n_a).

    Actions never tried come first, in random order. A row holds the visits n_a and the sums of
    rewards. UCT has no distribution, so ``sigma`` holds the bounds.

    exploration: C, in payoffs, at least 0.
    random_ties: whether a tie goes to any of the tied actions ("RUCT"; "UCT" in Lisy, Lanctot and
        Bowling 2015), else to the first of them.
    tie_tolerance: with random ties, how far below the best bound an action is tied, in payoffs.
    """

    exploration: float
    random_ties: bool = False
    tie_tolerance: float = 0.0
    streams: float = 1.0  # so many times as many visits as the row says, see `for_streams`

    PER_ACTION = 2
    STRATEGY = 0
    MOST_VISITED = True

    def for_streams(self, streams: int) -> "UCT":
        return replace(self, streams=float(streams))

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        return self.best_bound(values, row, n, self.exploration, sigma, rng)

    def best_bound(
        self, values: Floats, row: int, n: int, c: float, sigma: Floats, rng: RandomState
    ) -> int:
        """`select`, with the constant C given as ``c``."""
        tried, sums = view(values, row, n), view(values, row + n, n)
        visits, untried = 0.0, 0
        for a in range(n):
            visits += tried[a]
            untried += int(tried[a] == 0.0)
        if untried > 0:
            return self._untried(values, row, n, below(rng, untried))
        log_visits = math.log(max(visits * self.streams, 1.0))
        for a in range(n):  # a loop of its own is compiled into vector instructions
            sigma[a] = sums[a] / tried[a] + c * math.sqrt(log_visits / (tried[a] * self.streams))
        best = sigma[0]
        for a in range(1, n):
            best = max(best, sigma[a])
        return self._tied(sigma, n, best, rng)

    def _tied(self, bounds: Floats, n: int, best: float, rng: RandomState) -> int:
        """The first of the actions with the best bound; with random ties, any of those tied."""
        least, which = best, 0
        if self.random_ties:
            least, ties = best - self.tie_tolerance, 0
            for a in range(n):
                ties += int(bounds[a] >= least)
            which = below(rng, ties) if ties > 1 else 0
        for a in range(n):
            if bounds[a] >= least:
                if which == 0:
                    return a
                which -= 1
        return n - 1

    def _untried(self, values: Floats, row: int, n: int, which: int) -> int:
        for a in range(n):
            if values[row + a] == 0.0:
                if which == 0:
                    return a
                which -= 1
        return n - 1

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        values[row + a] += 1.0
        values[row + n + a] += reward


@dataclass(frozen=True)
class Exp3(Selector):
    """Exponential weights for adversarial bandits (Auer et al. 2003), Eq. 2.4.

    p_i = (1 - gamma) / sum_k exp(gamma / n (G_k - G_i)) + gamma / n, with G the importance-weighted
    sums of rewards in [0, 1]. In this form n probabilities take n^2 exponentials; see
    `match_exponentials` for the same with n. The mean strategy leaves the exploration out
    (Eq. 3.7). A row holds G and the sums of p without exploration.

    largest: the largest payoff, which scales rewards to [0, 1].
    gamma: the share of uniform play, above 0 and below 1.
    """

    largest: float
    gamma: float = 0.1

    PER_ACTION = 2
    STRATEGY = 1

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        match_exponentials(values, row, n, self.gamma / n, self.gamma, sigma)
        return sample(rng, sigma, n)

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        values[row + a] += (0.5 + 0.5 * reward / self.largest) / p
        for b in range(n):
            values[row + n + b] += (sigma[b] - self.gamma / n) / (1.0 - self.gamma)


@dataclass(frozen=True)
class Exp3P(Selector):
    """Exp3.P: every action's reward is raised by a bonus beta, so that the sums are upper bounds
    with high probability (Fig. 2.5; Bubeck 2010).

    A row holds G and the sums of p without exploration, as in `Exp3`.

    largest: the largest payoff, which scales rewards to [0, 1].
    horizon: the number of rounds for which Theorem 2.2.8 chooses eta, gamma and beta, with
        delta = 1/n.
    """

    largest: float
    horizon: float = 100_000.0

    PER_ACTION = 2
    STRATEGY = 1

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        eta = 0.95 * math.sqrt(math.log(n) / (self.horizon * n)) if n > 1 else 0.0
        match_exponentials(values, row, n, eta, self._gamma(n), sigma)
        return sample(rng, sigma, n)

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        beta = math.sqrt(math.log(float(n * n)) / (n * self.horizon)) if n > 1 else 0.0
        for b in range(n):
            gain = 0.5 + 0.5 * reward / self.largest if b == a else 0.0
            values[row + b] += (gain + beta) / sigma[b]
        gamma = self._gamma(n)
        for b in range(n):
            values[row + n + b] += (sigma[b] - gamma / n) / (1.0 - gamma)

    def _gamma(self, n: int) -> float:
        return min(0.99, 1.05 * math.sqrt(n * math.log(n) / self.horizon)) if n > 1 else 0.0


@dataclass(frozen=True)
class RegretMatching(Selector):
    """Regret matching for bandits (Hart and Mas-Colell 2001; Fig. 2.6): the reward is subtracted
    from all regrets R_i, and reward / p is added to that of the action that was tried.

    The mean strategy leaves the exploration out. A row holds R and the sums of p without
    exploration.

    largest: the largest payoff, which scales rewards to [0, 1].
    gamma: the share of uniform play, above 0 and below 1.
    """

    largest: float
    gamma: float = 0.2

    PER_ACTION = 2
    STRATEGY = 1

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        match_regrets(values, row, n, self.gamma, sigma)
        return sample(rng, sigma, n)

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        gain = 0.5 + 0.5 * reward / self.largest
        for b in range(n):
            values[row + b] -= gain
            values[row + n + b] += (sigma[b] - self.gamma / n) / (1.0 - self.gamma)
        values[row + a] += gain / p


SELECTORS: Final = ("uct", "ruct", "exp3", "exp3p", "rm")
TIE_TOLERANCE: Final = 0.01
"""That of the experiments of Lisy, Lanctot and Bowling (2015), in units of the largest payoff."""


def verify_settings_of(rule: Any, **settings: float | None) -> None:
    """Raise UnusedOptionError for the first setting that is given beside a selection rule which is
    an object: such a rule has its own.
    """
    given = [name for name, value in settings.items() if value is not None]
    if given and not isinstance(rule, str):
        raise UnusedOptionError(
            given[0], f"selector={rule}", "give it to the rule, or leave it out"
        )


def make_selector(
    name: str,
    game: Game,
    *,
    exploration: float | None = None,
    gamma: float | None = None,
    tie_tolerance: float | None = None,
) -> Selector:
    """The selection rule called ``name`` (one of `SELECTORS`) for ``game``. Raises OptionError.

    name: "uct" (UCT, which takes the first of equally good actions), "ruct" (UCT, which takes any
        of them), "exp3" or "exp3p" (exponential weights) or "rm" (regret matching).
    game: the game, whose largest payoff scales the rule.
    exploration: the constant C of UCT for rules uct and ruct, at least 0, in units of the largest
        payoff; 2 by default.
    gamma: the share of uniform play in what rules exp3 and rm choose, above 0 and below 1; by
        default 0.1 for exp3 and 0.2 for rm.
    tie_tolerance: how far apart bounds count as equal for rule ruct, at least 0, in units of the
        largest payoff; 0.01 by default.
    """
    if name not in SELECTORS:
        raise OptionError(
            f"there is no selection rule {name!r}; choose one of: {', '.join(SELECTORS)}"
        )
    if exploration is not None and (name not in ("uct", "ruct") or not 0 <= exploration < math.inf):
        raise OptionError(
            f"exploration={exploration} is not allowed for {name}; it is UCT's constant, at least "
            "0, in units of the largest payoff"
        )
    if gamma is not None and (name not in ("exp3", "rm") or not 0 < gamma < 1):
        raise OptionError(
            f"gamma={gamma} is not allowed for {name}; it is the exploration of exp3 and rm, above "
            "0 and below 1"
        )
    if tie_tolerance is not None and (name != "ruct" or not 0 <= tie_tolerance < math.inf):
        raise OptionError(
            f"tie_tolerance={tie_tolerance} is not allowed for {name}; it is for rules that break "
            "ties"
            " at random (ruct, duct), at least 0, in units of the largest payoff"
        )
    largest = float(game.max_utility) or 1.0  # a game may pay nothing at all
    if name in ("uct", "ruct"):
        tolerance = TIE_TOLERANCE if tie_tolerance is None else float(tie_tolerance)
        constant = (2.0 if exploration is None else float(exploration)) * largest
        return UCT(constant, True, tolerance * largest) if name == "ruct" else UCT(constant)
    if name == "exp3p":
        return Exp3P(largest)
    if name == "exp3":
        return Exp3(largest, 0.1 if gamma is None else float(gamma))
    return RegretMatching(largest, 0.2 if gamma is None else float(gamma))
