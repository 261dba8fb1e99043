"""What searches with a table share."""

from pathlib import Path
from threading import Thread

import pytest

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.registry import load_game
from hiddenhand.progress import Progress, Report
from hiddenhand.search.making import make_search
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.selection.joint_selectors import CoupledRegretMatching
from hiddenhand.search.selection.selectors import make_selector
from hiddenhand.search.simultaneous.sm_mcts import SMMCTS


def test_a_selection_rule_of_one_s_own_cannot_be_saved(tmp_path: Path) -> None:
    game = load_game("Kuhn")
    search = ISMCTS(game, make_selector("uct", game))
    with pytest.raises(FileError, match="cannot be written"):
        search.save(tmp_path / "search")


@pytest.mark.parametrize(
    ("setting", "value"),
    [("exploration", 0.0), ("gamma", 0.1), ("tie_tolerance", 0.0), ("guaranteed", 0.1)],
)
def test_a_selection_rule_of_one_s_own_has_its_own_settings(setting: str, value: float) -> None:
    kuhn, goofspiel = load_game("Kuhn"), load_game("goofspiel(3)")
    made = [lambda: SMMCTS(goofspiel, CoupledRegretMatching(0.1), **{setting: value})]
    if setting != "guaranteed":
        made.append(lambda: ISMCTS(kuhn, make_selector("rm", kuhn), **{setting: value}))
    for make in made:
        with pytest.raises(OptionError, match=f"{setting} has no meaning for selector="):
            make()
    SMMCTS(goofspiel, CoupledRegretMatching(0.1))


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("oos", "Kuhn"),
        ("mccr", "Kuhn"),
        ("pimc", "IIGS(3)"),
        ("mmd", "IIGS(3)"),
        ("doab", "goofspiel(4)"),
        ("istminimax", "PE(4,4,5)"),
    ],
)
def test_a_search_is_for_one_thread_at_a_time(spec: str, game: str) -> None:
    search = make_search(load_game(game), spec, seed=1)
    refused = []

    def think() -> None:
        try:
            search.think(iterations=1000)
        except OptionError as error:
            refused.append(str(error))

    class Another(Progress):
        def update(self, report: Report) -> None:
            if not refused:
                other = Thread(target=think)
                other.start()
                other.join()

    search.think(iterations=1000, progress=Another())
    assert "at work already, in another thread" in refused[0]
    think()  # and nothing holds it any more
    assert len(refused) == 1


def test_what_another_thread_changes_is_not_saved(tmp_path: Path) -> None:
    game = load_game("Kuhn")
    search = OOS(game, seed=1)
    search.run(100)
    search.save(tmp_path / "search")
    before = (tmp_path / "search").read_bytes()

    def save() -> None:
        with pytest.raises(OptionError, match="at work in another thread"):
            search.save(tmp_path / "search")
        tried.append((tmp_path / "search").read_bytes())

    class Saving(Progress):
        def update(self, report: Report) -> None:
            if not tried:
                other = Thread(target=save)
                other.start()
                other.join()
            search.save(tmp_path / "between")

    tried: list[bytes] = []
    search.run(1000, progress=Saving())
    assert tried == [before]  # what was kept is still there
    assert OOS.load(tmp_path / "between", game).result() == search.result()
