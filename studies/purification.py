"""What it earns and costs to leave out the rare actions of a blueprint by sets:

    python -m studies.purification [--hours H] [--write]

Leaving out means: an action is played only if its probability is at least a share of the largest
one in its information set (Ganzfried, Sandholm and Waugh 2012, "Strategy purification and
thresholding"). `auto` leaves nothing out: a share that wins clearly makes nash_conv larger. In
small games the cost is exact: nash_conv of what is left. In large games the lead over tree search
(`ismcts(selector=uct)`) is measured, which is half of what the blueprint earns more in two matches
from both seats. There, tree search thinks anew at each of its information sets, with one seed,
and remembered. So it plays a fixed strategy, and many matches against it cost hardly any time. The
interval of 95 % is over those strategies, a seed each.

Rows are kept in studies/results/purification.json; those that are there are not measured again.
``--write`` puts the table into docs/large-games.md.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from benchmarks.kept import Kept, heading, write_section
from benchmarks.measuring import measured_rows

from hiddenhand import load_game, make_search, train, unroll
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.training import MCCFR
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Strategy, Weights

SHARES: Final = (0.0, 0.1, 0.15, 0.2, 0.3)
SMALL: Final = (("IIGS(5)", 3_000_000), ("LD(1,1,6)", 6_000_000))
LARGE: Final = (
    # game, iterations of training, and of each search
    ("phantom_ttt_abrupt", 10_000_000, 150_000),
    ("dark_hex(size=3,abrupt=True)", 10_000_000, 200_000),
)
SEEDS: Final = 20
PAIRS: Final = 50
TRAINING_SEED: Final = 3
KEPT: Final = Kept.of(__file__)
HEADING: Final = (
    "A blueprint by sets without the actions whose probability is below a share of the largest "
    "one. In small games the table has the exact nash_conv. In the others it has the lead over "
    "`ismcts(selector=uct)`, which thinks anew at each information set. The search plays "
    f"{PAIRS} pairs of matches with each of {SEEDS} seeds:"
)
COLUMNS: Final = ("game", "trained", "measured", *(f"share {share:g}" for share in SHARES))

Policy = Callable[[History, list[Event]], Floats]


def trained(name: str, iterations: int) -> Weights:
    """The strategy of a new blueprint, with its visits."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        train(name, file, iterations=iterations, algorithm=MCCFR, seed=TRAINING_SEED)
        known = SetBlueprint.load(file, as_sequential(load_game(name)))
        return known.among(known.file.arrays["keys"])


def purified(known: Weights, share: float) -> Weights:
    """The probabilities of actions with at least ``share``, from 0 to 1, of the largest weight in
    their set; 0 for all others.
    """
    kept = known.above(share)
    return replace(kept, values=kept.values / np.repeat(kept.mass, np.diff(kept.starts)))


def costs(name: str, known: Weights) -> list[str]:
    """nash_conv for each of the shares."""
    tree = unroll(name)
    found = []
    for share in SHARES:
        values = purified(known, share).values
        profile = Strategy(repr(tree.game), known.keys, known.starts, values).on(tree)
        found.append(f"{nash_conv(tree, profile):.3f}")
    return found


def leads(name: str, known: Weights, iterations: int) -> list[str]:
    """The lead over tree search for each of the shares."""
    game = as_sequential(load_game(name))
    plays = [blueprint_policy(game, purified(known, share)) for share in SHARES]
    found: list[list[float]] = [[] for _ in SHARES]
    for seed in range(SEEDS):
        other = search_policy(game, seed, iterations)
        for own, means in zip(plays, found, strict=True):
            random = np.random.default_rng(seed)
            pairs = [played(game, own, other, random) for _ in range(PAIRS)]
            means.append(float(np.mean(pairs)))
    intervals = [mean_interval(means) for means in found]
    return [f"{one.value:+.3f} ± {one.high - one.value:.3f}" for one in intervals]


def blueprint_policy(game: Game, known: Weights) -> Policy:
    """A blueprint where training came often enough; elsewhere uniform play."""
    assert known.visits is not None
    visits = dict(zip(known.keys.tolist(), known.visits.tolist(), strict=True))
    strategy = Strategy(repr(game), known.keys, known.starts, known.values)

    def policy(history: History, events: list[Event]) -> Floats:
        key, actions = history.information_key, len(history.legal_actions())
        found = strategy.at(key) if visits.get(key, 0.0) >= ENOUGH else None
        return np.full(actions, 1.0 / actions) if found is None else found

    return policy


def search_policy(game: Game, seed: int, iterations: int) -> Policy:
    """Tree search, which thinks once at each information set."""
    search = make_search(game, "ismcts", selector="uct")
    memory: dict[int, Floats] = {}

    def policy(history: History, events: list[Event]) -> Floats:
        key = history.information_key
        if key not in memory:
            search.start(history.player, seed)
            search.notice(events)
            search.think(iterations)
            memory[key] = search.policy(len(history.legal_actions()))
        return memory[key]

    return policy


def played(game: Game, own: Policy, other: Policy, random: np.random.Generator) -> float:
    """Half of what ``own`` earns more than ``other`` in two matches, from both seats."""
    return sum(payoff(game, own, other, seat, random) for seat in range(2)) / 2


def payoff(game: Game, own: Policy, other: Policy, seat: int, random: np.random.Generator) -> float:
    """What ``own`` is paid in a match that it plays from ``seat``."""
    history, events = History(game), list[list[Event]]([[], []])
    while not history.is_terminal:
        player = history.player
        if player < 0:
            move = history.sample_chance(random)
        else:
            actions = history.legal_actions()
            move = actions[0]
            if len(actions) > 1:
                policy = (own if player == seat else other)(history, events[player])
                move = actions[int(random.choice(len(actions), p=policy))]
        history = history.child(move)
        for observer, noticed in enumerate(events):
            if (event := history.noticed(observer)) is not None:
                noticed.append(event)
    return history.returns()[seat]


def cells(name: str, training: int, searching: int) -> list[str]:
    """The row of a game; ``searching`` is 0 where nash_conv is measured."""
    known = trained(name, training)
    what = f"lead, {searching:,} iterations" if searching else "nash_conv"
    found = leads(name, known, searching) if searching else costs(name, known)
    return [f"`{name}`", f"{training:,} iterations", what, *found]


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--hours", type=float, default=1e9)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    games = (*((*one, 0) for one in SMALL), *LARGE)
    cases = ((game[0], partial(cells, *game)) for game in games)
    rows = measured_rows(KEPT, cases, time.monotonic() + 3600.0 * asked.hours)
    lines = [HEADING, "", *heading(COLUMNS), *rows]
    if asked.write:
        write_section("docs/large-games.md", "purification", lines)


if __name__ == "__main__":
    main()
