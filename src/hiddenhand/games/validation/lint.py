"""What `check` can warn of: what is lawful in a game, and yet often a mistake. See `Lint`. And its
advice on what people read: `advice_for_people`.
"""

import itertools
from collections import defaultdict
from typing import Final

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.inspector import Inspector, Step
from hiddenhand.games.validation.rule_errors import (
    describe_history,
    describe_mover,
    printing_places,
)

_NUMBERS: Final = (
    "moves have numbers for names; define action_name, so that people read what they mean"
)
_NO_RULES: Final = "people find no rules; define rules_text, or write a docstring for the class"
_MOST_ORDERS: Final = 100  # deals that are made again in another order
_Effect = tuple[bytes, tuple[int, ...]]  # a state, and the tokens that came with it


def advice_for_people(game: Game) -> tuple[str, ...]:
    """What would make a game easier to play for people, a sentence each. Nothing of it matters to
    searches.
    """
    found = []
    if type(game).action_name is Game.action_name:
        found.append(_NUMBERS)
    if not game.rules_text:
        found.append(_NO_RULES)
    return tuple(found)


def warn_of_prints(game: Game) -> tuple[str, ...]:
    """A warning for each place at which a rule prints."""
    return tuple(
        f"{place} prints, and compiled code prints at each of its calls, too; delete the print, "
        "and look at states with hiddenhand.History"
        for place in printing_places(game)
    )


def _only_told(history: History) -> int | None:
    """The player who alone got a private token with the last move; None if there is none."""
    told = [player for player, token in enumerate(history.observations[:-1]) if token > 0]
    return told[0] if len(told) == 1 else None


class Lint:
    """Looks at lawful histories of one game, and collects

    - sets told apart: a player notices different tokens where all that a person in their place sees
      is the same. A token says too much, or the picture too little;
    - actions alike: two actions that always lead to the same state and the same tokens;
    - hands dealt in order: chance tells one player two things one after the other, and either order
      leads to the same numbers in the state. If the order does not matter, the game has several
      histories for each hand;
    - moves without a public sign: one player learns or does something, and others do not notice
      that anything happened. That may be on purpose. If it is not, the game forgot a public token,
      and public states are larger than they should be.

    Each warning names histories that show it.
    """

    def __init__(self) -> None:
        # by what an observer had noticed and then saw: the first history in which that was so
        self._seen: dict[tuple[object, ...], History] = {}
        # by player: two histories that look the same and are told apart, and all pairs of such keys
        self._told_apart: dict[int, tuple[History, History]] = {}
        self._num_told_apart: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        # by player and two actions: histories after them, and which had different effects somewhere
        self._alike: dict[tuple[int, int, int], tuple[History, History]] = {}
        self._unlike: set[tuple[int, int, int]] = set()
        # by player: two histories in which the player was dealt the same in another order
        self._in_order: dict[int, tuple[History, History]] = {}
        self._num_orders = 0
        # by the mover (and the player who noticed it): the first history without a public token
        self._told_in_private: dict[tuple[int, int], History] = {}
        self._unnoticed: dict[int, History] = {}
        self._has_public_tokens = False

    def look(self, inspector: Inspector, before: Step, after: list[Step]) -> None:
        """Look at some continuations of the history ``before``, by one move each, all of which
        ``inspector`` has visited.
        """
        num_players = inspector.game.num_players
        for step in after:
            self._look_at_tokens(step.history)
            self._look_at_order(before.history, step.history)
            for observer in range(num_players):
                seen = (observer, before.history.key(observer), *inspector.seen_by(observer, step))
                self._look_at_set(observer, self._seen.setdefault(seen, step.history), step.history)
        for player in range(num_players):
            if before.node.actions_of(player):
                self._look_at_actions(player, after)

    def _look_at_tokens(self, history: History) -> None:
        mover, *private, public = (history.movers[-1], *history.observations)
        self._has_public_tokens = self._has_public_tokens or public > 0
        if public > 0:
            return
        told = [player for player, token in enumerate(private) if token > 0]
        if mover >= 0 and not set(told) - {mover}:
            self._unnoticed.setdefault(mover, history)
        else:
            for player in told:
                self._told_in_private.setdefault((mover, player), history)

    def _look_at_order(self, before: History, after: History) -> None:
        if after.movers[-2:] != (CHANCE, CHANCE) or self._num_orders == _MOST_ORDERS:
            return
        player, (first, second) = _only_told(after), after.moves[-2:]
        if player is None or player in self._in_order or first == second:
            return
        if after.game.draws_chance or _only_told(before) != player:
            return
        self._num_orders += 1
        other = History(after.game)
        for move in (*after.moves[:-2], second, first):
            if move not in other.legal_moves():
                return
            other = other.child(move)
        if sorted(other.state.tolist()) == sorted(after.state.tolist()):
            self._in_order[player] = (after, other)

    def _look_at_set(self, observer: int, first: History, second: History) -> None:
        keys = (first.key(observer), second.key(observer))
        if keys[0] != keys[1]:
            self._told_apart.setdefault(observer, (first, second))
            self._num_told_apart[observer].add(keys)

    def _look_at_actions(self, player: int, after: list[Step]) -> None:
        # by the action of the player, then by what the others did at the same time
        effects: defaultdict[int, dict[Move, _Effect]] = defaultdict(dict)
        where: dict[int, History] = {}
        for history, _ in after:
            move = history.moves[-1]
            together = move if isinstance(move, tuple) else ()
            action = move[player] if isinstance(move, tuple) else move
            others = (*together[:player], *together[player + 1 :])
            effects[action][others] = (history.state.tobytes(), history.observations)
            where.setdefault(action, history)
        for first, second in itertools.combinations(sorted(effects), 2):
            both = effects[first].keys() & effects[second].keys()
            pair = (player, first, second)
            if any(effects[first][others] != effects[second][others] for others in both):
                self._unlike.add(pair)
                self._alike.pop(pair, None)
            elif both and pair not in self._unlike:
                self._alike.setdefault(pair, (where[first], where[second]))

    def warnings(self) -> tuple[str, ...]:
        """All that was found, a sentence or two each."""
        return (
            *self._warn_of_sets(),
            *self._warn_of_actions(),
            *self._warn_of_orders(),
            *self._warn_of_signs(),
        )

    def _warn_of_sets(self) -> list[str]:
        return [
            f"player {player} notices different tokens in histories that look the same to them, "
            f"{len(self._num_told_apart[player])} in all, first {describe_history(first)} and "
            f"{describe_history(second)}; does a token say too much, or render draw too little?"
            for player, (first, second) in sorted(self._told_apart.items())
        ]

    def _warn_of_actions(self) -> list[str]:
        return [
            f"the actions {first} and {second} of player {player} have the same effect wherever "
            f"both were looked at, first {describe_history(one)} and {describe_history(other)}; is "
            "one of them enough?"
            for (player, first, second), (one, other) in sorted(self._alike.items())
        ]

    def _warn_of_orders(self) -> list[str]:
        return [
            f"chance deals player {player} the same in either order, {describe_history(one)} and "
            f"{describe_history(other)}; if the order does not matter, let one outcome deal the "
            "whole hand, so that there are fewer histories"
            for player, (one, other) in sorted(self._in_order.items())
        ]

    def _warn_of_signs(self) -> list[str]:
        found = []
        for (mover, player), history in sorted(self._told_in_private.items()):
            what = (
                f"a move of {describe_mover(mover)} tells player {player} something and gives no "
                "public token"
            )
            found.append(f"{what}, first {describe_history(history)}")
        for mover, history in sorted(self._unnoticed.items() if self._has_public_tokens else ()):
            found.append(
                f"no other player notices a move of player {mover}, first "
                f"{describe_history(history)}"
            )
        return [
            f"{what}; if others shall not know that anything happened, all is well"
            for what in found
        ]
