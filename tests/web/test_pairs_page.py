"""The grid of hands: the page puts 1,326 pairs of cards into 169 classes. The engine: its reports
may come late. Node runs what needs no browser, where it is there.
"""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hiddenhand

STATIC = Path(hiddenhand.__file__).parent / "web" / "static"
RANKS = "AKQJT98765432"
DECK = [rank + suit for rank in reversed(RANKS) for suit in "cdhs"]


def ran(program: str, given: Any) -> Any:
    """What a program prints as JSON, to which ``given`` is known."""
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not installed")
    done = subprocess.run(
        [node, "--input-type=module", "--no-warnings", "-e", program],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def imports(names: str, module: str) -> str:
    return (
        f"import {{ {names} }} from {json.dumps((STATIC / module).as_uri())};\n"
        "import { readFileSync } from 'node:fs';\n"
        "const given = JSON.parse(readFileSync(0, 'utf8'));\n"
        "const print = (found) => process.stdout.write(JSON.stringify(found));\n"
    )


def class_of(first: str, second: str) -> str:
    """The class of two cards: AA, AKs or AKo."""
    high, low = sorted((first, second), key=lambda card: RANKS.index(card[0]))
    if high[0] == low[0]:
        return high[0] + low[0]
    return high[0] + low[0] + ("s" if high[1] == low[1] else "o")


def test_pairs_in_classes() -> None:
    seen = {"Ah", "7c", "Kd"}
    chances = np.random.default_rng(2).dirichlet(np.ones(1326))
    wanted: dict[str, float] = defaultdict(float)
    combos: dict[str, int] = defaultdict(int)
    pairs = []
    for chance, (first, second) in zip(chances, combinations(DECK, 2), strict=True):
        is_possible = not seen & {first, second}
        pairs.append(round(chance * 1e6) if is_possible else -1)
        if is_possible:
            wanted[class_of(first, second)] += pairs[-1] / 1e6
            combos[class_of(first, second)] += 1
    rows = ran(imports("classesOf", "pairs.js") + "print(classesOf(given));", pairs)
    assert [cell["name"] for cell in rows[0][:3]] == ["AA", "AKs", "AQs"]
    assert [row[0]["name"] for row in rows[:3]] == ["AA", "AKo", "AQo"]
    possible = sum(combos.values())
    for cell in (cell for row in rows for cell in row):
        name = cell["name"]
        assert cell["p"] == pytest.approx(wanted[name])
        assert len(cell["combos"]) == combos[name]
        assert cell["times"] == pytest.approx(wanted[name] * possible / combos[name])
    assert {len(cell["combos"]) for row in rows for cell in row} <= set(range(13))


def test_hands_that_cannot_be() -> None:
    """All four aces are seen."""
    pairs = [-1 if "A" in first + second else 1 for first, second in combinations(DECK, 2)]
    rows = ran(imports("classesOf", "pairs.js") + "print(classesOf(given));", pairs)
    assert {cell["times"] for cell in rows[0]} == {None}
    assert rows[1][1]["times"] == pytest.approx(48 * 47 / 2 / 1e6)


def test_times_become_tints() -> None:
    found = ran(imports("tilt", "pairs.js") + "print(given.map(tilt));", [0, 0.25, 0.5, 1, 2, 9])
    assert found == [-1, -1, -0.5, 0, 0.5, 1]


def test_the_room_around_a_hand() -> None:
    """Between the left edge and an item, as wide on both sides; what lies elsewhere, and the panel
    below all, do not matter.
    """
    items = [
        {"kind": "rect", "x": 4, "y": 2, "width": 352, "height": 300},
        {"kind": "card", "x": 157, "y": 30, "width": 46},
        {"kind": "chip", "x": 280, "y": 60, "radius": 10},
        {"kind": "text", "x": 220, "y": 200, "text": "pot", "size": 11, "anchor": "middle"},
    ]
    given = [{"width": 360, "items": items}, {"x": 157, "y": 30, "width": 46, "height": 64.4}]
    program = imports("roomAround", "geometry.js") + "print(roomAround(...given));"
    assert ran(program, given) == pytest.approx(2 * (270 - 180 - 4))
    given[0]["items"] = items[:2]
    assert ran(program, given) == pytest.approx(2 * (180 - 10))


STAND_IN = """
class Element {
  style = {};
  dataset = {};
  classList = { toggle: () => {} };
}
const methods = ["addEventListener", "append", "replaceChildren", "setAttribute"];
for (const method of methods) Element.prototype[method] = () => {};
globalThis.document = { createElement: () => new Element(), createElementNS: () => new Element() };
globalThis.localStorage = { getItem: (name) => (name === "engine" ? "on" : null) };
globalThis.location = { search: "" };
"""
"""A stand-in for what the engine needs of a browser. Nothing is shown."""


def test_a_late_report_is_of_the_search_before() -> None:
    """On a slow connection it comes after the next search has begun, and has no names of moves."""
    program = f"""
    {STAND_IN}
    const {{ Engine }} = await import({json.dumps((STATIC / "engine.js").as_uri())});
    const table = {{ players: ["person", "auto"], sees: "seat", you: 0, unit: "chips" }};
    const engine = new Engine({{ say: () => {{}}, table }});
    const [slot] = engine.slots;
    engine.position = {{ key: "turn 2", may: true, why: "" }};
    slot.choice.value = "oos";
    slot.think();
    const report = {{ slot: 0, state: "thinking", done: 0.1, policy: [0.4, 0.6], figures: {{}} }};
    engine.take(report);
    const late = slot.frames.length;
    engine.take({{ ...report, names: ["check", "bet"], actions: [0, 1], seat: 0 }});
    engine.take(report);
    process.stdout.write(JSON.stringify([late, slot.frames.map(({{ names }}) => names)]));
    """
    assert ran(program, None) == [0, [["check", "bet"]] * 2]


def test_storage_that_is_switched_off() -> None:
    """Browsers throw then where it is named. A page remembers choices until it is left."""
    parts = ("top", "engine", "sound", "tables")
    names = [
        f"const {part} = await import({json.dumps((STATIC / f'{part}.js').as_uri())});"
        for part in parts
    ]
    program = f"""
    {STAND_IN}
    const no = () => {{ throw new Error("storage is switched off"); }};
    Object.defineProperty(globalThis, "localStorage", {{ get: no }});
    document.documentElement = {{ dataset: {{}} }};
    {" ".join(names)}
    top.applyTheme();
    top.turnTheme();
    sound.setSound(false);
    tables.keepTable({{ place: "a", token: "b" }});
    const table = {{ players: ["person", "auto"], sees: "seat", you: 0, unit: "chips" }};
    const {{ isOn }} = new engine.Engine({{ say: no, table }});
    const theme = document.documentElement.dataset.theme;
    process.stdout.write(JSON.stringify([theme, sound.isSoundOn(), tables.keptTables(), isOn]));
    """
    assert ran(program, None) == ["light", False, [{"place": "a", "token": "b"}], False]


def luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb``, as WCAG 2.1 defines it."""
    parts = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def mixed(one: str, other: str, share: float) -> str:
    """Two colours mixed, with so much of the first."""
    mix = (
        round(share * int(one[at : at + 2], 16) + (1 - share) * int(other[at : at + 2], 16))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mix)


def test_the_words_of_the_grid_can_be_read_on_all_tints() -> None:
    """axe cannot tell for mixed colours. WCAG 2.1 wants a contrast of 4.5."""
    sheets = re.findall(r":root[^{]*{([^}]*--range-ink[^}]*)}", (STATIC / "ghosts.css").read_text())
    assert len(sheets) == 3  # light, dark, and dark by the system
    for sheet in sheets:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", sheet))
        ink = luminance(colours["range-ink"])
        for tint in (colours["more"], colours["less"]):
            for share in np.linspace(0, 1, 21):
                low, high = sorted((ink, luminance(mixed(tint, colours["same"], share))))
                assert (high + 0.05) / (low + 0.05) >= 4.5
