"""`ForeignGame`: a game of OpenSpiel of any size, whose rules call OpenSpiel at every move.

Its state is the history: the player that is to move, the number of moves, and these moves. So
states can be copied, compared and sent away like those of every game. Each rule calls `Follower` in
Python for what OpenSpiel says of that history, also from within machine code; see `callback`. That
is slower than compiled rules. But with it, any search can run on every game that says what its
players see.
"""

import atexit
import ctypes
import itertools
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game, Probabilities, State
from hiddenhand.games.guards import BrokenRule
from hiddenhand.interop.openspiel.callback import FAILED, ask, callable_from_kernels, place_of
from hiddenhand.interop.openspiel.peer import Eyes, load_peer, named, openspiel
from hiddenhand.interop.openspiel.state_tracker import WORD, Follower, Place
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import beside_rules

_PLAYER, _LENGTH, _MOVES = 0, 1, 2  # where the state holds what

_ACTIONS, _OUTCOMES, _APPLY, _RETURNS = 0, 1, 2, 3
"""The questions about the history in a state; see `_answer`."""

_FOLLOWERS: dict[int, Follower] = {}
atexit.register(_FOLLOWERS.clear)  # states of OpenSpiel must not outlive OpenSpiel itself
_NUMBERS: Final = itertools.count(1)


@dataclass(frozen=True, repr=False)
class ForeignGame(Game):
    """A sequential game of OpenSpiel, followed state by state.

    Actions, also of chance: OpenSpiel's.
    Observations: the player that is to move gets the information state (or the observation, where
        the game has no information states), as a token made of its text. Public is what all players
        see, where the game says it. Players remember all their observations.
    State: the player that is to move, the number of moves, and these moves.

    name: the game as OpenSpiel writes it.
    number: which `Follower` answers.
    address: the address of the function that answers.
    sizes: ``int64[4]``: the players, the most actions, the most outcomes of chance, the depth.
    largest: the largest absolute payoff.
    sums_to_zero: whether payoffs sum to 0.
    first_player: who moves first.
    tells_public: whether the game says what all players see.
    contents: what tells the rules apart from those of other games: the name, and the version of
        OpenSpiel.
    """

    name: str
    number: int = field(compare=False)
    address: int = field(compare=False)
    sizes: Integers = field(compare=False)
    largest: float = field(compare=False)
    sums_to_zero: bool = field(compare=False)
    first_player: int = field(compare=False)
    tells_public: bool = field(compare=False)
    contents: str = ""

    origin: ClassVar[str] = ""
    """The name by which `load_game` finds the game again; set on each instance."""

    @classmethod
    def of(cls, game: Any, eyes: Eyes) -> "ForeignGame":
        """The game that follows ``game``, a sequential ``pyspiel.Game``."""
        follower, number = Follower(game, eyes), next(_NUMBERS)
        _FOLLOWERS[number] = follower
        spiel = openspiel()
        largest = max(abs(game.max_utility()), abs(game.min_utility()))
        sizes = np.array(
            [
                game.num_players(),
                game.num_distinct_actions(),
                game.max_chance_outcomes(),
                game.max_history_length(),
            ]
        )
        made = cls(
            name=str(game),
            number=number,
            address=_address(),
            sizes=sizes,
            largest=float(largest),
            sums_to_zero=game.get_type().utility == spiel.GameType.Utility.ZERO_SUM,
            first_player=follower.root.player,
            tells_public=eyes.public,
            contents=f"{game} {getattr(spiel, '__version__', '')} {eyes.public}",
        )
        object.__setattr__(made, "origin", named(game))
        return made

    def __repr__(self) -> str:
        return self.origin

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return _followed_again, (self.name,)

    @property
    def num_players(self) -> int:
        return self.sizes[0]

    @property
    def zero_sum(self) -> bool:
        return self.sums_to_zero

    @property
    def state_size(self) -> int:
        return self.sizes[3] + _MOVES

    @property
    def max_actions(self) -> int:
        return self.sizes[1]

    @property
    def max_chance_outcomes(self) -> int:
        return self.sizes[2]

    @property
    def max_depth(self) -> int:
        return self.sizes[3]

    @property
    def max_utility(self) -> float:
        return self.largest

    def initial_state(self, state: State) -> None:
        for place in range(state.size):
            state[place] = 0
        state[_PLAYER] = self.first_player

    def current_player(self, state: State) -> int:
        return state[_PLAYER]

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        return self._asked(_ACTIONS, state, 0, place_of(actions), 0)

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        return self._asked(_OUTCOMES, state, 0, place_of(actions), place_of(probabilities))

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        player = self._asked(_APPLY, state, action, place_of(observations), 0)
        state[_MOVES + state[_LENGTH]] = action
        state[_LENGTH] += 1
        state[_PLAYER] = player

    def returns(self, state: State, player: int) -> float:
        return np.int64(self._asked(_RETURNS, state, player, 0, 0)).view(np.float64)

    def _asked(self, question: int, state: State, argument: int, first: int, second: int) -> int:
        """What OpenSpiel answers to a question about ``state``."""
        answer = ask(self.address, self.number, question, argument, place_of(state), first, second)
        if answer == FAILED:
            raise BrokenRule("OpenSpiel fails")
        return answer

    # --- for people ---

    @beside_rules
    def place(self, state: State) -> Place:
        """What OpenSpiel says of the history in ``state``."""
        length = int(state[_LENGTH])
        return _FOLLOWERS[self.number].place(state[_MOVES : _MOVES + length].tobytes())

    @beside_rules
    def follower(self) -> Follower:
        """What finds the states of OpenSpiel."""
        return _FOLLOWERS[self.number]

    def num_distinct_actions(self) -> int:
        return int(self.sizes[1])

    def action_name(self, state: State, player: int, action: int) -> str:
        return self.place(state).names[action]

    def render(self, state: State, player: int) -> str:
        """What the player saw at its last decision, what it did there, and what all players see."""
        follower, moves = _FOLLOWERS[self.number], state[_MOVES : _MOVES + int(state[_LENGTH])]
        lines = []
        for length in range(len(moves), -1, -1):
            place = follower.place(moves[:length].tobytes())
            if place.player == player:
                lines.append(follower.eyes.private_text(place.state, player).strip())
                if length < len(moves):
                    lines.append(f"you chose {place.names[int(moves[length])]}")
                break
        if len(lines) != 1:
            lines.append(follower.eyes.public_text(self.place(state).state).strip())
        return "\n".join(line for line in lines if line) or "nothing noticed"


def _followed_again(name: str) -> ForeignGame:
    """The game in another process, which has a `Follower` of its own."""
    game = load_peer(name)
    if str(game) != name:
        raise GameError(f"OpenSpiel reads {name} as another game, {game}")
    return ForeignGame.of(game, Eyes(game))


def _address() -> int:
    """The address of `_answer`, which is made once."""
    if not _ADDRESSES:
        _ADDRESSES.append(callable_from_kernels(_answer))
    return _ADDRESSES[0]


_ADDRESSES: list[int] = []


def _answer(number: int, question: int, argument: int, state: int, first: int, second: int) -> int:
    """The answer of game ``number`` to a question about the state at an address.

    _ACTIONS: writes the legal actions to ``first``, and says how many there are.
    _OUTCOMES: writes the outcomes of chance to ``first`` and their probabilities to ``second``, and
        says how many there are.
    _APPLY: writes what is noticed when ``argument`` is done to ``first``, and says who moves then.
    _RETURNS: the payoff of player ``argument``, whose bits are read as an integer.
    """
    follower = _FOLLOWERS[number]
    length = ctypes.c_int64.from_address(state + WORD * _LENGTH).value
    history = ctypes.string_at(state + WORD * _MOVES, WORD * length)
    if question == _APPLY:
        if length >= follower.longest:  # there is no room for more in the state
            raise GameError(
                f"{named(follower.game)} goes on after {length} moves, though OpenSpiel says that "
                "this is its longest history"
            )
        after = follower.place(history + struct.pack("q", argument))
        tokens = after.packed[2]
        ctypes.memmove(first, tokens, len(tokens))
        return after.player
    place = follower.place(history)
    if question == _RETURNS:
        return int(struct.unpack("q", struct.pack("d", place.returns[argument]))[0])
    actions, probabilities, _ = place.packed
    follower.verify_room(len(place.actions), question == _OUTCOMES)
    ctypes.memmove(first, actions, len(actions))
    if question == _OUTCOMES:
        ctypes.memmove(second, probabilities, len(probabilities))
    return len(place.actions)
