"""Fig. 4.15 of Lisy's thesis: exploitability in Phantom Tic-Tac-Toe with the first move of each
player forced to the centre, from the root.

The game has too many histories to be written out. The thesis' program always takes a win that the
player can see, which its text does not say, and the game with that rule is small enough. So that
game is measured.
"""

from collections.abc import Iterator
from typing import Final

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.thesis.claims import all_hold, lower, lower_throughout, rises_again, under
from hiddenhand_papers.thesis.fig4_11_to_15 import root_panel
from hiddenhand_papers.thesis.sections import Composite, Points, Test

PHANTOM: Final = "phantom_ttt(forced_wins=true,forced_center=true)"
_END: Final = 2048.0
_SHORTER: Final = 7


def experiments() -> Iterator[Experiment]:
    """The experiment of this module."""
    setup = (
        "20 searches for each line and 2048 seconds at the scale paper, 2 searches of 16 seconds "
        "at evening. Seconds are those of the thesis' machine, by the iterations per second that "
        "it printed; an iteration of OOS here is two of the thesis.",
        "The first move of each player is forced to the centre, and wins that a player can see are "
        "taken, as in the thesis' program. Unknown information sets play a fixed action.",
    )
    panel = root_panel("", PHANTOM, "phantom-ttt-centre", _SHORTER, per=14)
    final = Points("final", "exploitability", (("RM", "", "RM", _END),))
    yield Composite(
        "thesis",
        "fig4.15",
        "Exploitability in Phantom Tic-Tac-Toe",
        setup,
        (panel,),
        points=(final,),
        tests=_tests(),
    )


def _tests() -> tuple[Test, ...]:
    others = ("RUCT", "UCT", "EXP3", "RM")
    return (
        under("oos-converges", "", "OOS", 0.1, at=_END),
        rises_again("uct-and-ruct-rise-after-100s", "", "UCT", "RUCT", after=100.0),
        all_hold(
            "rm-second-at-the-end",
            [
                lower("", "", "RM", ("UCT", "RUCT", "EXP3"), at=_END),
                lower("", "", "OOS", ("RM",), at=_END),
            ],
        ),
        all_hold(
            "exp3-worst-from-1s-to-100s",
            [
                lower_throughout("", "", other, ("EXP3",), after=1.0, until=100.0)
                for other in ("OOS", *others)
                if other != "EXP3"
            ],
        ),
    )
