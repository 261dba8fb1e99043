"""How fast searches are in a match: IS-MCTS beside OpenSpiel's, searches from the middle of a
match, how long beliefs take, and how well moves keep their time.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import Measurement, Target, interleaved
from hiddenhand import OOS
from hiddenhand.budget import Budget
from hiddenhand.games import History, as_sequential, load_game
from hiddenhand.games.history import Event
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Player
from hiddenhand.players.registry import make_player
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.sampling.ismcts import ISMCTS

CHUNK = 2_000
SMALL = (
    ("II-Goofspiel(6)", "IIGS(6)"),
    ("Liar's Dice(1,1,6)", "LD(1,1,6)"),
    ("Generic Poker(3,3,2,2)", "GP(3,3,2,2)"),
)
LARGE = (
    ("II-Goofspiel(13)", "IIGS(13)"),
    ("Liar's Dice(2,2,6)", "LD(2,2,6)"),
    ("Generic Poker(4,6,4,4)", "GP(4,6,4,4)"),
    ("Phantom Tic-Tac-Toe", "PTTT"),
    ("Phantom Tic-Tac-Toe, forced wins", "phantom_ttt(forced_wins=True)"),
)
TIMED = (LARGE[0], LARGE[1], LARGE[3])
TIMED_PLAYERS = ("oos(targeting=ist)", "oos(targeting=pst)", "ismcts(selector=uct)")
LATE = 0.05, 0.005  # how late a move may be: this part of its budget, or so many seconds


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """All figures of this file."""
    yield from root(rounds, seconds)
    yield from from_beliefs(rounds, seconds)
    yield from targeted(rounds)
    yield from beliefs(rounds)


def root(rounds: int, seconds: float) -> Iterator[Measurement]:
    """UCT simulations from the root of Leduc poker, both from scratch."""
    import pyspiel

    game = load_game("leduc_poker")
    their_game = pyspiel.load_game("leduc_poker")
    their_game_state = their_game.new_initial_state()
    their_game_state.apply_action(0)
    their_game_state.apply_action(1)
    simulations = 100_000

    def ours(seed: int) -> float:
        return simulation_rate(ISMCTS(game, "uct", seed=seed), seconds)

    def theirs(seed: int) -> float:
        bot = pyspiel.ISMCTSBot(
            seed, pyspiel.RandomRolloutEvaluator(1, seed), uct_c=2.0, max_simulations=simulations
        )
        began = time.perf_counter()
        bot.step(their_game_state.clone())
        return simulations / (time.perf_counter() - began)

    mine, others = interleaved(rounds, ours, theirs)
    note = "theirs after the deal; theirs tells suits apart"
    yield Measurement(
        "online",
        "IS-MCTS (UCT) on Leduc poker",
        "simulations/s",
        mine,
        others,
        "OpenSpiel",
        Target("ratio", 3),
        note,
    )


def simulation_rate(search: ISMCTS, seconds: float) -> float:
    search.think(iterations=1)
    began = search.thought()["iterations"], time.perf_counter()
    search.think(seconds=seconds)
    return (search.thought()["iterations"] - began[0]) / (time.perf_counter() - began[1])


@dataclass
class Walk:
    """A match of random moves, seen from one seat; `pending` is what the player there has noticed
    and not been told to a search yet.
    """

    history: History
    seat: int
    random: np.random.Generator
    pending: list[Event]

    def advance(self) -> bool:
        """Play on until the seat is to move. False at the end of the match."""
        while True:
            if self.history.is_terminal:
                return False
            self.history = self.history.child(int(self.random.choice(self.history.legal_actions())))
            event = self.history.noticed(self.seat)
            if event is not None:
                self.pending.append(event)
            if self.history.player == self.seat:
                return True

    def told(self) -> list[Event]:
        events, self.pending = self.pending, []
        return events


def walk(spec: str, seat: int, seed: int) -> Walk:
    return Walk(History(as_sequential(load_game(spec))), seat, np.random.default_rng(seed), [])


def rates_along(search: OnlineSearch, match: Walk, seconds: float) -> list[float]:
    """Iterations/s at each decision of a match but the first."""
    rates: list[float] = []
    search.start(match.seat, 1)
    while match.advance():
        search.notice(match.told())
        search.think(iterations=CHUNK)
        before, began = search.thought()["iterations"], time.perf_counter()
        search.think(seconds=seconds)
        rates.append((search.thought()["iterations"] - before) / (time.perf_counter() - began))
    return rates[1:]


def from_beliefs(rounds: int, seconds: float) -> Iterator[Measurement]:
    """IS-MCTS from the beliefs in the middle of matches, the median over a match's decisions."""
    for name, spec in (LARGE[0], LARGE[3]):
        search = ISMCTS(load_game(spec), "uct")
        rates = [
            float(np.median(rates_along(search, walk(spec, seed % 2, seed), seconds / 4)))
            for seed in range(rounds)
        ]
        yield Measurement(
            "online",
            f"IS-MCTS (UCT) in matches of {name}",
            "simulations/s",
            rates,
            target=Target("least", 100_000),
        )


def targeted(rounds: int) -> Iterator[Measurement]:
    """OOS in the middle of matches, targeted, beside OOS at the root of the same game, after the
    same number of iterations.
    """
    for name, spec in SMALL:
        for targeting in ("ist", "pst"):
            mid: list[float] = []
            root_rates: list[float] = []
            for seed in range(rounds):
                search = OOS(load_game(spec), epsilon=0.4, targeting=targeting, seed=seed)
                search.think(iterations=100_000)
                root_rates.append(timed(search))
                search = OOS(load_game(spec), epsilon=0.4, targeting=targeting)
                match = walk(spec, seed % 2, seed)
                search.start(match.seat, seed)
                search.think(iterations=100_000)
                rates = []
                while match.advance():
                    search.notice(match.told())
                    search.think(iterations=CHUNK)
                    rates.append(timed(search))
                mid.append(float(np.median(rates or [root_rates[-1]])))
            target = Target("ratio", 0.5)
            yield Measurement(
                "online",
                f"OOS targeted ({targeting}) in {name}",
                "iterations/s",
                mid,
                root_rates,
                "ours at the root",
                target,
            )


def timed(search: OOS, iterations: int = 50_000) -> float:
    began = time.perf_counter()
    search.think(iterations=iterations)
    return iterations / (time.perf_counter() - began)


def beliefs(rounds: int) -> Iterator[Measurement]:
    """The longest time that extending a player's belief takes in a match, and how often it had to
    be drawn again.
    """
    for name, spec in LARGE:
        longest, recoveries, matches = [], 0, max(4 * rounds, 8)
        for seed in range(matches):
            match = walk(spec, seed % 2, seed)
            belief = Belief(match.history.game, match.seat, seed=seed)
            slowest = 0.0
            while match.advance():
                began = time.perf_counter()
                belief.notice(match.told())
                slowest = max(slowest, time.perf_counter() - began)
            longest.append(slowest)
            recoveries += belief.recoveries
        note = f"of 100,000 histories at most; {recoveries} recoveries in {matches} matches"
        yield Measurement(
            "online",
            f"slowest belief update in a match of {name}",
            "s",
            longest[1:],
            target=Target("most", 0.1),
            note=note,
        )


def budgets(rounds: int) -> Iterator[Measurement]:
    """How long a move takes, over all moves of some matches against random play, the first ones
    included: the median, the mean and the worst.
    """
    for name, spec in TIMED:
        for player in TIMED_PLAYERS:
            for seconds in (0.1, 0.05):
                moves = np.concatenate(
                    [
                        seconds_of_moves(spec, player, seconds, seed)
                        for seed in range(max(rounds, 4))
                    ]
                )
                allowed = seconds + max(LATE[0] * seconds, LATE[1])
                note = f"{moves.size} moves; mean {moves.mean():.4f}, worst {moves.max():.4f}"
                what = f"{player} in {name}, {seconds} s a move"
                yield Measurement(
                    "budgets",
                    f"median of {what}",
                    "s",
                    [float(np.median(moves))],
                    target=Target("most", allowed),
                    note=note,
                )
                yield Measurement(
                    "budgets",
                    f"mean of {what}",
                    "s",
                    [float(moves.mean())],
                    target=Target("most", allowed),
                    note="no drift",
                )


def seconds_of_moves(spec: str, player: str, seconds: float, seed: int) -> npt.NDArray[np.float64]:
    """By the referee's clock, of ``player`` in seat 0 or 1, as the seed says."""
    game, seat = load_game(spec), seed % 2
    players: list[Player] = [RandomPlayer(), RandomPlayer()]
    players[seat] = make_player(game, player)
    return np.array(
        play_match(game, players, seed, [Budget(seconds=seconds)] * 2, chance_seed=seed).seconds[
            seat
        ]
    )
