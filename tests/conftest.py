"""What tests of several folders share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_commands import Typed


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command."""
    return Typed(monkeypatch, capsys)


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget afterwards the modules that a test imported from its folder, and that it did."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
