"""Ten games that a stranger wrote from docs/write-a-game-in-one-page.md alone. Each passed `check`
at the first attempt, before `check` tried other parameters. Four were mended once, for a token, a
text and limits of two parameters that only other parameters or the end of a match showed. Apart from
that they are kept as written, so that what a stranger does stays allowed. Games of kinds that the
catalogue has, too, are only tried thoroughly.
"""

from pathlib import Path

import pytest

from hiddenhand import check, load_game, play_match
from hiddenhand.games.validation.conformance import verify_rules

HERE = Path(__file__).parent
GAMES = {
    "trick": "Trick",
    "mia": "Mia",
    "hider": "Hider",
    "push": "Push",
    "signal_game": "Bargain",
    "three": "Three",
}
ALSO_IN_THE_CATALOGUE = {
    "auction": "Auction",
    "blind": "Blind",
    "deduce": "Deduce",
    "place": "Place",
}
OTHERS = (
    "trick:Trick(hand_size=2)",
    "push:Push(cards=40,limit=60)",
    "three:Three(cards=8)",
)
"""Other parameters, which the stranger tried as well."""


def named(file: str, cls: str) -> str:
    return f"{HERE / file}.py:{cls}"


@pytest.mark.parametrize("file", GAMES)
def test_plain_rules_keep_the_laws(file: str) -> None:
    verify_rules(load_game(named(file, GAMES[file])))


@pytest.mark.parametrize("text", OTHERS)
def test_other_parameters_keep_the_laws(text: str) -> None:
    file, _, cls = text.partition(":")
    verify_rules(load_game(named(file, cls)), plays=10)


@pytest.mark.thorough
@pytest.mark.parametrize(("file", "cls"), (GAMES | ALSO_IN_THE_CATALOGUE).items())
def test_check_passes_without_a_warning(file: str, cls: str) -> None:
    """With the parameters as they are: how many others are tried depends on the machine."""
    report = check(load_game(named(file, cls)), plays=40, lint=True, seconds=0.0)
    assert report.warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize("file", ["trick", "three"])
def test_a_match_is_played(file: str) -> None:
    game = load_game(named(file, GAMES[file]))
    players = ["ismcts", *["random"] * (game.num_players - 1)]
    assert len(play_match(game, players, iterations=50, seed=1).returns) == game.num_players
