"""Parts that other packages add: games, searches, players and verbs of an installed package, by
their names; classes of a user, by their places; and packages that are broken.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand import load_game, make_player, make_search, play_match
from hiddenhand.errors import OptionError, PlayerError, UnknownGameError
from hiddenhand.games import registry
from hiddenhand.games.registry import describe_games, game_names, game_spec
from hiddenhand.players.registry import parse_spec, runs_code
from hiddenhand.plugins import ALGORITHMS, GAMES, PLAYERS, VERBS, loaded, plugins
from hiddenhand.search.algorithms import added_algorithms, find
from hiddenhand.search.making import MakeSearch
from hiddenhand.web import catalogue
from hiddenhand.web.catalogue import Allowed, offered_games, verified_player
from hiddenhand.web.forms import bot_forms

PACKAGE = '''
from dataclasses import dataclass, replace

import numpy as np
import typer

from hiddenhand import OOS
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.players.player import Deciding
from hiddenhand.search.algorithms import find


@dataclass(frozen=True)
class Cards(KuhnPoker):
    """Kuhn poker under another name. It has the same rules."""


class Quiet(OOS):
    """A search like OOS. It says little.

    often: how often it is quiet.
    """

    PAPER = "nobody's"

    def __init__(self, game, often: float = 0.5, seed: int = 0):
        super().__init__(game, seed=seed)


SOLVER = replace(find("oos"), target="greeter:Quiet", summary="An entry of its own.")


class First(Deciding):
    def __init__(self, often: float = 1.0):
        self.often = often

    def follow(self, events): ...

    def policy(self, legal_actions, budget):
        rest = (1.0 - self.often) / max(1, len(legal_actions) - 1)
        return np.array([self.often, *[rest] * (len(legal_actions) - 1)])


class Idle:
    def start(self, game, seat, seed): ...


def greet(name: str) -> None:
    "Greet a player."
    print(f"Hello, {name}.")


group = typer.Typer()


@group.command()
def greeting() -> None:
    "Greet all players."
    print("Hello.")
'''
ENTRIES = f"""
[{GAMES}]
cards = greeter:Cards
kuhn_poker = greeter:nothing
torn = greeter:torn
[{ALGORITHMS}]
quiet-search = greeter:Quiet
described = greeter:SOLVER
torn = no_such_module:Search
wrong = greeter:First
[{PLAYERS}]
first = greeter:First
torn_player = greeter:torn
[{VERBS}]
all = greeter:group
greet = greeter:greet
lost = greeter:nothing
missing = no_such_module:verb
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages in which one adds parts that work, and others that do not."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "greeter.py").write_text(PACKAGE)
    information = folder / "greeter-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRIES)
    return folder


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same file, of which no package knows. Python keeps the folder on its path
    once a class there was named by its place.
    """
    folder = tmp_path_factory.mktemp("files")
    (folder / "greeter.py").write_text(PACKAGE)
    return folder


@pytest.fixture
def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same folder, on the path of this process."""
    caches = (plugins.cache_clear, registry._entries.cache_clear, parse_spec.cache_clear)
    monkeypatch.syspath_prepend(str(folder))
    for clear in caches:
        clear()
    yield folder
    sys.modules.pop("greeter", None)
    monkeypatch.undo()
    for clear in caches:
        clear()


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a new process prints where the packages of a folder are installed."""
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); "
        "from hiddenhand.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# --- games ---


def test_a_game_of_another_package_is_loaded_by_its_name(installed: Path) -> None:
    game = load_game("Cards")
    assert type(game).__name__ == "Cards"
    assert game_spec(game) == "cards"
    assert game_names()[-2:] == ["cards", "torn"]


def test_games_are_described_with_their_packages(installed: Path) -> None:
    reports: list[str] = []
    described = describe_games(reports.append)
    assert (described[-1].name, described[-1].package) == ("cards", "greeter")
    assert described[-1].summary == "Kuhn poker under another name."
    assert [entry.package for entry in described[:-1]] == [""] * (len(described) - 1)
    assert len(reports) == 1
    assert reports[0].startswith("'torn' of the package greeter cannot be loaded (AttributeError")


def test_a_name_of_ours_cannot_be_replaced(installed: Path) -> None:
    assert type(load_game("kuhn_poker")).__name__ == "KuhnPoker"


def test_a_broken_game_says_so(installed: Path) -> None:
    with pytest.raises(OptionError, match="'torn' of the package greeter cannot be loaded"):
        load_game("torn")
    with pytest.raises(UnknownGameError, match=r"did you mean cards\?"):
        load_game("card")


# --- searches ---


def test_a_search_of_another_package_is_made_by_its_name(installed: Path) -> None:
    search = make_search("kuhn_poker", "Quiet_Search(often=0.25)", 3)
    assert type(search).__name__ == "Quiet"
    entry = find("quiet-search")
    assert entry is not None
    assert (entry.package, entry.paper, entry.summary) == (
        "greeter",
        "nobody's",
        "A search like OOS.",
    )
    assert [parameter.name for parameter in entry.parameters] == ["often"]
    assert entry.parameters[0].description == "how often it is quiet"
    with pytest.raises(OptionError, match="has no parameter 'oftn'; did you mean often"):
        make_search("kuhn_poker", "quiet-search(oftn=1)")


def test_an_entry_of_the_registry_is_taken_as_it_is(installed: Path) -> None:
    entry = find("described")
    assert entry is not None
    assert (entry.name, entry.summary) == ("described", "An entry of its own.")


def test_searches_that_cannot_be_loaded_are_reported(installed: Path) -> None:
    reports: list[str] = []
    names = [entry.name for entry in added_algorithms(report=reports.append)]
    assert names == ["described", "quiet-search"]
    assert len(reports) == 2
    assert "No module named 'no_such_module'" in reports[0]
    assert "'greeter:First' is not a search, because it has no notice, think" in reports[1]


def test_a_search_plays_by_the_place_of_its_class(plain: Path) -> None:
    place = f"{plain}/greeter.py:Quiet"
    record = play_match(
        "kuhn_poker", [f"{place}(often=0.1)", "random"], iterations=20, seed=1, chance_seed=5
    )
    again = play_match(
        "kuhn_poker", [f"{place}(often=0.1)", "random"], iterations=20, seed=1, chance_seed=5
    )
    assert [d.policy for d in record.decisions[0]] == [d.policy for d in again.decisions[0]]
    assert str(MakeSearch(place)) == place
    with pytest.raises(OptionError, match=r"greeter\.py has no search 'Loud'; it has these"):
        make_search("kuhn_poker", f"{plain}/greeter.py:Loud")
    with pytest.raises(OptionError, match="is not a search, because it has no notice"):
        make_search("kuhn_poker", f"{plain}/greeter.py:First")


# --- players ---


def test_a_player_of_another_package_plays(installed: Path) -> None:
    record = play_match("kuhn_poker", ["first", "first(often=1)"], seed=1)
    assert [decision.action for seat in record.decisions for decision in seat] == [0, 0]
    with pytest.raises(PlayerError, match="'torn_player' of the package greeter cannot be loaded"):
        make_player("kuhn_poker", "torn_player")
    with pytest.raises(PlayerError, match="first has no parameter 'oft'; did you mean often"):
        make_player("kuhn_poker", "first(oft=1)")
    with pytest.raises(PlayerError, match="there is no player 'firs'; did you mean first"):
        make_player("kuhn_poker", "firs")


def test_a_player_plays_by_the_place_of_its_class(plain: Path) -> None:
    place = f"{plain}/greeter.py:First"
    record = play_match("kuhn_poker", [place, f"{place}(often=0.5)"], seed=1)
    assert record.decisions[0][0].policy == (1.0, 0.0)
    assert record.decisions[1][0].policy == (0.5, 0.5)
    with pytest.raises(
        PlayerError, match="is neither a player nor a search, because it has no pre"
    ):
        make_player("kuhn_poker", f"{plain}/greeter.py:Idle")
    with pytest.raises(PlayerError, match="no_such_module cannot be imported"):
        make_player("kuhn_poker", "no_such_module:Player")


PLACED = (
    *("os:path", "x.py:A(b=1)", "best_response(os:path)", "auto(opponent='os:path(a=1)')"),
    "cr(opponent='best_response(os:path)')",
    "best_response(cr(opponent='auto(opponent=\"os:path\")'))",
)


@pytest.mark.parametrize("spec", PLACED)
def test_a_page_may_not_name_code(spec: str) -> None:
    """Finding that out runs nothing."""
    assert runs_code(spec)
    with pytest.raises(PlayerError, match="names code, and a page may not run it"):
        verified_player(spec, Allowed((), ()))


def test_a_page_may_name_players_of_installed_packages(installed: Path) -> None:
    assert not runs_code("first(often=0.5)")
    assert verified_player("First(often=0.5)", Allowed((), ())) == "first(often=0.5)"


def test_menus_of_pages_say_where_parts_come_from(installed: Path) -> None:
    for kept in (catalogue._described, catalogue._packages, catalogue._offered):
        kept.cache_clear()
    games = {game["game"]: game["package"] for game in offered_games()}
    assert games.pop("cards") == "greeter"
    assert set(games.values()) == {""}
    bots = {bot["player"]: bot for bot in bot_forms(load_game("kuhn_poker"))}
    packages = {name: bot["package"] for name, bot in bots.items() if bot["package"]}
    assert packages == dict.fromkeys(("quiet-search", "described", "first"), "greeter")
    assert [field["name"] for field in bots["first"]["fields"]] == ["often"]
    assert bots["oos"]["package"] == ""
    for kept in (catalogue._described, catalogue._packages, catalogue._offered):
        kept.cache_clear()


# --- verbs, and the lists of the command line ---


def test_what_cannot_be_loaded_is_reported_and_left_out(installed: Path) -> None:
    reports: list[str] = []
    names = [plugin.name for plugin, _ in loaded(VERBS, reports.append)]
    assert names == ["all", "experiment", "greet"]
    assert len(reports) == 2
    assert reports[0].startswith("'lost' of the package greeter cannot be loaded (AttributeError")
    assert reports[1].startswith("'missing' of the package greeter cannot be loaded (ModuleNot")
    assert all(report.endswith("repair or remove that package") for report in reports)


@pytest.mark.slow
def test_a_verb_of_another_package_is_called(folder: Path) -> None:
    called = run(folder, "greet", "Ann")
    assert (called.returncode, called.stdout) == (0, "Hello, Ann.\n")
    assert len(called.stderr.splitlines()) == 2  # the two that are broken
    assert run(folder, "all", "greeting").stdout == "Hello.\n"


@pytest.mark.slow
def test_help_lists_verbs_of_other_packages(folder: Path) -> None:
    helped = run(folder, "--help")
    assert helped.returncode == 0
    words = " ".join(helped.stdout.replace("│", " ").split())
    assert "Greet a player." in words
    assert "Reproduce the figures and tables of the papers" in words


def test_our_own_verbs_load_no_other_verbs(folder: Path) -> None:
    """A broken package delays and disturbs nothing."""
    shown = run(folder, "cache", "path")
    assert (shown.returncode, shown.stderr) == (0, "")


def test_the_lists_name_the_package(installed: Path, typed: Typed) -> None:
    status, out, err = typed("games")
    assert status == 0
    assert "cards(num_cards=3)" in out
    assert "From the package greeter." in out
    assert "'torn' of the package greeter cannot be loaded" in err
    status, out, err = typed("algorithms")
    assert status == 0
    assert "quiet-search\n    A search like OOS.\n    From the package greeter.\n" in out
    assert typed("algorithms", "quiet-search")[1].splitlines()[-1] == "      how often it is quiet"


def test_a_game_a_search_and_a_player_of_a_package_meet(installed: Path, typed: Typed) -> None:
    command = ("match", "cards", "quiet-search(often=0.2)", "first", "--matches", "2")
    told = typed.json(*command, "--iterations", "10")
    assert told["game"] == "cards"
    assert told["players"] == ["quiet-search(often=0.2)", "first"]


def test_the_verb_of_the_papers_says_where_it_is() -> None:
    """Where the package of the papers is not installed."""
    program = (
        "import importlib.metadata as m; m.entry_points = lambda **_: []; import sys; "
        "from hiddenhand.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, "experiment", "list"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "pip install ./papers" in refused.stderr
    assert "Traceback" not in refused.stderr
