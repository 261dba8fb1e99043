"""`check` holds games that draw their chance to what they say chance is."""

import pytest
from naive.drawn_games import UNLISTED_KUHN, DrawnKuhn, FiveCards, LoadedKuhn

from hiddenhand.errors import ConformanceError, GameError
from hiddenhand.games import check
from hiddenhand.games.history import History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.validation.chance_frequencies import DRAWN
from hiddenhand.games.validation.inspector import Inspector


@pytest.mark.parametrize("game", [DrawnKuhn(), DrawnKuhn(num_cards=8), UNLISTED_KUHN, FiveCards()])
def test_honest_games_keep_the_law(game: KuhnPoker) -> None:
    report = check(game, plays=20)
    assert DRAWN in report.laws
    # of outcomes that are drawn and not listed, some are always missed
    assert report.enumerated == game.lists_chance
    assert (report.histories > 0) == game.lists_chance


def test_each_play_meets_other_outcomes() -> None:
    inspector = Inspector(FiveCards())
    first, second = (inspector.visit(inspector.root()).moves for _ in range(2))
    assert not set(first) & set(second)


def test_a_game_that_lists_is_not_asked() -> None:
    assert DRAWN not in check(KuhnPoker(), plays=20).laws


def test_a_loaded_deck_is_found() -> None:
    with pytest.raises(
        ConformanceError,
        match=r"sample_chance draws the outcomes .* outcome 0 is drawn .* times in 20000",
    ):
        check(LoadedKuhn(), plays=20)


def test_histories_draw_what_the_game_draws() -> None:
    history = History(UNLISTED_KUHN)
    with pytest.raises(GameError, match="does not list the outcomes"):
        history.chance_outcomes()
    assert history.child(2).child(0).legal_actions() == [0, 1]
