"""The table of measured facts in the README is what the kept results say."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_readme_says_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.facts import written

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert written(text) == text, "type: python -m benchmarks.facts"
