"""What games say of themselves, and that it is true."""

import pytest
from naive.small_games import small

from hiddenhand import solve
from hiddenhand.games.about import About, about_of
from hiddenhand.games.registry import describe_games, load_game
from hiddenhand.games.turn_based import as_sequential

ABOUTS = {game.name: game.about for game in describe_games() if game.about is not None}


@pytest.mark.parametrize("name", ABOUTS)
def test_known_values_are_those_of_equilibria(name: str) -> None:
    for known in ABOUTS[name].known:
        assert solve(small(known.game), "lp").values[0] == pytest.approx(known.value, abs=1e-6)


@pytest.mark.parametrize("name", ABOUTS)
def test_games_that_are_solved_at_the_table_are_small(name: str) -> None:
    about = ABOUTS[name]
    assert about.title
    assert about.line.endswith(".")
    if about.exact:
        example = about.example or name
        assert small(example).player.size < 10_000
    assert (about.against == "equilibrium") <= about.exact
    assert all(as_sequential(load_game(text)).num_players >= 2 for text in about.small)


def test_what_is_not_about_a_game_is_passed_over() -> None:
    class Own:
        about = "something else"

    assert about_of(Own) is None
    assert about_of(About("Own", "A game.", ())(Own)) == About("Own", "A game.", ())
