"""Players by name: ``make_player(game, "oos(targeting=ist,delta=0.9)")``. The name is plain text,
so that other processes can make the player too.

    random                  all legal actions alike
    call, raise             in poker: always call; always raise
    pot_odds                in limit hold'em: by hand strength and pot odds
    chaser, runner          in pursuit with limited sight: towards, or away from, what was seen
    equilibrium             an exact equilibrium of a small game
    strategy(FILE)          what `hiddenhand solve`, `search` or `train` wrote
    greedy(FILE)            in the file of a search by self-play, what paid most on average
    best_response(SPEC)     what earns most against a player whose strategy is known
    human                   a person at this terminal
    NAME(PARAMETER=...)     a search of the registry, see `hiddenhand.search.algorithms`
    PLACE(PARAMETER=...)    a player or search of yours, by the place of its class, such as
                            ``package.module:MySearch`` or ``file.py:MyPlayer``
    NAME                    a player or search that another package adds, see `plugins`

Parameters of searches are those of their constructors, by name, read as literals and never
evaluated. A place runs its module or file, so never hand a text from strangers to `make_player`
before `runs_code` has said no. ``iterations`` and ``seconds`` give a player a budget of their own
for each move, whatever the match allows: for matches between searches of different speed. With
``ponder=true`` a player also thinks while it is the others' turn; leave that out of measurements.

Nothing heavy is imported before a player is made.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.parameters import meant, parameters_of, read_parameters, verified_values
from hiddenhand.plugins import ALGORITHMS as SEARCHES
from hiddenhand.plugins import PLAYERS as PLUGINS
from hiddenhand.plugins import Plugin, plugins
from hiddenhand.search.algorithms import SEARCH, class_at, find, is_search, names
from hiddenhand.search.making import MakeSearch, verify_order
from hiddenhand.text import DEEPEST, Unreadable, folded, shortened, split, written_word
from hiddenhand.user_code import imported, is_place

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.players.player import Player
    from hiddenhand.players.search_player import SearchPlayer
    from hiddenhand.trees.strategy import Strategy

BUDGET: Final = ("iterations", "seconds")
"""What the name of a search may say besides its parameters: a budget of its own."""
PONDER: Final = "ponder"
"""What it may say, too: whether the player also thinks while it is the others' turn."""

_EXAMPLE: Final = "write it like random or oos(targeting=ist,delta=0.9)"
_CLASS_OR_NAME: Final = re.compile(r'^class (\w+)|^    NAME = "(\w+)"$', re.MULTILINE)
_WRAPPING: Final = {"best_response": "a player", "greedy": "a file", "strategy": "a file"}
EXAMPLES: Final = (
    "random, equilibrium, strategy(FILE), greedy(FILE), best_response(SPEC), in poker call, raise "
    "and pot_odds, or a search such as auto or oos(targeting=ist,delta=0.9), which hiddenhand "
    "algorithms lists"
)
"""Players in words, for help texts."""


@dataclass(frozen=True)
class PlayerSpec:
    """The name of a player, taken apart. `str` puts it together again, always in the same form.

    name: what stands before the parentheses.
    arguments: the names and values of parameters, sorted by name.
    inner: for ``strategy`` and ``greedy`` the file, for ``best_response`` the name of the other
        player; else empty.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()
    inner: str = ""

    def __str__(self) -> str:
        inside = self.inner or ",".join(
            f"{name}={_written(value)}" for name, value in self.arguments
        )
        return f"{self.name}({inside})" if inside else self.name


@cache
def plain_players() -> dict[str, str]:
    """The place of each player without parameters, by the ``NAME`` that its class says. The classes
    are found in the text of their files, and imported when a player is made.
    """
    package, found = Path(__file__).parent.parent, {}
    for file in (*sorted((package / "players").glob("*.py")), package / "pursuit" / "players.py"):
        place = ""
        for match in _CLASS_OR_NAME.finditer(file.read_text("utf-8")):
            if match[2]:
                found[match[2]] = place
            else:
                place = f"hiddenhand.{file.parent.name}.{file.stem}:{match[1]}"
    return found


@lru_cache(maxsize=64)
def parse_spec(text: str) -> PlayerSpec:
    """Take the name of a player apart. Raises PlayerError for a text that cannot be read, and for a
    player that does not exist. `make_player` finds out whether parameters exist.
    """
    return _parse(text, DEEPEST)


def _parse(text: str, depth: int) -> PlayerSpec:
    """What `parse_spec` returns for ``text``. Raises PlayerError if the text names more than
    ``depth`` players inside each other.
    """
    if depth == 0:
        raise PlayerError(
            f"a player inside of {DEEPEST} others is nested too deeply; name a player that "
            "responds to fewer"
        )
    name, inside = _split(text)
    if name in _WRAPPING:
        responds = name == "best_response"
        inner = inside if responds else _unquoted(inside)
        if not inner:
            example = "equilibrium" if responds else "FILE"
            raise PlayerError(f"{name} needs {_WRAPPING[name]}; write it like {name}({example})")
        return PlayerSpec(name, inner=str(_parse(inner, depth - 1)) if responds else inner)
    try:
        arguments = read_parameters(name, inside, _EXAMPLE)
    except OptionError as problem:
        raise PlayerError(problem) from problem
    if name in plain_players() and arguments:
        raise PlayerError(f"{name} has no parameters; write {name}")
    return PlayerSpec(name, tuple(sorted(arguments.items())))


def _unquoted(text: str) -> str:
    """A path without the quotation marks and blanks around it."""
    while text != (shorter := text.strip().strip("\"'")):
        text = shorter
    return text


def file_of(spec: str, game: "Game | None" = None) -> str:
    """The file that a player reads, or that the player inside of it reads; empty if there is none.

    spec: the name of the player.
    game: the game that the player plays; None to leave out the blueprint that is kept for a game.
    """
    parsed = parse_spec(spec)
    match parsed.name:
        case "strategy" | "greedy":
            return parsed.inner
        case "best_response":
            return file_of(parsed.inner, game)
        case _:
            given = dict(parsed.arguments)
            if isinstance(blueprint := given.get("blueprint"), str):
                return _blueprint(blueprint, game)
            opponent = given.get("opponent")
            return _model(opponent, game) if isinstance(opponent, str) else ""


def _model(opponent: str, game: "Game | None") -> str:
    """See `file_of`: the file that a model of the opponent is, or that the player reads whom the
    model names.
    """
    if Path(opponent).is_file():
        return opponent
    try:
        return file_of(opponent, game)
    except PlayerError:
        return ""  # the search says what is wrong


def _blueprint(name: str, game: "Game | None") -> str:
    """See `file_of`. Raises FileError where none is kept for the game."""
    from hiddenhand.trees.blueprint import TRAINED, blueprint_at

    if game is None:
        return "" if name == TRAINED else name
    return str(blueprint_at(name, game))


def verify_several(players: object) -> None:
    """Raise PlayerError for one text, and for anything else in place of a list of players."""
    if isinstance(players, str) or not isinstance(players, Sequence):
        what = "one text" if isinstance(players, str) else "no list"
        raise PlayerError(
            f"players={shortened(players)} is {what}; give a list of players, such as "
            "['auto', 'random']"
        )


def make_player(game: "Game | str", spec: str) -> "Player":
    """The player with a name. Raises PlayerError, and what the player's parts raise, such as
    OptionError and FileError.

    game: the game that the player is to play, or its name.
    spec: the name of the player, such as "oos(targeting=ist,delta=0.9)".
    """
    from hiddenhand.games.registry import game_of
    from hiddenhand.players import fixed_policies

    verify_order(game, spec, "a player")
    if not isinstance(spec, str):
        raise PlayerError(f"{shortened(spec)} is not the name of a player; {_EXAMPLE}")
    parsed = parse_spec(spec)
    game = game_of(game)
    match parsed.name:
        case "strategy" | "greedy" as kind:
            return fixed_policies.StrategyPlayer(parsed.inner, greedy=kind == "greedy")
        case "best_response":
            return fixed_policies.BestResponsePlayer(make_player(game, parsed.inner))
        case plain if plain in plain_players():
            return _plain_player(plain, game)
        case _:
            if (make := _made_elsewhere(parsed.name)) is not None:
                return _other_player(parsed, make)
            return _search_player(parsed, game)


def _plain_player(name: str, game: "Game") -> "Player":
    """A player without parameters. Raises PlayerError if it cannot play the game."""
    from hiddenhand.players.player import Deciding

    player: Player = imported(plain_players()[name])()
    if isinstance(player, Deciding):
        player.verify_game(game)
    return player


def runs_code(spec: str) -> bool:
    """Whether the player with a name, or a player or search inside of it, is named by a place, so
    that making the player runs a module or file.
    """
    parsed = parse_spec(spec)
    if is_place(parsed.name):
        return True
    if parsed.name == "best_response":
        return runs_code(parsed.inner)
    return any(_names_code(value) for _, value in parsed.arguments if isinstance(value, str))


def _names_code(value: str) -> bool:
    """Whether the value of a parameter is the name of a player for which `runs_code` is true."""
    try:
        return runs_code(value)
    except PlayerError:  # it may still be the name of a class with parameters
        return _is_call(value) and is_place(split(value)[0])


def _is_call(text: str) -> bool:
    """Whether a text can be taken apart as a name with parameters."""
    try:
        split(text)
    except Unreadable:
        return False
    return True


def _made_elsewhere(name: str) -> Any:
    """The class or function, of a user or of another package, that makes the player called
    ``name``; None for a search, and for a player of ours. Raises PlayerError if it cannot be
    loaded.
    """
    try:
        if is_place(name):
            found = class_at(name, "player")
            return None if is_search(found) else found
        added = _plugin(name)
        return None if added is None else added.load()
    except OptionError as problem:
        raise PlayerError(problem) from problem


def _plugin(name: str) -> Plugin | None:
    """The player called ``name`` of another package; None if there is none."""
    return next((one for one in plugins(PLUGINS) if folded(one.name) == folded(name)), None)


def _other_player(spec: PlayerSpec, make: Any) -> "Player":
    """A player of a user or of another package. Raises PlayerError if its parameters do not fit, or
    if it lacks a method of `Player`.
    """
    if not callable(make):
        raise PlayerError(f"{spec.name} is not a class or function; name one that makes a player")
    try:
        given = verified_values(spec.name, parameters_of(make), dict(spec.arguments))
        player: Player = make(**given)
    except OptionError as problem:
        raise PlayerError(problem) from problem
    except TypeError as problem:
        raise PlayerError(f"{spec} cannot be made: {problem}") from problem
    methods = ("start", "prepare", "act", "end")
    if missing := [name for name in methods if not hasattr(player, name)]:
        raise PlayerError(
            f"{spec.name} is neither a player nor a search, because it has no "
            f"{', '.join(missing)}; see hiddenhand.players.player.Player"
        )
    return player


def learns(spec: str) -> bool:
    """Whether the player with a name learns from match to match."""
    from hiddenhand.players.opponent_learning import LEARNED, OPPONENT

    return dict(parse_spec(spec).arguments).get(OPPONENT) == LEARNED


def _search_player(spec: PlayerSpec, game: "Game") -> "SearchPlayer":
    from hiddenhand.players.opponent_learning import LEARNED, OPPONENT, LearningPlayer
    from hiddenhand.players.pondering import PonderingPlayer
    from hiddenhand.players.search_player import SearchPlayer

    try:
        algorithm, given = find(spec.name, SEARCH), dict(spec.arguments)
    except OptionError as problem:  # of a user
        raise PlayerError(problem) from problem
    assert algorithm is not None  # `_split` let no other name through
    own = {name: given.pop(name) for name in BUDGET if name in given}
    ponders = given.pop(PONDER, False)
    if not isinstance(ponders, bool):
        raise PlayerError(f"{PONDER}={shortened(ponders)} is not allowed; give true or false")
    try:
        verified = algorithm.verified(given, besides=(*BUDGET, PONDER))
    except OptionError as problem:
        raise PlayerError(problem) from problem
    budget = Budget(**own) if own else None
    if isinstance(opponent := verified.get(OPPONENT), str) and opponent != LEARNED:
        verified[OPPONENT] = _known_strategy(opponent, game)
    arguments = algorithm.arguments(verified)
    make_search = MakeSearch(algorithm.name, tuple(sorted(arguments.items())))
    if opponent == LEARNED:
        if ponders:
            raise PlayerError(
                f"{PONDER} and opponent={LEARNED} exclude each other; leave one of the two out"
            )
        return LearningPlayer(make_search, budget)
    kind = PonderingPlayer if ponders else SearchPlayer
    return kind(make_search, budget)


def _known_strategy(name: str, game: "Game") -> "Strategy | str":
    """The strategy of the player called ``name``, if it is known beforehand; else the name, which
    means a file or a search.
    """
    from hiddenhand.games.turn_based import as_sequential
    from hiddenhand.players import fixed_policies
    from hiddenhand.trees.strategy import strategy_from_profile

    if name == "uniform" or Path(name).exists():
        return name
    try:
        player = make_player(game, name)
    except PlayerError:
        return name  # the search says what is wrong
    if not isinstance(player, fixed_policies.KnownStrategy):
        return name
    tree = fixed_policies.written_out(as_sequential(game))
    return strategy_from_profile(tree, player.profile(tree))


# --- reading and writing ---


def _split(text: str) -> tuple[str, str]:
    """The name of a player, as the lists have it, and what stands between the outer parentheses."""
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise PlayerError(f"{shortened(text)} is not the name of a player; {_EXAMPLE}") from problem
    if is_place(name):
        return name, inside
    for own in (*plain_players(), *_WRAPPING):
        if folded(own) == folded(name):
            return own, inside
    if (plugin := _plugin(name)) is not None:
        return plugin.name, inside
    try:
        algorithm = find(name, SEARCH)
    except OptionError as problem:  # of another package
        raise PlayerError(problem) from problem
    if algorithm is None:
        others = [plugin.name for group in (PLUGINS, SEARCHES) for plugin in plugins(group)]
        known = sorted((*names(SEARCH), *plain_players(), *_WRAPPING, *others))
        raise PlayerError(
            f"there is no player {shortened(name)}; {meant(name, known)}choose one of: "
            f"{', '.join(known)}"
        )
    return algorithm.name, inside


def _written(value: Any) -> str:
    """A value as `read_parameters` reads it."""
    return written_word(value) if isinstance(value, str) else repr(value)
