"""The contract of online searches: what `match`, `evaluate` and all others rely on.

`check_search` tries a search on small games and says which promises it keeps. It is for authors of
searches; ``hiddenhand check --algorithm`` calls it. Each promise is a function here.
"""

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import GameError, HiddenhandError, OptionError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.algorithms import Algorithm, read_algorithm
from hiddenhand.search.making import MakeSearch, why_not
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.root_search import found_by, verify_searchable
from hiddenhand.trees.profile import nash_conv, uniform_profile
from hiddenhand.trees.unroll import unroll

GAMES: Final = ("Kuhn", "LD(1,1,2)", "IIGS(3)")
"""Small games of hidden information, in which searches are tried."""
AT_ONCE: Final = ("GS(3)",)
"""Where a search is tried that refuses all others, such as one of simultaneous moves."""

_ITERATIONS: Final = 50  # at a decision
_FEW: Final = 500  # from the root, and `_MORE` times as many
_MORE: Final = 10
_FALLS: Final = 0.5
"""A search that converges ends with at most this part of the uniform strategy's nash_conv."""
_SECONDS: Final = 0.05
_TIMES: Final = 3  # how often the clock is looked at
_LATE: Final = 1.5
"""How many times its seconds a search may think, in the median."""


@dataclass(frozen=True)
class Promise:
    """A promise of a search, and whether it is kept.

    what: the promise, as a clause.
    broken: where and how it is broken, in a sentence; empty if it is kept.
    note: what else is worth knowing, such as how far nash_conv falls.
    """

    what: str
    broken: str = ""
    note: str = ""


@dataclass(frozen=True)
class SearchReport:
    """What `check_search` found.

    search: the name of the search.
    games: the games in which it was tried.
    refused: the small games that it refuses, each with its reason.
    promises: all promises that were looked at.
    """

    search: str
    games: tuple[str, ...]
    refused: tuple[str, ...]
    promises: tuple[Promise, ...]

    @property
    def is_kept(self) -> bool:
        """Whether all promises are kept."""
        return not any(promise.broken for promise in self.promises)


class _BrokenError(Exception):
    """A promise is broken; the text says where and how."""


def check_search(
    spec: str, games: Sequence[str] = GAMES, progress: Progress = SILENT
) -> SearchReport:
    """Try a search on small games.

    spec: the name of the search with parameters, or the place of its class, such as
        "package.module:MySearch".
    games: the names of the games. A search that refuses all of them is tried in `AT_ONCE`.

    Raises OptionError if there is no such search, and GameError if it refuses all games.
    """
    algorithm, given = read_algorithm(spec)
    make = MakeSearch(algorithm.name, tuple(sorted(algorithm.arguments(given).items())))
    suited, refused = _suited(algorithm, games)
    if not suited:
        raise GameError(f"{spec} refuses all games in which it could be tried: {refused[0]}")
    looks: list[Callable[[MakeSearch, Game], str]] = [
        _policies,
        _seeds,
        _no_memory_of_matches,
        _knows_nothing_hidden,
        _budgets,
        _seconds,
        _travels,
        _weights,
    ]
    promises: list[Promise] = []
    for look in looks:
        progress.update(Report(len(promises), len(looks) + 1, "promises"))
        promises.append(_looked(look, make, suited))
    if (converges := _convergence(algorithm, make, suited)) is not None:
        promises.append(converges)
    return SearchReport(str(make), tuple(suited), tuple(refused), tuple(promises))


def _suited(algorithm: Algorithm, games: Sequence[str]) -> tuple[dict[str, Game], list[str]]:
    """The games that a search accepts, and why it refuses the others."""
    suited: dict[str, Game] = {}
    refused = []
    for name in (*games, *AT_ONCE):
        if suited and name in AT_ONCE:
            break
        game = load_game(name)
        small = game if name in AT_ONCE else TreeGame.from_game(game)
        reason = why_not(algorithm, small)
        if reason is None:
            suited[name] = small
        else:
            refused.append(f"{name}: {reason}")
    return suited, refused


def _looked(
    look: Callable[[MakeSearch, Game], str], make: MakeSearch, games: dict[str, Game]
) -> Promise:
    """Whether a promise is kept in all games; its words are the first line of its docstring."""
    first = (look.__doc__ or "").splitlines()[0].rstrip(".")
    what = first[0].lower() + first[1:]
    note = ""
    for name, game in games.items():
        try:
            note = look(make, game) or note
        except _BrokenError as problem:
            return Promise(what, f"{name}: {problem}")
        except HiddenhandError as error:
            return Promise(what, f"{name}: {error}")
        except Exception as error:  # whatever the code of a user does
            return Promise(what, f"{name}: {type(error).__name__}: {error}")
    return Promise(what, note=note)


# --- promises ---


def _policies(make: MakeSearch, game: Game) -> str:
    """At each decision, before and after thinking, the policy has probabilities that sum to 1."""
    search = make(game)
    for seat in range(search.game.num_players):
        _followed(search, seat, 1)
    return ""


def _seeds(make: MakeSearch, game: Game) -> str:
    """Equal seeds and iterations give equal policies, to the bit."""
    # Few iterations of another seed can end in the same policies; hardly ever in several matches.
    first, again = ([_followed(make(game), 1, seed) for seed in range(3, 7)] for _ in range(2))
    _verify(first == again, "two searches with one seed have different policies")
    return ""


def _no_memory_of_matches(make: MakeSearch, game: Game) -> str:
    """A search forgets a match when the next one starts."""
    search = make(game)
    first, _, again = (_followed(search, 1, seed) for seed in (3, 4, 3))
    _verify(first == again, "after another match the same match has other policies")
    return ""


def _knows_nothing_hidden(make: MakeSearch, game: Game) -> str:
    """A policy depends on what the player noticed, and on nothing else."""
    seen: dict[tuple[int, int], bytes] = {}
    for history, events in _decisions(make(game).game):
        seat = history.player
        search = make(game)
        search.start(seat, 5)
        search.notice(events, iterations=_ITERATIONS)
        search.think(iterations=_ITERATIONS)
        policy = _policy(search, history).tobytes()
        before = seen.setdefault((seat, history.information_key), policy)
        _verify(
            before == policy,
            f"the policies differ in two histories that player {seat + 1} cannot tell apart",
        )
    return ""


def _budgets(make: MakeSearch, game: Game) -> str:
    """Iterations are counted, and a budget that makes no sense is refused with OptionError."""
    search = make(game)
    search.start(0, 1)
    search.think(iterations=_ITERATIONS)
    _verify("iterations" in search.thought(), "thought() has no figure 'iterations'")
    before = search.thought()["iterations"]
    search.think(iterations=_ITERATIONS)
    made = search.thought()["iterations"] - before
    _verify(made >= 0, f"thought() counts {made:g} iterations of think(iterations={_ITERATIONS})")
    wrong: tuple[dict[str, Any], ...] = ({}, {"iterations": 0}, {"seconds": -1.0})
    for budget in wrong:
        try:
            search.think(**budget)
        except OptionError:
            continue
        said = ", ".join(f"{name}={value}" for name, value in budget.items())
        raise _BrokenError(f"think({said}) is accepted")
    return ""


def _seconds(make: MakeSearch, game: Game) -> str:
    """A search that may think for some seconds thinks about as long."""
    search = make(game)
    search.start(0, 1)
    search.think(seconds=_SECONDS)  # which may compile
    taken = []
    for _ in range(_TIMES):
        began, used = clock.now(), time.process_time()
        search.think(seconds=_SECONDS)
        # On a busy machine, the clock runs on while other processes have the processor.
        taken.append(min(clock.now() - began, time.process_time() - used))
    median = float(np.median(taken))
    _verify(median <= _LATE * _SECONDS, f"{_SECONDS} s of thinking took {median:.3g} s")
    return ""


def _travels(make: MakeSearch, game: Game) -> str:
    """A search can be made in other processes, by its name."""
    other = pickle.loads(pickle.dumps(make))
    _verify(
        _followed(other(game), 0, 3) == _followed(make(game), 0, 3),
        "a search that was made from a copy of its name has other policies",
    )
    return ""


def _weights(make: MakeSearch, game: Game) -> str:
    """The weights are well formed: a row of numbers for each information set in memory."""
    search = make(game)
    search.start(0, 1)
    search.think(iterations=_ITERATIONS)
    found = search.weights()
    keys, starts, values = found.keys, found.starts, found.values
    _verify(np.unique(keys).size == keys.size, "a key of weights() stands twice")
    _verify(
        starts.shape == (keys.size + 1,) and starts[0] == 0 and starts[-1] == values.size,
        "starts of weights() are not the borders of its rows",
    )
    _verify(bool((np.diff(starts) > 0).all()), "weights() has a row without a number")
    _verify(
        bool((values >= 0).all() and np.isfinite(values).all()),
        "weights() has a number that is negative or not finite",
    )
    return ""


def _convergence(algorithm: Algorithm, make: MakeSearch, games: dict[str, Game]) -> Promise | None:
    """How far nash_conv falls from the beginning of each game. This is a promise only of a search
    that names a guarantee. None for a search that finds nothing there.
    """
    what = "from the beginning of a game, nash_conv falls"
    said, broken = [], ""
    for name, game in games.items():
        search = make(game)
        try:
            verify_searchable(algorithm, game, search)
        except OptionError:
            continue
        tree = unroll(game)
        found = []
        for iterations in (_FEW, (_MORE - 1) * _FEW):
            search.think(iterations=iterations)
            found.append(nash_conv(tree, found_by(search, 0.0).strategy.on(tree)))
        uniform = nash_conv(tree, uniform_profile(tree))
        said.append(f"{name} {found[0]:.3g}, then {found[1]:.3g} (uniform play: {uniform:.3g})")
        if found[1] > _FALLS * uniform:
            broken = (
                broken or f"{name}: nash_conv is {found[1]:.3g} after {_MORE * _FEW:,} iterations"
            )
    if not said:
        return None
    note = f"after {_FEW:,} and {_MORE * _FEW:,} iterations: {'; '.join(said)}"
    if not algorithm.guarantee or algorithm.guarantee.startswith("none"):
        return Promise(what, note=f"not promised, because no guarantee is named; {note}")
    return Promise(what, broken, note)


# --- following matches ---


def _followed(search: OnlineSearch, seat: int, seed: int) -> list[bytes]:
    """The policies of a search in a match whose moves are drawn."""
    search.start(seat, seed)
    search.think(iterations=_ITERATIONS)
    history, events, seen = History(search.game), list[Event](), []
    random = np.random.default_rng(5)
    while not history.is_terminal:
        if history.player == seat:
            search.notice(events, iterations=_ITERATIONS)
            events = []
            _policy(search, history)
            search.think(iterations=_ITERATIONS)
            seen.append(_policy(search, history).tobytes())
        history = history.child(int(random.choice(_moves(history))))
        event = history.noticed(seat)
        events += [event] if event is not None else []
    search.notice(events, iterations=_ITERATIONS)
    return seen


def _policy(search: OnlineSearch, history: History) -> Any:
    """The policy at a decision, verified."""
    count = len(history.legal_actions())
    policy = np.asarray(search.policy(count))
    _verify(policy.shape == (count,), f"policy({count}) has the shape {policy.shape}")
    fits = bool((policy >= 0).all()) and abs(float(policy.sum()) - 1.0) <= 1e-9
    _verify(fits, f"policy({count}) is {policy.tolist()}")
    return policy


def _decisions(game: Game) -> Iterator[tuple[History, list[Event]]]:
    """Some decisions of each player, each with all that the player noticed before: all that begin
    the game, and those of one line of play after each deal.
    """
    waiting: list[tuple[History, list[list[Event]]]] = [
        (History(game), [[] for _ in range(game.num_players)])
    ]
    while waiting:
        history, events = waiting.pop()
        if history.is_terminal:
            continue
        if history.player != CHANCE:
            yield history, events[history.player]
        moves = _moves(history)
        for move in moves if history.player == CHANCE else moves[:1]:
            child = history.child(move)
            noticed = [child.noticed(seat) for seat in range(game.num_players)]
            following = [
                [*before, event] if event is not None else before
                for before, event in zip(events, noticed, strict=True)
            ]
            waiting.append((child, following))


def _moves(history: History) -> list[int]:
    if history.player == CHANCE:
        return [int(move) for move, _ in history.chance_outcomes()]
    return [int(action) for action in history.legal_actions()]


def _verify(is_kept: bool, otherwise: str) -> None:
    if not is_kept:
        raise _BrokenError(otherwise)
