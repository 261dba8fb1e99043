"""Whatever text or file there is: it is read, or refused in a sentence or two. Never anything else.

``scripts/fuzz`` tries more cases, and others each time.
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import fuzzing
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hiddenhand.errors import FileError, HiddenhandError
from hiddenhand.games.registry import game_spec, load_game
from hiddenhand.players.specs import make_player, parse_spec
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.strategy import load_strategy

CASES = int(os.environ.get("HIDDENHAND_FUZZ_CASES", "1000"))
GAME = load_game("Kuhn")


def some(share: float) -> Callable[..., object]:
    """Settings for a part of all cases: the same ones each time, unless more were asked for."""
    return settings(
        max_examples=max(1, round(share * CASES)),
        derandomize="HIDDENHAND_FUZZ_CASES" not in os.environ,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module", autouse=True)
def counted() -> Iterator[None]:
    """What was tried is printed in the end, and the path for modules put back."""
    path = sys.path[:]
    yield
    sys.path[:] = path
    for what in sorted({what for what, _ in TRIED}):
        print(
            f"\n{what}: {TRIED[what, 'read'] + TRIED[what, 'refused']:,} cases, of which "
            f"{TRIED[what, 'read']:,} were read",
            end="",
        )


TRIED: Counter[tuple[str, str]] = Counter()


def refused(what: str, error: HiddenhandError) -> None:
    """Count a refusal, which must be short and on one line."""
    TRIED[what, "refused"] += 1
    message = str(error)
    assert message.strip()
    assert "\n" not in message
    assert len(message) <= 600


@pytest.mark.slow
@some(0.1)
@given(fuzzing.game_texts())
def test_names_of_games(text: str) -> None:
    try:
        game = load_game(text)
    except HiddenhandError as error:
        refused("names of games", error)
        return
    TRIED["names of games", "read"] += 1
    assert load_game(game_spec(game)) == game


@pytest.mark.slow
@some(0.15)
@given(fuzzing.player_texts())
def test_names_of_players(text: str) -> None:
    try:
        spec = parse_spec(text)
        assert parse_spec(str(spec)) == spec
        make_player(GAME, text)
    except HiddenhandError as error:
        refused("names of players", error)
        return
    TRIED["names of players", "read"] += 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a strategy and a search."""
    made = tmp_path_factory.mktemp("files")
    search = OOS(GAME, seed=1)
    search.run(iterations=50)
    search.save(made / "search")
    search.strategy().save(made / "strategy")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["strategy", "search"])
def test_files(folder: Path, kind: str) -> None:
    whole = (folder / kind).read_bytes()
    file = folder / f"{kind} that is tried"

    @some(0.1)
    @given(fuzzing.contents(whole))
    def read(content: bytes) -> None:
        file.write_bytes(content)
        try:
            load_strategy(file)
            if kind == "search":
                OOS.load(file, GAME)
        except FileError as error:
            refused(f"files of a {kind}", error)
            return
        TRIED[f"files of a {kind}", "read"] += 1

    read()
