"""E[HS^2] of some boards, the files it is kept in, and Hold'em played with buckets.

All boards are compared by ``python -m benchmarks.poker``, which builds the whole tables.
"""

import copyreg
import json
import pickle
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread

import numpy as np
import numpy.typing as npt
import pytest
from games.poker.test_boards import dealt
from naive.hand_strength import expected_squared

from hiddenhand.errors import FileError, GameError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.poker import strength_files
from hiddenhand.games.poker.boards import FIRST_BOARD, NUM_BOARDS, all_boards, renamed
from hiddenhand.games.poker.hand_strength import (
    HOLDINGS,
    MOST_SUM,
    StrengthTables,
    add_up,
    holding,
    rank_rivers,
)
from hiddenhand.games.poker.hands import hand_table, read_cards
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.registry import game_spec, load_game
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer, StrategyPlayer
from hiddenhand.progress import Progress
from hiddenhand.trees.strategy import Strategy

FLOP, TURN, RIVER = (read_cards(cards) for cards in ("7c8c9d", "7c8c9dTh", "2s7c8c9dTh"))


def later(boards: list[list[int]]) -> list[list[int]]:
    """All boards with one card more."""
    return [[*board, card] for board in boards for card in range(52) if card not in board]


@pytest.fixture(scope="module")
def tables() -> StrengthTables:
    """Tables that are right for one flop, and for all boards that it can become. Elsewhere numbers
    are drawn before the flop, and 0 after it.
    """
    boards = all_boards()
    found = StrengthTables(
        boards,
        preflop=np.random.default_rng(1).integers(MOST_SUM[0], size=(1, HOLDINGS[0])),
        flop=np.zeros((NUM_BOARDS[3], HOLDINGS[3]), np.uint32),
        turn=np.zeros((NUM_BOARDS[4], HOLDINGS[4]), np.uint32),
        river=np.zeros((NUM_BOARDS[5], HOLDINGS[5]), np.uint16),
        contents="of a test",
        folder="nowhere",
    )
    turns = later([FLOP])
    for board in {dealt(boards, river)[0] for river in later(turns)}:
        row = board - FIRST_BOARD[5]
        rank_rivers(hand_table(), boards.cards[FIRST_BOARD[5] :], row, row + 1, found.river)
    for board in {dealt(boards, turn)[0] for turn in turns}:
        row = board - FIRST_BOARD[4]
        add_up(boards, FIRST_BOARD[4], found.river, True, row, row + 1, found.turn)
    row = dealt(boards, FLOP)[0] - FIRST_BOARD[3]
    add_up(boards, FIRST_BOARD[3], found.turn, False, row, row + 1, found.flop)
    return found


@pytest.fixture
def game(tables: StrengthTables, monkeypatch: pytest.MonkeyPatch) -> LimitHoldem:
    monkeypatch.setattr(strength_files, "open_tables", lambda folder=None: tables)
    return LimitHoldem(buckets="paper")


@pytest.mark.slow
@pytest.mark.parametrize("board", [RIVER, TURN], ids=["river", "turn"])
@pytest.mark.parametrize("held", ["AcAd", "6h5s", "Jc2d"])
def test_strength_is_what_brute_force_finds(
    tables: StrengthTables, held: str, board: list[int]
) -> None:
    number, suits = dealt(tables.boards, board)
    cards = read_cards(held)
    assert tables.expected(number, suits, *cards) == float(expected_squared(cards, board))


@pytest.mark.slow
@pytest.mark.parametrize("held", ["AcAd", "6h5s", "Jc2d"])
def test_strength_on_the_flop_is_the_mean_over_turns(tables: StrengthTables, held: str) -> None:
    cards = read_cards(held)
    total = sum(
        Fraction(tables.expected(*dealt(tables.boards, turn), *cards))
        for turn in later([FLOP])
        if turn[-1] not in cards
    )
    assert tables.expected(*dealt(tables.boards, FLOP), *cards) == pytest.approx(
        float(total / 47), abs=1e-14
    )


def test_the_mean_over_all_deals_is_the_same_on_flop_turn_and_river(tables: StrengthTables) -> None:
    def mean(size: int, rows: npt.NDArray[np.generic], boards: list[list[int]]) -> Fraction:
        numbers = [dealt(tables.boards, board)[0] - FIRST_BOARD[size] for board in boards]
        total = sum(int((rows[number].astype(np.int64) ** power).sum()) for number in numbers)
        return Fraction(total, len(boards) * HOLDINGS[size] * MOST_SUM[size])

    power, turns = 1, later([FLOP])
    means = [mean(3, tables.flop, [FLOP]), mean(4, tables.turn, turns)]
    power = 2
    assert means == [mean(5, tables.river, later(turns))] * 2


def test_cells_end_where_they_should(tables: StrengthTables) -> None:
    nuts = read_cards("6cJc")  # a straight, and nothing beats it on this river
    number, suits = dealt(tables.boards, read_cards("7c8c9dTh2s"))
    assert tables.expected(number, suits, *nuts) <= 1.0
    for held in ("6cJc", "AcAd", "3c4d"):
        for cells in (1, 7, 200, 1000):
            cards = read_cards(held)
            exact = expected_squared(cards, RIVER) * cells
            place = holding(tables.boards.cards[number], *(renamed(card, suits) for card in cards))
            assert tables.cell(number, place, cells) == min(int(exact), cells - 1)


# --- the game ---


def random_history(game: Game, chooser: random.Random) -> History:
    here = History(game)
    while not here.is_terminal:
        if here.player == CHANCE:
            board = FLOP if len(here.moves) < 7 else range(52)
            listed = [card for card, _ in here.chance_outcomes()]
            wanted = [card for card in listed if len(here.moves) >= 4 and card in board]
            moves = wanted or listed
        else:
            moves = here.legal_actions()[-2:]
        here = here.child(chooser.choice(moves))
    return here


def bucket_by_hand(game: LimitHoldem, board: Sequence[int], held: Sequence[int]) -> int:
    """The bucket of two cards, from what was tested above."""
    tables = game.abstraction.tables
    if not board:
        return int(tables.boards.pair_class(*held))
    cells = {3: 1000, 4: 500, 5: 200}[len(board)]
    return int(tables.expected(*dealt(tables.boards, board), *held) * cells)


def test_players_know_the_moves_and_their_bucket_of_now(game: LimitHoldem) -> None:
    chooser, seen = random.Random(2), dict[int, tuple[object, ...]]()
    for _ in range(30):
        end, here = random_history(game, chooser), History(game)
        followers = [game.follower(player) for player in range(game.players)]
        for move in end.moves:
            player = here.player
            if player != CHANCE:
                drawn = zip(here.moves, here.movers, strict=True)
                board = [move for move, mover in drawn if mover == CHANCE][4:]
                held = end.moves[2 * player : 2 * player + 2]
                bucket = bucket_by_hand(game, board, held)
                actions = [
                    move
                    for move, mover in zip(here.moves, here.movers, strict=True)
                    if mover != CHANCE
                ]
                known = (player, len(board), bucket, tuple(actions))
                assert seen.setdefault(here.information_key, known) == known
                assert followers[player].key() == here.information_key
            here = here.child(move)
            for player, follower in enumerate(followers):
                event = here.noticed(player)
                follower.follow([event] if event else [])
    assert len(set(seen.values())) == len(seen) > 100


def test_the_papers_abstraction_has_as_many_information_sets_as_it_should(
    game: LimitHoldem,
) -> None:
    sets = actions = 0
    stack = [History(game)]
    while stack:  # all moves, and one deal
        here = stack.pop()
        if here.is_terminal:
            continue
        if here.player == CHANCE:
            stack.append(here.child(here.chance_outcomes()[0][0]))
            continue
        cells = game.abstraction.cells[min(max(sum(m == CHANCE for m in here.movers) - 6, 0), 3)]
        legal = here.legal_actions()
        sets, actions = sets + int(cells), actions + int(cells) * len(legal)
        stack += map(here.child, legal)
    assert (sets, actions) == (1_520_352, 3_952_949)


def test_exploration_follows_the_betting() -> None:
    game, k = LimitHoldem(), 0.5
    here = History(game)
    bounds = []
    for move in (0, 1, 2, 3, 1, 1, 4, 5, 6, 1, 1, 7, 1, 1, 8):
        here = here.child(move)
        if here.player != CHANCE:
            bounds.append(game.exploration_bound(here.state, k))
    # before the flop 15 are in the pot and 465 may follow; on the river 20 are, and 160 may follow
    assert bounds[0] == bounds[1] == 15 + k * 465
    assert bounds[-1] == 20 + k * 160
    raised = here.child(game.RAISE)
    assert game.exploration_bound(raised.state, k) == bounds[-1]  # of when the round began


def test_a_strategy_with_buckets_plays_the_whole_game(game: LimitHoldem) -> None:
    whole, chooser = LimitHoldem(), random.Random(3)
    keys, rows = [], []
    for here in prefixes(random_history(game, chooser)):
        if here.player >= 0:
            legal = here.legal_actions()
            keys.append(here.information_key)
            rows.append(np.eye(len(legal))[legal.index(game.CALL)])
    order = np.argsort(np.array(keys, np.uint64))
    starts = np.cumsum([0, *(rows[index].size for index in order)])
    strategy = Strategy(
        repr(game),
        np.array(keys, np.uint64)[order],
        starts,
        np.concatenate([rows[index] for index in order]),
        rules_of(game),
    )
    player = StrategyPlayer(strategy)
    for match in (whole, game):
        record = play_match(match, [player, RandomPlayer()], seed=1, chance_seed=1)
        assert sum(record.returns) == 0
    with pytest.raises(FileError, match="the strategy is for LimitHoldem"):
        StrategyPlayer(strategy).start(LimitHoldem(3), 0, 1)


def test_a_strategy_in_a_file_is_read_once(tmp_path: Path) -> None:
    game = LimitHoldem()
    path = tmp_path / "one.strategy"
    nothing = (np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
    Strategy(repr(game), *nothing, rules_of(game)).save(path)
    first = StrategyPlayer(path).strategy
    assert StrategyPlayer(str(path)).strategy is first
    Strategy(repr(LimitHoldem(3)), *nothing, rules_of(LimitHoldem(3))).save(path)
    assert StrategyPlayer(path).strategy.game == repr(LimitHoldem(3))
    with pytest.raises(FileError, match="there is no file"):
        StrategyPlayer(tmp_path / "none")


def prefixes(history: History) -> list[History]:
    found = [History(history.game)]
    for move in history.moves:
        found.append(found[-1].child(move))
    return found[:-1]


def test_other_processes_map_the_tables_themselves(tables: StrengthTables) -> None:
    reduced = copyreg.dispatch_table[StrengthTables](tables)
    assert reduced == (strength_files.open_tables, (Path("nowhere"),))
    in_memory = replace(tables, river=tables.river[:1], turn=tables.turn[:1], folder="")
    assert (pickle.loads(pickle.dumps(in_memory)).flop == tables.flop).all()


def test_games_with_buckets_have_names(game: LimitHoldem) -> None:
    assert game.buckets == (169, 1000, 500, 200)
    assert game_spec(game) == "limit_holdem(buckets=(169,1000,500,200))"
    assert load_game(game_spec(game)) == game
    grid = LimitHoldem(3, buckets=(50, 9, 8, 7), preflop="grid")
    assert load_game(game_spec(grid)) == grid
    assert grid.unabstracted == LimitHoldem(3)
    assert LimitHoldem(3).abstraction_named(repr(grid)) == grid
    assert LimitHoldem(2).abstraction_named(repr(grid)) is None


# --- files ---


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Tables of few boards, so that files are small."""
    shapes = {"river": (np.uint16, (3000, 1081)), "cards": (np.int64, (5,))}
    monkeypatch.setattr(strength_files, "SHAPES", shapes)
    return shapes


def fill_river(calls: list[int]) -> Callable[[int, int, npt.NDArray[np.uint16]], None]:
    def fill(start: int, stop: int, out: npt.NDArray[np.uint16]) -> None:
        calls.append(start)
        if start == 2048 and len(calls) == 3:
            raise KeyboardInterrupt
        out[start:stop] = 990  # k when everybody ties

    return fill


def test_an_interrupted_build_goes_on(small: dict[str, object], tmp_path: Path) -> None:
    calls: list[int] = []
    work = strength_files._Work(tmp_path, strength_files.SILENT)
    with pytest.raises(KeyboardInterrupt):
        work.array("river", fill_river(calls))
    assert strength_files._contents(tmp_path) == {}
    river = work.array("river", fill_river(calls))
    assert calls == [0, 1024, 2048, 2048]
    assert (river == 990).all()
    work.array("river", fill_river(calls))  # it is whole
    assert len(calls) == 4


def test_damaged_tables_are_refused(small: dict[str, object], tmp_path: Path) -> None:
    work = strength_files._Work(tmp_path, strength_files.SILENT)
    work.array("cards", lambda start, stop, out: None)
    said = strength_files._contents(tmp_path)["cards"]
    strength_files._mapped(tmp_path, "cards", said)
    path = tmp_path / "cards.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"cards\.npy is damaged or missing; build the buckets"):
        strength_files._mapped(tmp_path, "cards", said)
    path.write_bytes(bytes(content).replace(b"(5,)", b"X5,)"))  # NumPy fails to read the header
    with pytest.raises(FileError, match=r"cards\.npy is damaged or missing"):
        strength_files._mapped(tmp_path, "cards", said)
    for contents in (json.dumps({"version": 1}), "[" * 20_000):
        (tmp_path / strength_files.CONTENTS).write_text(contents)
        with pytest.raises(FileError, match=r"contents\.json is damaged; build the buckets anew"):
            strength_files.open_tables(tmp_path)


def test_two_builds_go_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second waits until the first has ended."""
    seen, second = list[str](), Thread(target=strength_files.build_tables, args=[tmp_path])

    def build(folder: Path, progress: Progress) -> None:
        seen.append("begins")
        if not second.is_alive():
            second.start()
            second.join(0.3)
        seen.append("ends")

    monkeypatch.setattr(strength_files, "_build", build)
    monkeypatch.setattr(strength_files, "open_tables", lambda folder=None: None)
    strength_files.build_tables(tmp_path)
    second.join()
    assert seen == ["begins", "ends", "begins", "ends"]


def test_missing_buckets_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    with pytest.raises(FileError, match="build them with: hiddenhand buckets build"):
        load_game("limit_holdem(buckets=paper)")
    monkeypatch.delenv("HIDDENHAND_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert strength_files.data_folder().parent == tmp_path / "hiddenhand"


@pytest.mark.parametrize(
    ("cards", "board"), [("AcAd", "7c"), ("Ac", ""), ("AcAd", "7c8cAd"), ("AcAx", "")]
)
def test_what_is_no_deal_is_refused(cards: str, board: str) -> None:
    with pytest.raises(GameError):
        strength_files.expected_strength(cards, board)
