"""Limit Hold'em by hand, and against other programs."""

from pathlib import Path

import numpy as np
import pytest
from naive.playing import names_of, played
from naive.poker_referees import compare_with_open_spiel, compare_with_pokerkit

from hiddenhand.errors import FileError
from hiddenhand.games.history import History
from hiddenhand.games.poker.definition import DEFINITIONS, TWO_PLAYERS, parse_definition
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.pictures import situation
from hiddenhand.games.registry import game_spec, load_game
from hiddenhand.jit.random import new_state

TWO, THREE = LimitHoldem(), LimitHoldem(3)

# one card each, and a round without a board card: dealt in any order, and bets of unequal sizes
ODD = TWO_PLAYERS.replace("numPlayers = 2", "numPlayers = 4")
for line, other in (
    ("numRounds = 4", "numRounds = 3"),
    ("blind = 10 5", "blind = 1 2 0 2"),
    ("raiseSize = 10 10 20 20", "raiseSize = 2 7 4"),
    ("firstPlayer = 2 1 1 1", "firstPlayer = 4 2 1"),
    ("maxRaises = 3 4 4 4", "maxRaises = 2 0 1"),
    ("numHoleCards = 2", "numHoleCards = 1"),
    ("numBoardCards = 0 3 1 1", "numBoardCards = 1 0 3"),
):
    ODD = ODD.replace(line, other)


def test_who_moves_and_what_is_legal() -> None:
    before_the_flop = played(TWO, "2c 3d Ah As")
    assert before_the_flop.player == 1
    assert names_of(before_the_flop) == ["fold", "call", "raise"]
    assert names_of(played(TWO, "2c 3d Ah As call")) == ["check", "raise"]
    assert names_of(played(TWO, "2c 3d Ah As raise raise raise")) == ["fold", "call"]
    flop = played(TWO, "2c 3d Ah As raise call 7c 8d 9h")
    assert flop.player == 0
    assert names_of(flop) == ["check", "bet"]
    assert played(THREE, "2c 3d 4h 5s 6c 7c").player == 2
    # the small blind has folded, so the big blind is first
    assert played(THREE, "2c 3d 4h 5s 6c 7c call fold check 8c 9d Ts").player == 1


def test_what_is_dealt_together_is_dealt_in_increasing_order() -> None:
    first = dict(History(TWO).chance_outcomes())
    assert len(first) == 51  # the lower of two cards is not the highest of all
    assert first[0] == pytest.approx(51 / 1326)
    assert first[50] == pytest.approx(1 / 1326)
    second = played(TWO, "Kh").chance_outcomes()
    assert [card for card, _ in second] == [47, 48, 49, 50, 51]
    assert [p for _, p in second] == pytest.approx([1 / 5] * 5)
    flop = dict(played(TWO, "2c 3d Ah As call check").chance_outcomes())
    assert flop[1] == pytest.approx(47 * 46 / 2 / (48 * 47 * 46 / 6))


def test_cards_are_drawn_as_they_are_listed() -> None:
    rng = new_state(1)
    for moves in ("", "Kh", "2c 3d Ah As call check", "2c 3d Ah As call check Th", "2c 3d 9h"):
        here = played(TWO, moves)
        listed = dict(here.chance_outcomes())
        drawn = np.array([TWO.sample_chance(here.state, rng) for _ in range(3000)])
        for card in range(52):
            p = listed.get(card, 0.0)
            assert abs((drawn == card).mean() - p) <= 4.5 * (p * (1 - p) / drawn.size) ** 0.5


def test_hands_are_told_where_they_are_shown() -> None:
    moves = "call check 7c 8d 9h check check Jc check check Qh check check"
    ends = [played(TWO, f"2c 3d {hand} {moves}") for hand in ("Ah As", "Ad As", "4c Ks")]
    assert len({end.observations[-1] for end in ends}) == 3
    folds = [played(TWO, f"2c 3d {hand} call raise fold") for hand in ("Ah As", "4c Ks")]
    assert len({end.observations[-1] for end in folds}) == 1


def test_many_moves_of_a_round_are_remembered() -> None:
    text = TWO_PLAYERS.replace("maxRaises = 3", "maxRaises = 40")
    long = LimitHoldem(definition=text)
    end = played(long, f"2c 3d Ah As{' raise' * 40} fold")
    assert situation(long, end.state).moves[0] == (2,) * 40 + (0,)
    assert end.returns() == (400, -400)


@pytest.mark.parametrize("text", [*DEFINITIONS.values(), ODD])
def test_open_spiel_agrees(text: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    hands = 60
    assert compare_with_open_spiel(pyspiel, parse_definition(text), hands, seed=3) > 2 * hands


@pytest.mark.parametrize("players", [2, 3])
def test_pokerkit_agrees(players: int) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    assert compare_with_pokerkit(pokerkit, players, hands=20, seed=4) > 2 * 20


def test_definitions_are_read(tmp_path: Path) -> None:
    assert LimitHoldem(definition="holdem.limit.3p") == THREE
    assert LimitHoldem(definition=TWO_PLAYERS) == TWO
    path = tmp_path / "odd.game"
    path.write_text(ODD)
    odd = LimitHoldem(definition=str(path))
    assert odd.num_players == 4
    assert (odd.max_utility, odd.max_depth) == (3 * (2 + 4 + 4), 4 + 4 + (4 + 6) + 4 + (4 + 3))
    path.unlink()  # the game keeps the text
    assert load_game(game_spec(odd)) == odd
    assert load_game("limit_holdem(players=3)") == THREE


def test_a_missing_definition_is_refused() -> None:
    with pytest.raises(FileError, match="there is no file nowhere"):
        LimitHoldem(definition="nowhere.game")
