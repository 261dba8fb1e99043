"""The review of a match: what an equilibrium would have played, what each move lost against it, and
what another bot would have done.

The *loss* of a move is in payoffs. It is the expected payoff of the best move in that information
set, less the expected payoff of the move. Both assume that the others play the equilibrium that the
linear program finds, and that the player then continues as well as possible.

The equilibrium of the others may never lead to a set. There the review assumes that they erred:
once in a thousand times they choose any move. So a set that only errors lead to has losses too, and
so has the *regret* of a bot there, which is the expected loss of its policy.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.base import Game, is_constant_sum
from hiddenhand.games.history import History
from hiddenhand.players.player import Deciding
from hiddenhand.players.specs import make_player
from hiddenhand.trees.profile import (
    best_response,
    counterfactual_values,
    reach_probabilities,
    uniform_profile,
)
from hiddenhand.trees.refined_lp import solve_refined_lp
from hiddenhand.trees.tree import GameTree
from hiddenhand.web.analysis import noticed_by, written_out
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.hand_history import is_poker
from hiddenhand.web.match import Stopped, names_of
from hiddenhand.web.views import Plain

_MISTAKE: Final = 1e-3
_LEAST_REACH: Final = 1e-9
_LEAST_LOSS: Final = 1e-6  # smaller losses come from rounding


class Solved:
    """A small game with an equilibrium, and the value of each move against it.

    tree: the game, written out.
    profile: ``float64[S]``, the equilibrium.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree, self.profile = tree, solve_refined_lp(tree).profile
        mistaken = (1 - _MISTAKE) * self.profile + _MISTAKE * uniform_profile(tree)
        self._exact, self._mistaken = _Worth(tree, self.profile), _Worth(tree, mistaken)

    def node_after(self, moves: Sequence[int]) -> int:
        """The number of the history with these moves."""
        tree, node = self.tree, 0
        for move in moves:
            first, count = int(tree.first_child[node]), int(tree.num_children[node])
            children = tree.action[first : first + count]
            node = first + int(np.flatnonzero(children == move)[0])
        return node

    def judged(self, moves: Sequence[int]) -> tuple[Floats, Floats]:
        """The probabilities of the equilibrium at the decision after these moves, and the loss of
        each action there: two times ``float64[n]``.
        """
        number = int(self.tree.information_set[self.node_after(moves)])
        is_reached = self._exact.reach[number] > _LEAST_REACH
        lost = (self._exact if is_reached else self._mistaken).lost(number)
        places = slice(self.tree.set_start[number], self.tree.set_start[number + 1])
        return self.profile[places], lost


class _Worth:
    """The value of each move when the others play a profile, and its player continues as well as
    possible.

    worth: ``float64[S]``, the expected payoff of each sequence for its player, times the reach of
        its information set.
    reach: ``float64[I]``, the probability of each set if its player tries to reach it: that of the
        moves of the others and of chance.
    """

    def __init__(self, tree: GameTree, profile: Floats) -> None:
        self._starts = tree.set_start
        self.worth = np.zeros(tree.num_sequences)
        self.reach = np.zeros(tree.num_sets)
        parts = reach_probabilities(tree, profile)
        decisions = np.flatnonzero(tree.information_set >= 0)
        for player in range(2):
            response = best_response(tree, profile, player).profile
            # the values of the other player's sequences are 0, so the sum keeps both
            self.worth += counterfactual_values(tree, response, player)
            others = np.delete(parts, player, axis=1).prod(axis=1)
            own = decisions[tree.player[decisions] == player]
            np.add.at(self.reach, tree.information_set[own], others[own])

    def lost(self, number: int) -> Floats:
        """``float64[n]``: the loss of each action in an information set."""
        worth = self.worth[self._starts[number] : self._starts[number + 1]]
        lost = (worth.max() - worth) / self.reach[number]
        return np.where(lost > _LEAST_LOSS, lost, 0.0)


_SOLVING: Final = Lock()


def solved(game: Game) -> Solved:
    """A small zero-sum game of two players, solved once. Raises OptionError for other games."""
    with _SOLVING:
        return _solved(game)


@lru_cache(maxsize=4)
def _solved(game: Game) -> Solved:
    if not is_constant_sum(game):
        raise OptionError(
            "only zero-sum games of two players can be solved here; ask a bot instead"
        )
    tree = written_out(game)
    if tree is None:
        raise OptionError("this game is too large to solve exactly here; ask a bot instead")
    return Solved(tree)


def judged_moves(history: History) -> list[Plain]:
    """The decisions of a match, each with the equilibrium's move there and the loss."""
    known = solved(history.game)
    judged = []
    for ply, before in _decisions(history):
        names = names_of(before)
        place = list(names).index(_move(history, ply))
        policy, lost = known.judged(_moves(history, ply))
        judged.append(_decision(ply, before, names, place, policy) | {"lost": float(lost[place])})
    return judged


def bot_moves(
    history: History,
    player: str,
    seconds: float,
    say: Callable[[Plain], None],
    is_stopped: Callable[[], bool],
    known: Solved | None = None,
) -> None:
    """Report for each decision what a bot would have played in that seat. The bot knows only what
    the seat noticed, and follows the match as it was played. Raises Stopped.

    known: the solved game. With it, a report has the loss of the bot's policy as its "regret".
    """
    game, bots = history.game, dict[int, tuple[Deciding, int]]()
    for ply, before in _decisions(history):
        if is_stopped():
            raise Stopped
        seat = before.player
        if seat not in bots:
            bot = make_player(game, bounded(player))
            if not isinstance(bot, Deciding):
                raise OptionError(f"{player} cannot report what it would play; name another bot")
            bot.start(game, seat, 0)
            bots[seat] = bot, 0
        bot, heard = bots[seat]
        events = noticed_by(before, seat)
        bot.follow(events[heard:])
        bots[seat] = bot, len(events)
        names = names_of(before)
        policy = np.asarray(bot.policy(list(names), Budget(seconds=seconds)))
        place = list(names).index(_move(history, ply))
        told = _decision(ply, before, names, place, policy)
        if known is not None:
            told["regret"] = float(policy @ known.judged(_moves(history, ply))[1])
        say(told)


def review(
    history: History,
    exact: bool,
    player: str,
    seconds: float,
    say: Callable[[Plain], None],
    is_stopped: Callable[[], bool],
) -> None:
    """Report the review of a match that is over to a page.

    exact: whether to report the losses. The first time, this solves the game, which takes a while.
    player: a bot, to report what it would have done; "" for none.
    seconds: the time of that bot for each move.
    """
    said: Plain = {"state": "judged", "poker": is_poker(history.game)}
    known = None
    try:
        known = solved(history.game) if exact else None
        said["moves"] = judged_moves(history) if exact else _plain_moves(history)
    except HiddenhandError as error:
        said |= {"moves": _plain_moves(history), "why": str(error)}
    say(said)
    if player:

        def told(move: Plain) -> None:
            say({"state": "asked", "move": move})

        bot_moves(history, player, seconds, told, is_stopped, known)
    say({"state": "done"})


def _decisions(history: History) -> list[tuple[int, History]]:
    """The histories of a match in which a player decides, each with how many moves it has."""
    walked, found = History(history.game), []
    for ply, move in enumerate(history.moves):
        if walked.player >= 0:
            found.append((ply, walked))
        walked = walked.child(move)
    return found


def _move(history: History, ply: int) -> int:
    move = history.moves[ply]
    assert isinstance(move, int)  # matches are played in turns
    return move


def _moves(history: History, ply: int) -> list[int]:
    """The moves before a decision."""
    return [_move(history, number) for number in range(ply)]


def _plain_moves(history: History) -> list[Plain]:
    """The decisions of a match, without losses."""
    return [
        {"ply": ply, "seat": before.player, "chosen": names_of(before)[_move(history, ply)]}
        for ply, before in _decisions(history)
    ]


def _decision(
    ply: int, before: History, names: Mapping[int, str], place: int, policy: Floats
) -> Plain:
    """A decision: the action of the player, and the one that a policy prefers.

    names: the names of the legal actions.
    place: the number of the player's action among them.
    policy: the probability of each of them.
    """
    listed, best = list(names.values()), int(np.argmax(policy))
    return {
        "ply": ply,
        "seat": before.player,
        "chosen": listed[place],
        "p": float(policy[place]),
        "best": listed[best],
        "p_best": float(policy[best]),
    }
