r"""Payoffs without most of the luck: AIVAT.

Burch, Schmid, Moravcik and Bowling (2018), "AIVAT: a new variance reduction technique for agent
evaluation in imperfect information games", which extends MIVAT (White and Bowling 2009) from the
moves of chance to those of players. With

    z = h_1 .. h_T    the moves of a match, and the histories that they lead through
    u_i(z)            the payoff of player i
    pi(a)             the probability with which the mover at h, a player or chance, chose a
    v_i(h)            an estimate of what h is worth to player i; any function of the history

the corrected payoff of player i is

    u_i(z) + sum over t of k_i(h_t),    k_i(h) = sum over a of pi(a) v_i(ha) - v_i(h a_played)

Each term has the mean 0, whatever v is, because the played action was drawn from pi. So the
corrected payoff has the mean of the payoff. If v is right, the terms cancel the luck of the draws.
A term needs pi only at the information sets of the match, where a search finds its policy anyway.
Moves of players that do not report their probabilities have no term, and the estimate stays
unbiased.

The paper also averages over *imaginary observations*: histories that the players whose strategies
are known cannot have told apart from the one that was played. For that, these strategies have to be
known in information sets that the match did not come to. Here each part of the paper's partition of
the histories is one history, which the paper allows, so any player will do.

A sum of terms can be larger than any payoff. Intervals that hold at every time need bounded values
(see `stopping`). So a term is left out, as a whole, if with it the sum could leave
[-limit, limit], whatever is played at h. That is known before the move is drawn, so that it takes
nothing from the mean.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np

from hiddenhand.errors import PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.match import MatchRecord
from hiddenhand.players.player import Decision, verified_policy


class ValueEstimate(Protocol):
    """An estimate of what histories are worth. It may be random, as long as it does not depend on
    what is drawn in the match.
    """

    def after(self, history: History, moves: Sequence[int]) -> Floats:
        """``float64[n, P]``: for each of n ``moves`` at ``history``, the payoff that each of the P
        players may expect after it.
        """


class Correction:
    """The sum of the terms of one match, as far as the match has come.

    values: the estimate v.
    num_players: how many players the game has.
    limit: the largest absolute value that the sum may have for any player; None for no limit.
    sum: ``float64[P]``, the sum for each player.
    skipped: how many terms were left out because of the limit.
    """

    def __init__(self, values: ValueEstimate, num_players: int, limit: float | None = None) -> None:
        self.values = values
        self.limit = limit
        self.sum = np.zeros(num_players)
        self.skipped = 0

    def take(self, history: History, moves: Sequence[int], pi: Sequence[float], made: int) -> None:
        """Add the term of a move, unless nothing was drawn, or the limit forbids it.

        history: the history h before the move.
        moves: the moves that were possible.
        pi: the probability of each of ``moves``.
        made: the move that was made.
        """
        possible = [(move, p) for move, p in zip(moves, pi, strict=True) if p > 0.0]
        if len(possible) < 2:
            return
        drawn = [move for move, _ in possible]
        after = self.values.after(history, drawn)
        terms = np.array([p for _, p in possible]) @ after - after
        if self.limit is not None and np.abs(self.sum + terms).max() > self.limit:
            self.skipped += 1
            return
        self.sum = self.sum + terms[drawn.index(made)]


def corrected(
    record: MatchRecord,
    values: ValueEstimate,
    known: Collection[int] | None = None,
    limit: float | None = None,
) -> tuple[float, ...]:
    """The corrected payoff of each player in a match.

    record: the match.
    values: the estimate v, made without any knowledge of this match.
    known: the players whose moves are corrected; None for all. The moves of chance always are,
        where the game lists their probabilities.
    limit: how far a corrected payoff may be from the payoff, see `Correction`; None for no limit.
    """
    game = record.game
    seats = _verified_seats(game, known)
    correction = Correction(values, game.num_players, limit)
    decisions = [iter(made) for made in record.decisions]
    history = History(game)
    for move in record.moves:
        mover = history.player
        if mover == CHANCE:
            if game.lists_chance:
                outcomes = history.chance_outcomes()
                correction.take(history, [a for a, _ in outcomes], [p for _, p in outcomes], move)
        else:
            decision = next(decisions[mover])
            if mover in seats and decision.policy:
                legal_actions = history.legal_actions()
                policy = _verified_chances(decision, legal_actions, f"player {mover + 1}")
                correction.take(history, legal_actions, policy, move)
        history = history.child(move)
    return tuple(float(payoff) for payoff in np.array(record.returns) + correction.sum)


def default_limit(game: Game) -> float:
    """The limit of matches and tournaments: the largest absolute payoff. Corrected payoffs then lie
    within twice the range of the payoffs.
    """
    return float(game.max_utility)


def _verified_chances(
    decision: Decision, legal_actions: Sequence[int], who: str
) -> tuple[float, ...]:
    """The policy of a decision. Raises PlayerError, about the player ``who``, unless the policy has
    a probability for each of ``legal_actions``, above 0 for the one that was taken.
    """
    policy = verified_policy(np.array(decision.policy), legal_actions, who)
    if not policy[legal_actions.index(decision.action)] > 0.0:
        raise PlayerError(
            f"{who} took action {decision.action}, and has the policy {policy} for the legal "
            f"actions {list(legal_actions)}; it needs a probability above 0 for what it takes"
        )
    return policy


def _verified_seats(game: Game, known: Collection[int] | None) -> Collection[int]:
    everybody = range(game.num_players)
    if known is None:
        return everybody
    for seat in known:
        if seat not in everybody:
            raise PlayerError(
                f"known={sorted(known)} is not allowed; {game} has players 0 to "
                f"{game.num_players - 1}"
            )
    return known
