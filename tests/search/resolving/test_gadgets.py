"""Gadget games written out: they preserve the opponent's values, and an equilibrium stays one
(Sustr, Kovarik and Lisy 2019, Lemmata 3.4 and 3.5).
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from covering import covering
from naive.behaviour import random_profile
from naive.gadget_games import gadget_game
from naive.resolving import frontier_of, prefixes, public_states, tree_of, upper_frontier

from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.observation_keys import mix
from hiddenhand.search.resolving.exact import _gifts, name_histories
from hiddenhand.search.resolving.gadget_tree import num_choices, write_gadget
from hiddenhand.search.resolving.gadgets import FOLLOW, GADGETS, Gadget, build_gadget, choice_keys
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import (
    best_response,
    expected_values,
    history_values,
    reach_probabilities,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]

WHOLLY = ("Kuhn", "coordination_game", "BRPS(10)", "hidden turns")  # all public states
IN_PART = ("Leduc", "LD(1,1,3)", "IIGS(4)", "goofspiel(num_cards=3)")  # some
SOME = 4


def states_of(spec: str) -> Iterator[list[int]]:
    """The upper frontiers of the public states, or of some."""
    tree = tree_of(spec)
    states = [upper_frontier(tree, histories) for histories in public_states(tree).values()]
    if spec in IN_PART:
        chosen = np.random.default_rng(1).choice(len(states), SOME, replace=False)
        states = [states[number] for number in chosen]
    yield from states


def gadget_of(
    tree: GameTree,
    frontier: Sequence[int],
    resolver: int,
    profile: Floats,
    values: Floats,
    floor: float | None = None,
) -> Gadget:
    """The gadget of those histories. values: ``float64[H]``, what each history is worth to the
    opponent.
    """
    reach = reach_probabilities(tree, profile)
    return build_gadget(
        tree.game,
        frontier_of(tree, frontier, reach),
        resolver,
        values[list(frontier)],
        np.zeros(len(frontier)),
        floor,
    )


def nodes_of(tree: GameTree, written: GameTree, gadget: Gadget) -> list[int]:
    """For each history of a gadget game that is written out the history of the game, -1 where it is
    none, -2 where the opponent is to choose.
    """
    found = [-1] * written.num_histories
    for node in range(1, written.num_histories):
        before = int(written.parent[node])
        index = node - int(written.first_child[before])
        if found[before] >= 0:
            found[node] = int(tree.first_child[found[before]]) + index
        elif written.player[before] == CHANCE:
            drawn = int(written.action[node])
            chooses = written.num_children[node] == 2 and int(
                written.information_set[node]
            ) in choices_of(written, gadget)
            found[node] = -2 if chooses else int(gadget.state[drawn, 0])
        elif found[before] == -2 and index == FOLLOW:
            found[node] = int(gadget.state[written.action[before], 0])
    return found


def choices_of(written: GameTree, gadget: Gadget) -> set[int]:
    """The opponent's sets at the gadget."""
    keys = {int(mix(np.uint64(key))) for key in gadget.keys[:, 1 - gadget.resolver]}
    return {number for number in range(written.num_sets) if int(written.set_key[number]) in keys}


def combined(
    tree: GameTree, profile: Floats, written: GameTree, solution: Floats, players: Sequence[int]
) -> Floats:
    """``profile`` with what ``players`` do in the gadget game put in."""
    new = profile.copy()
    for number in range(written.num_sets):
        if (
            int(written.set_player[number]) in players
            and int(written.set_key[number]) in tree._set_by_key
        ):
            here, there = (
                tree.find_set(int(written.set_key[number])),
                slice(written.set_start[number], written.set_start[number + 1]),
            )
            new[tree.set_start[here] : tree.set_start[here + 1]] = solution[there]
    return new


def values_of(tree: GameTree, profile: Floats, opponent: int) -> Floats:
    """``float64[H]``: what each history is worth to an opponent who answers ``profile`` as well as
    possible in every set.
    """
    return history_values(tree, best_response(tree, profile, opponent).profile)[:, opponent]


# --- Lemma 3.4 ---


@pytest.mark.parametrize("spec", [*WHOLLY, *IN_PART])
def test_the_gadget_preserves_the_opponents_values(spec: str) -> None:
    """Whatever both play: sums over the upper frontier of each augmented set, which the gadget
    divides by sum_S pi_{-o}(h).
    """
    tree, random = tree_of(spec), np.random.default_rng(3)
    profile = random_profile(tree, 5)
    for frontier in states_of(spec):
        for resolver in range(2):
            opponent, reach = 1 - resolver, reach_probabilities(tree, profile)
            others = reach[:, resolver] * reach[:, -1]
            if not others[frontier].sum() > 0:
                continue
            gadget = gadget_of(
                tree, frontier, resolver, profile, random.normal(size=tree.num_histories)
            )
            written = unroll(gadget_game(tree.game, gadget, "resolving"), verified=True)
            played = random_profile(written, 6)
            new = combined(tree, profile, written, played, (0, 1))
            nodes, there = nodes_of(tree, written, gadget), reach_probabilities(written, played)
            found = opponents_values(
                tree,
                nodes,
                there[:, resolver] * there[:, -1] * history_values(written, played)[:, opponent],
                opponent,
            )
            reach = reach_probabilities(tree, new)
            worth = reach[:, resolver] * reach[:, -1] * history_values(tree, new)[:, opponent]
            below = [
                node for node in range(tree.num_histories) if is_below(tree, node, set(frontier))
            ]
            expected = opponents_values(tree, below, worth[below], opponent)
            assert found
            for key, value in found.items():
                assert value * others[frontier].sum() == pytest.approx(expected[key], abs=1e-12)


def is_below(tree: GameTree, node: int, frontier: set[int]) -> bool:
    return node in frontier or any(before in frontier for before in prefixes(tree, node))


def opponents_values(
    tree: GameTree, nodes: Sequence[int], worth: Floats, opponent: int
) -> dict[int, float]:
    """From an augmented set of the opponent to the sum of ``worth`` over its upper frontier;
    ``worth`` is by place in ``nodes``.
    """
    place = {
        node: number
        for number, node in enumerate(nodes)
        if node >= 0 and tree.player[node] != TERMINAL
    }
    sums: dict[int, float] = {}
    for node, where in place.items():
        key = tree.keys[node, opponent]
        if not any(
            before in place and tree.keys[before, opponent] == key
            for before in prefixes(tree, node)
        ):
            sums[int(key)] = sums.get(int(key), 0.0) + worth[where]
    return sums


# --- Lemma 3.5 ---


@pytest.mark.parametrize("kind", GADGETS)
@pytest.mark.parametrize("spec", [*WHOLLY, *IN_PART])
def test_optimal_resolving(spec: str, kind: str) -> None:
    """An equilibrium, with a part of it solved again by any gadget, is not exploitable; nor is it
    with a floor in the root's distribution.
    """
    tree = tree_of(spec)
    solved = solve_lp(tree)
    trunk, solved_states = solved.profile, 0
    for frontier in states_of(spec):
        for resolver in range(2):
            values = values_of(tree, trunk, 1 - resolver)
            gifts = (
                gifts_by_hand(tree, trunk, 1 - resolver)
                if kind == "reach"
                else np.zeros(tree.num_histories)
            )
            for floor in (None, 0.1):
                found = frontier_of(tree, frontier, reach_probabilities(tree, trunk))
                gadget = build_gadget(
                    tree.game, found, resolver, values[frontier], gifts[frontier], floor
                )
                written = unroll(gadget_game(tree.game, gadget, kind), verified=True)
                new = combined(tree, trunk, written, solve_lp(written).profile, (resolver,))
                before, after = (
                    best_response(tree, profile, 1 - resolver).value for profile in (trunk, new)
                )
                assert after <= before + 1e-7 * tree.game.max_utility
                solved_states += 1
    assert solved_states >= 2 * 2


def test_without_the_right_values_resolving_is_exploitable() -> None:
    """So the test above can fail: if the opponent's sets are thought to be worth nothing, in some
    public state of Kuhn poker something is lost.
    """
    tree = tree_of("Kuhn")
    trunk, lost = solve_lp(tree).profile, list[float]()
    for frontier in states_of("Kuhn"):
        for resolver in range(2):
            gadget = gadget_of(tree, frontier, resolver, trunk, np.full(tree.num_histories, 0.0))
            written = unroll(gadget_game(tree.game, gadget, "resolving"), verified=True)
            new = combined(tree, trunk, written, solve_lp(written).profile, (resolver,))
            lost.append(
                best_response(tree, new, 1 - resolver).value
                - best_response(tree, trunk, 1 - resolver).value
            )
    assert max(lost) > 0.01


def gifts_by_hand(tree: GameTree, profile: Floats, opponent: int) -> Floats:
    """What ``opponent`` gave away on the way to each history by not answering as well as possible,
    in payoffs at the sets where that was.
    """
    response = best_response(tree, profile, opponent).profile
    reach, worth = reach_probabilities(tree, response), history_values(tree, response)[:, opponent]
    others = reach[:, 1 - opponent] * reach[:, -1]
    gifts = np.zeros(tree.num_histories)
    for h in range(1, tree.num_histories):
        before = int(tree.parent[h])
        gifts[h] = gifts[before]
        if tree.player[before] == opponent:
            own = np.flatnonzero(tree.information_set == tree.information_set[before])
            mass = others[own].sum()
            if mass > 0:
                by_action = [
                    (others[own] * worth[tree.first_child[own] + a]).sum() / mass
                    for a in range(tree.num_children[before])
                ]
                gifts[h] += max(by_action) - by_action[h - tree.first_child[before]]
    return gifts


@pytest.mark.parametrize("spec", ["Kuhn", "hidden turns"])
def test_gifts(spec: str) -> None:
    tree = tree_of(spec)
    for opponent in range(2):
        profile = random_profile(tree, 7)
        found = _gifts(tree, best_response(tree, profile, opponent).profile, opponent)
        expected = gifts_by_hand(tree, profile, opponent)
        np.testing.assert_allclose(found, expected, atol=1e-12)
        assert expected.max() > 0.1


# --- payoffs of terminating, and who may ---


def test_terminate_payoffs_are_means_by_the_others_reach() -> None:
    tree, profile = tree_of("Leduc"), random_profile(tree_of("Leduc"), 8)
    reach, random = reach_probabilities(tree, profile), np.random.default_rng(9)
    frontier = max(states_of("Leduc"), key=len)
    values = random.uniform(-5, 5, size=tree.num_histories)
    for resolver in range(2):
        gadget = gadget_of(tree, frontier, resolver, profile, values)
        for number, h in enumerate(frontier):
            own = [g for g in frontier if tree.keys[g, 1 - resolver] == tree.keys[h, 1 - resolver]]
            mass = reach[own, resolver] * reach[own, -1]
            expected = (
                np.average(values[own], weights=mass) if mass.sum() > 0 else values[own].mean()
            )
            assert gadget.payoff[gadget.set[number]] == pytest.approx(expected)
        others = reach[frontier, resolver] * reach[frontier, -1]
        np.testing.assert_allclose(gadget.probability, others / others.sum())


def test_payoffs_stay_within_what_the_game_can_pay() -> None:
    tree = tree_of("Kuhn")
    frontier = max(states_of("Kuhn"), key=len)
    gadget = gadget_of(
        tree, frontier, 0, solve_lp(tree).profile, np.full(tree.num_histories, 100.0)
    )
    assert gadget.payoff.tolist() == [2.0] * gadget.payoff.size


def test_missing_values() -> None:
    """A set of which some histories are known has their mean; one of which none is, the mean of all
    others; nothing known, nobody may terminate.
    """
    tree = tree_of("Kuhn")
    frontier = max(states_of("Kuhn"), key=len)
    profile = solve_lp(tree).profile
    sets = tree.keys[frontier, 1]
    values = np.full(tree.num_histories, np.nan)
    known = np.flatnonzero(sets == sets[0])
    values[np.array(frontier)[known[0]]] = 0.5
    gadget = gadget_of(tree, frontier, 0, profile, values)
    assert gadget.payoff.tolist() == [0.5] * gadget.payoff.size
    assert gadget.may_terminate.all()
    nothing = gadget_of(tree, frontier, 0, profile, np.full(tree.num_histories, np.nan))
    assert not nothing.may_terminate.any()


# --- the games as games ---


def test_max_margin_maximises_the_smallest_margin() -> None:
    """A frontier in which the opponent loses something anyhow: the resolving gadget is content, the
    max-margin one takes as much as it can.
    """
    tree = tree_of("Kuhn")
    trunk = random_profile(tree, 15)
    better = 0
    for frontier in states_of("Kuhn"):
        values = values_of(tree, trunk, 1)
        gadget = gadget_of(tree, frontier, 0, trunk, values)
        if not gadget.may_terminate.any():
            continue
        margins = []
        for kind in ("resolving", "max_margin"):
            written = unroll(gadget_game(tree.game, gadget, kind), verified=True)
            new = combined(tree, trunk, written, solve_lp(written).profile, (0,))
            worth = gadget_of(tree, frontier, 0, trunk, values_of(tree, new, 1)).payoff
            margins.append(float((gadget.payoff - worth).min()))
            if kind == "max_margin":
                assert solve_lp(written).values[0] == pytest.approx(margins[-1], abs=1e-9)
        assert margins[1] >= margins[0] - 1e-9
        assert min(margins) >= -1e-9
        better += margins[1] > margins[0] + 1e-6
    assert better > 0


# --- written out without the gadget game's own rules ---


def on_sets(written: GameTree, other: GameTree, profile: Floats) -> Floats:
    """``profile`` of one tree on the sets of another, which are among those of the first."""
    found = np.ones(other.num_sequences)
    for number, key in enumerate(other.set_key):
        there = written.find_set(int(key))
        found[other.set_start[number] : other.set_start[number + 1]] = profile[
            written.set_start[there] : written.set_start[there + 1]
        ]
    return found


@covering("spec, kind", [*WHOLLY, *IN_PART], GADGETS, together=1, times=2)
def test_a_gadget_is_written_out_as_its_rules_say(spec: str, kind: str) -> None:
    """The same sets, but for those in which everything is forced, and whatever both play, the same
    values and best responses; the same names of histories.
    """
    tree, random = tree_of(spec), np.random.default_rng(7)
    draws = tree.game.draws_chance
    profile = random_profile(tree, 5)
    for frontier in states_of(spec):
        for resolver in range(2):
            worth = random.normal(size=tree.num_histories)
            gadget = gadget_of(tree, frontier, resolver, profile, worth, floor=0.3)
            slow = unroll(gadget_game(tree.game, gadget, kind))
            quick = write_gadget(tree.game, gadget, kind)
            assert set(quick.set_key.tolist()) <= set(slow.set_key.tolist())
            forced = ~np.isin(slow.set_key, quick.set_key)
            assert (np.diff(slow.set_start)[forced] == 1).all()
            chooses = np.isin(quick.set_key, choice_keys(gadget, kind))
            count = num_choices(gadget, kind)
            assert chooses[:count].all()
            assert not chooses[count:].any()
            for seed in range(2):
                played = random_profile(slow, seed)
                same = on_sets(slow, quick, played)
                assert expected_values(quick, same) == pytest.approx(expected_values(slow, played))
                for player in range(2):
                    assert best_response(quick, same, player).value == pytest.approx(
                        best_response(slow, played, player).value
                    )
            names, drawn = name_histories(quick, gadget, kind, draws_chance=draws)
            all_names, all_drawn = name_histories(slow, gadget, kind, draws_chance=draws)
            pairs = set(zip(all_names.tolist(), all_drawn.tolist(), strict=True))
            assert set(zip(names.tolist(), drawn.tolist(), strict=True)) <= pairs
            there = history_values(slow, played)[:, 0]
            worth_of = dict(zip(all_names.tolist(), there, strict=True))
            for name, value in zip(names.tolist(), history_values(quick, same)[:, 0], strict=True):
                assert not name or value == pytest.approx(worth_of[name])


def test_a_gadget_that_is_too_large_is_refused() -> None:
    tree = tree_of("Leduc")
    frontier = max(states_of("Leduc"), key=len)
    gadget = gadget_of(tree, frontier, 0, random_profile(tree, 1), np.zeros(tree.num_histories))
    histories = write_gadget(tree.game, gadget, "resolving").num_histories
    assert write_gadget(tree.game, gadget, "resolving", histories).num_histories == histories
    with pytest.raises(TooLargeError, match=f"more than {histories - 1:,} histories"):
        write_gadget(tree.game, gadget, "resolving", histories - 1)
