"""The texts of the pages: scripts name no text that is missing, and no text is left that no script
names.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

STATIC = Path(str(resources.files("hiddenhand"))) / "web" / "static"
KEYS = """
const keys = (value) => (Object.prototype.toString.call(value) === "[object Object]"
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, keys(text)])) : null);
const found = {};
for (const file of process.argv.slice(1)) Object.assign(found, keys({ ...(await import(file)) }));
process.stdout.write(JSON.stringify(found));
"""
"""Prints what the modules export: their objects in each other, and null for each text."""
IMPORT = re.compile(r'import \{([^}]*)\} from "\./\w+\.js"')
ALIAS = re.compile(r"const (\w+) = (\w+)((?:\.\w+)+);")


@pytest.fixture(scope="module")
def texts() -> Any:
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not installed")
    files = [STATIC / "strings.js", *STATIC.glob("*texts.js")]
    command = [node, "--input-type=module", "--no-warnings", "-e", KEYS, "--"]
    command += [path.as_uri() for path in files]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {name: keys for name, keys in json.loads(done.stdout).items() if keys}


def named(script: str, texts: Any) -> Iterator[tuple[str, ...]]:
    """The paths of texts that a script names, such as ``("S", "link", "lost")``."""
    roots: dict[str, tuple[str, ...]] = {}
    for names in IMPORT.findall(script):
        for name, _, own in (part.strip().partition(" as ") for part in names.split(",")):
            if name in texts:
                roots[own or name] = (name,)
    for own, root, path in ALIAS.findall(script):
        if root in roots:
            roots[own] = (*roots[root], *path.split(".")[1:])
    script = ALIAS.sub("", script)
    for own, root in roots.items():
        for path in re.findall(rf"(?<![\w.]){own}((?:\.\w+)+)", script):
            yield (*root, *path.split(".")[1:])


def leaves(keys: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(keys, dict):
        yield path
        return
    for name, inner in keys.items():
        yield from leaves(inner, (*path, name))


def test_every_text_is_there_and_is_used(texts: Any) -> None:
    """A script that names a group of texts may use all of it."""
    left, missing = set(leaves(texts)), set()
    assert len(left) > 300
    for file in STATIC.glob("*.js"):
        for path in named(file.read_text("utf-8"), texts):
            keys, at = texts, 0
            while isinstance(keys, dict) and at < len(path) and path[at] in keys:
                keys, at = keys[path[at]], at + 1
            if isinstance(keys, dict) and at < len(path):
                missing.add((file.name, ".".join(path)))
            left -= {leaf for leaf in left if leaf[:at] == path[:at]}
    assert missing == set()
    assert {".".join(leaf) for leaf in left} == set()


def test_a_wrong_name_is_found(texts: Any) -> None:
    script = (
        'import { S as Words } from "./strings.js";\nconst L = Words.link;\nf(L.gone, Words.name)'
    )
    assert set(named(script, texts)) == {("S", "link", "gone"), ("S", "name")}
