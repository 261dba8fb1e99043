"""Judges the decisions of a match: exactly where the game is solved, else by a search.

Where the game is solved, payoffs are those of `solved`. Elsewhere they are estimates. Some searches
think about each decision, independently of each other, and know only what that seat noticed. The
mean of their strategies gives the probability of each move, and that of their beliefs the
probability of each history that fits. The payoff of a move is the mean of rollouts, see `payoffs`.
Margins are half the widths of 95 % intervals from the means of the searches. So
they hold what differs from search to search, and not what all of them get wrong.

An estimated loss counts only if its interval lies above 0; otherwise it is not decided. The names
of losses go by the largest payoff of the game. A hundredth of it is no error, because equilibria
choose freely among such moves. Above a tenth of it, a loss is a blunder.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import Report
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.root_search import found_by
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.policy_report import secret_from
from hiddenhand.trees.strategy import Strategy
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.beliefs import MOST_LISTED, weights_of
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.cpu_share import Turn
from hiddenhand.web.exact_solution import Solved
from hiddenhand.web.match import Stopped, names_of
from hiddenhand.web.payoffs import HISTORIES, SampledPayoffs
from hiddenhand.web.views import Plain

SEARCH: Final = "ismcts"
"""The search that judges where a game is not solved; it takes games of any number of players."""
SEARCHES: Final = 5
"""The searches that judge a decision, from whose differences the margins follow."""
_NAMED: Final = 400  # histories of a belief whose secrets are named
_SMALL: Final = 0.01  # of the largest payoff: no loss
_MISTAKE: Final = 0.03
_BLUNDER: Final = 0.1

BEST, MIX, OPEN = "best", "mix", "open"
INACCURACY, MISTAKE, BLUNDER = "inaccuracy", "mistake", "blunder"


@dataclass(frozen=True)
class Judgement:
    """A decision of a match, and what each of its n legal moves is worth.

    ply: the number of moves before it.
    seat: the player who decided.
    actions, names: the legal moves.
    chosen: the place of the player's move among them.
    policy: ``float64[n]``, how often the equilibrium or the search plays each move.
    payoffs: ``float64[n]``, the expected payoff of each move for the player.
    margins: ``float64[n]``, the margin of each payoff; all 0 where the game is solved.
    loss: the loss of the player's move; 0 if an estimate does not tell it from 0.
    loss_margin: the margin of the loss.
    mark: what to call the move.
    secrets: what may have been hidden, and how likely each of it was, the likeliest first.
    states, weights: ``int64[F, state_size]`` and ``float64[F]``, states that fit what the player
        noticed, and the probability of each; where there are many, some that are drawn.
    """

    ply: int
    seat: int
    actions: tuple[int, ...]
    names: tuple[str, ...]
    chosen: int
    policy: Floats
    payoffs: Floats
    margins: Floats
    loss: float
    loss_margin: float
    mark: str
    secrets: Mapping[str, float]
    states: Integers
    weights: Floats

    @property
    def value(self) -> float:
        """The expected payoff of the best move."""
        return float(self.payoffs.max())

    @property
    def after(self) -> float:
        """The expected payoff after the player's move: that of the best move less the loss."""
        return self.value - self.loss

    def to_json(self) -> Plain:
        """The decision as plain data for a page."""
        listed = list(self.secrets.items())
        return {
            "ply": self.ply,
            "seat": self.seat,
            "actions": self.actions,
            "names": list(self.names),
            "chosen": self.chosen,
            "policy": self.policy.tolist(),
            "payoffs": self.payoffs.tolist(),
            "margins": self.margins.tolist(),
            "loss": self.loss,
            "loss_margin": self.loss_margin,
            "mark": self.mark,
            "secrets": [{"name": name, "p": p} for name, p in listed[:MOST_LISTED]],
            "rest": {
                "count": max(len(listed) - MOST_LISTED, 0),
                "p": sum(p for _, p in listed[MOST_LISTED:]),
            },
        }


def mark_of(loss: float, is_open: bool, is_likeliest: bool, largest: float) -> str:
    """What to call a move.

    loss: its loss.
    is_open: whether the estimate of the loss does not tell it from 0.
    is_likeliest: whether the equilibrium or the search plays no move more often.
    largest: the largest payoff of the game.
    """
    if loss < _SMALL * largest:
        return BEST if is_likeliest else MIX
    if is_open:
        return OPEN
    if loss > _BLUNDER * largest:
        return BLUNDER
    return MISTAKE if loss > _MISTAKE * largest else INACCURACY


def decisions(history: History) -> list[History]:
    """The histories of a match in which a player decides."""
    walked, found = History(history.game), []
    for move in history.moves:
        if walked.player >= 0:
            found.append(walked)
        walked = walked.child(move)
    return found


def judge_exactly(before: History, move: int, known: Solved) -> Judgement:
    """The judgement of a decision of a game that is solved.

    before: the history at the decision.
    move: what the player did.
    """
    found = known.judged(before.actions)
    members, weights = _some(*known.belief(known.set_after(before.actions)), len(before.moves))
    return _judgement(
        before,
        move,
        policy=found.policy,
        payoffs=found.payoffs,
        margins=np.zeros(found.payoffs.size),
        difference=(float(found.lost[list(names_of(before)).index(move)]), 0.0),
        states=np.array([known.tree.history(int(member)).state for member in members]),
        weights=weights,
    )


def _some(numbers: Integers, weights: Floats, seed: int) -> tuple[Integers, Floats]:
    """Histories with their probabilities. If there are many, some that are drawn, all alike."""
    if numbers.size <= _NAMED:
        return numbers, weights
    drawn = np.random.default_rng(seed).choice(numbers, _NAMED, p=weights)
    return drawn, np.full(_NAMED, 1.0 / _NAMED)


def _secrets(before: History, states: Iterable[Any], weights: Floats) -> Mapping[str, float]:
    """What states hide from the player to move, and the probability of each of it."""
    sums: dict[str, float] = {}
    for state, weight in zip(states, weights, strict=True):
        secret = secret_from(before.game, np.array(state), before.player)
        sums[secret] = sums.get(secret, 0.0) + float(weight)
    total = sum(sums.values()) or 1.0
    ordered = sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))
    return {name: weight / total for name, weight in ordered if name}


def _judgement(
    before: History,
    move: int,
    policy: Floats,
    payoffs: Floats,
    margins: Floats,
    difference: tuple[float, float],
    states: Integers,
    weights: Floats,
) -> Judgement:
    """A judgement. ``difference``: the loss of the move as it was found, and its margin."""
    names = names_of(before)
    chosen, (loss, margin) = list(names).index(move), difference
    is_open = 0 < loss <= margin
    is_likeliest = bool(policy[chosen] == policy.max())
    return Judgement(
        ply=len(before.moves),
        seat=before.player,
        actions=tuple(names),
        names=tuple(names.values()),
        chosen=chosen,
        policy=policy,
        payoffs=payoffs,
        margins=margins,
        loss=0.0 if is_open else loss,
        loss_margin=margin,
        mark=mark_of(loss, is_open, is_likeliest, float(before.game.max_utility)),
        secrets=_secrets(before, states, weights),
        states=states,
        weights=weights,
    )


class Estimator:
    """Judges the decisions of one seat, one after the other, by searches.

    game: the game, with moves in turns.
    seat: the seat.
    budget: the budget of all searches for each decision; rollouts take as much again.
    is_stopped: whether to stop; then the methods raise Stopped.
    """

    def __init__(
        self, game: Game, seat: int, budget: Budget, is_stopped: Callable[[], bool]
    ) -> None:
        self._game, self._seat, self._is_stopped = game, seat, is_stopped
        iterations, seconds = budget.iterations, budget.seconds
        self._iterations = None if iterations is None else max(iterations // SEARCHES, 1)
        self._seconds = None if seconds is None else seconds / SEARCHES
        self._turn = Turn(self._look)
        self._searches: list[Any] = []
        self._heard = 0

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._look()
        self._turn.share()

    def judge(self, before: History, move: int) -> Judgement:
        """The judgement of a decision. Decisions must come in the order of the match."""
        names = names_of(before)
        try:
            self.follow(before)
            belief, weights = self.belief(before)
            strategies = [found_by(search, 0.0).strategy for search in self._searches]
            policies = [_policy_at(before, strategy, len(names)) for strategy in strategies]
            budget = self._iterations, self._seconds
            events = noticed_by(before, self._seat)
            payoffs = np.array(
                [
                    SampledPayoffs(before, events, budget[1], number).of(strategy, *budget, self)[0]
                    for number, strategy in enumerate(strategies)
                ]
            )
        finally:
            self.rest()
        place, best = list(names).index(move), int(np.argmax(payoffs.mean(axis=0)))
        leaves, weights = _some(np.arange(weights.size), weights, len(before.moves))
        return _judgement(
            before,
            move,
            policy=np.asarray(np.mean(policies, axis=0)),
            payoffs=np.asarray(payoffs.mean(axis=0)),
            margins=np.array([_margin(means) for means in payoffs.T]),
            difference=_difference(payoffs[:, best], payoffs[:, place]),
            states=np.array(belief.leaves.state[leaves]),
            weights=weights,
        )

    def follow(self, before: History) -> None:
        """Let the searches think about the decision after a history of the match."""
        if not self._searches:
            self._searches = [self._new_search(number) for number in range(SEARCHES)]
        self._turn.take()
        events = noticed_by(before, self._seat)
        for search in self._searches:
            search.notice(events[self._heard :], self._seconds, self._iterations)
            if len(before.legal_actions()) > 1:
                search.think(self._iterations, self._seconds, self)
        self._heard = len(events)

    def rest(self) -> None:
        """Let other searches use the processor."""
        self._turn.give()

    def belief(self, before: History) -> tuple[Belief, Floats]:
        """The histories that fit what the seat noticed up to a decision, and the probability of
        each of them. `follow` comes before. Raises OptionError if none is left.
        """
        belief = Belief(self._game, self._seat, cap=HISTORIES)
        belief.notice(noticed_by(before, self._seat), self._seconds)
        if not belief.is_alive:
            raise OptionError(
                "no history was found that fits what the seat noticed; choose another position"
            )
        weights = np.mean([weights_of(belief, search) for search in self._searches], axis=0)
        return belief, np.asarray(weights / weights.sum())

    def _new_search(self, seed: int) -> Any:
        player = make_player(self._game, bounded(SEARCH))
        assert isinstance(player, SearchPlayer)
        player.start(self._game, self._seat, seed)
        return player.search

    def _look(self) -> None:
        if self._is_stopped():
            raise Stopped


def _policy_at(before: History, strategy: Strategy, count: int) -> Floats:
    """``float64[n]``: how often a strategy plays each move at a decision."""
    policy = strategy.at(before.information_key)
    return np.full(count, 1.0 / count) if policy is None else np.asarray(policy, np.float64)


def _margin(means: Floats) -> float:
    """Half the width of the 95 % interval of the mean of ``float64[SEARCHES]``."""
    return mean_interval(means.tolist()).width / 2


def _difference(best: Floats, other: Floats) -> tuple[float, float]:
    """By how much the payoff of a move exceeds that of another one, and the margin of that."""
    return float((best - other).mean()), _margin(best - other)
