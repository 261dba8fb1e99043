"""Who is at a table: which seats of people have a page open, who watches, who lets an engine help,
and who wants a rematch.
"""

from collections.abc import Callable, Collection, Iterable

from hiddenhand.web.views import Onlooker, Plain


class Presence:
    """The people at a table.

    people: the seats of people.
    came: the seats of people whose page was here before.
    keep: the function that keeps the event that a seat came for the first time.
    """

    def __init__(
        self, people: Collection[int], came: Iterable[int], keep: Callable[[Plain], None]
    ) -> None:
        self._people, self._keep = people, keep
        self._came = set(came)
        self._advised = dict[object, int]()
        self.rematch = list[int]()

    @property
    def missing(self) -> list[int]:
        """The seats of people for which no page was ever opened, where several people play."""
        if len(self._people) < 2:
            return []
        return [seat for seat in self._people if seat not in self._came]

    def come(self, onlooker: Onlooker) -> None:
        """A page is opened. If several people play, keep that its seat came."""
        if len(self._people) > 1 and onlooker >= 0 and onlooker not in self._came:
            self._came.add(onlooker)
            self._keep({"event": "came", "seat": onlooker})

    def set_engine(self, page: object, seat: int, is_on: bool) -> bool:
        """A page of a seat turns its engine on or off. Returns whether others must know."""
        before = set(self._advised.values())
        if is_on and len(self._people) > 1:
            self._advised[page] = seat
        else:
            self._advised.pop(page, None)
        return before != set(self._advised.values())

    def ask_for_rematch(self, seat: int) -> bool:
        """A seat wants another match. Returns whether this is new."""
        is_new = seat not in self.rematch
        if is_new:
            self.rematch.append(seat)
        return is_new

    def frame(self, onlookers: Iterable[Onlooker]) -> Plain:
        """The frame for all pages. It tells nothing about the match.

        onlookers: what each page at the table may see.
        """
        present = list(onlookers)
        return {
            "type": "presence",
            "here": sorted({onlooker for onlooker in present if onlooker in self._people}),
            "missing": self.missing,
            "watching": sum(onlooker < 0 for onlooker in present),
            "engines": sorted(set(self._advised.values())),
            "rematch": list(self.rematch),
        }
