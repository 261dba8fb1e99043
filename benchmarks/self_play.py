"""Self-play from the beginning of a game: episodes/s of Smooth UCT and of extensive-form UCT on
Leduc poker, on one thread, beside what the paper says of its machine.
"""

from collections.abc import Iterator
from typing import Final

from benchmarks.measuring import Measurement, Target
from benchmarks.simultaneous import rate
from hiddenhand import load_game, make_search
from hiddenhand.search.table_search import TableSearch

MADE: Final = 51_000
"""Episodes/s of Heinrich and Silver (2015), Section 4.3: 61.7 billion in 14 days, in two-player
Limit Texas Hold'em. They do not say how many they made on Leduc poker.
"""
SEARCHES: Final = {
    "Smooth UCT": "smooth-uct(exploration=18,decay=0.002)",
    "extensive-form UCT": "ef-uct(exploration=20)",
}


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """All figures of this file."""
    game = load_game("leduc_poker")
    for name, spec in SEARCHES.items():
        rates = []
        for seed in range(rounds):
            search = make_search(game, spec, seed)
            assert isinstance(search, TableSearch)
            rates.append(rate(search, seconds))
        yield Measurement(
            "self-play",
            f"{name} on Leduc poker",
            "episodes/s",
            rates,
            target=Target("least", 50 * MADE),
            note=f"{sum(rates) / rounds / MADE:.0f} times the paper's {MADE:,} a second",
        )
