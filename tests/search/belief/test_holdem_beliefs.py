"""Beliefs in Limit Hold'em: all holdings of one opponent, a sample of those of two."""

import random
from collections.abc import Iterator

import pytest

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.search.belief.belief import Belief

# how many holdings of two cards are left for others on the board before and on each round
LEFT = {4: 1225, 7: 1081, 8: 1035, 9: 990}


def followed(
    game: LimitHoldem, observer: int, chooser: random.Random
) -> Iterator[tuple[History, Belief, int]]:
    """A random hand without folds, wherever ``observer`` is to move; with it the observer's belief,
    and the number of cards that were dealt.
    """
    here, belief, news = History(game), Belief(game, observer), list[Event]()
    while not here.is_terminal:
        if here.player == observer:
            belief.notice(news, iterations=500)
            news.clear()
            yield here, belief, sum(mover == CHANCE for mover in here.movers)
        if here.player == CHANCE:
            moves = [card for card, _ in here.chance_outcomes()]
        else:
            moves = [action for action in here.legal_actions() if action != game.FOLD]
        here = here.child(chooser.choice(moves))
        event = here.noticed(observer)
        if event is not None:
            news.append(event)


@pytest.mark.parametrize("observer", [0, 1])
def test_of_two_players_all_holdings_of_the_other_are_possible(observer: int) -> None:
    seen = set()
    for here, belief, dealt in followed(LimitHoldem(), observer, random.Random(observer)):
        assert belief.leaves.size == LEFT[dealt]
        assert not belief.is_sample
        assert belief.information_key == here.information_key
        seen.add(dealt)
    assert seen == set(LEFT)


def test_of_three_players_a_sample_lives_to_the_end() -> None:
    seen = set()
    for here, belief, dealt in followed(LimitHoldem(3), 2, random.Random(1)):
        assert belief.leaves.size > 100
        assert belief.is_sample
        assert belief.recoveries == 0
        assert belief.information_key == here.information_key
        seen.add(dealt)
    assert seen == {6, 9, 10, 11}
