"""The types in the comments of the scripts of the pages, checked by TypeScript."""

import subprocess
from pathlib import Path

import hiddenhand.web

STATIC = Path(hiddenhand.web.__file__).parent / "static"
OPTIONS = [
    *("--noEmit", "--allowJs", "--checkJs", "--target", "es2023", "--module", "es2022"),
    *("--moduleResolution", "bundler", "--lib", "dom,dom.iterable,es2023"),
]


def test_types(tsc: list[str]) -> None:
    scripts = sorted(path.name for path in STATIC.glob("*.js"))
    said = subprocess.run(
        [*tsc, *OPTIONS, *scripts], cwd=STATIC, capture_output=True, text=True, check=False
    ).stdout
    assert [line for line in said.splitlines() if ": error TS" in line] == []


def test_the_scripts_are_short() -> None:
    lines = {path.name: path.read_text().count("\n") for path in STATIC.glob("*.js")}
    assert {name: count for name, count in lines.items() if count >= 350} == {}
