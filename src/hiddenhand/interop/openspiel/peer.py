"""What this package takes from OpenSpiel: the library itself, its games, and the strings that its
players see.

OpenSpiel is an optional extra. The package imports it when a program first needs a game or a player
of OpenSpiel.
"""

import contextlib
import hashlib
import importlib
from typing import Any, Final

from hiddenhand.errors import GameError, OptionError, UnknownGameError
from hiddenhand.parameters import meant
from hiddenhand.text import shortened

PREFIX: Final = "openspiel:"
"""What the name of a game of OpenSpiel begins with."""

LONGEST: Final = 20_000
"""The moves that a play may have at most. Searches keep the states of a whole play, and a state
holds all moves before it.
"""

_PYTHON_GAMES: Final = "open_spiel.python.games"
_MAX_TOKEN: Final = 1 << 62
_MOVES_TRIED: Final = 1000
"""Moves of a play in which public observations are tried."""


def openspiel() -> Any:
    """The module ``pyspiel``. Raises OptionError if it is not installed."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError as error:
        raise OptionError(
            "games of OpenSpiel need the library OpenSpiel, which is not installed; install "
            "hiddenhand[openspiel]"
        ) from error


def load_peer(text: str) -> Any:
    """The ``pyspiel.Game`` that ``text`` names, such as ``liars_dice(numdice=2)``. Raises
    UnknownGameError if OpenSpiel knows no such game, and GameError if it cannot be followed.
    """
    spiel, name = openspiel(), text.partition("(")[0].strip()
    if name not in spiel.registered_names():
        _register_python_games()
    if name not in (names := spiel.registered_names()):  # OpenSpiel would print all of them
        raise UnknownGameError(
            f"OpenSpiel has no game {shortened(name)}; {meant(name, names)}the Python function "
            "pyspiel.registered_names() lists all"
        )
    with contextlib.suppress(Exception):  # the game may have another inside of it, in Python
        return spiel.load_game(text)
    _register_python_games()
    try:
        return spiel.load_game(text)
    except Exception as error:  # SpielError, and what games written in Python raise
        said = said_by(error).partition("Available games are")[0].strip()
        raise UnknownGameError(
            f"OpenSpiel cannot load the game {shortened(text)}: {said:.300}"
        ) from error


def _register_python_games() -> None:
    """Register the games that OpenSpiel has in Python."""
    with contextlib.suppress(Exception):  # some need libraries that are not there
        importlib.import_module(_PYTHON_GAMES)


def said_by(error: Exception) -> str:
    """The message of an error of OpenSpiel, on one line."""
    return " ".join(str(error).split())


def named(game: Any) -> str:
    """What `load_game` calls a ``pyspiel.Game``."""
    return f"{PREFIX}{game}".removesuffix("()")


def in_turns(game: Any) -> Any:
    """``game``, or its form in turns if its players move at once. Raises GameError for a game that
    cannot be followed: whose chance draws by itself, or whose players are not told apart by
    information states or observations.
    """
    spiel = openspiel()
    dynamics = spiel.GameType.Dynamics
    if game.get_type().dynamics == dynamics.SIMULTANEOUS:
        game = spiel.convert_to_turn_based(game)
    kind = game.get_type()
    if kind.dynamics != dynamics.SEQUENTIAL:
        raise GameError(
            f"{named(game)} is a mean field game, which cannot be played here; name a sequential "
            "game, or one in which players move at once"
        )
    if kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(
            f"{named(game)} draws its chance by itself and tells no outcomes, so its histories "
            "cannot be followed; name a game whose chance mode is explicit"
        )
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        raise GameError(
            f"{named(game)} tells its players neither information states nor observations as "
            "text, so what they see is unknown; name another game"
        )
    if game.max_history_length() > LONGEST:
        raise GameError(
            f"{named(game)} may last {game.max_history_length():,} moves, and the most that can be "
            f"followed is {LONGEST:,}; give it parameters that end it earlier"
        )
    return game


def token_of(text: str) -> int:
    """A token for ``text``: from 1 to 2**62 - 1, and different for different texts."""
    digest = hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "little") % (_MAX_TOKEN - 1)


class Eyes:
    """What players of a game of OpenSpiel see, as text.

    by_information: whether they see information states; else they see observations.
    in_plain_sight: whether all see everything, so that what one sees is public.
    public: whether the game says what all players see.
    texts: what tokens stand for; None to forget it, which is what large games need.
    """

    texts: dict[int, str] | None = None

    def __init__(self, game: Any) -> None:
        self.by_information = bool(game.get_type().provides_information_state_string)
        perfect = openspiel().GameType.Information.PERFECT_INFORMATION
        self.in_plain_sight = game.get_type().information == perfect
        self._observation = None if self.in_plain_sight else _public_observation(game)

    @property
    def public(self) -> bool:
        return self.in_plain_sight or self._observation is not None

    def private_text(self, state: Any, player: int) -> str:
        """What ``player``, who is to move in ``state``, knows."""
        if self.by_information:
            return str(state.information_state_string(player))
        return str(state.observation_string(player))

    def public_text(self, state: Any) -> str:
        """What all players see in ``state``; empty if the game does not say."""
        if self.in_plain_sight:
            return self.private_text(state, 0)
        if self._observation is None:
            return ""
        return str(self._observation.string_from(state, 0))

    def private_token(self, state: Any, player: int) -> int:
        """`private_text` as a token."""
        return self._token(self.private_text(state, player))

    def public_token(self, state: Any) -> int:
        """`public_text` as a token; 0 if the game does not say."""
        return self._token(self.public_text(state)) if self.public else 0

    def _token(self, text: str) -> int:
        token = token_of(text)
        if self.texts is not None:
            self.texts[token] = text.strip()
        return token


def _public_observation(game: Any) -> Any:
    """What tells the public observations of ``game``, or None if the game has none, or fails to say
    them in the course of a play.
    """
    spiel = openspiel()
    kind = spiel.IIGObservationType(
        public_info=True, perfect_recall=False, private_info=spiel.PrivateInfoType.NONE
    )
    try:
        observer = game.make_observer(kind, {})
        if observer is None:
            return None
        observation = spiel._Observation(game, observer)
        state = game.new_initial_state()
        observation.string_from(state, 0)
        for _ in range(_MOVES_TRIED):  # some games never end by such moves
            if state.is_terminal():
                break
            state.apply_action(state.legal_actions()[0])
            observation.string_from(state, 0)
    except Exception:  # whatever an observer that was not made for this raises
        return None
    return observation
