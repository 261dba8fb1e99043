"""Files that players are named with: whoever goes on with matches must read the same ones."""

import os
from pathlib import Path

import pytest

from hiddenhand.errors import FileError
from hiddenhand.games.registry import load_game
from hiddenhand.matches import tournament
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.players.named_files import NamedFiles
from hiddenhand.players.registry import file_of
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.unroll import unroll


def write(path: Path, first: float = 0.5) -> None:
    """A strategy for Kuhn poker that starts like this."""
    tree = unroll(load_game("Kuhn"))
    profile = uniform_profile(tree)
    profile[tree.set_start[0] : tree.set_start[1]] = first, 1.0 - first
    strategy_from_profile(tree, profile).save(path)


@pytest.fixture
def kuhn(tmp_path: Path) -> Path:
    write(tmp_path / "kuhn")
    return tmp_path / "kuhn"


def test_which_file_a_player_reads() -> None:
    assert file_of("strategy(a b.file)") == "a b.file"
    assert file_of("best_response(best_response(strategy('kuhn')))") == "kuhn"
    assert file_of("auto(opponent='best_response(strategy(kuhn))')") == "kuhn"
    assert file_of("cr(opponent='auto(blueprint=kuhn)')") == "kuhn"
    assert [file_of(spec) for spec in ("random", "best_response(random)", "oos(delta=0.5)")] == [
        "",
        "",
        "",
    ]


@pytest.mark.parametrize("named", ["strategy({})", "Strategy('{}')"])
def test_the_file_of_values_is_read_too(named: str, kuhn: Path) -> None:
    with Tournament(Question("Kuhn", ("call", "random"), aivat=named.format(kuhn))) as running:
        assert list(running._files.digests) == [str(kuhn)]


@pytest.mark.parametrize("wrapped", ["strategy({})", "best_response(strategy({}))"])
def test_matches_with_another_file_are_another_question(
    wrapped: str, kuhn: Path, tmp_path: Path
) -> None:
    question, store = Question("Kuhn", (wrapped.format(kuhn), "random")), tmp_path / "store"
    with Tournament(question, store) as running:
        running.run([((0, 1),)], 2)
    write(kuhn)  # the same again
    Tournament(question, store).close()
    write(kuhn, 0.25)
    with pytest.raises(
        FileError,
        match=(
            r"store has matches with another version of .*kuhn; put that version back, or give a "
            r"new file"
        ),
    ):
        Tournament(question, store)
    write(kuhn)
    Tournament(question, store).close()
    kuhn.unlink()
    with pytest.raises(FileError, match=r"there is no file .*kuhn"):
        Tournament(question, store)


def test_a_file_that_changes_while_it_is_played_with(
    kuhn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match that may have read it is not kept; those before are."""
    question, store = Question("Kuhn", (f"strategy({kuhn})", "random")), tmp_path / "store"
    original = tournament._play

    def changing(asked: Question, seats: tuple[int, ...], number: int) -> Played:
        if number == 3:
            write(kuhn, 0.25)
        return original(asked, seats, number)

    monkeypatch.setattr(tournament, "_play", changing)
    with (
        Tournament(question, store) as running,
        pytest.raises(
            FileError, match="kuhn has changed during the run; the matches before are kept; put"
        ),
    ):
        running.run([((0, 1),)], 10)
    write(kuhn)
    monkeypatch.undo()
    with Tournament(question, store) as running:
        assert [match.number for match in running._store.played()] == [0, 1, 2]


def test_a_file_that_was_only_touched_has_not_changed(kuhn: Path) -> None:
    files = NamedFiles([f"strategy({kuhn})"], load_game("Kuhn"))
    os.utime(kuhn, (1, 1))
    files.verify_unchanged()
    write(kuhn)
    files.verify_unchanged()
    kuhn.unlink()
    with pytest.raises(FileError, match="there is no file"):
        files.verify_unchanged()


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="pipe cannot be read: it is a pipe; give a regular file"):
        Tournament(Question("Kuhn", (f"strategy({tmp_path / 'pipe'})", "random")))
