"""The verb ``soundness``: what an online player loses because its pieces do not fit together."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    Seed,
    ends,
    print_json,
    print_table,
    print_text,
    verify_writable,
    work,
)
from hiddenhand.errors import OptionError

if TYPE_CHECKING:
    from hiddenhand.statistics import Interval

MOST_HISTORIES = 100_000


def soundness(
    game: GameSpec,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="A search, such as oos(targeting=ist), or a player whose strategy is known, such "
            "as strategy(FILE).",
        ),
    ],
    iterations: Annotated[
        int | None, typer.Option(help="What the search may do at each decision.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long the search may think at each decision.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(help="How many seeds to repeat it with: --seed, the next one, and so on.")
    ] = 5,
    seed: Seed = 0,
    jobs: Annotated[
        int, typer.Option(help="How many processes share the work; -1: one for each processor.")
    ] = 1,
    backend: Annotated[
        str,
        typer.Option(
            help="Who runs them, a backend of joblib: loky, multiprocessing, threading, or ray."
        ),
    ] = "loky",
    out: Annotated[
        Path | None,
        typer.Option(
            help="Keep what is finished in this SQLite file; the same command goes on where it "
            "stopped."
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: Annotated[
        int, typer.Option(help="Write out at most this many histories.")
    ] = MOST_HISTORIES,
) -> None:
    """Say what an online player loses in a small zero-sum game of two players, and how much of that
    is lost by no single piece, but because of how its pieces fit together.

    All losses are sums over both players. expected: of the strategy averaged over seeds, which is
    lost in a match. repeated: of each seed alone, which is lost in the long run if every match
    begins with the same seed. match and local: of the worst pieces of one match, and of the worst
    piece of one information set, each completed as well as possible. misfit: repeated minus local.
    See docs/soundness.md.
    """
    from hiddenhand.evaluation.soundness import guarantee_of
    from hiddenhand.evaluation.soundness import soundness as measure

    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is not allowed; give at least 1")
    verify_writable(out)
    with work(f"Asking {spec}") as progress:
        found = measure(
            game,
            spec,
            iterations=iterations,
            seconds=seconds,
            seeds=range(seed, seed + seeds),
            jobs=jobs,
            backend=backend,
            file=out,
            max_histories=max_histories,
            progress=progress,
        )
    losses: dict[str, Interval] = {
        "expected": found.expected,
        "repeated": found.repeated,
        "match": found.match,
        "local": found.local,
    }
    if as_json:
        answer: dict[str, Any] = {"game": game, "player": spec}
        answer |= {name: loss.value for name, loss in losses.items()}
        answer |= {f"{name}_ci95": ends(loss) for name, loss in losses.items()}
        print_json(
            answer
            | {
                "misfit": found.misfit,
                "by_match": list(found.by_match),
                "regret_after_errors": found.after_errors.value,
                "alike": found.alike,
                "consistency": found.consistency,
                "guarantee": guarantee_of(spec),
                "iterations": found.iterations,
                "seconds": found.seconds,
                "seeds": list(found.seeds),
            }
        )
        return
    meanings = {
        "expected": "in a match",
        "repeated": "in the long run, if all matches have one seed",
        "match": "by the worst pieces of one match, well completed",
        "local": "by the worst piece alone, well completed",
    }
    print_text(f"{game}: what {spec} loses, both players together")
    rows = [[name, _loss(loss), meanings[name]] for name, loss in losses.items()]
    rows.append(["misfit", f"{found.misfit:.4g}", "by all pieces together more than by the worst"])
    rows.append(["after errors", _loss(found.after_errors), "regretted at a decision, on average"])
    print_table(["", "loss", ""], rows)
    print_text(f"{found.consistency[0].upper()}{found.consistency[1:]}.")
    if found.alike and len(found.seeds) > 1:
        print_text("All seeds play alike.")
    elif len(found.seeds) > 1:
        told = [f"{found.by_match[match - 1]:.4g} in match {match}" for match in (1, 2, 4, 8, 16)]
        print_text(f"To an opponent who learns which seed it is: {', '.join(told)}.")


def _loss(interval: "Interval") -> str:
    """A loss with half of its interval's width."""
    both = ends(interval)
    spread = "" if both is None else f" ± {(both[1] - both[0]) / 2:.2g}"
    return f"{interval.value:.4g}{spread}"
