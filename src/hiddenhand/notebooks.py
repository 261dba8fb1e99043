"""Objects in notebooks: as HTML, and as figures of matplotlib.

A class that derives from `Shown` or `Plotted` can be shown. How it is shown, `hiddenhand.display`
and `hiddenhand.plots` say. These lie in later layers, and are loaded when a notebook first asks.
"""

from importlib import import_module
from pathlib import Path
from typing import Any


class Shown:
    """An object that notebooks show as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return html_of(self)


class Plotted:
    """A result that has a picture."""

    __slots__ = ()

    def plot(self, path: Path | str | None = None, **options: Any) -> Any:
        """A ``matplotlib.figure.Figure`` of the result, which a notebook shows.

        path: a file to write besides, .png, .svg or .pdf; None for no file.
        options: those of the function of `hiddenhand.plots` for such a result, such as ``title``.

        Raises OptionError if there is nothing to draw, or if matplotlib, which the optional extra
        ``plots`` installs, is missing.
        """
        return import_module("hiddenhand.plots.results").figure_of(self, path, **options)


def html_of(value: object) -> str | None:
    """``value`` as HTML for a notebook; None where there is nothing to show but its text."""
    shown: str | None = import_module("hiddenhand.display").html_of(value)
    return shown
