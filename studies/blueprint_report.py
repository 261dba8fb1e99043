"""What is known of `auto` with blueprints, as a table: for docs/large-games.md and for
docs/which-search.md.
"""

from collections.abc import Iterator
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, row

KEPT: Final = Kept(ROOT / "studies" / "results" / "blueprints.json")
OTHERS: Final = ("ismcts(selector=uct)", "auto")
TRAINING: Final = 600.0  # seconds
THREADS: Final = 2
MOVE: Final = 0.1  # seconds
HEADING: Final = (
    f"Trained for {TRAINING:g} s; then {MOVE:g} s a move, each deal from both "
    "seats. The lead of `auto` with the blueprint is half of what it earns more than the other in "
    "a match; its 95 % interval is in brackets:"
)
COLUMNS: Final = (
    *("game", "trained by", "threads", "iterations", "information sets"),
    *(f"lead over `{other}`" for other in OTHERS),
)


def table(kept: dict[str, Any]) -> Iterator[str]:
    """The lines of the table: the games that were played."""
    yield row([*COLUMNS])
    yield row(["---"] * len(COLUMNS))
    for game, found in kept.items():
        if any(other in found for other in OTHERS):
            training = found["training"]
            cells = [f"`{game}`", f"`{training['method']}`"]
            cells.append(f"{training.get('threads', THREADS)}")
            cells += [f"{training[name]:,}" for name in ("iterations", "information_sets")]
            yield row([*cells, *(lead(found.get(other)) for other in OTHERS)])


def lead(figures: dict[str, Any] | None) -> str:
    """A lead with its interval."""
    if figures is None:
        return "not measured yet"
    low, high = figures["lead_ends"]
    return f"{figures['lead']:+.3f} ({low:+.3f} to {high:+.3f}), {figures['deals']} deals"
