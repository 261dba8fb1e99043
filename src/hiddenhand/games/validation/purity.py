"""Rules that draw random numbers or read the clock by themselves.

Such a rule gives another result each time, also in compiled code, where a search cannot notice it.
Chance belongs into `chance_outcomes` or `sample_chance`, so that searches know its probabilities.
The check reads the code of the rules and of the functions that they call. It runs nothing.
"""

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from hiddenhand.games.base import Game
from hiddenhand.games.validation.laws import REPEATABLE, broken

_RULES: Final = (
    "initial_state",
    "current_player",
    "legal_actions",
    "chance_outcomes",
    "sample_chance",
    "apply_action",
    "apply_joint_action",
    "returns",
    "information",
    "forget_past",
)
_RANDOM: Final = ("random", "secrets", "numpy.random", "uuid")
_CLOCKS: Final = ("time", "datetime")


def check_purity(game: Game) -> None:
    """Raise ConformanceError if a rule uses random numbers of its own, or the clock."""
    cls = type(game)
    for rule in _RULES:
        function = getattr(cls, rule, None)
        if isinstance(function, FunctionType):
            for used in _modules_of(function, cls, set()):
                cure = (
                    "return CHANCE in current_player and list the outcomes in chance_outcomes"
                    if used in _RANDOM
                    else "keep what rules need in the state"
                )
                what = f"{rule} uses the module {used}"
                raise broken(game, REPEATABLE, None, what, rule=rule, cure=cure)


def _modules_of(function: FunctionType, cls: type, seen: set[CodeType]) -> Iterator[str]:
    """The modules of `_RANDOM` and `_CLOCKS` that a function uses, also in what it calls."""
    code = function.__code__
    if code in seen:
        return
    seen.add(code)
    value: Any = None
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        if instruction.opname == "LOAD_GLOBAL":
            value = function.__globals__.get(name)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            own = getattr(cls, name, None)
            value = getattr(value, name, None) if isinstance(value, ModuleType) else own
        else:
            value = None
        if (used := _module_of(value)) is not None:
            yield used
        elif isinstance(value, FunctionType) and not value.__module__.startswith("hiddenhand."):
            yield from _modules_of(value, cls, seen)


def _module_of(value: Any) -> str | None:
    """The module of `_RANDOM` or `_CLOCKS` that a value is, or comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    owner = getattr(value, "__self__", None)  # random.random is a method of a hidden object
    if owner is not None and not isinstance(value, ModuleType):
        name = type(owner).__module__
    known = (*_RANDOM, *_CLOCKS)
    return next((one for one in known if name == one or str(name).startswith(f"{one}.")), None)
