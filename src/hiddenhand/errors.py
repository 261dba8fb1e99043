"""All errors that Hiddenhand raises on bad input. A message has one or two sentences: the value,
what is allowed, and the cure.

- HiddenhandError: the base of all errors
  - GameError: a game, or a rule of one, is not right
    - UnknownGameError: no game, or no parameter, has that name
    - ParameterError: a parameter is outside its range
    - RuleError: a rule of a user's game fails, as Python or under compilation
    - ConformanceError: ``hiddenhand.check`` found a broken law
  - OptionError: a budget, or an option of a search, a solver or a match, makes no sense
    - RefusedOptionError: an option has a value that is not allowed
    - UnusedOptionError: an option has no effect on the requested work
  - TooLargeError: the game has more histories, or needs more memory, than the limit allows
  - SolverError: a solver did not reach its target
  - PlayerError: a player does not exist, cannot play this game, or makes a move that is not allowed
  - ProtocolError: another program breaks its protocol, or stops in the middle
  - FileError: a file cannot be read, or holds something else
    - UnsavedError: work is finished, and its checkpoint cannot be written

Interrupted is no error, but Ctrl-C: work that it ended hands over what it has found.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from hiddenhand.text import on_one_line, shortened, without_middle

LONGEST_LINE: Final = 600
"""The largest number of characters in a line of a message. A longer line, which quotes something
long, loses its middle.
"""


class HiddenhandError(ValueError):
    """Base of every error that Hiddenhand raises on purpose."""

    several_lines: ClassVar[bool] = False
    """Whether a message is a report, which may have several lines."""

    def __init__(self, message: object = "") -> None:
        lines = str(message).split("\n") if self.several_lines else []
        super().__init__(
            "\n".join(without_middle(line, LONGEST_LINE) for line in lines)
            or on_one_line(str(message), LONGEST_LINE)
        )


class GameError(HiddenhandError):
    """A game, or a rule of one, is not right."""


class UnknownGameError(GameError):
    """No game, or no parameter, of that name."""


class ParameterError(GameError):
    """A parameter is outside its range."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with a game, in parts, for programs. None stands for what is not known.

    law: the broken law; None if a rule fails.
    rule: the name of the rule that is wrong.
    file: the file of the rule.
    line: the line that fails, or the first line of the rule or else of the class.
    history: the moves before the fault; None if it belongs to no history.
    moves: the same moves in words.
    move: the next move, if the rule makes it or was about to.
    parameter: the parameter that brings the fault, such as "num_cards=4"; None for the game as it
        was given.
    cure: what to do.
    """

    law: str | None = None
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    history: tuple[int | tuple[int, ...], ...] | None = None
    moves: tuple[str, ...] | None = None
    move: int | tuple[int, ...] | None = None
    parameter: str | None = None
    cure: str | None = None


class _FaultyGameError(GameError):
    """A game has a fault. ``fault``: the fault in parts."""

    several_lines = True

    def __init__(self, message: object = "", fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault or Fault()


class RuleError(_FaultyGameError):
    """A rule fails when it runs, as plain Python or under compilation. ``fault``: the fault in
    parts.
    """


class ConformanceError(_FaultyGameError):
    """The conformance test found a broken law. ``fault``: the fault in parts."""


class OptionError(HiddenhandError):
    """A budget, or an option of a search, a solver or a match, makes no sense."""


class RefusedOptionError(OptionError):
    """An option has a value that is not allowed.

    option: the option's name, as an argument of a function.
    value: the value.
    cure: what to give instead.
    """

    def __init__(self, option: str, value: object, cure: str) -> None:
        super().__init__(f"{option}={shortened(value)} is not allowed; {cure}")
        self.option, self.value, self.cure = option, value, cure

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.option, self.value, self.cure)


class UnusedOptionError(OptionError):
    """An option has no effect on the requested work, which would ignore it.

    option: the option's name, as an argument of a function.
    asked: the requested work.
    cure: what to do instead.
    """

    def __init__(self, option: str, asked: str, cure: str = "leave it out") -> None:
        super().__init__(f"{option} has no meaning for {asked}; {cure}")
        self.option, self.asked, self.cure = option, asked, cure

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (self.option, self.asked, self.cure)


class TooLargeError(HiddenhandError):
    """The game is larger than the limit that was set."""


class SolverError(HiddenhandError):
    """A solver did not reach its target."""


class PlayerError(HiddenhandError):
    """A player does not exist, cannot play this game, or makes a move that is not allowed."""


class ProtocolError(HiddenhandError):
    """Another program breaks its protocol, or stops in the middle. It is the other end of a
    connection, or the writer of a log.
    """


class FileError(HiddenhandError):
    """A file cannot be read, or holds something other than expected."""


class UnsavedError(FileError):
    """The checkpoint of work that has ended cannot be written. ``found``: the result, which is
    complete all the same.
    """

    def __init__(self, message: object, found: Any) -> None:
        super().__init__(message)
        self.found = found


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended work. ``found``: the result up to then."""

    def __init__(self, found: Any) -> None:
        super().__init__(found)
        self.found = found
