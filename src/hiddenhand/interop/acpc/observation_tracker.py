"""From the states that the dealer sends to the events that a player of ours notices.

A state holds all actions of a hand and the cards that one player knows. `Table.path` follows these
actions in our rules, from the beginning of the hand. Any card takes the place of one that the
player does not know: what the player notices does not depend on it. So the events along that
history are those that the player would notice if the hand were played here, and any player can take
them.
"""

from dataclasses import dataclass
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.definition import (
    THREE_PLAYERS,
    TWO_PLAYERS,
    GameDefinition,
    load_definition,
    parse_definition,
)
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.registry import load_game
from hiddenhand.interop.acpc.betting import CALL, FOLD, RAISE
from hiddenhand.interop.acpc.cards import Cards
from hiddenhand.interop.acpc.states import MatchState

_ACTION_OF: Final = {FOLD: LimitHoldem.FOLD, CALL: LimitHoldem.CALL, RAISE: LimitHoldem.RAISE}
_WRITTEN: Final = {action: letter for letter, action in _ACTION_OF.items()}


@dataclass(frozen=True)
class Table:
    """A game, as the protocol and as our players know it.

    definition: the game as the competition defines it.
    game: the same game with our rules.
    """

    definition: GameDefinition
    game: LimitHoldem

    def path(self, state: MatchState) -> list[History]:
        """The way that a state tells, through our rules, with cards of our own in place of those
        that are hidden: the histories from the beginning of the hand to where it is.
        """
        cards = self._in_order_of_dealing(state.cards)
        actions = [_ACTION_OF[letter] for letter in state.betting.text.replace("/", "")]
        path = [History(self.game)]
        while cards or actions:
            moves = cards if path[-1].player == CHANCE else actions
            path.append(path[-1].child(moves.pop(0)))
        return path

    def walk(self, state: MatchState) -> tuple[History, list[Event]]:
        """The history at the end of the `path` of a state, and all that the player of the state
        notices along it.
        """
        path = self.path(state)
        noticed = [event for after in path[1:] if (event := after.noticed(state.position))]
        return path[-1], noticed

    def written(self, action: int) -> str:
        """An action as the protocol writes it; a call for a number that is no action."""
        return _WRITTEN.get(action, CALL)

    def _in_order_of_dealing(self, cards: Cards) -> list[int]:
        """All cards of a hand as our rules deal them: position by position, then the board, and
        what is dealt together in increasing order.
        """
        hidden = iter(sorted(set(self.definition.deck).difference(cards.known)))
        held = [
            sorted(hole or (next(hidden) for _ in range(self.definition.num_hole_cards)))
            for hole in cards.holes
        ]
        board, at = [], 0
        for count in self.definition.num_board_cards:
            board += sorted(cards.board[at : at + count])
            at += count
        return [*(card for hole in held for card in hole), *board]


def load_table(name: str) -> Table:
    """The game with a name. Raises GameError and FileError for a name that says none.

    name: the name of one of the competition's definitions, the path of a file with one, or a
        limit_holdem(...) as `load_game` reads it.
    """
    if name.strip().casefold().startswith("limit_holdem"):
        game = load_game(name)
        if not isinstance(game, LimitHoldem):
            raise OptionError(f"{name} is not allowed; give a game definition, or limit_holdem")
    else:
        load_definition(name)  # which says what may stand here
        game = LimitHoldem(definition=name)
    text = game.definition or (TWO_PLAYERS if game.players == 2 else THREE_PLAYERS)
    return Table(parse_definition(text), game)
