"""What a game is: rules in plain Python on a small array of integers.

A game is a frozen dataclass that derives from `Game`. Its parameters are its fields. Its rules are
methods that read and write ``state``, an ``int64[state_size]`` array. The same methods run as
ordinary Python and, inside a compiled search, as machine code. So a rule uses numbers, loops,
branches, the fields of the game and its other methods. It does not use dictionaries, strings,
exceptions or ``super()``. Names and pictures for people (`action_name`, `render`) are never
compiled and may use all of Python.

Players notice observations, not states. A rule that moves the game on writes tokens into
``observations``, an ``int64[num_players + 1]`` array of zeros: ``observations[p]`` for what player
p alone notices, the last entry for what all notice. A token is a positive integer below 2**62; 0 is
"nothing". A player also always sees their own action. All that a player has noticed so far is
their information set.
"""

import sys
from dataclasses import dataclass
from inspect import get_annotations
from types import FunctionType
from typing import Any, ClassVar, Final

import numpy as np
from numba import types

from hiddenhand.errors import GameError, OptionError, ParameterError
from hiddenhand.games.guards import RULE_GUARDS
from hiddenhand.games.rules_text import text_from_docstring
from hiddenhand.games.scene import Presentation, Scene, presentation_at
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.pointers import COMPANION, FLOATS, INTEGERS, KEYS, ByPointer, by_pointer
from hiddenhand.notebooks import html_of
from hiddenhand.text import shortened, without_middle

# who is to move, besides the players 0, 1, ...
CHANCE: Final = -1
"""What `Game.current_player` says where chance moves: cards are dealt, dice are rolled."""
SIMULTANEOUS: Final = -2
"""What `Game.current_player` says where all players choose at the same time."""
TERMINAL: Final = -4
"""What `Game.current_player` says at the end of the game."""

# observers who are no player
SPECTATOR: Final = -5
"""Notices what everybody notices, and nothing else."""
ALL_SEEING: Final = -6
"""Knows the whole state."""


class AllShown(int):
    """An observer who knows the whole state, and looks at it from a seat; see `all_shown`.

    seat: the player from whose seat the observer looks.
    """

    seat: int


def all_shown(seat: int) -> int:
    """The observer who knows the whole state, and looks at it from the seat of a player. The
    picture for this observer is that of the player, with all that is hidden drawn in its place. It
    equals `ALL_SEEING`, so a picture that does not ask for the seat draws what it draws for that
    observer.

    seat: the player from whose seat the observer looks; see `seat_of`.
    """
    observer = AllShown(ALL_SEEING)
    observer.seat = seat
    return observer


def seat_of(observer: int) -> int:
    """The player from whose seat ``observer`` looks: the observer, unless `all_shown` made it.
    Negative for an observer without a seat.
    """
    return observer.seat if isinstance(observer, AllShown) else observer


State = Integers
Probabilities = Floats
_BESIDE_RULES: Final = frozenset({"picture", "hidden", "tell"})
"""Methods of every game that are no rules; see `beside_rules`."""
_PROPERTIES_BESIDE_RULES: Final = frozenset({"rules_text", "payoff_unit"})
"""Properties of every game that are no rules; see `PropertyBesideRules`."""
_INTEGER: Final = types.int64
_RULES: Final = by_pointer(
    ByPointer(
        "Game",
        rules={
            "initial_state": types.void(INTEGERS),
            "current_player": _INTEGER(INTEGERS),
            "legal_actions": _INTEGER(INTEGERS, _INTEGER, INTEGERS),
            "chance_outcomes": _INTEGER(INTEGERS, INTEGERS, FLOATS),
            "sample_chance": _INTEGER(INTEGERS, KEYS),
            "apply_action": types.void(INTEGERS, _INTEGER, INTEGERS),
            "apply_joint_action": types.void(INTEGERS, INTEGERS, INTEGERS),
            "returns": types.float64(INTEGERS, _INTEGER),
            "forget_past": types.void(INTEGERS),
            "information": types.uint64(INTEGERS, _INTEGER, types.uint64),
        },
        numbers={
            "state_size": int,
            "max_actions": int,
            "max_chance_outcomes": int,
            "max_depth": int,
            "max_utility": float,
            "simultaneous": bool,
            "zero_sum": bool,
            "draws_chance": bool,
            "guarded": bool,
        },
        constants=("num_players",),
        shared=(
            "sample_chance",
            "apply_action",
            "apply_joint_action",
            "forget_past",
            "information",
        ),
    )
)
_EVALUATION: Final = by_pointer(
    ByPointer(
        "EvaluationFunction",
        rules={"evaluate": types.float64(COMPANION, INTEGERS, _INTEGER)},
        numbers={},
        companion="Game",
    )
)


_INTERNAL: Final = frozenset(
    {"guards", "pointed", "whole", "around_any", "lists_chance", "draws_chance"}
)
"""Attributes of games, besides methods, that no field may hide."""


class EvaluationFunction(Compiled):
    """A rule of thumb for the value of a state: a frozen dataclass that a search calls instead of
    playing on to the end. See `Game.evaluation`.

    FAR_SIGHTED: whether measurements say that looking some moves ahead with it plays better than
        rollouts; `auto` then looks ahead.
    """

    pointed: ClassVar[ByPointer | None] = _EVALUATION

    FAR_SIGHTED: ClassVar[bool] = False

    def evaluate(self, game: Any, state: State, player: int) -> float:
        """An estimate, between the least and the largest payoff, of what ``player`` will be paid
        from ``state`` on. The function may look at the whole state.
        """
        raise GameError(f"{type(self).__name__} does not define evaluate")


def _verify_field_names(cls: type) -> None:
    """Raise GameError for a field of a class of games that has the name of a method of games."""
    for name, annotation in _own_annotations(cls).items():
        member = vars(Game).get(name)
        is_property = isinstance(member, (property, PropertyBesideRules))
        is_method = hasattr(member, "__get__") and not is_property
        if "ClassVar" not in str(annotation) and (is_method or name in _INTERNAL):
            raise GameError(
                f"{cls.__name__} has a field {name!r}, but {name} is a part of every game; rename "
                f"the field, to {name}_ for example"
            )


def _own_annotations(cls: type) -> dict[str, Any]:
    """The annotations of a class without those of its bases. Python 3.14 evaluates them late, and
    some may name what does not exist yet.
    """
    if sys.version_info >= (3, 14):
        from annotationlib import Format

        return get_annotations(cls, format=Format.STRING)
    return get_annotations(cls)


class Game(Compiled):
    """The rules that every game has. A game is a class that derives from `Game`, is decorated with
    ``@dataclass(frozen=True)``, and overrides what raises GameError here.

    A size, or `zero_sum`, that is the same for all games of a class may be a number on the class:
    ``state_size, max_actions, max_depth = 4, 2, 4``. What depends on the fields is a property.
    ``hiddenhand.games.check(game)`` tells whether the game keeps the laws that searches rely on.
    """

    guards = RULE_GUARDS
    pointed: ClassVar[ByPointer | None] = _RULES

    _presentation: ClassVar[str] = ""
    """Where the `Presentation` of a game of this package is, as "module:NAME"; "" for a game that
    defines `picture`, `hidden` and `tell` itself, or has none of them.
    """

    simultaneous: ClassVar[bool] = False
    """True if some state has `current_player` SIMULTANEOUS."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        _verify_field_names(cls)
        super().__init_subclass__(**keywords)
        for name in _BESIDE_RULES:  # a game of one's own need not say it
            if isinstance(method := vars(cls).get(name), FunctionType):
                setattr(cls, name, beside_rules(method))
        for name in _PROPERTIES_BESIDE_RULES:
            if isinstance(told := vars(cls).get(name), property) and told.fget is not None:
                setattr(cls, name, PropertyBesideRules(told.fget))
        if "payoff_sum" in vars(cls) and "zero_sum" not in vars(cls):  # or else they could differ
            cls.zero_sum = PropertyBesideRules(lambda game: game.payoff_sum == 0)  # type: ignore[assignment]
        if "draws_chance" not in vars(cls):  # a constant of each class, unless the class says it
            cls.draws_chance = cls.sample_chance is not Game.sample_chance  # type: ignore[assignment,method-assign]

    @property
    def draws_chance(self) -> bool:
        """Whether the game defines `sample_chance`. `Game` finds that out for every class."""
        return False

    @property
    def zero_sum(self) -> bool:
        """Whether the payoffs of every terminal state sum to 0. True by default, unless the class
        defines another `payoff_sum`.
        """
        return True

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        """What the payoffs of every terminal state sum to; None if the sum is not always the same.
        By default 0 in a zero-sum game, and None in others. A game of two players whose payoffs
        always sum to the same number, 4 say, is solved and searched like a zero-sum game if its
        class says ``payoff_sum = 4.0``.
        """
        return 0.0 if self.zero_sum else None

    # --- sizes, for the arrays that rules write into ---

    @property
    def num_players(self) -> int:
        """How many players there are; 2 by default."""
        return 2

    @property
    def state_size(self) -> int:
        """Length of the ``state`` array."""
        raise self._missing("state_size")

    @property
    def max_actions(self) -> int:
        """The most legal actions a player can have."""
        raise self._missing("max_actions")

    @property
    def max_chance_outcomes(self) -> int:
        """The most outcomes a chance move can have; 0 in a game without chance."""
        return 0

    @property
    def max_depth(self) -> int:
        """The most moves a history can have, chance moves included."""
        raise self._missing("max_depth")

    @property
    def max_utility(self) -> float:
        """The largest absolute payoff of any player."""
        raise self._missing("max_utility")

    # --- rules: plain Python that is also compiled ---

    def initial_state(self, state: State) -> None:
        """Write the root of the game into ``state``, which may hold any numbers before."""
        raise self._missing("initial_state")

    def current_player(self, state: State) -> int:
        """Who is to move: a player (0, 1, ...), CHANCE, SIMULTANEOUS, or TERMINAL at the end."""
        raise self._missing("current_player")

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        """Write the legal actions of ``player`` in increasing order into ``actions`` and return how
        many there are, at least 1.
        """
        raise self._missing("legal_actions")

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        """Write the outcomes of chance into ``actions`` and their probabilities into
        ``probabilities``, and return how many there are. Outcomes are integers of at least 0, all
        different. Probabilities are positive and sum to 1.
        """
        return 0

    def sample_chance(self, state: State, rng: Any) -> int:
        """Draw an outcome of chance by its probability, and return it. A game overrides this if it
        has too many outcomes to list each time.

        Use ``rng`` only with `below`, `uniform` and `sample` of ``hiddenhand.games``. A game that
        draws its chance may list its outcomes as well. A game that does not list them
        (max_chance_outcomes is 0) can be searched, but not be written out.
        """
        return 0

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        """Move ``state`` on by one action of the mover, a player or chance. Write the tokens that
        players notice into ``observations``.
        """

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        """Move ``state``, in which all players move at once, on by ``actions[player]`` of each
        player. Write the tokens that players notice into ``observations``.
        """

    def returns(self, state: State, player: int) -> float:
        """What ``player`` is paid in a terminal state."""
        raise self._missing("returns")

    def forget_past(self, state: State) -> None:
        """Clear from ``state`` what no longer matters for the moves, observations, payoffs and
        evaluations to come, so that more states are equal. By default nothing is cleared.

        Two solvers call this to look at equal states once: backward induction, and the vector form.
        `render` cannot draw a state without its past.
        """

    def information(self, state: State, player: int, key: int) -> int:
        """The key of the information set of ``player``, who is to move. By default it is ``key``,
        all that the player noticed. A game with imperfect recall overrides this.
        """
        return key

    # --- for people: never compiled ---

    @PropertyBesideRules
    def rules_text(self) -> str:
        """The rules for a person who does not know the game: how it is played, when it ends and
        what it pays, in paragraphs with an empty line between them. Players are numbered from 1, as
        on pages. A text on the class, or a property. By default the docstring's first paragraph.
        """
        return text_from_docstring(type(self))

    payoff_unit: ClassVar[Any] = "points"
    """What payoffs are counted in: an English plural that ends in s, such as "chips". A text on the
    class, or a property.
    """

    def __str__(self) -> str:
        """The game in messages: as `repr` writes it. A text that is too long to read loses its
        middle.
        """
        return without_middle(repr(self), 200)

    @beside_rules
    def _repr_html_(self) -> str | None:
        return html_of(self)

    def evaluation(self) -> EvaluationFunction:
        """The game's own evaluation function. Raises GameError if it has none, the default."""
        raise GameError(f"{self} has no evaluation function; search it with rollouts")

    @beside_rules
    def information_model(self, player: int, *, depth: int = 10, threshold: int = 250) -> Any:
        """A generative model of the information-set tree of ``player``, an `InformationModel`, for
        searches of that tree. Raises GameError if the game has none, the default.

        depth: how many moves its lookahead looks ahead, at least 0.
        threshold: the most possibilities of something hidden that the model follows. The game
            decides what it counts.
        """
        raise GameError(f"{self} has no model of its information-set trees")

    @beside_rules
    def num_distinct_actions(self) -> int:
        """The number n for which all actions of players are 0 .. n - 1. The default 0 means that
        the game does not tell it.

        Programs that learn want the same number of actions everywhere. For a game that returns 0,
        they number an action by its place among the legal ones, so that there are `max_actions`.
        """
        return 0

    @beside_rules
    def observation_tensor(self, state: State, player: int) -> Floats | None:
        """``float64[n]``, what ``player`` knows in ``state``, as numbers for a program that learns.
        The length n is the same in all states. By default None: then such a program gets the events
        that the player noticed.
        """
        return None

    def action_name(self, state: State, player: int, action: int) -> str:
        """The name of a legal action of ``player`` (or CHANCE) in ``state``. Names of different
        actions differ.
        """
        return str(action)

    def parse_action(self, state: State, player: int, text: str) -> int:
        """The legal action whose name is ``text`` (case and outer blanks do not matter). Raises
        GameError naming the legal ones.
        """
        named = {
            self.action_name(state, player, action): action
            for action in self.actions_of(state, player)
        }
        wanted = text.strip().casefold()
        for name, action in named.items():
            if name.casefold() == wanted:
                return action
        raise GameError(
            f"{text.strip()!r} is not a legal action here; choose one of: {', '.join(named)}"
        )

    @beside_rules
    def measures(self, state: State) -> dict[str, float]:
        """Figures about a finished match besides the payoffs, by name; none by default. Records and
        tournaments carry them.
        """
        return {}

    def render(self, state: State, player: int) -> str:
        """A picture of ``state`` with nothing in it that ``player`` does not know."""
        raise self._missing("render")

    @beside_rules
    def picture(self, state: State, player: int) -> Scene | None:
        """A scene of ``state`` with nothing in it that ``player`` does not know. By default None:
        the game has only the text of `render`.

        player: the observer of the picture: a player; `SPECTATOR`, who knows what everybody
            noticed; `ALL_SEEING`, who knows all; or `all_shown(seat)`, who knows all and looks from
            the seat of a player. Items of a picture from a seat may have legal actions, but only
            where it is the player's turn.
        """
        shown = _presentation_of(self)
        return None if shown is None else shown.picture(self, state, player)

    @beside_rules
    def hidden(self, state: State, observer: int) -> str | None:
        """What ``observer`` does not know of ``state``, in a few words such as "they hold K".
        Beliefs of histories with equal words are added up. "" where nothing is hidden. By default
        None: the game does not tell it.

        observer: as in `picture`; nothing is hidden from `ALL_SEEING`.
        """
        shown = _presentation_of(self)
        return None if shown is None else shown.hidden(self, state, observer)

    @beside_rules
    def tell(self, before: State, move: Any, after: State, observer: int) -> str | None:
        """A move in words, such as "you bid 3; player 2 takes the point card 5", with nothing in it
        that ``observer`` did not notice. "" where there is nothing to tell. By default None: then
        people read the names of those actions that are no secret.

        before, after: the states before and after the move.
        move: the action; a tuple of actions where all moved at once.
        observer: as in `picture`; it has noticed something of the move.
        """
        shown = _presentation_of(self)
        if shown is None or shown.tell is None:
            return None
        return shown.tell(self, before, move, after, observer)

    def actions_of(self, state: State, player: int) -> list[int]:
        """The legal actions of ``player``, or chance's outcomes for CHANCE, as a list."""
        room = np.zeros(max(self.max_actions, self.max_chance_outcomes, 1), np.int64)
        if player == CHANCE:
            count = self.chance_outcomes(state, room, np.zeros(room.size))
        else:
            count = self.legal_actions(state, player, room)
        if not 0 <= count <= room.size:
            raise GameError(
                f"{type(self).__name__} counts {count} actions, but says that there are at most "
                f"{room.size}"
            )
        return [int(action) for action in room[:count]]

    @property
    def lists_chance(self) -> bool:
        """Whether `chance_outcomes` lists the outcomes of chance."""
        return not self.draws_chance or self.max_chance_outcomes > 0

    def _missing(self, rule: str) -> GameError:
        return GameError(f"{type(self).__name__} does not define {rule}; every game needs one")


def tells_moves(game: Game) -> bool:
    """Whether a game defines `Game.tell`."""
    shown = _presentation_of(game)
    return type(game).tell is not Game.tell or (shown is not None and shown.tell is not None)


def _presentation_of(game: Game) -> Presentation | None:
    return presentation_at(game._presentation) if game._presentation else None


@dataclass(frozen=True)
class _NoRules(Game):
    """A game that defines its sizes only. Its default rules are compiled once for all games."""

    state_size, max_actions, max_depth, max_utility = 0, 0, 0, 0.0


_RULES.defaults = _NoRules()


def verify_game(value: object, instead: str = "give one, such as load_game('kuhn_poker')") -> None:
    """Raise GameError unless ``value`` is a game.

    instead: the cure that the message names for other values.
    """
    if isinstance(value, type) and issubclass(value, Game):
        name = value.__name__
        raise GameError(f"{name} is a class of games, and not a game; write {name}()")
    if not isinstance(value, Game):
        raise GameError(f"{shortened(value)} is not a game; {instead}")


def verify_player(game: Game, player: object) -> None:
    """Raise OptionError unless ``player`` is the number of a player of ``game``."""
    is_number = isinstance(player, (int, np.integer)) and not isinstance(player, bool)
    if not is_number or not 0 <= player < game.num_players:  # type: ignore[operator]
        raise OptionError(
            f"player {shortened(player)} is not allowed; {game} has players 0 to "
            f"{game.num_players - 1}"
        )


def verify_listed(game: Game) -> None:
    """Raise GameError if ``game`` draws its chance and does not list the outcomes."""
    if not game.lists_chance:
        raise GameError(
            f"{game} draws its chance and does not list the outcomes, so it cannot be written out; "
            "search it with oos or ismcts, or define chance_outcomes and max_chance_outcomes"
        )


def is_constant_sum(game: Game) -> bool:
    """Whether ``game`` has two players, whose payoffs always sum to the same number, such as 0."""
    return game.num_players == 2 and game.payoff_sum is not None


def verify_constant_sum(game: Game, what: str, instead: str) -> None:
    """Raise GameError unless `is_constant_sum` is true of ``game``.

    what: the algorithm that works for such games only.
    instead: an algorithm that works for other games, too.
    """
    if not is_constant_sum(game):
        reason = getattr(game, "why_not_constant_sum", "")
        raise GameError(
            f"{what} is for zero-sum games of two players, which {getattr(game, 'written', game)} "
            "is not"
            f"{f' ({reason})' if reason else ''}; use {instead}"
        )


def verify_range(game: Any, name: str, low: float, high: float) -> None:
    """Raise ParameterError unless the integer field ``name`` of ``game`` lies in low..high."""
    value = getattr(game, name)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, np.integer))
        or not low <= value <= high
    ):
        raise ParameterError(
            f"{type(game).__name__}: {name}={shortened(value)} is not allowed; give an integer "
            f"from {low} to {high}"
        )


def verify_choice(game: Any, name: str, choices: tuple[str, ...]) -> None:
    """Raise ParameterError unless the field ``name`` of ``game`` is one of ``choices``."""
    value = getattr(game, name)
    if value not in choices:
        raise ParameterError(
            f"{type(game).__name__}: {name}={shortened(value)} is not allowed; choose one of: "
            f"{', '.join(choices)}"
        )
