"""Resolving down the public tree: which places there are, in which order they are come to, and that
every search goes on from the right one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from naive.noticing import events_of
from naive.resolving import SMALL_GAMES, history_at, prefixes, tree_of

from hiddenhand.budget import Budget
from hiddenhand.evaluation.top_down import (
    PublicPlace,
    public_tree,
    search_everywhere,
    with_choices,
)
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import Branching
from hiddenhand.search.resolving.exact import CR
from hiddenhand.search.resolving.mccr import MCCR
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree


def ways_of(tree: GameTree, seat: int) -> list[tuple[list[int], np.ndarray]]:
    """For each public state in which ``seat`` moves, in any order, the moves to a history of it,
    and the keys of the sets there.
    """
    places: dict[int, list[int]] = {}
    for h in np.flatnonzero(tree.player == seat):
        places.setdefault(int(tree.keys[h, -1]), []).append(int(h))
    ways = [
        (tree.path(histories[0]), np.unique(tree.set_key[tree.information_set[histories]]))
        for histories in places.values()
    ]
    return [ways[number] for number in np.random.default_rng(1).permutation(len(ways))]


def flat(
    forest: Sequence[PublicPlace], above: PublicPlace | None = None
) -> list[tuple[PublicPlace, PublicPlace | None]]:
    return [pair for place in forest for pair in ((place, above), *flat(place.below, place))]


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_each_public_state_hangs_below_the_last_one_in_which_the_player_may_have_moved(
    spec: str,
) -> None:
    tree = tree_of(spec)
    for seat in range(2):
        found = flat(public_tree(tree.game, seat, ways_of(tree, seat)))
        public = {
            int(tree.set_key[tree.information_set[h]]): int(tree.keys[h, -1])
            for h in np.flatnonzero(tree.player == seat)
        }
        assert sorted(int(key) for place, _ in found for key in place.sets) == sorted(public)
        assert len({public[int(place.sets[0])] for place, _ in found}) == len(found)
        for place, above in found:
            assert len({public[int(key)] for key in place.sets}) == 1
            h = next(
                h
                for h in np.flatnonzero(tree.player == seat)
                if int(tree.set_key[tree.information_set[h]]) in place.sets.tolist()
            )
            here = int(tree.keys[h, -1])
            passed = [
                int(tree.keys[g, -1])
                for g in prefixes(tree, int(h))
                if int(tree.keys[g, -1]) in public.values() and int(tree.keys[g, -1]) != here
            ]
            assert (public[int(above.sets[0])] if above else None) == (
                passed[0] if passed else None
            )


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_events_lead_there(spec: str) -> None:
    tree = tree_of(spec)
    for seat in range(2):
        events = {
            tuple(events_of(history_at(tree, int(h)), seat)): int(
                tree.set_key[tree.information_set[h]]
            )
            for h in np.flatnonzero(tree.player == seat)
        }
        for place, _ in flat(public_tree(tree.game, seat, ways_of(tree, seat))):
            assert events[tuple(place.events)] in place.sets.tolist()


def asked_below(place: PublicPlace) -> list[int]:
    return [*place.sets.tolist(), *(key for below in place.below for key in asked_below(below))]


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_places_are_left_out_where_nothing_is_asked_for_from_there_on(spec: str) -> None:
    tree = tree_of(spec)
    is_choice = dict(zip(tree.set_key.tolist(), np.diff(tree.set_start) > 1, strict=True))
    for seat in range(2):
        ways = [
            (moves, np.array([key for key in keys.tolist() if is_choice[key]], np.uint64))
            for moves, keys in ways_of(tree, seat)
        ]
        full = public_tree(tree.game, seat, ways)
        kept = flat(with_choices(full))
        wanted = [(place, above) for place, above in flat(full) if asked_below(place)]
        assert [
            (place.events, place.sets.tolist(), above and above.events) for place, above in kept
        ] == [
            (place.events, place.sets.tolist(), above and above.events) for place, above in wanted
        ]


class Recording:
    """A search that says where it has thought. path: the events of each branching on the way to
    it.
    """

    def __init__(self, tree: GameTree, path: tuple[tuple[Event, ...], ...] = ()) -> None:
        self.tree, self.game, self.path = tree, tree.game, path
        self.thoughts: list[int] = []

    def start(self, seat: int, seed: int) -> None: ...

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None: ...

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.thoughts.append(iterations or 0)

    def policy(self, num_actions: int) -> np.ndarray:
        return np.full(num_actions, 1.0 / num_actions)

    def weights(self) -> Weights:
        """Of all sets, the number of branchings and of thoughts, and one more."""
        starts = self.tree.set_start.astype(np.int64) - self.tree.num_players
        return Weights(
            self.tree.set_key,
            starts,
            np.full(starts[-1], 100.0 * len(self.path) + sum(self.thoughts)),
        )

    def thought(self) -> Mapping[str, float]:
        return {}

    def branch(self, events: Sequence[Event]) -> "Recording":
        return Recording(self.tree, (*self.path, tuple(events)))


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(4)", "hidden turns"])
def test_every_set_gets_what_was_found_in_its_own_public_state(spec: str) -> None:
    """After one thought at the root, one in each place on the way, and each place reached by
    branching from the one above.
    """
    tree = tree_of(spec)
    for seat in range(2):
        forest = public_tree(tree.game, seat, ways_of(tree, seat))
        search = Recording(tree)
        found = search_everywhere(search, Budget(7), Budget(9), forest)
        assert search.thoughts == [9]
        depth = {}

        def measure(
            places: Sequence[PublicPlace], deep: int, depth: dict[int, int] = depth
        ) -> None:
            for place in places:
                depth.update(dict.fromkeys(place.sets.tolist(), deep))
                measure(place.below, deep + 1)

        measure(forest, 1)
        assert sorted(found.keys.tolist()) == sorted(depth)
        for row, key in enumerate(found.keys.tolist()):
            n = int(np.diff(tree.set_start)[tree.find_set(key)])
            assert (
                found.values[found.starts[row] : found.starts[row + 1]].tolist()
                == [100.0 * depth[key] + 7] * n
            )


def test_who_can_branch() -> None:
    game: Game = tree_of("Kuhn").game
    assert isinstance(CR(game), Branching)
    assert isinstance(MCCR(game), Branching)


def test_nothing_to_do_is_done() -> None:
    found = search_everywhere(Recording(tree_of("Kuhn")), Budget(1), Budget(1), [])
    assert (found.keys.size, found.starts.tolist(), found.values.size) == (0, [0], 0)
