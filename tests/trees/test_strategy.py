"""Strategies: to profiles and back, into files and back, and what they play where they know
nothing.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from naive.behaviour import behaviour_of, random_profile
from naive.small_trees import THREE, tree_of

from hiddenhand.errors import FileError, GameError, OptionError
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Strategy, strategy_from_profile
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.tree import GameTree


def strategy_for(game: str, seed: int = 0) -> Strategy:
    return strategy_from_profile(tree_of(game), random_profile(tree_of(game), seed))


def num_known(strategy: Strategy, tree: GameTree) -> int:
    """How many information sets of ``tree`` the strategy knows."""
    return int(np.isin(tree.set_key, strategy.keys).sum())


def without(strategy: Strategy, forgotten: list[int]) -> Strategy:
    """The strategy with some of its sets left out."""
    rows = [row for row in range(strategy.num_sets) if row not in forgotten]
    parts = [
        strategy.probabilities[strategy.starts[row] : strategy.starts[row + 1]] for row in rows
    ]
    starts = np.cumsum([0, *(part.size for part in parts)])
    return Strategy(
        strategy.game, strategy.keys[rows], starts, np.concatenate([*parts, np.zeros(0)])
    )


NOTHING = Strategy("any game", np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))


@pytest.mark.parametrize("game", ["Kuhn", "Leduc", "coordination_game", "IIGS(4)", THREE], ids=str)
def test_a_profile_comes_back(game: str) -> None:
    tree = tree_of(game)
    profile = random_profile(tree, 1)
    strategy = strategy_from_profile(tree, profile)
    assert np.array_equal(strategy.on(tree), profile)
    assert strategy.game == repr(tree.game)
    assert strategy.num_sets == num_known(strategy, tree) == tree.num_sets
    assert np.all(np.diff(strategy.keys.astype(object)) > 0)


def test_at_finds_the_probabilities_of_a_set() -> None:
    tree = tree_of("Leduc")
    profile = random_profile(tree, 2)
    strategy = strategy_from_profile(tree, profile)
    for key, sigma in behaviour_of(tree, profile).items():
        found = strategy.at(key)
        assert found is not None
        assert found.tolist() == list(sigma.values())


@pytest.mark.parametrize("key", [0, 1, 2**63, 2**64 - 1])
def test_at_knows_nothing_of_other_keys(key: int) -> None:
    assert strategy_for("Kuhn").at(key) is None
    assert NOTHING.at(key) is None


def test_a_file_gives_the_strategy_back(tmp_path: Path) -> None:
    tree = tree_of("Leduc")
    strategy = strategy_for("Leduc")
    strategy.save(tmp_path / "folder" / "leduc.strategy")
    found = load_strategy(str(tmp_path / "folder" / "leduc.strategy"))
    assert found.game == strategy.game
    assert np.array_equal(found.on(tree), strategy.on(tree))
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["leduc.strategy"]


def test_a_saved_search_is_a_strategy_too(tmp_path: Path) -> None:
    tree = tree_of("Kuhn")
    search = OOS("Kuhn", seed=3)
    search.run(100)
    search.save(tmp_path / "search")
    assert np.array_equal(load_strategy(tmp_path / "search").on(tree), search.strategy().on(tree))


def test_a_strategy_of_the_same_rules_fits() -> None:
    """Leduc poker is GP(3,2,1,1) with another name: all keys agree."""
    tree = tree_of("GP(3,2,1,1)")
    strategy = strategy_for("Leduc")
    assert num_known(strategy, tree) == 288
    assert nash_conv(tree, strategy.on(tree)) == nash_conv(
        tree_of("Leduc"), strategy.on(tree_of("Leduc"))
    )


# --- information sets it does not know ---


def test_forgotten_sets_alone_are_uniform() -> None:
    tree = tree_of("Kuhn")
    whole = strategy_for("Kuhn")
    part = without(whole, [0, 5, 11])
    assert num_known(part, tree) == 9
    changed = part.on(tree) != whole.on(tree)
    forgotten = np.isin(tree.set_key[tree.sequence_set], whole.keys[[0, 5, 11]]) & (
        tree.sequence_set >= 0
    )
    assert np.all(part.on(tree)[forgotten] == 0.5)
    assert not np.any(changed & ~forgotten)


def test_a_profile_is_verified() -> None:
    tree = tree_of("Kuhn")
    ones = np.ones(tree.num_sequences)
    for profile, says in [
        (ones, "sum to 2, the smallest of all is 1"),
        (-ones, "the smallest of all is -1"),
        (np.nan * ones, "sum to nan"),
        (ones[:3], r"a profile of shape \(3,\) does not fit"),
        (None, r"a profile of shape \(\) does not fit"),
    ]:
        with pytest.raises(OptionError, match=says):
            strategy_from_profile(tree, profile)  # type: ignore[arg-type]  # as users do


def test_a_strategy_without_sets_needs_a_game() -> None:
    tree = tree_of("Kuhn")
    assert Strategy.uniform("kuhn_poker") == Strategy.uniform(tree.game)
    with pytest.raises(GameError, match="3 is not a game; give a game or its name"):
        Strategy.uniform(3)  # type: ignore[arg-type]  # as users do
    for unwritten in ("kuhn_poker", None, tree.game):
        with pytest.raises(GameError, match=r"is not written out; give the tree that unroll"):
            NOTHING.on(unwritten)  # type: ignore[arg-type]  # as users do


def test_fixed_play_is_the_same_for_every_strategy() -> None:
    """What a set plays depends on its key and the seed, not on what else is known or on the order
    of the tree.
    """
    tree = tree_of("IIGS(4)")
    whole = strategy_for("IIGS(4)")
    part = without(whole, [3, 100, 500])
    forgotten = np.isin(tree.set_key[tree.sequence_set], whole.keys[[3, 100, 500]]) & (
        tree.sequence_set >= 0
    )
    assert np.array_equal(
        part.on(tree, "fixed", 9)[forgotten], NOTHING.on(tree, "fixed", 9)[forgotten]
    )
    assert np.array_equal(part.on(tree, "fixed", 9)[~forgotten], whole.on(tree)[~forgotten])


@pytest.mark.parametrize(
    ("seed", "num_actions"), [(seed, n) for seed in (0, 1, 2) for n in (2, 3, 4, 5)]
)
def test_fixed_play_favours_no_action(seed: int, num_actions: int) -> None:
    """Chi-square with at most 4 degrees of freedom: 18.5 is passed by one fair draw in a
    thousand.
    """
    tree = tree_of("IIGS(5)")
    profile = NOTHING.on(tree, "fixed", seed)
    starts = tree.set_start[:-1][np.diff(tree.set_start) == num_actions]
    chosen = np.array([profile[starts + a].sum() for a in range(num_actions)])
    expected = starts.size / num_actions
    assert np.sum((chosen - expected) ** 2) / expected < 18.5


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda tree: NOTHING.on(tree, "random"), "unseen='random' is not allowed; choose one of:"),
        (lambda tree: NOTHING.on(tree, "fixed", -1), "seed -1 is not allowed; give an integer of"),
        (lambda tree: NOTHING.on(tree, "fixed", 1.5), "seed 1.5 is not allowed; give an integer"),
    ],
    ids=["rule", "negative", "broken"],
)
def test_bad_input_is_refused(ask: Callable[[object], object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ask(tree_of("Kuhn"))


def test_a_strategy_with_other_actions_is_refused() -> None:
    tree = tree_of("Kuhn")
    strategy = strategy_for("Kuhn")
    wrong = Strategy("chess", strategy.keys, np.arange(13) * 3, np.ones(36) / 3)
    with pytest.raises(
        FileError,
        match=(
            r"this strategy is for chess, not for KuhnPoker\(num_cards=3\): an information set "
            r"has another number of"
        ),
    ):
        wrong.on(tree)


# --- files that are no strategies ---


@pytest.mark.parametrize(
    "write",
    [
        lambda path: np.save(path.open("wb"), np.ones(3)),
        lambda path: np.savez(path.open("wb"), keys=np.ones(3)),
        lambda path: np.savez(path.open("wb"), _header=np.array("not JSON")),
        lambda path: np.savez(path.open("wb"), _header=np.array("[1, 2]")),
        lambda path: path.write_text("plain text"),
    ],
    ids=["npy", "no header", "no JSON", "no dictionary", "text"],
)
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_a_file_of_somebody_else(write: Callable[[Path], object], tmp_path: Path) -> None:
    write(tmp_path / "foreign")
    with pytest.raises(
        FileError, match="foreign cannot be read: it is damaged, or was not written by Hiddenhand"
    ):
        load_strategy(tmp_path / "foreign")


# --- words ---


def test_a_table_in_words() -> None:
    """Equilibrium of Kuhn poker: player 2 always calls with the king, never with the jack."""
    kuhn = tree_of("Kuhn")
    strategy = strategy_from_profile(kuhn, solve_lp(kuhn).profile)
    table = strategy.table("Kuhn")
    assert len(table) == kuhn.num_sets == len({(row.player, row.information) for row in table})
    played = {(row.player, row.information): row.probabilities for row in table}
    assert played[1, "your card: K; moves: bet"] == pytest.approx({"fold": 0.0, "call": 1.0})
    assert played[1, "your card: J; moves: bet"] == pytest.approx({"fold": 1.0, "call": 0.0})
    assert "player 2: your card: K; moves: bet\n    fold 0.00%  call 100.00%" in str(table)
    assert all(row.known for row in table)
    assert table == strategy.table(kuhn)


def test_a_table_says_what_is_not_known() -> None:
    strategy = without(strategy_for("Kuhn"), [3])
    (row,) = [row for row in strategy.table("Kuhn") if not row.known]
    assert set(row.probabilities.values()) == {0.5}
    assert str(row).endswith("(not known)")
    with pytest.raises(FileError, match="not for LeducPoker"):
        strategy.table("Leduc")


def test_strategies_are_equal_to_the_last_bit(tmp_path: Path) -> None:
    strategy = strategy_for("Leduc")
    strategy.save(tmp_path / "file")
    again = load_strategy(tmp_path / "file")
    assert again == strategy
    assert hash(again) == hash(strategy)
    assert strategy != without(strategy, [0])
    assert strategy != "strategy"
    nudged = strategy.probabilities.copy()
    nudged[5] = np.nextafter(nudged[5], 2.0)
    assert strategy != Strategy(strategy.game, strategy.keys, strategy.starts, nudged)
