"""Correlated equilibria of games of two players, also where payoffs have no constant sum.

A mediator draws a pair of plans from a *correlation*, and recommends to each player its own plan:

- CE (Aumann 1974): no player gains by deviating after it has seen the recommended plan.
- CCE (Moulin and Vial 1978): no player gains by a plan of its own, chosen before it sees anything.
- EFCCE (Farina, Bianchi and Sandholm 2020): recommendations come one at a time, at each information
  set. There a player may leave for good, before it sees what is recommended there.

A CE is an EFCCE of the same game, and an EFCCE is found with far less work. `correlated` finds the
CE or the CCE with the largest sum of payoffs, by a linear program over pairs of plans. Too many
plans in a larger game make that impossible. `play_of_cfr` measures what CFR played in place of it:
the correlation draws one of its T iterations, and each player plays its strategy of that iteration.
By the regret of CFR it becomes a CCE. Nothing is proven for EFCCE, so its gap is measured.

With x_p^t(s) the probability of the sequence s in iteration t, all gaps follow from the matrix

    M(s, s') = 1/T sum over t of x_0^t(s) x_1^t(s')

over pairs of sequences: a terminal history is played with M(s, s') of its sequences, and with
M(parent of I, s') after player 0 has left at its set I, times what it then plays itself.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from hiddenhand.errors import TooLargeError
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.parameters import whole_number
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.highs import LinearProgram, Matrix, above, optimum
from hiddenhand.trees.profile import counterfactual_values, normalised, realisation_plan
from hiddenhand.trees.reduced_normal_form import NormalForm, actions_of, sets_after
from hiddenhand.trees.tree import GameTree

Kind = Literal["ce", "cce"]

MOST_ENTRIES: Final = 20_000_000
"""The most pairs of sequences, or entries of a linear program, that are kept."""
_BATCH: Final = 256  # iterations that are added to M together
_LEAST: Final = 1e-9  # a smaller probability is rounding


@dataclass(frozen=True, eq=False)
class Correlated:
    """A correlation of plans.

    kind: "ce" or "cce".
    form: the plans, and what they pay.
    probabilities: ``float64[N_0, N_1]``, of each pair of plans.
    values: what each player earns on average.
    gap: the most that a player gains by a deviation of this kind.
    """

    kind: Kind
    form: NormalForm
    probabilities: Floats
    values: tuple[float, float]
    gap: float


@dataclass(frozen=True)
class PlayOfCFR:
    """What CFR played, as a correlation.

    iterations: the number of iterations that it draws from.
    values: what each player earns on average.
    coarse_gap: the most that a player gains by a plan of its own, chosen beforehand: CCE.
    extensive_gap: the most that a player gains by leaving at one of its sets: EFCCE.
    """

    iterations: int
    values: tuple[float, float]
    coarse_gap: float
    extensive_gap: float


def correlated(form: NormalForm, kind: Kind = "ce") -> Correlated:
    """The correlated equilibrium with the largest sum of payoffs. Raises TooLargeError if the
    program is too large, and SolverError if HiGHS does not solve it.
    """
    rows, columns = form.payoffs.shape[1:]
    units = form.units
    entries = rows * columns * (rows + columns)
    if entries > MOST_ENTRIES:
        raise TooLargeError(
            f"the linear program of {form.tree.game} has {entries:,} entries, and at most "
            f"{MOST_ENTRIES:,} are allowed"
        )
    own, other = form.payoffs / units[:, None, None]
    own_gains, other_gains = _gains(own, kind), _gains_of_columns(other, kind)
    gains = above(own_gains, other_gains)
    answer = optimum(
        LinearProgram(
            cost=-form.payoffs.sum(axis=0).ravel() / units.max(),
            upper=gains,
            most=np.zeros(gains.shape[0]),
            equal=Matrix.of_dense(np.ones((1, rows * columns))),
            given=np.ones(1),
            least=np.zeros(rows * columns),
        )
    )
    found = np.where(answer.x > _LEAST, answer.x, 0.0)
    found /= found.sum()
    probabilities = found.reshape(rows, columns)
    values = (form.payoffs * probabilities).sum(axis=(1, 2))
    gap = max(
        unit * float((part @ found).max(initial=0.0))
        for unit, part in zip(units.tolist(), (own_gains, other_gains), strict=True)
    )
    return Correlated(kind, form, probabilities, (float(values[0]), float(values[1])), gap)


def _gains(payoffs: Floats, kind: Kind) -> Matrix:
    """One row for each deviation of the player of the rows: what it adds to the payoff, for each
    pair of plans.
    """
    rows, columns = payoffs.shape
    if kind == "cce":
        return Matrix.of_dense((payoffs[:, None] - payoffs).reshape(rows, rows * columns))
    told, plan = np.nonzero(~np.eye(rows, dtype=np.bool_))
    places = told[:, None] * columns + np.arange(columns)
    return Matrix(
        np.repeat(np.arange(told.size), columns),
        places.ravel(),
        (payoffs[plan] - payoffs[told]).ravel(),
        (told.size, rows * columns),
    )


def _gains_of_columns(payoffs: Floats, kind: Kind) -> Matrix:
    """The same for the player of the columns."""
    gains = _gains(np.ascontiguousarray(payoffs.T), kind)
    column, row = np.divmod(gains.columns, payoffs.shape[0])
    return Matrix(gains.rows, row * payoffs.shape[1] + column, gains.values, gains.shape)


# --- what CFR plays ---


def play_of_cfr(tree: GameTree, iterations: int, progress: Progress = SILENT) -> PlayOfCFR:
    """Run CFR with simultaneous updates, and measure its play as a correlation. Raises
    TooLargeError if there are too many pairs of sequences.

    tree: a game of two players.
    """
    iterations = whole_number("iterations", iterations)
    own = [np.flatnonzero(tree.sequence_player == player) for player in range(2)]
    if (pairs := own[0].size * own[1].size) > MOST_ENTRIES:
        raise TooLargeError(
            f"{tree.game} has {pairs:,} pairs of sequences, and at most {MOST_ENTRIES:,} are kept"
        )
    regrets, joint = np.zeros(tree.num_sequences), np.zeros((own[0].size, own[1].size))
    batch = list[Floats]()
    for done in range(1, iterations + 1):
        profile = normalised(tree, np.maximum(regrets, 0.0))
        batch.append(realisation_plan(tree, profile))
        for player in range(2):
            values = counterfactual_values(tree, profile, player)
            regrets += values - _expected(tree, profile, values)
        if len(batch) == _BATCH or done == iterations:
            plans = np.array(batch)
            joint += plans[:, own[0]].T @ plans[:, own[1]]
            batch.clear()
            progress.update(Report(done, iterations))
    return _measured(tree, joint / iterations, iterations)


def _expected(tree: GameTree, profile: Floats, values: Floats) -> Floats:
    """``float64[S]``: for each sequence the value of its set under ``profile``; for an empty
    sequence its own.
    """
    expected = profile * values
    starts = tree.set_start[:-1]
    if starts.size:
        totals = np.add.reduceat(expected, starts)
        expected[tree.num_players :] = np.repeat(totals, np.diff(tree.set_start))
    return expected


def _measured(tree: GameTree, joint: Floats, iterations: int) -> PlayOfCFR:
    """The values and gaps of a correlation that is given by M."""
    place = np.zeros(tree.num_sequences, np.int64)  # of each sequence among those of its player
    for player in range(2):
        sequences = np.flatnonzero(tree.sequence_player == player)
        place[sequences] = np.arange(sequences.size)
    first, second = place[tree.terminal_sequence].T
    followed = joint[first, second]
    values, coarse, extensive = [], [0.0], [0.0]
    for player in range(2):
        paid = tree.terminal_chance * tree.utility[:, player]
        values.append(float(followed @ paid))
        matrix, theirs = (joint, second) if player == 0 else (joint.T, first)
        leaving = _Leaving(tree, player, paid, matrix, theirs, place)
        coarse.append(leaving.gain_before_play() - values[-1])
        following = leaving.sums_below(followed * paid)
        for number in np.flatnonzero(tree.set_player == player):
            extensive.append(leaving.best_at(int(number)) - following[number])
    gaps = float(max(coarse)), float(max(extensive))
    return PlayOfCFR(iterations, (values[0], values[1]), *gaps)


class _Leaving:
    """What a player earns if it leaves the recommendations at some point, and then plays best.

    paid: ``float64[Z]``, the payoff of the player times chance's probability.
    matrix: M, with the player's own sequences in the rows.
    theirs: ``int64[Z]``, the column of M for each terminal history.
    place: ``int64[S]``, the row of M for each sequence of the player.
    """

    def __init__(
        self,
        tree: GameTree,
        player: int,
        paid: Floats,
        matrix: Floats,
        theirs: Integers,
        place: Integers,
    ) -> None:
        self._tree, self._player, self._paid = tree, player, paid
        self._matrix, self._theirs, self._place = matrix, theirs, place
        self._ends: dict[int, list[int]] = {}
        for terminal, sequence in enumerate(tree.terminal_sequence[:, player].tolist()):
            self._ends.setdefault(sequence, []).append(terminal)
        self._after = sets_after(tree, player)

    def gain_before_play(self) -> float:
        """The best payoff of a plan that is chosen before the match."""
        return self._best_after(self._player, self._player)

    def best_at(self, number: int) -> float:
        """The best payoff from a set on, times the probability that play follows up to there."""
        left = int(self._tree.set_parent[number])
        return max(self._best_after(sequence, left) for sequence in actions_of(self._tree, number))

    def sums_below(self, amounts: Floats) -> Floats:
        """``float64[I]``: for each set of the player, the sum of ``amounts`` over the terminal
        histories that go through it.
        """
        tree = self._tree
        of_sequences = np.bincount(
            tree.terminal_sequence[:, self._player], amounts, tree.num_sequences
        )
        found = np.zeros(tree.set_player.size)
        for number in np.flatnonzero(tree.set_player == self._player)[::-1]:
            actions = actions_of(tree, int(number))
            found[number] = of_sequences[actions.start : actions.stop].sum()
            of_sequences[tree.set_parent[number]] += found[number]
        return found

    def _best_after(self, sequence: int, left: int) -> float:
        """The best payoff after ``sequence`` of a player that left after the sequence ``left``."""
        row = self._matrix[self._place[left]]
        ends = self._ends.get(sequence, [])
        total = float(row[self._theirs[ends]] @ self._paid[ends])
        for number in self._after.get(sequence, []):
            total += max(
                self._best_after(action, left) for action in actions_of(self._tree, number)
            )
        return total
