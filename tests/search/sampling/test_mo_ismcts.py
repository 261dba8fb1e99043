"""SO-ISMCTS and MO-ISMCTS: against a slow twin, and what they see and do not see."""

from pathlib import Path

import numpy as np
import pytest
from naive.noticing import events_of
from naive.observers import NaiveEdges
from naive.small_games import ThreeHands, small
from naive.xoshiro import Xoshiro

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.infoset_table import left_as_it_is, new_table, num_sets
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.selection.selectors import UCT, make_selector

SPECS = ["Leduc", "IIGS(4)"]
BOTH = ["single", "multiple"]


def first_decision(game: Game, seat: int, moves: int = 0) -> History:
    """Where ``seat`` decides after the first moves of everybody, and ``moves`` moves or more."""
    history = History(game)
    while history.player != seat or len(history.moves) < moves:
        history = history.child(history.legal_actions()[0])
    return history


def at(search: ISMCTS, history: History, seed: int = 1) -> ISMCTS:
    search.start(history.player, seed)
    search.notice(events_of(history, history.player))
    return search


@pytest.mark.parametrize("observer", BOTH)
@pytest.mark.parametrize("selector", ["uct", "rm"])
@pytest.mark.parametrize("spec", SPECS)
def test_agrees_with_its_twin(spec: str, selector: str, observer: str) -> None:
    game = small(spec)
    for seat in (0, 1):
        search = ISMCTS(game, selector, observer=observer)
        history = first_decision(game, seat, 2)
        at(search, history, 7)
        starts = [
            walked(game, search.belief.moves_to(leaf)) for leaf in range(search.belief.leaves.size)
        ]
        rng = Xoshiro(search._rng.tolist())
        twin = NaiveEdges(game, selector, observer == "single", seat, starts, rng)
        search.think(iterations=150)
        for _ in range(150):
            twin.iterate()
        columns = search.selector.PER_ACTION
        rows = search.table.values[: columns * num_sets(search.table)].reshape(-1, columns)
        slow = np.array([row[:columns] for row in twin.edges.values()])
        assert rows == pytest.approx(slow, rel=1e-9)


def walked(game: Game, moves: list[int]) -> History:
    history = History(game)
    for move in moves:
        history = history.child(move)
    return history


@pytest.mark.parametrize("observer", BOTH)
def test_what_others_saw_before_is_pooled(observer: str) -> None:
    """In Kuhn poker, player 1 answers the bet of a searcher with the queen by one row for both of
    their cards, where information sets have two.
    """
    game = small("Kuhn")
    history = first_decision(game, 0)
    found = at(ISMCTS(game, observer=observer), history)
    found.think(iterations=500)
    own = at(ISMCTS(game), history)
    own.think(iterations=500)
    # edges: pass and bet; two answers to each; and after pass and bet two answers of the searcher
    assert num_sets(found.table) == 2 + 4 + 2
    # sets: one at first, two cards with two things to answer, one at last
    assert num_sets(own.table) == 1 + 4 + 1


def test_the_edges_of_a_game_counted_by_hand() -> None:
    """II-Goofspiel with two cards: a hidden bid, an answer, and the cards that are left."""
    game = small("IIGS(2)")
    # 2 bids; a win and a draw, or a draw and a loss, as answers to each; then one bid and one
    # answer after each of these 4
    single = 2 + 4 + 4 + 4
    # 2 bids; 2 answers in one node, because the bid is hidden; then each player tells 4 nodes apart
    multiple = 2 + 2 + 4 + 4
    for observer, edges in (("single", single), ("multiple", multiple)):
        search = ISMCTS(game, observer=observer)
        search.think(iterations=500)
        assert num_sets(search.table) == edges


@pytest.mark.parametrize("observer", BOTH)
@pytest.mark.parametrize("selector", ["ruct", "exp3"])
def test_all_selection_rules_and_more_players(selector: str, observer: str) -> None:
    game = TreeGame.from_game(ThreeHands())
    for seat in range(3):
        search = at(ISMCTS(game, selector, observer=observer), first_decision(game, seat, 3))
        search.think(iterations=300)
        result = search.result()
        assert result.iterations == 300
        assert result.information_sets == num_sets(search.table) >= 2
        assert search.policy(2).sum() == pytest.approx(1)
        assert (search.weights().values >= 0).all()


def test_where_memory_ends_the_edges_in_memory_are_chosen_from() -> None:
    """Player 1 has ten replies to the first action, and one of them is good. Nine rows are
    enough for that one, and not for all. Replies without a row must not be taken for ever.
    """
    paid = [0.0] * 3 + [-1.0] + [1.0] * 9 + [-0.5]
    game = TreeGame(
        player=np.array([0, 1, 1] + [TERMINAL] * 11),
        first_child=np.array([1, 3, 13] + [0] * 11),
        num_children=np.array([2, 10, 1] + [0] * 11),
        probability=np.ones(14),
        information_set=np.array([0, 1, 2] + [-1] * 11),
        utilities=np.stack([paid, np.negative(paid)], axis=1),
    )
    search = ISMCTS(game, observer="multiple", seed=1)
    search.table = left_as_it_is(new_table(per_action=3, row_actions=10, sets=1))
    search._make_room = lambda: None  # type: ignore[method-assign]
    search.think(iterations=500)
    assert num_sets(search.table) == 9
    assert list(search.policy(2)) == [0, 1]
    assert search.result().refused == 0


def test_refusals(tmp_path: Path) -> None:
    game = small("Kuhn")
    with pytest.raises(OptionError, match="observer='nobody' is not allowed; choose one of: owner"):
        ISMCTS(game, observer="nobody")
    with pytest.raises(OptionError, match="belief='modelled' needs observer=owner"):
        ISMCTS(game, observer="single", belief="modelled")
    with pytest.raises(FileError, match="with observer=single cannot be written to a file"):
        ISMCTS(game, observer="single").save(tmp_path / "search")

    class Remembering(UCT):
        PER_SET = 1

    with pytest.raises(OptionError, match="keeps numbers for each information set"):
        ISMCTS(game, Remembering(1.0), observer="multiple")
    assert make_selector("uct", game) == ISMCTS(game).selector
