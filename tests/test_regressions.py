"""The regression tests that CONTRIBUTING.md lists are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_listed_tests_are_there() -> None:
    listed = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(listed) == 10
    for file, name in listed:
        assert f"\ndef {name}(" in (ROOT / file).read_text(), f"{file} has no {name}"
