"""Walks through games that are not written out: what they find is what trees say, and what a
recursion over histories says.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from naive import behaviour as naive
from naive.behaviour import Node, written_out
from naive.rarely_broken import FAULTS, RarelyBroken
from naive.small_games import Forgetful, ThreeHands, small, small_variants
from typing_commands import Typed

from hiddenhand import (
    best_response,
    best_response_values,
    expected_values,
    nash_conv,
    unroll,
)
from hiddenhand.errors import FileError, GameError, HiddenhandError, OptionError, UnsavedError
from hiddenhand.evaluation import parallel_traversal
from hiddenhand.evaluation import streaming_best_response as walks
from hiddenhand.evaluation.infoset_enumeration import InfosetEnumeration
from hiddenhand.evaluation.nash_conv import (
    TREE_RATE,
    Measured,
    Options,
    finished_before,
    measured,
    planned,
)
from hiddenhand.games.base import Game
from hiddenhand.games.dark_hex import DarkHex
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import Report
from hiddenhand.trees import profile as profiles
from hiddenhand.trees.strategy import Strategy, sorted_strategy, strategy_from_profile
from hiddenhand.trees.tree import GameTree

HEX = DarkHex(2)


@cache
def game(name: str) -> Game:
    return TreeGame.from_game(ThreeHands()) if name == "three hands" else small(name)


@cache
def tree(name: str) -> GameTree:
    return unroll(game(name))


def random_profile(of: GameTree, seed: int) -> Floats:
    """A profile in which every third action is never played."""
    random = np.random.default_rng(seed)
    weights = np.where(
        random.random(of.num_sequences) < 1 / 3, 0.0, random.random(of.num_sequences)
    )
    return profiles.normalised(of, weights)


def streamed(of: Game, strategy: Strategy | None = None, **options: object) -> Measured:
    return measured(of, strategy, method="stream", **options)


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize(
    "name",
    ["Kuhn", "Leduc", "LD(1,1,3)", "II-GS(3)", "coordination_game", "BRPS(10)", "three hands"],
)
def test_a_walk_finds_what_the_tree_says(name: str, seed: int) -> None:
    profile = random_profile(tree(name), seed)
    found = streamed(game(name), strategy_from_profile(tree(name), profile))
    assert found.best_response_values == pytest.approx(
        profiles.best_response_values(tree(name), profile), abs=1e-12
    )
    assert found.expected_values == pytest.approx(
        profiles.expected_values(tree(name), profile), abs=1e-12
    )
    assert found.nash_conv == pytest.approx(profiles.nash_conv(tree(name), profile), abs=1e-12)


MORE = (
    "dark_hex(2,true)",
    "goofspiel(num_cards=3,imp_info=true,points_order=random)",
    "matrix_game([[1,2],[3,4],[5,6]],payoffs_1=[[0,1],[1,0],[0,0]])",
    "random_game(actions=3,depth=4,payoffs=leaves)",
    "tricks(2,3,2,2,trumps=true)",
    "tricks(2,3,3,2)",  # three players
    "turn_based(IIGS(3))",
)


def test_every_game_that_can_be_written_out_agrees_with_its_tree() -> None:
    """Chance, three players, general sums and simultaneous moves are among them."""
    for text in (*small_variants(), *MORE):
        of = small(text)
        written = unroll(of)
        for profile in (profiles.uniform_profile(written), random_profile(written, 7)):
            found = streamed(of, strategy_from_profile(written, profile))
            for values, wanted in (
                (found.best_response_values, profiles.best_response_values(written, profile)),
                (found.expected_values, profiles.expected_values(written, profile)),
            ):
                assert values == pytest.approx(wanted, rel=1e-12, abs=1e-12), text


@pytest.mark.parametrize("unseen", ["uniform", "fixed"])
def test_sets_that_are_not_known_play_the_same_as_in_a_tree(unseen: str) -> None:
    """Every third set is not known, whatever came before it."""
    of, known = (
        tree("Leduc"),
        strategy_from_profile(tree("Leduc"), random_profile(tree("Leduc"), 1)),
    )
    kept = np.flatnonzero(np.arange(known.num_sets) % 3)
    rows = [known.probabilities[known.starts[i] : known.starts[i + 1]] for i in kept]
    starts = np.cumsum([0, *(row.size for row in rows)])
    part = Strategy(known.game, known.keys[kept], starts, np.concatenate(rows), known.rules)
    found = streamed(game("Leduc"), part, unseen=unseen, seed=5)
    assert not found.drops
    assert found.best_response_values == pytest.approx(
        profiles.best_response_values(of, part.on(of, unseen, 5)), abs=1e-12
    )


# --- a game whose histories become the same when keys are dropped ---


@cache
def root() -> Node:
    return written_out(HEX)


def partly_known(seed: int) -> tuple[Strategy, naive.Behaviour, int]:
    """A strategy of `HEX` that does not know some sets, nor any that come after these; the whole
    of what it plays; and how many sets it lacks.
    """
    random = np.random.default_rng(seed)
    known: dict[int, Floats] = {}
    behaviour: naive.Behaviour = {}
    closed: set[int] = set()

    def visit(node: Node, ended: tuple[bool, ...]) -> None:
        if node.payoffs:
            return
        moves = list(node.children)
        if node.key not in behaviour:
            if ended[node.player] or (behaviour and random.random() < 0.3):
                closed.add(node.key)
                row = np.full(len(moves), 1.0 / len(moves))
            else:
                row = random.dirichlet(np.ones(len(moves)))
                row[0] = 0.0
                row = row / row.sum() if len(moves) > 1 else np.ones(1)
                known[node.key] = row
            behaviour[node.key] = dict(zip(moves, row.tolist(), strict=True))
        now = tuple(
            was or (player == node.player and node.key in closed)
            for player, was in enumerate(ended)
        )
        for child in node.children.values():
            visit(child, now)

    visit(root(), (False, False))
    keys = np.array(list(known), np.uint64)
    starts = np.cumsum([0, *(row.size for row in known.values())])
    strategy = sorted_strategy(HEX, keys, starts, np.concatenate(list(known.values())))
    return strategy, behaviour, len(closed)


@pytest.mark.parametrize("seed", range(3))
def test_dropped_keys_change_nothing(seed: int) -> None:
    strategy, behaviour, _ = partly_known(seed)
    found = streamed(HEX, strategy)
    assert found.drops
    wanted = [naive.best_response_value(root(), behaviour, player) for player in (0, 1)]
    assert found.best_response_values == pytest.approx(wanted, abs=1e-12)
    assert found.expected_values == pytest.approx(naive.expected(root(), behaviour), abs=1e-12)


# --- parts, threads, memory, files ---


@pytest.fixture
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_traversal, "LEAST", 0.03)


@pytest.mark.usefixtures("many_parts")
def test_threads_do_not_change_a_bit() -> None:
    one, three = (streamed(game("Leduc"), threads=threads) for threads in (1, 3))
    assert one.best_response_values == three.best_response_values
    assert (one.expected_values, one.sets) == (three.expected_values, three.sets)
    assert one.best_response_values == pytest.approx((2.0875, 2.65972222222222), abs=1e-12)


def test_memory_grows_without_changing_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = streamed(HEX)
    monkeypatch.setattr(walks, "_ITEMS", 1)
    monkeypatch.setattr(walks, "_GROUPS", 1)
    grown = streamed(HEX)
    assert grown.best_response_values == whole.best_response_values
    assert grown.histories == whole.histories


class _Ends:
    """Takes so many reports, and ends the work then."""

    def __init__(self, reports: int) -> None:
        self.left = reports

    def update(self, report: Report) -> None:
        self.left -= 1
        assert 0.0 <= report.done <= report.total == 100.0
        if self.left == 0:
            raise KeyboardInterrupt


@pytest.mark.usefixtures("many_parts")
def test_what_was_finished_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[walks.Part] = []
    begin_at = walks.Walker.begin_at

    def counting(self: walks.Walker, part: walks.Part) -> None:
        made.append(part)
        begin_at(self, part)

    monkeypatch.setattr(walks.Walker, "begin_at", counting)
    whole, parts, file = streamed(game("Leduc")), len(made), tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        streamed(game("Leduc"), checkpoint=file, progress=_Ends(40))
    made.clear()
    before = finished_before(game("Leduc"), None, Options(checkpoint=file))
    resumed = streamed(game("Leduc"), checkpoint=file)
    assert 0 < len(made) == parts - before < parts - 10
    assert resumed.best_response_values == whole.best_response_values
    assert resumed.sets == whole.sets
    with pytest.raises(FileError, match="another question"):
        streamed(game("Kuhn"), checkpoint=file)
    assert streamed(game("Kuhn"), checkpoint=file, replaces=True).nash_conv > 0.9


@pytest.mark.usefixtures("many_parts")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_part_that_fails_ends_the_walk_and_loses_nothing(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_at, file, begun = walks.Walker.begin_at, tmp_path / "kept", list[None]()

    def failing(self: walks.Walker, part: walks.Part) -> None:
        begun.append(None)
        if len(begun) > 20:
            raise MemoryError("no more room")
        begin_at(self, part)

    whole = streamed(game("Leduc"))
    with monkeypatch.context() as patch:
        patch.setattr(walks.Walker, "begin_at", failing)
        with pytest.raises(MemoryError, match="no more room"):
            streamed(game("Leduc"), checkpoint=file, threads=threads)
    assert finished_before(game("Leduc"), None, Options(checkpoint=file)) > 10
    resumed = streamed(game("Leduc"), checkpoint=file)
    assert resumed.best_response_values == whole.best_response_values


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("too deep", "max_depth"),
        (
            "writes beyond the state",
            r"RarelyBroken\.apply_action .* fails after the moves \(0, 0, 0, 0, 0, 0, 0, 0, 0\) ",
        ),
    ],
)
def test_a_rule_that_breaks_a_law_on_the_way_is_told(fault: str, told: str) -> None:
    with pytest.raises(HiddenhandError, match=told):
        streamed(RarelyBroken(FAULTS.index(fault)))


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("too many actions", "breaks the law .* legal actions.*: after the moves"),
        ("writes beyond the actions", "legal_actions .* fails after the moves"),
    ],
)
def test_a_rule_that_breaks_a_law_in_a_set_that_is_found_is_told(fault: str, told: str) -> None:
    """So it is where a player is asked at every set."""
    asked = InfosetEnumeration(RarelyBroken(FAULTS.index(fault)), 0)

    def find_all() -> None:
        waiting = asked.first()
        while waiting:
            waiting += [after for _, after in asked.after(waiting.pop())]

    with pytest.raises(HiddenhandError, match=told):
        find_all()


def test_a_checkpoint_that_cannot_be_written_does_not_lose_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typed
) -> None:
    def full(*given: object) -> None:
        raise FileError("the disk is full")

    monkeypatch.setattr(parallel_traversal, "save_arrays", full)
    monkeypatch.setattr(parallel_traversal, "_SECONDS", -1.0)  # so that it is tried after each part
    with pytest.raises(UnsavedError, match="the disk is full") as unsaved:
        streamed(game("Leduc"), checkpoint=tmp_path / "kept")
    assert unsaved.value.found.nash_conv == pytest.approx(4.747222222222222, abs=1e-12)
    command = ("nash-conv", "Leduc", "--uniform", "--method", "stream", "--json")
    status, out, err = typed(*command, "--checkpoint", str(tmp_path / "kept"))
    assert status == 2
    assert err.endswith("hiddenhand: the disk is full\n")
    assert json.loads(out)["nash_conv"] == pytest.approx(4.747222222222222, abs=1e-12)


def test_the_command_says_what_an_earlier_run_has_finished(tmp_path: Path, typed: Typed) -> None:
    file = tmp_path / "kept"
    command = ("nash-conv", "Leduc", "--uniform", "--method", "stream", "--checkpoint", str(file))
    _, first, told = typed(*command, "--json")
    assert "Going on" not in told
    parts = finished_before("Leduc", None, Options(checkpoint=file))
    assert parts > 0
    _, second, told = typed(*command, "--json")
    assert f"Continuing after {parts:,} parts that an earlier run finished, from {file}." in told
    assert json.loads(second)["nash_conv"] == json.loads(first)["nash_conv"]


# --- what is told, and what is refused ---


def test_a_strategy_is_measured_by_the_same_name_in_small_and_large_games() -> None:
    of = tree("Kuhn")
    profile = random_profile(of, 1)
    strategy = strategy_from_profile(of, profile)
    assert nash_conv(of, profile) == nash_conv(of, strategy) == nash_conv(of.game, strategy)
    for function in (best_response_values, expected_values):
        assert function(of, profile).tolist() == function(of.game, strategy).tolist()
    assert nash_conv(of.game, profile) == nash_conv(of, profile)
    with pytest.raises(OptionError, match="method='guess'"):
        nash_conv(of.game, strategy, method="guess")


def test_what_is_about_to_be_done_is_told() -> None:
    written = planned(game("Leduc"), Options())
    assert written.method == "tree"
    assert "Writing out the game: about 1," in str(written)
    assert written.histories == pytest.approx(1940, rel=0.5)
    assert written.seconds == pytest.approx(written.histories / TREE_RATE)
    plan = planned(game("Leduc"), Options(method="stream", threads=2))
    assert plan.method == "stream"
    assert plan.histories == pytest.approx(1940, rel=0.5)
    assert "at most" in str(plan)


def test_games_without_perfect_recall_are_refused() -> None:
    with pytest.raises(GameError, match="keys of its own"):
        streamed(Forgetful())


def test_a_strategy_of_another_game_is_refused() -> None:
    strategy, _, _ = partly_known(1)
    with pytest.raises(FileError):
        streamed(game("Kuhn"), strategy)
    for measure in (nash_conv, best_response):
        with pytest.raises(FileError, match=r"the strategy is for .*, not for"):
            measure(tree("Kuhn"), strategy)


def test_the_command_line_tells_what_the_tree_tells(typed: Typed, tmp_path: Path) -> None:
    written = "naive.small_games:Written(Leduc)"
    file = tmp_path / "s"
    strategy_from_profile(tree("Leduc"), random_profile(tree("Leduc"), 3)).save(file)
    by_tree = typed.json("nash-conv", written, "--strategy", str(file))
    found = typed.json("nash-conv", written, "--strategy", str(file), "--method", "stream")
    for name in ("nash_conv", "best_response_values", "expected_values"):
        assert found[name] == pytest.approx(by_tree[name], abs=1e-12)
    assert (by_tree["method"], found["method"]) == ("tree", "stream")
    assert not (tmp_path / "s.nash-conv").exists()
