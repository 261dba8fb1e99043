"""What a strategy does, in words: at one decision (`Behaviour`), and in all information sets of a
small game (`StrategyTable`), each with how often a match comes there and what other actions would
have earned.

With the letters of `profile`, and sigma for what the strategy plays: in an information set I of
player p,

    reach       r_p(I) * pi_-p(I), with pi_-p the part of chance and of all others
    regret(a)   (v_p(I, a) - sum over b of sigma(b) * v_p(I, b)) / pi_-p(I)

The regret is what p would earn more by action a, on average over the matches in which p came to I,
when everything else is played by the strategy. That is the instantaneous counterfactual regret of
Zinkevich et al. (2007), for a match that comes to the set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hiddenhand.dataframes import frame
from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import Game, State
from hiddenhand.games.history import Event, History, verify_history
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.text import indented, on_one_line, one_line, without_middle
from hiddenhand.trees.profile import (
    counterfactual_values,
    reach_of_others,
    reach_probabilities,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import as_tree


@dataclass(frozen=True)
class Behaviour(Shown, Plotted):
    """What a strategy does in an information set, in words.

    player: who is to move.
    information: what that player sees.
    probabilities: of the actions, by their names.
    known: whether the strategy knows the set; else it plays all actions alike.
    """

    player: int
    information: str
    probabilities: dict[str, float]
    known: bool

    @property
    def place(self) -> str:
        """Who is to move, and what that player sees."""
        return indented(f"player {self.player + 1}: ", self.information)

    def __repr__(self) -> str:
        place = on_one_line(self.place.replace("\n", "; "), 80)
        played = ", ".join(f"{name} {p:.0%}" for name, p in self.probabilities.items())
        return one_line(self, place, without_middle(played, 80))

    def __str__(self) -> str:
        played = "  ".join(f"{name} {p:.2%}" for name, p in self.probabilities.items())
        return f"{self.place}\n    {played}{'' if self.known else '  (not known)'}"


@dataclass(frozen=True, repr=False)
class SetBehaviour(Behaviour):
    """What a strategy does in an information set of a game that is written out.

    events: what the player noticed on the way there, in words, one event after the other.
    reach: the probability that a match comes here if all players follow the strategy.
    regrets: for each action what the player would earn more by it, on average over the matches that
        come here; None where chance and the other players never let a match come here.
    """

    events: tuple[str, ...]
    reach: float
    regrets: dict[str, float] | None

    def says(self, words: str) -> bool:
        """Whether all of ``words`` are among the words that the player sees, or those of the
        events. Upper and lower case are the same.
        """
        text = " ".join([self.information, *self.events])
        return _words(words) <= _words(text)


class Playing(Protocol):
    """What this module needs of a strategy."""

    def on(self, tree: GameTree) -> Floats: ...

    def behaviour(self, history: History) -> Behaviour: ...


class StrategyTable(tuple[SetBehaviour, ...], Shown, Plotted):
    """What a strategy does in all information sets of a small game, in the order of the tree. It
    prints as text.
    """

    __slots__ = ()

    def find(self, words: str, player: int | None = None) -> "StrategyTable":
        """The information sets that say all of ``words``, see `SetBehaviour.says`: those of all
        players, or of ``player`` only.
        """
        return StrategyTable(
            entry for entry in self if player in (None, entry.player) and entry.says(words)
        )

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each action in each information set."""
        return frame(
            {
                "player": entry.player,
                "information": entry.information,
                "events": "; ".join(entry.events),
                "action": action,
                "probability": p,
                "known": entry.known,
                "reach": entry.reach,
                "regret": None if entry.regrets is None else entry.regrets[action],
            }
            for entry in self
            for action, p in entry.probabilities.items()
        )

    def __repr__(self) -> str:
        return one_line(self, f"{len(self):,} information sets")

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def _words(text: str) -> set[str]:
    return {word.strip(",;:.()") for word in text.casefold().split()} - {""}


def strategy_table(strategy: Playing, tree: GameTree) -> StrategyTable:
    """What ``strategy`` does in each information set of ``tree``."""
    profile = strategy.on(tree)
    others = reach_of_others(tree, profile)
    reach = realisation_plan(tree, profile)[tree.set_parent] * others
    values = [counterfactual_values(tree, profile, player) for player in range(tree.num_players)]
    entries = []
    for number in range(tree.num_sets):
        history = tree.a_history_in(number)
        here = strategy.behaviour(history)
        own = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
        worth = values[here.player][own]
        regrets = None
        if others[number] > 0:
            gains = (worth - profile[own] @ worth) / others[number]
            regrets = dict(zip(here.probabilities, map(float, gains), strict=True))
        events = tuple(events_in_words(history, here.player))
        entries.append(
            SetBehaviour(**vars(here), events=events, reach=float(reach[number]), regrets=regrets)
        )
    return StrategyTable(entries)


def events_in_words(history: History, player: int) -> Iterator[str]:
    """What ``player`` noticed in the course of ``history``, in the words of `Game.tell`. In a game
    that has none: own actions by their names, and tokens as the numbers that they are.
    """
    before = History(history.game)
    for move in history.moves:
        after = before.child(move)
        event = after.noticed(player)
        if event is not None:
            told = history.game.tell(before.state, move, after.state, player)
            if told is None:
                told = ", ".join(_parts(event, before, player))
            if told:
                yield told
        before = after


def _parts(event: Event, before: History, player: int) -> Iterator[str]:
    if event.action:
        yield before.game.action_name(before.state, player, event.action - 1)
    if event.private:
        yield f"told {event.private}"
    if event.public:
        yield f"all told {event.public}"


def history_after(game: Game, moves: Sequence[int | str]) -> History:
    """The history of ``game``, with moves in turns, after ``moves``, those of chance included.

    moves: each an action, or the name of one; upper and lower case are the same.

    Raises OptionError for a move that is not legal.
    """
    history = History(as_sequential(game))
    for number, move in enumerate(moves, 1):
        names = _names(history)
        called = {str(action): action for action in names}
        called |= {name.casefold(): action for action, name in names.items()}
        action = called.get(str(move).casefold())
        if action is None:
            listed = ", ".join(f"{name} ({action})" for action, name in names.items())
            cure = f"choose one of: {listed:.400}" if names else "the game is over before it"
            raise OptionError(f"move {number}, {str(move)!r:.40}, is not possible; {cure}")
        history = history.child(action)
    return history


def _names(history: History) -> dict[int, str]:
    """The names of the moves that continue ``history``."""
    if history.is_terminal:
        return {}
    return {
        action: history.game.action_name(history.state, history.player, action)
        for action in history.legal_actions()
    }


class Secrets(dict[str, float], Shown):
    """The probabilities of what may be hidden, by its words."""

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each secret: its words and its probability."""
        return frame({"hidden": words, "probability": p} for words, p in self.items())


def belief(
    game: GameTree | Game | str, history: History, strategy: Playing | None = None
) -> Secrets:
    """What may be hidden from the player to move after ``history``, and how likely each of it is,
    the likeliest first, see `secret_from`.

    game: a game small enough to be written out, its name or its tree.
    strategy: what the others play; all actions alike if there is none.

    Raises OptionError if chance and that strategy never lead to what the player has seen, and
    GameError where no player is to move, or if the history is one of another game.
    """
    tree = as_tree(game)
    verify_history(history)
    if as_sequential(history.game) != tree.game:
        raise GameError(
            f"the history is one of {history.game}, not of {tree.game}; give a history of that game"
        )
    profile = uniform_profile(tree) if strategy is None else strategy.on(tree)
    number, player = tree.find_set(history.information_key), history.player
    factors = reach_probabilities(tree, profile)
    factors[:, player] = 1.0  # own moves tell a player nothing of what is hidden
    members = np.flatnonzero(tree.information_set == number)
    weights = factors[members].prod(axis=1)
    if not weights.sum() > 0:
        raise OptionError(
            "by this strategy the others never come to what the player sees after "
            f"{history.moves!s:.200}; take another strategy or another history"
        )
    sums: dict[str, float] = {}
    for member, weight in zip(members, weights / weights.sum(), strict=True):
        secret = secret_from(tree.game, tree.history(int(member)).state, player)
        sums[secret] = sums.get(secret, 0.0) + float(weight)
    return Secrets(sorted(sums.items(), key=lambda entry: -entry[1]))


def secret_from(game: Game, state: State, observer: int) -> str:
    """What is hidden from ``observer``, in words: as `Game.hidden` says, or what all others see, as
    `Game.render` writes it.
    """
    secret = game.hidden(state, observer)
    if secret is not None:
        return secret
    others = [seat for seat in range(game.num_players) if seat != observer]
    return " | ".join(
        f"{'they see' if len(others) == 1 else f'player {seat + 1} sees'}: "
        + " / ".join(game.render(state, seat).split("\n"))
        for seat in others
    )
