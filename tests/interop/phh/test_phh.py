"""Hands of limit Hold'em go to files and come back as they were, and each mistake is named."""

import importlib.util
import tomllib
from pathlib import Path

import numpy as np
import pytest

from hiddenhand import History, load_game
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.interop.phh import hand_text, parse_hands, read_hands, write_hands
from hiddenhand.interop.phh.fixed_limit import definition_of

# Made with PokerKit 0.7: FixedLimitTexasHoldem with blinds of 1 and 2, and bets of 2 and 4.
THEIRS = """variant = 'FT'
ante_trimming_status = false
antes = [0, 0]
blinds_or_straddles = [1, 2]
small_bet = 2
big_bet = 4
starting_stacks = [200, 200]
actions = ['d dh p1 AdJd', 'd dh p2 4d7h', 'p2 cc', 'p1 cbr 4', 'p2 cc', 'd db Jh6s4s', 'p1 cc', \
'p2 cbr 2', 'p1 cbr 4', 'p2 cbr 6', 'p1 cc', 'd db 3d', 'p1 cc', 'p2 cc', 'd db As', 'p1 cbr 4', \
'p2 cbr 8', 'p1 f']
finishing_stacks = [186, 214]
"""


def played(game: Game, seed: int) -> History:
    """A hand that is played at random, with few folds."""
    rng, history = np.random.default_rng(seed), History(game)
    while not history.is_terminal:
        if history.player == CHANCE:
            history = history.child(history.sample_chance(rng))
        else:
            moves = history.legal_actions()
            weights = np.array([(0.1, 0.5, 0.4)[move] for move in moves])
            history = history.child(int(rng.choice(moves, p=weights / weights.sum())))
    return history


@pytest.mark.parametrize("name", ["limit_holdem", "limit_holdem(players=3)"])
def test_hands_come_back_as_they_were(name: str) -> None:
    game = load_game(name)
    shown = 0
    for seed in range(25):
        history = played(game, seed)
        text = hand_text(history, ["one", 'the "second"', "thrée"][: game.num_players], seed)
        (hand,) = parse_hands(text)
        assert hand.history.moves == history.moves
        assert hand.history.returns() == history.returns()
        assert hand.history.game == game
        assert hand.players[1] == 'the "second"'
        assert (hand.chip, hand.fields["hand"]) == (1.0, seed)
        stacks = zip(hand.fields["finishing_stacks"], hand.fields["starting_stacks"], strict=True)
        assert [after - before for after, before in stacks] == list(history.returns())
        assert sum(hand.fields["winnings"]) == game.chips_in_pot(history.state)
        shown += " sm " in text
    assert 0 < shown < 25


def test_a_hand_of_another_program_is_replayed() -> None:
    """It loses player 1 what PokerKit says."""
    (hand,) = parse_hands(THEIRS)
    assert hand.history.returns() == (-14.0, 14.0)
    assert hand.history.is_terminal
    assert list(hand.history.game.blinds) == [2, 1]  # player 1 has the big blind
    assert hand.players == ()
    assert repr(hand) == "Hand(2 players, 22 moves)"


def test_a_hand_may_be_incomplete_and_have_remarks() -> None:
    text = THEIRS.replace("'d db As', 'p1 cbr 4', ", "'d db As # a scare card', '# thinks', ")
    text = text.replace("'p2 cbr 8', 'p1 f'", "'p1  cbr  4.0 # at last'")
    (hand,) = parse_hands(text)
    assert hand.history.player == 1
    assert hand_text(hand.history).count('"p1 cbr 4"') == 3


def test_cents_become_chips() -> None:
    text = THEIRS.replace("[1, 2]", "[0.5, 1.25]").replace("cbr 4'", "cbr 3.25'", 1)
    (hand,) = parse_hands(text)
    assert hand.chip == 0.25
    assert list(hand.history.game.blinds) == [5, 2]
    assert hand.history.returns()[1] * hand.chip == 3.25 + 6 + 4


def test_more_raises_than_usual_make_another_game() -> None:
    before = "'p2 cc', 'p1 cbr 4', 'p2 cc'"
    raises = ", ".join(f"'p{2 - at % 2} cbr {4 + 2 * at}'" for at in range(5))
    assert THEIRS.count(before) == 1
    (hand,) = parse_hands(THEIRS.replace(before, f"{raises}, 'p1 cc'"))
    assert hand.history.game.rounds[:, 2].tolist() == [5, 4, 4, 4]
    (again,) = parse_hands(hand_text(hand.history))
    assert again.history.game == hand.history.game


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("'FT'", "'NT'", "variant 'NT' cannot be replayed here; give hands of FT"),
        ("variant = 'FT'", "variants = 1", "has no field variant"),
        ("antes = [0, 0]", "antes = [1, 1]", "antes are not part"),
        ("antes = [0, 0]", "antes = [0]", "antes must be a list of 2 amounts"),
        ("[1, 2]", "[1]", "2 to 10 entries"),
        ("[1, 2]", "[0.0001, 2]", "too fine, too large"),
        ("small_bet = 2", "small_bet = 0", "too fine, too large or 0"),
        ("small_bet = 2", "small_bet = nan", "small_bet=nan is not allowed"),
        ("small_bet = 2", "small_bet = true", "small_bet=True is not allowed"),
        ("[200, 200]", "[200, 7]", "action 10: a player is all-in"),
        ("'p2 cc', 'p1 cbr 4'", "'p1 cc', 'p1 cbr 4'", "action 3, 'p1 cc': it is the turn of p2"),
        ("'p1 cbr 4', 'p2 cc', 'd db J", "'p1 cbr 6', 'p2 cc', 'd db J", "a bet or raise is to 4"),
        ("'p1 cbr 4', 'p2 cc', 'd db J", "'p1 cbr x', 'p2 cc', 'd db J", "a bet or raise is to 4"),
        ("'p1 cbr 4', 'p2 cc', 'd db J", "'p1 cbr 1e999999999', 'p2 cc', 'd db J", "is to 4 here"),
        ("'d dh p2 4d7h'", "'d dh p2 ????'", "action 2, 'd dh p2 .*these cards cannot be dealt"),
        ("'d dh p2 4d7h'", "'d dh p2 4dAd'", "these cards cannot be dealt"),
        ("'d dh p2 4d7h'", "'d dh p3 4d7h'", "these cards cannot be dealt"),
        ("'d dh p2 4d7h'", "'d dh p1 4d7h'", "a player has two cards"),
        ("'d db 3d'", "'d db 3d2d'", "1 cards are dealt here"),
        ("'d db 3d', ", "", "action 12, 'p1 cc': no player is to move"),
        ("'p1 cc', 'p2 cbr 2'", "'p1 f', 'p2 cbr 2'", "action 7, 'p1 f': this is not possible"),
        ("'p1 f']", "'p1 sm AdJd']", "the hand is not over"),
        ("'p1 f']", "'p1 f', 'p2 sm 2d7h']", "other cards than the player was dealt"),
        ("'p1 f']", "'p1 f', 'p3 sm']", "there is no player p3"),
        ("'p1 f']", "'p1 sd']", "no action of fixed-limit Hold'em"),
        ("finishing_stacks = [186, 214]", "players = ['a']", "players must have 2 names"),
        ("finishing_stacks = [186, 214]", "players = 3", "players must be a list of names"),
        ("finishing_stacks = [186, 214]", "_max_raises = [1]", "_max_raises=.* is not allowed"),
        ("finishing_stacks = [186, 214]", "_max_raises = [0, 4, 4, 4]", "which is the limit"),
        ("actions = [", "actions = 1 #", "actions must be a list of texts|no hand history"),
        ("variant = 'FT'", "variant = 'FT", "is no hand history"),
        ("small_bet = 2", f"small_bet = {'2' * 5000}", "is no hand history"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, problem: str) -> None:
    assert old in THEIRS
    with pytest.raises(FileError, match=problem):
        parse_hands(THEIRS.replace(old, new, 1))


def test_files_have_one_hand_or_several(tmp_path: Path) -> None:
    game = load_game("limit_holdem")
    hands = [played(game, seed) for seed in range(3)]
    names = [("a", "b"), ("b", "a"), ("a", "b")]
    write_hands(tmp_path / "some.phhs", hands, names)
    back = read_hands(tmp_path / "some.phhs")
    assert [hand.history.moves for hand in back] == [history.moves for history in hands]
    assert [hand.players for hand in back] == names
    assert [hand.fields["hand"] for hand in back] == [1, 2, 3]
    assert set(tomllib.loads((tmp_path / "some.phhs").read_text())) == {"1", "2", "3"}
    write_hands(tmp_path / "one.phh", hands[:1])
    assert len(read_hands(tmp_path / "one.phh")) == 1
    with pytest.raises(FileError, match=r"3 hands cannot be written to .*one\.phh"):
        write_hands(tmp_path / "one.phh", hands)
    with pytest.raises(FileError, match=r"ends in \.phh"):
        write_hands(tmp_path / "one.txt", hands[:1])
    with pytest.raises(OptionError, match="1 lists of players were given for 3 hands"):
        write_hands(tmp_path / "some.phhs", hands, names[:1])
    (tmp_path / "some.phhs").write_text(f"[7]\n{THEIRS.replace('FT', 'NT')}")
    with pytest.raises(FileError, match=r"some\.phhs, hand '7': variant"):
        read_hands(tmp_path / "some.phhs")
    (tmp_path / "some.phhs").write_bytes(b"\xff")
    with pytest.raises(FileError, match="byte 0 is no UTF-8"):
        read_hands(tmp_path / "some.phhs")


def test_other_games_are_refused() -> None:
    with pytest.raises(OptionError, match=r"hands of KuhnPoker.* cannot be written"):
        hand_text(History(load_game("kuhn_poker")))
    small = definition_of((10, 5), 10, 20, (3, 4, 4, 4)).text.replace(
        "numRanks = 13", "numRanks = 12"
    )
    with pytest.raises(OptionError, match="hands of this definition cannot be written"):
        hand_text(History(LimitHoldem(definition=small)))
    with pytest.raises(OptionError, match="3 names were given for 2 players"):
        hand_text(History(load_game("limit_holdem")), ["a", "b", "c"])


@pytest.mark.skipif(importlib.util.find_spec("pokerkit") is None, reason="PokerKit is missing")
@pytest.mark.parametrize("players", [2, 3])
def test_pokerkit_replays_our_hands(players: int, tmp_path: Path) -> None:
    from pokerkit import HandHistory

    game = load_game(f"limit_holdem(players={players})")
    write_hands(tmp_path / "ours.phhs", [played(game, seed) for seed in range(20)])
    with (tmp_path / "ours.phhs").open("rb") as file:
        for hand in HandHistory.load_all(file):
            *_, state = hand
            assert not state.status  # the hand is over
            ends = zip(hand.finishing_stacks, hand.starting_stacks, strict=True)
            won = [after - before for after, before in ends]
            assert all(
                abs(a - b) <= 0.5 for a, b in zip(state.payoffs, won, strict=True)
            )  # odd chips
