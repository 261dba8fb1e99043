"""`check`: whether a game keeps the laws that searches, players and pictures rely on. It is for all
authors of games.

It makes random plays and walks through all histories of a small game. It looks at both forms of a
game with simultaneous moves. All that takes plain Python and a moment. Then it compiles the rules,
runs all plays a second time, and compares the results bit for bit. In the end it looks for some
seconds at games of the class with other parameters. `verify_rules` is a small check: a few plays,
nothing compiled, milliseconds.
"""

import dataclasses
import weakref
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import ConformanceError, RefusedOptionError, RuleError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.chance_frequencies import DRAWN, check_drawing
from hiddenhand.games.validation.inspector import Inspector, Step
from hiddenhand.games.validation.instrumented_rules import inspecting
from hiddenhand.games.validation.laws import INSPECTED, RECALL, Law, broken
from hiddenhand.games.validation.lint import Lint, advice_for_people, warn_of_prints
from hiddenhand.games.validation.optional_rules import (
    check_optional_rules,
    optional_laws,
    own_evaluation,
)
from hiddenhand.games.validation.purity import check_purity
from hiddenhand.games.validation.replay import Trace, first_difference, new_trace, record, replay
from hiddenhand.games.validation.rule_errors import (
    COMPILE_ERRORS,
    explain_compile_error,
    unstarted,
)
from hiddenhand.games.validation.variants import variants
from hiddenhand.jit.methods import (
    Compiled,
    compiled_fields,
    is_guarded,
    renew_rules,
    rules_of_class,
)
from hiddenhand.jit.random import seed_sequence
from hiddenhand.parameters import plain_number
from hiddenhand.text import one_line

EQUALITY: Final = Law(
    "a game equals one made from the same parameters, and has the same hash",
    None,
    "let the parameters alone decide what equals",
)
IN_TURNS: Final = Law(
    "played in turns, the same choices have the same end and the same payoffs",
    "apply_joint_action",
    "use entries of the state by their numbers from 0, and none behind state_size",
)
COMPILED: Final = Law(
    "compiled code and plain Python agree, bit for bit, and fractions up to errors of rounding",
    None,
    "keep whole numbers within 64 bits, and use nothing that another call has left behind",
)
_VERIFIED: Final[weakref.WeakKeyDictionary[Game, str]] = weakref.WeakKeyDictionary()
"""Games that `verify_rules` has looked at with its default plays, and digests of their rules."""
_PLAYS: Final = 200
_HISTORIES: Final = 20_000
_FEWEST: Final = 10
_SCENES_A_PLAY: Final = 5
_OF_OTHERS: Final = (5, 1000)  # plays, and most histories, of a game with other parameters
_RULE_OF: Final = {  # which rule writes a field of a trace
    "players": "current_player",
    "counts": "legal_actions",
    "actions": "legal_actions",
    "probabilities": "chance_outcomes",
    "information": "information",
    "payoffs": "returns",
}


@dataclasses.dataclass(frozen=True)
class CheckReport:
    """What `check` looked at, and found to be right.

    A game with simultaneous moves has two forms: as it is, and with its moves in turns.

    game: the game.
    plays: how many random plays were looked at, in all forms of the game.
    histories: how many histories were walked through one by one, in all forms of the game; 0 if no
        form was small enough.
    enumerated: whether all forms were small enough, so that nothing can have been missed.
    laws: the laws that hold wherever `check` looked, as a clause each.
    skipped: the laws that were not looked at, and why.
    warnings: what is lawful, and yet often a mistake; empty without ``lint``.
    advice: what would make the game easier to play for people, such as names for its moves.
    parameters: the other values of parameters that were tried for a moment, such as "num_cards=4".
    """

    game: Game
    plays: int
    histories: int
    enumerated: bool
    laws: tuple[str, ...]
    skipped: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()

    def __repr__(self) -> str:
        laws, told = f"{len(self.laws)} laws hold", f"warnings: {len(self.warnings)}"
        looked = f"{self.histories:,} histories" if self.histories else f"{self.plays:,} plays"
        return one_line(self, self.game, f"{laws} in {looked}", told)


def check(
    game: Game | str,
    *,
    seed: int = 0,
    plays: int | None = None,
    max_histories: int = 20_000,
    lint: bool = False,
    seconds: float = 10.0,
) -> CheckReport:
    """Check that a game, or the game of that name, keeps the laws. Raises ConformanceError at the
    first broken law, and RuleError for a rule that fails or cannot be compiled.

    The check looks at two forms of a game with simultaneous moves: as it is, and with its moves in
    turns.

    seed: the seed of the random plays.
    plays: the number of random plays of each form, at least 1. By default 200, or fewer if plays
        are long: those that have 20,000 histories together, but at least 10.
    max_histories: the most histories of a form that the check walks through one by one, at least 0.
        It skips this step for a form with more histories.
    lint: whether to look, in the game as it is, also for what is lawful and yet often a mistake;
        see `hiddenhand.games.validation.lint`.
    seconds: after so many seconds the check begins with no other parameters any more; 0 for none.
        It tries a few other values of each parameter, with 5 plays of each form, as far as the
        class accepts them.

    Raises OptionError for other numbers, and GameError for what is not a game.
    """
    game = game_of(game)
    if plays is not None:
        _verify_count("plays", plays, 1)
    _verify_count("max_histories", max_histories, 0)
    seconds = plain_number(seconds)
    if not isinstance(seconds, (int, float)) or not seconds >= 0:
        raise RefusedOptionError("seconds", seconds, "give a number of at least 0")
    linter = Lint() if lint else None
    found = _check_forms(game, seed, plays, max_histories, linter)
    parameters = _check_variants(game, seed, seconds)
    recalls = remembers_all(game)
    sometimes = {RECALL: recalls, IN_TURNS: game.simultaneous, DRAWN: game.draws_chance}
    return CheckReport(
        game=game,
        plays=sum(made for _, made, _ in found),
        histories=sum(count for _, _, count in found if count is not None),
        enumerated=all(count is not None for _, _, count in found),
        laws=(
            *(EQUALITY, *INSPECTED, *optional_laws(game)),
            *(law for law, asked in sometimes.items() if asked),
            COMPILED,
        ),
        skipped=() if recalls else (f"{RECALL}: not asked of a game that overrides information",),
        warnings=(*warn_of_prints(game), *linter.warnings()) if linter is not None else (),
        advice=advice_for_people(game),
        parameters=parameters,
    )


def _check_forms(
    game: Game, seed: int, plays: int | None, max_histories: int, linter: Lint | None = None
) -> list["_Inspected"]:
    """Look at all forms of a game, as plain Python and compiled."""
    _check_equality(game)
    check_purity(game)
    forms = [game] if not game.simultaneous else [game, as_sequential(game)]
    linters = [linter if form is game else None for form in forms]
    found = [
        _inspect(form, seed, plays, max_histories, its)
        for form, its in zip(forms, linters, strict=True)
    ]
    check_optional_rules(game, (step.history for path in found[0][0] for step in path))
    if game.simultaneous:
        _compare_forms(game, seed, plays)
    # Compiled code comes last, because it takes longest, and because it does not survive an index
    # that is out of bounds, for which plain Python raises IndexError.
    for form, (paths, _, _) in zip(forms, found, strict=True):
        _compare_compiled(form, paths)
    if game.draws_chance:
        check_drawing(game, (step.history for path in found[0][0] for step in path))
    return found


def _check_variants(game: Game, seed: int, seconds: float) -> tuple[str, ...]:
    """Look at games with other parameters, and return which were tried."""
    end, tried = clock.now() + seconds, list[str]()
    for parameter, other in variants(game):
        if clock.now() >= end:
            break
        try:
            _check_forms(other, seed, *_OF_OTHERS)
        except (ConformanceError, RuleError) as error:
            raise type(error)(
                f"with {parameter}, {error}\n{type(game).__name__} accepts {parameter}; if that is "
                "not allowed, raise ValueError for it in __post_init__",
                dataclasses.replace(error.fault, parameter=parameter),
            ) from error
        tried.append(parameter)
    return tuple(tried)


def verify_rules(game: Game, *, seed: int = 0, plays: int = 3) -> None:
    """Play a few random plays in plain Python, which checks every index, as compiled code does not,
    and ask for the evaluation function. Raises RuleError or ConformanceError.

    That takes milliseconds. It skips names and pictures, which only serve people, and games that
    were verified before, unless their rules were edited since then.
    """
    may_be_edited = _has_other_rules(game)
    if may_be_edited:
        renew_rules(game)
    digest = _digest_of_rules(game) if may_be_edited else ""
    is_usual = (seed, plays) == (0, 3) and _has_hash(game)
    if is_usual and _VERIFIED.get(game) == digest:
        return
    for _ in _random_plays(Inspector(game, for_people=False), seed, plays):
        pass
    own_evaluation(game)
    if is_usual:
        _VERIFIED[game] = digest


def verify_hash(game: Game) -> None:
    """Raise ConformanceError for a game without a hash, which no dictionary can have as a key."""
    if not _has_hash(game):
        _check_equality(game)


def _has_hash(game: Game) -> bool:
    try:
        hash(game)
    except TypeError:
        return False
    return True


def _digest_of_rules(instance: Compiled) -> str:
    """The digests of the rules of an instance, and of the instances in its fields."""
    inside = (value for _, value in compiled_fields(instance) if isinstance(value, Compiled))
    return "/".join([rules_of_class(type(instance)).digest, *map(_digest_of_rules, inside)])


def _has_other_rules(instance: Compiled) -> bool:
    """Whether the class of an instance, or of one inside it, is not of this package, or no
    dataclass, which is an error.
    """
    if is_guarded(type(instance)) or not dataclasses.is_dataclass(instance):
        return True
    inside = (value for _, value in compiled_fields(instance) if isinstance(value, Compiled))
    return any(map(_has_other_rules, inside))


def _verify_count(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise RefusedOptionError(name, value, f"give an integer of at least {low}")


def _check_equality(game: Game) -> None:
    renew_rules(game)  # raises RuleError for a class that is no frozen dataclass
    again = dataclasses.replace(game)  # type: ignore[type-var]
    with inspecting(unstarted(game)):
        try:
            equal = game == again and hash(game) == hash(again)
        except (TypeError, ValueError) as error:
            cure = (
                "give a field that holds an array field(compare=False), and make it from another "
                "that holds numbers or a tuple"
            )
            raise broken(game, EQUALITY, None, str(error), cure=cure) from error
    if not equal:
        what = f"it differs from {again}, made from the same parameters"
        raise broken(game, EQUALITY, None, what)


def _inspect(
    game: Game, seed: int, plays: int | None, max_histories: int, lint: Lint | None
) -> "_Inspected":
    """Look at one form of a game in plain Python. Returns the plays, how many of them are random,
    and how many histories the form has, or None if there are more than ``max_histories``.
    """
    inspector = Inspector(game, scenes=_SCENES_A_PLAY * (plays or _PLAYS))
    paths = list(_random_plays(inspector, seed, plays, lint))
    made = len(paths)
    count = _count_histories(inspector, max_histories)
    if count is not None:
        paths += _all_plays(inspector, lint)
    return paths, made, count


def _compare_compiled(game: Game, paths: list["_Path"]) -> None:
    """Run plays as compiled code, whose results must equal those of plain Python."""
    interpreted, compiled = new_trace(game), new_trace(game)
    for path in paths:
        _compare(game, interpreted, compiled, path)


def _compare_forms(game: Game, seed: int, plays: int | None) -> None:
    """Make the random plays of the game once more in turns, which must end in equal payoffs. They
    differ, for example, for a rule that counts from the end of the state.
    """
    for path in _random_plays(Inspector(game, for_people=False), seed, plays):
        together, payoffs = path[-1].history, path[-1].node.returns
        in_turns = History(as_sequential(game))
        for move in together.moves:
            for action in move if isinstance(move, tuple) else (move,):
                with inspecting(in_turns, action):
                    in_turns = in_turns.child(action)
        with inspecting(in_turns):
            end, paid = in_turns.is_terminal, in_turns.returns()
        if not end or paid != payoffs:
            what = f"they pay {paid}, instead of {payoffs}" if end else "they do not end the game"
            raise broken(game, IN_TURNS, together, f"in turns {what}")


_Path = list[Step]
"""The histories from the root to the end of a play."""
_Inspected = tuple[list[_Path], int, int | None]
"""What `_inspect` returns."""


def _random_plays(
    inspector: Inspector, seed: int, plays: int | None, lint: Lint | None = None
) -> Iterator[_Path]:
    """Random plays. If the inspector looks at names and pictures, each move is compared with one
    other move that could have been made.

    plays: how many; None for `_PLAYS`, or as many as have `_HISTORIES` histories, but at least
        `_FEWEST`.
    """
    histories = 0
    sequence = seed_sequence(seed)
    rng, others = np.random.default_rng(sequence), np.random.default_rng(sequence.spawn(1)[0])
    for number in range(_PLAYS if plays is None else plays):
        if plays is None and number >= _FEWEST and histories >= _HISTORIES:
            return
        path = [_root(inspector)]
        while moves := path[-1].node.moves:
            chosen = int(rng.integers(len(moves)))
            drawn = [chosen]
            if inspector.for_people and len(moves) > 1:
                drawn.append((chosen + int(others.integers(1, len(moves)))) % len(moves))
            path.append(_continued(inspector, path[-1], [moves[index] for index in drawn], lint)[0])
        histories += len(path)
        yield path


def _all_plays(inspector: Inspector, lint: Lint | None = None) -> Iterator[_Path]:
    """Every play of the game, depth first; each history is looked at once."""
    path: _Path = []
    waiting = [_root(inspector)]
    while waiting:
        step = waiting.pop()
        del path[len(step.history.moves) :]
        path.append(step)
        if step.node.moves:
            waiting.extend(reversed(_continued(inspector, step, step.node.moves, lint)))
        else:
            yield path.copy()


def _root(inspector: Inspector) -> Step:
    root = inspector.root()
    return Step(root, inspector.visit(root))


def _continued(
    inspector: Inspector, step: Step, moves: Sequence[Move], lint: Lint | None
) -> list[Step]:
    """The histories after some moves, looked at one by one and side by side."""
    after = [inspector.child(step.history, move) for move in moves]
    steps = [Step(history, inspector.visit(history)) for history in after]
    inspector.compare(steps)
    if lint is not None:
        lint.look(inspector, step, steps)
    return steps


def _compare(game: Game, interpreted: Trace, compiled: Trace, path: _Path) -> None:
    """Run a play as compiled code, and compare it with the play in plain Python."""
    for history, node in path:
        record(interpreted, history, node)
    end = path[-1].history
    try:
        replay(game, end, compiled)
    except COMPILE_ERRORS as error:
        raise explain_compile_error(game, error, checking=True) from error
    difference = first_difference(interpreted, compiled, len(path))
    if difference is not None:
        step, field, what = difference
        moves = path[step].history.moves
        joint = bool(moves) and isinstance(moves[-1], tuple)
        applied = ("apply_joint_action" if joint else "apply_action") if moves else "initial_state"
        rule = _RULE_OF.get(field, applied)
        raise broken(game, COMPILED, path[step].history, what, rule=rule)


def _count_histories(inspector: Inspector, limit: int) -> int | None:
    """How many histories the game has, or None if more than ``limit``, or if chance draws outcomes
    that are not listed. This is faster than `_all_plays`, because no laws are looked at.
    """
    waiting: list[tuple[History, Move | None]] = [(inspector.root(), None)]
    count = 0
    while waiting:
        history, move = waiting.pop()
        count += 1
        with inspecting(history, move):
            # a move is made only now, because a limit is often passed by moves that wait
            if move is not None:
                history = history.child(move)
            player = history.player
            if player == CHANCE and inspector.samples_chance:
                return None
            if player == SIMULTANEOUS and history.num_legal_moves > limit:
                return None
            if player != TERMINAL:
                waiting.extend((history, move) for move in history.legal_moves())
        if count + len(waiting) > limit:
            return None
    return count
