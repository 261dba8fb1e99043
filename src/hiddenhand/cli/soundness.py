"""The verb ``soundness``: what an online player loses because its decisions do not fit together."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hiddenhand.cli.common import (
    AsJson,
    Backend,
    GameSpec,
    Jobs,
    Kept,
    MaxHistories,
    Seed,
    Seeds,
    ends,
    print_json,
    print_table,
    print_text,
    print_wrapped,
    seeds_from,
    verify_writable,
    work,
)
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.statistics import Interval

_LOSSES: Final = {
    "expected": "in a match",
    "repeated": "in the long run, if all matches have the same seed",
    "match": "by the decisions of the worst match, if all others are as good as possible",
    "local": "by the worst decision, if all others are as good as possible",
}
"""The losses by name, and when a player loses so much."""


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
        int | None, typer.Option(help="Search iterations at each decision.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Search time at each decision in seconds.")
    ] = None,
    seeds: Seeds = 5,
    seed: Seed = 0,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Kept = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 100_000,
) -> None:
    """Measure what an online player loses in a small zero-sum game of two players, and how much of
    that loss no single decision explains.

    All losses are sums over both players.

    expected: loss of the strategy averaged over seeds, which is the loss in a match.

    repeated: mean loss of each seed's strategy, which is the loss in the long run if every match
    begins with the same seed.

    match: loss by the decisions of the worst match, if all others are as good as possible.

    local: loss by the worst decision, if all others are as good as possible.

    misfit: repeated minus local.

    See docs/soundness.md.
    """
    from hiddenhand.evaluation.soundness import guarantee_of
    from hiddenhand.evaluation.soundness import soundness as measure

    repeated = seeds_from(seed, seeds)
    verify_writable(out)
    with work(f"Searching with {spec}") as progress:
        found = measure(
            game,
            spec,
            iterations=iterations,
            seconds=seconds,
            seeds=repeated,
            jobs=jobs,
            backend=backend,
            file=out,
            max_histories=max_histories,
            progress=progress,
        )
    losses: dict[str, Interval] = {name: getattr(found, name) for name in _LOSSES}
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
    print_text(f"{game}: losses of {spec}, as sums over both players")
    rows = [[name, f"{loss}", _LOSSES[name]] for name, loss in losses.items()]
    rows += [
        [
            "misfit",
            rounded(found.misfit, 4),
            "repeated minus local: what no single decision explains",
        ],
        [
            "after errors",
            f"{found.after_errors}",
            "no loss: the mean regret of a decision where players err",
        ],
    ]
    print_table(["", "loss", ""], rows)
    print_wrapped(f"{found.consistency[0].upper()}{found.consistency[1:]}.")
    if found.alike and len(found.seeds) > 1:
        print_text("All seeds play alike.")
    elif len(found.seeds) > 1:
        lost = {match: rounded(found.by_match[match - 1], 4) for match in (1, 2, 4, 8, 16)}
        told = [f"{loss} in match {match}" for match, loss in lost.items()]
        print_text(f"Loss to an opponent that learns the seed: {', '.join(told)}.")
