"""Whatever text, file, message or address there is: it is read, or refused in a sentence. Never
anything else. ``scripts/fuzz`` tries more, and others each time.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("starlette", reason="addresses of the table need hiddenhand[web]")

from fuzzing import trying
from fuzzing.parsers import PARSERS
from fuzzing.trying import Parser, tried, working_folder

from hiddenhand.errors import OptionError

CASES = 300


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder. Afterwards the path of modules is put back, to which games of users add."""
    path = sys.path[:]
    with working_folder() as made:
        yield made
    sys.path[:] = path


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_inputs_that_nobody_would_write(name: str, folder: Path) -> None:
    with PARSERS[name](folder) as parser:
        tally = tried(parser, range(CASES), seed=1)
    assert tally.defects == []
    assert tally.read + tally.refused == CASES
    assert min(tally.read, tally.refused) > CASES / 100


# --- what is a defect ---


class LongError(OptionError):
    """An error that does not shorten what it says."""

    def __init__(self, said: str) -> None:
        self.said = said

    def __str__(self) -> str:
        return self.said


def outcome(read: object, cases: int = 1) -> list[str]:
    parser = Parser("words", lambda source: source.random(), read)  # type: ignore[arg-type]
    return tried(parser, range(cases), seed=7).defects


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (AssertionError("a damaged file was read"), "AssertionError: a damaged file was read"),
        (RecursionError(), "RecursionError"),
        (LongError("two\nlines"), r"it refuses with 'two\nlines'"),
        (LongError(" "), "it refuses with ' '"),
        (LongError("x" * 601), "it refuses with 'xxx"),
    ],
)
def test_a_defect_is_told(error: Exception, said: str) -> None:
    def read(given: object) -> None:
        raise error

    (found,) = outcome(read)
    assert found.startswith(said)
    number = Random("7 words 0").random()
    again = "scripts/fuzz --parser 'words' --seed 7 --case 0"
    assert found.endswith(f"; again: {again}; the input: {number}")
    assert len(outcome(read, 100)) == 5


def test_what_is_read_or_refused_is_none() -> None:
    def read(given: float) -> None:
        if given < 0.5:
            raise OptionError("too little")

    parser = Parser("words", lambda source: source.random(), read)
    tally = tried(parser, range(100), seed=7)
    assert tally.defects == []
    assert tally.refused == sum(Random(f"7 words {case}").random() < 0.5 for case in range(100))
    assert tally.read == 100 - tally.refused


def test_what_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "ENDLESS", 0.01)

    def read(given: object) -> None:
        while True:
            pass

    parser = trying._bounded(Parser("words", lambda source: source.random(), read))
    with trying._given_up():
        (found,) = tried(parser, [0], seed=7).defects
    assert found.startswith("EndlessError: it has worked for 0.01 s of processor time")


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert trying.main(["20", "--parser", "nfg", "--seed", "1"]) == 0
    assert "20 inputs, 0 defects" in capsys.readouterr().out
    monkeypatch.setattr(trying, "LONGEST", 0.0)
    assert trying.main(["--parser", "nfg", "--seed", "1", "--case", "3"]) == 1
    assert "case 3 takes" in capsys.readouterr().out
