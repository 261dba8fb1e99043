"""Matches and tournaments in games for more than two players: seats, records, rankings, and how
often the intervals of ratings contain the truth.
"""

import json
import math
import statistics
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from hiddenhand import load_game, make_player, solve
from hiddenhand.errors import FileError, OptionError, PlayerError
from hiddenhand.matches.match import play_match
from hiddenhand.matches.match_records import Played, Seats
from hiddenhand.matches.ranking import play_tournament, ranking
from hiddenhand.matches.ratings import compare, elo, mean_leads, rate
from hiddenhand.matches.seat_groups import Group, orders
from hiddenhand.matches.stopping import Until
from hiddenhand.matches.tournament import Pairing, Question, Tournament, all_tables
from hiddenhand.players.player import derived_seed
from hiddenhand.plots.payoffs import draw_win_rates
from hiddenhand.statistics import Interval, points_among, win_points
from hiddenhand.trees.profile import reach_probabilities
from hiddenhand.trees.unroll import unroll

KUHN = "kuhn_poker(players=3)"


def played(seats: Seats, number: int, payoffs: tuple[float, ...]) -> Played:
    nothing = (0,) * len(seats)
    return Played(
        seats, number, (), payoffs, nothing, tuple(map(float, nothing)), ({},) * len(seats)
    )


def test_orders_of_seats() -> None:
    assert orders((0, 1)) == ((0, 1), (1, 0))  # a mirrored pair
    assert set(orders((4, 1, 2))) == {
        *((4, 1, 2), (4, 2, 1), (1, 4, 2), (1, 2, 4), (2, 1, 4), (2, 4, 1))
    }
    assert len(set(orders(range(5)))) == math.factorial(5)
    assert orders(range(6))[:2] == ((0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 0))
    assert len(orders(range(6))) == 6


def test_all_tables() -> None:
    """Four players at tables of three: four choices, in six orders each."""
    tables = all_tables(4, 3)
    assert [set(group[0]) for group in tables] == [set(c) for c in combinations(range(4), 3)]
    assert all(set(group) == set(orders(group[0])) for group in tables)


@pytest.mark.parametrize(
    ("payoffs", "points"),
    [
        ((2.0, -1.0, -1.0), (1.0, 0.25, 0.25)),
        ((0, 0, 0), (0.5, 0.5, 0.5)),
        ((3, 1, 2), (1, 0, 0.5)),
    ],
)
def test_points_by_hand(payoffs: tuple[float, ...], points: tuple[float, ...]) -> None:
    """The share of the others that are beaten, half for equal payoffs."""
    assert tuple(points_among(payoffs, seat) for seat in range(3)) == points


def test_every_player_sits_in_every_seat_with_the_same_cards() -> None:
    question = Question(KUHN, ("random", "call", "raise"), seed=1, deals=2)
    with Tournament(question) as running:
        running.run([orders(range(3))], 4)
        pairings = running.pairings()
    assert [one.players for one in pairings] == [
        tuple(question.players[index] for index in order) for order in orders(range(3))
    ]
    for number in range(4):
        deals = {one.played[number].history[:3] for one in pairings}
        assert len(deals) == 1
    first = pairings[1].played[2]  # the seats 0, 2, 1, replayed by hand
    record = play_match(
        KUHN,
        ["random", "raise", "call"],
        derived_seed(1, 1, 0, 2, 1, 2),
        chance_seed=derived_seed(2, 0, 2),
    )
    assert (first.seats, first.history, first.payoffs) == ((0, 2, 1), record.moves, record.returns)


def test_matches_of_three_are_kept(tmp_path: Path) -> None:
    question = Question(KUHN, ("random", "call", "raise"), seed=1, deals=2, aivat="rollouts(5)")
    file = tmp_path / "matches"
    with Tournament(question, file) as running:
        running.run([orders(range(3))], 2)
        whole = running.pairings()
    with Tournament(question, file) as again:
        again.run([orders(range(3))], 2)
        assert again.pairings() == whole
    assert all(
        match.corrected and len(match.corrected) == 3 for one in whole for match in one.played
    )
    with pytest.raises(FileError):
        Tournament(Question("kuhn_poker", ("random", "call", "raise"), seed=1, deals=2), file)


def test_the_records_are_read_by_the_table_in_the_browser(tmp_path: Path) -> None:
    from hiddenhand.web.recorded_matches import StoredMatches

    file = tmp_path / "matches"
    question = Question(KUHN, ("random", "call", "raise"), seed=1, deals=2)
    with Tournament(question, file) as running:
        running.run([orders(range(3))], 1)
        last = running.pairings()[-1]
    stored = StoredMatches(file)
    setup, moves = stored.match(5)
    assert [seat.player for seat in setup.seats] == list(last.players)
    assert moves == last.played[0].history


@pytest.mark.parametrize(
    ("groups", "until", "error", "said"),
    [
        ([((0, 1),)], None, PlayerError, "is for 3 players, and a group seats 2"),
        ([orders(range(3))], Until(0.9), OptionError, "until is for games of two players"),
    ],
)
def test_what_is_not_possible(
    groups: list[tuple[Seats, ...]], until: Until | None, error: type[Exception], said: str
) -> None:
    with (
        Tournament(Question(KUHN, ("random", "call", "raise"))) as running,
        pytest.raises(error, match=said),
    ):
        running.run(groups, 3, until=until)


def test_a_group_of_three_stops_when_all_points_are_known() -> None:
    """Of the player who always wins they are known first; of those who tie, last."""
    group = Group(((0, 1, 2),), 500, 0.15)
    for number in range(500):
        group.add(played((0, 1, 2), number, (2.0, -1.0, -1.0)))
    alone = Group(((0, 1),), 500, 0.15)
    for number in range(500):
        alone.add(played((0, 1), number, (1.0, -1.0)))
    assert alone.prefix < group.prefix < 500


def test_a_tournament_of_four() -> None:
    """All numbers from the matches, counted by hand."""
    names = ["random", "call", "raise", "best_response(random)"]
    record = play_tournament(KUHN, names, 3, seed=1, deals=5)
    assert len(record.table) == 4 * 6
    assert {standing.player for standing in record.ranking} == set(names)
    for standing in record.ranking:
        by_deal: list[list[float]] = [[], [], []]
        for one in record.table:
            if standing.player in one.players:
                seat = one.players.index(standing.player)
                for match in one.played:
                    by_deal[match.number].append(match.payoffs[seat])
        assert standing.matches == sum(map(len, by_deal)) == 3 * 18  # 3 tables of 6 orders
        assert standing.payoff.value == pytest.approx(
            statistics.fmean(map(statistics.fmean, by_deal))
        )
    assert sum(standing.points.value for standing in record.ranking) == pytest.approx(2.0)
    assert record.pairing("random", "raise", "call").played
    with pytest.raises(PlayerError, match="random did not play against call"):
        record.pairing("random", "call")
    compared = record.compare()
    assert sum(one.value for one in compared.elo) == pytest.approx(0.0)
    assert compared.leads[0][1].value == -compared.leads[1][0].value


def test_a_row_for_each_seat_of_each_match() -> None:
    pytest.importorskip("pandas")
    record = play_tournament(KUHN, ["random", "call", "raise"], 3, seed=1, deals=5)
    rows = record.to_frame().to_dict("records")
    assert len(rows) == 6 * 3 * 3
    assert (rows[0]["player"], rows[0]["opponent"]) == ("random", "call, raise")
    places = record.compare().to_frame()
    assert set(places["first_place"]) <= {1, 2, 3}


def test_leads_of_three_by_hand() -> None:
    """Of a over b, 5 and 1 in the two orders of one deal: half of their mean."""
    pairings = [
        Pairing(("a", "b", "c"), (played((0, 1, 2), 0, (3.0, -2.0, -1.0)),)),
        Pairing(("b", "c", "a"), (played((1, 2, 0), 0, (0.0, -1.0, 1.0)),)),
    ]
    leads = compare(pairings).leads
    assert leads[0][1].value == pytest.approx((5 + 1) / 4)
    assert leads[1][2].value == pytest.approx((-1 + 1) / 4)


def test_pictures_and_displays_show_leads(tmp_path: Path) -> None:
    record = play_tournament(KUHN, ["random", "call", "raise"], 3, seed=1, deals=5)
    leads = mean_leads(record.table)
    compared = record.compare()
    names = compared.players
    assert leads[names[0], names[1]] == compared.leads[0][1]
    shown = record._repr_html_()
    assert shown is not None
    assert "mean lead of the row" in shown
    pytest.importorskip("matplotlib")
    record.plot(tmp_path / "leads.svg")
    assert "ahead, in all seats" in (tmp_path / "leads.svg").read_text()
    with pytest.raises(OptionError, match="for games of two players; draw the mean leads"):
        draw_win_rates(record.table, tmp_path / "table.svg")


# --- ratings ---


def test_between_two_players_ratings_are_those_of_before() -> None:
    """By the Fisher information: `elo`, which tests/matches/test_ratings.py computes by hand."""
    pairings = [
        Pairing(("a", "b"), tuple(played((0, 1), n, (1.0, -1.0)) for n in range(30))),
        Pairing(("b", "a"), tuple(played((1, 0), n, (1.0, -1.0)) for n in range(10))),
    ]
    points, matches = np.array([[0, 30.0], [10, 0]]), np.array([[0, 40.0], [40, 0]])
    assert rate(("a", "b"), pairings).elo == elo(points, matches)


def test_the_ratings_of_one_deal_are_not_known() -> None:
    pairings = [Pairing(("a", "b", "c"), (played((0, 1, 2), 0, (2.0, -1.0, -1.0)),))]
    ratings = rate(("a", "b", "c"), pairings)
    assert ratings.values[0] > 0 > ratings.values[1] == pytest.approx(ratings.values[2])
    assert all(math.isinf(one.width) for one in ratings.elo)
    assert ratings.places == ((1, 3), (1, 3), (1, 3))


STRENGTHS = np.array([1.0, 0.4, 0.1, -1.5])
TRUTH = (STRENGTHS - STRENGTHS.mean()) * 400 / math.log(10)


def simulated(random: np.random.Generator, deals: int) -> list[Pairing]:
    """A tournament of four at tables of three, in all seats. Results follow Plackett and Luce: of
    clocks that run at the rates exp(strength), the first that rings wins.
    """
    pairings = []
    for order in (order for group in all_tables(4, 3) for order in group):
        rates = np.exp(STRENGTHS[list(order)])
        rings = random.exponential(1 / rates, (deals, 3))
        ranks = (-rings).argsort(axis=1).argsort(axis=1).astype(float)
        matches = [played(order, number, tuple(row)) for number, row in enumerate(ranks.tolist())]
        pairings.append(Pairing(tuple("abcd"[index] for index in order), tuple(matches)))
    return pairings


def covered(runs: int, deals: int) -> tuple[float, float]:
    """In which part of simulated tournaments the interval of a rating contains the strength, and in
    which part all places are right at once.
    """
    ratings, places = 0, 0
    for seed in range(runs):
        found = rate(tuple("abcd"), simulated(np.random.default_rng(seed), deals))
        ratings += sum(
            one.low <= truth <= one.high for one, truth in zip(found.elo, TRUTH, strict=True)
        )
        places += all(best <= place <= worst for place, (best, worst) in enumerate(found.places, 1))
    return ratings / (4 * runs), places / runs


def test_the_intervals_of_ratings_contain_the_truth() -> None:
    """In 95 of 100 simulated tournaments, within what 40 runs can tell: 160 intervals, of which at
    most 18 fail with a probability of 99.9 % if they depend on each other no more than in threes.
    """
    ratings, places = covered(40, 20)
    assert ratings >= 1 - 18 / 160
    assert places >= 0.95


def test_a_ranking_names_the_best_first() -> None:
    standings = ranking(simulated(np.random.default_rng(1), 60))
    assert [one.player for one in standings] == list("abcd")
    # P(a before x) = 1 / (1 + exp(x - a)), over the three others
    wanted = statistics.fmean(1 / (1 + math.exp(one - STRENGTHS[0])) for one in STRENGTHS[1:])
    assert standings[0].points.low <= wanted <= standings[0].points.high


@pytest.mark.slow
def test_luck_with_cards_that_tables_share_does_not_narrow_intervals() -> None:
    """Equal players whose results are those of the deal: all tables of a deal add no knowledge."""
    random = np.random.default_rng(3)
    right = 0
    for _ in range(100):
        ranks = random.permuted(np.tile([0.0, 1.0, 2.0, 3.0], (25, 1)), axis=1)
        pairings = []
        for order in (order for group in all_tables(4, 3) for order in group):
            matches = [
                played(order, number, tuple(row[list(order)])) for number, row in enumerate(ranks)
            ]
            pairings.append(Pairing(tuple("abcd"[index] for index in order), tuple(matches)))
        found = rate(tuple("abcd"), pairings)
        right += sum(one.low <= 0 <= one.high for one in found.elo)
        assert found.elo[0].width > 100  # of 25 deals; 450 matches of their own would say 40
    assert right >= 368  # of 400, of which 380 are expected


@pytest.mark.thorough
def test_a_ranking_contains_the_truth_in_95_of_100_tournaments(tmp_path: Path) -> None:
    """Kuhn poker for three, four entries, 20 deals: the true points and payoffs of the entries, and
    their ratings by these points, are sums over the whole game.
    """
    tree = unroll(load_game(KUHN))
    names = ["random", "best_response(random)"]
    for iterations in (3, 300):
        file = tmp_path / f"{iterations}.hhs"
        solve(tree.game, "cfr", iterations=iterations).strategy().save(file)
        names.append(f"strategy({file})")
    entries = [make_player(tree.game, name).profile(tree) for name in names]  # type: ignore[attr-defined]
    paid, points, won = np.zeros((4, 2)), np.zeros(4), np.zeros((4, 4))
    for order in (order for group in all_tables(4, 3) for order in group):
        profile = np.choose(np.maximum(tree.sequence_player, 0), [entries[one] for one in order])
        reach = reach_probabilities(tree, profile).prod(axis=1)[tree.terminal]
        assert reach.sum() == pytest.approx(1.0)
        for probability, payoffs in zip(reach, tree.utility.tolist(), strict=True):
            for seat, one in enumerate(order):
                paid[one] += probability * np.array([payoffs[seat], 1.0])
                points[one] += probability * points_among(payoffs, seat)
                for other_seat, other in enumerate(order):
                    if other != one:
                        won[one, other] += probability * win_points(
                            payoffs[seat], payoffs[other_seat]
                        )
    strengths = [one.value for one in elo(1e9 * won, 1e9 * (won + won.T))]
    means, shares = paid[:, 0] / paid[:, 1], points / paid[:, 1]
    best_first = np.argsort(strengths)[::-1]
    ranked, placed, rated = 0, 0, 0
    for seed in range(100):
        record = play_tournament(KUHN, names, 20, seed=seed, deals=1000 + seed)
        ranked += all(
            holds(one.points, shares[names.index(one.player)])
            and holds(one.payoff, means[names.index(one.player)])
            for one in record.ranking
        )
        found = rate(names, record.table)
        placed += all(
            found.places[one][0] <= place <= found.places[one][1]
            for place, one in enumerate(best_first, 1)
        )
        rated += sum(map(holds, found.elo, strengths))
    assert ranked >= 95
    assert placed >= 95
    assert rated >= 365  # of 400, of which 380 are expected, with a standard deviation below 7


def holds(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


def test_json_of_three_players(capsys: pytest.CaptureFixture[str]) -> None:
    from hiddenhand.cli.multiplayer_report import AtATable

    question = Question(KUHN, ("random", "random", "call"), seed=1, deals=2)
    with Tournament(question) as running:
        running.run([orders(range(3))], 5)
        finished = AtATable(question, running.pairings(), orders(range(3)), "2")
    answer = json.loads(json.dumps(finished.answer()))
    assert answer["players"] == ["random", "random", "call"]  # told apart by their numbers
    assert answer["orders"] == [list(order) for order in orders(range(3))]
    assert sum(answer["mean"]) == pytest.approx(0.0)
    assert sum(answer["points"]) == pytest.approx(1.5)
    for mean, row in zip(answer["mean"], answer["mean_by_seat"], strict=True):
        assert statistics.fmean(row) == pytest.approx(mean)
    finished.show()
    assert "5 matches in each of 6 orders of seats" in capsys.readouterr().out
