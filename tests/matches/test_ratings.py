"""Elo, payoff matrices, the Nash average and cycles."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from hiddenhand.errors import PlayerError
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.ratings import _nash_intervals, compare, elo, nash_average
from hiddenhand.matches.tournament import Pairing


def antisymmetric(size: int, above: Mapping[tuple[int, int], float]) -> Floats:
    matrix = np.zeros((size, size))
    for (i, j), lead in above.items():
        matrix[i, j], matrix[j, i] = lead, -lead
    return matrix


def pairing(first: str, second: str, *payoffs: float) -> Pairing:
    return Pairing(
        (first, second),
        tuple(
            Played((0, 1), number, (), (payoff, -payoff), (1, 1), (0.0, 0.0), ({}, {}))
            for number, payoff in enumerate(payoffs)
        ),
    )


def test_elo_of_two_players_by_hand() -> None:
    """75 of 100 points, with one draw more 75.5 of 101: 400 log10(75.5 / 25.5) points between them.
    The variance of the logarithm of the odds is 1 / (n p (1 - p)), half of which is each player's
    distance from the mean.
    """
    best, worst = elo(np.array([[0.0, 75.0], [25.0, 0.0]]), np.array([[0.0, 100.0], [100.0, 0.0]]))
    assert best.value - worst.value == pytest.approx(400 * math.log10(75.5 / 25.5))
    assert best.value == pytest.approx(-worst.value)
    p = 75.5 / 101
    half = 1.96 * 400 / math.log(10) / math.sqrt(101 * p * (1 - p)) / 2
    assert best.width / 2 == pytest.approx(half, rel=1e-3)


ROCK = {(0, 1): 1.0, (1, 2): 1.0, (2, 0): 1.0}


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (antisymmetric(3, ROCK), [1 / 3, 1 / 3, 1 / 3]),
        # a copy of the third player shares its part, as Balduzzi et al. ask of a Nash average
        (antisymmetric(4, {**ROCK, (1, 3): 1.0, (3, 0): 1.0}), [1 / 3, 1 / 3, 1 / 6, 1 / 6]),
        # rock, paper and scissors for other stakes: in proportion to what the two others play for
        (antisymmetric(3, {(0, 1): 1.0, (1, 2): 2.0, (2, 0): 3.0}), [1 / 3, 1 / 2, 1 / 6]),
        (antisymmetric(3, {(0, 1): 1.0, (1, 2): 1.0, (0, 2): 1.0}), [1.0, 0.0, 0.0]),
        (antisymmetric(3, {(0, 2): 1.0, (1, 2): 0.001}), [0.5, 0.5, 0.0]),
        (antisymmetric(4, {**ROCK, (0, 3): 1.0, (1, 3): 1.0, (2, 3): 1.0}), [1 / 3] * 3 + [0.0]),
        (np.zeros((2, 2)), [0.5, 0.5]),
    ],
)
def test_nash_averages_by_hand(matrix: Floats, expected: list[float]) -> None:
    found = nash_average(matrix)
    assert found == pytest.approx(expected, abs=1e-7)
    assert (matrix @ found).max() < 1e-8


def test_the_nash_average_of_any_matrix_is_an_equilibrium() -> None:
    drawn = np.random.default_rng(2).normal(size=(9, 9))
    matrix = drawn - drawn.T
    found = nash_average(matrix)
    assert found.sum() == pytest.approx(1.0)
    assert found.min() >= 0.0
    assert (matrix @ found).max() < 1e-7


def test_a_tournament_that_goes_in_circles() -> None:
    names, wins, loses = ("a", "b", "c"), [1.0, 1.0, 0.5, 1.0], [-1.0, -0.5, -1.0, -1.0]
    table = [pairing(one, one, 0.0) for one in names]
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        table += [pairing(one, other, *wins), pairing(other, one, *loses)]
    found = compare(table)
    assert set(found.players) == set(names)
    assert len(found.cycles) == 1
    (cycle,) = found.cycles
    assert "".join(cycle) in ("abc", "bca", "cab")
    assert found.cyclic == pytest.approx(1.0)
    assert [part.value for part in found.nash] == pytest.approx([1 / 3] * 3)
    assert all(part.low <= part.value <= part.high for part in (*found.nash, *found.skill))
    first, second = found.players.index("a"), found.players.index("b")
    assert found.leads[first][second].value == pytest.approx((1 + 0.75 + 0.75 + 1) / 4)
    assert found.leads[second][first].high == -found.leads[first][second].low
    assert not found.corrected
    assert compare(table) == found  # the bootstrap has a seed
    with pytest.raises(PlayerError, match="both orders of seats"):
        compare([pairing("a", "b", 1.0)])


def test_equal_results_of_all_deals_leave_room() -> None:
    """After ten deals that a wins by a tenth of the largest payoff, b may still be the better."""
    table = [
        Pairing(one.players, one.played, largest=10.0)
        for one in (pairing("a", "b", *[1.0] * 10), pairing("b", "a", *[-1.0] * 10))
    ]
    found = compare(table)
    assert [part.value for part in found.nash] == [1.0, 0.0]
    assert [(part.low, part.high) for part in found.nash] == [(0.0, 1.0)] * 2
    assert found.skill[1].value == -1.0
    assert found.skill[1].low < -1.0
    assert found.skill[1].high == pytest.approx(0.0, abs=1e-9)
    # who always wins by the largest payoff surely wins more
    one_sided = [Pairing(one.players, one.played, largest=1.0) for one in table]
    assert [part.low for part in compare(one_sided).nash] == [1.0, 0.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("often", "rarely", "chance"), [(0.1, -1.0, 0.1), (0.1, -1.0, 0.08), (0.5, -1.0, 0.4)]
)
def test_intervals_of_the_nash_average_hold_in_95_of_100_runs(
    often: float, rarely: float, chance: float
) -> None:
    """Ten deals, of which none may show how much is lost rarely. Of 100 intervals that hold with
    95 %, at least 88 hold with a probability of 99.9 %.
    """
    mean = (1 - chance) * often + chance * rarely
    truth = np.array([[0.0, mean], [-mean, 0.0]])
    part = nash_average(truth)
    random, holds = np.random.default_rng(1), np.zeros(2)
    for seed in range(100):
        leads = np.where(random.random(10) < chance, rarely, often)
        matrix = antisymmetric(2, {(0, 1): float(leads.mean())})
        by_deal = {(0, 1): dict(enumerate(leads.tolist()))}
        figures = zip(
            _nash_intervals(matrix, by_deal, 1.0, seed), (part, truth @ part), strict=True
        )
        holds += [
            all(one.low - 1e-9 <= true <= one.high + 1e-9 for one, true in zip(*both, strict=True))
            for both in figures
        ]
    assert holds.min() >= 88
