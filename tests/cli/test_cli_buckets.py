"""``hiddenhand buckets``, without building anything large."""

from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand.games.poker import strength_files


def test_where_they_are(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    folder = str(strength_files.data_folder())
    assert folder.startswith(str(tmp_path))
    assert typed("buckets path") == (0, f"{folder}\n", "")
    assert typed.json("buckets path") == {"path": folder}


def test_missing_ones_are_one_sentence(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    for words in (("buckets", "show", "AhKd"), ("info", "limit_holdem(buckets=paper)")):
        status, out, err = typed(*words)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert err.endswith("build them with: hiddenhand buckets build (it takes a minute)\n")


def test_what_is_built_is_told(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    monkeypatch.setattr(
        strength_files,
        "_build",
        lambda folder, progress: (folder / "river.npy").write_bytes(bytes(2**20)),
    )
    monkeypatch.setattr(strength_files, "open_tables", lambda folder: None)
    folder = str(strength_files.data_folder())
    assert typed.json("buckets build") == {"path": folder, "bytes": 2**20}
    assert typed("buckets build")[1] == f"{folder}: 1.0 MiB\n"
    monkeypatch.setenv("HIDDENHAND_DATA", "/dev/null/nowhere")
    status, _, err = typed("buckets build")
    assert status == 2
    assert "set HIDDENHAND_DATA to a folder with 400 MB of room" in err


def test_how_strong_cards_are(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength_files, "expected_strength", lambda cards, board: 0.5)
    assert typed("buckets show AhKd 7c8c9d") == (0, "E[HS^2] 0.5000000000\n", "")
    assert typed.json("buckets show AhKd") == {
        "cards": "AhKd",
        "board": "",
        "expected_strength_squared": 0.5,
    }
