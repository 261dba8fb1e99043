"""Actions as numbers from 0 on, as other programs want them."""

from dataclasses import dataclass

from hiddenhand.games.base import Game
from hiddenhand.games.history import History


@dataclass(frozen=True)
class Numbering:
    """The numbers of the actions of players in ``game``: the actions themselves if the game says
    how many there are (`Game.num_distinct_actions`), else their places among the legal ones.
    """

    game: Game

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return int(self.game.num_distinct_actions() or self.game.max_actions)

    def legal(self, history: History, player: int) -> dict[int, int]:
        """The legal actions of ``player``, by their numbers, in increasing order."""
        actions = sorted(history.legal_actions(player))
        if self.game.num_distinct_actions():
            return {action: action for action in actions}
        return dict(enumerate(actions))
