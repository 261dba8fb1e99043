"""Who is better than whom: ratings of a tournament, and what ratings cannot say.

Elo           One number for each player, after Bradley and Terry (1952) and Elo (1978): the odds of
              i against j are 10^((R_i - R_j) / 400), a draw is half a win. The numbers are the most
              likely ones, with one draw more for each two players, so that a player that wins all
              matches has a finite number. Their mean is 0. Intervals come from the Fisher
              information. With draws they are too wide, but never too narrow.
              A match among n players counts as n (n - 1) / 2 comparisons of two, by what they are
              paid. If results follow the model of Plackett (1975) and Luce (1959), in which any two
              are ordered as Bradley and Terry say whoever else plays, these ratings estimate its
              strengths (a composite likelihood). But the comparisons of a match, and the matches of
              a deal, depend on each other. So intervals come from the spread between deals, as in
              Varin, Reid and Firth (2011), "An overview of composite likelihood methods", by
              Student's t with deals - 1 degrees of freedom. The draws that are added count as one
              more deal, so that equal results of all deals leave a spread.
places        From which place to which place a player may be, the best being 1: behind all that are
              known to be better, and ahead of all that are known to be worse. All places are right
              at once in 95 of 100 tournaments, because the differences of all two ratings are
              tested at a level divided by the number of tests (Bonferroni).
leads         The mean of what i is paid more than j, halved, over the matches of a deal in which
              both play, in all seats (see `stopping`): the payoff matrix A, which is antisymmetric.
Nash average  Balduzzi, Tuyls, Perolat and Graepel (2018), "Re-evaluating evaluation": an
              equilibrium of the game in which two people each name a player, and A is what they
              are paid. Of all equilibria it is the one with the largest entropy. A player's *skill*
              is what naming the player earns against the equilibrium: 0 for players in it, else at
              most 0. Copies of a player share its part, and change nothing else.
cycles        Balduzzi et al. also split A into a transitive part, r_i - r_j with r_i the mean lead
              of i, and a cyclic rest. No number for each player can tell that rest.

Intervals of the Nash average are from the Bayesian bootstrap over deals: Rubin (1981), "The
Bayesian bootstrap", Annals of Statistics 9(1). It weighs a deal together with all matches that were
played with it. Like `bounded_interval`, it allows for what was never seen: each lead has one more
deal, in which one of the two players wins the largest payoff. Riou and Honda (2020), "Bandit
algorithms based on Thompson sampling for bounded reward distributions", add a reward at the upper
bound.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.dataframes import columns, frame
from hiddenhand.errors import PlayerError
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.tournament import Pairing
from hiddenhand.solvers.highs import LinearProgram, Matrix, optimum
from hiddenhand.statistics import Interval, bounded_interval, mean_interval, win_points
from hiddenhand.text import one_line

RESAMPLES: Final = 200
"""How many samples of the deals the bootstrap draws."""

_ELO: Final = 400.0 / math.log(10.0)  # points for each unit of the logarithm of odds
_NORMAL: Final = 1.959963984540054
_TINY: Final = 1e-9
_ROUGHLY: Final = 1e-5  # the tolerance of samples of the bootstrap


@dataclass(frozen=True)
class Comparison:
    """How the players of a tournament compare. Tuples are in the order of ``players``.

    players: the players.
    elo: the rating of each player, with its 95 % interval.
    places: the first and the last place, from 1, that each player may have by its rating.
    leads: for each player a tuple over all players, of the mean lead over each of them with its
        95 % interval; 0 of a player over itself.
    nash: the part of each player in the Nash average, with its 95 % interval.
    skill: the skill of each player by the Nash average, at most 0, with its 95 % interval.
    cyclic: which part of the squared leads is cyclic, from 0 to 1; 0 if there are no leads.
    cycles: all triples of which each player is ahead of the next, and the last of the first, with
        95 % intervals of the leads that lie above 0.
    corrected: whether leads are made of payoffs that AIVAT corrected.
    """

    players: tuple[str, ...]
    elo: tuple[Interval, ...]
    places: tuple[tuple[int, int], ...]
    leads: tuple[tuple[Interval, ...], ...]
    nash: tuple[Interval, ...]
    skill: tuple[Interval, ...]
    cyclic: float
    cycles: tuple[tuple[str, str, str], ...]
    corrected: bool

    def __repr__(self) -> str:
        return one_line(
            self,
            *(
                f"{name} Elo {elo.value:.0f}"
                for name, elo in zip(self.players, self.elo, strict=True)
            ),
        )

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each player: rating, part in the Nash average and
        skill, each with the ends of its 95 % interval, and the first and the last place.
        """
        return frame(
            {
                "player": name,
                **columns("elo", elo),
                "first_place": first,
                "last_place": last,
                **columns("nash", nash),
                **columns("skill", skill),
            }
            for name, elo, (first, last), nash, skill in zip(
                self.players, self.elo, self.places, self.nash, self.skill, strict=True
            )
        )


def compare(pairings: Sequence[Pairing], seed: int = 0) -> Comparison:
    """Compare the players of a tournament in which all have met all others in all orders of seats.
    Raises PlayerError if two have not.

    pairings: the matches; those of players against copies of themselves do not count.
    seed: the seed of the bootstrap.
    """
    players = tuple(dict.fromkeys(name for pairing in pairings for name in pairing.players))
    leads = _leads_by_deal(players, pairings)
    corrected = any(match.corrected for pairing in pairings for match in pairing.played)
    largest = max((pairing.largest for pairing in pairings), default=math.inf)
    intervals = _lead_intervals(len(players), leads, largest, corrected)
    matrix = np.array([[lead.value for lead in row] for row in intervals])
    unseen = 0.0 if corrected or math.isinf(largest) else largest
    nash, skill = _nash_intervals(matrix, leads, unseen, seed)
    ratings = rate(players, pairings)
    return Comparison(
        players=players,
        elo=ratings.elo,
        places=ratings.places,
        leads=intervals,
        nash=nash,
        skill=skill,
        cyclic=cyclic_part(matrix),
        cycles=tuple((players[i], players[j], players[k]) for i, j, k in _known_cycles(intervals)),
        corrected=corrected,
    )


def mean_leads(pairings: Sequence[Pairing]) -> dict[tuple[str, str], Interval]:
    """The mean lead of each player over each other one, in all orders of seats, with its 95 %
    interval, for those that have met in all orders.
    """
    players = tuple(dict.fromkeys(name for pairing in pairings for name in pairing.players))
    corrected = any(match.corrected for pairing in pairings for match in pairing.played)
    largest = max((pairing.largest for pairing in pairings), default=math.inf)
    by_deal = {
        (i, j): found
        for i, j in combinations(range(len(players)), 2)
        if (found := _lead_by_deal(players[i], players[j], pairings))
    }
    intervals = _lead_intervals(len(players), by_deal, largest, corrected)
    return {
        (players[own], players[other]): intervals[own][other]
        for i, j in by_deal
        for own, other in ((i, j), (j, i))
    }


# --- Elo ---


@dataclass(frozen=True)
class Ratings:
    """Ratings in units of the logarithm of odds, whose mean is 0.

    values: ``float64[n]``, the ratings.
    covariance: ``float64[n, n]``, the covariance of their errors.
    freedom: the degrees of freedom of ``covariance``; infinite if it follows from a model.
    """

    values: Floats
    covariance: Floats
    freedom: float = math.inf

    @property
    def elo(self) -> tuple[Interval, ...]:
        """The ratings in points of Elo, with 95 % intervals."""
        errors = self._errors(np.diag(self.covariance), 0.025)
        return tuple(
            Interval(_ELO * rating, _ELO * (rating - error), _ELO * (rating + error))
            for rating, error in zip(self.values.tolist(), errors.tolist(), strict=True)
        )

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The first and the last place that each player may have, all right at once in 95 of 100
        tournaments.
        """
        n = len(self.values)
        tests = n * (n - 1) / 2
        leads = self.values[:, None] - self.values[None, :]
        spread = np.diag(self.covariance)
        variances = spread[:, None] + spread[None, :] - 2 * self.covariance
        is_ahead = leads > self._errors(variances, 0.025 / max(tests, 1))
        ahead, behind = is_ahead.sum(axis=0), is_ahead.sum(axis=1)
        return tuple((1 + int(ahead[i]), n - int(behind[i])) for i in range(n))

    def _errors(self, variances: Floats, tail: float) -> Floats:
        """How far figures with these variances are off at most, except with probability ``tail``
        in each direction.
        """
        from scipy.special import ndtri, stdtrit

        if self.freedom < 1:
            return np.full_like(variances, math.inf)
        if math.isfinite(self.freedom):
            quantile = float(stdtrit(self.freedom, 1.0 - tail))
        else:
            quantile = _NORMAL if tail == 0.025 else float(-ndtri(tail))
        return quantile * np.sqrt(np.maximum(variances, 0.0))


def rate(players: Sequence[str], pairings: Sequence[Pairing]) -> Ratings:
    """The ratings of ``players``, who are those of the pairings. Matches of players against copies
    of themselves do not count.
    """
    if all(len(pairing.players) == 2 for pairing in pairings):
        return _rated(*_points(players, pairings))
    points, matches = _points_by_deal(players, pairings)
    values, information = _most_likely(points.sum(axis=0), matches.sum(axis=0))
    expected = 1.0 / (1.0 + np.exp(values[None, :] - values[:, None]))
    drawn = (matches.sum(axis=0) > 0) * (0.5 - expected)  # the draws that were added
    slopes = np.vstack([(points - matches * expected).sum(axis=2), drawn.sum(axis=1)])  # sum to 0
    deals = len(points)
    inverse: Floats = np.linalg.pinv(information).astype(np.float64)
    spread = slopes.T @ slopes * (deals / max(deals - 1, 1))
    covariance: Floats = inverse @ spread @ inverse
    return Ratings(values, covariance, deals - 1)


def elo(points: Floats, matches: Floats) -> tuple[Interval, ...]:
    """The rating of each of n players, with its 95 % interval, from matches between two.

    points: ``float64[n, n]``, the points that each player won against each other player.
    matches: ``float64[n, n]``, how many matches they played, which is symmetric.
    """
    return _rated(points, matches).elo


def _rated(points: Floats, matches: Floats) -> Ratings:
    values, information = _most_likely(points, matches)
    return Ratings(values, np.linalg.pinv(information).astype(np.float64))


def _most_likely(points: Floats, matches: Floats) -> tuple[Floats, Floats]:
    """The most likely ratings, and the Fisher information."""
    met = (matches > 0).astype(float)
    won, played = points + met / 2, matches + met  # one more draw
    ratings = np.zeros(len(points))
    for _ in range(100):
        expected = 1.0 / (1.0 + np.exp(ratings[None, :] - ratings[:, None]))
        slope = (won - played * expected).sum(axis=1)
        weights = played * expected * (1.0 - expected)
        information = np.diag(weights.sum(axis=1)) - weights
        step = np.linalg.pinv(information) @ slope
        ratings = ratings + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < _TINY:
            break
    return ratings - ratings.mean(), information


def _points(players: Sequence[str], pairings: Sequence[Pairing]) -> tuple[Floats, Floats]:
    """``float64[n, n]`` twice: the points that each player won against each, and the matches."""
    points, matches = _points_by_deal(players, pairings)
    return points.sum(axis=0), matches.sum(axis=0)


def _points_by_deal(players: Sequence[str], pairings: Sequence[Pairing]) -> tuple[Floats, Floats]:
    """``float64[D, n, n]`` twice: for each of D deals, the points that each player won against
    each, and how many matches they played.
    """
    number = {player: index for index, player in enumerate(players)}
    numbers = {match.number for pairing in pairings for match in pairing.played}
    deal = {one: index for index, one in enumerate(sorted(numbers))}
    points = np.zeros((len(deal), len(players), len(players)))
    matches = np.zeros_like(points)
    for pairing in pairings:
        for first, second in combinations(range(len(pairing.players)), 2):
            i, j = (number[pairing.players[seat]] for seat in (first, second))
            if i != j:
                for match in pairing.played:
                    d = deal[match.number]
                    won = win_points(match.payoffs[first], match.payoffs[second])
                    points[d, i, j] += won
                    points[d, j, i] += 1.0 - won
                    matches[d, i, j] += 1.0
                    matches[d, j, i] += 1.0
    return points, matches


# --- leads ---


def _leads_by_deal(
    players: Sequence[str], pairings: Sequence[Pairing]
) -> dict[tuple[int, int], dict[int, float]]:
    """For players i < j the lead of i by the number of the deal. Raises PlayerError if two have not
    met in all orders of seats.
    """
    leads: dict[tuple[int, int], dict[int, float]] = {}
    for i, j in combinations(range(len(players)), 2):
        leads[i, j] = _lead_by_deal(players[i], players[j], pairings)
        if not leads[i, j]:
            raise PlayerError(
                f"{players[i]} and {players[j]} did not play in both orders of seats; play all "
                "against all"
            )
    return leads


def _lead_by_deal(one: str, other: str, pairings: Sequence[Pairing]) -> dict[int, float]:
    """The lead of a player over another by the number of the deal, over the deals that they played
    in all orders of seats.
    """
    met = [
        (pairing.players.index(one), pairing.players.index(other), pairing.played)
        for pairing in pairings
        if one in pairing.players and other in pairing.players
    ]
    by_number = [{match.number: match for match in played} for _, _, played in met]
    deals = set(by_number[0]).intersection(*by_number[1:]) if len(met) > 1 else set()
    leads: dict[int, float] = {}
    for deal in sorted(deals):
        matches = [found[deal] for found in by_number]
        is_corrected = all(match.corrected is not None for match in matches)
        total = 0.0
        for (own, against, _), match in zip(met, matches, strict=True):
            paid = match.corrected if is_corrected and match.corrected else match.payoffs
            total += (paid[own] - paid[against]) / 2
        leads[deal] = total / len(matches)
    return leads


def _lead_intervals(
    num_players: int,
    leads: dict[tuple[int, int], dict[int, float]],
    largest: float,
    corrected: bool,
) -> tuple[tuple[Interval, ...], ...]:
    """The mean leads. Their distribution is that of payoffs, unless they are ``corrected``."""
    interval = mean_interval if corrected else bounded_interval
    found = [[Interval(0.0, 0.0, 0.0)] * num_players for _ in range(num_players)]
    for (i, j), by_deal in leads.items():
        lead = interval(list(by_deal.values()), -largest, largest)
        found[i][j] = lead
        found[j][i] = Interval(-lead.value, -lead.high, -lead.low)
    return tuple(map(tuple, found))


# --- the Nash average ---


def nash_average(matrix: Floats, tolerance: float = 1e-10) -> Floats:
    """``float64[n]``: the equilibrium of the largest entropy.

    matrix: ``float64[n, n]``, antisymmetric: what each player earns against each.
    tolerance: how much any player may earn against the equilibrium, about, in units of the largest
        entry.

    With A the matrix, p is an equilibrium if A p <= 0, because the value is 0. The equilibria with
    all their multiples are a cone, so one linear program finds all players that are in any of them.
    Most often there is one equilibrium, which solves linear equations. Else the entropy is largest
    where p_i is in proportion to exp(-(A^T y)_i) for a y >= 0 that minimises the logarithm of the
    sum of these.
    """
    unit = float(np.abs(matrix).max())
    if not unit > _TINY:
        return np.full(len(matrix), 1.0 / len(matrix))
    for player, row in enumerate(matrix):
        if np.delete(row, player).min(initial=np.inf) > 0:  # ahead of everybody
            return np.eye(len(matrix))[player]
    game = matrix / unit
    inside = _in_some_equilibrium(game)
    part = np.zeros(len(matrix))
    only = _only_solution(game[np.ix_(inside, inside)])
    part[inside] = _largest_entropy(game[:, inside], tolerance) if only is None else only
    return part


def _in_some_equilibrium(game: Floats) -> npt.NDArray[np.intp]:
    """The players with a part in some equilibrium, by a linear program in p and t: the sum of t is
    largest for A p <= 0, t <= p and t <= 1.
    """
    n = len(game)
    both, part = np.block([[game, np.zeros((n, n))], [-np.eye(n), np.eye(n)]]), np.eye(2 * n)[n:]
    answer = optimum(
        LinearProgram(
            cost=np.repeat([0.0, -1.0], n),
            upper=Matrix.of_dense(np.concatenate([both, part])),
            most=np.repeat([0.0, 1.0], [2 * n, n]),
            equal=Matrix.empty(0, 2 * n),
            given=np.zeros(0),
            least=np.zeros(2 * n),
        )
    )
    return np.flatnonzero(answer.x[n:] > 0.5)


def _only_solution(inner: Floats) -> Floats | None:
    """The equilibrium if there is only one, else None. All players that are in some equilibrium
    earn 0 against each equilibrium, so it solves a system of linear equations.

    inner: ``float64[k, k]``, what these players earn against each other.
    """
    _, sizes, directions = np.linalg.svd(inner)
    if np.sum(sizes <= _TINY * max(float(sizes.max()), 1.0)) != 1:
        return None
    solution = directions[-1] / directions[-1].sum()
    return np.maximum(solution, 0.0) / np.maximum(solution, 0.0).sum()


def _largest_entropy(columns: Floats, tolerance: float) -> Floats:
    """The p of the largest entropy with ``columns`` p <= 0."""
    from scipy.optimize import minimize
    from scipy.special import softmax

    def cost(y: Floats) -> tuple[float, Floats]:
        logits = -columns.T @ y
        p = softmax(logits)
        top = logits.max()
        return float(top + np.log(np.exp(logits - top).sum())), -columns @ p

    found = minimize(
        cost,
        np.zeros(len(columns)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(columns),
        options={"maxiter": 10_000, "maxfun": 20_000, "ftol": 0.0, "gtol": tolerance},
    )
    return np.asarray(softmax(-columns.T @ found.x))


def _nash_intervals(
    matrix: Floats, leads: dict[tuple[int, int], dict[int, float]], unseen: float, seed: int
) -> tuple[tuple[Interval, ...], tuple[Interval, ...]]:
    """The Nash average and the skills, with intervals.

    unseen: the size of each lead in the deal that is added; 0 for none.
    """
    random, parts, skills = np.random.default_rng(seed), list[Floats](), list[Floats]()
    for _ in range(RESAMPLES):
        drawn = _resampled(len(matrix), leads, unseen, random)
        parts.append(nash_average(drawn, _ROUGHLY))
        skills.append(drawn @ parts[-1])
    part = nash_average(matrix)
    return _percentiles(part, np.array(parts)), _percentiles(matrix @ part, np.array(skills))


def _resampled(
    num_players: int,
    leads: dict[tuple[int, int], dict[int, float]],
    unseen: float,
    random: np.random.Generator,
) -> Floats:
    """The payoff matrix with random weights of the deals."""
    matrix = np.zeros((num_players, num_players))
    weights = random.standard_exponential(1 + max(max(by_deal) for by_deal in leads.values()))
    for (i, j), by_deal in leads.items():
        own = weights[list(by_deal)]
        total, added = own @ np.array(list(by_deal.values())), 0.0
        if unseen:
            added = random.standard_exponential()
            total += added * random.choice((-unseen, unseen))
        matrix[i, j] = total / (own.sum() + added)
        matrix[j, i] = -matrix[i, j]
    return matrix


def _percentiles(values: Floats, samples: Floats) -> tuple[Interval, ...]:
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    return tuple(
        Interval(float(value), float(min(value, least)), float(max(value, most)))
        for value, least, most in zip(values, low, high, strict=True)
    )


# --- cycles ---


def cyclic_part(matrix: Floats) -> float:
    """Which part of the sum of squares of an antisymmetric ``matrix`` is not r_i - r_j."""
    total = float((matrix**2).sum())
    ratings = matrix.mean(axis=1)
    cyclic = matrix - (ratings[:, None] - ratings[None, :])
    return float((cyclic**2).sum()) / total if total > 0.0 else 0.0


def _known_cycles(leads: Sequence[Sequence[Interval]]) -> list[tuple[int, int, int]]:
    found = []
    for i, j, k in combinations(range(len(leads)), 3):
        for a, b, c in ((i, j, k), (i, k, j)):
            if leads[a][b].low > 0 and leads[b][c].low > 0 and leads[c][a].low > 0:
                found.append((a, b, c))
    return found
