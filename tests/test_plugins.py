"""Parts that other packages add: a verb of an installed package, and packages that are broken."""

import subprocess
import sys
from pathlib import Path

import pytest

from hiddenhand.plugins import VERBS, added

GREET = """
import typer

def greet(name: str) -> None:
    "Greet a player."
    print(f"Hello, {name}.")

group = typer.Typer()

@group.command()
def greeting() -> None:
    "Greet all players."
    print("Hello.")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages in which one adds two verbs that work, and two that do not."""
    (tmp_path / "greeter.py").write_text(GREET)
    information = tmp_path / "greeter-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        f"[{VERBS}]\n"
        "all = greeter:group\n"
        "greet = greeter:greet\n"
        "lost = greeter:nothing\n"
        "missing = no_such_module:verb\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def typed(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a new process prints where the packages of a folder are installed."""
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); "
        "from hiddenhand.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_cannot_be_loaded_is_reported_and_left_out(installed: Path) -> None:
    reports: list[str] = []
    names = [name for name, _ in added(VERBS, reports.append)]
    assert names == ["all", "experiment", "greet"]
    assert len(reports) == 2
    assert reports[0].startswith("'lost' of the package greeter cannot be loaded (AttributeError")
    assert reports[1].startswith("'missing' of the package greeter cannot be loaded (ModuleNot")
    assert all(report.endswith("it is left out") for report in reports)


def test_a_verb_of_another_package_is_called(installed: Path) -> None:
    called = typed(installed, "greet", "Ann")
    assert (called.returncode, called.stdout) == (0, "Hello, Ann.\n")
    assert len(called.stderr.splitlines()) == 2  # the two that are broken
    assert typed(installed, "all", "greeting").stdout == "Hello.\n"


def test_help_lists_verbs_of_other_packages(installed: Path) -> None:
    helped = typed(installed, "--help")
    assert helped.returncode == 0
    assert "Greet a player." in helped.stdout
    assert "Reproduce the figures and tables of the papers" in " ".join(
        helped.stdout.replace("│", " ").split()
    )


def test_our_own_verbs_look_for_no_packages(installed: Path) -> None:
    """A broken package delays and disturbs nothing."""
    listed = typed(installed, "games", "--json")
    assert (listed.returncode, listed.stderr) == (0, "")


def test_a_verb_of_the_papers_says_where_it_is(tmp_path: Path) -> None:
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
