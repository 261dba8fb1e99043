"""The rules of games as people read them."""

import re
from dataclasses import dataclass

import pytest

from hiddenhand import load_game
from hiddenhand.games.base import Game
from hiddenhand.games.registry import describe_games
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.lint import advice_for_people
from hiddenhand.jit.methods import rules_digest
from hiddenhand.players.human import rules

GENERAL = (
    *("kuhn_poker(players=3)", "leduc_poker(players=3)", "liars_dice(players=3)"),
    *("liars_dice(bidding_rule=reset_quantity)", "goofspiel(players=3,ties=carry)"),
    *("goofspiel(returns_type=total_points,ties=split)", "oshi_zumo(min_bid=0)"),
    *("goofspiel(returns_type=point_difference,ties=split)", "dark_hex(rows=2)"),
)


@pytest.mark.parametrize("name", [*(game.example for game in describe_games()), *GENERAL])
def test_games_of_the_package_tell_their_rules(name: str) -> None:
    """In words for people: paragraphs, players from 1, no marks of docstrings, no Python."""
    text = rules(as_sequential(load_game(name)))
    assert len(text.split("\n\n")) >= 2
    assert "layer 0" not in text
    assert re.search(r"[`_=]|None|True|False", text) is None
    assert all(paragraph.rstrip().endswith((".", "!")) for paragraph in text.split("\n\n"))
    assert max(len(re.findall(r"\S+", sentence)) for sentence in re.split(r"[.:]\s", text)) <= 25


@pytest.mark.parametrize(
    ("name", "said", "unsaid"),
    [
        ("phantom_ttt_abrupt", "your turn is over", "try another square"),
        ("phantom_ttt", "try another square", "your turn is over"),
        ("GS(5)", "both bids are shown", "bids stay secret"),
        ("dark_hex(abrupt=true)", "your turn is over", "try another cell"),
        ("tricks(trumps=true,margin=true)", "first suit is trumps", "You are paid one"),
        ("battleship(shots=9)", "9 shots", "no limit"),
        ("dark_hex(rows=2)", "2 by 3 cells", "3 by 3"),
        ("kuhn_poker(players=3)", "Each of the 3 players", "both players"),
        ("oshi_zumo(min_bid=0)", "A bid of no coins is possible", "at least"),
        ("goofspiel(ties=carry)", "added to the next prize", "prize is lost"),
        ("liars_dice(bidding_rule=reset_quantity)", "a higher face, or", "as many dice with"),
        ("GP(3,3,2,2)", "2 or 4 chips", "of 2 chips"),
        ("limit_holdem(players=3)", "player 2 the big blind", "player 2 the small blind"),
        ("VP(map=block5,pursuers=2,moves=4,apart=2,stay=false)", "2 units that try", "or wait"),
    ],
)
def test_rules_depend_on_the_parameters(name: str, said: str, unsaid: str) -> None:
    text = load_game(name).rules_text
    assert said in text
    assert unsaid not in text


def test_units() -> None:
    names = ("kuhn_poker", "limit_holdem", "tricks", "liars_dice", "turn_based(GS(4))")
    units = [load_game(name).payoff_unit for name in names]
    assert units == ["chips", "chips", "tricks", "points", "points"]


@dataclass(frozen=True)
class Documented(Game):
    """Player 0 hides ``coins``,
    and **player 1** looks for them.

    Actions: numbers.
    """

    coins: int = 2


@dataclass(frozen=True)
class FromOne(Game):
    """Player 1 hides, player 2 seeks."""


@dataclass(frozen=True)
class Silent(Game):
    pass


def test_a_docstring_serves_where_a_game_tells_no_rules() -> None:
    told = "Player 1 hides coins, and player 2 looks for them."
    assert Documented().rules_text == told
    assert rules(Documented()) == f"{told}\n\nIt is played as Documented(coins=2)."
    assert FromOne().rules_text == "Player 1 hides, player 2 seeks."
    assert Silent().rules_text == ""
    assert rules(Silent()).startswith("This game tells no rules: its class has no docstring.")


def test_texts_are_no_rules() -> None:
    """A text on the class or a plain property changes no digest, so that files are still read."""

    def told(**members: object) -> type[Game]:
        return dataclass(frozen=True)(type("Told", (Game,), {"state_size": 3} | members))

    plain = rules_digest(told())
    text = told(rules_text="Play well.", payoff_unit="coins")
    of_property = told(rules_text=property(lambda self: "Play well."))
    assert (text().rules_text, text().payoff_unit) == ("Play well.", "coins")
    assert of_property().rules_text == rules(of_property()) == "Play well."
    assert rules_digest(text) == rules_digest(of_property) == plain


def test_advice_for_authors() -> None:
    """Moves that are bare numbers, and games without rules; nothing for games that tell both."""
    assert advice_for_people(load_game("kuhn_poker")) == ()
    assert advice_for_people(load_game("phantom_ttt")) == ()
    names, told = advice_for_people(Silent())
    assert "define action_name" in names
    assert "rules_text" in told
    assert advice_for_people(Documented()) == (names,)
