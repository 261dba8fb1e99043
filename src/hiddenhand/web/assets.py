"""The files of the pages: HTML, scripts, styles and pictures, all from this package.

The addresses of scripts and styles hold a digest of all such files, so browsers may keep them for
good: a new version of the package has new addresses. Scripts import each other by relative
addresses, and so stay below the same digest.
"""

import re
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""The media types of the files that have an address, by ending."""
FOR_GOOD: Final = "public, max-age=31536000, immutable"
"""The header ``cache-control`` of an answer that never changes."""
NEVER: Final = "no-store"
"""The same of an answer that browsers must not keep."""
_SCRIPT: Final = re.compile(r'<script type="module" src="/static/([^"]+)"')
_IMPORT: Final = re.compile(r'^import .*"\./([^"]+)";$', re.MULTILINE)
_PRELOAD: Final = '<link rel="modulepreload" href="/static/{}" nonce="{{{{nonce}}}}">'


@cache
def read(name: str) -> bytes | None:
    """The contents of a file with an address; None if there is no such file."""
    if f".{name.rpartition('.')[2]}" not in TYPES or name not in _names():
        return None
    return _folder().joinpath(name).read_bytes()


def media_type(name: str) -> str:
    """The media type of a file that `read` finds."""
    return TYPES[f".{name.rpartition('.')[2]}"]


@cache
def digest() -> str:
    """A digest of all files with an address."""
    found = sha256()
    for name in _names():
        found.update(f"{name} ".encode())
        found.update(read(name) or b"")
    return found.hexdigest()[:16]


def page(name: str, nonce: str, **words: str) -> str:
    """A page as HTML, with a nonce on its scripts and styles.

    words: texts that the page shows, by their names in the file.
    """
    html = _template(name).replace("{{nonce}}", nonce)
    for place, text in words.items():
        html = html.replace(f"{{{{{place}}}}}", escape(text))
    return html


@cache
def _template(name: str) -> str:
    html = _folder().joinpath(name).read_text("utf-8")
    (script,) = _SCRIPT.findall(html)
    html = html.replace("{{preloads}}", "\n".join(map(_PRELOAD.format, _imports(script))))
    return html.replace('"/static/', f'"/static/{digest()}/')


def _imports(script: str) -> list[str]:
    """The names of all scripts that a script imports, and that these import, nearest first.

    A browser finds an import only after it has read the script; with this list it asks for all at
    once.
    """
    names = [script]
    for name in names:
        text = (read(name) or b"").decode()
        names.extend(one for one in _IMPORT.findall(text) if one not in names)
    return names[1:]


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(entry.name for entry in _folder().iterdir()))


def _folder() -> Traversable:
    return files("hiddenhand.web").joinpath("static")
