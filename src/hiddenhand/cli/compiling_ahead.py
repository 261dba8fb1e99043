"""Compile kernels before a user waits for them: those that serve all games, once for a version.

Each search plays a match of three small games, and each solver solves them, which compiles what
they need. Several processes can do that; two that need the same kernel take turns. The first
command after an installation starts a process of low priority that compiles beside it, for the
commands that follow. See `hiddenhand.jit.tiers`.
"""

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.registry import load_game
from hiddenhand.games.validation.conformance import check
from hiddenhand.jit.cache import keeps_code, read_code, write_code
from hiddenhand.jit.tier_choice import tier, using_tier
from hiddenhand.matches.match import play_match
from hiddenhand.players.registry import make_player
from hiddenhand.processors import num_processors
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.algorithms import SEARCH, SOLVER, algorithms
from hiddenhand.search.solving import solve
from hiddenhand.systems import Parent
from hiddenhand.workers import in_parallel

GAMES: Final = ("kuhn_poker", "IIGS(2)", "goofspiel(num_cards=2)")
"""Turns, moves made at once with something hidden, and with nothing hidden."""
FIRST: Final = (
    *(("match", "auto"), ("check", ""), ("solve", "lp")),
    *(("match", "oos"), ("match", "ismcts")),
)
"""What most people need."""
_DONE: Final = "ahead-0000000000000000.code"
"""The file that says that all is compiled, in the folder of what was compiled."""
_BESIDE: Final = """
import os
from hiddenhand.cli.compiling_ahead import compile_for_parent
if hasattr(os, "nice"):
    os.nice(10)
compile_for_parent({})
"""
_BEGUN: Final[list["subprocess.Popen[bytes]"]] = []


def compile_ahead(jobs: int = -1, progress: Progress = SILENT) -> int:
    """Compile what searches, solvers and checks need for any game, or find that it is there.
    Returns how many pieces of work that was.

    jobs: how many processes work; -1 for one for each processor.

    Raises OptionError for other numbers of jobs.
    """
    calls = list(_calls())
    for done, _ in enumerate(in_parallel(_compile, calls, jobs, "loky"), start=1):
        progress.update(Report(done, len(calls), "pieces"))
    write_code(_DONE, b"")
    return len(calls)


def compile_beside() -> None:
    """Start a process that compiles ahead for as long as this one lives. Nothing is started if all
    is compiled, or if such a process was started before. Nor is it where the process would be in
    the way: on a machine with one processor, or where only one tier is used.
    """
    is_wanted = tier() == "auto" and num_processors() > 1 and keeps_code()
    if not is_wanted or _BEGUN or read_code(_DONE) is not None:
        return
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-c", _BESIDE.format(os.getpid())]
    _BEGUN.append(subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing))
    atexit.register(_end)


def _end() -> None:
    while _BEGUN:
        process = _BEGUN.pop()
        process.kill()
        process.wait()


def compile_for_parent(parent: int) -> None:
    """What the other process does, until its parent has ended.

    parent: the number of that process.
    """
    process = Parent(parent)
    for call in _calls():
        if not process.lives:
            return
        _compile(*call)
    write_code(_DONE, b"")


def _calls() -> Iterator[tuple[str, str, str]]:
    """The pieces of work: what to do, with which algorithm, in which game."""
    every = [("match", entry.name) for entry in algorithms(SEARCH)]
    every += [("solve", entry.name) for entry in algorithms(SOLVER)]
    for game in GAMES:
        yield from ((what, name, game) for what, name in FIRST)
        yield from ((what, name, game) for what, name in every if (what, name) not in FIRST)
    yield "match", "auto", "LD(1,1,4)"  # where `auto` resolves by sampling


def _compile(what: str, name: str, spec: str) -> None:
    game = load_game(spec)
    try:
        with using_tier("generic"):
            if what == "check":
                check(game, plays=1, max_histories=0, seconds=0.0)
            elif what == "solve":
                solve(game, name, iterations=2)
            else:
                for seat in range(2):  # what is targeted in a match differs
                    players = [make_player(game, "random"), make_player(game, "random")]
                    players[seat] = make_player(game, name)
                    play_match(game, players, seed=0, budgets=[Budget(iterations=2)] * 2)
    except (GameError, OptionError):
        pass  # this algorithm is for other games
