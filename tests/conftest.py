"""What tests of several folders share."""

import pytest
from typing_commands import Typed


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command."""
    return Typed(monkeypatch, capsys)
