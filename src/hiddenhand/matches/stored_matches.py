"""Matches that a file keeps, read without the question that they answer: `kept_matches`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hiddenhand.dataframes import frame
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import verify_same_rules
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.matches.match_records import MatchRecords, Played
from hiddenhand.text import one_line, without_middle


@dataclass(frozen=True)
class KeptMatches:
    """The matches in a file.

    game: the game, with moves in turns.
    players: the names of the players.
    played: the matches, by number.
    """

    game: Game
    players: tuple[str, ...]
    played: tuple[Played, ...]

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{len(self.played):,} matches")

    def seated(self, match: Played) -> tuple[str, ...]:
        """The name of the player in each seat of a match."""
        return tuple(self.players[player] for player in match.seats)

    def histories(self) -> Iterator[History]:
        """The history of each match, replayed."""
        for match in self.played:
            history = History(self.game)
            for move in match.history:
                history = history.child(move)
            yield history

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each seat of each match."""
        return frame(
            {
                "match": match.number,
                "seat": seat,
                "player": name,
                "payoff": match.payoffs[seat],
                "corrected": None if match.corrected is None else match.corrected[seat],
                "moves": match.moves[seat],
                "seconds": match.seconds[seat],
                "history": " ".join(map(str, match.history)),
            }
            for match in self.played
            for seat, name in enumerate(self.seated(match))
        )


def kept_matches(file: Path | str, game: Game | str) -> KeptMatches:
    """The matches in a file that ``match`` or ``tournament`` wrote.

    game: the game of the matches, or its name.

    Raises FileError if there is no such file, or if the matches are of another game or of other
    rules.
    """
    rules = game_of(game)
    if not Path(file).is_file():
        raise FileError(f"{file} does not exist; name a file that match or tournament wrote")
    asked = question_in(file)
    if asked.get("game") != repr(rules):
        raise FileError(
            f"{file} has matches of {without_middle(str(asked.get('game')), 200)}, not of {rules}; "
            "name that game"
        )
    verify_same_rules(rules, file, str(asked.get("rules")))
    return matches_in(file, rules)


def matches_in(file: Path | str, game: Game) -> KeptMatches:
    """The matches of ``game`` in a file, without a look at the rules. Raises FileError."""
    sequential = as_sequential(game)
    corrected, seats = question_in(file).get("aivat") is not None, sequential.num_players
    records = MatchRecords(file, {}, corrected=corrected, seats=seats)
    try:
        players, played = records.question["players"], records.played()
        if max((seat for match in played for seat in match.seats), default=-1) >= len(players):
            raise IndexError
        return KeptMatches(sequential, tuple(map(str, players)), tuple(played))
    except (KeyError, TypeError, IndexError):  # made on purpose: its checksums are right
        raise FileError(f"{file} is no file of matches; give another file") from None
    finally:
        records.close()


def question_in(file: Path | str) -> dict[str, Any]:
    """The question that the matches of a file answer. Raises FileError."""
    records = MatchRecords(file, {})
    try:
        return records.question
    finally:
        records.close()
