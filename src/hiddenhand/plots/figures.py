"""Common parts of all plots: a figure, its colours, and its file."""

import io
from functools import cache
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, OptionError
from hiddenhand.files import write_file

COLOURS: Final = ("#1f6fb4", "#c8452b", "#2f8f4e", "#8a4fa3", "#b8860b", "#4a4a4a")
"""The colours of players, or of lines. After the last one, the first one follows again."""
PICTURES: Final = (".png", ".svg", ".pdf")
"""The suffixes of the files of pictures."""
_SETTINGS: Final[dict[Any, Any]] = {"svg.fonttype": "none", "svg.hashsalt": "hiddenhand"}


def colour(number: int) -> str:
    """The colour of player ``number``."""
    return COLOURS[number % len(COLOURS)]


def new_figure(width: float, height: float, rows: int = 1) -> tuple[Any, Any]:
    """A figure, and its axes: one, or an array of ``rows``. Raises OptionError if matplotlib is not
    installed.

    width, height: in inches.
    """
    figure = _figure_class()(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError(
            "a picture needs matplotlib, which is not installed; install hiddenhand[plots]"
        ) from error
    return _shown(Figure)


@cache
def _shown(plain: Any) -> Any:
    """The class of figures that notebooks show, also where nothing imported ``matplotlib.pyplot``.

    plain: the class of all figures.
    """

    class NotebookFigure(plain):  # type: ignore[misc]  # a base that is known when it is loaded
        def _repr_png_(self) -> bytes:
            content = io.BytesIO()
            self.savefig(content, format="png", dpi=100)
            return content.getvalue()

    return NotebookFigure


def verify_picture(path: Path | str) -> None:
    """Raise FileError if ``path`` has no suffix of a picture, and OptionError if matplotlib is not
    installed.
    """
    _figure_class()
    if Path(path).suffix not in PICTURES:
        raise FileError(
            f"the picture {path} cannot be written; give a path that ends in {', '.join(PICTURES)}"
        )


def save(figure: Any, path: Path | str) -> None:
    """Write ``figure`` to ``path``; equal figures give equal files. Raises FileError."""
    verify_picture(path)
    from matplotlib import rc_context

    content, form = io.BytesIO(), Path(path).suffix[1:]
    with rc_context(_SETTINGS):
        dated = {"svg": "Date", "pdf": "CreationDate"}.get(form)
        metadata = {dated: None} if dated else None
        figure.savefig(content, format=form, dpi=130, metadata=metadata)
    write_file(path, content.getvalue())
