"""What is said in several places about a release is the same everywhere, and what is installed from
the built files plays.
"""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("CITATION.cff", r"^version: (\S+)$"),
        ("packaging/conda/recipe.yaml", r'^  version: "(\S+)"$'),
        ("CHANGELOG.md", r"^## (\S+)"),
    ],
)
def test_the_version_is_the_same_everywhere(file: str, pattern: str) -> None:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == project()["version"]


def test_the_classifiers_name_what_was_tried() -> None:
    """The rows of docs/platforms.md, without those in which nothing was tried."""
    page = (ROOT / "docs" / "platforms.md").read_text(encoding="utf-8")
    rows = [re.split(r"\s*\|\s*", line)[1:-1] for line in page.splitlines() if line[:1] == "|"]
    tried = [row for row in rows if len(row) == 3 and row[2] != "nothing"]
    versions = re.findall(r"3\.\d+", " ".join(version for _, version, _ in tried))
    said = project()["classifiers"]
    assert isinstance(said, list)
    prefix = "Programming Language :: Python :: 3."
    assert [f"{prefix[:-2]}{one}" for one in versions] == [
        one for one in said if one.startswith(prefix)
    ]
    systems = {one.rpartition(" :: ")[2] for one in said if one.startswith("Operating System")}
    assert systems == {system.partition(",")[0] for system, _, _ in tried if "," in system}


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    needed = project()["dependencies"]
    assert isinstance(needed, list)
    named = [re.sub(r"\s", "", line.strip(" -")) for line in run.splitlines()]
    assert sorted(named) == sorted([*needed, "python>=3.11"])


@pytest.mark.thorough
@pytest.mark.slow
def test_what_is_built_can_be_installed_and_plays() -> None:
    """``make release-check``; pip may take the dependencies from the network."""
    done = subprocess.run(
        [ROOT / "scripts" / "release-check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
