"""Games by name: ``load_game("goofspiel(num_cards=6,imp_info=True)")``, and back: `game_spec`.

Names and parameters follow OpenSpiel where it has the game. The short forms of the papers are names
too:

    IIGS0(6), II-GS0(6) Goofspiel with 6 cards of values 0 to 5, bids hidden, point cards
                        descending: Lisy (2014); Lisy, Lanctot and Bowling (2015)
    IIGS(6), II-GS(6)   the same with values 1 to 6, point cards ascending: Sustr, Kovarik and Lisy
                        (2019)
    GS(5)               IIGS(5) with bids revealed
    LD(1,1,6)           Liar's Dice with a die each and six faces
    GP(3,3,2,2)         Generic Poker: card types, cards of each, raises, bet sizes
    BRPS(10)            biased rock, paper, scissors
    OZ(50,3,1)          Oshi-Zumo: coins, size, minimal bid: Lisy (2014)
    random(4,5)         a random game: actions, depth
    PE(4,4,5)           pursuit and evasion: rows, columns, moves
    VP(map=town465)     pursuit with limited sight, on a map of `hiddenhand maps`
    PTTT, Kuhn, Leduc   without parameters

The name of your own game says where its class is: ``package.module:ClassName(args)`` or
``path/to/file.py:ClassName(args)``. That runs the module or file, so never hand such text from
strangers to `load_game`. Arguments are read as literals, never evaluated. Installed packages add
games by name: see `plugins`.

The name of a game of another program, or in another program's file, begins with a prefix:

    openspiel:GAME      a game of OpenSpiel, as OpenSpiel writes it: hiddenhand.interop.openspiel
    efg:FILE            a file of Gambit: hiddenhand.interop.gambit
    liteefg:FILE        a file of LiteEFG: hiddenhand.interop.liteefg
"""

import contextlib
import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.errors import HiddenhandError, OptionError, ParameterError, UnknownGameError
from hiddenhand.games.about import About, about_of
from hiddenhand.games.base import Game, verify_game
from hiddenhand.games.user_games import user_class
from hiddenhand.parameters import closest, meant, wanted_instead
from hiddenhand.plugins import GAMES, Plugin, plugins
from hiddenhand.text import (
    Call,
    Unreadable,
    folded,
    read_arguments,
    shortened,
    split,
    summary,
    without_middle,
    written_word,
)
from hiddenhand.user_code import imported, is_place, place_of_class


@dataclasses.dataclass(frozen=True)
class GameDescription:
    """A game in the list of games.

    name: what `load_game` calls the game.
    short_forms: what papers call the game, with example parameters.
    parameters: each with its default, as ``name=value``, or only its name where it has none.
    summary: one sentence about the game.
    example: a text that `load_game` reads: the game in a size that suits a first match.
    package: the other package that the game comes from; empty for the games of this one.
    """

    name: str
    short_forms: tuple[str, ...]
    parameters: tuple[str, ...]
    summary: str
    example: str
    package: str = ""

    @property
    def about(self) -> About | None:
        """What the game says of itself; None for a game of another package that says nothing."""
        return about_named(self.name)


@dataclasses.dataclass(frozen=True)
class _Entry:
    """A game by name. What else the list of games says stands on its class: see `About`.

    name: what `load_game` calls the game.
    target: the function or class that makes the game, as module:attribute. `load_game` imports it.
    shorts: the game's other names, each with example parameters, and the parameters that the name
        stands for.
    unlisted: a name that lists leave out.
    general: a class with all parameters of ``target`` and further ones, as module:attribute. It
        makes the games that ``target`` cannot make. Its method `usual` finds the game of ``target``
        that is the same game, if there is one. Files know a game by its rules, so a game that
        ``target`` makes keeps the rules of ``target``.
    wraps: whether the only argument is another game.
    plugin: the part of another package that the game is; None for a game of this one.
    """

    name: str
    target: str
    shorts: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    unlisted: str = ""
    general: str = ""
    wraps: bool = False
    plugin: Plugin | None = None

    def load(self) -> Callable[..., Game]:
        """The function or class itself, imported now."""
        return self.plugin.load() if self.plugin is not None else imported(self.target)

    @property
    def names(self) -> dict[str, Mapping[str, Any]]:
        """All names of the game, each with the parameters that it stands for."""
        fixed = {_name_in(short): values for short, values in self.shorts.items()}
        return {self.name: {}} | ({self.unlisted: {}} if self.unlisted else {}) | fixed


def _name_in(text: str) -> str:
    """The name of a game in ``text``, without parameters."""
    return text.partition("(")[0]


_IIGS: Final = {"imp_info": True, "points_order": "ascending", "lowest_card": 1}
_IIGS0: Final = {"imp_info": True, "points_order": "descending", "lowest_card": 0}
_GS: Final = {"imp_info": False, "points_order": "ascending", "lowest_card": 1}

_NAMED: Final = (
    _Entry("biased_rps", "hiddenhand.games.matrix_game:biased_rps", {"BRPS(10)": {}}),
    _Entry(
        "dark_hex",
        "hiddenhand.games.dark_hex:DarkHex",
        general="hiddenhand.games.general_dark_hex:GeneralDarkHex",
    ),
    _Entry("generic_poker", "hiddenhand.games.poker.generic:GenericPoker", {"GP(3,3,2,2)": {}}),
    _Entry(
        "goofspiel",
        "hiddenhand.games.goofspiel:Goofspiel",
        {"IIGS(6)": _IIGS, "IIGS0(6)": _IIGS0, "GS(5)": _GS},
        general="hiddenhand.games.general_goofspiel:GeneralGoofspiel",
    ),
    _Entry(
        "kuhn_poker",
        "hiddenhand.games.poker.kuhn:KuhnPoker",
        {"Kuhn": {}},
        general="hiddenhand.games.poker.general_kuhn:GeneralKuhnPoker",
    ),
    _Entry(
        "leduc_poker",
        "hiddenhand.games.poker.leduc:LeducPoker",
        {"Leduc": {}},
        general="hiddenhand.games.poker.general_leduc:GeneralLeducPoker",
    ),
    _Entry(
        "liars_dice",
        "hiddenhand.games.liars_dice:LiarsDice",
        {"LD(1,1,6)": {}},
        general="hiddenhand.games.general_liars_dice:GeneralLiarsDice",
    ),
    _Entry(
        "liars_dice_sorted",
        "hiddenhand.games.liars_dice_sorted:SortedLiarsDice",
        {"SLD(2,2,5)": {}},
    ),
    _Entry("limit_holdem", "hiddenhand.games.poker.limit_holdem:LimitHoldem"),
    _Entry("matrix_game", "hiddenhand.games.matrix_game:MatrixGame"),
    _Entry("matrix_tree", "hiddenhand.games.random_game:MatrixTree"),
    _Entry(
        "oshi_zumo",
        "hiddenhand.games.oshi_zumo:OshiZumo",
        {"OZ(50,3,1)": {}},
        general="hiddenhand.games.general_oshi_zumo:GeneralOshiZumo",
    ),
    _Entry("phantom_ttt", "hiddenhand.games.phantom_ttt:PhantomTicTacToe", {"PTTT": {}}),
    _Entry(
        "pursuit_evasion",
        "hiddenhand.pursuit.games.pursuit_evasion:PursuitEvasion",
        {"PE(4,4,5)": {}},
    ),
    _Entry("random_game", "hiddenhand.games.random_game:RandomGame", {"random(4,5)": {}}),
    _Entry(
        "turn_based",
        "hiddenhand.games.turn_based:TurnBased",
        unlisted="turn_based_simultaneous_game",
        wraps=True,
    ),
    _Entry(
        "visibility_pursuit",
        "hiddenhand.pursuit.games.visibility:VisibilityPursuit",
        {"VP(map=block5,pursuers=1,moves=4)": {}},
    ),
)
"""Games that need more than `_in_files` finds, such as another name."""

_ELSEWHERE: Final = {
    "openspiel": "hiddenhand.interop.openspiel.loading:load",
    "efg": "hiddenhand.interop.gambit.loading:load",
    "liteefg": "hiddenhand.interop.liteefg.loading:load",
    "nfg": "hiddenhand.interop.gambit.loading:load_normal_form",
}
"""The loaders of games of other programs, as module:attribute, by the prefix of their names. A
loader takes the rest of the text. `load_game` imports it at its first use: games know nothing of
other programs.
"""

_ENDINGS: Final = ("efg", "nfg")
"""Endings of files that are named without what stands in front of their names."""

_PREFIX: Final = re.compile(rf"\b({'|'.join(_ELSEWHERE)}):")

_EXAMPLE = "write it like kuhn_poker or goofspiel(num_cards=6,imp_info=True)"


def runs_code(name: str) -> bool:
    """Whether loading the game of that name runs a module or file of users. Files of other programs
    are only read.
    """
    return is_place(_PREFIX.sub("", name))


def game_of(game: Game | str) -> Game:
    """``game``, or the game of that name. Raises what `load_game` raises, and GameError for a value
    that is neither a game nor a name.
    """
    if isinstance(game, str):
        return load_game(game)
    verify_game(game, "give a game or its name, such as kuhn_poker")
    return game


def load_game(text: str) -> Game:
    """The game that ``text`` names. Raises UnknownGameError for an unknown game or parameter,
    ParameterError for a value that is not allowed.
    """
    if (found := _from_elsewhere(text)) is not None:
        return found
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise UnknownGameError(
            f"{shortened(text)} is not the name of a game; {_EXAMPLE}"
        ) from problem
    make, defaults = _maker(name)
    try:
        call = Call(name, read_arguments(inside))
    except Unreadable as problem:
        raise ParameterError(
            f"{without_middle(name, 60)}({without_middle(inside, 60)}) {problem}; {_EXAMPLE}"
        ) from problem
    return _construct(call, make, defaults)


def game_names() -> list[str]:
    """The names of all games, sorted, those of other packages last; see `describe_games` for their
    parameters.
    """
    return [entry.name for entry in _entries()]


def describe_games(report: Callable[[str], object] = lambda problem: None) -> list[GameDescription]:
    """Descriptions of all games, sorted by name, those of other packages last.

    report: receives a sentence about each game of another package that cannot be loaded. Such a
        game is left out.
    """
    described = []
    for entry in _entries():
        try:
            described.append(_describe(entry))
        except OptionError as problem:
            report(str(problem))
    return described


def about_named(name: str) -> About | None:
    """What the game called ``name`` says of itself; None if it says nothing. Raises
    UnknownGameError for an unknown name.
    """
    return about_of(_find(name)[0].load())


def general_class(name: str) -> type[Game] | None:
    """The class of the games called ``name`` that the usual class cannot make, such as games of
    more players; None if there is none. Raises UnknownGameError for an unknown name.
    """
    entry, _ = _find(name)
    if not entry.general:
        return None
    found: type[Game] = imported(entry.general)
    return found


def game_spec(game: Game) -> str:
    """The text that `load_game` reads back to an equal game; parameters at their defaults are left
    out. Raises ParameterError if there is none.
    """
    if origin := getattr(game, "origin", ""):
        return str(origin)
    arguments = []
    for field in dataclasses.fields(game):  # type: ignore[arg-type]  # every game is a dataclass
        value = getattr(game, field.name)
        if field.init and not _is_default(field, value):
            text = value_as_text(value)
            if text is None:
                raise ParameterError(
                    f"{type(game).__name__}: {field.name}={shortened(value)} cannot be written as "
                    "text"
                )
            arguments.append(
                _in_quotes_if_needed(text) if isinstance(value, Game) else f"{field.name}={text}"
            )
    return _class_name(type(game)) + (f"({','.join(arguments)})" if arguments else "")


# --- from text to a game ---


def _from_elsewhere(text: str) -> Game | None:
    """The game of another program that ``text`` names; None if it names one of ours."""
    whole = text.strip() if isinstance(text, str) else ""
    program, colon, rest = whole.partition(":")
    if not colon or program not in _ELSEWHERE:
        program, rest = whole.rpartition(".")[2].casefold(), whole
        if program not in _ENDINGS:  # else it is a path, such as C:\games\poker.efg
            return None
    game: Game = imported(_ELSEWHERE[program])(rest.strip())
    return game


def _maker(name: str) -> tuple[Callable[..., Game], Mapping[str, Any]]:
    """The function that makes the game called ``name``, and the defaults of this name."""
    if name.partition(":")[0] in _ELSEWHERE and ":" in name:
        raise UnknownGameError(
            f"{shortened(name)} is a game of another program, which cannot be a part of another "
            "game; name it alone"
        )
    if ":" in name:
        return user_class(name), {}
    entry, defaults = _find(name)
    return _maker_of(name, entry), defaults


def _maker_of(name: str, entry: _Entry) -> Callable[..., Game]:
    make = entry.load()
    if entry.wraps:
        return _wrapper(name, make)
    return _with_general(make, imported(entry.general)) if entry.general else make


def _with_general(make: Callable[..., Game], general: Any) -> Callable[..., Game]:
    """A function like ``make`` that also takes the further parameters of ``general``, by name."""
    known = inspect.signature(make).parameters
    further = {
        name: parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(general).parameters.items()
        if name not in known
    }

    def of_either(**values: Any) -> Game:
        if not further.keys().isdisjoint(values):
            game: Game = general(**values)
            return general.usual(game) or game
        try:
            return make(**values)
        except ParameterError as error:  # it may be a value that only the general game allows
            with contextlib.suppress(ParameterError):
                of_general: Game = general(**values)
                return of_general
            raise error

    of_either.__signature__ = inspect.Signature([*known.values(), *further.values()])  # type: ignore[attr-defined]
    of_either.__doc__ = make.__doc__
    return of_either


def _wrapper(name: str, make: Callable[[Game], Game]) -> Callable[..., Game]:
    """A function like ``make``, which takes a game and nothing else. It also takes the name of a
    game, because `load_game` reads a game without parameters as a word.
    """

    def wrap(game: Any = None) -> Game:
        inner = load_game(game) if isinstance(game, str) else game
        if not isinstance(inner, Game) or isinstance(inner, make):  # type: ignore[arg-type]  # what makes it is its class
            raise ParameterError(
                f"{name} needs another game; write it like turn_based(goofspiel(num_cards=4))"
            )
        return make(inner)

    return wrap


@cache
def _ours() -> tuple[_Entry, ...]:
    """The games of this package, in the order of their names."""
    found = (*_NAMED, *_in_files(Path(__file__).parent))
    return tuple(sorted(found, key=lambda entry: entry.name))


def _in_files(folder: Path) -> Iterator[_Entry]:
    """The games that are alone in a file of ``folder``, and have its name: `About` stands above the
    class. The files are not imported, which takes a second for all of them.
    """
    places = (place for entry in _NAMED for place in (entry.target, entry.general))
    named = {place.partition(":")[0] for place in places}
    for path in folder.glob("*.py"):
        module = f"hiddenhand.games.{path.stem}"
        if module not in named and (found := _ABOUT.search(path.read_text("utf-8"))):
            yield _Entry(path.stem, f"{module}:{found[1]}")


_FROZEN: Final = (
    "; write __post_init__ in place of __init__, and set there what it computes with "
    "object.__setattr__(self, 'name', value)"
)
_ABOUT: Final = re.compile(r"^@About\(.*?^class (\w+)", re.MULTILINE | re.DOTALL)


@cache
def _entries() -> tuple[_Entry, ...]:
    """All games by name: ours, then those of other packages."""
    ours = {folded(entry.name) for entry in _ours()}
    added = [plugin for plugin in plugins(GAMES) if folded(plugin.name) not in ours]
    return (*_ours(), *(_Entry(plugin.name, plugin.place, plugin=plugin) for plugin in added))


def _find(name: str) -> tuple[_Entry, Mapping[str, Any]]:
    """The entry with this name, and the defaults that the name stands for. Raises UnknownGameError
    if there is none.
    """
    short = folded(name)
    if short in (known := _by_name(_ours())):
        return known[short]
    if short in (known := _by_name(_entries())):
        return known[short]
    classes = {  # as `repr` writes a game, which files keep
        folded(target.rpartition(":")[2]): entry
        for entry in _ours()
        for target in (entry.target, entry.general)
    }
    if short in classes:
        return classes[short], {}
    if name.endswith(".py"):
        raise UnknownGameError(
            f"{shortened(name)} is a file; name the class of the game in it, as in {name}:MyGame"
        )
    close = closest(short, known)
    question = f"did you mean {known[close][0].name}? " if close else ""
    shorts = [_name_in(short) for entry in _ours() for short in entry.shorts]
    raise UnknownGameError(
        f"there is no game {shortened(name)}; {question}choose one of: "
        f"{', '.join(game_names())}, and in short {', '.join(shorts)}"
    )


def _by_name(entries: tuple[_Entry, ...]) -> dict[str, tuple[_Entry, Mapping[str, Any]]]:
    """Each name, folded, with its entry and the parameters that it stands for. Of two entries with
    one name the first counts.
    """
    return {
        folded(name): (entry, fixed)
        for entry in reversed(entries)
        for name, fixed in entry.names.items()
    }


def _construct(call: Call, make: Callable[..., Game], defaults: Mapping[str, Any]) -> Game:
    """Call ``make`` with the arguments of ``call``, laid over ``defaults``."""
    name = without_middle(call.name, 60)
    parameters = inspect.signature(make).parameters
    values = dict(defaults)
    # what arguments without a name mean, in order
    open_names = [
        parameter
        for parameter, kind in parameters.items()
        if parameter not in defaults and kind.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    given: set[str] = set()
    for label, argument in sorted(call.arguments, key=lambda labelled: labelled[0] is not None):
        if label is None and not open_names:
            raise UnknownGameError(
                f"{name} takes no more than {len(given)} values without a name; its parameters "
                f"are: {', '.join(parameters) or 'none'}"
            )
        parameter = label if label is not None else open_names[0]
        if parameter in given:
            raise ParameterError(f"{name}: {parameter} is given twice")
        if parameter not in parameters:
            question = meant(parameter, parameters)
            raise UnknownGameError(
                f"{name} has no parameter {shortened(parameter)}; {question}its parameters are: "
                f"{', '.join(parameters) or 'none'}"
            )
        value = _value(argument)
        _verify_kind(name, parameters[parameter], value)
        open_names = [other for other in open_names if other != parameter]
        given.add(parameter)
        values[parameter] = value
    needed = [
        parameter
        for parameter, kind in parameters.items()
        if kind.default is inspect.Parameter.empty
    ]
    if missing := [parameter for parameter in needed if parameter not in values]:
        raise ParameterError(f"{name} needs a value for {', '.join(missing)}")
    try:
        return make(**values)
    except HiddenhandError:
        raise
    except (Exception, SystemExit) as error:  # the class does not check its parameters itself
        said = ",".join(f"{label}={value_as_text(value)}" for label, value in values.items())
        cure = _FROZEN if isinstance(error, dataclasses.FrozenInstanceError) else ""
        raise ParameterError(
            f"{name}({without_middle(said, 60)}) is not allowed: {type(error).__name__}: {error}"
            f"{cure}"
        ) from error


def _value(argument: Any) -> Any:
    """An argument as it was read, in which each name of a game has become that game."""
    if isinstance(argument, Call):
        return _construct(argument, *_maker(argument.name))
    if isinstance(argument, (list, tuple)):
        return type(argument)(_value(item) for item in argument)
    return argument


def _verify_kind(name: str, parameter: inspect.Parameter, value: Any) -> None:
    """Raise ParameterError unless ``value`` is of the kind that the parameter is annotated with."""
    kind = getattr(parameter.annotation, "__name__", parameter.annotation)
    if (wanted := wanted_instead((str(kind),), value)) is not None:
        raise ParameterError(
            f"{name}: {parameter.name}={shortened(value)} is not allowed; give {wanted}"
        )


# --- from a game to text ---


def _class_name(cls: type) -> str:
    target = f"{cls.__module__}:{cls.__qualname__}"
    entries = _ours() if cls.__module__.startswith("hiddenhand.") else _entries()
    for entry in entries:
        if target in (entry.target, entry.general):
            return entry.name
    if "." in cls.__qualname__:
        raise ParameterError(
            f"{cls.__qualname__} cannot be named in text; define the class at the top of its module"
        )
    return place_of_class(cls)


def _in_quotes_if_needed(name: str) -> str:
    """The name of a game as an argument: in quotes where a path in it has brackets or commas."""
    try:
        ((label, _),) = read_arguments(name)
    except ValueError:  # Unreadable, or read as several arguments
        return written_word(name)
    return name if label is None else written_word(name)


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    """Whether ``value`` is the default of ``field``."""
    default: Any = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    return type(default) is type(value) and bool(np.array_equal(default, value))


def value_as_text(value: Any) -> str | None:
    """The value of a parameter as `load_game` reads it, or None if there is no such text."""
    if isinstance(value, Game):
        return game_spec(value)
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        items = [value_as_text(item) for item in value]
        if None in items:
            return None
        inside = ",".join(str(item) for item in items)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(items) == 1 else f"({inside})"
    if isinstance(value, str):
        return written_word(value)
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return repr(value) if value is None or isinstance(value, (bool, int, float)) else None


# --- the list of games ---


def _describe(entry: _Entry) -> GameDescription:
    make = entry.load() if entry.wraps else _maker_of(entry.name, entry)
    parameters = []
    for name, parameter in inspect.signature(make).parameters.items():
        has_default = parameter.default is not inspect.Parameter.empty
        parameters.append(f"{name}={parameter.default}" if has_default else name)
    about = about_of(entry.load())
    example = entry.name if about is None else about.example or entry.name
    package = entry.plugin.package if entry.plugin is not None else ""
    return GameDescription(
        entry.name,
        tuple(entry.shorts),
        tuple(parameters),
        summary(inspect.getdoc(make)),
        example,
        package,
    )
