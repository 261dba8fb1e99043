"""The types in the comments of the scripts of the pages, checked by TypeScript."""

import subprocess
from pathlib import Path

import hiddenhand.web

STATIC = Path(hiddenhand.web.__file__).parent / "static"
OPTIONS = [
    *("--noEmit", "--allowJs", "--checkJs", "--target", "es2023", "--module", "es2022"),
    *("--moduleResolution", "bundler", "--lib", "dom,dom.iterable,es2023"),
]
UNTYPED = {"after.js", "judged_board.js", "lab.js", "lab_save.js", "overlay.js", "start.js"}
"""Scripts whose types have errors. New ones must have none."""


def test_types(tsc: list[str]) -> None:
    scripts = sorted(path.name for path in STATIC.glob("*.js"))
    said = subprocess.run(
        [*tsc, *OPTIONS, *scripts], cwd=STATIC, capture_output=True, text=True, check=False
    ).stdout
    found = [line for line in said.splitlines() if ": error TS" in line]
    assert [line for line in found if line.partition("(")[0] not in UNTYPED] == []


def test_the_scripts_are_short() -> None:
    lines = {path.name: path.read_text().count("\n") for path in STATIC.glob("*.js")}
    assert {name: count for name, count in lines.items() if count >= 350} == {}
