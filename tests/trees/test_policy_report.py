"""Strategies in words: reach and regret by enumeration, lookups, and beliefs."""

import numpy as np
import pytest
from naive.behaviour import behaviour_of, random_profile
from naive.small_trees import tree_of

from hiddenhand import load_game
from hiddenhand.errors import FileError, GameError, OptionError
from hiddenhand.games.history import History
from hiddenhand.trees.policy_report import belief, events_in_words, history_after
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import strategy_from_profile


def worth(history: History, played: dict[int, dict[int, float]], player: int) -> float:
    """What ``player`` earns on average from ``history`` on, by its definition."""
    if history.is_terminal:
        return history.returns()[player]
    chances = (
        history.chance_outcomes()
        if history.player < 0
        else list(played[history.information_key].items())
    )
    return sum(p * worth(history.child(move), played, player) for move, p in chances)


def chance_of(history: History, played: dict[int, dict[int, float]], but: int | None) -> float:
    """The probability of ``history``, without the part of player ``but``."""
    found, here = 1.0, History(history.game)
    for move in history.moves:
        if here.player < 0:
            found *= dict(here.chance_outcomes())[move]
        elif here.player != but:
            found *= played[here.information_key][move]
        here = here.child(move)
    return found


def test_reach_and_regret_are_those_of_their_definitions() -> None:
    tree = tree_of("Kuhn")
    profile = random_profile(tree, 3)
    played = behaviour_of(tree, profile)
    table = strategy_from_profile(tree, profile).table(tree)
    assert len(table) == tree.num_sets
    for number, entry in enumerate(table):
        members = [tree.history(h) for h in np.flatnonzero(tree.information_set == number)]
        assert entry.reach == pytest.approx(sum(chance_of(h, played, None) for h in members))
        others = [chance_of(history, played, entry.player) for history in members]
        here = sum(p * worth(h, played, entry.player) for p, h in zip(others, members, strict=True))
        assert entry.regrets is not None
        for action, gain in zip(members[0].legal_actions(), entry.regrets.values(), strict=True):
            there = sum(
                p * worth(h.child(action), played, entry.player)
                for p, h in zip(others, members, strict=True)
            )
            assert gain == pytest.approx((there - here) / sum(others))


def test_sets_are_found_by_words_and_by_moves() -> None:
    tree = tree_of("Kuhn")
    strategy = strategy_from_profile(tree, uniform_profile(tree))
    table = strategy.table(tree)
    assert len(table.find("k")) == 4
    assert len(table.find("K", player=0)) == 2
    assert table.find("chec") == ()
    history = history_after(tree.game, ["q", 2, "Check"])
    (found,) = table.find("K check", player=1)
    assert strategy.behaviour(history).information == found.information
    with pytest.raises(OptionError, match=r"move 3, 'fold', is not possible; .* check \(0\)"):
        history_after(tree.game, ["Q", "K", "fold"])
    with pytest.raises(OptionError, match="over before it"):
        history_after(tree.game, ["Q", "K", "check", "check", "check"])


def test_beliefs_follow_bayes() -> None:
    tree = tree_of("Kuhn")
    history = history_after(tree.game, ["J", "Q", "bet"])
    assert list(belief(tree, history).values()) == [0.5, 0.5]
    profile = uniform_profile(tree)
    for number in tree.sets_of(0):
        here = tree.describe(int(number))
        if here.information.startswith("your card: K; moves: none"):
            start = int(tree.set_start[number])
            profile[start : start + 2] = 0.0, 1.0  # bets every king, and half of the jacks
    found = belief(tree, history, strategy_from_profile(tree, profile))
    assert list(found.values()) == pytest.approx([2 / 3, 1 / 3])
    never = np.where(tree.sequence_action == 0, 1.0, 0.0)
    never[tree.sequence_action < 0] = 1.0
    with pytest.raises(OptionError, match="never come to what the player sees"):
        belief(tree, history, strategy_from_profile(tree, never))


def test_a_history_of_another_game_is_refused() -> None:
    """The same cards are dealt in both games, so that keys of information sets are equal."""
    tree = tree_of("Kuhn")
    strategy = strategy_from_profile(tree, uniform_profile(tree))
    other = history_after(load_game("Leduc"), ["J", "Q"])
    with pytest.raises(FileError, match=r"this strategy is for Kuhn.*, not for Leduc"):
        strategy.behaviour(other)
    with pytest.raises(GameError, match=r"the history is one of Leduc.*, not of Kuhn"):
        belief(tree, other)
    for nothing in (None, "J, Q"):
        with pytest.raises(GameError, match="is not a history; give one"):
            strategy.behaviour(nothing)  # type: ignore[arg-type]  # as users do


def test_events_are_told_in_the_words_of_the_game() -> None:
    history = history_after(load_game("Kuhn"), ["J", "K", "check", "bet"])
    assert list(events_in_words(history, 0)) == ["you are dealt J", "you check", "player 2 bets"]


def test_a_game_without_words_shows_its_tokens() -> None:
    history = History(load_game("coordination_game"))
    history = history.child(history.chance_outcomes()[0][0])
    assert list(events_in_words(history, 0)) == ["all told 1"]
