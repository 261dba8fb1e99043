"""Limit Hold'em at full length: what the tests do with few hands and few boards is done with many,
and what is fast is timed.

    python -m benchmarks.poker                 # all parts; keeps results/poker.json
    python -m benchmarks.poker --part hands    # one of them

Parts: `referees` plays random hands beside OpenSpiel and PokerKit, `hands` evaluates a million
hands beside phevaluator and counts all hands of seven cards, `tables` builds E[HS^2] of all boards
in an empty folder and checks it, `speed` times deals, moves and buckets. A part fails where
something disagrees.
"""

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from naive.hand_strength import expected_squared
from naive.poker_referees import compare_with_open_spiel, compare_with_pokerkit

from benchmarks.kept import Kept
from benchmarks.measuring import surroundings
from hiddenhand.games import CHANCE, TERMINAL, check
from hiddenhand.games.poker.betting import PLAYER, ROUND, STAKE
from hiddenhand.games.poker.boards import FIRST_BOARD, SAME_SUITS, board_of, num_alike, suits_of
from hiddenhand.games.poker.definition import DEFINITIONS, load_definition
from hiddenhand.games.poker.hand_strength import HOLDINGS, MOST_SUM, StrengthTables
from hiddenhand.games.poker.hands import HandTable, card_name, hand_table, read_cards, set_of
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CARDS_BY_THEN, DEALT
from hiddenhand.games.poker.strength_files import build_tables
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.kernels import kernel, kernel_apart
from hiddenhand.jit.random import RandomState, new_state

KEPT: Final = Kept.of(__file__)
SEED: Final = 12
# MathWorld, "Poker": hands of seven cards by category
SEVEN: Final = (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584)
PREFLOP: Final = {"AcAd": 0.7372, "KcKd": 0.6922, "AcKc": 0.5111, "3c2d": 0.1995}


def referees(hands: int = 10_000) -> dict[str, Any]:
    """Decisions that agreed with other programs."""
    import pokerkit
    import pyspiel

    agreed: dict[str, Any] = {"hands": hands, "seed": SEED}
    for name in DEFINITIONS:
        agreed[f"OpenSpiel, {name}"] = compare_with_open_spiel(
            pyspiel, load_definition(name), hands, SEED
        )
    for players in (2, 3):
        agreed[f"PokerKit, {players} players, {hands // 10} hands"] = compare_with_pokerkit(
            pokerkit, players, hands // 10, SEED
        )
    return agreed


def hands(count: int = 1_000_000) -> dict[str, Any]:
    """A million hands of five to seven cards beside phevaluator, and all hands of seven cards."""
    import phevaluator

    chooser, table = random.Random(SEED), hand_table()
    order: dict[int, int] = {}
    for number in range(count):
        cards = chooser.sample(range(52), 5 + number % 3)
        theirs = phevaluator.evaluate_cards(*map(card_name, cards))
        ours = int(table.strength(set_of(cards)))
        assert order.setdefault(theirs, ours) == ours, cards
    found = [order[rank] for rank in sorted(order)]
    assert found == sorted(set(found), reverse=True)
    counts = np.zeros(9, np.int64)
    _count_seven(table, np.zeros(9, np.int64))
    began = time.process_time()
    _count_seven(table, counts)
    seconds = time.process_time() - began
    assert tuple(counts) == SEVEN
    return {
        "hands": count,
        "different strengths": len(order),
        "nanoseconds a hand of seven": 1e9 * seconds / sum(SEVEN),
    }


@kernel
def _count_seven(table: HandTable, counts: Integers) -> None:
    bits = np.zeros(52, np.int64)
    for card in range(52):
        bits[card] = 1 << ((card & 3) << 4 | card >> 2)
    for a in range(52):
        for b in range(a):
            for c in range(b):
                three = bits[a] | bits[b] | bits[c]
                for d in range(c):
                    for e in range(d):
                        five = three | bits[d] | bits[e]
                        for f in range(e):
                            for g in range(f):
                                found = table.strength(five | bits[f] | bits[g])
                                counts[found >> 20] += 1


def tables(entries: int = 300) -> dict[str, Any]:
    """E[HS^2]: the time to build it, and checks of all boards."""
    with tempfile.TemporaryDirectory() as folder:
        began, used = time.perf_counter(), time.process_time()
        os.environ["HIDDENHAND_DATA"] = folder
        found = build_tables()
        seconds, processor = time.perf_counter() - began, time.process_time() - used
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.npy"))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        means = _means(found)
        assert len(set(means)) == 1, means
        for held, expected in PREFLOP.items():
            assert abs(found.expected(0, SAME_SUITS, *read_cards(held)) - expected) < 5e-5, held
        _compare_with_brute_force(found, entries)
        occupied = np.unique(found.preflop[0].astype(object) * 169 // MOST_SUM[0]).size
        check(LimitHoldem(buckets="paper"), plays=20)
    return {
        "seconds": seconds,
        "processor seconds": processor,
        "bytes": size,
        "peak memory": memory,
        "mean over all deals": float(means[0]),
        "entries compared with brute force": entries,
        "occupied cells of a grid of 169 before the flop": int(occupied),
    }


def _means(found: StrengthTables) -> list[Fraction]:
    """The mean over all deals before the flop, on flop, turn and river."""
    alike, means = num_alike(found.boards), []
    for size, rows in ((0, found.preflop), (3, found.flop), (4, found.turn), (5, found.river)):
        times = alike[FIRST_BOARD[size] : FIRST_BOARD[size + 1]]
        total = 0
        for row, weight in zip(rows, times, strict=True):
            whole = row.astype(np.int64)
            total += int((whole**2 if size == 5 else whole).sum()) * int(weight)
        means.append(Fraction(total, int(times.sum()) * HOLDINGS[size] * MOST_SUM[size]))
    return means


def _compare_with_brute_force(found: StrengthTables, entries: int) -> None:
    """Compare random entries on turn and river with going through everything, and on the flop with
    the mean over turns.
    """
    chooser = random.Random(SEED)
    for number in range(entries):
        size = 3 + number % 3
        first, second, *board = chooser.sample(range(52), 2 + size)
        ours = found.expected(*_dealt(found, board), first, second)
        if size == 3:
            turns = [card for card in range(52) if card not in (first, second, *board)]
            theirs = sum(
                found.expected(*_dealt(found, [*board, turn]), first, second) for turn in turns
            ) / len(turns)
            assert abs(ours - theirs) < 1e-12, (first, second, board)
        else:
            assert ours == float(expected_squared([first, second], board)), (first, second, board)


def _dealt(found: StrengthTables, cards: list[int]) -> tuple[int, int]:
    board, suits = 0, SAME_SUITS
    for card in cards:
        entry = found.boards.next_board(board, suits, card)
        board, suits = board_of(entry), suits_of(entry)
    return board, suits


def speed(count: int = 300_000, rounds: int = 7) -> dict[str, Any]:
    """Microseconds of a hand that is called to the end: nine cards, the calls and the showdown; and
    what the buckets of all rounds add. Then of the deal alone, of the deal and the buckets, and of
    these with tables that are not mapped, but copied into memory, which NumPy takes in large pages.
    """
    build_tables()
    found: dict[str, Any] = {}
    for players in (2, 3):
        games = (LimitHoldem(players), LimitHoldem(players, buckets="paper"))
        plain, more = _times(_call_down, games, count, rounds)
        found[f"{players} players, a hand"] = plain
        found[f"{players} players, buckets besides"] = more - plain
    games = (LimitHoldem(), LimitHoldem(buckets="paper"), _in_memory(LimitHoldem(buckets="paper")))
    names = ("a deal", "a deal and its buckets", "the same with tables in memory")
    for name, each in zip(names, _times(_deal, games, count, rounds), strict=True):
        found[f"2 players, {name}"] = each
    return found


def _times(
    play: Callable[..., float], games: Sequence[LimitHoldem], count: int, rounds: int
) -> list[float]:
    """The least time of each game over some rounds, in microseconds a hand."""
    times = [[_hand_time(play, game, count) for game in games] for _ in range(rounds)]
    return [min(column) for column in zip(*times, strict=True)]


def _hand_time(play: Callable[..., float], game: LimitHoldem, count: int) -> float:
    state, noticed = np.zeros(game.state_size, np.int64), np.zeros(game.num_players + 1, np.int64)
    rng = new_state(SEED)
    play(game, 1, rng, state, noticed)
    began = time.process_time()
    play(game, count, rng, state, noticed)
    return 1e6 * (time.process_time() - began) / count


def _in_memory(game: LimitHoldem) -> LimitHoldem:
    """The game with copies of its tables."""
    tables = game.abstraction.tables
    copies = {name: np.array(getattr(tables, name)) for name in ("flop", "turn", "river")}
    abstraction = replace(game.abstraction, tables=replace(tables, **copies))
    object.__setattr__(game, "abstraction", abstraction)
    return game


@kernel_apart
def _deal(
    game: LimitHoldem, count: int, rng: RandomState, state: Integers, noticed: Integers
) -> float:
    total = 0.0
    for _ in range(count):
        game.initial_state(state)
        for number in range(game.num_rounds):
            state[ROUND] = number
            while state[DEALT] < game.rounds[number, CARDS_BY_THEN]:
                state[PLAYER] = CHANCE
                game.apply_action(state, game.sample_chance(state, rng), noticed)
        total += state[STAKE]
    return total


@kernel_apart
def _call_down(
    game: LimitHoldem, count: int, rng: RandomState, state: Integers, noticed: Integers
) -> float:
    total = 0.0
    for _ in range(count):
        game.initial_state(state)
        player = game.current_player(state)
        while player != TERMINAL:
            action = game.sample_chance(state, rng) if player == CHANCE else 1
            game.apply_action(state, action, noticed)
            player = game.current_player(state)
        total += game.returns(state, 0)
    return total


PARTS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "referees": referees,
    "hands": hands,
    "speed": speed,
    "tables": tables,  # the last: its folder is removed in the end
}


def main() -> None:
    """Run what was asked for, and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Lines)
    parser.add_argument("--part", choices=sorted(PARTS))
    parser.add_argument("--out", type=Path, default=KEPT.path)
    options = parser.parse_args()
    for name, part in PARTS.items():
        if options.part in (None, name):
            found = {**part(), "where": surroundings()}
            print(name, json.dumps(found, indent=1), flush=True)
            Kept(options.out).add(name, found)


class _Lines(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the description."""


if __name__ == "__main__":
    main()
