"""Players who do not search, players who do, and people."""

import gc
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.small_games import Forgetful

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import (
    ConformanceError,
    FileError,
    GameError,
    OptionError,
    PlayerError,
    TooLargeError,
)
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History, all_histories
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.matches.match import play_match
from hiddenhand.players import fixed_policies
from hiddenhand.players.fixed_policies import (
    BestResponsePlayer,
    EquilibriumPlayer,
    RandomPlayer,
    StrategyPlayer,
)
from hiddenhand.players.human import HumanPlayer, Quit
from hiddenhand.players.player import Deciding, View
from hiddenhand.players.registry import make_player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress
from hiddenhand.trees.profile import best_response_values, expected_values
from hiddenhand.trees.strategy import Strategy, Weights, strategy_from_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll


def random_strategy(tree: GameTree, seed: int = 0) -> Strategy:
    """Some strategy that is different everywhere."""
    random = np.random.default_rng(seed)
    profile = np.ones(tree.num_sequences)
    for start, end in zip(tree.set_start, tree.set_start[1:], strict=False):
        profile[start:end] = random.dirichlet(np.ones(end - start))
    return strategy_from_profile(tree, profile)


def events_of(history: History, seat: int) -> list[Event]:
    """All that ``seat`` noticed on the way."""
    noticed, before = [], History(history.game)
    for move in history.moves:
        before = before.child(move)
        if event := before.noticed(seat):
            noticed.append(event)
    return noticed


# --- strategies ---


@pytest.mark.parametrize("text", ["Kuhn", "LD(1,1,2)", "IIGS(3)", "GS(3)", "coordination_game"])
def test_a_strategy_is_played_in_every_information_set(text: str) -> None:
    """The player knows where they are from their events alone."""
    game = as_sequential(load_game(text))
    strategy = random_strategy(unroll(game))
    for history in all_histories(game):
        if history.player >= 0:
            player = StrategyPlayer(strategy)
            player.start(game, history.player, 0)
            decision = player.act(events_of(history, history.player), history.legal_actions(), None)
            assert decision.policy == tuple(strategy.at(history.information_key))
            assert decision.action in history.legal_actions()


def test_actions_are_drawn_from_the_policy() -> None:
    """4000 first moves of Kuhn poker, within four standard deviations."""
    game = load_game("Kuhn")
    strategy = random_strategy(unroll(game))
    history = History(game).child(2).child(0)
    p = strategy.at(history.information_key)[1]
    bets = 0
    player = StrategyPlayer(strategy)
    for seed in range(4000):
        player.start(game, 0, seed)
        bets += player.act(events_of(history, 0), [0, 1], None).action
    assert abs(bets / 4000 - p) < 4 * np.sqrt(p * (1 - p) / 4000)


def test_unknown_sets_are_played_uniformly() -> None:
    game = load_game("Kuhn")
    nothing = Strategy(repr(game), np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
    player = StrategyPlayer(nothing)
    player.start(game, 0, 0)
    assert player.act([], [0, 1], None).policy == (0.5, 0.5)
    assert RandomPlayer().policy([3, 5, 7, 9], None).tolist() == [0.25] * 4


def test_a_strategy_file(tmp_path: Path) -> None:
    game = load_game("Kuhn")
    random_strategy(unroll(game)).save(tmp_path / "file")
    player = StrategyPlayer(tmp_path / "file")
    player.start(game, 0, 0)
    with pytest.raises(FileError, match="for KuhnPoker"):
        player.start(load_game("Leduc"), 0, 0)
    with pytest.raises(FileError, match="no file"):
        StrategyPlayer(tmp_path / "none")


def test_games_with_keys_of_their_own_are_refused() -> None:
    """Who has no state cannot compute them."""
    game = Forgetful()
    nothing = Strategy(repr(game), np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
    with pytest.raises(PlayerError, match="keys of its own"):
        StrategyPlayer(nothing).start(game, 0, 0)


# --- equilibrium and best response ---


def test_an_equilibrium_is_computed_once() -> None:
    game = load_game("LD(1,1,3)")
    EquilibriumPlayer().start(game, 0, 0)
    before = fixed_policies._equilibrium.cache_info().misses
    EquilibriumPlayer().start(game, 1, 1)
    assert fixed_policies._equilibrium.cache_info().misses == before


@pytest.mark.parametrize("spec", ["random", "equilibrium", "best_response(random)"])
def test_a_best_response_earns_what_is_to_be_earned(spec: str) -> None:
    """Both seats, against the exact values of best responses."""
    game = load_game("Leduc")
    tree = unroll(game)
    other = make_player(game, spec)
    against = other.profile(tree)
    response = BestResponsePlayer(other).profile(tree)
    for player in range(2):
        own = tree.sequence_player == player
        mixed = np.where(own, response, against)
        assert expected_values(tree, mixed)[player] == pytest.approx(
            best_response_values(tree, against)[player]
        )


def test_a_best_response_needs_a_known_strategy() -> None:
    with pytest.raises(PlayerError, match="SearchPlayer has no strategy known beforehand"):
        make_player(load_game("Kuhn"), "best_response(oos)")


def test_large_games_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_policies, "MAX_HISTORIES", 1000)
    fixed_policies.written_out.cache_clear()
    with pytest.raises(
        TooLargeError, match="more than 1,000 histories, too many for an equilibrium"
    ):
        make_player(load_game("Leduc"), "equilibrium")
    fixed_policies.written_out.cache_clear()


def test_an_equilibrium_of_another_game_is_refused() -> None:
    """Other players are named, and the game without its wrapper."""
    told = r"the player equilibrium is for .*, which MatrixGame\(.* is not; use auto or ismcts$"
    dilemma = MatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]])
    for game in (dilemma, TurnBased(dilemma)):
        with pytest.raises(GameError, match=told):
            make_player(game, "equilibrium")


# --- searches ---


class FakeSearch:
    """Takes its time, and writes down what it is told. ``late``: seconds by which it thinks too
    long; ``slow``: what it takes to notice.
    """

    late = 0.0
    slow = 0.0

    def __init__(self, game: Game) -> None:
        self.game = game
        self.calls: list[str] = []
        self.asked: list[float | None] = []

    def start(self, seat: int, seed: int) -> None:
        self.calls.append("start")
        self.seed = seed

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self.to_notice = seconds
        clock.sleep(self.slow)
        self.calls.append(f"notice {len(events)}")

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.calls.append("think")
        self.iterations = iterations
        self.asked.append(seconds)
        if seconds is not None:
            clock.sleep(seconds + self.late)

    def policy(self, num_actions: int) -> np.ndarray:
        self.calls.append("policy")
        return np.eye(num_actions)[-1]

    def weights(self) -> Weights:
        raise NotImplementedError

    def thought(self) -> Mapping[str, float]:
        return {"calls": len(self.calls)}


def test_a_search_is_told_in_order() -> None:
    player = SearchPlayer(FakeSearch, Budget(iterations=7))
    player.start(load_game("Kuhn"), 0, 5)
    player.prepare(Budget(seconds=0.001))
    decision = player.act([Event(0, 1, 1), Event(0, 0, 1)], [0, 1], None)
    assert player.search.calls == ["start", "think", "notice 2", "think", "policy"]
    assert (decision.action, decision.policy, decision.thought) == (1, (0.0, 1.0), {"calls": 5})
    assert player.search.iterations == 7
    first = player.search.seed
    player.start(load_game("Kuhn"), 0, 6)
    assert player.search.calls == ["start"]
    assert player.search.seed != first


def test_a_player_s_own_budget_goes_first() -> None:
    player = SearchPlayer(FakeSearch, Budget(iterations=7))
    player.start(load_game("Kuhn"), 0, 0)
    player.act([], [0, 1], Budget(iterations=100))
    assert player.search.iterations == 7


def test_a_search_needs_a_budget() -> None:
    player = SearchPlayer(FakeSearch)
    player.start(load_game("Kuhn"), 0, 0)
    with pytest.raises(OptionError, match="needs a budget"):
        player.act([], [0, 1], None)


def test_a_policy_must_fit() -> None:
    class Broken(FakeSearch):
        def policy(self, num_actions: int) -> np.ndarray:
            return np.ones(num_actions)

    with pytest.raises(PlayerError, match=r"SearchPlayer has the policy \(1.0, 1.0\)"):
        play_match(
            load_game("Kuhn"), [SearchPlayer(Broken, Budget(iterations=1)), RandomPlayer()], 0
        )


def test_a_move_without_a_choice_takes_no_time() -> None:
    player = SearchPlayer(FakeSearch)
    player.start(load_game("Kuhn"), 0, 0)
    for _ in range(20):
        decision = player.act([Event(0, 1, 1)], [3], Budget(seconds=1000.0))
        assert (decision.action, decision.policy) == (3, (1.0,))
        assert decision.choice == "only one move is legal"
    assert player.search.calls == ["start"]
    player.act([Event(0, 0, 1)], [0, 1], Budget(seconds=0.01))
    assert player.search.calls == ["start", "notice 21", "think", "policy"]
    player.act([], [0], Budget(iterations=5))  # depends on no clock
    assert player.search.calls[4:] == ["notice 0", "think", "policy"]
    assert player.choice() == ""


def test_a_second_look_at_a_decision_follows_nothing_and_a_missed_one_is_made_up_for() -> None:
    """As an adviser is used: it follows every move, and is asked for some of them, perhaps
    twice.
    """
    player = SearchPlayer(FakeSearch, Budget(iterations=1))
    player.start(load_game("Kuhn"), 0, 0)
    player.follow([Event(0, 1, 1)])
    player.follow([Event(1, 0, 1), Event(0, 0, 1)])
    player.policy([0, 1], None)
    player.policy([0, 1], None)
    assert player.search.calls == ["start", "notice 3", "think", "policy", "think", "policy"]


def test_delays_are_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noticing takes 10 ms and every thought is 4 ms late. Ten moves of 40 ms take 400 ms and what
    the last was late, not ten delays more.
    """

    class Slow(FakeSearch):
        late, slow = 0.004, 0.01

    player = SearchPlayer(Slow)
    player.start(load_game("Kuhn"), 0, 0)
    still = installed(monkeypatch, StillClock())
    for _ in range(10):
        player.act([], [0, 1], Budget(seconds=0.04))
    assert still.time == pytest.approx(0.4 + 0.004)
    assert player.search.asked[0] == pytest.approx(0.03)
    assert player.search.asked[1:] == pytest.approx([0.026] * 9)


def test_after_a_long_delay_there_is_still_time_to_think(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a move's time, at least."""

    class VerySlow(FakeSearch):
        late = 0.1

    player = SearchPlayer(VerySlow)
    player.start(load_game("Kuhn"), 0, 0)
    installed(monkeypatch, StillClock())
    for _ in range(4):
        player.act([], [0, 1], Budget(seconds=0.04))
    assert player.search.asked[1:] == pytest.approx([0.02] * 3)


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0",
    reason="nothing is compiled, and an iteration takes milliseconds",
)
@pytest.mark.parametrize(
    "spec", ["oos(targeting=ist)", "oos(targeting=pst)", "ismcts(selector=uct)"]
)
def test_moves_take_their_time_and_no_longer(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a clock that only readings move: all that takes long reads the clock on the way, the first
    moves of a process included. The last move, of the only card that is left, takes no time.
    """
    game = load_game("IIGS(6)")
    seconds = []
    installed(monkeypatch, StillClock(tick=2e-3))
    for seed in range(2):
        player = make_player(game, spec)
        seconds += play_match(
            game, [player, RandomPlayer()], seed, [Budget(seconds=0.06), None], chance_seed=seed
        ).seconds[0]
        assert seconds.pop() < 0.03
    assert len(seconds) == 10
    assert 0.06 <= min(seconds) <= max(seconds) <= 0.09


def test_a_search_forgets_the_last_match() -> None:
    """A player used again plays as a new one."""
    game = load_game("Leduc")
    used, new = (make_player(game, "oos(iterations=50)") for _ in range(2))
    play_match(game, [used, RandomPlayer()], 1, chance_seed=1)
    policies = [
        [
            decision.policy
            for decision in play_match(game, [player, RandomPlayer()], 2, chance_seed=2).decisions[
                0
            ]
        ]
        for player in (used, new)
    ]
    assert policies[0] == policies[1]


# --- people ---


class Person:
    """Types the given lines and reads what is told."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.read: list[str] = []

    def ask(self, prompt: str) -> str:
        if not self.lines:
            raise EOFError
        return self.lines.pop(0)


def at_the_table(person: Person, adviser: Deciding | None = None) -> HumanPlayer:
    player = HumanPlayer(person.ask, person.read.append, adviser)
    player.start(load_game("Kuhn"), 0, 0)
    player.see(View("a picture", {0: "check", 1: "bet"}))
    return player


def test_a_person_types_moves() -> None:
    person = Person("raise", " BET \n")
    decision = at_the_table(person).act([], [0, 1], None)
    assert (decision.action, decision.policy) == (1, (0.0, 1.0))
    assert person.read == [
        "a picture",
        "Your moves: 1 check, 2 bet.",
        "raise is no move now. Your moves: 1 check, 2 bet. Type a move, ? for all moves, help for "
        "the rules, or quit.",
    ]


def test_moves_whose_names_have_digits_have_no_numbers() -> None:
    """The second of these moves is not what somebody means who types 2, but the one with that
    word.
    """
    person = Person("4", "2")
    player = at_the_table(person)
    player.see(View("a picture", {1: "bid 2", 3: "bid 3"}))
    assert player.act([], [1, 3], None).action == 1
    assert person.read[1] == "Your moves: bid 2, bid 3."
    assert person.read[2].startswith("4 is no move now. Your moves: bid 2, bid 3. Type a move")
    assert person.lines == []


def test_a_person_asks_for_hints() -> None:
    person = Person("hint", "hint", "nonsense", "check")
    adviser = SearchPlayer(FakeSearch, Budget(iterations=1))
    at_the_table(person, adviser).act([Event(0, 1, 1)], [0, 1], None)
    assert adviser.search.calls == ["start", "notice 1", "think", "policy", "think", "policy"]
    bars = f"  check    0.00%\n  bet    100.00%  {'█' * 30}"
    told = (
        "nonsense is no move now. Your moves: 1 check, 2 bet. Type a move, ? for all moves, help "
        "for the rules, hint for advice, or quit."
    )
    assert person.read == ["a picture", "Your moves: 1 check, 2 bet.", bars, bars, told]


@pytest.mark.parametrize("lines", [["quit"], []])
def test_a_person_leaves(lines: list[str]) -> None:
    with pytest.raises(Quit):
        at_the_table(Person(*lines)).act([], [0, 1], None)


def test_a_person_sees_their_own_seat_only() -> None:
    """Every picture that is shown, against what the game draws for that seat along the match."""
    game = load_game("Kuhn")
    person = Person("1", "1")
    record = play_match(
        game, [RandomPlayer(), HumanPlayer(person.ask, person.read.append)], 1, chance_seed=1
    )
    history, expected = History(game), [f"you are dealt {'JQK'[record.moves[1]]}"]
    for move in record.moves:
        if history.player == 1:
            did, can = (
                ("checks", "1 check, 2 bet")
                if history.moves[-1] == 0
                else ("bets", "1 fold, 2 call")
            )
            expected += [f"player 1 {did}", game.render(history.state, 1), f"Your moves: {can}."]
        history = history.child(move)
    assert person.read == expected


def test_a_person_reads_the_rules() -> None:
    person = Person("help", "?", "check")
    at_the_table(person).act([], [0, 1], None)
    _, _, rules, moves = person.read
    assert rules.startswith("The pack has 3 cards: jack, queen and king. Each player puts an ante")
    assert "1 chip without a call, and 2 chips after one.\n\nType a move" in rules
    assert max(map(len, rules.splitlines())) <= 88
    assert moves == "Your moves: 1 check, 2 bet."


def test_fifty_moves_are_not_listed_for_a_typing_mistake() -> None:
    person = Person("bid", "bd 17", "zzz", "?", "50")
    player = HumanPlayer(person.ask, person.read.append)
    player.start(load_game("Kuhn"), 0, 0)
    player.see(View("a picture", {bid: f"bid {bid}" for bid in range(1, 51)}))
    assert player.act([], list(range(1, 51)), None).action == 50
    _, first, begun, similar, neither, everything = person.read
    assert first.endswith("bid 9, bid 10, and 40 more.")
    assert begun.startswith("bid is no move now. Your moves: bid 1, bid 2, bid 3")
    assert "bid 17" in similar
    for told in (begun, similar, neither):
        assert told.count("bid ") - told.count("bid is") == 10
        assert "and 40 more. Type a move, ? for all moves" in told
    assert everything.count("bid ") == 50


@dataclass(frozen=True)
class Unhashable(KuhnPoker):
    """A game that breaks a law: it compares an array."""

    table: Any = field(default_factory=lambda: np.arange(3))


@pytest.mark.parametrize("search", ["oos", "ismcts", "mccr"])
def test_a_search_refuses_a_game_without_a_hash(search: str) -> None:
    game = Unhashable()
    with pytest.raises(ConformanceError, match=r"the same hash.*field\(compare=False\)"):
        make_player(game, search).start(game, 0, 0)


def test_a_search_that_is_kept_goes_with_its_player() -> None:
    player = make_player(load_game("Kuhn"), "oos")
    assert isinstance(player, SearchPlayer)
    player = player.with_one_search()
    player.start(load_game("Kuhn"), 0, 1)
    search = weakref.ref(player.search)
    player.start(load_game("Kuhn"), 1, 2)
    assert player.search is search()
    del player
    gc.collect()
    assert search() is None
