"""Digests of what searches and rules do: they tell whether a stored result is outdated.

A stored result counts as long as its players and the rules of its games do what they did. How their
code reads makes no difference: a refactoring that changes no decision keeps every result.

- The digest of a *player* is of its decisions. The player plays short matches of small games from
  both seats, with fixed seeds and few iterations, and a search also searches from the root. The
  digest holds the policies of all decisions, and the strategy from the root. A game that a player
  refuses counts as refused.
- The digest of *rules* is of a replay: random plays from a fixed seed, with all that the rules
  return on the way.

Probabilities are rounded to 6 decimals, because functions such as the exponential differ in their
last bits between processors.

To watch a player takes a tenth of a second, and some seconds where its kernels must be compiled. So
the package keeps digests beside the compiled code, under a digest of all files of players and
games. Without an edit of these files, nothing is watched twice.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np

import hiddenhand
from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError
from hiddenhand.files import write_whole
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.cache import cache_root
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.registry import make_player, parse_spec
from hiddenhand.search.algorithms import SEARCH, find
from hiddenhand.search.making import make_search

_WRITTEN_OUT: Final = ("LD(1,1,3)", "Leduc")
"""Where players are watched: games written out, so that all of them share one compilation."""
_BY_RULES: Final = {
    "hiddenhand.search.simultaneous.": "goofspiel(num_cards=4)",
    "hiddenhand.pursuit.search.": "VP(map=wide6x7,start='g1 a1 a6',moves=9)",
}
"""The same for searches of simultaneous moves and of pursuit, by the packages of these searches."""

_PLAYERS: Final = ("jit", "games", "trees", "solvers", "search", "players", "matches", "pursuit")
"""The folders of the package that players consist of."""

_ITERATIONS: Final = 60  # at each decision
_FROM_ROOT: Final = 300
_PLAYS: Final = 20  # random plays in which rules are watched
_DECIMALS: Final = 6


@cache
def behaviour_of(spec: str) -> str:
    """Return `player_behaviour` of ``spec``; it is looked up where the sources did not change."""
    return _looked_up(spec, lambda: player_behaviour(spec))


@cache
def rules_behaviour_of(name: str) -> str:
    """Return `rules_behaviour` of the game with this name; it is looked up where the sources did
    not change.
    """
    return _looked_up(f"rules of {name}", lambda: rules_behaviour(load_game(name)))


def _looked_up(what: str, watch: Callable[[], str]) -> str:
    """Return the kept digest of something, or watch it and keep its digest."""
    path = cache_root() / "behaviours" / f"{_sources()}.json"
    known = _read(path)
    if what not in known:
        found = watch()
        with suppress(OSError):  # where nothing can be written, it is watched again
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps({**_read(path), what: found}).encode())
        return found
    return known[what]


def player_behaviour(spec: str) -> str:
    """Return 32 hexadecimal digits of what a player does.

    spec: the name of the player with its parameters, but without a budget.
    """
    found, parsed = hashlib.sha256(), parse_spec(spec)
    algorithm = find(parsed.name, SEARCH)
    target = "" if algorithm is None else algorithm.target
    parts = [_decisions] if algorithm is None else [_decisions, _strategy]
    for game in _games(target):
        for part in parts:
            try:
                found.update(part(spec, game))
            except HiddenhandError as refusal:
                found.update(type(refusal).__name__.encode())
    return found.hexdigest()[:32]


def rules_behaviour(game: Game) -> str:
    """Return 32 hexadecimal digits of what the rules of ``game`` do in random plays."""
    found, random = hashlib.sha256(), np.random.default_rng(0)
    sizes = (game.num_players, game.max_actions, game.max_chance_outcomes, game.max_depth)
    found.update(repr((*map(int, sizes), float(game.max_utility))).encode())
    for _ in range(_PLAYS):
        history = History(game)
        while not history.is_terminal:
            moves, probabilities = _moves(history, random)
            keys = [history.key(player) for player in range(game.num_players)]
            told = (history.player, moves, probabilities, keys, history.public_key)
            found.update(repr(told).encode())
            history = history.child(moves[random.integers(len(moves))])
        found.update(repr(_rounded(history.returns())).encode())
    return found.hexdigest()[:32]


def _moves(history: History, random: np.random.Generator) -> tuple[list[Move], list[float]]:
    """The moves that continue a history, and the probabilities of chance's outcomes. Where chance
    has too many to list, one that is drawn.
    """
    if history.player != CHANCE:
        return list(history.legal_moves()), []
    if history.game.draws_chance:
        return [history.sample_chance(random)], []
    outcomes = history.chance_outcomes()
    return [move for move, _ in outcomes], _rounded(p for _, p in outcomes)


@cache
def _sources() -> str:
    """A digest of the files of all that players consist of, maps too, and of the packages below."""
    found = hashlib.sha256(f"{sys.version} {numba.__version__} {np.__version__}".encode())
    package = Path(hiddenhand.__file__).parent
    folders = [package / folder for folder in _PLAYERS]
    for path in sorted([*package.glob("*.py"), Path(__file__), *chain(*map(_files, folders))]):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _files(folder: Path) -> Iterator[Path]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return (path for path in found if path.suffix != ".pyc")


def _read(path: Path) -> dict[str, str]:
    """The digests of players in a file; none where it cannot be read."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def _games(target: str) -> tuple[Game, ...]:
    """The games in which players are watched whose search is the class ``target``."""
    for package, name in _BY_RULES.items():
        if target.startswith(package):
            return (load_game(name),)
    return tuple(TreeGame.from_game(load_game(name)) for name in _WRITTEN_OUT)


def _decisions(spec: str, game: Game) -> bytes:
    """The policies of a player in a match from each seat."""
    policies = []
    for seat in range(2):
        players: list[Any] = [RandomPlayer(), RandomPlayer()]
        players[seat] = make_player(game, spec)
        budget = Budget(_ITERATIONS)
        record = play_match(game, players, 3, [budget] * 2, budget, chance_seed=5 + seat)
        policies += [_rounded(decision.policy) for decision in record.decisions[seat]]
    return repr(policies).encode()


def _strategy(spec: str, game: Game) -> bytes:
    """The strategy of a search from the root."""
    search = make_search(game, spec, 7)
    search.start(0, 11)
    search.think(iterations=_FROM_ROOT)
    weights = search.weights()
    sets = zip(weights.keys.tolist(), weights.starts[:-1], weights.starts[1:], strict=True)
    rows = [(key, weights.values[start:end]) for key, start, end in sets]
    return repr(
        [(key, _rounded(row / max(row.sum(), 1e-300))) for key, row in sorted(rows, key=_key)]
    ).encode()


def _key(row: tuple[int, Any]) -> int:
    return row[0]


def _rounded(values: Any) -> list[float]:
    """Numbers as they count; -0.0 is 0.0."""
    return [round(float(value), _DECIMALS) + 0.0 for value in values]
