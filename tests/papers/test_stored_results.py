"""Tests of the stored results that the pages in docs/papers are made from."""

from pathlib import Path

import pytest

from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.experiment import EVENING, QUICK, Scale
from hiddenhand_papers.store import Row, read_csv

PAGES = Path(__file__).parents[2] / "docs/papers"


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """The stored rows by the text of their unit."""
    return {row.unit: row for path in PAGES.glob("data/*.csv.gz") for row in read_csv(path)}


def texts(scale: Scale) -> set[str]:
    """The units of all experiments."""
    return {unit.text for one in catalogue().values() for unit in one.units(scale)}


@pytest.mark.slow
@pytest.mark.parametrize("scale", [QUICK, EVENING], ids=str)
def test_every_unit_of_the_short_scales_is_stored(scale: Scale, rows: dict[str, Row]) -> None:
    assert texts(scale) <= set(rows)


@pytest.mark.slow
def test_the_quick_scale_takes_less_than_an_hour_of_two_processors(rows: dict[str, Row]) -> None:
    assert sum(rows[text].made["processor_seconds"] for text in texts(QUICK)) < 2 * 60 * 60


@pytest.mark.parametrize("paper", sorted({name.partition("/")[0] for name in catalogue()}))
def test_every_item_has_a_verdict_and_its_pictures(paper: str) -> None:
    page = (PAGES / f"{paper}.md").read_text()
    items = page.split("\n## ")[1:]
    named = [name for name in catalogue() if name.startswith(f"{paper}/")]
    assert [item.partition("\n")[0] for item in items] == named
    assert all("**Verdict: " in item for item in items)
    pictures = [piece.partition(")")[0] for piece in page.split("](") if ".svg)" in piece]
    assert all((PAGES / picture).exists() for picture in pictures)


def test_every_picture_is_on_a_page() -> None:
    """A reading that was renamed leaves its old pictures behind; remove them."""
    pages = " ".join(page.read_text() for page in PAGES.glob("*.md"))
    unused = [path.name for path in PAGES.glob("pictures/*") if f"/{path.name})" not in pages]
    assert not unused
