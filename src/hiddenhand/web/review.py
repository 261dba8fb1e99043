"""The review of a match: what each move lost, and how much of the result came from play.

The result of a seat is the sum of four parts (two players, zero-sum, a solved game):

    result = value - own + others + cards

    value    the value of the game for the seat: what two perfect players expect there
    own      the losses of the seat's moves; see `solved` for the loss of a move
    others   the losses of the other player's moves
    cards    everything else: what chance brought, and what mixed strategies happened to choose

The *course* of a match is the expected payoff of the seat as the seat could know it. It begins at
the value. At each decision of the seat it is the expected payoff of the best move, and after it
that of the move that was made: the step down is the loss. It ends at the result. All its other
steps together are ``others + cards``. Against an opponent who plays the equilibrium, they are 0 on
average whatever the seat plays, so they are luck.

Where a game is not solved, `judging` estimates the losses by a search, and only for some seats.
Then the review knows the result, the losses of the seat, and the course from its first decision on.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import hypot

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.players.player import Deciding
from hiddenhand.players.registry import make_player
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.decision_overlay import on_the_board
from hiddenhand.web.exact_solution import Solved, can_be_solved, solved
from hiddenhand.web.hand_history import is_poker
from hiddenhand.web.hands import hands_of
from hiddenhand.web.judging import Estimator, Judgement, decisions, judge_exactly
from hiddenhand.web.match import Stopped, names_of
from hiddenhand.web.views import ALL, Plain, said

Say = Callable[[Plain], None]


@dataclass(frozen=True)
class Parts:
    """The parts of the result of a seat; see the top of this module."""

    result: float
    value: float
    own: float
    others: float
    cards: float


@dataclass(frozen=True)
class EstimatedParts:
    """What an estimate knows of the result of a seat.

    own: the losses of its moves, where the estimate tells them from 0.
    own_margin: the margin of their sum.
    """

    result: float
    own: float
    own_margin: float


def course_of(
    history: History, judged: Sequence[Judgement], seat: int, value: float | None
) -> list[tuple[int, float]]:
    """The course of a match that is over: plies, and the expected payoff of the seat there.

    judged: the decisions; those of other seats do not matter.
    value: the value of the game for the seat; None if it is not known.
    """
    course = [] if value is None else [(0, value)]
    for one in judged:
        if one.seat == seat:
            course += [(one.ply, one.value), (one.ply + 1, one.after)]
    return [*course, (len(history.moves), history.returns()[seat])]


def parts_of(history: History, judged: Sequence[Judgement], seat: int, value: float) -> Parts:
    """The parts of the result of a seat in a match of a solved game that is over.

    judged: all decisions of the match.
    """
    course = course_of(history, judged, seat, value)
    payoffs = [payoff for _, payoff in course]
    # the course stands still, or falls by a loss, from each own decision to the next point
    steps = np.diff(payoffs)
    others = sum(one.loss for one in judged if one.seat != seat)
    return Parts(
        result=history.returns()[seat],
        value=value,
        own=float(sum(one.loss for one in judged if one.seat == seat)),
        others=float(others),
        cards=float(steps[0::2].sum() - others),
    )


def estimated_parts_of(history: History, judged: Sequence[Judgement], seat: int) -> EstimatedParts:
    """What an estimate knows of the result of a seat in a match that is over."""
    lost = [one for one in judged if one.seat == seat and one.loss > 0]
    return EstimatedParts(
        result=history.returns()[seat],
        own=sum(one.loss for one in lost),
        own_margin=hypot(*(one.loss_margin for one in lost)),
    )


def review(
    history: History,
    seats: Sequence[int],
    budget: Budget,
    say: Say,
    is_stopped: Callable[[], bool],
) -> None:
    """Report the review of a match that is over, frame by frame. Raises Stopped.

    seats: the seats that an estimate judges; where the game is solved, all are judged.
    budget: the budget of the search for each decision of an estimate; see `Estimator`.
    """
    game = history.game
    is_exact = can_be_solved(game)
    asked = [one for one in decisions(history) if is_exact or one.player in seats]
    say(
        {
            "state": "begun",
            "exact": is_exact,
            "poker": is_poker(game),
            "largest": float(game.max_utility),
            "decisions": len(asked),
        }
    )
    if is_exact:
        _review_exactly(history, asked, say)
    else:
        _estimate(history, asked, budget, say, is_stopped)
    say({"state": "done"})


def _review_exactly(history: History, asked: Sequence[History], say: Say) -> None:
    known = solved(history.game)
    judged = [judge_exactly(one, _next_move(history, one), known) for one in asked]
    for one in judged:
        say(_told(history, one))
    for seat in range(history.game.num_players):
        value = float(known.values[seat])
        parts = parts_of(history, judged, seat, value)
        say(_summed(history, judged, seat, value, parts))
        table = hands_of(history, seat, known)
        if table is not None:
            say({"state": "hands", "seat": seat, **table})


def _estimate(
    history: History,
    asked: Sequence[History],
    budget: Budget,
    say: Say,
    is_stopped: Callable[[], bool],
) -> None:
    estimators: dict[int, Estimator] = {}
    judged = list[Judgement]()
    for one in asked:
        if is_stopped():
            raise Stopped
        seat = one.player
        if seat not in estimators:
            estimators[seat] = Estimator(history.game, seat, budget, is_stopped)
        judged.append(estimators[seat].judge(one, _next_move(history, one)))
        say(_told(history, judged[-1]))
        parts = estimated_parts_of(history, judged, seat)
        say(_summed(history, judged, seat, None, parts))


def _told(history: History, judged: Judgement) -> Plain:
    """The frame of a judgement. It has the move in the words for the player, and for others."""
    moves, before = history.actions[: judged.ply + 1], History(history.game)
    for move in moves[:-1]:
        before = before.child(move)
    after = before.child(moves[-1])
    words = {"said": said(before, after, judged.seat), "told": said(before, after, ALL)}
    board = on_the_board(before, judged)
    return {"state": "judged", "decision": judged.to_json() | words | board}


def _summed(
    history: History,
    judged: Sequence[Judgement],
    seat: int,
    value: float | None,
    parts: Parts | EstimatedParts,
) -> Plain:
    course = course_of(history, judged, seat, value)
    return {"state": "summed", "seat": seat, "course": course, "parts": asdict(parts)}


def _next_move(history: History, before: History) -> int:
    """The move of a match after one of its decisions."""
    return history.actions[len(before.moves)]


def bot_moves(
    history: History,
    player: str,
    seconds: float,
    say: Say,
    is_stopped: Callable[[], bool],
) -> None:
    """Report for each decision what a bot would have played in that seat. The bot knows only what
    the seat noticed, and follows the match as it was played. Where the game is solved, a report has
    the expected loss of the bot's policy as its "regret". Raises Stopped, and OptionError for a bot
    that reports no policy.
    """
    known: Solved | None = solved(history.game) if can_be_solved(history.game) else None
    bots = dict[int, tuple[Deciding, int]]()
    for before in decisions(history):
        if is_stopped():
            raise Stopped
        seat = before.player
        if seat not in bots:
            bots[seat] = _bot(history.game, player, seat), 0
        bot, heard = bots[seat]
        events = noticed_by(before, seat)
        bot.follow(events[heard:])
        bots[seat] = bot, len(events)
        policy = np.asarray(bot.policy(list(names_of(before)), Budget(seconds=seconds)))
        told: Plain = {"ply": len(before.moves), "seat": seat, "policy": policy.tolist()}
        if known is not None:
            told["regret"] = float(policy @ known.judged(before.actions).lost)
        say({"state": "asked", "bot": player, **told})
    say({"state": "answered", "bot": player})


def _bot(game: Game, player: str, seat: int) -> Deciding:
    bot = make_player(game, bounded(player))
    if not isinstance(bot, Deciding):
        raise OptionError(f"{player} cannot report what it would play; name another bot")
    bot.start(game, seat, 0)
    return bot
