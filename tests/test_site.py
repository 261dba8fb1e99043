"""The parts that make the documentation site. `make docs` builds it and runs its examples."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hiddenhand import History, load_game
from hiddenhand.games import CHANCE, as_sequential
from hiddenhand.games.drawing.svg import svg

ROOT = Path(__file__).parent.parent
DOCSTRING = """A game of two: who says more wins.

Actions: a number.
Observations (public): for a number that is
revealed: 1 + the number.

size: how many numbers there are,
    at least 2.
open: whether `render` shows all.

    a   drawing      of letters
"""


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)


def test_docstrings_become_paragraphs_lists_and_drawings() -> None:
    from docs.site.docstrings import as_markdown, as_rst

    assert as_markdown(DOCSTRING).split("\n\n") == [
        "A game of two: who says more wins.",
        "- **Actions**: a number.\n"
        "- **Observations (public)**: for a number that is revealed: 1 + the number.",
        "- `size`: how many numbers there are, at least 2.\n- `open`: whether `render` shows all.",
        "```text\n    a   drawing      of letters\n```",
    ]
    assert "- ``size``: how many numbers there are, at least 2." in as_rst(DOCSTRING.split("\n"))


def test_links_lead_to_pages_of_the_site() -> None:
    from docs.site.links import rewritten

    places = {"docs/a.md": "a.md", "docs/b/README.md": "b/index.md", "docs/p.png": "p.png"}

    def led(text: str, page: str = "docs/a.md") -> str:
        return rewritten(text, page, places)

    assert led("[B](b/README.md#top) and [here](#x)") == "[B](b/index.md#top) and [here](#x)"
    assert led("[A](../a.md), ![](../p.png)", "docs/b/README.md") == "[A](../a.md), ![](../p.png)"
    assert led("[the licence](../LICENSE)") == "the licence"  # in the repository, not on the site
    assert led("```text\n[B](nowhere.md)\n```") == "```text\n[B](nowhere.md)\n```"
    with pytest.raises(ValueError, match=r"docs/a\.md: the link leads to nowhere\.md"):
        led("[B](nowhere.md)")


def test_what_examples_print_stands_below_them() -> None:
    from docs.site.examples import with_output

    page = "```python\nprint(1)\n```\n\n```console\n$ hiddenhand a\n$ hiddenhand b\n```\n"
    shown = with_output(page, [["1\n"], ["one  \ntwo\n", ""]])
    assert shown == (
        "```python\nprint(1)\n```\n\n```{code-block} text\n:class: output\n\n1\n```\n\n"
        "```console\n$ hiddenhand a\none\ntwo\n$ hiddenhand b\n```\n"
    )
    assert with_output(page, []) == page


@pytest.mark.slow
def test_the_film_of_the_start_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture and a line for each decision, and the end; beliefs in between."""
    from docs.site import hero_film

    monkeypatch.setattr(hero_film, "ITERATIONS", 300)
    frames = hero_film.frames()
    said = [line for _, line, _ in frames]
    assert said[0] == "you begin, and see only your own crosses"
    assert said[-1].endswith("three in a line")
    assert all(scene.actions == set() for scene, _, _ in frames)
    _, _, faint = frames[1]
    assert any(item["kind"] == "text" and item["text"].endswith("%") for item, _ in faint)
    assert all(0 < opacity <= 1 for _, opacity in faint)
    kept = hero_film.FILE.read_text("utf-8")
    assert all(line in kept for line in said[:2])
    [place] = re.findall(r"nth-last-child\((\d+)\)", kept)
    still = list(ElementTree.fromstring(kept))[-int(place)]
    percents = [line for line in still.itertext() if line.endswith("%")]
    assert len(percents) > 4, "without motion, the film shows no belief"


def test_the_short_page_on_games_is_short() -> None:
    """It is meant for those who read nothing else, language models included."""
    page = ROOT / "docs" / "write-a-game-in-one-page.md"
    assert len(page.read_text(encoding="utf-8")) < 6000


def test_llms_txt_names_pages_that_exist() -> None:
    import re

    from docs.site.build import places

    there = set(places().values())
    text = (ROOT / "docs" / "site" / "root" / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) >= 8
    made = {"start.md", "algorithms/index.md"}  # pages that the build writes under these names
    missing = [link for link in links if link.replace(".html", ".md") not in there | made]
    assert missing == []


def test_every_picture_of_a_page_is_taken_by_the_one_command() -> None:
    pytest.importorskip("starlette", reason="the table in the browser needs hiddenhand[web]")
    from docs.site import screenshots

    shown = set[str]()
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        shown |= set(re.findall(r"pictures/web-([\w-]+)\.png", page.read_text("utf-8")))
    kept = {file.stem.removeprefix("web-") for file in screenshots.PICTURES.glob("web-*.png")}
    assert shown == kept == set(screenshots.SCREENS)


def test_the_pictures_of_the_documentation_are_those_of_the_program() -> None:
    """`python -m docs.site.pictures docs/pictures` writes them anew."""
    from docs.site.pictures import GALLERY

    folder = ROOT / "docs"
    page = (folder / "pictures.md").read_text()
    for exhibit in GALLERY:
        path = folder / "pictures" / f"game-{exhibit.name}.svg"
        assert path.read_text() == svg(exhibit.scene())
        assert f"pictures/{path.name}" in page


def test_the_matches_of_the_pictures_are_lawful(tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="the table in the browser needs hiddenhand[web]")
    from docs.site import screenshots

    addresses = screenshots._tables(tmp_path)
    assert set(addresses) == set(screenshots.MATCHES)
    for match in screenshots.MATCHES.values():
        history = History(as_sequential(load_game(match.game)))
        for move in match.moves:
            assert history.player == CHANCE or move in history.legal_actions()
            history = history.child(move)
        assert history.is_terminal == match.is_over
        assert match.is_over or history.player == 0  # the person, who is asked
