"""Docstrings as the site shows them.

Docstrings of this package say what a parameter or a field means as ``name: meaning``, a line for
each, with further lines indented. Here these lines become lists. All else is reStructuredText, in
which `single quotes` name something of the package.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_NAMED: Final = re.compile(r"([A-Za-z_][\w, ()]*?):\s+(.+)")
_LONGEST_NAME: Final = 40  # letters in front of a colon that can be names of parameters


@dataclass(frozen=True)
class Part:
    """A paragraph of a docstring, or a list of meanings.

    lines: the lines of a paragraph; none in a list.
    meanings: what each name means; none in a paragraph.
    """

    lines: tuple[str, ...] = ()
    meanings: tuple[tuple[str, str], ...] = ()


def parts_of(docstring: str) -> Iterator[Part]:
    """The parts of a docstring that was cleaned by `inspect.cleandoc`."""
    for paragraph in re.split(r"\n\s*\n", docstring.strip("\n")):
        lines = paragraph.split("\n")
        meanings = _meanings(lines)
        yield Part(meanings=tuple(meanings)) if meanings else Part(lines=tuple(lines))


def _meanings(lines: list[str]) -> list[tuple[str, str]]:
    """Names and meanings, if all lines are such; else nothing."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line.startswith("    ") and found:
            name, meaning = found[-1]
            found[-1] = name, f"{meaning} {line.strip()}"
        elif (match := _NAMED.fullmatch(line)) and len(match[1]) <= _LONGEST_NAME:
            found.append((match[1], match[2]))
        elif found and found[-1][0][:1].isupper() and not line.startswith(" "):
            # "Actions: ..." is a sentence or more, and goes on without being indented
            name, meaning = found[-1]
            found[-1] = name, f"{meaning} {line}"
        else:
            return []
    return found


def as_rst(lines: list[str]) -> list[str]:
    """The lines of a docstring for autodoc."""
    text: list[str] = []
    for part in parts_of("\n".join(lines)):
        if part.meanings:
            text += [f"- {_name_in_rst(name)}: {meaning}" for name, meaning in part.meanings]
        else:
            text += part.lines
        text.append("")
    return text


def _name_in_rst(name: str) -> str:
    return f"**{name}**" if name[:1].isupper() else f"``{name}``"


def as_markdown(docstring: str) -> str:
    """A docstring as Markdown, its lists included."""
    return "\n\n".join(
        "\n".join(f"- {_name_in_markdown(name)}: {_inline(said)}" for name, said in part.meanings)
        if part.meanings
        else paragraph_in_markdown(part.lines)
        for part in parts_of(docstring)
    )


def paragraph_in_markdown(lines: tuple[str, ...]) -> str:
    """A paragraph; a drawing, which is indented, stays as it is."""
    if all(line.startswith("    ") or not line for line in lines) or any(
        re.search(r"\S {3,}\S", line) for line in lines
    ):
        return "\n".join(["```text", *lines, "```"])
    return _inline("\n".join(lines))


def _name_in_markdown(name: str) -> str:
    return f"**{name}**" if name[:1].isupper() else f"`{name}`"


def _inline(text: str) -> str:
    """Text of a docstring as Markdown: code is in single quotes there, and other signs that mean
    something in Markdown are escaped.
    """
    parts = re.split(r"``(.+?)``|`(.+?)`", text.replace("::\n", ":\n"), flags=re.DOTALL)
    out = []
    for number in range(0, len(parts), 3):
        out.append(re.sub(r"([*_<>\[\]$|\\])", r"\\\1", parts[number]))
        if number + 2 < len(parts):
            code = parts[number + 1] or parts[number + 2]
            out.append(f"`{' '.join(code.split())}`")
    return "".join(out)
