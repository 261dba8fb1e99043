"""Beliefs against enumeration: exactly the histories that fit what was noticed, with the right
weights.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from naive.noticing import events_of
from naive.small_games import small

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.belief import propagation
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.strategy import Strategy

GAMES = ["Kuhn", "Leduc", "LD(1,1,3)", "IIGS(4)", "coordination_game", "BRPS(10)"]


WRITTEN_OUT = ("Kuhn", "coordination_game", "BRPS(10)")


def game(spec: str) -> Game:
    """The game by its own rules, or written out where no other test looks at beliefs about them."""
    return small(spec) if spec in WRITTEN_OUT else as_sequential(load_game(spec))


def sample_of(histories: list[History], count: int, seed: int) -> Iterator[History]:
    chosen = np.random.default_rng(seed).choice(
        len(histories), min(count, len(histories)), replace=False
    )
    return (histories[index] for index in chosen)


def paths_of(belief: Belief) -> list[tuple[int, ...]]:
    """The leaves as sequences of action numbers."""
    trie = belief.trie
    found = []
    for leaf in belief.leaves.node:
        path, node = [], int(leaf)
        while trie.parent[node] >= 0:
            path.append(int(trie.index[node]))
            node = int(trie.parent[node])
        found.append(tuple(reversed(path)))
    return found


def numbered(history: History) -> tuple[int, ...]:
    """A history as a sequence of action numbers."""
    at, path = History(history.game), []
    for move in history.moves:
        path.append(at.legal_moves().index(move))
        at = at.child(move)
    return tuple(path)


@pytest.mark.parametrize("spec", GAMES)
def test_a_players_belief_is_their_information_set(spec: str) -> None:
    played = game(spec)
    histories = [history for history in all_histories(played) if history.player >= 0]
    for history in sample_of(histories, 40, seed=1):
        player = history.player
        expected = {
            numbered(other)
            for other in histories
            if other.player == player and other.key(player) == history.key(player)
        }
        belief = Belief(played, player)
        belief.notice(events_of(history, player))
        assert sorted(paths_of(belief)) == sorted(expected)
        assert belief.key == history.key(player)
        assert belief.information_key == history.information_key
        assert not belief.is_sample
        np.testing.assert_allclose(belief.uniform(), 1 / len(expected))


@pytest.mark.parametrize("spec", GAMES)
def test_the_publics_belief_is_the_upper_frontier(spec: str) -> None:
    """The first histories at which the public has noticed all there is to notice."""
    played = game(spec)
    histories = list(all_histories(played))
    for history in sample_of([h for h in histories if h.player >= 0], 40, seed=2):
        here = {numbered(other) for other in histories if other.public_key == history.public_key}
        expected = {path for path in here if not path or path[:-1] not in here}
        belief = Belief(played, played.num_players)
        belief.notice(events_of(history, history.player))
        assert sorted(paths_of(belief)) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["Leduc", "IIGS(4)", "PTTT", "LD(2,2,3)"])
def test_noticing_in_pieces_is_noticing_at_once(spec: str) -> None:
    played, rng = game(spec), np.random.default_rng(3)
    for _ in range(3):
        history, seen = History(played), 0
        pieces = Belief(played, 0, cap=10**6)
        while not history.is_terminal:
            if history.player == 0:
                events = events_of(history, 0)
                pieces.notice(events[seen:])
                seen = len(events)
                whole = Belief(played, 0, cap=10**6)
                whole.notice(events)
                assert sorted(paths_of(pieces)) == sorted(paths_of(whole))
                assert numbered(history) in paths_of(pieces)
            history = history.child(int(rng.choice(history.legal_actions())))


def likelihoods(belief: Belief, strategy: Strategy) -> list[float]:
    """How likely each history is in which player 0 is to move, if player 1 follows ``strategy``,
    and plays uniformly where it knows nothing.
    """
    found = []
    for path in paths_of(belief):
        at, likelihood = History(belief.game), 1.0
        for number in path:
            if at.player == CHANCE:
                likelihood *= at.chance_outcomes()[number][1]
            elif at.player == 1:
                known = strategy.at(at.information_key)
                likelihood *= known[number] if known is not None else 1 / len(at.legal_actions())
            at = at.child(at.legal_moves()[number])
        found.append(likelihood)
    return found


def test_weights_are_chance_times_the_play_of_others() -> None:
    """In Leduc poker, where of two hands that differ in rank alone one may be twice as likely."""
    played = game("Leduc")
    search = OOS(played, seed=1)
    search.run(iterations=20_000)
    strategy, nothing, lopsided = search.strategy(), Strategy.uniform(played), 0
    for history in sample_of(
        [h for h in all_histories(played) if h.player == 0 and len(h.moves) > 3], 20, seed=4
    ):
        belief = Belief(played, 0)
        belief.notice(events_of(history, 0))
        for given, weights in (
            (strategy, belief.modelled(search.table, 1)),
            (nothing, belief.by_chance()),
        ):
            expected = np.array(likelihoods(belief, given))
            np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-9)
        lopsided += not np.array_equal(belief.by_chance(), belief.uniform())
    assert lopsided > 10


# --- a cap ---


@pytest.mark.slow
def test_a_capped_belief_is_an_unbiased_sample() -> None:
    """Over many seeds each history of the set is kept equally often, and the weights add up to the
    number of histories on average.
    """
    played = game("IIGS(5)")
    history = History(played)
    for move in (0, 1, 2, 3, 4, 0):
        history = history.child(move)
    full = Belief(played, 0)
    full.notice(events_of(history, 0))
    kept: dict[tuple[int, ...], int] = dict.fromkeys(paths_of(full), 0)
    totals = []
    for seed in range(400):
        belief = Belief(played, 0, cap=3, seed=seed)
        belief.notice(events_of(history, 0))
        assert belief.leaves.size <= 3
        totals.append(belief.leaves.weight.sum())
        for path, weight in zip(paths_of(belief), belief.leaves.weight, strict=True):
            kept[path] += weight
    error = np.std(totals) / 400**0.5
    assert abs(np.mean(totals) - full.leaves.size) < 5 * error + 1e-9
    shares = np.array(list(kept.values())) / 400
    assert np.abs(shares - 1).max() < 0.6


def test_the_end_of_a_match_is_no_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Player 1 ends the game, or lets player 0 move again, who would notice neither. The kernel is
    plain Python here, where nothing can be read beyond the end of an array.
    """
    game = TreeGame(
        player=np.array([0, 1, 0, *[TERMINAL] * 3]),
        first_child=np.array([1, 2, 4, 0, 0, 0]),
        num_children=np.array([1, 2, 2, 0, 0, 0]),
        probability=np.ones(6),
        information_set=np.array([0, 1, 2, -1, -1, -1]),
        utilities=np.zeros((6, 2)),
        private_token=np.zeros((6, 2), np.int64),
        public_token=np.zeros(6, np.int64),
    )
    by_rules = propagation._explaining_moves
    monkeypatch.setattr(propagation, "_explaining_moves", by_rules.py_func)
    belief = Belief(game, 0)
    belief.end(events_of(History(game).child(0).child(1), 0))
    assert [belief.moves_to(leaf) for leaf in range(belief.leaves.size)] == [[0, 1]]


def test_a_dead_belief_is_drawn_again() -> None:
    played = game("IIGS(6)")
    rng = np.random.default_rng(5)
    recovered = 0
    for seed in range(30):
        belief, history, seen = Belief(played, 0, cap=2, seed=seed), History(played), 0
        while not history.is_terminal:
            if history.player == 0:
                events = events_of(history, 0)
                belief.notice(events[seen:])
                seen = len(events)
            history = history.child(int(rng.choice(history.legal_actions())))
        recovered += belief.recoveries
        if belief.is_alive:
            assert belief.leaves.size <= 2
    assert recovered > 0


@pytest.mark.parametrize(
    "spec", ["IIGS(13)", "LD(2,2,6)", "GP(4,6,4,4)", "PTTT", "phantom_ttt(forced_wins=True)"]
)
def test_whole_matches_keep_a_living_belief(spec: str) -> None:
    """Against random play; a recovery is allowed in one match of a hundred, so none is expected in
    these few.
    """
    played = game(spec)
    for seed, player in itertools.product(range(2), range(2)):
        rng = np.random.default_rng(seed)
        belief, history, pending = (
            Belief(played, player, cap=20_000, seed=seed),
            History(played),
            [],
        )
        while not history.is_terminal:
            if history.player == player:
                belief.notice(pending)
                pending = []
                assert belief.is_alive
                assert belief.key == history.key(player)
            history = history.child(int(rng.choice(history.legal_actions())))
            event = history.noticed(player)
            if event is not None:
                pending.append(event)
        assert belief.recoveries == 0


# --- little time ---


@pytest.mark.slow
def test_with_little_time_a_belief_is_an_unbiased_sample_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two leaves are continued at each step when there is no time at all."""
    monkeypatch.setattr("hiddenhand.search.belief.belief._FEWEST", 2)
    played = game("IIGS(5)")
    history = History(played)
    for move in (0, 1, 2, 3, 4, 0):
        history = history.child(move)
    full = Belief(played, 0)
    full.notice(events_of(history, 0))
    totals = []
    for seed in range(100):
        belief = Belief(played, 0, seed=seed)
        belief.notice(events_of(history, 0), 0.0)
        assert belief.leaves.size <= 2 * 5
        assert belief.is_sample
        totals.append(
            belief.leaves.weight.sum() if belief.recoveries == 0 else 0.0
        )  # a dead sample stands for nothing
    error = np.std(totals) / 100**0.5
    assert abs(np.mean(totals) - full.leaves.size) < 5 * error


def test_enough_time_changes_nothing() -> None:
    played, rng = game("PTTT"), np.random.default_rng(6)
    with_time, without = Belief(played, 0), Belief(played, 0)
    history, pending = History(played), []
    while not history.is_terminal:
        if history.player == 0:
            with_time.notice(pending, 3600.0)
            without.notice(pending)
            pending = []
            assert paths_of(with_time) == paths_of(without)
            assert not with_time.is_sample
        history = history.child(int(rng.choice(history.legal_actions())))
        pending += [event for event in [history.noticed(0)] if event is not None]


@pytest.mark.parametrize("spec", ["IIGS(13)", "PTTT"])
def test_without_time_a_belief_stays_small_and_alive(spec: str) -> None:
    """The public's, too, which grows most in Phantom Tic-Tac-Toe."""
    played, rng = game(spec), np.random.default_rng(7)
    beliefs = {observer: Belief(played, observer, seed=observer) for observer in (0, 2)}
    history, pending = History(played), []
    while not history.is_terminal:
        if history.player == 0:
            for belief in beliefs.values():
                belief.notice(pending, 0.0)
                assert belief.is_alive
                assert belief.recoveries == 0
                assert (
                    belief.leaves.size <= 30_000
                )  # what 1000 grow to in a few generations; the cap is 100,000
            pending = []
        history = history.child(int(rng.choice(history.legal_actions())))
        pending += [event for event in [history.noticed(0)] if event is not None]
