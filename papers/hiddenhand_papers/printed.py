"""What the papers printed: numbers with the page they stand on, and what their text says of them.

Each paper has a file ``NAME.toml`` in this folder. Numbers are copied from the papers, and
sentences are not: captions and claims are in our own words.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from hiddenhand.errors import FileError
from hiddenhand.statistics import Interval

_PAPER: Final = {"title", "reference", "item"}
_ITEM: Final = {"name", "printed_as", "page", "caption", "unit", "table", "claim"}
_TABLE: Final = {"name", "corner", "columns", "row"}
_ROW: Final = {"name", "values", "halves"}
_CLAIM: Final = {"check", "page", "text"}


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper.

    name: which of the tables of the item it is.
    corner: what stands in its top left corner; may be empty.
    columns: the names of its columns.
    rows: the names of its rows.
    cells: by row and column, the printed value with its interval. The ends of the interval are the
        value itself where the paper printed none. Cells that the paper left empty are missing.
    has_intervals: whether the paper printed intervals.
    """

    name: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], Interval]
    has_intervals: bool


@dataclass(frozen=True)
class Claim:
    """What the text of a paper says of an item, and can be tested.

    check: the name of the computed check that tests it.
    page: where the paper says it.
    text: what it says, in our words.
    """

    check: str
    page: str
    text: str


@dataclass(frozen=True)
class PrintedItem:
    """A figure or table of a paper.

    name: what the experiment is called that makes it anew, without the paper's name.
    printed_as: what the paper calls it.
    page: where it stands.
    caption: what it shows, in our words.
    unit: what its numbers are.
    tables: its tables; a figure has none.
    claims: what the text says of it.
    """

    name: str
    printed_as: str
    page: str
    caption: str
    unit: str
    tables: tuple[PrintedTable, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def with_page(self) -> str:
        """What the paper calls it, and where it stands, unless that is said already."""
        named = self.page in self.printed_as
        return self.printed_as if named else f"{self.printed_as}, {self.page}"

    def table(self, name: str) -> PrintedTable | None:
        """The table called ``name``, if the item has it."""
        return next((table for table in self.tables if table.name == name), None)


@dataclass(frozen=True)
class Paper:
    """A paper.

    name: the name of its file.
    title: its title.
    reference: authors, year and where it appeared.
    items: its figures and tables, by name.
    """

    name: str
    title: str
    reference: str
    items: Mapping[str, PrintedItem]


@cache
def printed(paper: str) -> Paper:
    """What the paper called ``paper`` printed. Raises FileError for a paper without a file, and for
    a file that cannot be understood.
    """
    file = _file_of(paper)
    if not file.is_file():
        raise FileError(f"there is no file {paper}/printed.toml of printed numbers")
    try:
        return read_paper(paper, tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{paper}/printed.toml cannot be read: {error}") from None


def printed_item(name: str) -> PrintedItem | None:
    """What was printed of the experiment called ``name``, such as "oos/fig4a"; None if nothing is
    on file.
    """
    paper, _, item = name.partition("/")
    if not _file_of(paper).is_file():
        return None
    return printed(paper).items.get(item)


def _file_of(paper: str) -> Traversable:
    """The file with the printed numbers of a paper."""
    return files("hiddenhand_papers") / paper / "printed.toml"


def read_paper(name: str, content: Mapping[str, Any]) -> Paper:
    """The paper that the ``content`` of a TOML file describes. Raises KeyError or ValueError."""
    _verify("the paper", content, _PAPER)
    items = [_item(entry) for entry in content.get("item", ())]
    by_name = {item.name: item for item in items}
    if len(by_name) < len(items):
        raise ValueError("two items have the same name")
    return Paper(name, content["title"], content["reference"], by_name)


def _item(entry: Mapping[str, Any]) -> PrintedItem:
    _verify(f"item {entry.get('name')}", entry, _ITEM)
    for claim in entry.get("claim", ()):
        _verify(f"a claim of {entry['name']}", claim, _CLAIM)
    return PrintedItem(
        name=entry["name"],
        printed_as=entry["printed_as"],
        page=entry["page"],
        caption=entry["caption"],
        unit=entry.get("unit", ""),
        tables=tuple(_table(entry["name"], table) for table in entry.get("table", ())),
        claims=tuple(Claim(**claim) for claim in entry.get("claim", ())),
    )


def _table(item: str, entry: Mapping[str, Any]) -> PrintedTable:
    where = f"table {entry.get('name')} of {item}"
    _verify(where, entry, _TABLE)
    columns = tuple(map(str, entry["columns"]))
    cells: dict[tuple[str, str], Interval] = {}
    has_intervals = False
    for row in entry["row"]:
        _verify(f"a row of {where}", row, _ROW)
        values = row["values"]
        halves = row.get("halves", [math.nan] * len(values))
        if not len(values) == len(halves) == len(columns):
            raise ValueError(f"row {row['name']} of {where} has not one number for each column")
        for column, value, half in zip(columns, values, halves, strict=True):
            if math.isnan(value):
                continue
            reach = 0.0 if math.isnan(half) else float(half)
            has_intervals |= not math.isnan(half)
            cells[row["name"], column] = Interval(float(value), value - reach, value + reach)
    rows = tuple(row["name"] for row in entry["row"])
    return PrintedTable(entry["name"], entry.get("corner", ""), columns, rows, cells, has_intervals)


def _verify(what: str, entry: Mapping[str, Any], allowed: set[str]) -> None:
    if unknown := set(entry) - allowed:
        raise ValueError(f"{what} has an unknown entry {sorted(unknown)[0]}")
