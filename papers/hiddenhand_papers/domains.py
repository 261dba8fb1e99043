"""The small games of the OOS paper and of those after it, and how fast the authors' programs
searched them.

The papers give times. They are turned into iterations by how many the OOS paper's program made in a
second, which Lisy's thesis (2014), Sections 4.3.2 to 4.3.4, says of three games. For LD(1,1) it was
measured with the authors' program. The thesis counts traversals, of which an iteration of OOS makes
two. Nothing is known of the large games, so the speeds of the small ones are taken.

What the OOS paper calls UCT is UCT that breaks ties at random (RUCT of the thesis).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Domain:
    """A small game of the paper, and how fast the authors' program searched it.

    name: what the paper calls it.
    game: its name here.
    oos: iterations of OOS in a second, which are half of its traversals.
    uct: iterations of UCT in a second.
    rm: iterations of RM in a second.
    source: where the speeds are from.
    """

    name: str
    game: str
    oos: float
    uct: float
    rm: float
    source: str

    @property
    def speeds(self) -> str:
        """The speeds in words."""
        return (
            f"A second of the paper's machine is {self.oos:,.0f} iterations of OOS (two traversals "
            f"each), {self.uct:,.0f} of UCT and {self.rm:,.0f} of RM: {self.source}."
        )


GOOFSPIEL: Final = Domain(
    "II-GS(6)", "IIGS0(6)", 16_500, 39_000, 59_000, "Lisy's thesis, Section 4.3.2"
)
DICE: Final = Domain(
    "LD(1,1)",
    "LD(1,1,6)",
    110_500,
    466_000,
    306_000,
    "measured with the authors' program on two cores, with its own UCT",
)
POKER: Final = Domain(
    "GP(3,3,2,2)", "GP(3,3,2,2)", 38_500, 82_000, 120_000, "Lisy's thesis, Section 4.3.3"
)
UCT: Final = "ismcts(selector=ruct)"
RM: Final = "ismcts(selector=rm)"

PREPLAY: Final = 0.1
"""The seconds that the OOS paper's program thought before each match."""
