"""Players by name: ``make_player("oos(targeting=ist,delta=0.9)", game)``. A player is named in
plain text so that other processes can make it too.

    random                              all legal actions alike
    oos(targeting=ist,delta=0.9,...)    Online Outcome Sampling; mccfr is the same without targeting
                                        (delta 0)
    ismcts(selector=rm,gamma=0.2,...)   Information Set Monte Carlo Tree Search
    smmcts(selector=rm,...)             simultaneous-move Monte Carlo Tree Search
    smoos(carry=true,...)               Online Outcome Sampling for simultaneous moves
    pimc(...)                           perfect-information search of determinisations
    doab(memory=1073741824)             exact search of games in which only what both choose at once
                                        is hidden, deepening
    equilibrium                         an exact equilibrium of a small game
    strategy(FILE)                      what `hiddenhand solve` or `hiddenhand search` wrote
    best_response(SPEC)                 what earns most against a player whose strategy is known
    human                               a person at this terminal

Parameters of searches are those of their constructors, by name, read as literals and never
evaluated. ``iterations`` and ``seconds`` give a player a budget of their own for each move,
whatever the match allows: for matches between searches of different speed.
"""

import difflib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, get_args

from hiddenhand.budget import Budget
from hiddenhand.errors import GameError, PlayerError
from hiddenhand.games.base import Game, is_two_players_zero_sum
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.human import HumanPlayer
from hiddenhand.players.player import Player
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.simple import (
    BestResponsePlayer,
    EquilibriumPlayer,
    RandomPlayer,
    StrategyPlayer,
    written_out,
)
from hiddenhand.search.online import OnlineSearch
from hiddenhand.text import (
    DEEPEST,
    Unreadable,
    read_arguments,
    shortened,
    split,
    without_middle,
    written_word,
)

_EXAMPLE: Final = "write it like random or oos(targeting=ist,delta=0.9)"
_LONGEST_NAME: Final = 60  # characters of a name that is compared with others
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
    """An online search by name. ``target``: module:class, imported when it is asked for; ``fixed``:
    parameters that are not free, with their values; ``defaults``: what is better in a match than
    the constructor's default.
    """

    target: str
    fixed: tuple[tuple[str, Any], ...] = ()
    defaults: tuple[tuple[str, Any], ...] = ()


_SEARCHES: Final[dict[str, _Search]] = {
    "cr": _Search("hiddenhand.search.resolving.exact:CR"),
    "doab": _Search("hiddenhand.search.joint.double_oracle.search:DoubleOracle"),
    "ismcts": _Search("hiddenhand.search.sampling.ismcts:ISMCTS"),
    "mccr": _Search("hiddenhand.search.resolving.mccr:MCCR"),
    "mccfr": _Search(
        "hiddenhand.search.sampling.oos:OnlineOutcomeSampling",
        fixed=(("delta", 0.0), ("targeting", "ist")),
    ),
    "oos": _Search(
        "hiddenhand.search.sampling.oos:OnlineOutcomeSampling", defaults=(("epsilon", 0.4),)
    ),
    "pimc": _Search("hiddenhand.search.sampling.pimc:PIMC"),
    "smmcts": _Search("hiddenhand.search.joint.sm_mcts:SMMCTS"),
    "smoos": _Search("hiddenhand.search.joint.sm_oos:SMOOS"),
}
_PLAIN: Final = ("equilibrium", "human", "random")  # without parameters
_WRAPPING: Final = {"best_response": "a player", "strategy": "a file"}
PLAYER_NAMES: Final = tuple(sorted((*_SEARCHES, *_PLAIN, *_WRAPPING)))


@dataclass(frozen=True)
class PlayerSpec:
    """A player as text, taken apart. ``inner``: the file of ``strategy``, the player of
    ``best_response``. `str` writes it in one way only.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()
    inner: str = ""

    def __str__(self) -> str:
        inside = self.inner or ",".join(
            f"{name}={_written(value)}" for name, value in self.arguments
        )
        return f"{self.name}({inside})" if inside else self.name


def parse_spec(text: str) -> PlayerSpec:
    """Take the text of a player apart. Raises PlayerError; whether parameters exist is for
    `make_player` to say.
    """
    return _parse(text, DEEPEST)


def _parse(text: str, depth: int) -> PlayerSpec:
    """The same, with ``depth`` players inside each other at most."""
    if depth == 0:
        raise PlayerError(
            f"a player inside of {DEEPEST} others is too much; name a player who responds to fewer"
        )
    name, inside = _split(text)
    if name in _WRAPPING:
        if not inside:
            raise PlayerError(
                f"{name} needs {_WRAPPING[name]}; write it like "
                f"{name}({'equilibrium' if name == 'best_response' else 'FILE'})"
            )
        return PlayerSpec(
            name,
            inner=str(_parse(inside, depth - 1))
            if name == "best_response"
            else inside.strip("\"'"),
        )
    arguments = _read_arguments(name, inside)
    if name in _PLAIN and arguments:
        raise PlayerError(f"{name} has no parameters; write {name}")
    return PlayerSpec(name, tuple(sorted(arguments.items())))


def file_of(spec: str) -> str:
    """The file that the player ``spec`` names reads, or the player within reads; empty if there is
    none.
    """
    parsed = parse_spec(spec)
    match parsed.name:
        case "strategy":
            return parsed.inner
        case "best_response":
            return file_of(parsed.inner)
        case _:
            return ""


def make_player(spec: str, game: Game) -> Player:
    """The player that ``spec`` names, for matches of ``game``. Raises PlayerError, and what its
    parts raise (OptionError, FileError, ...).
    """
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


def default_spec(game: Game) -> str:
    """Who plays well in games like ``game``, for people who do not want to choose."""
    if not is_two_players_zero_sum(game):
        return "ismcts(selector=rm)"
    try:
        _imported(_SEARCHES["smmcts"].target)(game)
    except GameError:  # more is hidden than what is chosen at once
        return "oos(delta=0.5,targeting=ist)"
    return "smmcts"


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
        label: parameter
        for label, parameter in inspect.signature(_imported(search.target)).parameters.items()
        if label not in (*_NOT_OURS, *fixed)
    }
    for label, value in given.items():
        if label not in known:
            raise PlayerError(
                f"{name} has no parameter {shortened(label)}; {_meant(label, known)}Its parameters "
                f"are: {', '.join((*known, *_BUDGET))}"
            )
        _verify_kind(name, known[label], value)


def _verify_kind(name: str, parameter: inspect.Parameter, value: Any) -> None:
    """Of the kinds that a parameter may have, those that text can express."""
    kinds = [
        getattr(kind, "__name__", "")
        for kind in get_args(parameter.annotation) or (parameter.annotation,)
    ]
    known = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    fits = (value is None and "NoneType" in kinds) or any(
        isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool))
        for allowed, _ in known
    )
    if known and not fits:
        raise PlayerError(
            f"{name}: {parameter.name}={shortened(value)} is not allowed; give "
            f"{' or '.join(said for _, said in known)}"
        )


# --- reading ---


def _split(text: str) -> tuple[str, str]:
    """The name of a player, and what stands between the outer parentheses."""
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise PlayerError(f"{shortened(text)} is not the name of a player; {_EXAMPLE}") from problem
    folded = re.sub(r"[\s-]", "_", name).casefold()
    if folded not in PLAYER_NAMES:
        raise PlayerError(
            f"there is no player {shortened(name)}; {_meant(folded, PLAYER_NAMES)}choose one of: "
            f"{', '.join(PLAYER_NAMES)}"
        )
    return folded, inside


def _read_arguments(name: str, inside: str) -> dict[str, Any]:
    try:
        arguments = read_arguments(inside)
    except Unreadable as problem:
        raise PlayerError(
            f"{name}({without_middle(inside, 60)}) {problem}; {_EXAMPLE}"
        ) from problem
    values: dict[str, Any] = {}
    for label, value in arguments:
        if label is None:
            raise PlayerError(
                f"{name}: {shortened(value)} cannot be read without the name of a parameter; "
                f"{_EXAMPLE}"
            )
        if label in values:
            raise PlayerError(f"{name}: {shortened(label)} is given twice; give it once")
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise PlayerError(
                f"{name}: the value of {shortened(label)} cannot be read; give a number, a word, "
                "true or false"
            )
        values[label] = value
    return values


def _written(value: Any) -> str:
    """A value as `_read_arguments` reads it."""
    return written_word(value) if isinstance(value, str) else repr(value)


def _meant(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name[:_LONGEST_NAME], list(known), 1)
    return f"did you mean {close[0]}? " if close else ""


def _imported(target: str) -> Any:
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)
