"""What people see of each verb, in ``golden/VERB.txt``: its help page, an answer, and what names an
answer in JSON has.

``GOLDEN=write pytest tests/cli/test_golden.py`` writes the files anew. A change of them belongs to
the commit that causes it.
"""

import json
import os
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed, own_verbs

from hiddenhand.web import serving

GOLDEN = Path(__file__).with_name("golden")
WIDTH = 80

COMMANDS = {
    "hiddenhand": ["--help"],
    "acpc": ["acpc --help", "acpc connect --help", "acpc deal --help", "acpc log --help"],
    "algorithms": ["algorithms --help", "algorithms sm-oos", "algorithms sm-oos --json"],
    "buckets": ["buckets --help", "buckets build --help", "buckets show --help", "buckets path"],
    "cache": ["cache --help", "cache fill --help", "cache clear"],
    "check": [
        "check --help",
        "check 'OZ(3,1,1)' --plays 5",
        "check 'dark_hex(2)' --plays 5 --lint",
        "check Kuhn --plays 5 --json",
    ],
    "demo": ["demo --help"],
    "evaluate": [
        "evaluate --help",
        "evaluate Kuhn mccfr --method root --iterations 100 --seeds 2",
        "evaluate Kuhn mccfr --method root --iterations 100 --seeds 2 --json",
    ],
    "exploit": ["exploit --help", "exploit Kuhn random", "exploit Kuhn random --json"],
    "export": ["export --help", "export Kuhn kuhn.efg"],
    "games": ["games --help", "games"],
    "info": ["info --help", "info Kuhn", "info Kuhn --json", "info 'IIGS(6)' --max-histories 1000"],
    "maps": ["maps --help", "maps block5"],
    "match": [
        "match --help",
        "match Kuhn call random --matches 50 --mirror --value -0.0555556 --deals 1",
        "match Kuhn random call --until 0.9 --aivat --matches 20 --deals 1",
        "match 'kuhn_poker(players=3)' random call raise --matches 6 --deals 1",
        "match Kuhn random call --matches 5 --json",
        "match Kuhn random call --until 0.9 --aivat --matches 5 --json",
        "match 'kuhn_poker(players=3)' random call raise --matches 5 --json",
    ],
    "nash-conv": [
        "nash-conv --help",
        "nash-conv Kuhn --uniform",
        "nash-conv Kuhn --uniform --json",
    ],
    "play": ["play --help", "play Kuhn --against random --seed 3 --deals 3"],
    "search": [
        "search --help",
        "search Kuhn oos -p epsilon=0.5 -p gamma=0 --iterations 1000 --nash-conv",
        "search Kuhn oos --iterations 100 --nash-conv --json",
    ],
    "serve": ["serve --help", "serve --no-browser --port 0"],
    "solve": [
        "solve --help",
        "solve Kuhn --method cfr+ --iterations 100",
        "solve 'goofspiel(num_cards=3)'",
        "solve 'matrix_game([[3,0],[5,1]],payoffs_1=[[3,5],[0,1]])'",
        "solve Kuhn --json",
        "solve 'goofspiel(num_cards=3)' --json",
        "solve 'matrix_game([[3,0],[5,1]],payoffs_1=[[3,5],[0,1]])' --json",
    ],
    "soundness": ["soundness --help", "soundness Kuhn random", "soundness Kuhn random --json"],
    "strategy": [
        "strategy --help",
        "strategy Kuhn kuhn.strategy --where 'K bet'",
        "strategy Kuhn kuhn.strategy --after 'J, K, bet'",
        "strategy Kuhn kuhn.strategy --after 'J, K, bet' --json",
    ],
    "tournament": [
        "tournament --help",
        "tournament Kuhn random call raise --matches 5 --deals 1",
        "tournament 'kuhn_poker(players=3)' random call raise --matches 2 --deals 1",
        "tournament Kuhn random call --matches 2 --json",
    ],
    "train": [
        "train --help",
        "train Kuhn --algorithm mccfr --iterations 500 --threads 1 --out kuhn.blueprint",
        "train Kuhn --algorithm mccfr --iterations 500 --threads 1 --out again --json",
    ],
}
LINES = {"play": "bet\nno\n"}
"""What is typed while a verb runs."""

MASKS = [
    (r"(?m)^[\d.e, -]+( seconds a move)", r"<measured>\1"),
    (r"(?m)^(seconds|traversals per second|seconds each)( +)\S+", r"\1\2<measured>"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:<port>"),
    (r"\S*/cli_golden\S*?(?=/|\s)", "<folder>"),
    (r"(Looked at for a moment: )[^.]*", r"\1<as many as there is time for>"),
    (r"\nOf other packages:\n(  .*\n)+", ""),
    (r"\[1<=x<=65535; required\]", "[required]"),  # older versions of typer leave it out
    (r"(?m) +$", ""),
]
"""What depends on the machine, and what stands for it in the files."""


@pytest.mark.parametrize("verb", COMMANDS)
def test_what_people_see(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any, verb: str
) -> None:
    folder = tmp_path_factory.mktemp("cli_golden")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("HIDDENHAND_DATA", str(folder))
    if verb == "cache":
        monkeypatch.setenv("HIDDENHAND_CACHE", str(folder))
    if verb == "strategy":
        typed("solve Kuhn --method cfr+ --iterations 100 --out kuhn.strategy")
    monkeypatch.setattr(serving, "serve", lambda opened, host, lobby, ready: ready())
    seen = ""
    for command in COMMANDS[verb]:
        status, out, err = typed(command, lines=LINES.get(verb, ""))
        assert status == 0, err
        if command.endswith("--json"):
            out = textwrap.fill(f"An object with {', '.join(json.loads(out))}.", WIDTH) + "\n"
        seen += f"$ hiddenhand {command}\n{out}\n"
    for depends, mask in MASKS:
        seen = re.sub(depends, mask, seen)
    file = GOLDEN / f"{verb}.txt"
    if os.environ.get("GOLDEN") == "write":
        file.write_text(seen)
    assert seen == file.read_text(), f"see {__file__} for how to write {file.name} anew"
    too_long = [
        line for line in seen.splitlines() if len(line) > WIDTH and not line.startswith("$")
    ]
    assert too_long == []


def test_each_verb_has_a_file() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(COMMANDS) == {*own_verbs(), "hiddenhand"}
