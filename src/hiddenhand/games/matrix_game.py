"""Matrix games: both players choose once, at the same time."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, RESEARCH, About, KnownValue
from hiddenhand.games.base import SIMULTANEOUS, TERMINAL, Game, State
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.text import shortened

# The state holds both choices, each as action + 1, or 0 before the choice.
_ROW = 0  # the choice of player 0
_COLUMN = 1  # the choice of player 1


@About(
    "Matrix game",
    "Both choose at once; a table of your choice sets the payoffs.",
    (RESEARCH, AT_ONCE),
    place=210,
    minutes=1,
    exact=True,
    example="matrix_game(payoffs=[[0,-1,1],[1,0,-1],[-1,1,0]])",
    small=("matrix_game(payoffs=[[1,-1],[-1,1]])",),
)
@dataclass(frozen=True, repr=False)
class MatrixGame(Game):
    """Player 0 chooses a row and player 1 a column, at the same time; then they are paid.

    Actions: the number of a row or a column.
    Observations (public): 1 + row * C + column.

    payoffs: ``[R, C]``, what player 0 gets for each row and column.
    payoffs_1: ``[R, C]``, what player 1 gets; by default the negative of ``payoffs``.
    row_names: a name for each row, as a list or separated by commas; by default their numbers.
    column_names: a name for each column, as a list or separated by commas; by default their
        numbers.
    """

    payoffs: Any = field(compare=False)
    payoffs_1: Any = field(default=None, compare=False)
    row_names: Any = ""
    column_names: Any = ""
    utilities: Floats = field(init=False, compare=False)
    """``[2, R, C]``, what each player gets."""
    contents: str = field(init=False)
    """A digest of the payoffs, by which games are compared."""

    simultaneous = True
    state_size, max_depth = 2, 1

    def __post_init__(self) -> None:
        payoffs = _matrix("payoffs", self.payoffs)
        object.__setattr__(self, "payoffs", payoffs)
        if self.payoffs_1 is None:
            utilities = np.stack([payoffs, -payoffs])
        else:
            payoffs_1 = _matrix("payoffs_1", self.payoffs_1)
            object.__setattr__(self, "payoffs_1", payoffs_1)
            if payoffs_1.shape != payoffs.shape:
                raise ParameterError(
                    f"MatrixGame: payoffs_1 is {payoffs_1.shape}, but payoffs is {payoffs.shape}; "
                    "give matrices of one shape"
                )
            utilities = np.stack([payoffs, payoffs_1])
        utilities.setflags(write=False)
        object.__setattr__(self, "utilities", utilities)
        contents = hashlib.sha256(repr(utilities.tolist()).encode()).hexdigest()
        object.__setattr__(self, "contents", contents)
        for name, count in zip(("row_names", "column_names"), payoffs.shape, strict=True):
            object.__setattr__(self, name, _joined(name, getattr(self, name), count))

    def __repr__(self) -> str:
        others = "" if self.payoffs_1 is None else f", payoffs_1={self.payoffs_1.tolist()}"
        names = "".join(
            f", {name}={value!r}"
            for name in ("row_names", "column_names")
            if (value := getattr(self, name))
        )
        return f"MatrixGame(payoffs={self.payoffs.tolist()}{others}{names})"

    @property
    def zero_sum(self) -> bool:
        return bool(np.all(self.utilities[0] + self.utilities[1] == 0.0))

    @PropertyBesideRules
    def payoff_sum(self) -> float | None:
        """See `Game.payoff_sum`."""
        sums = self.utilities[0] + self.utilities[1]
        return float(sums.flat[0]) if np.ptp(sums) <= 1e-12 * self.max_utility else None

    @property
    def max_actions(self) -> int:
        return max(self.utilities.shape[1], self.utilities.shape[2])

    @property
    def max_utility(self) -> float:
        return float(np.abs(self.utilities).max())

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        return SIMULTANEOUS if state[_ROW] == 0 else TERMINAL

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = self.utilities.shape[1 + player]
        for action in range(count):
            actions[action] = action
        return count

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[_ROW] = actions[0] + 1
        state[_COLUMN] = actions[1] + 1
        observations[2] = 1 + actions[0] * self.utilities.shape[2] + actions[1]

    def returns(self, state: State, player: int) -> float:
        return float(self.utilities[player, state[_ROW] - 1, state[_COLUMN] - 1])

    # --- for people ---

    _presentation = "hiddenhand.games.drawing.tables:MATRIX_GAME"

    @PropertyBesideRules
    def rules_text(self) -> str:
        rows, columns = self.utilities.shape[1:]
        return (
            f"Both players choose at the same time: player 1 one of {rows} rows of a table of "
            f"payoffs, player 2 one of {columns} columns. Neither sees the choice of the other "
            "before both have chosen.\n\n"
            "The cell where the row and the column meet says what is paid. In your picture your "
            "own moves are the rows, and the numbers are your payoff. "
            + ("What you win, the other player loses." if self.zero_sum else "")
        ).strip()

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    def action_name(self, state: State, player: int, action: int) -> str:
        names = self.row_names if player == 0 else self.column_names
        return str(names).split(", ")[action] if names else str(action)

    def render(self, state: State, player: int) -> str:
        if state[_ROW] == 0:
            return "both players choose"
        chosen = [
            self.action_name(state, mover, int(state[mover]) - 1) for mover in (player, 1 - player)
        ]
        return f"you chose {chosen[0]}, they chose {chosen[1]}"


@About(
    "Biased rock, paper, scissors",
    "One of the three ways to win pays far more.",
    (AT_ONCE,),
    place=150,
    minutes=1,
    exact=True,
    small=("BRPS(10)",),
    known=(
        KnownValue(
            "BRPS(10)", "1/4", "computed by hand: against all replies player 0 earns the same"
        ),
    ),
)
def biased_rps(bonus: float = 10.0) -> MatrixGame:
    """Rock, paper, scissors in which rock against scissors pays player 0 ``bonus``; everything else
    pays 1, 0 or -1. With 10 the value is 1/4.
    """
    names = ["rock", "paper", "scissors"]
    return MatrixGame(
        [[0.0, -1.0, bonus], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]],
        row_names=names,
        column_names=names,
    )


def _matrix(name: str, values: Any) -> Floats:
    """A read-only copy of ``values``. Raises ParameterError unless they are a finite matrix."""
    try:
        matrix = np.array(values, np.float64, order="C")
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.ndim != 2 or matrix.size == 0 or not np.all(np.isfinite(matrix)):
        raise ParameterError(
            f"MatrixGame: {name}={shortened(values)} is not allowed; give rows of equal length, "
            "all of finite numbers"
        )
    matrix.setflags(write=False)
    return matrix


def _joined(name: str, names: str | Sequence[str], count: int) -> str:
    """The names as one string, because compiled code passes over strings. Raises ParameterError
    unless there are ``count`` different ones.
    """
    parts = [str(part).strip() for part in (names.split(",") if isinstance(names, str) else names)]
    if parts in ([], [""]):
        return ""
    folded = {part.casefold() for part in parts}
    if (
        len(parts) != count
        or len(folded) != count
        or "" in folded
        or any("," in part for part in parts)
    ):
        raise ParameterError(
            f"MatrixGame: {name}={shortened(names)} is not allowed; give {count} different names "
            "without commas"
        )
    return ", ".join(parts)
