"""The tree below a position, as a search knows it, and what may be hidden there."""

import pytest
from naive.small_games import small

from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.web.analysis import noticed_by
from hiddenhand.web.beliefs import ShownBelief, belief_of
from hiddenhand.web.below import node_below


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
    belief = belief_of(search)
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
    belief = belief_of(search)
    assert belief is not None
    shown = ShownBelief(belief)
    told = shown.shown(search)
    assert [secret["p"] for secret in told["secrets"]] == pytest.approx([0.5, 0.5])
    assert told["histories"] == 2
    leaves = {shown.leaf_of(secret["name"]) for secret in told["secrets"]}
    assert leaves == {0, 1}
    with pytest.raises(OptionError, match="nothing of that name"):
        shown.leaf_of("anything else")
