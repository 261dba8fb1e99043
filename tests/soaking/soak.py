"""The loop of the soak: rounds of steps in an order that the seed draws, and what is checked after
each of them.

A round has each kind of step once. Memory after a step of a later round may be little more than the
most that there was in the first round, in which kernels are loaded.
"""

import argparse
import gc
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hiddenhand.jit.cache import cache_root
from soaking import commands, crowd, tables, work
from soaking.bench import Bench, Step, demand, environment
from soaking.watching import (
    BreachError,
    Held,
    command_of,
    files_in,
    held,
    kill_all,
    parts_in,
    started,
    wait_for,
)

STEPS: dict[str, Step] = {
    "think": work.think,
    "play": work.play,
    "solve": work.solve,
    "search, killed": commands.search,
    "match, killed": commands.match,
    "tournament, killed": commands.tournament,
    "train, killed": commands.train,
    "solve, killed": commands.solve,
    "exploit, killed": commands.exploit,
    "empty cache, killed": commands.cold,
    "serve": tables.visit,
    "serve, killed": tables.killed,
    "serve, full disk": tables.full_disk,
    "serve, no place": tables.no_place,
}
OFTEN = {"think": 6, "play": 6, "solve": 3, "serve": 4}
"""The steps that a round has more than once."""
QUICK = ("think", "play", "solve", "search, killed", "serve", "serve, killed", "serve, full disk")
"""The steps of a short soak."""
GAMES = ("kuhn_poker", "leduc_poker", "LD(1,1,3)", "IIGS(4)")
_MEMORY = 1.1, 32.0
"""The memory that is right in later rounds: a multiple of that in the first round, and MiB more."""
_MORE = 16
"""How many more open files and threads than in the first round are right."""


class Watch:
    """What a process that lives long has held after each step, by rounds.

    name: what it is called.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._rounds: list[list[Held]] = []

    def add(self, number: int, now: Held) -> None:
        """Note what it holds in round ``number``. Raises BreachError if that is too much."""
        while len(self._rounds) <= number:
            self._rounds.append([])
        self._rounds[number].append(now)
        first = next((kept for kept in self._rounds if kept), [now])
        if first is self._rounds[number]:
            return
        factor, more = _MEMORY
        allowed = Held(
            factor * max(held.memory for held in first) + more,
            max(held.files for held in first) + _MORE,
            max(held.threads for held in first) + _MORE,
        )
        demand(
            all(getattr(now, what) <= getattr(allowed, what) for what in vars(allowed)),
            f"{self.name} holds {now}; after the first round, at most {allowed} are right",
        )

    def __str__(self) -> str:
        """The most memory of the first rounds, of the last, and of all."""
        most = [max(held.memory for held in kept) for kept in self._rounds if kept]
        if not most:
            return f"{self.name}: not watched"
        held = [held for kept in self._rounds for held in kept]
        return (
            f"{self.name}: most memory in round 1 {most[0]:.0f} MiB, in round 2 "
            f"{most[min(1, len(most) - 1)]:.0f}, in round {len(most)} {most[-1]:.0f}, peak "
            f"{max(most):.0f}; at most {max(one.files for one in held)} open files and "
            f"{max(one.threads for one in held)} threads"
        )


class Soak:
    """A soak.

    seed: what all is drawn from.
    games: the games that steps choose from.
    steps: the kinds of steps of a round, by name.
    often: how often a round has a step, where that is more than once.
    say: takes each line.
    """

    def __init__(
        self,
        seed: int,
        games: Sequence[str] = GAMES,
        steps: Mapping[str, Step] = STEPS,
        often: Mapping[str, int] = OFTEN,
        say: Callable[[str], object] = print,
    ) -> None:
        self._seed, self._games, self._say = seed, games, say
        self._steps, self._often = steps, often
        self._folder = Path(tempfile.mkdtemp(prefix="hiddenhand-soak-"))
        for name in ("home", "tmp"):
            (self._folder / name).mkdir()
        self._mark = self._folder.name
        self._environment = environment(self._folder, self._mark, cache_root())
        self._own, self._server = Watch("this process"), Watch("the server")
        self._before = frozenset(started(self._mark))  # of whoever else works in this process
        self._house = tables.House(self._folder / "house", self._environment)
        self.counts: Counter[str] = Counter()
        self.breaches: list[str] = []

    def run(self, minutes: float, rounds: int) -> None:
        """Run steps until the time is over, or so many rounds are."""
        until = time.monotonic() + 60.0 * minutes
        size = len(self._order(0))
        for step in range(rounds * size):
            if time.monotonic() > until:
                return
            self.one(step)

    def one(self, step: int) -> None:
        """Run a step, check what must hold after it, and say a line."""
        order = self._order(0)
        number, place = divmod(step, len(order))
        name = self._order(number)[place]
        folder = self._folder / f"step-{step}"
        folder.mkdir()
        bench = Bench(folder, self._environment, self._games, self.counts, self._house)
        began = time.monotonic()
        try:
            told = self._steps[name](bench, random.Random(f"{self._seed} {step}"))
            self._check(number)
        except BreachError as breach:
            told = self._breached(step, name, str(breach))
        except Exception as error:
            told = self._breached(step, name, f"{type(error).__name__}: {error}")
        shutil.rmtree(folder)
        self.counts["steps"] += 1
        took = time.monotonic() - began
        self._say(f"{step:5} {name:19} {took:5.1f} s | {held()} | server {self._house} | {told}")

    def _order(self, number: int) -> list[str]:
        """The names of the steps of a round."""
        names = [name for name in self._steps for _ in range(self._often.get(name, 1))]
        random.Random(f"{self._seed} round {number}").shuffle(names)
        return names

    def _breached(self, step: int, name: str, what: str) -> str:
        told = f"BREACH {what}"
        self.breaches.append(f"{name}: {what}; again: --seed {self._seed} --step {step}")
        kill_all(self._left())
        return told

    def _left(self) -> dict[int, str]:
        """The processes that have not ended, though their commands have. Forks of this process that
        compile in the background may take minutes; see `close`.
        """
        found = self._started()
        found.pop(self._house.process_id, None)
        own = command_of(os.getpid())
        return {number: command for number, command in found.items() if command != own}

    def _started(self) -> dict[int, str]:
        """The processes that the soak started, with their commands."""
        found = started(self._mark)
        return {number: what for number, what in found.items() if number not in self._before}

    def _check(self, number: int) -> None:
        """What must hold after each step."""
        wait_for(lambda: not self._left(), lambda: f"processes are left: {self._left()}")
        for name in ("tmp", "home"):
            left = files_in(self._folder / name)
            demand(not left, f"files are left in {name}: {left}")
        gc.collect()
        self._own.add(number, held())
        if self._house.process_id:
            self._server.add(number, held(self._house.process_id))

    def close(self) -> None:
        """End the server, and look at what is left of everything."""
        try:
            self._house.close()
            wait_for(lambda: not self._started(), lambda: f"left: {self._started()}")
            damaged = commands.damaged_code(cache_root())
            demand(not damaged, f"the cache of compiled code has damaged files: {damaged}")
            demand(not parts_in(self._folder), f"half-written: {parts_in(self._folder)}")
        except BreachError as breach:
            self.breaches.append(f"at the end: {breach}; again: --seed {self._seed}")
        kill_all(self._started())
        shutil.rmtree(self._folder, ignore_errors=True)

    def summary(self) -> list[str]:
        """What was done, in lines."""
        done = ", ".join(f"{count:,} {what}" for what, count in sorted(self.counts.items()))
        found = [f"  {breach}" for breach in self.breaches]
        return [done, str(self._own), str(self._server), f"breaches: {len(found)}", *found]


def quick_soak(seed: int, say: Callable[[str], object] = print) -> Soak:
    """A soak whose rounds take some seconds."""
    return Soak(seed, GAMES[:1], {name: STEPS[name] for name in QUICK}, {}, say)


def _print(line: str) -> None:
    print(line, flush=True)


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments say, and return the exit status."""
    parser = argparse.ArgumentParser("scripts/soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="[default: 60]")
    parser.add_argument("--rounds", type=int, default=10**6, help="at most so many rounds")
    parser.add_argument("--quick", action="store_true", help="only short steps in Kuhn poker")
    parser.add_argument("--seed", type=int, default=1, help="draws all steps [default: 1]")
    parser.add_argument("--step", type=int, help="only this step of the seed")
    parser.add_argument("--web", action="store_true", help="only a crowd at a server")
    asked = parser.parse_args(arguments)
    if asked.web:
        return crowd.main(asked.seed, asked.minutes, _print)
    soak = (quick_soak if asked.quick else Soak)(asked.seed, say=_print)
    try:
        if asked.step is None:
            soak.run(asked.minutes, asked.rounds)
        else:
            soak.one(asked.step)
    except KeyboardInterrupt:
        print("ended early")
    soak.close()
    print("\n".join(soak.summary()))
    return int(bool(soak.breaches))
