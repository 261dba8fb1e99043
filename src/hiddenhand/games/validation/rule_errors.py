"""One clear sentence for a rule that fails, whether it ran as plain Python or could not be
compiled.

Numba reports a rule that it cannot compile in some hundred lines: every function on the way down
from the kernel, and every implementation that it tried. The line that matters stands there once,
and before all others. `explain_compile_error` finds it by looking for a place that lies in one of
the game's own methods, or in a plain function of the user's that they call. For some bytecode Numba
names no place. Then each rule is compiled alone, to find the one that fails.

`explained` does the same for exceptions that rules raise as plain Python: to blame is the innermost
frame that runs one of these functions. A rule that never returns is stopped, and explained, too:
see `endless`.
"""

import contextlib
import dataclasses
import dis
import inspect
import linecache
import os
import re
import traceback
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any, Final

import numba
import numpy as np
from numba import typeof, types
from numba.core.compiler import run_frontend
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from hiddenhand.errors import Fault, HiddenhandError, RuleError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.endless import LIMIT, EndlessRule, begin, end
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.fingerprint import library_of, named_values
from hiddenhand.jit.helpers import Helpers
from hiddenhand.jit.methods import BesideRules, PropertyBesideRules, field_names

COMPILE_ERRORS: Final = (NumbaError, UnsupportedBytecodeError)
"""What a kernel may raise because a rule cannot be compiled; the second is not derived from the
first.
"""

_INTEGERS, _FLOATS = types.int64[::1], types.float64[::1]
_RULES: Final[dict[str, tuple[types.Type, ...]]] = {  # the types of the arguments after self
    "initial_state": (_INTEGERS,),
    "current_player": (_INTEGERS,),
    "legal_actions": (_INTEGERS, types.int64, _INTEGERS),
    "chance_outcomes": (_INTEGERS, _INTEGERS, _FLOATS),
    "apply_action": (_INTEGERS, types.int64, _INTEGERS),
    "apply_joint_action": (_INTEGERS, _INTEGERS, _INTEGERS),
    "returns": (_INTEGERS, types.int64),
    "information": (_INTEGERS, types.int64, types.uint64),
}
_REQUIRED: Final = ("initial_state", "current_player", "legal_actions", "returns")
_HINT: Final = "Rules use numbers, arrays, loops and branches."
_PLAIN: Final = (
    " The same rule runs as plain Python: hiddenhand.games.check(game) follows it there."
)
_NO_BASE: Final = (
    "compiled rules cannot call rules of a base class; put what both need into a method with a "
    "name of its own"
)
_ENDLESS: Final = (
    f"it was stopped after {LIMIT:g} seconds; give its loop an end, such as for _ in range(n)"
)
_FITS: Final = "make this size larger, or use a smaller index"
_CURES: Final = (  # what to do about complaints that do not say it themselves
    (r"global name 'super'|LOAD_SUPER_ATTR|Numba type of <class 'type'>|__class__", _NO_BASE),
    (
        r"'view' can only be called",
        "Numba takes any method or field called view for that of an array; give yours another name",
    ),
    (
        r"set attribute|FrozenInstanceError",
        "a game never changes; keep what changes during a play in the state",
    ),
    (
        r"float\(\) only support|there is no (int|float|round|tuple)\(",
        "compiled rules convert numbers and truth values only",
    ),
    (
        r"getitem\(Tuple\(",
        "an index needs a tuple of values of one kind; write 3.0 for 3 beside fractions",
    ),
    (
        r"ndarray' object has no attribute '(append|extend)'",
        "write its entries, as in actions[0] = 3, and return how many there are",
    ),
    (r"yield in a closure|global name '(any|all)'", "write a loop instead"),
    (r"reflected (list|set)", "write a tuple or a NumPy array in place of the list"),
    (r"^the function takes .*\*, ", "let it take them by their places, without a * in its head"),
    (
        r"^it returns float64, and not an integer",
        "a number in one branch and a key in another become a fraction; write np.uint64(...) "
        "around the number",
    ),
    (r"^SystemExit", "a rule must not end the program; return a value or raise an exception"),
    (r"Untyped global name", "use numbers, tuples or NumPy arrays outside of the class"),
)

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PLACE = re.compile(
    r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)'
    r"|\b(?:at|from) (?P<file_2>\S.*?) \((?P<line_2>\d+)\)"
)
_METHOD_MARK = re.compile(r"\b(\w+)@([\w.<>]+):[0-9a-f]{16}\b")  # as the bridge names methods
_COMPILED_TYPE = re.compile(r"([\w.<>]+)\[[0-9a-f]{16}\]\((?:[^()]|\([^()]*\))*\)(?: by place)?")
_UNKNOWN = re.compile(
    r"Unknown attribute '(\w+)' of type (?:Module\(<module '([\w.]+)'|([\w.<>]+))"
)
_UNBOUND = re.compile(r"Cannot bind '.*' to signature '(.*)' due to .*")
_ERROR_LINE = re.compile(r"^\w*(?:Error|Exception): (.+)")


@dataclasses.dataclass(frozen=True)
class _Place:
    """A line of a method.

    method: the name of the method, with its class.
    file: the file of the method.
    line: the line, or the first line of the method if no more is known.
    exact: whether ``line`` is the line that fails.
    """

    method: str
    file: str
    line: int
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.method} ({'' if self.exact else 'starts at '}{self.file}:{self.line})"

    @property
    def source(self) -> str:
        """The text of the line, as an indented line of its own, or nothing for code without a
        file.
        """
        text = linecache.getline(self.file, self.line).strip() if self.exact else ""
        return f"\n    {text}" if text else ""


# --- rules that raise as plain Python ---


class explained:  # noqa: N801 - a context, which reads like a function
    """A context for running rules of the history's game. Any exception that they raise becomes a
    RuleError, which names the method, the line, the history and the ``move``.

    It is a class, because a referee enters this context at every step. A context made of a
    generator takes several times as long.
    """

    __slots__ = ("_history", "_move", "_outer")

    def __init__(self, history: History, move: Move | None = None) -> None:
        self._history = history
        self._move = move

    def __enter__(self) -> None:
        """Run the rules."""
        self._outer = begin(self)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        end(self._outer)
        failures = (Exception, EndlessRule, SystemExit)
        if isinstance(error, failures) and not isinstance(error, HiddenhandError):
            raise _explain_failure(self._history, self._move, error) from error


def _explain_failure(history: History, move: Move | None, error: BaseException) -> RuleError:
    game = history.game
    functions = _with_helpers(_methods(game))
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        for name, function in functions:
            if _contains(function.__code__, frame.f_code):
                place = _Place(name, function.__code__.co_filename, line)
    blamed = place or type(game).__name__
    source = place.source if place else ""
    when = describe_history(history) + ("" if move is None else f" on move {move}")
    moves = tuple(move_names(history))
    fault = Fault(None, *_parts(place), history.moves, moves, move)
    if isinstance(error, EndlessRule):
        fault = dataclasses.replace(fault, cure=_ENDLESS.partition("; ")[2])
        return RuleError(f"{blamed} does not return {when}: {_ENDLESS}{source}", fault)
    what = f"{type(error).__name__}: {error}".replace("'WholeNumbers' object", "'ndarray' object")
    sizes, cure = _sizes(game, what), _cure(what)
    fault = dataclasses.replace(fault, cure=cure or (_FITS if sizes else None))
    told = f" ({cure})" if cure else ""
    return RuleError(f"{blamed} fails {when}: {what}{sizes}{told}{source}", fault)


def _sizes(game: Game, what: str) -> str:
    """The arrays that an index is too large for, by the sizes of the game."""
    found = re.search(r"index -?\d+ is out of bounds for axis 0 with size (\d+)", what)
    if not found or not isinstance(game, Game):
        return ""
    players = game.num_players
    sizes = {
        f"state_size is {game.state_size}": game.state_size,
        f"max_actions is {game.max_actions}": game.max_actions,
        f"max_chance_outcomes is {game.max_chance_outcomes}": game.max_chance_outcomes,
        f"observations has an entry for each of {players} players and a last one": players + 1,
    }
    meant = [said for said, size in sizes.items() if size == int(found[1])]
    return f" ({' and '.join(meant)})" if meant else ""


def unstarted(game: Game) -> History:
    """The empty history, for messages about a game whose root cannot be written."""
    history = object.__new__(History)
    history.game = game
    history.moves = ()
    return history


def root(game: Game) -> History:
    """The history without moves. What `Game.initial_state` raises is explained."""
    with explained(unstarted(game)):
        return History(game)


def describe_history(history: History) -> str:
    """The moves of a history for messages: as numbers, so that one can repeat them, and by name."""
    if not history.moves:
        return "at the root"
    return f"after the moves {history.moves} [{', '.join(move_names(history))}]"


def describe_mover(player: int) -> str:
    """What messages call the mover, a player or CHANCE."""
    return "chance" if player == CHANCE else f"player {player}"


def move_names(history: History) -> Iterator[str]:
    """The moves of a history in words, with their movers."""
    if not history.moves:
        return  # the rule that writes the root may be the one that fails
    before = History(history.game)
    for mover, move in zip(history.movers, history.moves, strict=True):
        parts = enumerate(move) if isinstance(move, tuple) else [(mover, move)]
        yield " & ".join(
            f"{describe_mover(player)}: {_action_name(before, player, action)}"
            for player, action in parts
        )
        before = before.child(move)


def _action_name(history: History, player: int, action: int) -> str:
    try:
        return history.game.action_name(history.state, player, action)
    except Exception:  # the message is about something else, and a number will do
        return str(action)


# --- rules that cannot be compiled ---


def explain_compile_error(game: Compiled, error: Exception, *, checking: bool = False) -> RuleError:
    """The RuleError that explains ``error``, one of `COMPILE_ERRORS`. A kernel raised it while it
    was compiled for ``game``.

    checking: whether `check` runs, which the message then does not propose.
    """
    missing = [rule for rule in _REQUIRED if is_missing(game, rule)]
    if missing:
        return missing_rule(game, missing[0], "every game needs one")
    text = _said(error)
    place = _place_in(text, _with_helpers(_methods(game)))
    if place is None or not place.exact:
        place, text = _first_failing(game, place.method if place else None) or (place, text)
    blamed = f"{place} cannot be compiled" if place else f"{type(game).__name__} cannot be compiled"
    reason = _reason(text)
    cure = _cure_of_attribute(game, reason) or _cure(reason)
    told = f" ({cure})" if cure else ""
    hint = _HINT if checking else _HINT + _PLAIN
    fault = Fault(None, *_parts(place), cure=cure or hint)
    return RuleError(f"{blamed}: {reason}{told}{place.source if place else ''}\n{hint}", fault)


def is_missing(game: Compiled, rule: str) -> bool:
    """Whether a game leaves a rule as it is in `Game`."""
    return isinstance(game, Game) and getattr(type(game), rule, None) is getattr(Game, rule)


def missing_rule(game: Compiled, rule: str, why: str) -> RuleError:
    """The error of a game that does not define a rule. ``why`` says who needs it."""
    fault = Fault(None, rule, *place_of(game, rule), cure=f"define {rule}")
    return RuleError(f"{type(game).__name__} does not define {rule}; {why}", fault)


def _said(error: Exception) -> str:
    """The message of an exception, without the colours that Numba adds where colorama is
    installed.
    """
    return _COLOUR.sub("", str(error))


def _methods(instance: Any) -> list[tuple[str, FunctionType]]:
    """All methods of an instance's class, of its evaluation function and of the games nested in it,
    as (class.method, function).

    What `Game` itself defines is left out, and so are methods like ``__setattr__``, which a
    dataclass writes itself.
    """
    found = []
    for cls in map(type, _with_inner(instance)):
        for base in cls.__mro__:
            if base in (object, Compiled, Game):
                continue
            for name, attribute in vars(base).items():
                function = _function_of(attribute)
                if isinstance(function, FunctionType) and not name.startswith("__"):
                    found.append((f"{cls.__name__}.{name}", function))
    return found


def _with_inner(instance: Any) -> list[Any]:
    """An instance, those nested in it, and its evaluation function."""
    found = [instance]
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        if isinstance(value, Compiled):
            found.extend(_with_inner(value))
    if isinstance(instance, Game):
        # It may have none, or fail: the message is about another rule.
        with contextlib.suppress(Exception, SystemExit):
            found.extend(_with_inner(instance.evaluation()))
    return found


def _function_of(attribute: Any) -> Any:
    """The function behind an attribute of a class, such as a property or a static method."""
    if isinstance(attribute, (BesideRules, PropertyBesideRules)):
        return attribute.method
    return getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)


def _with_helpers(methods: list[tuple[str, FunctionType]]) -> list[tuple[str, FunctionType]]:
    """The methods, and the user's plain functions that they call, directly or through others."""
    found = list(methods)
    known = {function for _, function in methods}
    for _, caller in found:  # grows on the way
        for _, value in named_values(caller):
            function = getattr(value, "py_func", value)
            if isinstance(function, FunctionType) and function not in known and _is_users(function):
                known.add(function)
                found.append((function.__qualname__, function))
    return found


def _is_users(function: FunctionType) -> bool:
    return library_of(function) is None and not (function.__module__ or "").startswith(
        "hiddenhand."
    )


def _contains(outer: CodeType, inner: CodeType) -> bool:
    """Whether ``inner`` is the code of a function or of something nested in it."""
    return any(code is inner for code in _nested(outer))


def _place_in(text: str, methods: list[tuple[str, FunctionType]]) -> _Place | None:
    """The first place named in ``text`` that lies in a method, else the first method named in
    it.
    """
    marked = [f"{match[2].rpartition('.')[2]}.{match[1]}" for match in _METHOD_MARK.finditer(text)]
    for match in _PLACE.finditer(text):
        file, line = match["file"] or match["file_2"], int(match["line"] or match["line_2"])
        inside = [entry for entry in methods if _lies_in(entry[1].__code__, file, line)]
        # The file of all classes typed at a prompt is "<string>", so that several methods can have
        # the same line. A method that the text also names comes first.
        inside.sort(key=lambda entry: entry[0] not in marked)
        if inside:
            name, function = inside[0]
            return _Place(name, function.__code__.co_filename, line)
    for name, function in methods:
        if name in marked[:1]:
            return _start(name, function)
    return None


def _parts(place: _Place | None) -> tuple[str | None, str | None, int | None]:
    """The rule, the file and the line of a `Fault`."""
    return (None,) * 3 if place is None else (_short(place.method), place.file, place.line)


def place_of(game: Any, rule: str | None) -> tuple[str | None, int | None]:
    """The file and the first line of a rule, or else of the class of the game; None if they have no
    file. For a game inside one of ours, such as `turn_based`, these are those of the game inside.
    """
    while type(game).__module__.startswith("hiddenhand.") and hasattr(game, "game"):
        game = game.game
    function = next((found for name, found in _methods(game) if _short(name) == rule), None)
    if function is not None:
        return function.__code__.co_filename, function.__code__.co_firstlineno
    try:
        return inspect.getfile(type(game)), inspect.getsourcelines(type(game))[1]
    except (OSError, TypeError):  # typed at a prompt, or read from a file of data
        return None, None


def _start(name: str, function: FunctionType) -> _Place:
    """The first line of a function."""
    code = function.__code__
    return _Place(name, code.co_filename, code.co_firstlineno, exact=False)


def _lies_in(code: CodeType, file: str, line: int) -> bool:
    """Whether a line of a file is one of ``code``."""
    # Numba gives paths relative to the working directory in one place, absolute ones in another
    if file != code.co_filename and os.path.realpath(file) != os.path.realpath(code.co_filename):
        return False
    lines = [number for _, _, number in code.co_lines() if number is not None]
    return code.co_firstlineno <= line <= max(lines, default=0)


def _first_failing(game: Compiled, blamed: str | None) -> tuple[_Place, str] | None:
    """The place of the first rule that fails when it is compiled alone, with what Numba says. Only
    the rule ``blamed`` is tried if there is one.
    """
    rules = _rules(game)
    if blamed is not None:
        rules = [entry for entry in rules if entry[0] == blamed]
    functions = _with_helpers(rules)
    for name, function in functions:
        try:
            run_frontend(function)  # reads bytecode only, and needs no types of arguments
        except COMPILE_ERRORS as error:
            text = _said(error)
            return _place_in(text, functions) or _start(name, function), text
    for name, function in rules:
        rule = _short(name)
        if rule not in _RULES or getattr(type(game), rule, None) is not function:
            continue
        compilable = numba.njit(nogil=True, error_model="numpy")
        try:
            rule_alone = compilable(Helpers(checked=False).with_helpers(function))
            rule_alone.compile((typeof(game), *_RULES[rule]))
        except COMPILE_ERRORS as error:
            text = _said(error)
            return _place_in(text, functions) or _start(name, function), text
        returned = rule_alone.nopython_signatures[0].return_type
        if rule == "information" and isinstance(returned, types.Float):
            return _start(name, function), f"it returns {returned}, and not an integer"
    return None


def _rules(game: Compiled) -> list[tuple[str, FunctionType]]:
    """The rules and the methods that they call, as (class.method, function)."""
    methods = _methods(game)
    reachable = _reachable(methods)
    return [entry for entry in methods if _short(entry[0]) in reachable]


def printing_places(game: Game) -> Iterator[str]:
    """The rules, with the methods and functions that they call, that print: each with its line."""
    for name, function in _with_helpers(_rules(game)):
        if "print" in function.__globals__:
            continue  # a function of the user's own
        for code in _nested(function.__code__):
            for instruction in dis.get_instructions(code):
                if (instruction.opname, instruction.argval) == ("LOAD_GLOBAL", "print"):
                    place = instruction.positions
                    line = (place and place.lineno) or code.co_firstlineno
                    yield str(_Place(name, code.co_filename, line))


def _short(name: str) -> str:
    """A method's name without its class."""
    return name.rpartition(".")[2]


def _reachable(methods: list[tuple[str, FunctionType]]) -> set[str]:
    """The names of the rules and of the methods that they call. Other methods serve people only,
    and may use all of Python.
    """
    by_name: dict[str, list[FunctionType]] = {}
    for name, function in methods:
        by_name.setdefault(_short(name), []).append(function)
    reached: set[str] = set()
    waiting = [name for name in _RULES if name in by_name]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            for function in by_name[name]:
                waiting.extend(called for called in _own_names(function) if called in by_name)
    return reached


def _own_names(function: FunctionType) -> set[str]:
    """The names in ``self.name`` and ``self.game.name``. Attributes of other values do not count,
    because arrays have a ``size`` and a ``sum`` too.
    """
    own = function.__code__.co_varnames[:1]
    found: set[str] = set()
    from_self = False  # whether what was loaded last is self, or an attribute of it
    for code in _nested(function.__code__):
        for instruction in dis.get_instructions(code):
            if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                loads = "LOAD_FAST" in instruction.opname or instruction.opname == "LOAD_DEREF"
                value = instruction.argval
                loaded = value if isinstance(value, tuple) else (value,)
                from_self = loads and loaded[-1:] == own
            elif from_self:
                found.add(str(instruction.argval))
    return found


def _nested(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of what is nested in it, such as a list comprehension."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _reason(text: str) -> str:
    """Numba's innermost complaint, in one line."""
    lines = text.splitlines()
    # (-indentation, line number, complaint): the innermost complaint is indented most
    complaints: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines):
        stripped = line.strip()
        after_header = number > 0 and "Failed in nopython mode pipeline" in lines[number - 1]
        match = _ERROR_LINE.match(stripped)
        complaint = match[1] if match else (stripped if after_header else "")
        if not complaint or complaint.startswith(("Failed in", "- Resolution failure")):
            continue
        if complaint.endswith("found for signature:") and number + 2 < len(lines):
            complaint = "there is no " + lines[number + 2].strip().removeprefix(">>> ")
        complaints.append((len(stripped) - len(line), number, complaint))
    reason = min(complaints)[2] if complaints else lines[0].strip()
    for _ in range(5):  # types of games may be nested
        reason = _COMPILED_TYPE.sub(r"\1", reason)
    reason = _UNBOUND.sub(
        r"the function takes \1, and compiled code does not pass the arguments so", reason
    )
    return reason.removesuffix(". Raised from None").rstrip(".")


def _cure(complaint: str) -> str:
    """What to do about a complaint; nothing if there is no more to say."""
    return next((cure for pattern, cure in _CURES if re.search(pattern, complaint)), "")


def _cure_of_attribute(game: Compiled, complaint: str) -> str:
    """What to do about an attribute that compiled code does not know."""
    found = _UNKNOWN.search(complaint)
    if found is None:
        return ""
    name, module, cls = found.groups()
    if module:
        return f"compiled rules cannot use this part of the module {module}; leave it out"
    owners = [one for one in _with_inner(game) if type(one).__qualname__ == cls]
    if not owners:
        return ""
    if name in field_names(type(owners[0])):
        return (
            "a field that is a string or None exists in plain Python only; turn it into a number "
            "in __post_init__"
        )
    return _cure_of_constant(type(owners[0]), name)


def _cure_of_constant(cls: type, name: str) -> str:
    """What to do about an attribute of a class that compiled code does not know."""
    nothing = object()
    value = inspect.getattr_static(cls, name, nothing)
    if value is nothing:
        return f"{cls.__name__} has no {name}; define it, or correct the name"
    kind = "NumPy array" if isinstance(value, np.ndarray) else type(value).__name__
    if isinstance(value, (BesideRules, PropertyBesideRules)):
        return f"{name} is for people; rules cannot use it"
    if hasattr(value, "__get__"):
        return f"compiled rules cannot use a {kind}; write a method or a property"
    if value is None or isinstance(value, str):
        return f"{name} on the class is {value!r}; write a number in place of it"
    if isinstance(value, tuple):
        return f"{name} holds more than numbers; keep the numbers in a tuple of their own"
    return (
        f"{name} is a {kind} on the class; put it at the top of the file, as a tuple or a NumPy "
        "array, and keep in the state what changes during a play"
    )
