"""Whether a player ever throws a position away in games in plain sight, against random play:

    python -m studies.plain_sight [--matches 200] [--seconds 0.1] [--player auto] [GAME ...]

Games are tic-tac-toe, Connect Four on 4x4, and Nim with heaps of 7 to 21. In half of the matches
the player moves first. A position is thrown away by a move after which best play of both earns less
than before; it is solved by looking at everything that may follow. Worse than that is a move that
turns a position that is not lost into one that is.
"""

import argparse
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from naive.board_games import connect_four, tic_tac_toe
from naive.nim import Nim

from hiddenhand import Budget, Game, History, make_player, play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Player

GAMES: Final[dict[str, Game]] = {
    "tic-tac-toe": tic_tac_toe(),
    "connect-four": connect_four(),
    **{f"nim-{heap}": Nim(heap) for heap in range(7, 22)},
}


class Solver:
    """What positions are worth to the first player, when both play as well as possible."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._worth: dict[tuple[int, ...], float] = {}

    def worth(self, history: History) -> float:
        """What a history is worth."""
        if history.is_terminal:
            return float(history.returns()[0])
        key = tuple(map(int, history.state))
        if key not in self._worth:
            best = max if history.player == 0 else min
            self._worth[key] = best(
                self.worth(history.child(move)) for move in history.legal_actions()
            )
        return self._worth[key]


@cache
def solver(name: str) -> Solver:
    """The solver of a game, which remembers what it has solved."""
    return Solver(GAMES[name])


@dataclass
class Count:
    """What was counted in the matches of a player.

    decisions: how many there were.
    thrown_away: after how many of them best play earned less than before.
    into_a_loss: how many of these turned a position that was not lost into one that is.
    results: how many matches were won, drawn and lost.
    """

    decisions: int
    thrown_away: int
    into_a_loss: int
    results: list[int]


def counted(name: str, spec: str, matches: int, budget: Budget) -> Count:
    """What a player does in a game against random play."""
    game, solved = GAMES[name], solver(name)
    found = Count(0, 0, 0, [0, 0, 0])
    for number in range(matches):
        seat = number % 2
        players: list[Player] = [RandomPlayer(), RandomPlayer()]
        players[seat] = make_player(game, spec)
        record = play_match(game, players, number, [budget] * 2)
        history = History(game)
        for move in record.moves:
            after = history.child(move)
            if history.player == seat:
                sign = 1.0 if seat == 0 else -1.0
                before, now = (sign * solved.worth(one) for one in (history, after))
                found.decisions += 1
                found.thrown_away += now < before
                found.into_a_loss += now < 0 <= before
            history = after
        found.results[1 - round(record.returns[seat])] += 1
    return found


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--player", default="auto")
    asked = parser.parse_args()
    print("game | thrown away | into a loss | won | drawn | lost")
    for name in asked.games:
        budget = Budget(seconds=asked.seconds)
        found = counted(name, asked.player, asked.matches, budget)
        numbers = [f"{found.thrown_away} of {found.decisions}", found.into_a_loss, *found.results]
        print(" | ".join([name, *map(str, numbers)]), flush=True)


if __name__ == "__main__":
    main()
