"""The parameters of games and bots as fields of a form, and which bots can play a game."""

import inspect
import re
from collections.abc import Iterable
from typing import Any, Final

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_spec, general_class, value_as_text
from hiddenhand.games.rules_text import counts_from_0, in_plain_words
from hiddenhand.parameters import Parameter, parameters_of
from hiddenhand.players.registry import BUDGET
from hiddenhand.plugins import PLAYERS, loaded
from hiddenhand.search.algorithms import SEARCH, added_algorithms, algorithms
from hiddenhand.web.catalogue import inner_game, offered_bots
from hiddenhand.web.engines import verify_can_play
from hiddenhand.web.views import Plain

_NOT_AT_TABLES: Final = ("threads", "streams", "chunk", "memory", "opponent", "trust", "safety")
"""Parameters of searches that a table fixes, or that name a strategy."""
_RANGE: Final = re.compile(r"(?<![\w.])(-?\d+) to (\d+)(?![\w.*])")
_WORDS: Final = re.compile(r'"([\w-]+)"')
_SECONDS: Final = Parameter(
    BUDGET[1], ("float", "NoneType"), None, "its own time for each move, above 0 and at most 60"
)


def game_form(game: Game, text: str) -> Plain:
    """The parameters of a game as fields, with the values of ``game``.

    text: the game as the page named it. A game that a page can name only in this one form, such as
        one in a file, has no fields.
    """
    played = inner_game(game)
    try:
        name = game_spec(played).partition("(")[0]
    except HiddenhandError:
        name = ""
    if not name or ":" in name:
        return {"base": text, "fields": []}
    cls = general_class(name) or type(played)  # which has further parameters
    told = "".join(inspect.getdoc(base) or "" for base in cls.__mro__[:-1])
    fields = [
        _field(one, getattr(played, one.name, one.default), counts_from_0(told))
        for one in _parameters(cls)
    ]
    return {"base": name, "fields": fields}


def bot_forms(game: Game) -> list[Plain]:
    """The searches that can play ``game``, and the players of other packages, each with its
    parameters as fields, and the other package that it comes from.
    """
    said = {bot["player"]: bot["summary"] for bot in offered_bots()}
    searches = [
        {
            "player": algorithm.name,
            "summary": said.get(algorithm.name, algorithm.summary),
            "fields": _fields_of(algorithm),
            "package": algorithm.package,
        }
        for algorithm in (*algorithms(SEARCH), *added_algorithms(SEARCH))
        if _can_play(game, algorithm.name)
    ]
    players = [
        {
            "player": plugin.name,
            "summary": (inspect.getdoc(make) or "").partition("\n")[0],
            "fields": [_field(one, one.default) for one in parameters_of(make)],
            "package": plugin.package,
        }
        for plugin, make in loaded(PLAYERS)
        if _can_play(game, plugin.name)
    ]
    return searches + players


def _can_play(game: Game, player: str) -> bool:
    try:
        verify_can_play(game, player, 0)
    except HiddenhandError:
        return False
    return True


def _parameters(cls: type) -> Iterable[Parameter]:
    """The parameters of a class of games. A meaning that refers to another class is taken from
    there.
    """
    bases = [base for base in cls.__mro__ if inspect.getdoc(base)]
    for one in parameters_of(cls):
        meanings = (_meaning(base, one.name) for base in bases)
        said = next((meaning for meaning in meanings if meaning), one.description)
        yield Parameter(one.name, one.kinds, one.default, said)


def _meaning(cls: type, name: str) -> str:
    """What a class says of a parameter; "" if it refers to another class, or says nothing."""
    try:
        found = {one.name: one.description for one in parameters_of(cls)}.get(name, "")
    except ValueError:  # a class without a signature
        return ""
    return "" if found.startswith("as in ") else found


def _fields_of(algorithm: Algorithm) -> list[Plain]:
    shown = [one for one in algorithm.parameters if one.name not in _NOT_AT_TABLES]
    return [_field(one, one.default) for one in (*shown, _SECONDS)]


def _field(one: Parameter, value: Any, from_0: bool = False) -> Plain:
    """A parameter as a field of a form: its kind, its value and its default as text."""
    about = in_plain_words(one.description, from_0).rstrip(".")
    field: Plain = {
        "name": one.name,
        "kind": _kind(one),
        "value": _text_of(value),
        "default": None if one.default is inspect.Parameter.empty else _text_of(one.default),
        "about": about,
    }
    if (found := _RANGE.search(about)) and field["kind"] in ("whole", "number"):
        field |= {"low": int(found[1]), "high": int(found[2])}
    if field["kind"] == "word" and len(words := _WORDS.findall(one.description)) > 1:
        field["words"] = list(dict.fromkeys(words))
    return field


def _kind(one: Parameter) -> str:
    kinds = set(one.kinds) - {"NoneType"}
    for kind, said in (("bool", "yes_no"), ("str", "word"), ("float", "number"), ("int", "whole")):
        if kind in kinds:
            return said
    return "any"


def _text_of(value: Any) -> str:
    """A value as a person writes it into a field; "" for none."""
    if value is None:
        return ""
    return value if isinstance(value, str) else value_as_text(value) or ""
