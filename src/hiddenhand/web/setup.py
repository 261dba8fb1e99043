"""The setup of a table: the game, the players in the seats, and the seeds. The server writes it
when it opens the table, and never changes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from secrets import randbelow, token_urlsafe
from typing import Any, Final

PERSON: Final = "person"
"""Stands for a person in place of the name of a bot."""


@dataclass(frozen=True)
class Seat:
    """A seat.

    player: the name of a bot, as `make_player` reads it, or `PERSON`.
    token: the secret that a page must know to play here; empty for a bot.
    """

    player: str
    token: str = ""

    @property
    def is_person(self) -> bool:
        """Whether a person sits here."""
        return self.player == PERSON


@dataclass(frozen=True)
class Setup:
    """The setup of a table.

    game: the name of the game, as `load_game` reads it.
    seats: the seats, each with its player.
    seconds: the time of a bot for each move.
    seed: the seed of the bots.
    chance_seed: the seed of chance, of 128 bits; the server never sends it to a page.
    score: how many earlier matches each seat's player has won against these players; empty before
        the first match.
    """

    game: str
    seats: tuple[Seat, ...]
    seconds: float
    seed: int
    chance_seed: int
    score: tuple[int, ...] = ()

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.is_person)

    def seat_of(self, token: str) -> int | None:
        """The seat that ``token`` opens; None if there is none."""
        for number, seat in enumerate(self.seats):
            if token and seat.token == token:
                return number
        return None

    def score_after(self, returns: Sequence[float]) -> tuple[int, ...]:
        """The score when this match is over. A player wins whose payoff is above all others."""
        best = max(returns)
        won = [float(paid) == best and list(returns).count(best) == 1 for paid in returns]
        before = self.score or (0,) * len(self.seats)
        return tuple(old + int(new) for old, new in zip(before, won, strict=True))

    def turned(self, returns: Sequence[float]) -> "Setup":
        """The setup of the next match, in which all players move on by a seat.

        returns: the payoffs of this match.
        """
        players = [seat.player for seat in self.seats]
        score = self.score_after(returns)
        following = new_setup(self.game, (*players[-1:], *players[:-1]), self.seconds)
        return replace(following, score=(*score[-1:], *score[:-1]))

    def written(self) -> dict[str, Any]:
        """The setup as plain data, which `read_setup` reads."""
        return asdict(self)


def new_setup(game: str, players: tuple[str, ...], seconds: float) -> Setup:
    """A setup with new seeds and tokens.

    players: the name of a bot, or `PERSON`, for each seat.
    """
    from hiddenhand.matches.match import drawn_chance_seed

    seats = tuple(Seat(player, token_urlsafe(16) if player == PERSON else "") for player in players)
    return Setup(game, seats, seconds, randbelow(2**32), drawn_chance_seed())


def read_setup(written: Mapping[str, Any]) -> Setup:
    """The setup that `Setup.written` wrote."""
    seats = tuple(Seat(**seat) for seat in written["seats"])
    score = tuple(written.get("score", ()))
    return Setup(**{**written, "seats": seats, "score": score})
