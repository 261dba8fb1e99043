"""Builds the documentation site: ``python -m docs.site.build``, in the root of the repository.

The pages in docs/ are copied to ``build/site/source``, with what their examples print below the
examples and with links that lead to other pages of the site. Pages of games, algorithms and public
names are written by programs beside this one. Then Sphinx makes ``build/site/html`` of it all. A
warning ends the build, and so does an example that fails, or a link that leads nowhere.

Notebooks become pages, with what their cells show. A page that lies in docs/ is on the site: those
that `SECTIONS` names where it says, others among the guides. It needs the optional extra `docs`.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.site import algorithms, games, notebooks, reference
from docs.site.examples import ExampleError, printed_by, with_output
from docs.site.links import ROOT, rewritten

SITE: Final = ROOT / "build" / "site"
SOURCE: Final = SITE / "source"
HERE: Final = Path(__file__).parent
SECTIONS: Final = {
    "measured": (
        *("which-search", "soundness", "papers/index", "studies", "benchmarks"),
        *(
            f"results/{name}"
            for name in (
                "exploitability",
                "nash-conv-against-seconds",
                "targeting",
                "thresholds",
                "variance",
            )
        ),
        "results/cfr-variants",
    ),
    "inside": (
        "stability",
        "architecture",
        "compile-time",
        "contributing",
        "platforms",
        "releasing",
        "changelog",
    ),
}
"""The pages of each section besides what lies in folders of its own."""
GUIDES_FIRST: Final = ("commands", "writing-a-game")
ELSEWHERE: Final = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "studies/README.md": "studies.md",
    "docs/papers/README.md": "papers/index.md",
    "docs/algorithms.md": "algorithms/index.md",  # which is written anew, with links
    "README.md": "index.md",
}
"""Where the site has pages that lie elsewhere in the repository, or have another name there."""
WRITTEN_HERE: Final = ("docs/algorithms.md", "README.md")


def places() -> dict[str, str]:
    """Where each page, notebook and picture of the repository lies on the site."""
    found = {
        str(file.relative_to(ROOT)): str(file.relative_to(ROOT / "docs"))
        for kind in ("md", "png", "svg")
        for file in sorted((ROOT / "docs").rglob(f"*.{kind}"))
        if HERE not in file.parents
    }
    for file in sorted((ROOT / "docs").rglob("*.ipynb")):
        found[str(file.relative_to(ROOT))] = str(file.relative_to(ROOT / "docs").with_suffix(".md"))
    return found | ELSEWHERE | {"docs/site/index.md": "index.md"}


def write_pages() -> None:
    """Write all pages into `SOURCE`."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    where = places()
    pages = [
        name
        for name in where
        if where[name].endswith(".md") and name not in WRITTEN_HERE and (ROOT / name).exists()
    ]
    texts = {name: rewritten(_words(ROOT / name), name, where) for name in pages}
    printed = printed_by([ROOT / name for name in pages if name.startswith("docs/")], _tell)
    for name, text in texts.items():
        file, outputs = ROOT / name, printed.get(ROOT / name, [])
        if file.suffix == ".ipynb":
            place = SOURCE / where[name]
            _write(where[name], notebooks.page_of(file, text, outputs, place.parent))
            shutil.copy(file, place.with_suffix(".ipynb"))
        else:
            _write(where[name], with_output(text, outputs))
    for name, place in where.items():
        if not place.endswith(".md"):
            (SOURCE / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, SOURCE / place)
    written = {"games": games.pages(_tell), "algorithms": algorithms.pages(SOURCE / "algorithms")}
    for folder, found in (written | {"reference": reference.pages()}).items():
        for name, text in found:
            _write(f"{folder}/{name}", text)
    for name, text in _sections([where[name] for name in pages]):
        _write(f"{name}.md", text)


def _words(file: Path) -> str:
    """What a page says, in Markdown."""
    is_notebook = file.suffix == ".ipynb"
    return notebooks.markdown_of(file) if is_notebook else file.read_text(encoding="utf-8")


def _sections(pages: list[str]) -> Iterator[tuple[str, str]]:
    """Pages that list the pages of a section."""
    named = {page for inside in SECTIONS.values() for page in inside} | {
        "index",
        "start",
        "how-it-works",
    }
    alone = [
        page.removesuffix(".md")
        for page in pages
        if "/" not in page and page.removesuffix(".md") not in {*named, "glossary"}
    ]
    first = [page for page in GUIDES_FIRST if page in alone]
    guides = [*first, *sorted(set(alone) - set(first))]
    there = {page.removesuffix(".md") for page in pages}
    yield (
        "guides",
        _section("Guides", "One subject each, for those who know the first steps.", guides),
    )
    for name, title, said in (
        ("measured", "How good is it?", "What was measured, how, and on what machine."),
        ("inside", "Inside", "For those who change it, or want to know."),
    ):
        yield name, _section(title, said, [page for page in SECTIONS[name] if page in there])
    for folder in ("papers", "tutorials"):
        inside = [page.removesuffix(".md") for page in pages if page.startswith(f"{folder}/")]
        _list_in_index(SOURCE / folder, [page.removeprefix(f"{folder}/") for page in inside])


def _list_in_index(folder: Path, pages: list[str]) -> None:
    """Tell Sphinx of the pages of a folder, in the order in which its first page links to them."""
    first = folder / "index.md"
    text = first.read_text(encoding="utf-8")
    linked = re.findall(r"\(([\w-]+)\.md\)", text)
    rest = sorted(set(pages) - {"index", *linked})
    inside = "\n".join([*dict.fromkeys(page for page in linked if page in pages), *rest])
    first.write_text(f"{text}\n```{{toctree}}\n:hidden:\n\n{inside}\n```\n", encoding="utf-8")


def _section(title: str, said: str, pages: list[str]) -> str:
    inside = "\n".join(pages)
    return f"# {title}\n\n{said}\n\n```{{toctree}}\n:maxdepth: 1\n\n{inside}\n```\n"


def _write(place: str, text: str) -> None:
    file = SOURCE / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _tell(said: str) -> None:
    print(said, flush=True)


def main() -> int:
    """Build the site: the exit status."""
    try:
        from sphinx.cmd.build import build_main
    except ModuleNotFoundError:
        _tell("the site needs Sphinx; type: pip install 'hiddenhand[docs]'")
        return 2
    began = time.perf_counter()
    try:
        write_pages()
    except (ExampleError, ValueError) as problem:
        _tell(str(problem))
        return 1
    options = ["--fail-on-warning", "--keep-going", "--quiet", "-c", str(HERE)]
    status = build_main([*options, "-b", "html", str(SOURCE), str(SITE / "html")])
    if status == 0:
        _tell(f"{SITE / 'html' / 'index.html'} after {time.perf_counter() - began:.0f} seconds")
    return status


if __name__ == "__main__":
    sys.exit(main())
