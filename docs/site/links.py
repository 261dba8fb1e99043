"""Pages lie elsewhere on the site than in the repository: their links are changed accordingly."""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent

_LINK: Final = re.compile(r"(?<!!)\[([^\]\[]+)\]\(([^)\s#]*)(#[^)\s]*)?\)")
_PICTURE: Final = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_ELSEWHERE: Final = ("http://", "https://", "mailto:")


def rewritten(text: str, page: str, places: Mapping[str, str]) -> str:
    """``text`` of a page with links that lead to where the pages are on the site.

    A link to a file of the repository that is not on the site becomes the words of the link.

    page: where the page lies in the repository, such as "docs/parallel.md".
    places: where each page and picture of the repository lies on the site.

    Raises ValueError for a link to a file that does not exist.
    """
    here = posixpath.dirname(places[page])

    def led(target: str) -> str | None:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if file in places:
            return posixpath.relpath(places[file], here or ".")
        if not (ROOT / file).exists():
            raise ValueError(f"{page}: the link leads to {target}, which does not exist")
        return None

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if not target or target.startswith(_ELSEWHERE):
            return match[0]
        found = led(target)
        return words if found is None else f"[{words}]({found}{anchor})"

    def picture(match: re.Match[str]) -> str:
        return f"![{match[1]}]({led(match[2])})"

    fenced = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    for number in range(0, len(fenced), 2):  # code is left as it is
        fenced[number] = _PICTURE.sub(picture, _LINK.sub(link, fenced[number]))
    return "".join(fenced)
