"""How often training must have come to an information set for the blueprint to be believed there:

    python -m benchmarks.enough [--train 60] [--seconds 0.1] [--pairs 60]

`auto` plays on from a blueprint by sets where training came often enough, and searches elsewhere.
Here it plays against itself with another number of visits, each deal from both seats, in games that
training does not get to know. The lead is half of what the number in the heading earns more than
the present one, with its 95 % interval; in brackets is the share of its moves that it had from the
blueprint.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.errors import row
from hiddenhand import Budget, load_game, make_player, play_match
from hiddenhand.games.base import Game
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.search.auto.recalling import Recalled
from hiddenhand.search.training import train
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.blueprint import ENOUGH

GAMES: Final = ("battleship(rows=4,columns=4,ships='3,2')", "dark_hex(size=4)", "IIGS(13)")
NUMBERS: Final = (1.0, 10.0, 1_000.0, 10_000.0)


def believing(spec: str, game: Game, enough: float) -> SearchPlayer:
    """`auto` with a blueprint, which it believes with so many visits."""
    player = make_player(spec, game)
    assert isinstance(player, SearchPlayer)
    make = player._for_match

    def made(played: Game) -> Any:
        search: Any = make(played)
        recalled = getattr(search, "recalled", None) or search._recalled
        assert isinstance(recalled, Recalled)
        recalled.enough = enough
        return search

    player._for_match = made
    return player


def lead(name: str, spec: str, enough: float, pairs: int, budget: Budget) -> str:
    """The lead of another number of visits over the present one."""
    game = load_game(name)
    players = [believing(spec, game, enough), believing(spec, game, ENOUGH)]
    leads, known = [], []
    for number in range(pairs):
        there = play_match(game, players, number, [budget] * 2)
        back = play_match(game, players[::-1], number, [budget] * 2)
        leads.append((there.returns[0] + back.returns[1]) / 2)
        made = [*there.decisions[0], *back.decisions[1]]
        known += ["the blueprint says" in decision.choice for decision in made]
    found = mean_interval(leads)
    share = sum(known) / len(known)
    return f"{found.value:+.3f} ± {found.high - found.value:.3f} ({100 * share:.0f} %)"


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--train", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--pairs", type=int, default=60)
    asked = parser.parse_args()
    print(row(["game", *(f"{number:,.0f} visits" for number in NUMBERS)]))
    print(row(["---"] * (1 + len(NUMBERS))))
    for name in asked.games:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "blueprint"
            train(load_game(name), file, seconds=asked.train, algorithm="mccfr")
            spec = f"auto(blueprint='{file}')"
            budget = Budget(seconds=asked.seconds)
            cells = [lead(name, spec, number, asked.pairs, budget) for number in NUMBERS]
        print(row([f"`{name}`", *cells]), flush=True)


if __name__ == "__main__":
    main()
