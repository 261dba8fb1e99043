"""Game definitions of the poker competition: what is read, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from hiddenhand.errors import FileError, GameError
from hiddenhand.games.poker.definition import (
    DEFINITIONS,
    THREE_PLAYERS,
    TWO_PLAYERS,
    UNLIMITED_RAISES,
    GameDefinition,
    load_definition,
    parse_definition,
)

LEDUC = """\
# Leduc poker, as the competition's server comes with it
gamedef
LIMIT
numplayers 2
NumRounds = 2

blind = 1 1
raiseSize = 2 4   # chips
maxRaises = 2 2
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
end gamedef
nothing of this is read
"""


def test_the_built_in_definitions_are_the_competitions() -> None:
    two = GameDefinition(
        num_players=2,
        num_rounds=4,
        blinds=(10, 5),
        raise_sizes=(10, 10, 20, 20),
        first_players=(1, 0, 0, 0),
        max_raises=(3, 4, 4, 4),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )
    assert load_definition("holdem.limit.2p.reverse_blinds") == two
    three = replace(two, num_players=3, blinds=(5, 10, 0), first_players=(2, 0, 0, 0))
    assert load_definition("Holdem.limit.3p.game") == three


@pytest.mark.parametrize("text", DEFINITIONS.values())
def test_a_definition_is_written_as_it_is_read(text: str) -> None:
    assert parse_definition(text).text == text


def test_what_may_be_left_out_has_the_servers_defaults(tmp_path: Path) -> None:
    path = tmp_path / "leduc.limit.2p.game"
    path.write_text(LEDUC)
    leduc = load_definition(path)
    assert leduc.first_players == (0, 0)
    assert leduc.max_raises == (2, 2)
    assert (leduc.num_suits, leduc.num_ranks, leduc.num_hole_cards) == (2, 3, 1)
    unlimited = parse_definition(LEDUC.replace("maxRaises = 2 2\n", ""))
    assert unlimited.max_raises == (UNLIMITED_RAISES,) * 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("limit\n", "nolimit\n", "no-limit games are not played here"),
        ("GAMEDEF\n", "", "begins with 'limit'"),
        ("END GAMEDEF", "", "END GAMEDEF"),
        ("numPlayers = 2", "numPlayers = 1", "numPlayers = 1 is not allowed"),
        ("numPlayers = 2", "numPlayers = 2 3", "numPlayers = 2 3 is not allowed"),
        ("numPlayers = 2", "", "numPlayers is missing"),
        ("blind = 10 5", "blind = 10", "for each player, 2 in all"),
        ("blind = 10 5", "blind = 10 -5", "give whole numbers"),
        ("blind = 10 5", "blind = 10 99999999999999", "a number above"),
        ("blind = 10 5", "blond = 10 5", "'blond = 10 5' is not known"),
        ("blind = 10 5", "blind = 10 5\nstack = 200 200", "leave out stack"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10 20", "for each round, 4 in all"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 3 1 1 1", "player 3; there are 2"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 0 1 1 1", "firstPlayer = 0 1 1 1"),
        ("maxRaises = 3 4 4 4", "maxRaises = 3 4 4 256", "from 0 to 255"),
        ("numRanks = 13", "numRanks = 14", "numRanks = 14 is not allowed"),
        ("numRanks = 13", "numRanks = 2", "9 cards are dealt"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 3 3 1 1", "8 cards in all"),
    ],
)
def test_what_is_no_limit_definition_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(GameError, match=said):
        parse_definition(TWO_PLAYERS.replace(old, new, 1))


def test_a_file_that_is_missing_or_too_long_is_refused_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"holdem\.limit\.3p"):
        load_definition(tmp_path / "none.game")
    path = tmp_path / "long.game"
    path.write_text(THREE_PLAYERS + "#" * 100_000)
    with pytest.raises(GameError, match=r"long\.game is no definition of a limit game"):
        load_definition(path)
