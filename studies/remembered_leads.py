"""Small leads of `auto` with a blueprint, made clear by players that remember:

    python -m studies.remembered_leads GAME OTHER [--seeds N] [--pairs N] [--jobs J]
        [--folder FOLDER] [--exact] [--write]

A blueprint is trained for ten minutes on two threads. `auto` with it plays pairs of matches, one
from each seat, against another search, with 0.1 s for each move. Both think once at each
information set, and play what they found there in all later matches. So many matches cost little
more than a few. No match comes to an information set twice. So the lead is on average what it is
between players that think in each match. But matches with one memory go together. The players begin
anew with each seed, and the interval of 95 % is over the seeds.

What is measured is kept in studies/results/remembered_leads.json, so the same command goes on where
it stopped. With another blueprint or number of pairs it begins anew. ``--jobs`` plays with several
seeds at once, each on a core of its own. ``--exact`` computes nash_conv of the blueprint by a walk
through the whole game: in Phantom Tic-Tac-Toe some minutes. ``--write`` puts the table into
docs/large-games.md.
"""

import argparse
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, heading, row, write_section
from benchmarks.measuring import surroundings

from hiddenhand import load_game, make_player, play_match, train
from hiddenhand.budget import Budget
from hiddenhand.evaluation.nash_conv import nash_conv
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.player import Deciding, Player, Probabilities, derived_seed
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.blueprint import about_blueprint
from hiddenhand.trees.strategy_files import load_strategy
from studies.blueprint_report import MOVE, OTHERS, THREADS, TRAINING

KEPT: Final = Kept.of(__file__)
SEEDS: Final = 48
PAIRS: Final = 400
SEED: Final = 3
COLUMNS: Final = ("game", "trained by", "nash_conv of the blueprint", "against", "pairs", "lead")


class Remembering(Deciding):
    """Plays as another player does with one seed, and thinks once at each information set.

    Where it comes to a new one, the other player goes through the earlier decisions of the match
    again, and thinks there as long as it did before.
    """

    def __init__(self, player: Deciding, seed: int) -> None:
        self._player = player
        self._seed = seed
        self._known: dict[tuple[Event, ...], Probabilities] = {}

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. ``seed`` is for the moves that are drawn."""
        super().start(game, seat, seed)
        self._noticed: tuple[Event, ...] = ()
        self._missed: list[tuple[Sequence[Event], Sequence[int]]] = []
        self._has_started = False

    def follow(self, events: Sequence[Event]) -> None:
        self._noticed += tuple(events)
        self._news = events

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        self._missed.append((self._news, legal_actions))
        if self._noticed not in self._known:
            self._known[self._noticed] = self._thought_of(budget)
        return self._known[self._noticed]

    def _thought_of(self, budget: Budget | None) -> Probabilities:
        """What the other player plays at the last decision that it missed."""
        if not self._has_started:
            self._player.start(self.game, self.seat, self._seed)
            self._has_started = True
        for events, legal_actions in self._missed:
            self._player.follow(events)
            found = self._player.policy(legal_actions, budget)
        self._missed.clear()
        return found


def lead_by_seconds(name: str, own: str, other: str, number: int, pairs: int) -> float:
    """The mean lead of a search over another in ``pairs`` pairs of matches."""
    game = as_sequential(load_game(name))
    players = [
        [remembering(game, spec, derived_seed(SEED, number, seat)) for seat in range(2)]
        for spec in (own, other)
    ]
    return lead(game, players, Budget(None, MOVE), pairs, derived_seed(SEED, number))


def remembering(game: Game, spec: str, seed: int) -> Remembering:
    """A player that remembers."""
    player = make_player(game, spec)
    assert isinstance(player, SearchPlayer)
    return Remembering(player.with_one_search(), seed)


def lead(
    game: Game, players: Sequence[Sequence[Player]], budget: Budget, pairs: int, seed: int
) -> float:
    """The mean lead of a player over another in ``pairs`` pairs of matches.

    players: of both players, the one for each seat.
    """
    total = 0.0
    for pair in range(pairs):
        for seat in range(2):
            record = play_match(
                game,
                [players[seat][0], players[1 - seat][1]],
                derived_seed(seed, pair, seat),
                budget,
                chance_seed=derived_seed(seed, pair),
            )
            total += (record.returns[seat] - record.returns[1 - seat]) / 4
    return round(total / pairs, 6)


def measure(name: str, file: Path, other: str, seeds: int, pairs: int, jobs: int) -> None:
    """Play with the seeds that are not kept yet."""
    known = len(_kept(KEPT.read(), name, other, file, pairs)["leads"])
    with multiprocessing.get_context("fork").Pool(jobs) as workers:
        for first in range(known, seeds, jobs):
            numbers = range(first, min(first + jobs, seeds))
            own = f"auto(blueprint='{file}')"
            calls = [(name, own, other, number, pairs) for number in numbers]
            found = workers.starmap(lead_by_seconds, calls, 1)
            with KEPT.changing() as results:
                kept = _kept(results, name, other, file, pairs)
                kept["leads"] += found
                kept["at"] = surroundings()
                results.setdefault(name, {})[other] = kept
            print(first, shown(kept["leads"]), flush=True)


def add_nash_conv(name: str, file: Path) -> None:
    """Keep nash_conv of the blueprint with all that is known of it."""
    found = float(nash_conv(as_sequential(load_game(name)), load_strategy(file)))
    with KEPT.changing() as results:
        for kept in results[name].values():
            if kept.items() >= _blueprint(name, file).items():
                kept["nash_conv"] = found


def _kept(results: dict[str, Any], name: str, other: str, file: Path, pairs: int) -> dict[str, Any]:
    """What is known of a game with these rules, this blueprint and so many pairs with each seed."""
    of = {**_blueprint(name, file), "pairs": pairs}
    kept: dict[str, Any] = results.get(name, {}).get(other, {})
    return kept if kept.items() >= of.items() else {**of, "leads": []}


def _blueprint(name: str, file: Path) -> dict[str, Any]:
    """What tells a blueprint from others."""
    about = about_blueprint(file, load_game(name))
    return {"rules": about.rules, "method": about.method, "iterations": about.iterations}


def table(results: dict[str, Any]) -> Iterator[str]:
    """The lines of the table."""
    yield from heading(COLUMNS)
    for name, others in results.items():
        for other, kept in others.items():
            by = f"`{kept['method']}`, {kept['iterations']:,} iterations"
            gap = f"{kept['nash_conv']:.2g}" if "nash_conv" in kept else ""
            matches = f"{kept['pairs']:,} with each of {len(kept['leads'])} seeds"
            yield row([f"`{name}`", by, gap, f"`{other}`", matches, shown(kept["leads"])])


def shown(leads: Sequence[float]) -> str:
    """The mean of leads with its interval."""
    found = mean_interval(leads)
    return f"{found.value:+.3f} ({found.low:+.3f} to {found.high:+.3f})"


def main() -> None:
    """Measure what is not kept yet, and print all that is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("game")
    parser.add_argument("other", choices=OTHERS)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "blueprints")
    parser.add_argument("--exact", action="store_true", help="compute nash_conv of the blueprint")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    file = asked.folder / (asked.game.replace("'", "") + ".blueprint")
    if not file.exists():
        train(asked.game, file, seconds=TRAINING, threads=THREADS)
    measure(asked.game, file, asked.other, asked.seeds, asked.pairs, asked.jobs)
    if asked.exact:
        add_nash_conv(asked.game, file)
    lines = list(table(KEPT.read()))
    print("\n".join(lines))
    if asked.write:
        write_section("docs/large-games.md", "remembered leads", lines)


if __name__ == "__main__":
    main()
