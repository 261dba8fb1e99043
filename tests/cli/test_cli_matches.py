"""``match`` and ``tournament`` with AIVAT, with --until, and how they compare players."""

from pathlib import Path

import pytest
from typing_commands import Typed

KUHN = "naive.small_games:Written(Kuhn)"


def test_a_match_until_it_is_decided(typed: Typed, tmp_path: Path) -> None:
    asked = ("match", KUHN, "best_response(random)", "random", "--until", "0.9", "--aivat")
    asked = (*asked, "--deals", "1", "--out", str(tmp_path / "file"))
    found = typed.json(*asked)
    until, aivat = found["until"], found["aivat"]
    assert until["ahead"] == "best_response(random)"
    assert (until["confidence"], until["width"]) == (0.9, None)
    assert 0 < until["lead_ci"][0] < until["lead"] < until["lead_ci"][1]
    assert until["pairs"] == found["matches"] < 2000
    assert until["lead"] == pytest.approx(sum(aivat["mean"]) / 2)
    assert aivat["values"] == "auto"
    assert all(share < 1 for share in aivat["variance_share"])
    assert len(found["mean"]) == len(aivat["ci95"]) == 2
    assert typed.json(*asked) == found  # from the file
    status, out, _ = typed(*asked)
    assert status == 0
    assert "best_response(random) is ahead after" in out
    assert "by AIVAT with values auto" in out


def test_a_match_of_one_seat_with_values(typed: Typed) -> None:
    asked = ("match", KUHN, "random", "random", "--matches", "5", "--aivat-values", "rollouts(3)")
    found = typed.json(*asked, "--deals", "2")
    assert found["aivat"]["values"] == "rollouts(3)"
    assert isinstance(found["aivat"]["mean"], float)
    assert "until" not in found
    plain = typed.json("match", KUHN, "random", "random", "--matches", "5", "--deals", "2")
    assert plain["mean"] == found["mean"]
    assert "aivat" not in plain


def test_a_match_until_the_interval_is_narrow(typed: Typed) -> None:
    asked = ("match", KUHN, "random", "random", "--until-width", "1.5", "--deals", "1")
    found = typed.json(*asked)["until"]
    assert found["lead_ci"][1] - found["lead_ci"][0] <= found["width"] == 1.5
    status, out, _ = typed(*asked, "--matches", "4")
    assert status == 0
    assert "It is not known who is ahead after 4 mirrored pairs" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "the number of matches is missing; give --matches, or --until 0.95"),
        (("--until", "1"), "--until 1.0 is not allowed"),
        (("--until-width", "-1"), "--until-width -1.0 is not allowed"),
        (("--matches", "3", "--aivat-values", "luck"), "there are no values 'luck'"),
    ],
)
def test_what_a_match_refuses(typed: Typed, options: tuple[str, ...], said: str) -> None:
    status, _, error = typed("match", KUHN, "random", "random", *options)
    assert status == 2
    assert error.startswith(f"hiddenhand: {said}")


def test_no_interval_reaches_beyond_what_a_match_pays(typed: Typed) -> None:
    """Kuhn poker pays at most 2, in either direction."""
    players = ("random", "best_response(random)")
    asked = ("tournament", KUHN, *players, "--matches", "2", "--deals", "5")
    found = typed.json(*asked)
    intervals = [row["ci95"] for row in found["table"] + found["ranking"]]
    intervals += [lead for row in found["comparison"]["leads_ci95"] for lead in row]
    assert all(-2 <= low <= high <= 2 for low, high in intervals)
    assert [-2.0, 2.0] in intervals  # two matches say nothing, even if both paid the same
    rates = [row["win_rate_ci95"] for row in found["table"]]
    assert all(0 <= low < high <= 1 for low, high in rates)
    status, out, _ = typed(*asked)
    assert status == 0
    assert "(-2 to 2)" in out
    assert "100.0% (34.2% to 100.0%)" in out  # Wilson (1927): z^2 / (2 + z^2) = 65.8 %


def test_a_tournament_compares_its_players(typed: Typed) -> None:
    players = ("random", "equilibrium", "best_response(random)")
    asked = ("tournament", KUHN, *players, "--matches", "30", "--deals", "1", "--aivat")
    found = typed.json(*asked)
    comparison = found["comparison"]
    assert comparison["players"] == list(players)
    assert sum(comparison["elo"]) == pytest.approx(0.0)
    assert sum(comparison["nash_average"]) == pytest.approx(1.0)
    assert comparison["leads_by"] == "aivat"
    assert comparison["leads"][0][2] == -comparison["leads"][2][0] < 0
    assert 0 <= comparison["cyclic"] <= 1
    assert all("aivat_mean" in one for one in found["table"])
    status, out, _ = typed(*asked)
    assert status == 0
    assert "Nash average" in out.split("leads:")[1]  # the heading of a column
    assert "% of the squared leads is cyclic." in out
