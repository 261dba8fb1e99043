"""Redetermined iterations: each player learns from their own perspective."""

import pytest
from naive.noticing import events_of
from naive.small_games import small

from hiddenhand.games.base import Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.ris_mcts import HISTORIES


def at(search: ISMCTS, history: History, seed: int = 1) -> ISMCTS:
    search.start(history.player, seed)
    search.notice(events_of(history, history.player))
    return search


def middle_of(game: Game, seat: int) -> History:
    """A history in the middle of a game, in which ``seat`` is to move."""
    return next(h for h in all_histories(game) if h.player == seat and len(h.moves) >= 3)


@pytest.mark.parametrize("spec", ["Kuhn", "LD(1,1,3)"])
def test_starts_are_histories_that_their_player_cannot_tell_from_the_universe(spec: str) -> None:
    game = small(spec)
    for seat in (0, 1):
        history = middle_of(game, seat)
        search = at(ISMCTS(game, redetermined=True), history)
        universes, other = search._universes, 1 - seat
        possible = {(h.key(0), h.key(1)): h for h in all_histories(game) if h.player == seat}
        keys = universes.keys.reshape(-1, 2, HISTORIES, 3)
        seen = set()
        for universe in keys:
            assert (universe[seat] == universe[seat, 0]).all()
            assert (universe[other, :, other] == universe[seat, 0, other]).all()
            assert universe[seat, 0, seat] == history.key(seat)
            for own, theirs, _ in universe[other].tolist():
                assert (own, theirs) in possible
                seen.add((own, theirs)[seat])
        assert len(seen) > 1  # not all of them have the searcher's own cards


def test_others_do_not_learn_to_play_against_cards_they_do_not_see() -> None:
    """In Kuhn poker, the searcher holds the king and bets. Who answers with the queen loses
    against the king, and so, learning against nothing else, does not call; in truth the bet may
    come with a jack, and who bets with both cards alike is worth a call.
    """
    game = small("Kuhn")
    king = History(game).child(2).child(1)
    queen = king.child(1)  # the same deal, after the bet
    calls = []
    for redetermined in (False, True):
        search = at(ISMCTS(game, "rm", redetermined=redetermined), king)
        search.think(iterations=20_000)
        known = search.strategy().at(queen.information_key)
        assert known is not None
        calls.append(known[1])
    assert calls[0] < 0.05
    assert calls[1] > 0.1
