"""Monte Carlo continual resolving: traversals/s in the middle of matches, beside OOS, and the
memory of a long match.
"""

import time
from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.measuring import Measurement, Target, in_fresh_process
from benchmarks.online import Walk, walk
from hiddenhand import MCCR, OOS
from hiddenhand.search.online import OnlineSearch

GAMES: Final = (("II-Goofspiel(6)", "IIGS(6)"), ("Liar's Dice(2,2,6)", "LD(2,2,6)"))
_CHUNK: Final = 20_000
_TIMED: Final = 100_000


def measure(rounds: int) -> Iterator[Measurement]:
    """All figures of this file."""
    for name, spec in GAMES:
        for mode in ("reset", "keep"):
            mine, others = [], []
            for seed in range(rounds):
                ours, theirs = rates(spec, mode, seed)
                mine.append(ours)
                others.append(theirs)
            yield Measurement(
                "resolving",
                f"MCCR ({mode}) in matches of {name}",
                "traversals/s",
                mine,
                others,
                "our OOS",
                Target("ratio", 1.5),
            )
    for mode in ("reset", "keep"):
        peaks = [in_fresh_process("mccr_match", mode)["peak"] for _ in range(min(rounds, 2))]
        note = "the whole process, compiler included; 1 s a move"
        yield Measurement(
            "resolving",
            f"a match of II-Goofspiel(13), MCCR ({mode})",
            "MB",
            peaks,
            target=Target("most", 500),
            note=note,
        )


def rates(spec: str, mode: str, seed: int) -> tuple[float, float]:
    """Traversals/s of MCCR and of OOS over the own decisions of one match but the first, both
    having thought as long: the medians.
    """
    resolving, sampling = (
        MCCR(walk(spec, 0, seed).history.game, mode=mode),
        OOS(walk(spec, 0, seed).history.game, epsilon=0.4),
    )
    found: list[tuple[float, float]] = []
    match = walk(spec, seed % 2, seed)
    for search in (resolving, sampling):
        search.start(match.seat, seed)
        search.think(iterations=_CHUNK)
    while advance_early(match, spec):
        events = match.told()
        for search in (resolving, sampling):
            search.notice(events)
        found.append((rate(resolving), rate(sampling)))
    ours, theirs = np.median(np.array(found[1:]), axis=0)
    return float(ours), float(theirs)


def advance_early(match: Walk, spec: str) -> bool:
    """On to the next own decision; in Liar's Dice by low bids, so that there are some."""
    if not spec.startswith("LD"):
        return match.advance()
    while not match.history.is_terminal:
        legal = match.history.legal_actions()
        low = legal[: max(1, min(3, len(legal) - 1))] if match.history.player >= 0 else legal
        match.history = match.history.child(int(match.random.choice(low)))
        if event := match.history.noticed(match.seat):
            match.pending.append(event)
        if match.history.player == match.seat:
            return True
    return False


def rate(search: OnlineSearch) -> float:
    search.think(iterations=_CHUNK)
    began = time.perf_counter()
    search.think(iterations=_TIMED)
    return 2 * _TIMED / (time.perf_counter() - began)
