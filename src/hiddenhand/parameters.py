"""The parameters of a search or a solver, which a text can set by name.

A search has a record of its parameters, a frozen dataclass that derives from `Parameters`. Its
docstring says what each parameter means, and its fields which values are allowed, see `parameter`.
The checks, the signature and docstring of the search, help texts and files follow from the record.

`parameters_of` returns what is known of parameters. Of a class or function without a record, it
reads the signature, and the meanings from the docstring, which has ``name: meaning`` once for each.
`read_parameters` takes a text such as ``oos(targeting=ist,delta=0.9)`` apart.
"""

import difflib
import inspect
import math
import numbers
import operator
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Final, get_args

from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.text import Unreadable, read_arguments, shortened, without_middle

_LONGEST_NAME: Final = 60  # characters of a name that is compared with others
_LEAST_PART: Final = 3  # letters of a name that is found inside of a longer one
_NOT_FINITE: Final = re.compile(r"[-+]?(nan|inf|infinity)", re.IGNORECASE)
_OF_ANY_NAME: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_KINDS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    "bool": ((bool,), "true or false"),
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a word"),
}


@dataclass(frozen=True)
class Allowed:
    """Which values of its kind a parameter allows.

    least, above, most, below: limits of numbers; None where there is none.
    choices: the allowed words; empty where all are allowed.
    """

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()

    def __contains__(self, value: object) -> bool:
        if isinstance(value, str):
            return not self.choices or value in self.choices
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return True
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )

    @property
    def limits(self) -> str:
        """The limits in words, such as "at least 0 and below 1"; empty if there are none."""
        if self.least is not None and self.most is not None:
            return f"from {self.least} to {self.most}"
        words = ("at least", "above", "at most", "below")
        limits = zip(words, (self.least, self.above, self.most, self.below), strict=True)
        return " and ".join(f"{word} {limit}" for word, limit in limits if limit is not None)


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be given by name.

    name: the name in the signature.
    kinds: the types that a value may have and that a text can express: "bool", "int", "float",
        "str"; "NoneType" where none is allowed.
    default: the default value.
    description: the meaning of the parameter, as a clause.
    allowed: which values of these types are allowed, as far as that does not depend on others.
    """

    name: str
    kinds: tuple[str, ...]
    default: Any
    description: str
    allowed: Allowed = Allowed()

    @property
    def said(self) -> str:
        """The allowed kinds of values, in words; "anything" if the signature has no types."""
        known = [_KINDS[kind][1] for kind in self.kinds if kind in _KINDS]
        return " or ".join([*known, *(["none"] if "NoneType" in self.kinds else [])]) or "anything"

    @property
    def is_needed(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def is_number(self) -> bool:
        """Whether values are numbers, and never words."""
        return "str" not in self.kinds and not {"int", "float"}.isdisjoint(self.kinds)

    def verified(self, owner: str, value: Any) -> Any:
        """Return ``value`` as the parameter of ``owner`` takes it: numbers as plain numbers of
        Python, and whole numbers as floats if the parameter is a float. Raises OptionError for a
        value of another kind, and for a number that is not finite.

        owner: what has the parameter, for messages; empty where the message needs no owner.
        """
        value = plain_number(value)
        wanted = wanted_instead(self.kinds, value)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        becomes_decimal = is_whole and "float" in self.kinds and "int" not in self.kinds
        if self.is_number and is_not_finite(value):
            wanted = "a finite number"
        elif becomes_decimal and abs(value) > sys.float_info.max:
            wanted = "a number up to 1e308"
        if wanted is not None:
            option = f"{owner}: {self.name}" if owner else self.name
            raise RefusedOptionError(option, value, f"give {wanted}")
        return float(value) if becomes_decimal else value

    def checked(self, value: Any) -> Any:
        """Return ``value`` as `verified` does. Raises OptionError also for a value that is not
        among those `allowed`.
        """
        value = self.verified("", value)
        if value in self.allowed:
            return value
        noun = "a number" if "float" in self.kinds else "a whole number"
        of = "of " if self.allowed.limits.startswith("at") else ""
        cure = f"give {noun} {of}{self.allowed.limits}"
        if isinstance(value, str):
            cure = f"choose one of: {', '.join(self.allowed.choices)}"
        raise RefusedOptionError(self.name, value, cure)


def parameter(
    default: Any,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    choices: Sequence[str] = (),
    positional: bool = False,
) -> Any:
    """Return a field of a record of parameters.

    default: the value where none is given.
    least, above, most, below, choices: see `Allowed`.
    positional: whether the parameter can be given without its name.
    """
    allowed = Allowed(least, above, most, below, tuple(choices))
    return field(default=default, kw_only=not positional, metadata={"allowed": allowed})


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """A record of the parameters of an algorithm, all of which are allowed. A derived class has a
    field for each, and the meaning in its docstring. Raises OptionError for a value that is not
    allowed.
    """

    def __post_init__(self) -> None:
        for one in self.all():
            object.__setattr__(self, one.name, one.checked(getattr(self, one.name)))

    @classmethod
    @cache
    def all(cls) -> tuple[Parameter, ...]:
        """Return what is known of each parameter; those of derived classes come first."""
        records = [base for base in cls.__mro__ if issubclass(base, Parameters)]
        meanings: dict[str, str] = {}
        for record in records:
            meanings = _meanings(inspect.cleandoc(record.__doc__ or "")) | meanings

        def age(one: Field[Any]) -> int:
            return sum(hasattr(record, one.name) for record in records)

        return tuple(
            Parameter(
                one.name,
                _kinds(one.type),
                one.default,
                _with_limits(meanings.get(one.name, ""), allowed.limits),
                allowed,
            )
            for one in sorted(fields(cls), key=age)
            for allowed in [one.metadata.get("allowed", Allowed())]
        )


def _with_limits(meaning: str, limits: str) -> str:
    """Return ``meaning`` with ``limits``, if there are any, at the end of its first clause."""
    return re.sub(r"(?=[;:]|$)", f", {limits}", meaning, count=1) if limits else meaning


class Configured:
    """A class with a record of its parameters, from which the constructor follows, with its
    signature, and the end of the docstring.

    PARAMETERS: the class of the record.
    settings: the record of what was given. A derived class may fill in defaults that depend on the
        game.
    """

    PARAMETERS: ClassVar[type[Parameters]]
    settings: Any

    def __init__(self, game: Any, *values: Any, **parameters: Any) -> None:
        """Make an object for ``game``; parameters by name. See `_set_up`."""
        raise NotImplementedError

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "PARAMETERS" in vars(cls):
            cls.__init__ = _constructor(cls.PARAMETERS)  # type: ignore[method-assign]
            told = [f"{one.name}: {one.description}." for one in cls.PARAMETERS.all()]
            cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__ or ""), "", *told])

    def _set_up(self, game: Any) -> None:
        """Make the object from ``game`` and `settings`."""
        raise NotImplementedError


def _constructor(record: type[Parameters]) -> Callable[..., None]:
    """Return the constructor of a class whose parameters ``record`` has."""

    def __init__(self: Any, game: Any, *values: Any, **parameters: Any) -> None:  # noqa: N807
        self.settings = record(*values, **parameters)
        self._set_up(game)

    own = list(inspect.signature(__init__).parameters.values())[:2]
    known = inspect.signature(record).parameters
    named = sorted((known[one.name] for one in record.all()), key=lambda one: one.kind)
    vars(__init__).update(record=record, __signature__=inspect.Signature([*own, *named]))
    return __init__


def plain_number(value: Any) -> Any:
    """Return a number of another library, such as ``numpy.int64(5)``, as an int or a float of
    Python; any other ``value`` as it is.
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, int):
        return operator.index(value)
    if isinstance(value, numbers.Real) and not isinstance(value, int):
        return float(value)
    return value


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Return ``value``, the argument ``name``, as an int. Raises OptionError if it is not a whole
    number of at least ``least``.
    """
    number = plain_number(value)
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise RefusedOptionError(name, value, f"give a whole number of at least {least}")
    return number


def is_not_finite(value: Any) -> bool:
    """Whether ``value`` is nan or infinite, as a number or in words such as "nan" and "-inf"."""
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, str) and _NOT_FINITE.fullmatch(value.strip()) is not None


def wanted_instead(kinds: Collection[str], value: Any) -> str | None:
    """Return the allowed values in words, if ``value`` is of none of ``kinds``. Return None if
    ``value`` is of such a kind, or if a text can express none of the kinds.
    """
    known = [_KINDS[kind] for kind in kinds if kind in _KINDS]
    if not known or (value is None and "NoneType" in kinds):
        return None
    if any(_is_one_of(allowed, value) for allowed, _ in known):
        return None
    # an object of an allowed class that no text can express
    if any(cls.__name__ in kinds and cls.__name__ not in _KINDS for cls in type(value).__mro__):
        return None
    return " or ".join(said for _, said in known)


def _is_one_of(allowed: tuple[type, ...], value: Any) -> bool:
    """Whether ``value`` is of an ``allowed`` type; true and false are no numbers."""
    return isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool))


def parameters_of(
    make: Callable[..., Any], left_out: Collection[str] = ()
) -> tuple[Parameter, ...]:
    """Return the parameters of a class or function, in the order of its signature, without those
    ``left_out``, and without ``*more`` and ``**more``, which are no names.
    """
    record = getattr(getattr(make, "__init__", None), "record", None)
    if record is not None:
        return tuple(one for one in record.all() if one.name not in left_out)
    meanings = _meanings(inspect.getdoc(make) or "")
    return tuple(
        Parameter(name, _kinds(parameter.annotation), parameter.default, meanings.get(name, ""))
        for name, parameter in inspect.signature(make).parameters.items()
        if name not in left_out and parameter.kind not in _OF_ANY_NAME
    )


def read_parameters(owner: str, inside: str, example: str) -> dict[str, Any]:
    """Return the values by name from the text between the parentheses of ``owner``. Raises
    OptionError for a text that cannot be read.

    example: the end of the error's message.
    """
    try:
        arguments = read_arguments(inside)
    except Unreadable as problem:
        raise OptionError(
            f"{owner}({without_middle(inside, 60)}) {problem}; {example}"
        ) from problem
    values: dict[str, Any] = {}
    for label, value in arguments:
        if label is None:
            raise OptionError(
                f"{owner}: {shortened(value)} cannot be read without the name of a parameter; "
                f"{example}"
            )
        if label in values:
            raise OptionError(f"{owner}: {shortened(label)} is given twice; give it once")
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise OptionError(
                f"{owner}: the value of {shortened(label)} cannot be read; give a number, a word, "
                "true or false"
            )
        values[label] = value
    return values


def verified_values(
    owner: str,
    parameters: Iterable[Parameter],
    given: Mapping[str, Any],
    besides: Sequence[str] = (),
) -> dict[str, Any]:
    """Return ``given``, with each value as its parameter takes it. Raises OptionError for a name
    that is not among ``parameters``.

    besides: further names for the message, which other code reads.
    """
    known = {parameter.name: parameter for parameter in parameters}
    values = {}
    for label, value in given.items():
        if label not in known:
            others = ", ".join((*known, *besides)) or "none"
            raise OptionError(
                f"{owner} has no parameter {shortened(label)}; {meant(label, known)}its parameters "
                f"are: {others}"
            )
        values[label] = known[label].verified(owner, value)
    return values


def meant(name: str, known: Iterable[str]) -> str:
    """Return a question with the ``known`` name that is close to ``name``; empty if none is."""
    close = closest(name, known)
    return f"did you mean {close}? " if close else ""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the ``known`` name that is closest to ``name``; None if none is close. A name is close
    if it contains ``name``, or if changes of at most every third letter turn ``name`` into it.
    """
    name = name[:_LONGEST_NAME].casefold()
    for like in difflib.get_close_matches(name, list(known), 3):
        is_part = len(name) >= _LEAST_PART and name in like
        if is_part or _corrections(name, like) <= max(1, len(name) // 3):
            return like
    return None


def _corrections(name: str, other: str) -> int:
    """Return how many changes turn ``name`` into ``other``. A change adds, removes or replaces a
    letter, or exchanges it with the next one.
    """
    before: list[int] = []  # the corrections that make each beginning of ``other``
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name, 1):
        before_that, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            fewest = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and name[i - 2] == wanted:
                fewest = min(fewest, before_that[j - 2] + 1)
            row.append(fewest)
    return row[-1]


def _kinds(annotation: Any) -> tuple[str, ...]:
    """Return the names of the types that an annotation allows."""
    return tuple(getattr(kind, "__name__", "") for kind in get_args(annotation) or (annotation,))


_LABEL: Final = re.compile(r"(?:^|(?<=[.;])\s|\n)[ ]*([a-z_]\w*(?:, [a-z_]\w*)*):\s")
_SENTENCE_END: Final = re.compile(r"\.(?=\s+[A-Z]|\s*$)|\n\s*\n")


def _meanings(docstring: str) -> dict[str, str]:
    """Return the meanings in a docstring: the text after ``name:``, up to the end of the sentence
    or the next name. Several names may share a meaning: ``first, second: meaning``.
    """
    labels = list(_LABEL.finditer(docstring))
    meanings: dict[str, str] = {}
    for number, label in enumerate(labels, 1):
        end = labels[number].start() if number < len(labels) else len(docstring)
        sentence = _SENTENCE_END.split(docstring[label.end() : end].strip(), 1)[0]
        for name in label[1].split(", "):
            meanings.setdefault(name, " ".join(sentence.split()).rstrip(".;"))
    return meanings


def verify_exploration(epsilon: float) -> float:
    """Return ``epsilon``, the exploration of a search that samples outcomes. Raises OptionError if
    it is not above 0 and at most 1.
    """
    if not 0 < epsilon <= 1:
        raise OptionError(
            f"epsilon={epsilon} is not allowed; exploration must be above 0 and at most 1"
        )
    return float(epsilon)
