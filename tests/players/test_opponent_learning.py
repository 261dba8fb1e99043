"""Models that are learned from match to match: what is counted, and that tournaments repeat it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.games.history import History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.matches.match import play_match
from hiddenhand.matches.stopping import Until
from hiddenhand.matches.tournament import Tournament, mirrored
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.opponent_learning import PRIOR, Learned, LearningPlayer
from hiddenhand.players.registry import learns, make_player
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.unroll import unroll

GAME = KuhnPoker()
PASS, BET = GAME.PASS, GAME.BET


def known_of(learned: Learned) -> dict[tuple[str, str], float]:
    """The probability of each action in each set of player 2 that was met."""
    tree, found = unroll(learned.game), {}
    strategy = learned.strategy()
    for number in tree.sets_of(1 - learned.seat):
        row = strategy.at(int(tree.set_key[number]))
        if row is not None:
            said = tree.describe(int(number))
            found |= {
                (said.information, action): float(p)
                for action, p in zip(said.actions, row, strict=True)
            }
    return found


def test_what_is_shown_is_counted_once() -> None:
    """A card that is not shown is shared out among all that it may have been."""
    learned = Learned(GAME, 0)
    for _ in range(10):
        learned.add_moves((0, 2, BET, PASS))  # the jack bets, and somebody folds
    assert learned.matches == 10
    rows = list(known_of(learned).items())
    folded = [p for (_, action), p in rows if action == "fold"]
    assert len(folded) == 2  # queen or king, which player 1 cannot tell apart
    assert folded == pytest.approx([(PRIOR / 2 + 5) / (PRIOR + 5)] * 2)


def test_only_what_the_seat_notices_counts() -> None:
    """Two matches that look alike to the first player teach the same."""
    one, other = Learned(GAME, 0), Learned(GAME, 0)
    one.add_moves((0, 1, BET, PASS))
    other.add_moves((0, 2, BET, PASS))
    assert one.strategy() == other.strategy()


def test_it_learns_in_matches_what_it_learns_from_their_moves() -> None:
    game = load_game("Leduc")
    player = make_player(game, "auto(opponent=learned)")
    assert isinstance(player, LearningPlayer)
    moves = []
    for seed in range(4):
        record = play_match(game, [player, RandomPlayer()], seed, [Budget(500), None])
        moves.append(record.moves)
    again = Learned(game, 0)
    for match in moves:
        again.add_moves(match)
    assert player.learned is not None
    assert player.learned.matches == again.matches == 4
    assert player.learned.strategy() == again.strategy()
    play_match(game, [RandomPlayer(), player], 9, [None, Budget(500)])
    assert player.learned.matches == 1  # of another seat


@pytest.mark.slow
def test_what_always_happens_is_learned() -> None:
    """Of somebody who always bets, where their cards are never asked for."""
    learned = Learned(GAME, 1)
    rng = np.random.default_rng(0)
    for _ in range(300):
        history = History(GAME)
        while not history.is_terminal:
            if history.player < 0:
                history = history.child(history.sample_chance(rng))
            else:
                history = history.child(BET if history.player == 0 else rng.integers(2))
        learned.add_moves([int(move) for move in history.moves])
    bets = [p for (_, action), p in known_of(learned).items() if action == "bet"]
    assert len(bets) == 3
    assert min(bets) > 0.95


def test_a_tournament_goes_on_as_if_it_had_never_stopped(tmp_path: Path) -> None:
    names = ("auto(opponent=learned,safety=0.1)", "call")

    def play(matches: int, file: Path | None) -> list[Any]:
        with Tournament.between("Kuhn", names, iterations=300, deals=3, file=file) as running:
            running.run([((0, 1),)], matches)
            return [match.history for match in running.pairings()[0].played]

    whole = play(8, None)
    play(3, tmp_path / "kept")
    assert play(8, tmp_path / "kept") == whole


def test_bad_input_is_refused() -> None:
    assert learns("cr(opponent=learned)")
    assert not learns("cr(opponent=uniform)")
    names = ("auto(opponent=learned)", "random")
    with (
        Tournament.between("Kuhn", names, iterations=100) as running,
        pytest.raises(OptionError, match="jobs=2 is not allowed, give 1"),
    ):
        running.run([((0, 1),)], 4, jobs=2)
    with (
        Tournament.between("Kuhn", names, iterations=100) as running,
        pytest.raises(OptionError, match="until needs independent pairs"),
    ):
        running.run([mirrored()], 4, until=Until())
    with pytest.raises(PlayerError, match="ponder and opponent=learned exclude each other"):
        make_player(GAME, "auto(opponent=learned,ponder=true)")


def test_the_strategies_of_rules_are_what_they_play() -> None:
    game = load_game("Leduc")
    tree = unroll(game)
    for name in ("call", "raise"):
        player: Any = make_player(game, name)
        profile = player.profile(tree)
        assert set(profile.tolist()) == {0.0, 1.0}
        assert not np.array_equal(profile, uniform_profile(tree))
        for seed in range(10):
            record = play_match(game, [make_player(game, name), RandomPlayer()], seed)
            history = History(game)
            for move in record.moves:
                if history.player == 0:
                    number = tree.find_set(history.information_key)
                    at = history.legal_actions().index(move)
                    assert profile[tree.set_start[number] + at] == 1.0
                history = history.child(move)
