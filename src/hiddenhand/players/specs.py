"""Players by name: ``make_player("oos(targeting=ist,delta=0.9)", game)``. A player is named in plain text so that other processes can make it too.

    random                              all legal actions alike
    oos(targeting=ist,delta=0.9,...)    Online Outcome Sampling; mccfr is the same without targeting (delta 0)
    ismcts(selector=rm,gamma=0.2,...)   Information Set Monte Carlo Tree Search
    smmcts(selector=rm,...)             simultaneous-move Monte Carlo Tree Search
    smoos(carry=true,...)               Online Outcome Sampling for simultaneous moves
    pimc(...)                           perfect-information search of determinisations
    doab(memory=1073741824)             exact search of games in which only what both choose at once is hidden, deepening
    equilibrium                         an exact equilibrium of a small game
    strategy(FILE)                      what `hiddenhand solve` or `hiddenhand search` wrote
    best_response(SPEC)                 what earns most against a player whose strategy is known
    human                               a person at this terminal

Parameters of searches are those of their constructors, by name, read as literals and never evaluated. ``iterations`` and ``seconds`` give a player a
budget of their own for each move, whatever the match allows: for matches between searches of different speed.
"""

import ast
import difflib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, get_args

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.human import HumanPlayer
from hiddenhand.players.player import Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.simple import BestResponsePlayer, EquilibriumPlayer, RandomPlayer, StrategyPlayer, written_out
from hiddenhand.search.online import OnlineSearch

_EXAMPLE: Final = "write it like random or oos(targeting=ist,delta=0.9)"
_WORDS: Final = {"true": True, "false": False, "none": None}
_KINDS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a word"),
}
_BUDGET: Final = ("iterations", "seconds")
_NOT_OURS: Final = ("game", "seed")  # parameters of a search's constructor that the referee decides


@dataclass(frozen=True)
class _Search:
    """An online search by name. ``target``: module:class, imported when it is asked for; ``fixed``: parameters that are not free, with their values;
    ``defaults``: what is better in a match than the constructor's default.
    """

    target: str
    fixed: tuple[tuple[str, Any], ...] = ()
    defaults: tuple[tuple[str, Any], ...] = ()


_SEARCHES: Final[dict[str, _Search]] = {
    "cr": _Search("hiddenhand.search.resolving:CR"),
    "doab": _Search("hiddenhand.search.double_oracle:DoubleOracle"),
    "ismcts": _Search("hiddenhand.search.ismcts:ISMCTS"),
    "mccr": _Search("hiddenhand.search.mccr:MCCR"),
    "mccfr": _Search("hiddenhand.search.oos:OnlineOutcomeSampling", fixed=(("delta", 0.0), ("targeting", "ist"))),
    "oos": _Search("hiddenhand.search.oos:OnlineOutcomeSampling", defaults=(("epsilon", 0.4),)),
    "pimc": _Search("hiddenhand.search.pimc:PIMC"),
    "smmcts": _Search("hiddenhand.search.sm_mcts:SMMCTS"),
    "smoos": _Search("hiddenhand.search.sm_oos:SMOOS"),
}
_PLAIN: Final = ("equilibrium", "human", "random")  # without parameters
_WRAPPING: Final = {"best_response": "a player", "strategy": "a file"}
PLAYER_NAMES: Final = tuple(sorted((*_SEARCHES, *_PLAIN, *_WRAPPING)))


@dataclass(frozen=True)
class PlayerSpec:
    """A player as text, taken apart. ``inner``: the file of ``strategy``, the player of ``best_response``. `str` writes it in one way only."""

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()
    inner: str = ""

    def __str__(self) -> str:
        inside = self.inner or ",".join(f"{name}={_written(value)}" for name, value in self.arguments)
        return f"{self.name}({inside})" if inside else self.name


def parse_spec(text: str) -> PlayerSpec:
    """Take the text of a player apart. Raises PlayerError; whether parameters exist is for `make_player` to say."""
    name, inside = _split(text)
    if name in _WRAPPING:
        if not inside:
            raise PlayerError(f"{name} needs {_WRAPPING[name]}; write it like {name}({'equilibrium' if name == 'best_response' else 'FILE'})")
        return PlayerSpec(name, inner=str(parse_spec(inside)) if name == "best_response" else inside.strip("\"'"))
    arguments = _read_arguments(name, inside)
    if name in _PLAIN and arguments:
        raise PlayerError(f"{name} has no parameters; write {name}")
    return PlayerSpec(name, tuple(sorted(arguments.items())))


def file_of(spec: str) -> str:
    """The file that the player ``spec`` names reads, or the player within reads; empty if there is none."""
    parsed = parse_spec(spec)
    match parsed.name:
        case "strategy":
            return parsed.inner
        case "best_response":
            return file_of(parsed.inner)
        case _:
            return ""


def make_player(spec: str, game: Game) -> Player:
    """The player that ``spec`` names, for matches of ``game``. Raises PlayerError, and what its parts raise (BudgetError, FileError, ...)."""
    parsed = parse_spec(spec)
    match parsed.name:
        case "random":
            return RandomPlayer()
        case "human":
            return HumanPlayer()
        case "strategy":
            return StrategyPlayer(parsed.inner)
        case "equilibrium":
            written_out(as_sequential(game))  # say now if it is too large
            return EquilibriumPlayer()
        case "best_response":
            return BestResponsePlayer(make_player(parsed.inner, game))
        case _:
            return _search_player(parsed)


@dataclass(frozen=True)
class _MakeSearch:
    """Makes a search for a game. Equal ones make equal searches, in every process."""

    target: str
    arguments: tuple[tuple[str, Any], ...]

    def __call__(self, game: Game) -> OnlineSearch:
        return _imported(self.target)(game, **dict(self.arguments))


def _search_player(spec: PlayerSpec) -> SearchPlayer:
    search, given = _SEARCHES[spec.name], dict(spec.arguments)
    own = {name: given.pop(name) for name in _BUDGET if name in given}
    _verify_arguments(spec.name, search, given)
    arguments = dict(search.fixed) | dict(search.defaults) | given
    make_search = _MakeSearch(search.target, tuple(sorted(arguments.items())))
    return SearchPlayer(make_search, Budget(**own) if own else None)


def _verify_arguments(name: str, search: _Search, given: Mapping[str, Any]) -> None:
    fixed = [parameter for parameter, _ in search.fixed]
    known = {
        label: parameter for label, parameter in inspect.signature(_imported(search.target)).parameters.items() if label not in (*_NOT_OURS, *fixed)
    }
    for label, value in given.items():
        if label not in known:
            raise PlayerError(f"{name} has no parameter {label!r}; {_meant(label, known)}Its parameters are: {', '.join((*known, *_BUDGET))}")
        _verify_kind(name, known[label], value)


def _verify_kind(name: str, parameter: inspect.Parameter, value: Any) -> None:
    """Of the kinds that a parameter may have, those that text can express."""
    kinds = [getattr(kind, "__name__", "") for kind in get_args(parameter.annotation) or (parameter.annotation,)]
    known = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    fits = (value is None and "NoneType" in kinds) or any(
        isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool)) for allowed, _ in known
    )
    if known and not fits:
        raise PlayerError(f"{name}: {parameter.name}={value!r} is not allowed; give {' or '.join(said for _, said in known)}")


# --- reading ---


def _split(text: str) -> tuple[str, str]:
    """The name of a player, and what stands between the outer parentheses."""
    name, opening, rest = text.strip().partition("(")
    folded = re.sub(r"[\s-]", "_", name.strip()).casefold()
    if not folded or ")" in name or (opening and not rest.endswith(")")):
        raise PlayerError(f"{text!r} is not the name of a player; {_EXAMPLE}")
    if folded not in PLAYER_NAMES:
        raise PlayerError(f"there is no player {name.strip()!r}; {_meant(folded, PLAYER_NAMES)}There are {', '.join(PLAYER_NAMES)}")
    return folded, rest[:-1].strip()


def _read_arguments(name: str, inside: str) -> dict[str, Any]:
    quoted = re.sub(r"=\s*([A-Za-z]\w*\+)(?=\s*(,|$))", r"='\1'", inside)  # words such as cfr+
    try:
        call = ast.parse(f"_({quoted})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        call = None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args or any(named.arg is None for named in call.keywords):
        raise PlayerError(f"{name}: the parameters {inside!r} cannot be read; {_EXAMPLE}")
    values = {str(named.arg): _value(name, named) for named in call.keywords}
    if len(values) < len(call.keywords):
        raise PlayerError(f"{name}: a parameter is given twice in {inside!r}; give it once")
    return values


def _value(name: str, named: ast.keyword) -> Any:
    """A number, a word, a truth value or None."""
    if isinstance(named.value, ast.Name):
        return _WORDS.get(named.value.id.casefold(), named.value.id)
    try:
        value = ast.literal_eval(named.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        value = ...
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise PlayerError(f"{name}: the value of {named.arg} cannot be read; give a number, a word, true or false")
    return value


def _written(value: Any) -> str:
    """A value as `_value` reads it."""
    return value if isinstance(value, str) and value.isidentifier() and value.casefold() not in _WORDS else repr(value)


def _meant(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {close[0]}? " if close else ""


def _imported(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
