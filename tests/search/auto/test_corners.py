"""`auto` where a match goes its own way: after moves that nobody should make, with time before play
that is too short or longer than that of a move, where the public is told nothing, and in games that
players forget or that hide something only now and then.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from naive.noticing import noticed

from hiddenhand import load_game, make_search
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.history import Event
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search import tree_budget
from hiddenhand.search.auto import imperfect_information
from hiddenhand.search.auto.candidates import Always, Auto
from hiddenhand.search.auto.imperfect_information import HiddenChoice
from hiddenhand.search.auto.simultaneous import JointChoice
from hiddenhand.solvers.simultaneous.matrix_games import solve_matrix


def written_out(game: Game) -> TreeGame:
    return TreeGame.from_game(as_sequential(game))


# --- after moves that nobody should make ---

PAYOFFS = np.array([[0.0, -1.0, 1.0], [2.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Blunder(Game):
    """Player 0 takes 1, and that is the end; or goes on, to a matrix game in which 3 is lost."""

    state_size, max_actions, max_depth, max_utility = 3, 3, 3, 5.0

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[0] == 3 or (state[0] == 1 and state[1] == 0):
            return TERMINAL
        return 0 if state[0] < 2 else 1

    def legal_actions(self, state, player, actions):
        actions[0], actions[1], actions[2] = 0, 1, 2
        return 2 if state[0] == 0 else 3

    def apply_action(self, state, action, observations):
        if state[0] == 0:
            state[1] = action
            observations[2] = 1 + action
        elif state[0] == 1:
            state[2] = action
        else:
            state[1] = action
            observations[2] = 1 + action
        state[0] += 1

    def returns(self, state, player):
        worth = 1.0 if state[0] == 1 else PAYOFFS[state[2], state[1]] - 3.0
        return worth if player == 0 else -worth


@pytest.mark.parametrize("preplay", [0, 2000])
def test_after_a_blunder_it_still_knows_what_to_do(preplay: int) -> None:
    """A solution of the whole game never comes to the matrix game, and knows nothing of it."""
    search = make_search(Blunder(), "auto", seed=1)
    assert isinstance(search, HiddenChoice)
    search.start(1, 1)
    if preplay:
        search.think(iterations=preplay)
    search.notice(noticed(search.game, 1, (1, 0)))
    search.think(iterations=20_000)
    best = solve_matrix(PAYOFFS)
    worst = (PAYOFFS @ search.policy(3)).max()  # what player 0 can get
    assert worst == pytest.approx(best.value, abs=0.01)


# --- time before play ---


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game is so small that it is written out, or sampled, however little time there is."""
    monkeypatch.setattr(tree_budget, "ANYWAY", 0)
    monkeypatch.setattr(imperfect_information, "_SAMPLED", 0.0)


@pytest.mark.usefixtures("nothing_is_small")
def test_too_little_time_before_play_does_no_harm() -> None:
    game = written_out(KuhnPoker())
    search = make_search(game, "auto", seed=1)
    search.start(1, 1)
    search.think(iterations=1)
    assert "too large" in search.choice
    search.notice(noticed(game, 1, (0, 0, 1)))  # with a queen, after a bet
    search.think(iterations=5000)
    assert "the whole game was written out" in search.choice
    assert "safe" not in search.choice
    assert search.policy(2) == pytest.approx([2 / 3, 1 / 3], abs=0.02)


@pytest.mark.usefixtures("nothing_is_small")
def test_what_was_solved_before_play_is_not_given_up_for_less() -> None:
    game = written_out(KuhnPoker())
    search = make_search(game, "auto", seed=1)
    search.start(0, 1)
    search.think(iterations=5000)
    dealt, events = noticed(game, 0, (1, 1)), noticed(game, 0, (1, 1, 0, 1))
    for new in (dealt, events[len(dealt) :]):  # a queen; an own pass, and a bet
        search.notice(new)
        search.think(iterations=5)
    assert "written out" in search.choice
    assert search.thought()["fallback"] == 0
    assert 0.3 < search.policy(2)[1] < 0.7  # a queen calls with 1/3 and what the jack bluffs


def test_a_few_iterations_find_more_than_nothing() -> None:
    game = written_out(KuhnPoker())
    search = make_search(game, "auto", seed=1)
    search.start(1, 1)
    search.notice(noticed(game, 1, (0, 1, 1)))  # with a king, after a bet
    search.think(iterations=20)
    assert search.policy(2)[1] > 0.9


# --- where the public is told nothing ---


@dataclass(frozen=True)
class Secret(Game):
    """Both move in turn, and nobody sees what the other does; who has chosen 1 more often wins."""

    rounds: int = 6

    state_size, max_actions, max_utility = 3, 2, 1.0
    max_depth = property(lambda self: 2 * self.rounds)

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        return TERMINAL if state[0] == 2 * self.rounds else state[0] % 2

    def legal_actions(self, state, player, actions):
        actions[0], actions[1] = 0, 1
        return 2

    def apply_action(self, state, action, observations):
        state[1 + state[0] % 2] += action
        state[0] += 1

    def returns(self, state, player):
        return np.sign(state[1 + player] - state[2 - player])


def test_it_thinks_at_every_move_where_the_public_is_told_nothing() -> None:
    search = make_search(written_out(Secret()), "auto", seed=1)
    search.start(0, 1)
    made = []
    for move in range(4):
        search.notice([] if move == 0 else [Event(2, 0, 0)])
        search.think(iterations=1000)
        made.append(search.thought()["iterations"])
    assert all(after > before for before, after in pairwise(made))


# --- games that players forget, and that hide something now and then ---


@dataclass(frozen=True)
class Forgetting(KuhnPoker):
    """Information sets have keys of the game's own."""

    def information(self, state, player, key):
        return key ^ np.uint64(7)


@pytest.mark.parametrize(
    "game",
    [Forgetting(), load_game("VP(map=wide6x7,start='g1 a1 a6',moves=9,recall=last_seen)")],
    ids=["Kuhn", "VP"],
)
def test_where_players_forget_it_searches_a_tree(game: Game) -> None:
    search = make_search(game, "auto", seed=1)
    assert isinstance(search, Auto)
    assert [type(candidate) for candidate in search.candidates] == [Always]
    search.start(0, 1)
    search.think(iterations=100)
    assert "not to be written out" in search.choice


@dataclass(frozen=True)
class SeldomHidden(Game):
    """Both name one of ten numbers at the same moment, twice; the higher number of the second time
    wins. Where both have named 9 at first, chance throws a coin that only player 1 sees: with tails
    the lower number wins.
    """

    simultaneous = True
    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 6, 10, 2, 3, 1.0

    # the state: how often both have named numbers, these numbers, and the coin
    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[0] == 1 and state[1] == 9 and state[2] == 9 and state[5] == 0:
            return CHANCE
        return TERMINAL if state[0] == 2 else SIMULTANEOUS

    def legal_actions(self, state, player, actions):
        for action in range(10):
            actions[action] = action
        return 10

    def chance_outcomes(self, state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        return 2

    def apply_action(self, state, action, observations):
        state[5] = 1 + action
        observations[1] = 1 + action

    def apply_joint_action(self, state, actions, observations):
        state[1 + 2 * state[0]], state[2 + 2 * state[0]] = actions[0], actions[1]
        state[0] += 1
        observations[2] = 1 + 10 * actions[0] + actions[1]

    def returns(self, state, player):
        lead = np.sign(state[3] - state[4]) * (-1.0 if state[5] == 2 else 1.0)
        return lead if player == 0 else -lead


def test_where_something_else_is_hidden_another_search_goes_on() -> None:
    search = make_search(SeldomHidden(), "auto", seed=1)
    assert isinstance(search, JointChoice)
    search.start(0, 1)
    search.notice([])
    search.think(iterations=50)
    search.notice(noticed(search.game, 0, (9, 9, 1)))
    search.think(iterations=200)
    assert "something is hidden here" in search.choice
    assert search.policy(10).sum() == pytest.approx(1.0)
    assert search.thought()["iterations"] == 200
    search.start(0, 2)  # another match, in which nothing is hidden
    search.notice([])
    search.think(iterations=50)
    assert "something is hidden here" not in search.choice
