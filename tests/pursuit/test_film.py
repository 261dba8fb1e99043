"""Films of pursuit with limited sight: what their frames hold, the two formats, and what is said
where there can be none.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from typing_commands import Typed

from hiddenhand.games.registry import load_game
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.pursuit.film import drawn
from hiddenhand.pursuit.film_frames import frames_of
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS
from hiddenhand.pursuit.games.visibility import VisibilityPursuit

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

GAME = "VP(map=wide6x7,sight=3,apart=5,moves=4)"


def test_frames_show_what_both_sides_believe() -> None:
    """Who searches says what it believes; who follows a rule holds all possible places alike."""
    question = Question(GAME, ("mo", "chaser"), iterations=60, deals=5)
    with Tournament(question) as running:
        running.run([((0, 1),)], 1)
        (pairing,) = running.pairings()
    (played,) = pairing.played
    frames, game = frames_of(question, played), load_game(GAME)
    assert isinstance(game, VisibilityPursuit)
    assert [frame.time for frame in frames] == list(range(5))
    assert sum(frame.size for frame in frames[1:]) / 4 == pytest.approx(played.payoffs[EVADER])
    unequal = 0
    for frame in frames:
        evader, *_ = frame.nodes
        (of_evader,) = frame.beliefs[PURSUERS]
        assert of_evader[evader] == pytest.approx(1 / frame.size)
        assert (of_evader > 0).sum() == frame.size
        of_units = frame.beliefs[EVADER]
        assert of_units.shape == (2, game.terrain.num_nodes)
        assert all(sum_ == pytest.approx(1) or sum_ == 0 for sum_ in of_units.sum(1))
        assert of_units.any()
        unequal += np.unique(of_units[of_units > 0].round(9)).size > 1
    assert unequal > 0  # what MO believes is modelled


@pytest.mark.slow
def test_a_film_is_a_gif_or_a_page(typed: Typed, tmp_path: Path) -> None:
    from PIL import Image

    for suffix in (".gif", ".html"):
        file = tmp_path / f"chase{suffix}"
        status, out, _ = typed(
            *("match", "VP(map=block5,pursuers=1,moves=2)", "runner", "chaser"),
            *("--matches", "1", "--film", str(file)),
        )
        assert status == 0
        assert "mean size" in out
        if suffix == ".gif":
            with Image.open(file) as film:
                assert getattr(film, "n_frames", 1) == 3
        else:
            page = file.read_text()
            assert page.count('"iVBORw0KGgo') == 3
            assert "runner against chaser" in page


@pytest.mark.thorough
def test_streets_are_drawn_too() -> None:
    question = Question("VP(map=town465,moves=1)", ("runner", "chaser"), deals=5)
    with Tournament(question) as running:
        running.run([((0, 1),)], 1)
        (pairing,) = running.pairings()
    game = load_game(question.game)
    assert isinstance(game, VisibilityPursuit)
    first, last = drawn(game, question.players, frames_of(question, pairing.played[0]))
    assert first.size == last.size
    assert first.tobytes() != last.tobytes()


def test_what_is_said_where_there_is_no_film(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for game, file, says in (
        ("Kuhn", "film.gif", "a film shows visibility_pursuit only, which Kuhn is not"),
        ("VP(map=block5,pursuers=1)", "film.mp4", "give a path that ends in .gif or .html"),
        ("VP(map=block5,pursuers=1)", "no/film.gif", "its folder does not exist"),
    ):
        arguments = ("match", game, "random", "random", "--matches", "1", "--film")
        status, _, error = typed(*arguments, str(tmp_path / file))
        assert status == 2
        assert says in " ".join(error.split())
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, _, error = typed(*arguments, str(tmp_path / "film.gif"))
    assert status == 2
    assert "a film needs matplotlib and Pillow, which are not installed; install" in error
