"""Smooth UCT and UCT against each other in Limit Hold'em while they train: Fig. 3 and the last rows
of Table 2 of Heinrich and Silver (2015), "Smooth UCT search in computer poker", at the scale of
minutes.

Usage, in the root of the repository:

    python -m benchmarks.holdem_curves train --folder FOLDER [--episodes N] [--snapshots S]
    python -m benchmarks.holdem_curves play --folder FOLDER [--deals N]
    python -m benchmarks.holdem_curves report

`train` has both searches train with the constants of the paper, and keeps snapshots of them in the
folder, each after twice as many episodes as the one before. The same command goes on where it was
killed. `play` lets snapshots of equal length play duplicate matches, and, in a fifth of the deals,
each of them against simple players. Both sides of a match play in compiled code, so that a million
deals take seconds. Results are kept in benchmarks/results/holdem_curves.json, and `report` writes
docs/results/holdem-curves.md from them.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.measuring import ROOT, surroundings
from hiddenhand.files import write_whole
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.trees.strategy import Strategy, load_strategy
from hiddenhand_papers.smooth.duels import CALL, RAISE, RANDOM, Result, duel

KEPT: Final = Path(__file__).parent / "results" / "holdem_curves.json"
PAGE: Final = ROOT / "docs" / "results" / "holdem-curves.md"
GAME: Final = "limit_holdem(buckets=paper)"
SEARCHES: Final = {
    "smooth": "smooth-uct(exploration=240,potential=0.5,decay=0.00005)",
    "uct": "ef-uct(exploration=240,potential=0.5)",
}
"""The constants of Section 4.3. The paper counts in big blinds, and here payoffs are chips, ten to
a big blind.
"""
NAMES: Final = {"smooth": "Smooth UCT", "uct": "UCT"}
SIMPLE: Final = {"call": CALL, "raise": RAISE, "random": RANDOM}


# --- parts ---


def train(folder: Path, episodes: int, snapshots: int) -> None:
    """Train both searches, or go on."""
    for name, spec in SEARCHES.items():
        out = folder / f"{name}.search"
        asked = ["--iterations", str(episodes), "--snapshots", str(snapshots)]
        begun = (folder / f"{name}.curve.jsonl").exists()
        if begun and _curve(folder, name)[-1]["iterations"] >= episodes:
            continue
        how = [spec, "--seed", "1", "--out", str(out), *asked]
        if begun:
            how = [spec.partition("(")[0], "--resume", str(out)]
        command = [sys.executable, "-m", "hiddenhand", "search", GAME, *how]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _curve(folder: Path, name: str) -> list[dict[str, Any]]:
    """The snapshots of a search."""
    lines = (folder / f"{name}.curve.jsonl").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["snapshot"] is not None]


def play(folder: Path, deals: int) -> None:
    """Let all snapshots play that both searches have, but for what was played before."""
    game = LimitHoldem(buckets="paper")
    before = json.loads(KEPT.read_text())["rows"] if KEPT.exists() else []
    known = {row["episodes"]: row for row in before if row["deals"] == deals}
    rows = []
    pairs = zip(_curve(folder, "smooth"), _curve(folder, "uct"), strict=False)
    for number, (smooth, uct) in enumerate(pairs):
        assert smooth["iterations"] == uct["iterations"]
        if smooth["iterations"] in known:
            rows.append(known[smooth["iterations"]])
            continue
        row = {"episodes": smooth["iterations"], "deals": deals, "played": {}}
        row["about"] = {
            name: {what: line[what] for what in ("seconds", "information_sets")}
            for name, line in (("smooth", smooth), ("uct", uct))
        }
        began = time.process_time()
        for kind in ("greedy", "average"):
            both = [
                load_strategy(folder / line["file"], greedy=kind == "greedy")
                for line in (smooth, uct)
            ]
            for one, other, result in _matches(game, both, deals, seed=2 * number + 1):
                row["played"][f"{one} {other} {kind}"] = vars(result)
        row["processor_seconds"] = round(time.process_time() - began, 1)
        rows.append(row)
        print(json.dumps(row), flush=True)
        kept = {"game": GAME, "searches": SEARCHES, "rows": rows, "where": surroundings()}
        write_whole(KEPT, (json.dumps(kept, indent=1) + "\n").encode())


def _matches(
    game: LimitHoldem, both: Sequence[Strategy], deals: int, seed: int
) -> Iterator[tuple[str, str, Result]]:
    """What Smooth UCT wins against UCT, and each of both against simple players."""
    first, _ = duel(game, both, np.array([[0, 1], [1, 0]]), deals, seed)
    yield "smooth", "uct", first
    for name, strategy in zip(SEARCHES, both, strict=True):
        for simple, number in SIMPLE.items():
            seats = np.array([[0, number], [number, 0]])
            yield name, simple, duel(game, [strategy], seats, deals // 5, seed)[0]


# --- the page ---

_INTRODUCTION: Final = """# Smooth UCT and UCT in Limit Hold'em

*Written by `python -m benchmarks.holdem_curves report` from benchmarks/results/holdem_curves.json;
not by hand.*

This page is for readers of Heinrich and Silver (2015), "Smooth UCT search in computer poker", and
for users who train Hold'em. At its end you know how both searches learn at the scale of minutes.

As in Fig. 3 of the paper, both searches train in two-player Limit Hold'em with 169, 1000, 500 and
200 buckets and the constants of the paper. After each doubling of the episodes their strategies
play duplicate matches of {deals:,} deals: each deal twice, with the seats changed and the same
cards. Against simple players there are a fifth as many deals. Figures are thousandths of a big
blind for each hand (mbb), with standard errors.

The paper trains for 14 days, 62 billion episodes. Its strategies are greedy: they take the action
with the highest mean payoff. In its Fig. 3 UCT is slightly better until about 72 hours, 13
billion episodes. From then on Smooth UCT is better, in the end by 5.28 ± 0.6 mbb. A training of
{episodes:,} episodes is far at the left of that figure."""


def report() -> None:
    """Write the page."""
    kept = json.loads(KEPT.read_text())
    rows = kept["rows"]
    lines = [_INTRODUCTION.format(deals=rows[-1]["deals"], episodes=rows[-1]["episodes"])]
    _draw(rows, PAGE.parent.parent / "pictures" / "holdem-curves.png")
    lines += ["", "![Smooth UCT against UCT](../pictures/holdem-curves.png)", ""]
    lines += ["| episodes | greedy, Smooth UCT wins | average, Smooth UCT wins |"]
    lines += ["| --- | --- | --- |"]
    for row in rows:
        won = [_said(row["played"][f"smooth uct {kind}"]) for kind in ("greedy", "average")]
        lines.append(f"| {row['episodes']:,} | {won[0]} | {won[1]} |")
    for kind in ("greedy", "average"):
        lines += ["", f"Against simple players, with {kind} strategies:", ""]
        columns = [(name, simple) for simple in SIMPLE for name in SEARCHES]
        head = " | ".join(f"{NAMES[name]} - {simple}" for name, simple in columns)
        lines += [f"| episodes | {head} |", "| --- " * (1 + len(columns)) + "|"]
        for row in rows:
            won = [_said(row["played"][f"{name} {simple} {kind}"]) for name, simple in columns]
            lines.append(f"| {row['episodes']:,} | {' | '.join(won)} |")
    about, where = rows[-1]["about"], kept["where"]
    lines += ["", "The last snapshots:", ""]
    for name, spec in kept["searches"].items():
        lines.append(
            f"- {NAMES[name]}, `{spec}`: {about[name]['information_sets']:,} information sets "
            f"after {about[name]['seconds']:,.0f} s on a shared core of {where['processor']}."
        )
    lines += ["", f"Measured at commit {where['commit'][:12]}."]
    write_whole(PAGE, ("\n".join(lines) + "\n").encode())


def _said(result: dict[str, float]) -> str:
    return f"{result['mbb']:,.1f} ± {result['error']:.1f}"


def _draw(rows: list[dict[str, Any]], path: Path) -> None:
    """What Smooth UCT wins against UCT, with two standard errors around it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    drawn, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    episodes = [row["episodes"] for row in rows]
    for kind in ("greedy", "average"):
        found = [row["played"][f"smooth uct {kind}"] for row in rows]
        axis.errorbar(
            episodes,
            [result["mbb"] for result in found],
            [2 * result["error"] for result in found],
            label=f"{kind} strategies",
            capsize=2,
        )
    axis.axhline(0.0, color="black", linewidth=0.8)
    axis.set(xscale="log", xlabel="episodes", ylabel="Smooth UCT against UCT, mbb per hand")
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    drawn.savefig(path, dpi=110)
    plt.close(drawn)


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("part", choices=("train", "play", "report"))
    parser.add_argument("--folder", type=Path, default=Path("holdem_curves"))
    parser.add_argument("--episodes", type=int, default=400_000_000)
    parser.add_argument("--snapshots", type=int, default=12)
    parser.add_argument("--deals", type=int, default=1_000_000)
    asked = parser.parse_args()
    if asked.part == "train":
        asked.folder.mkdir(exist_ok=True)
        train(asked.folder, asked.episodes, asked.snapshots)
    elif asked.part == "play":
        play(asked.folder, asked.deals)
    if asked.part != "train":
        report()


if __name__ == "__main__":
    main()
