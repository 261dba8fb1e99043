"""Whether a game draws its chance as it says that chance is: `sample_chance` against
`chance_outcomes`, compiled and as plain Python.

Where both exist, drawn outcomes must be listed ones, and come as often as their probabilities say.
Pearson's test decides that, with a threshold that an honest game crosses once in a thousand million
times. In all games that draw their chance, compiled code must draw what plain Python draws.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.validation.instrumented_rules import inspecting
from hiddenhand.games.validation.laws import Law, broken
from hiddenhand.jit.arrays import Integers, Keys
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import new_state

DRAWN: Final = Law(
    "sample_chance draws the outcomes that chance_outcomes lists, as often as their probabilities "
    "say, compiled and as plain Python alike",
    "sample_chance",
    "draw each outcome with the probability that chance_outcomes writes",
)

_PLACES: Final = 10  # how many chance nodes are looked at
_DRAWS: Final = 20_000  # how many draws compiled code makes at each
_SLOW_DRAWS: Final = 50  # how many of them plain Python repeats
_LIKELY: Final = 1e-9  # how unlikely the draws of an honest game may be
_EXPECTED: Final = 20.0  # the least number of draws that a group of outcomes should get


def check_drawing(game: Game, histories: Iterable[History]) -> None:
    """Check that ``game`` keeps the law `DRAWN` at some of ``histories`` in which chance is to
    move. Raises ConformanceError.
    """
    seen = set[bytes]()
    for history in histories:
        if len(seen) < _PLACES and history.player == CHANCE and history.state.tobytes() not in seen:
            seen.add(history.state.tobytes())
            _check_place(game, history)


def _check_place(game: Game, history: History) -> None:
    drawn = np.zeros(_DRAWS, np.int64)
    _draw(game, history.state, new_state(1), drawn)
    rng = new_state(1)
    with inspecting(history):
        slow = [int(game.sample_chance(history.state, rng)) for _ in range(_SLOW_DRAWS)]
    if slow != drawn[:_SLOW_DRAWS].tolist():
        first = drawn[:5].tolist()
        what = f"compiled code draws {first}, ..., and plain Python {slow[:5]}, ..."
        _fail(game, history, what)
    if game.lists_chance:
        _compare(game, history, drawn, history.chance_outcomes())


def _compare(
    game: Game, history: History, drawn: Integers, listed: list[tuple[int, float]]
) -> None:
    """Pearson's test, with outcomes in groups that expect enough draws each."""
    outcomes = np.array([outcome for outcome, _ in listed])
    expected = _DRAWS * np.array([p for _, p in listed])
    order = np.argsort(outcomes)
    place = np.minimum(np.searchsorted(outcomes[order], drawn), outcomes.size - 1)
    if unlisted := sorted(set(drawn[outcomes[order][place] != drawn].tolist())):
        _fail(game, history, f"{unlisted[:5]} are drawn and not listed")
    counts = np.bincount(order[place], minlength=outcomes.size)
    group = (np.cumsum(expected) // _EXPECTED).astype(np.int64)
    wanted, got = np.bincount(group, expected), np.bincount(group, counts)
    wanted, got = wanted[wanted > 0], got[wanted > 0]
    if _chance_of(float(((got - wanted) ** 2 / wanted).sum()), wanted.size - 1) < _LIKELY:
        worst = int(np.argmax(np.abs(counts - expected)))
        drawn_as = f"outcome {outcomes[worst]} is drawn {counts[worst]} times in {_DRAWS}"
        _fail(game, history, f"{drawn_as}, and expected {expected[worst]:.0f} times")


def _chance_of(statistic: float, degrees: int) -> float:
    """The probability that Pearson's statistic is ``statistic`` or larger if the game is honest."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic)) if degrees > 0 else 1.0


def _fail(game: Game, history: History, what: str) -> None:
    raise broken(game, DRAWN, history, what)


@kernel
def _draw(game: Any, state: Integers, rng: Keys, drawn: Integers) -> None:
    for index in range(drawn.size):
        drawn[index] = game.sample_chance(state, rng)
