"""The option ``--film`` of ``match``: what is checked before, and written after, the matches."""

from pathlib import Path
from typing import TYPE_CHECKING

from hiddenhand.cli.common import verify_writable

if TYPE_CHECKING:
    from hiddenhand.players.match_records import Played
    from hiddenhand.players.tournament import Question


def verify_filming(path: Path, game: str) -> None:
    """Raise an error before the matches if no film of ``game`` can be written to ``path``."""
    from hiddenhand.players.film import verify_film
    from hiddenhand.players.pursuit_frames import rules_of_film

    verify_film(path)
    verify_writable(path)
    rules_of_film(game)


def write_film_of(path: Path, question: "Question", played: "Played") -> None:
    """Write the film of a match. For that, both players think again, as long as before."""
    from hiddenhand.players.film import write_film
    from hiddenhand.players.pursuit_frames import frames_of, rules_of_film

    names = [question.players[index] for index in played.seats]
    write_film(path, rules_of_film(question.game), names, frames_of(question, played))
