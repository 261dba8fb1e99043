"""How often matches that stop once they are decided are wrong: 10,000 simulated tournaments for
each kind of lead, with `--until 0.95`, and with Student's interval looked at after every pair.

    python -m studies.sequential    some minutes; keeps results/sequential.json

A simulated tournament draws leads of mirrored pairs, one after the other, until the rule stops it,
at most `PAIRS`. Where both players are equally good, each stop is an error. Where the first is
better, a stop that names the other is. The leads of Leduc poker are drawn from those that
`studies.aivat` measured, moved so that their mean is what is wanted; the bounds that the rule is
told are moved as far. The tables of docs/matches.md are written from the results.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings
from scipy.special import stdtrit

from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.seat_groups import FEWEST
from hiddenhand.statistics import SHARES, WEIGHTS, Betting, wilson_interval
from studies import aivat

KEPT: Final = Kept.of(__file__)
TOURNAMENTS: Final = 10_000
PAIRS: Final = 500
CONFIDENCE: Final = 0.95
SEED: Final = 1
_AT_ONCE: Final = 100
_LEDUC: Final = "Leduc: oos against ismcts(selector=rm)"


@dataclass(frozen=True)
class Kind:
    """Leads of one distribution, in one view or in several.

    name: in words.
    draw: draws leads of a shape, for each view.
    bounds: for each view the largest absolute lead that the rule is told.
    mean: the true mean lead.
    """

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], list[Floats]]
    bounds: tuple[float, ...]
    mean: float


def measured(values: str, mean: float) -> Kind:
    """Leads of Leduc poker as they were measured, moved to ``mean``: by payoffs, and also by AIVAT
    with ``values`` unless these are "payoffs".
    """
    pairs = aivat.KEPT.read()["cases"][_LEDUC]
    names = ["payoffs"] if values == "payoffs" else ["payoffs", values]
    leads = [np.array([pair[name] for pair in pairs]).mean(axis=1) for name in names]
    moved = [mean - float(view.mean()) for view in leads]
    bounds = tuple(bound + abs(by) for bound, by in zip((13.0, 26.0), moved, strict=False))

    def draw(random: np.random.Generator, shape: tuple[int, int]) -> list[Floats]:
        chosen = random.integers(len(pairs), size=shape)
        return [(view + by)[chosen] for view, by in zip(leads, moved, strict=True)]

    name = f"payoffs{'' if values == 'payoffs' else f' and AIVAT by {values}'}"
    return Kind(f"Leduc poker, {name}", draw, bounds, mean)


def listed(name: str, leads: tuple[float, ...], chances: tuple[float, ...]) -> Kind:
    """Leads with these probabilities, bounded by the largest."""
    mean = float(np.dot(leads, chances))
    return Kind(
        name,
        lambda random, shape: [random.choice(np.array(leads), size=shape, p=chances)],
        (max(map(abs, leads)),),
        mean if abs(mean) > 1e-12 else 0.0,
    )


def kinds() -> list[Kind]:
    return [
        listed("win or lose 1", (-1.0, 1.0), (0.5, 0.5)),
        listed("mostly drawn", (-1.0, 0.0, 1.0), (0.03, 0.94, 0.03)),
        listed("rare large wins", (-1.0, 12.0), (12 / 13, 1 / 13)),
        listed("rare large losses", (-12.0, 1.0), (1 / 13, 12 / 13)),
        measured("payoffs", 0.0),
        measured("calls(100)", 0.0),
        listed("win or lose 1, 55 % won", (-1.0, 1.0), (0.45, 0.55)),
        *(measured(values, mean) for mean in (0.6, 0.3) for values in ("payoffs", "calls(100)")),
    ]


def first_time(reached: Any) -> Any:
    """For each row the number of the first true entry, from 1; 0 if none is."""
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, 0)


def by_betting(views: list[Floats], bounds: tuple[float, ...]) -> tuple[Any, Any]:
    """When each gambler is rich enough, for each row of leads: who bets on more, and on less."""
    weights = np.tile(WEIGHTS, len(views)) / len(views)
    found = []
    for sign in (1.0, -1.0):
        logs = np.stack(
            [
                np.cumsum(np.log1p(share * sign * view / bound), axis=1)
                for view, bound in zip(views, bounds, strict=True)
                for share in SHARES
            ]
        )
        top = logs.max(axis=0)
        capital = top + np.log(np.tensordot(weights, np.exp(logs - top), axes=1))
        found.append(first_time(capital >= np.log(2.0 / (1.0 - CONFIDENCE))))
    return found[0], found[1]


def by_student(leads: Floats) -> tuple[Any, Any]:
    """When Student's interval first lies above 0, and when below, from `FEWEST` pairs on."""
    n = np.arange(1, leads.shape[1] + 1)
    mean = np.cumsum(leads, axis=1) / n
    square = np.cumsum(leads**2, axis=1) / n
    variance = np.maximum(square - mean**2, 0.0) * n / np.maximum(n - 1, 1)
    half = stdtrit(np.maximum(n - 1, 1), 0.5 + CONFIDENCE / 2) * np.sqrt(variance / n)
    looked = n >= FEWEST
    return first_time(looked & (mean - half > 0)), first_time(looked & (mean + half < 0))


def as_the_program_does(
    views: list[Floats], bounds: tuple[float, ...], above: int, below: int
) -> None:
    """Raise AssertionError unless `Betting`, which matches stop by, stops when this module says."""
    betting = Betting([(-bound, bound) for bound in bounds])
    stop = min([time for time in (above, below) if time], default=len(views[0]))
    for number in range(stop):
        assert betting.side(CONFIDENCE) == 0, number
        betting.add(*(float(view[number]) for view in views))
    side = betting.side(CONFIDENCE)
    assert side == (1 if above == stop and above else -1 if below == stop and below else 0)


def simulate(kind: Kind) -> dict[str, Any]:
    """What became of all tournaments of a kind, by each rule."""
    random = np.random.default_rng(SEED)
    times: dict[str, list[Any]] = {"until": [], "student": []}
    for _ in range(TOURNAMENTS // _AT_ONCE):
        views = kind.draw(random, (_AT_ONCE, PAIRS))
        betting = np.stack(by_betting(views, kind.bounds))
        as_the_program_does([view[0] for view in views], kind.bounds, *map(int, betting[:, 0]))
        times["until"].append(betting)
        times["student"].append(np.stack(by_student(views[-1])))
    found: dict[str, Any] = {"bounds": kind.bounds, "mean": kind.mean, "tournaments": TOURNAMENTS}
    for rule, parts in times.items():
        above, below = np.concatenate(parts, axis=1)
        is_first = (above > 0) & ((below == 0) | (above < below))
        is_second = (below > 0) & ~is_first
        stop = np.where(is_first, above, np.where(is_second, below, PAIRS))
        wrong = is_second if kind.mean > 0 else is_first | is_second
        found[rule] = {
            "wrong": int(wrong.sum()),
            "decided": int((is_first | is_second).sum()),
            "median pairs": float(np.median(stop)),
            "mean pairs": float(stop.mean()),
        }
    return found


# --- tables ---


def page(content: dict[str, Any]) -> Iterator[str]:
    """The tables of the page."""
    yield f"Simulated on {content['date'][:10]} at commit {content['commit'][:12]}, seed {SEED}:"
    yield f"{TOURNAMENTS:,} tournaments of at most {PAIRS:,} pairs in each row, confidence"
    yield f"{CONFIDENCE}. In brackets the 95 % interval."
    for title, better in (("Equally good players", False), ("The first is better", True)):
        yield from ("", f"**{title}**", "")
        yield (
            "| leads | wrong with `--until 0.95` | wrong with Student's interval after each pair |"
            + (" decided | pairs, median |" if better else "")
        )
        yield "|" + " --- |" * (5 if better else 3)
        for name, found in content["kinds"].items():
            if (found["mean"] > 0) == better:
                cells = [name]
                for rule in ("until", "student"):
                    rate = wilson_interval(found[rule]["wrong"], found["tournaments"])
                    cells.append(f"{rate.value:.2%} ({rate.low:.2%} to {rate.high:.2%})")
                if better:
                    until = found["until"]
                    cells.append(f"{until['decided'] / found['tournaments']:.1%}")
                    cells.append(f"{until['median pairs']:,.0f}")
                yield "| " + " | ".join(cells) + " |"


def main() -> None:
    """Simulate all kinds, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--page", action="store_true", help="write the page, and simulate nothing")
    if not parser.parse_args().page:
        found = {}
        for kind in kinds():
            name = f"{kind.name}{f', lead {kind.mean:.2g}' if kind.mean > 0 else ''}"
            found[name] = simulate(kind)
            print(name, found[name], flush=True)
        KEPT.write(surroundings() | {"pairs": PAIRS, "confidence": CONFIDENCE, "kinds": found})
    write_section("docs/matches.md", "sequential", page(KEPT.read()))


if __name__ == "__main__":
    main()
