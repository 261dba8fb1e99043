"""A game written out as arrays: its counts, its structure, and what it refuses."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from naive.small_games import Forgetful, Over, small
from naive.small_trees import THREE, Watching, game_of, tree_of

from hiddenhand.errors import GameError, OptionError, RuleError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import all_histories
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.profile import history_values, nash_conv, uniform_profile
from hiddenhand.trees.tree import GameTree, TreeCounts
from hiddenhand.trees.unroll import unroll

SMALL = ["Kuhn", "Leduc", "coordination_game", "IIGS(4)", "LD(1,1,3)", "BRPS(10)", THREE]
LARGER = ["GP(3,3,2,2)", "IIGS(5)", "LD(1,1,6)", "GS(5)"]
ARRAYS = [name for name in GameTree.__annotations__ if name != "game"]


@pytest.fixture(params=SMALL)
def tree(request: pytest.FixtureRequest) -> GameTree:
    return tree_of(request.param)


@pytest.mark.parametrize(
    ("game", "decisions", "chance", "terminals", "sets", "sequences", "public"),
    [  # an independently written sequence-form linear program; the last three by hand
        ("GP(3,2,1,1)", [387, 387], 49, 1116, [144, 144], [337, 337], 96),
        ("GP(3,3,2,2)", [11880, 11880], 265, 44883, [3960, 3960], [11353, 11353], 2640),
        ("LD(1,1,3)", [288, 288], 4, 567, [96, 96], [190, 190], 64),
        ("LD(1,1,6)", [73728, 73728], 7, 147420, [12288, 12288], [24571, 24571], 4096),
        ("IIGS(4)", [737, 916], 0, 576, [369, 369], [463, 463], 80),
        ("IIGS(5)", [18426, 22905], 0, 14400, [4974, 4974], [6196, 6196], 242),
        ("IIGS(6)", [663337, 824586], 0, 518400, [83001, 83001], [102799, 102799], 728),
        ("GS(5)", [18426, 22905], 0, 14400, [18426, 18426], [22906, 22906], 36852),
        # by rank, Leduc is GP(3,2,1,1)
        ("Leduc", [387, 387], 49, 1116, [144, 144], [337, 337], 96),
        ("BRPS(10)", [1, 3], 0, 9, [1, 1], [4, 4], 2),
        ("Kuhn", [12, 12], 4, 30, [6, 6], [13, 13], 4),
        ("coordination_game", [2, 2], 1, 6, [1, 1], [3, 3], 2),
    ],
)
def test_counts(
    game: str,
    decisions: list[int],
    chance: int,
    terminals: int,
    sets: list[int],
    sequences: list[int],
    public: int,
) -> None:
    assert unroll(game).counts() == TreeCounts(
        decisions, chance, terminals, sets, sequences, public
    )


# --- structure ---


def test_it_holds_what_walking_the_rules_finds(tree: GameTree) -> None:
    """Every history, found by its moves: who moves, what all noticed, what is paid, and chance's
    part in it.
    """
    found = {tuple(tree.path(h)): h for h in range(tree.num_histories)}
    histories = {history.moves: history for history in all_histories(as_sequential(tree.game))}
    assert found.keys() == histories.keys()
    for moves, history in histories.items():
        h = found[moves]
        assert tree.player[h] == history.player
        assert tree.keys[h].tolist() == [
            *(history.key(p) for p in range(tree.num_players)),
            history.public_key,
        ]
        if history.is_terminal:
            assert tuple(tree.utility[tree.terminal_number[h]]) == history.returns()
        elif history.player == CHANCE:
            children = slice(tree.first_child[h], tree.first_child[h] + tree.num_children[h])
            assert (
                list(
                    zip(
                        tree.action[children].tolist(),
                        tree.probability[children].tolist(),
                        strict=True,
                    )
                )
                == history.chance_outcomes()
            )
        else:
            information_set = tree.find_set(history.information_key)
            assert tree.information_set[h] == information_set
            assert tree.actions_of_set(information_set).tolist() == history.legal_actions()


def test_sets_come_after_the_sets_that_lead_to_them(tree: GameTree) -> None:
    """A loop over the numbers upwards goes down the game."""
    before = tree.sequence_set[tree.set_parent]
    assert np.all(before < np.arange(tree.num_sets))
    assert np.array_equal(tree.sequence_player[tree.set_parent], tree.set_player)
    assert np.all((before >= 0) | (tree.set_parent == tree.set_player))


def test_sequences_belong_to_sets(tree: GameTree) -> None:
    players = tree.num_players
    assert tree.set_start[0] == players
    assert (
        tree.set_start[-1]
        == tree.num_sequences
        == tree.sequence_player.size
        == tree.sequence_set.size
    )
    assert tree.sequence_action[:players].tolist() == [-1] * players
    for player in range(players):
        own = tree.sets_of(player)
        assert np.all(tree.set_player[own] == player)
        assert np.sum(tree.sequence_player == player) == 1 + sum(
            tree.actions_of_set(i).size for i in own
        )


@pytest.mark.parametrize("game", [*SMALL, *LARGER])
def test_chance_is_divided_without_remainder(game: str) -> None:
    """Chance's outcomes sum to 1 everywhere; so do chance's parts of the ends that one choice at
    each decision leaves.
    """
    tree = tree_of(game)
    drawn = np.flatnonzero(tree.player == CHANCE)
    sums = [
        tree.probability[tree.first_child[h] : tree.first_child[h] + tree.num_children[h]].sum()
        for h in drawn
    ]
    assert sums == pytest.approx(np.ones(drawn.size))
    uniform = tree.probability.copy()
    inner = tree.parent[1:]
    uniform[1:] /= np.where(tree.player[inner] == CHANCE, 1, tree.num_children[inner])
    for h in range(1, tree.num_histories):
        uniform[h] *= uniform[tree.parent[h]]
    assert uniform[tree.terminal].sum() == pytest.approx(1.0)


WITH_FORCED_MOVES = [
    "IIGS(4)",
    "GS(4)",
    "LD(1,1,3)",
    "dark_hex(2)",
    "battleship(2,2,'1')",
    THREE,
    "tricks(suits=2,ranks=2,players=2,hand=2)",
]


def is_decided(tree: GameTree) -> np.ndarray:
    """``bool[H]``: from which histories on nobody has a choice, by looking down from each."""
    found = tree.player == TERMINAL
    for h in reversed(range(tree.num_histories)):
        if tree.player[h] >= 0 and tree.num_children[h] == 1:
            found[h] = found[tree.first_child[h]]
    return found


@pytest.mark.parametrize("game", WITH_FORCED_MOVES)
def test_what_is_decided_need_not_be_written_out(game: str) -> None:
    """Kept are the histories up to the first one that is decided, with what it pays, and with the
    same information sets in which somebody has to move.
    """
    full, tree = tree_of(game), unroll(game_of(game), decided=False)
    decided = is_decided(full)
    number_of = {tuple(full.path(h)): h for h in range(full.num_histories)}
    kept = [number_of[tuple(tree.path(h))] for h in range(tree.num_histories)]
    assert sorted(kept) == [
        h for h in range(full.num_histories) if h == 0 or not decided[full.parent[h]]
    ]
    assert np.array_equal(tree.player == TERMINAL, decided[kept])
    assert tree.num_histories < full.num_histories or game == THREE
    paid = history_values(full, uniform_profile(full))
    assert np.array_equal(tree.utility, paid[kept][tree.terminal])
    for h, number in enumerate(kept):
        if tree.player[h] != TERMINAL:
            assert tree.player[h] == full.player[number]
            assert tree.keys[h].tolist() == full.keys[number].tolist()
        if tree.player[h] >= 0:
            at, there = tree.information_set[h], full.information_set[number]
            assert tree.set_key[at] == full.set_key[there]
            assert tree.actions_of_set(at).tolist() == full.actions_of_set(there).tolist()


def test_moves_that_are_forced_before_a_choice_are_written_out() -> None:
    """Who must follow suit with the only card of it may choose later."""
    tree = unroll("tricks(suits=2,ranks=3,players=2,hand=3)", decided=False)
    forced = (tree.player >= 0) & (tree.num_children == 1)
    assert forced.any()
    assert not is_decided(tree)[forced].all()


@pytest.mark.parametrize("game", WITH_FORCED_MOVES)
def test_what_is_decided_makes_no_difference_to_a_solver(game: str) -> None:
    game = f"{game}, untied"  # else rounding decides between actions that are equally good
    full, tree = tree_of(game), unroll(game_of(game), decided=False)
    profiles = []
    for each in (full, tree):
        run = CFR(each, "cfr+")
        run.iterate(20)
        profiles.append(run.average_profile())
    of_sets = {int(key): number for number, key in enumerate(full.set_key)}
    for number, key in enumerate(tree.set_key):
        there = of_sets[int(key)]
        own, same = (
            profile[each.set_start[i] : each.set_start[i + 1]]
            for profile, each, i in ((profiles[1], tree, number), (profiles[0], full, there))
        )
        assert own == pytest.approx(same, abs=1e-9)
    assert nash_conv(tree, profiles[1]) == pytest.approx(nash_conv(full, profiles[0]), abs=1e-9)


def test_a_game_that_is_over_before_it_begins() -> None:
    tree = unroll(Over())
    assert (tree.num_histories, tree.num_sets, tree.terminal.tolist()) == (1, 0, [0])
    assert tree.utility.tolist() == [[3.0, -3.0]]


def test_arrays_are_read_only(tree: GameTree) -> None:
    arrays = {name: getattr(tree, name) for name in ARRAYS}
    assert len(arrays) == 18
    for name, array in arrays.items():
        with pytest.raises(ValueError, match="read-only"):
            array.flat[0] = array.flat[0]
        assert not array.flags.writeable, name


def test_a_game_of_three_players_not_zero_sum() -> None:
    """By hand: 8 deals; chance moves at 1 + 2 + 4, then the players at 1, 2 and 4 histories after
    each deal, then 8 ends.
    """
    tree = tree_of(THREE)
    assert tree.counts() == TreeCounts([8, 16, 32], 7, 64, [2, 4, 8], [5, 9, 17], 7)
    assert tree.utility[-1].tolist() == pytest.approx(
        [2 / 3] * 3
    )  # all hold a high card and are in: 5/3 - 1 each
    assert tree.terminal_chance[-1] == pytest.approx(1 / 27)


# --- refusals ---


def test_too_large_a_game_is_refused_with_its_size() -> None:
    with pytest.raises(
        TooLargeError,
        match=(
            r"KuhnPoker\(num_cards=3\) has more than 57 histories \(58 with at most 5 moves\); "
            r"allow more with"
        ),
    ):
        unroll("Kuhn", max_histories=57)
    assert unroll("Kuhn", max_histories=58).num_histories == 58


@pytest.mark.slow
def test_a_hopelessly_large_game_is_refused_at_once() -> None:
    with pytest.raises(
        TooLargeError, match=r"has more than 1,000,000 histories \([0-9,]+ with at most \d+ moves\)"
    ):
        unroll("goofspiel(13)", max_histories=1_000_000)


@pytest.mark.parametrize("limit", [0, -1, 2**31, "1000", None])
def test_a_limit_that_makes_no_sense(limit: Any) -> None:
    with pytest.raises(
        OptionError, match=f"max_histories={limit!r} is not allowed; give a number from 1 to"
    ):
        unroll("Kuhn", max_histories=limit)


def test_imperfect_recall_is_refused() -> None:
    with pytest.raises(
        GameError,
        match=(
            r"Forgetful\(\) has no perfect recall: some player forgets an own choice, .* after 1 "
            r"moves"
        ),
    ):
        unroll(Forgetful())


def test_a_rule_that_cannot_run_is_explained() -> None:
    with pytest.raises((RuleError, GameError)):
        unroll(Game())


def test_progress_is_told_the_number_of_histories() -> None:
    watching = Watching()
    unroll("Kuhn", progress=watching)
    assert [report.done for report in watching.reports][-1] == 58
    assert {(report.total, report.unit) for report in watching.reports} == {(None, "histories")}


def test_a_tree_that_memory_cannot_hold_is_refused(monkeypatch):
    """Before it is allocated: 24 GiB asked for and never touched are given, and the process killed
    later.
    """
    monkeypatch.setattr("hiddenhand.trees.unroll._SPARE", 0)
    monkeypatch.setattr("hiddenhand.trees.unroll.memory_left", lambda: 5_000)
    with pytest.raises(TooLargeError, match=r"has at least \d\d histories, which do not fit"):
        unroll("Kuhn")
    monkeypatch.setattr("hiddenhand.trees.unroll.memory_left", lambda: 20_000)
    assert unroll("Kuhn").num_histories == 58


# --- words ---


def test_an_information_set_in_words() -> None:
    tree = tree_of("Kuhn")
    told = {str(tree.describe(number)) for number in range(tree.num_sets)}
    assert len(told) == tree.num_sets
    assert "player 2 sees your card: Q; moves: bet\nand may play fold, call" in told
    for number in range(tree.num_sets):
        assert tree.describe(number).player == tree.set_player[number]
        assert len(tree.describe(number).actions) == tree.actions_of_set(number).size
    for ask in (tree.describe, tree.a_history_in, tree.actions_of_set):
        for number in (-1, tree.num_sets, 0.5, "one"):
            with pytest.raises(OptionError, match=f"there is no information set {number!r}"):
                ask(number)


@pytest.mark.parametrize("player", [-1, 2, 0.5, "one", None])
def test_only_players_have_information_sets(player: Any) -> None:
    tree = tree_of("Kuhn")
    for ask in (tree.sets_of, tree.augmented_set):
        with pytest.raises(OptionError, match=f"player {player!r} is not allowed; Kuhn"):
            ask(player)


def test_a_history_of_the_tree_can_be_walked() -> None:
    tree = tree_of("Kuhn")
    for number in (0, 20, tree.num_histories - 1):
        assert tree.history(number).moves == tuple(tree.path(number))
        assert tree.history(number).public_key == tree.keys[number, -1]
    for number in (-1, tree.num_histories, 0.5, "one"):
        for ask in (tree.history, tree.path):
            with pytest.raises(OptionError, match=f"there is no history {number!r}; Kuhn"):
                ask(number)


def test_arrays_are_read_only_in_copies_too() -> None:
    """Else Numba would compile kernels anew in each process that is sent a tree."""
    tree = unroll(small("Kuhn"))
    for record in (tree, tree.game, tree.sequence_form):
        for one in (record, copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            arrays = [each for each in vars(one).values() if isinstance(each, np.ndarray)]
            assert arrays
            assert not any(array.flags.writeable for array in arrays)
