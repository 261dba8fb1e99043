"""Judges the decisions of a match: exactly where the game is solved, else by a search.

Where the game is solved, payoffs are those of `solved`. Elsewhere they are estimates. A search
thinks about each decision, knowing only what that seat noticed. Its strategy gives the probability
of each move, and its belief the histories that fit. The payoff of a move is the mean of rollouts.
A rollout begins at a history drawn from the belief and makes the move. Then all players follow the
strategy of the search; where the search knows none, they choose all moves alike. All moves are
tried from the same histories. Margins are half the widths of 95 % intervals, from the means of
batches of rollouts.

An estimated loss counts only if its interval lies above 0; otherwise it is not decided. The names
of losses go by the largest payoff of the game. A hundredth of it is no error, because equilibria
choose freely among such moves. Above a tenth of it, a loss is a blunder.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.specs import make_player
from hiddenhand.progress import Report
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.from_root import found_by
from hiddenhand.search.sampling.mmd import MMD
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.behaviour import secret_from
from hiddenhand.trees.strategy import Strategy
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.beliefs import MOST_LISTED, weights_of
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.match import Stopped, names_of
from hiddenhand.web.sharing import Turn
from hiddenhand.web.solved import Solved
from hiddenhand.web.views import Plain

SEARCH: Final = "ismcts"
"""The search that judges where a game is not solved; it takes games of any number of players."""
BATCHES: Final = 16
"""The batches of rollouts, from whose means the margins follow."""
_HISTORIES: Final = 1000  # that the belief of a rollout keeps
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
            "actions": list(self.actions),
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


def moves_of(history: History) -> list[int]:
    """The moves of a history. Matches are played in turns."""
    return [move for move in history.moves if isinstance(move, int)]


def judge_exactly(before: History, move: int, known: Solved) -> Judgement:
    """The judgement of a decision of a game that is solved.

    before: the history at the decision.
    move: what the player did.
    """
    found = known.judged(moves_of(before))
    members, weights = known.belief(known.set_after(moves_of(before)))
    states = [known.tree.history(int(member)).state for member in members]
    return _judgement(
        before,
        move,
        policy=found.policy,
        payoffs=found.payoffs,
        margins=np.zeros(found.payoffs.size),
        difference=(float(found.lost[list(names_of(before)).index(move)]), 0.0),
        secrets=_secrets(before, states, weights),
    )


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
    secrets: Mapping[str, float],
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
        secrets=secrets,
    )


class Estimator:
    """Judges the decisions of one seat, one after the other, by a search.

    game: the game, with moves in turns.
    seat: the seat.
    budget: the budget of the search for each decision; rollouts take as much again.
    is_stopped: whether to stop; then the methods raise Stopped.
    """

    def __init__(
        self, game: Game, seat: int, budget: Budget, is_stopped: Callable[[], bool]
    ) -> None:
        self._game, self._seat, self._budget = game, seat, budget
        self._is_stopped = is_stopped
        self._turn = Turn(self._look)
        self._search: Any = None
        self._heard = 0

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._look()
        self._turn.share()

    def judge(self, before: History, move: int) -> Judgement:
        """The judgement of a decision. Decisions must come in the order of the match."""
        try:
            self.follow(before)
            names = names_of(before)
            strategy = found_by(self._search, 0.0).strategy
            policy = self._policy(before, strategy, len(names))
            trials = self._trials(before, strategy)
        finally:
            self.rest()
        place, best = list(names).index(move), int(np.argmax(trials.means))
        difference = trials.difference(best, place) if best != place else (0.0, 0.0)
        leaves, weights = self._some(trials.belief, len(before.moves))
        return _judgement(
            before,
            move,
            policy=policy,
            payoffs=trials.means,
            margins=trials.margins,
            difference=difference,
            secrets=_secrets(before, trials.belief.leaves.state[leaves], weights),
        )

    def follow(self, before: History) -> None:
        """Let the search think about the decision after a history of the match."""
        if self._search is None:
            player = make_player(self._game, bounded(SEARCH))
            assert isinstance(player, SearchPlayer)
            player.start(self._game, self._seat, 0)
            self._search = player.search
        self._turn.take()
        events = noticed_by(before, self._seat)
        self._search.notice(events[self._heard :], self._budget.seconds, self._budget.iterations)
        self._heard = len(events)
        if len(before.legal_actions()) > 1:
            self._search.think(self._budget.iterations, self._budget.seconds, self)

    def rest(self) -> None:
        """Let other searches use the processor."""
        self._turn.give()

    def belief(self, before: History) -> tuple[Belief, Floats]:
        """The histories that fit what the seat noticed up to a decision, and the probability of
        each of them. `follow` comes before. Raises OptionError if none is left.
        """
        belief = Belief(self._game, self._seat, cap=_HISTORIES)
        belief.notice(noticed_by(before, self._seat), self._budget.seconds)
        if not belief.is_alive:
            raise OptionError(
                "no history was found that fits what the seat noticed; choose another position"
            )
        return belief, weights_of(belief, self._search)

    def _some(self, belief: Belief, seed: int) -> tuple[Integers, Floats]:
        """Leaves of a belief with their probabilities; if there are many, some that are drawn."""
        weights = weights_of(belief, self._search)
        if weights.size <= _NAMED:
            return np.arange(weights.size), weights
        drawn = np.random.default_rng(seed).choice(weights.size, _NAMED, p=weights)
        return drawn, np.full(_NAMED, 1.0 / _NAMED)

    def _policy(self, before: History, strategy: Strategy, count: int) -> Floats:
        """``float64[n]``: how often the search plays each move at a decision."""
        policy = strategy.at(before.information_key)
        return np.full(count, 1.0 / count) if policy is None else np.asarray(policy, np.float64)

    def _trials(self, before: History, strategy: Strategy) -> "_Trials":
        rollouts = MMD(self._game, blueprint=strategy, cap=_HISTORIES)
        rollouts.start(self._seat, len(before.moves))
        rollouts.notice(noticed_by(before, self._seat), self._budget.seconds)
        count = len(before.legal_actions())
        if not rollouts.belief.is_alive:
            raise OptionError(
                "no history was found that fits what the seat noticed; ask a bot instead"
            )
        batches = [self._batch(rollouts, count) for _ in range(BATCHES)]
        return _Trials(np.array(batches), rollouts.belief)

    def _batch(self, rollouts: MMD, count: int) -> Floats:
        """``float64[n]``: the mean payoff of each move in a batch of rollouts."""
        before = rollouts.trials(count)
        seconds, iterations = self._budget.seconds, self._budget.iterations
        # whole rounds: each move is tried as often as the others
        rounds = None if iterations is None else max(iterations // (BATCHES * count), 2) * count
        rollouts.think(rounds, None if seconds is None else seconds / BATCHES, self)
        rollouts.think(iterations=count)  # on a slow machine, too, each move is tried
        tried, paid = rollouts.trials(count) - before
        return np.asarray(paid / tried)

    def _look(self) -> None:
        if self._is_stopped():
            raise Stopped


@dataclass(frozen=True)
class _Trials:
    """Rollouts of all n moves at a decision.

    batches: ``float64[BATCHES, n]``, the mean payoff of each move in each batch.
    belief: the histories at which rollouts begin.
    """

    batches: Floats
    belief: Belief

    @property
    def means(self) -> Floats:
        """``float64[n]``: the mean payoff of each move."""
        return np.asarray(self.batches.mean(axis=0))

    @property
    def margins(self) -> Floats:
        """``float64[n]``: half the width of the 95 % interval of each mean."""
        return np.array([mean_interval(means).width / 2 for means in self.batches.T.tolist()])

    def difference(self, best: int, other: int) -> tuple[float, float]:
        """By how much the payoff of a move exceeds that of another one, and the margin of that."""
        found = mean_interval((self.batches[:, best] - self.batches[:, other]).tolist())
        return found.value, found.width / 2
