"""The tree below a position, as a search knows it, and what may be hidden there."""

from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.small_games import small

from hiddenhand import clock
from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.jit.infoset_table import table_from_arrays
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.strategy import Weights
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.beliefs import ShownBelief, belief_of
from hiddenhand.web.subtree import node_below, reasons
from hiddenhand.web.throttled import Throttled


@pytest.fixture(scope="module")
def search() -> OOS:
    """OOS in the first seat of Kuhn poker, whose player has a card and is to move."""
    game = small("Kuhn")
    history = History(game)
    while history.player == CHANCE:
        history = history.child(history.legal_actions()[0])
    search = OOS(game, seed=1)
    search.start(0, 1)
    events: list[Event] = noticed_by(history, 0)
    search.notice(events)
    search.think(iterations=2000)
    return search


def test_nodes(search: OOS) -> None:
    belief = belief_of(search, 0, [], 1.0)
    assert belief is not None
    own = node_below(search, belief, 0, [])
    assert own["mover"] == 0
    assert own["policy"] == search.policy(2).tolist()
    assert len(own["regrets"]) == 2
    first = own["moves"][0]["action"]
    other = node_below(search, belief, 0, [first])
    assert other["mover"] == 1
    assert sum(other["policy"]) == pytest.approx(1.0)
    assert other["weight"] > 0
    end = node_below(search, belief, 0, [first, other["moves"][0]["action"]])
    assert end["mover"] is None
    assert sum(end["returns"]) == 0
    with pytest.raises(GameError, match="not a legal move"):
        node_below(search, belief, 0, [99])
    with pytest.raises(GameError, match="over before"):
        node_below(search, belief, 0, [first, other["moves"][0]["action"], first])


def test_the_opponent_has_one_of_the_other_cards(search: OOS) -> None:
    belief = belief_of(search, 0, [], 1.0)
    assert belief is not None
    shown = ShownBelief(belief)
    told = shown.shown(search)
    assert [secret["p"] for secret in told["secrets"]] == pytest.approx([0.5, 0.5])
    assert told["histories"] == 2
    leaves = {shown.leaf_of(secret["name"]) for secret in told["secrets"]}
    assert leaves == {0, 1}
    with pytest.raises(OptionError, match="no secret of that name"):
        shown.leaf_of("anything else")


class Knowing:
    """A search that has no belief of its own. It knows how player 1 opens Kuhn poker: with a bet
    if the card is the king, else with a pass.
    """

    def __init__(self) -> None:
        self.game = small("Kuhn")

    def weights(self) -> Weights:
        opening = [History(self.game).child(card).child(0) for card in range(3)]
        keys = np.array([history.information_key for history in opening], np.uint64)
        chances = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).ravel()
        return Weights(keys, np.arange(0, 7, 2), chances)


@pytest.mark.parametrize(("move", "card"), [(1, 2), (0, 0)])
def test_a_belief_for_a_search_that_has_none(move: int, card: int) -> None:
    """Player 2 has the queen. Player 1 has bet, and so has the king; or passed, and the jack."""
    search: Any = Knowing()
    history = History(search.game).child(0).child(0).child(move)
    made = belief_of(search, 1, noticed_by(history, 1), 1.0)
    assert made is not None
    shown = ShownBelief(made)
    (likely,) = [secret for secret in shown.shown(search)["secrets"] if secret["p"] == 1.0]
    assert made.moves_to(shown.leaf_of(likely["name"]))[0] == card


def test_what_takes_long_is_seldom_done(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, StillClock())
    looked: list[int] = []

    def look() -> int:
        clock.sleep(0.01)
        looked.append(1)
        return len(looked)

    seldom = Throttled(look)
    assert [seldom.value() for _ in range(3)] == [1, 1, 1]
    assert seldom.value(now=True) == 2


def test_why_a_search_would_play_so(search: OOS) -> None:
    history = History(search.game).child(0).child(0)
    assert len(reasons(search, history, 2)["regrets"]) == 2
    tree, key = ISMCTS(search.game, seed=1), np.uint64(history.information_key)
    row = {"keys": np.array([key]), "starts": np.array([0, 4]), "layout": np.array([2, 0])}
    tree.table = table_from_arrays(row | {"values": np.array([30.0, 0.0, -15.0, 0.0])})
    assert reasons(tree, history, 2) == {"visits": [30.0, 0.0], "values": [-0.5, None]}
    assert reasons(Knowing(), history, 2) == {}
