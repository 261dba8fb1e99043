"""The notebooks of the tutorials: they are clean, all that they lead to is there, and they run."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from notebooks import cells_of, run_notebook
from pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs").rglob("*.ipynb"))
named = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_six() -> None:
    assert len(NOTEBOOKS) == 6


@named
def test_a_notebook_is_clean(path: Path) -> None:
    """No outputs, no numbers of runs, nothing of a machine; and cells have names of their own."""
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    assert content["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    cells = content["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
    assert cells[0]["source"][0].startswith("# ")


@named
def test_links_lead_to_files(path: Path) -> None:
    for cell in cells_of(path):
        if not cell.is_code:
            for target in re.findall(r"\]\(([^)#]+)", cell.text):
                assert (path.parent / target).exists(), target


@named
def test_cells_are_short_python(path: Path) -> None:
    for cell in cells_of(path):
        if cell.is_code:
            compile(cell.text, str(path), "exec")  # no magics, so that the cells run anywhere
            assert all(len(line) <= 100 for line in cell.text.splitlines())


@pytest.mark.thorough
@named
def test_a_notebook_runs_and_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run_notebook(path)
    assert any(kind == "html" and 'class="hh"' in text for cell in shown for kind, text in cell)


@pytest.mark.thorough
@pytest.mark.skipif(
    importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None,
    reason="Jupyter is not installed; pip install 'hiddenhand[notebook]'",
)
@named
def test_jupyter_runs_a_notebook(path: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {
        kind
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        for kind in output.get("data", {})
    }
    assert "text/html" in kinds


def test_a_runner_shows_what_jupyter_shows(tmp_path: Path) -> None:
    code = [
        "from hiddenhand import load_game\nprint('one')",
        "game = load_game('kuhn_poker')\ngame",
        "1 + 1",
        "None",
        "import not_there_at_all",
    ]
    cells = [
        {"cell_type": "code", "id": f"c{number}", "metadata": {}, "source": [text]}
        for number, text in enumerate(code)
    ]
    cells[-1]["metadata"] = {"tags": ["needs-not_there_at_all"]}
    file = tmp_path / "small-one.ipynb"
    file.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    shown = run_notebook(file)
    assert [[kind for kind, _ in cell] for cell in shown] == [["text"], ["html"], ["text"], [], []]
    assert shown[0] == [("text", "one\n")]
    assert shown[2] == [("text", "2\n")]
    assert 'class="hh"' in shown[1][0][1]


def test_a_page_of_the_site_has_cells_and_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from docs.site.notebooks import markdown_of, page_of

    texts = ["# A title\n\nwords [a](b.md)", "1 + 1", "## More", "draw()"]
    kinds = ["markdown", "code", "markdown", "code"]
    cells = [
        {"cell_type": kind, "id": "c", "metadata": {}, "source": [text]}
        for kind, text in zip(kinds, texts, strict=True)
    ]
    file = tmp_path / "one.ipynb"
    file.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    words = markdown_of(file).replace("(b.md)", "(c/b.md)")
    shown = [[], [["text", "2\n"]], [], [["html", "<b>x</b>"], ["png", "AAAA"]]]
    page = page_of(file, words, shown, tmp_path / "pictures")
    assert page == (
        "# A title\n\nwords [a](c/b.md)\n\nOpen it in Jupyter: {download}`one.ipynb`.\n\n"
        "```python\n1 + 1\n```\n\n```{code-block} text\n:class: output\n\n2\n```\n\n## More\n\n"
        "```python\ndraw()\n```\n\n``````{raw} html\n<b>x</b>\n``````\n\n"
        "![what the cell draws](one-4.png)\n"
    )
    assert (tmp_path / "pictures" / "one-4.png").read_bytes() == b"\0\0\0"
