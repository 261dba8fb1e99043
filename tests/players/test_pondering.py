"""A player who thinks while it is the others' turn."""

import pytest
from naive.small_games import small
from table_pages import wait_until

from hiddenhand import clock, make_player, play_match
from hiddenhand.budget import Budget
from hiddenhand.errors import GameError, PlayerError
from hiddenhand.players import pondering
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Player
from hiddenhand.players.pondering import PonderingPlayer
from hiddenhand.players.search_player import SearchPlayer


class Slow(RandomPlayer):
    """Takes as long for each move as the other player needs for some iterations.

    other: the other player.
    iterations: how many iterations the other search has made when the move is made.
    """

    def __init__(self, other: Player, iterations: int = 0) -> None:
        super().__init__()
        self.other = other
        self.iterations = iterations

    def act(self, events, legal_actions, budget):  # type: ignore[no-untyped-def]
        wait_until(lambda: iterations_of(self.other) >= self.iterations)
        return super().act(events, legal_actions, budget)


def iterations_of(player: Player) -> float:
    assert isinstance(player, SearchPlayer)
    return player.search.thought()["iterations"]


def iterations_in_a_match(spec: str, wanted: int = 0) -> float:
    player = make_player(small("Kuhn"), spec)
    play_match(
        small("Kuhn"), [player, Slow(player, wanted)], seed=2, budgets=[Budget(iterations=10)] * 2
    )
    return iterations_of(player)


def test_it_makes_use_of_the_time_of_others() -> None:
    assert iterations_in_a_match("oos") <= 20
    assert iterations_in_a_match("oos(ponder=false)") <= 20
    assert iterations_in_a_match("oos(ponder=true)", 1000) > 1000


def test_nothing_goes_on_after_a_match() -> None:
    player = make_player(small("Kuhn"), "auto(ponder=true)")
    assert isinstance(player, PonderingPlayer)
    play_match(small("Kuhn"), [player, Slow(player)], seed=2, budgets=[Budget(iterations=10)] * 2)
    assert player._pondering is None


def test_nothing_goes_on_after_a_match_that_failed() -> None:
    class Leaves(RandomPlayer):
        def act(self, events, legal_actions, budget):  # type: ignore[no-untyped-def]
            raise PlayerError("I leave")

    player = make_player(small("Kuhn"), "oos(ponder=true)")
    assert isinstance(player, PonderingPlayer)
    with pytest.raises(PlayerError, match="I leave"):
        play_match(small("Kuhn"), [player, Leaves()], seed=2, budgets=[Budget(iterations=10)] * 2)
    assert player._pondering is None


@pytest.mark.slow
@pytest.mark.timed
def test_to_stop_takes_a_part_of_the_move_s_time(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, given = pondering._Pondering.stop, list[float]()

    def slow(self: pondering._Pondering) -> None:
        clock.sleep(0.2)
        stop(self)

    player = make_player(small("Kuhn"), "oos(ponder=true)")
    assert isinstance(player, PonderingPlayer)
    player.start(small("Kuhn"), 0, 1)
    player.act([], [0, 1], Budget(seconds=0.25))
    monkeypatch.setattr(pondering._Pondering, "stop", slow)
    think = player.search.think

    def timed(iterations, seconds, *more):  # type: ignore[no-untyped-def]
        given.append(seconds)
        think(iterations, seconds, *more)

    player.search.think = timed  # type: ignore[method-assign]
    player.act([], [0, 1], Budget(seconds=0.25))
    player.rest()
    assert given[0] < 0.06


def test_what_fails_meanwhile_is_raised_with_the_next_events() -> None:
    player = make_player(small("Kuhn"), "oos(ponder=true)")
    assert isinstance(player, PonderingPlayer)

    def fails(*arguments: object) -> None:
        raise GameError("the rules are broken")

    player.start(small("Kuhn"), 0, 1)
    player.search.notice([])
    player.act([], [0, 1], Budget(iterations=10))
    player.rest()
    player.search.think = fails  # type: ignore[method-assign,assignment]
    with pytest.raises(GameError, match="the rules are broken"):
        player.act([], [0, 1], Budget(iterations=10))
    assert player._pondering is None
