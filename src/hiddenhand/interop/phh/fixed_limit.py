"""Fixed-limit Texas Hold'em, variant ``FT``: between the fields of a hand and a definition of the
poker competition.

Players are in the order of positions in both. Of two players the format lists the blinds of the
small blind first, and gives them to the players in reverse: player 1 has the big blind, as our
position 0 has.
"""

from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CARDS_BY_THEN, FIRST_PLAYER, MOST_RAISES, RAISE_SIZE

VARIANT: Final = "FT"
ROUNDS: Final = 4
BOARD: Final = (0, 3, 1, 1)
MOST_RAISES_BY_DEFAULT: Final = (3, 4, 4, 4)
"""Bets and raises in each round, of the competition and of most casinos; blinds do not count."""


def first_players(blinds: tuple[int, ...]) -> tuple[int, ...]:
    """Which position acts first in each round.

    blinds: what each position puts in.
    """
    players = len(blinds)
    if players == 2:
        return 1, 0, 0, 0
    last = max((place for place, chips in enumerate(blinds) if chips), default=players - 1)
    return (last + 1) % players, 0, 0, 0


def definition_of(
    blinds: tuple[int, ...], small_bet: int, big_bet: int, max_raises: tuple[int, ...]
) -> GameDefinition:
    """The definition of a game.

    blinds: what each position puts in.
    small_bet, big_bet: the size of bets and raises in the first two rounds, and in the last two.
    max_raises: the most bets and raises in each round.
    """
    return GameDefinition(
        num_players=len(blinds),
        num_rounds=ROUNDS,
        blinds=blinds,
        raise_sizes=(small_bet, small_bet, big_bet, big_bet),
        first_players=first_players(blinds),
        max_raises=max_raises,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=BOARD,
    )


def verified(game: Game) -> LimitHoldem:
    """``game`` if the format has hands of it. Raises OptionError for another game."""
    if not isinstance(game, LimitHoldem):
        raise OptionError(
            f"hands of {game} cannot be written: of the limit games here, the format knows "
            "fixed-limit Hold'em alone; take limit_holdem"
        )
    blinds = tuple(map(int, game.blinds))
    sizes = tuple(map(int, game.rounds[:, RAISE_SIZE]))
    own = 2 * game.players
    dealt = tuple(int(number) - own for number in game.rounds[:, CARDS_BY_THEN])
    fits = (
        game.num_rounds == ROUNDS
        and game.hole_cards == 2
        and game.deck == (1 << 52) - 1
        and dealt == (0, 3, 4, 5)
        and sizes[0] == sizes[1]
        and sizes[2] == sizes[3]
        and tuple(map(int, game.rounds[:, FIRST_PLAYER])) == first_players(blinds)
    )
    if not fits:
        raise OptionError(
            "hands of this definition cannot be written: the format knows fixed-limit Hold'em with "
            "52 cards, a small bet in two rounds and a big bet in two; take another definition"
        )
    return game


def max_raises_of(game: LimitHoldem) -> tuple[int, ...]:
    """The most bets and raises in each round."""
    return tuple(map(int, game.rounds[:, MOST_RAISES]))
