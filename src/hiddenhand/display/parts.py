"""The elements of HTML displays: escaped tags, tables, figures, bars, curves and pictures."""

import functools
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Final

from hiddenhand.games.drawing.svg import Node, drawn, style_sheet
from hiddenhand.games.scene import Scene

MOST_ROWS: Final = 20
"""The most rows of a table; the line below it counts the others."""
_LIGHT: Final = ('body[data-jp-theme-light="true"]', "body.vscode-light")
_DARK: Final = ('body[data-jp-theme-light="false"]', "body.vscode-dark")
"""The themes of JupyterLab and of Visual Studio Code, as their pages name them."""
OWN: Final = ("var(--hh-a)", "var(--hh-b)", "var(--hh-c)", "var(--hh-d)")
"""The colours of players, for styles."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *inside: str, **attributes: object) -> Markup:
    """An element. What is inside is escaped, unless it is `Markup`.

    attributes: by name; an underscore at the end of a name, as in ``class_``, is left out, others
        become hyphens. An attribute that is None is left out.
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{said}>{joined(*inside)}</{name}>")


def joined(*parts: str) -> Markup:
    """Parts one after the other. They are escaped, unless they are `Markup`."""
    return Markup(
        "".join(part if isinstance(part, Markup) else html.escape(part) for part in parts)
    )


def sheet(content: str) -> str:
    """What a notebook gets: the content with its style."""
    scenes = _scene_style() if 'class="scene"' in content else ""
    return str(tag("div", Markup(f"<style>{_style()}{scenes}</style>"), content, class_="hh"))


@functools.cache
def _style() -> str:
    written = resources.files("hiddenhand").joinpath("display/display.css").read_text("utf-8")
    return _squeezed(written) + _themes(written, ".hh", "")


def player_colour(player: int) -> str:
    """The colour of a player, for a style."""
    return OWN[player % len(OWN)] if player >= 0 else "var(--hh-grey)"


def title(name: str, more: str = "") -> Markup:
    """What is shown, and a remark on it."""
    return tag("p", tag("b", name), *([" ", tag("span", more, class_="soft")] if more else []))


def plain(text: str) -> Markup:
    """A text as it is written, such as a board in letters; short ones without a line of their
    own.
    """
    return tag("pre", text) if "\n" in text else tag("span", text)


def figures(named: Mapping[str, object]) -> Markup:
    """Figures with their names, one in a row."""
    rows = (
        _row([tag("th", name), f"{value:,}" if isinstance(value, int) else value])
        for name, value in named.items()
    )
    return tag("table", tag("tbody", *rows))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], more: int = 0) -> Markup:
    """A table. Numbers stand to the right.

    more: how many rows are left out.
    """
    top = tag("thead", tag("tr", *(tag("th", name) for name in head))) if any(head) else Markup()
    shown = tag("table", top, tag("tbody", *map(_row, rows)))
    left_out = tag("p", f"and {more:,} more", class_="soft") if more > 0 else ""
    return tag("div", shown, left_out)


def _row(cells: Sequence[object]) -> Markup:
    return tag("tr", *map(_cell, cells))


def _cell(value: object) -> Markup:
    if isinstance(value, Markup):
        return value if value.startswith(("<td", "<th")) else tag("td", value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return tag("td", str(value))
    return tag("td", f"{value:,}" if isinstance(value, int) else number(value), class_="n")


def number(value: float) -> str:
    """A number with four significant digits; errors of rounding around 0 become 0."""
    return "0" if abs(value) < 1e-12 else f"{value:.4g}"


def bar(chance: float, colour: str = OWN[0]) -> Markup:
    """A probability as a bar, and in words."""
    end = f"{100 * min(max(chance, 0.0), 1.0):.1f}%"
    style = f"background:linear-gradient(90deg,{colour} {end},var(--hh-pale) 0)"
    return joined(tag("span", class_="bar", style=style), f"{chance:.1%}")


def bars(chances: Mapping[str, float], colour: str = OWN[0]) -> Markup:
    """A bar for each of some probabilities, with its name."""
    rows = (_row([name, bar(p, colour)]) for name, p in chances.items())
    return tag("table", tag("tbody", *rows), class_="bars")


def heat(value: float | None, most: float, *lines: str) -> Markup:
    """A field of a heat map: blue above 0, red below, the stronger the larger.

    value: what decides the colour; None for an empty field.
    most: the value of the strongest colour.
    lines: what stands in the field.
    """
    if value is None:
        return tag("td", class_="heat")
    rgb = "31,111,180" if value > 0 else "200,69,43"
    strength = 0.6 * min(abs(value) / most, 1.0) if most > 0 else 0.0
    inside = [piece for line in lines for piece in (Markup("<br>"), line)][1:]
    return tag("td", *inside, class_="heat", style=f"background:rgba({rgb},{strength:.2f})")


# --- pictures ---


def picture(scene: Scene, more: Sequence[Node] = (), label: str | None = None) -> Markup:
    """A scene that cannot be clicked.

    more: elements that lie above it.
    label: what a screen reader says of it, in place of the scene's own label.
    """
    root = drawn(scene.limited_to(set()).to_json())
    attributes = root.attributes if label is None else root.attributes | {"aria-label": label}
    return Markup(Node(root.tag, attributes, [*root.children, *more]).write())


@functools.cache
def _scene_style() -> str:
    written = style_sheet().partition("/* what can be clicked */")[0]
    return _squeezed(written) + _themes(written, ".scene", " .scene")


def _themes(style: str, own: str, inside: str) -> str:
    """Rules for notebooks that have a theme of their own, which may be another than the system's.

    style: a sheet with the variables of ``own``, light ones in its first rule and dark ones in its
        rule for pages that set ``data-theme``.
    inside: what the variables are set on, within a display.
    """
    rules = []
    for themes, start in ((_LIGHT, ""), (_DARK, ':root[data-theme="dark"] ')):
        rule = style.partition(f"{start}{own} {{")[2].partition("}")[0]
        variables = ";".join(re.findall(r"--[a-z]+-[a-z]+: [^;}]+", rule))
        places = ",".join(f"{theme} .hh.hh{inside}" for theme in themes)
        rules.append(f"{places}{{{variables}}}")
    return "".join(rules)


def _squeezed(style: str) -> str:
    """A style sheet without comments and needless blanks."""
    bare = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", bare)).strip()
