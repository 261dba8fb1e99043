"""Everything Hiddenhand raises on bad input. Each message is one sentence or two: the value, what
is allowed, and the cure.

HiddenhandError
├── GameError                 a game, or a rule of one, is not right
│   ├── UnknownGameError      no game of that name, no parameter of that name
│   ├── ParameterError        a parameter outside its range
│   ├── RuleError             a rule of a user's game fails, as Python or under compilation
│   └── ConformanceError      ``hiddenhand.games.check`` found a broken law
├── OptionError               an option of a search, a solver or a match, or a budget, makes no
│   │                         sense
│   └── UnusedOptionError     an option has no meaning for what was asked
├── TooLargeError             the game has more histories (or needs more memory) than was allowed
├── SolverError               a solver did not reach what was asked of it
├── PlayerError               a player that does not exist, cannot play this game, or does what no
                              player may
├── ProtocolError             another program says what cannot be understood, or says no more
└── FileError                 a file that cannot be read, or holds something else
"""

from typing import ClassVar, Final

from hiddenhand.text import on_one_line, without_middle

LONGEST_LINE: Final = 600
"""Characters of a line of a message. A longer line, which quotes something long, is told without
its middle.
"""


class HiddenhandError(ValueError):
    """Base of every error that Hiddenhand raises on purpose."""

    several_lines: ClassVar[bool] = False
    """Whether a message is a report, which may have more lines than one."""

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


class RuleError(GameError):
    """A rule fails when it runs, as plain Python or under compilation."""

    several_lines = True


class ConformanceError(GameError):
    """The conformance test found a broken law."""

    several_lines = True


class OptionError(HiddenhandError):
    """A budget, or an option of a search, a solver or a match, makes no sense."""


class UnusedOptionError(OptionError):
    """An option has no meaning for what was asked, which would go on without looking at it.

    option: its name, as an argument of a function.
    """

    def __init__(self, option: str, asked: str, cure: str = "leave it out") -> None:
        super().__init__(f"{option} has no meaning for {asked}; {cure}")
        self.option = option
        self._said = option, asked, cure

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), self._said


class TooLargeError(HiddenhandError):
    """The game is larger than the limit that was set."""


class SolverError(HiddenhandError):
    """A solver did not reach what was asked of it."""


class PlayerError(HiddenhandError):
    """A player does not exist, cannot play this game, or does what no player may."""


class ProtocolError(HiddenhandError):
    """Another program, at the other end of a connection or the writer of a log, says what its
    protocol does not have, or has stopped in the middle.
    """


class FileError(HiddenhandError):
    """A file cannot be read, or holds something else than expected."""
