"""Table 4.6 of Lisy's thesis: exploration parameters in Oshi-Zumo(50,3,1).

A cell is a setting of a search at one time per move: against the same search with its default, or
against double-oracle alpha-beta. That searched for the same time, and we do not know how far it
came. Ours comes to a depth of 3 joint moves in 0.03 second, of 4 in 1.5 and of 5 in minutes, so it
is given a depth of 3 for 1 second and of 4 for 5 seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.play import Contestant
from hiddenhand_papers.thesis.budgets import large_speeds
from hiddenhand_papers.thesis.claims import Side, above, not_below
from hiddenhand_papers.thesis.players import open_search
from hiddenhand_papers.thesis.sections import Composite, Section, Test
from hiddenhand_papers.thesis.tab4_01_to_05 import OSHI_ZUMO

_SETTINGS: Final = {
    "OOS": ("0.6", "0.5", "0.4", "0.3", "0.2", "0.1"),
    "DUCT": ("4", "2", "1.5", "1", "0.8", "0.6"),
    "EXP3": ("0.6", "0.5", "0.4", "0.3", "0.2", "0.1"),
    "RM": ("0.75", "0.5", "0.3", "0.2", "0.1", "0.05"),
}
_DEFAULTS: Final = {"OOS": "0.6", "DUCT": "2", "EXP3": "0.2", "RM": "0.1"}
_TIMES: Final = {"1s": 1.0, "5s": 5.0}
_DEPTHS: Final = {"1s": 3, "5s": 4}


@dataclass(frozen=True)
class Settings(Section):
    """A table with a row for each time and a column for each setting of one search.

    search: the short name of the search.
    tuned_on: whom it plays, "self-play" or "strongest".
    """

    search: str = ""
    tuned_on: str = "self-play"

    @property
    def pairs(self) -> dict[tuple[str, str], tuple[Contestant, Contestant]]:
        return {
            (time, setting): (_contestant(self.search, setting, time), self._opponent(time))
            for time in _TIMES
            for setting in _SETTINGS[self.search]
        }

    def _opponent(self, time: str) -> Contestant:
        if self.tuned_on == "strongest":
            return Contestant("doab", iterations=_DEPTHS[time])
        return _contestant(self.search, _DEFAULTS[self.search], time)


def _contestant(search: str, setting: str, time: str) -> Contestant:
    iterations = round(_TIMES[time] * large_speeds("Oshi")[search])
    return Contestant(open_search(search, float(setting)), iterations=iterations)


def _section(tuned_on: str, search: str) -> Settings:
    name = f"{tuned_on}-{search.lower()}"
    return Settings(name, (OSHI_ZUMO,), (), (), 1000, 1, search=search, tuned_on=tuned_on)


def experiments() -> Iterator[Experiment]:
    """The experiment of this module."""
    sections = tuple(
        _section(tuned_on, search)
        for tuned_on in ("self-play", "strongest")
        for search in _SETTINGS
    )
    setup = (
        "Each search makes at each move as many iterations as the thesis' machine made in the "
        "printed time from the root (Table 4.7). An iteration of OOS here is two of the thesis.",
        "Double-oracle alpha-beta searches 3 joint moves deep for 1 second, and 4 for 5 seconds.",
    )
    yield Composite(
        "thesis",
        "tab4.6",
        "Exploration parameters in Oshi-Zumo(50,3,1)",
        setup,
        sections=sections,
        tests=_tests(),
    )


def _side(section: str, time: str, setting: str) -> Side:
    return Side(section, (time,), (setting,))


def _tests() -> tuple[Test, ...]:
    own = "self-play-"
    return (
        above(
            "duct-better-lower",
            *(
                (_side(f"{own}duct", time, low), _side(f"{own}duct", time, "4"))
                for time in _TIMES
                for low in ("1", "0.6")
            ),
        ),
        above(
            "exp3-better-higher",
            *(
                (_side(f"{own}exp3", time, "0.5"), _side(f"{own}exp3", time, "0.1"))
                for time in _TIMES
            ),
        ),
        not_below(
            "rm-default-best",
            *(
                (_side(f"{own}rm", time, "0.1"), _side(f"{own}rm", time, other))
                for time in _TIMES
                for other in ("0.75", "0.5", "0.3", "0.2")
            ),
        ),
        above(
            "exp3-higher-helps-against-strong",
            (_side("strongest-exp3", "1s", "0.6"), _side("strongest-exp3", "1s", "0.2")),
        ),
        above(
            "more-time-helps-strong",
            *(
                (
                    Side(f"strongest-{search.lower()}", ("1s",), settings),
                    Side(f"strongest-{search.lower()}", ("5s",), settings),
                )
                for search, settings in _SETTINGS.items()
            ),
        ),
    )
