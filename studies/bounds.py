"""Whether responses that are searched for reach what best responses earn, and never earn more.

Usage: python -m studies.bounds [--page], in the root of the repository.

In small games the player plays all actions alike; `hiddenhand exploit GAME random` says what best
responses earn, exactly, and what the responses of its methods ismcts and lbr do, with intervals.
Figures are kept in studies/results/bounds.json as they come, and the table in docs/proof.md is
written from them; ``--page`` only writes the table.
"""

import argparse
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.kept import Kept, write_section

from hiddenhand.evaluation.exploit import Responding, exploit

KEPT: Final = Kept.of(__file__)
GAMES: Final = ("Kuhn", "LD(1,1,3)", "Leduc")
METHODS: Final = ("ismcts", "lbr")
RESPONDING: Final = Responding(iterations=250_000, plays=20_000)


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--page", action="store_true", help="only write the page")
    if not parser.parse_args().page:
        for game in GAMES:
            for method in METHODS:
                if (game, method) != ("LD(1,1,3)", "lbr") and f"{game} {method}" not in KEPT.read():
                    KEPT.add(f"{game} {method}", figures(game, method))
                    print(f"{game} {method}: done", flush=True)
    write_section("docs/proof.md", "bounds", page(KEPT.read()))


def figures(game: str, method: str) -> dict[str, Any]:
    """What best responses earn, and what the responses of a method do."""
    found = exploit(game, "random", method, responding=RESPONDING)
    return {
        "game": game,
        "method": method,
        "exact": list(exploit(game, "random").values),
        "intervals": [[one.value, one.low, one.high] for one in found.intervals],
    }


def page(kept: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The table of the page."""
    yield (
        f"{RESPONDING.iterations:,} iterations of ismcts for each seat, "
        f"{RESPONDING.plays:,} plays, seed 0."
    )
    yield ""
    yield "| game | method | seat | exact | estimate | 95 % interval |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in kept.values():
        for seat, (exact, (value, low, high)) in enumerate(
            zip(row["exact"], row["intervals"], strict=True)
        ):
            yield (
                f"| {row['game']} | {row['method']} | {seat + 1} | {exact:.4f} | {value:.4f} | "
                f"{low:.4f} to {high:.4f} |"
            )


if __name__ == "__main__":
    main()
