"""What people are told of moves: nothing that they did not notice."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from table_pages import random_play

from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, SPECTATOR, TERMINAL, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.matches.narration import Announcer, is_noticed
from hiddenhand.web.catalogue import loaded

TOLD = {
    "kuhn_poker": ((2, 0, 1, 0), 0, ["you are dealt K", "you bet", "player 2 folds"]),
    "leduc_poker": (
        (1, 2, 2, 1, 0, 1, 2, 0),
        1,
        [
            *("you are dealt K", "player 1 bets", "you call", "J is dealt to the table"),
            *("player 1 checks", "you bet", "player 1 folds"),
        ],
    ),
    "limit_holdem": (
        (0, 1, 2, 7, 1, 1, 4, 8, 9),
        SPECTATOR,
        [
            "player 2 calls",
            "player 1 checks",
            *(f"{card} is dealt to the table" for card in ("3c", "4c", "4d")),
        ],
    ),
    "liars_dice": ((3, 1, 2, 12), 1, ["you roll 2", "player 1 bids 1-3", "you call liar"]),
    "IIGS(3)": (
        (0, 1, 2, 2, 1, 0),
        0,
        [
            "you bid 1; player 2 takes the point card 1",
            "you bid 3; the point card 2 is discarded",
            "you bid 2; you take the point card 3",
        ],
    ),
    "goofspiel(num_cards=2,points_order=random)": (
        (1, 0, 1, 0, 1, 0),
        1,
        [
            "the point card is 2",
            "player 1 bids 1, you bid 2; you take the point card 2",
            "the point card is 1",
            "player 1 bids 2, you bid 1; player 1 takes the point card 1",
        ],
    ),
    "OZ(5,1,1)": (
        (2, 1, 1, 1),
        1,
        [
            "player 1 bids 2, you bid 1; player 1 pushes the wrestler",
            "player 1 bids 1, you bid 1; the wrestler stays",
        ],
    ),
    "phantom_ttt": (
        (4, 4, 0),
        1,
        ["player 1 places a mark", "you try b2: it is taken", "you place a mark on a1"],
    ),
    "phantom_ttt_abrupt": (
        (4, 4, 0),
        0,
        ["you place a mark on b2", "player 2 has moved", "you place a mark on a1"],
    ),
    "dark_hex(size=3)": (
        (4, 4, 0),
        ALL_SEEING,
        [
            "player 1 places a stone on b2",
            "player 2 tries b2: it is taken",
            "player 2 places a stone on a1",
        ],
    ),
    "battleship(rows=2,columns=2,ships=(2))": (
        (0, 2, 2, 0),
        0,
        [
            "you place a ship of length 2 on a1 across",
            "player 2 places a ship",
            "you shoot at a2: a hit",
            "player 2 shoots at a1: a hit",
        ],
    ),
    "tron(rows=5,columns=5)": ((2, 0), 0, ["you move down, player 2 moves up"]),
    "biased_rps": ((0, 1), 1, ["player 1 chooses rock, you choose paper"]),
    "pursuit_evasion": ((1, 0), 0, ["you move right, player 2 moves up,up"]),
    "VP(map=block5,pursuers=1,moves=2)": ((0, 4, 1), 0, ["chance: e1", "you have chosen left"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name: str) -> None:
    moves, observer, expected = TOLD[name]
    game = loaded(name)
    announcer, history, lines = Announcer(game), History(game), []
    for move in moves:
        after = history.child(move)
        lines.append(announcer.said(history, after, observer))
        history = after
    assert [line for line in lines if line] == expected


GAMES = [
    *("kuhn_poker", "leduc_poker", "generic_poker", "limit_holdem", "LD(1,1,3)", "IIGS(4)"),
    *("phantom_ttt", "phantom_ttt_abrupt", "dark_hex(size=2)", "dark_hex(size=2,abrupt=True)"),
    *("battleship(rows=2,columns=2,ships=(2))", "tricks(players=2,ranks=2,suits=2,hand=2)"),
    *("goofspiel(num_cards=3,points_order=random,imp_info=True)", "OZ(4,1,1)", "pursuit_evasion"),
    *("tron(rows=3,columns=3)", "biased_rps", "coordinated_mp", "coordination_game"),
    *("random(2,2)", "matrix_tree(2,1,[1,-1,-1,1])", "VP(map=block5,pursuers=1,moves=2)"),
]


@pytest.mark.parametrize("name", GAMES)
def test_who_noticed_the_same_is_told_the_same(name: str) -> None:
    """In random plays, of which many are one play for an observer."""
    game, random = loaded(name), np.random.default_rng(1)
    announcer = Announcer(game)
    told: defaultdict[tuple[int, int, int], set[str | None]] = defaultdict(set)
    for _ in range(60):
        history = History(game)
        for move in random_play(game, random).moves:
            after = history.child(move)
            for observer in (SPECTATOR, *range(game.num_players)):
                if is_noticed(after, observer):
                    seat = observer if observer >= 0 else game.num_players
                    keys = int(history._keys[seat]), int(after._keys[seat])
                    told[observer, *keys].add(announcer.said(history, after, observer))
            history = after
    assert all(len(lines) == 1 for lines in told.values())
    assert any(told.values())


@dataclass(frozen=True)
class Drawn(Game):
    """Chance draws a number, and tells player 0 whether it is 0; a call ends the game."""

    state_size, max_actions, max_depth, max_chance_outcomes, max_utility = 2, 1, 2, 40, 1.0

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        return (CHANCE, 0, TERMINAL)[state[0]]

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0] = 0
        return 1

    def chance_outcomes(self, state: Any, actions: Any, probabilities: Any) -> int:
        for number in range(40):
            actions[number] = number
            probabilities[number] = 0.98 if number == 1 else 0.02 / 39
        return 40

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        if state[0] == 0:
            state[1] = action
            observations[0] = 1 + int(action > 0)
            observations[2] = 7
        state[0] += 1

    def returns(self, state: Any, player: int) -> float:
        return 0.0

    def action_name(self, state: Any, player: int, action: int) -> str:
        return f"number {action}" if player == CHANCE else "call"

    def render(self, state: Any, player: int) -> str:
        return ""


def test_what_chance_tells_one_player_is_said_to_that_player_only() -> None:
    """README's deals, in short; and a number that looks like a likely one is not named."""
    game = Drawn()
    announcer, before = Announcer(game), History(game)
    announcer._names[CHANCE, (0, 1, 7)]["number 0"] = 99  # as if it had often been drawn
    assert announcer.said(before, before.child(0), 0) == "chance: number 0"
    for onlooker in (1, SPECTATOR):
        assert announcer.said(before, before.child(0), onlooker) is None
    assert announcer.said(before, before.child(1), 0) is None  # might be 2
    assert announcer.said(before, before.child(1), ALL_SEEING) == "chance: number 1"


@dataclass(frozen=True)
class Bids(Game):
    """All players bid at once. All see the first bid, and whether the second one is above 0."""

    simultaneous = True
    state_size, max_actions, max_depth, max_utility = 3, 3, 1, 1.0

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[2] else SIMULTANEOUS

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[:3] = [0, 1, 2]
        return 3

    def apply_joint_action(self, state: Any, actions: Any, observations: Any) -> None:
        state[0], state[1], state[2] = actions[0], actions[1], 1
        observations[2] = 1 + 2 * actions[0] + int(actions[1] > 0)

    def returns(self, state: Any, player: int) -> float:
        return 0.0

    def action_name(self, state: Any, player: int, action: int) -> str:
        return f"bid {action}"

    def render(self, state: Any, player: int) -> str:
        return ""


@pytest.mark.parametrize(
    ("observer", "second", "line"),
    [
        (0, 2, "you: bid 1; player 2 has moved"),
        (0, 0, "you: bid 1; player 2: bid 0"),
        (1, 2, "player 1: bid 1; you: bid 2"),
        (SPECTATOR, 2, "player 1: bid 1; player 2 has moved"),
        (ALL_SEEING, 2, "player 1: bid 1; player 2: bid 2"),
    ],
)
def test_moves_made_at_once_are_all_told(observer: int, second: int, line: str) -> None:
    game = as_sequential(Bids())
    before = History(game).child(1)
    assert Announcer(game).said(before, before.child(second), observer) == line
