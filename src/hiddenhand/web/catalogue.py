"""Lists the games and bots of the start page, and verifies those that pages name.

A page may name any game and bot of the registries. It may not name one that would run code or open
files on this machine; the command line gives such games and strategies. It may not name a bot that
could fill the memory or think without end.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hiddenhand.errors import GameError, OptionError, PlayerError
from hiddenhand.games.about import OWN, About
from hiddenhand.games.history import History
from hiddenhand.players.opponent_learning import LEARNED
from hiddenhand.players.registry import (
    BUDGET,
    PONDER,
    PlayerSpec,
    file_of,
    parse_spec,
    plain_players,
    runs_code,
)
from hiddenhand.search.algorithms import SEARCH, algorithms, find
from hiddenhand.search.opponent_model import UNIFORM
from hiddenhand.text import shortened
from hiddenhand.trees.blueprint import TRAINED
from hiddenhand.user_code import edition, imported
from hiddenhand.web.setup import PERSON

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.games.registry import GameDescription

MEMORY: Final = 2**28
"""Bytes that a bot may take, by default."""
MOST_SECONDS: Final = 60.0
"""The most seconds that a bot may think about a move."""
_MOST_ITERATIONS: Final = 10_000_000
_LARGEST: Final = 20_000  # numbers in a state, and actions: more than any game here has
_PLAIN: Final = re.compile(r"[\w\s(),=+.'\"\[\]-]*")
_SUFFIX: Final = re.compile(r"\.[A-Za-z]")  # of a file
_BOTS: Final = ("auto", "oos(targeting=ist)", "ismcts", "equilibrium", "random")


@dataclass(frozen=True)
class Allowed:
    """Games and bots of the command line, which pages may name too without limits.

    games: names of games.
    players: names of bots.
    """

    games: tuple[str, ...] = ()
    players: tuple[str, ...] = ()


NOTHING_ELSE: Final = Allowed()
"""Pages may name only games and bots of the registries."""


def preload() -> None:
    """Import the searches and what tables need, so that no thread imports them for a page, and load
    the kernels of histories, for which a table would wait while its bots compile the rules.
    """
    for module in ("handler", "analysis", "recorded_matches"):
        import_module(f"hiddenhand.web.{module}")
    import_module("hiddenhand.players.pondering")
    for place in plain_players().values():
        imported(place)
    for algorithm in algorithms(SEARCH):
        algorithm.load()
    History("kuhn_poker").child(0)


def offered_games() -> list[dict[str, Any]]:
    """The games of the start page, each with an example that `load_game` reads. Games for a first
    match come first.
    """
    return [entry | {"trained": trained(loaded(entry["game"]))} for entry in _offered()]


@cache
def _offered() -> tuple[dict[str, Any], ...]:
    shown = sorted(_described().items(), key=lambda game: game[1].place)
    return tuple(_entry(example, about) for example, about in shown)


@cache
def _described() -> dict[str, About]:
    """What each game of the registry says of itself, by the example that the start page shows."""
    from hiddenhand.games.registry import describe_games

    return {game.example: game.about or _of_another(game) for game in describe_games()}


def _of_another(game: "GameDescription") -> About:
    """What is said of a game of another package that says nothing of itself."""
    return About(game.name.replace("_", " "), game.summary.replace("``", ""), (), minutes=0)


def offered_examples() -> tuple[str, ...]:
    """The examples of the start page, as `load_game` reads them."""
    return tuple(entry["game"] for entry in _offered())


def _entry(example: str, about: About) -> dict[str, Any]:
    """A game of the registry on the start page."""
    return {
        "game": example,
        "name": about.title,
        "summary": about.line,
        "kinds": list(about.kinds),
        "minutes": about.minutes,
        "exact": about.exact,
        "players": loaded(example).num_players,
        "against": about.against,
        "package": _packages().get(example, ""),
    }


@cache
def _packages() -> dict[str, str]:
    """The other package that each game of the registry comes from, by its example; "" for ours."""
    from hiddenhand.games.registry import describe_games

    return {game.example: game.package for game in describe_games()}


def about_game(text: str) -> About:
    """What a game of the start page or of the command line says of itself."""
    return _described().get(text, About(text, "", (OWN,)))


def offered_bots() -> list[dict[str, str]]:
    """The bots of the start page: the usual ones first, then all searches."""
    known = {algorithm.name: algorithm.summary for algorithm in algorithms(SEARCH)}
    said = {
        "equilibrium": "Plays an exact equilibrium, where the game is small.",
        "random": "Plays all moves alike.",
    }
    listed = dict.fromkeys((*_BOTS, *known))
    return [
        {"player": spec, "summary": said.get(spec) or known.get(parse_spec(spec).name, "")}
        for spec in listed
    ]


def trained(game: "Game") -> dict[str, str] | None:
    """The stored blueprint of a game, as a set-up shows it: its time of training, and the bot that
    uses it. None if there is none.
    """
    from hiddenhand.trees.blueprint import found_blueprint

    found = found_blueprint(game)
    if found is None:
        return None
    return {"time": found[1].trained, "bot": f"auto(blueprint={TRAINED})"}


def title_of(game: "Game", text: str) -> str:
    """The title of a game; for a game that is not in the package, the name of its class or
    ``text``.
    """
    from hiddenhand.games.registry import about_named, game_names, game_spec

    inner = inner_game(game)
    if ":" in text:
        return type(inner).__name__
    try:
        known = about_named(text if text in game_names() else game_spec(inner).partition("(")[0])
    except GameError:  # it cannot be written as text
        return text
    return text if known is None else known.title


def about(text: str) -> dict[str, Any]:
    """A game of the command line as the start page shows it."""
    from hiddenhand.games.rules_text import text_from_docstring

    game = loaded(text)
    told = text_from_docstring(type(inner_game(game)))
    return {
        "game": text,
        "name": title_of(game, text),
        "summary": told[:200],
        "kinds": [OWN],
        "minutes": 0,
        "exact": False,
        "players": game.num_players,
        "against": "auto",
        "trained": trained(game),
    }


def inner_game(game: "Game") -> "Game":
    """A game as its author wrote it, which may have simultaneous moves."""
    from hiddenhand.games.turn_based import TurnBased

    return game.game if isinstance(game, TurnBased) else game


def loaded(text: str) -> "Game":
    """The game that ``text`` names, with moves in turns. It is loaded again only if its file was
    edited: tables that are opened after that have the new rules.
    """
    return _loaded(text, edition(text))


@cache
def _loaded(text: str, edition: str) -> "Game":
    from hiddenhand.games.registry import load_game
    from hiddenhand.games.turn_based import as_sequential

    return as_sequential(load_game(text))


def verified_game(text: str, allowed: Allowed) -> "Game":
    """The game that a page names. Raises GameError for one that pages may not name, and the errors
    of `load_game`.
    """
    if text in allowed.games:
        return loaded(text)
    if not _PLAIN.fullmatch(text) or _SUFFIX.search(text) or _names_a_file(text):
        raise GameError(
            f"{shortened(text)} cannot be opened from a page, because it may name a file or a "
            "module; start the server with that game: hiddenhand serve GAME"
        )
    from hiddenhand.games.registry import load_game
    from hiddenhand.games.turn_based import as_sequential

    game = as_sequential(load_game(text))
    if max(game.state_size, game.max_actions) > _LARGEST:
        raise GameError(
            f"{shortened(text)} is too large for a table, which allows {_LARGEST:,} numbers of "
            f"state and {_LARGEST:,} actions; choose smaller parameters"
        )
    return game


def verified_player(text: str, allowed: Allowed) -> str:
    """The bot that a page names, in a standard form, or `PERSON`. Raises PlayerError or OptionError
    for a text that names no bot, or a bot that pages may not name.
    """
    if text == PERSON or text in allowed.players:
        return text
    spec = parse_spec(text)
    if spec.name == "human":
        raise PlayerError(f"human plays at a terminal; write {PERSON} for a person at a page")
    if runs_code(text):
        raise _runs_code(text)
    if file_of(text):
        raise _reads_a_file(text)
    _verify_moderate(spec)
    return str(spec)


def _runs_code(text: str) -> PlayerError:
    return PlayerError(
        f"{shortened(text)} names code, and a page may not run it; start the server with it: "
        "hiddenhand serve GAME --against SPEC"
    )


def _reads_a_file(text: str) -> PlayerError:
    return PlayerError(
        f"{shortened(text)} reads a file, and a page may not name it; start the server with it: "
        "hiddenhand serve GAME --against SPEC"
    )


def bounded(text: str) -> str:
    """The bot with a limit of memory: `MEMORY` by default, or the one that its name gives."""
    spec = parse_spec(text)
    algorithm, given = find(spec.name, SEARCH), dict(spec.arguments)
    if algorithm is not None and "memory" in {known.name for known in algorithm.parameters}:
        given.setdefault("memory", MEMORY)
    return str(replace(spec, arguments=tuple(sorted(given.items()))))


def _verify_moderate(spec: PlayerSpec) -> None:
    """Raise OptionError for a bot that exceeds the limits of a server, and PlayerError for one that
    reads a strategy from a file.
    """
    if spec.name == "best_response":
        _verify_moderate(parse_spec(spec.inner))
    algorithm, given = find(spec.name, SEARCH), dict(spec.arguments)
    if algorithm is None:
        return
    parameters = {parameter.name for parameter in algorithm.parameters}
    for parameter in algorithm.parameters:
        value = given.get(parameter.name, parameter.default)
        if "Strategy" in parameter.kinds and value != parameter.default:
            _verify_model(str(spec), value)
    if given.get(PONDER):
        raise OptionError(
            f"{PONDER}={given[PONDER]} is not allowed at a table, where bots think only in "
            "their own turn; leave it out"
        )
    limits = {"seconds": MOST_SECONDS, "iterations": _MOST_ITERATIONS, "memory": MEMORY}
    limits |= {"threads": 1, "streams": 1, "cap": 1_000_000}
    for name, most in limits.items():
        value = given.get(name)
        if name not in (*parameters, *BUDGET) or value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
            raise OptionError(
                f"{name}={shortened(value)} is not allowed at a table; give more than 0, and at "
                f"most {most:,}"
            )


def _verify_model(spec: str, model: object) -> None:
    """Verify the model of the opponent, or the blueprint, in the name ``spec`` of a bot. Raises
    PlayerError if it reads a file, and OptionError if it exceeds the limits of a server.
    """
    if not isinstance(model, str) or Path(model).exists():
        raise _reads_a_file(spec)
    if model in (UNIFORM, LEARNED):
        return
    try:
        inner = parse_spec(model)
    except PlayerError:
        raise _reads_a_file(spec) from None
    if runs_code(model):
        raise _runs_code(spec)
    if file_of(model):
        raise _reads_a_file(spec)
    _verify_moderate(inner)


def _names_a_file(text: str) -> bool:
    """Whether a word of ``text`` is a file in the folder where the server runs."""
    return any(Path(word).is_file() for word in re.findall(r"[\w.-]{1,200}", text))
