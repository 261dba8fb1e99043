"""Which bots can play a game, and the engines that a table offers: an exact equilibrium where the
game is small, and the searches that can play the game.
"""

from functools import lru_cache
from typing import Final

from hiddenhand.errors import HiddenhandError
from hiddenhand.games.base import Game, is_constant_sum
from hiddenhand.players import fixed_policies
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.web.analysis import written_out
from hiddenhand.web.catalogue import bounded
from hiddenhand.web.setup import PERSON

PERFECT: Final = "equilibrium"
"""The bot that plays an exact equilibrium."""
_SEARCHES: Final = ("oos(targeting=ist)", "ismcts", "smooth_uct")


@lru_cache(maxsize=32)
def engines_for(game: Game) -> tuple[str, ...]:
    """The names of the engines, the best one first."""
    fitting = list[str]()
    if is_constant_sum(game) and written_out(game) is not None:
        fitting.append(PERFECT)
    for name in _SEARCHES:
        try:
            verify_can_play(game, name, 0)
        except HiddenhandError:
            continue
        fitting.append(name)
    return tuple(fitting)


def verify_can_play(game: Game, player: str, seat: int) -> None:
    """Raise the error of a bot that cannot play a game, which says what can.

    player: the name of the bot, or `PERSON`.
    seat: the seat that the bot is to take.
    """
    if player == PERSON:
        return
    bot = make_player(game, bounded(player))
    if isinstance(bot, SearchPlayer):
        bot.verify_plays(game)
    elif isinstance(bot, fixed_policies.ComputedPlayer):
        fixed_policies.written_out(game)  # solving takes longer, and is done at the table
    else:
        bot.start(game, seat, 0)
