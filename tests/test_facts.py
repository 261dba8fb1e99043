"""Tables of measured times in README and on a page are what the kept results say."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_readme_says_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.facts import written

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert written(text) == text, "type: python -m benchmarks.facts"


@pytest.mark.parametrize("program", ["first_use", "earlier"])
def test_the_page_on_compile_time_says_what_was_measured(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    measuring = import_module(f"benchmarks.{program}")
    text = (ROOT / "docs" / "compile-time.md").read_text(encoding="utf-8")
    table = "\n".join(measuring.lines(measuring.KEPT.read()))
    assert f"benchmarks.{program}" in text
    assert table in text
