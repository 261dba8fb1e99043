"""Rules that break a law in a rarely reached state end the search with one message that tells
where, and never the process.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from naive.rarely_broken import FAULTS, RarelyBroken

from hiddenhand import ISMCTS, MCCR, OOS, make_player, play_match, unroll
from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.jit.methods import is_guarded

TOLD = {
    "too many actions": "legal_actions",
    "no action": "legal_actions",
    "too deep": "max_depth",
    "writes beyond the state": "apply_action",
    "writes beyond the actions": "legal_actions",
    "tells a player too many": "apply_action",
    "player 7": "current_player is 7",
    "negative probability": "probabilities",
    "NaN probability": "probabilities",
    "NaN payoff": "returns|paid",
    "payoff beyond max_utility": "paid",
}
SEARCHES: dict[str, Callable[[RarelyBroken], object]] = {
    "oos": lambda game: OOS(game, seed=1).run(iterations=100_000),
    "ismcts": lambda game: ISMCTS(game, "rm", seed=1).run(iterations=100_000),
    "unroll": unroll,
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("fault", FAULTS[1:])
def test_a_broken_law_is_told_with_the_way_there(fault: str, search: str) -> None:
    with pytest.raises(HiddenhandError, match=TOLD[fault]) as caught:
        SEARCHES[search](RarelyBroken(FAULTS.index(fault)))
    assert "after the moves (" in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("fault", ["too deep", "writes beyond the state", "NaN payoff"])
def test_in_the_middle_of_a_match_too(fault: str) -> None:
    game = RarelyBroken(FAULTS.index(fault))
    for name in ("ismcts(selector=rm)", "mccr", "pimc"):
        players = [make_player(game, name) for _ in range(2)]
        with pytest.raises(HiddenhandError, match=TOLD[fault]):
            play_match(game, players, 1, [Budget(iterations=200_000)] * 2)


def test_resolving_is_guarded_where_nobody_knows_the_way() -> None:
    game = RarelyBroken(FAULTS.index("no action"))
    with pytest.raises(HiddenhandError, match="legal_actions"):
        MCCR(game, baseline="predictive", seed=1).think(iterations=100_000)


def test_ours_are_guarded_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_guarded(RarelyBroken)
    assert not is_guarded(KuhnPoker)
    monkeypatch.setenv("HIDDENHAND_GUARD", "all")
    assert is_guarded(KuhnPoker)


def test_actions_beyond_32_bits_are_told_before_a_tree_forgets_half_of_them() -> None:
    @dataclass(frozen=True)
    class LargeActions(KuhnPoker):
        def legal_actions(self, state, player, actions):
            actions[0], actions[1] = 0, 1 << 40
            return 2

    with pytest.raises(HiddenhandError, match="from 0 to 2147483647"):
        unroll(LargeActions())
    with pytest.raises(HiddenhandError, match="from 0 to 2147483647"):
        unroll(LargeActions(), verified=True)  # the guards see it, too
