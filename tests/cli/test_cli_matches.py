"""match and tournament, as a user types them."""

import sys
from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand.cli.scores import print_corrected
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.tournament import Pairing

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""
THREE = "kuhn_poker(players=3)"
CONSTANT_SUM = "matrix_game(payoffs=[[1,2],[2,1]],payoffs_1=[[1,0],[0,1]])"  # of sum 2

# --- match ---


def test_the_variance_by_aivat_is_that_of_the_player(capsys: pytest.CaptureFixture[str]) -> None:
    """It differs from that of the opponent if payoffs have no constant sum."""
    paid, corrected = [(1.0, 10.0), (-1.0, 0.0)], [(0.0, 6.0), (0.0, 5.0)]
    played = tuple(
        Played((1, 0), number, (), *((payoffs, (1, 1), (0.0, 0.0), ({}, {}), after)))
        for number, (payoffs, after) in enumerate(zip(paid, corrected, strict=True))
    )
    first, second = (Pairing(("a", "b"), played, 10.0) for _ in range(2))
    print_corrected("a", [first, second], "solved")
    _, first_row, second_row = capsys.readouterr().out.splitlines()
    assert "0.0% of the payoffs' variance" in first_row
    assert "1.0% of the payoffs' variance" in second_row


def test_match(typed: Typed) -> None:
    found = typed.json(
        "match Kuhn oos(targeting=ist) random --matches 40 --iterations 30 --seed 1 --deals 1"
    )
    assert found["game"] == "Kuhn"
    assert found["players"] == ["oos(targeting=ist)", "random"]
    assert found["matches"] == 40
    for name in ("mean", "win_rate"):
        low, high = found["ci95" if name == "mean" else "win_rate_ci95"]
        assert low < found[name] < high
    assert found["seconds_per_move"] > 0


def test_a_match_above_the_value_of_the_game(typed: Typed) -> None:
    command = "match Kuhn random random --matches 4 --value 0.25 --deals 1"
    found = typed.json(command)
    assert found["mean_above_value"] == pytest.approx(found["mean"] - 0.25)
    found = typed.json(command, "--mirror")
    first, second = found["mean"]
    assert found["mean_above_value"] == pytest.approx([first - 0.25, second + 0.25])
    found = typed.json(f"match {CONSTANT_SUM} random random --matches 4 --mirror --value 1.5")
    first, second = found["mean"]
    assert found["mean_above_value"] == pytest.approx([first - 1.5, second - 0.5])


def test_mirrored_matches_tell_the_lead(typed: Typed) -> None:
    """Each deal is luck for both players, so that the lead varies less than payoffs."""
    found = typed.json("match Kuhn call random --matches 30 --mirror --deals 1")
    low, high = found["lead_ci95"]
    assert found["lead"] == pytest.approx(sum(found["mean"]) / 2)
    assert high - low < min(end - start for start, end in found["ci95"])
    for others in ("call random", "random random --mirror"):
        assert "lead" not in typed.json(f"match Kuhn {others} --matches 2")


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning"
)  # without compilation, in a thread of its own
def test_match_goes_on_and_jobs_change_nothing(typed: Typed, tmp_path: Path) -> None:
    match, out = "match Kuhn oos equilibrium --iterations 20 --deals 1f", str(tmp_path / "file")
    whole = typed.json(f"{match} --matches 12")
    typed.json(f"{match} --matches 5 --out", out)
    resumed = typed.json(f"{match} --matches 12 --jobs 2 --backend threading --out", out)
    assert whole | {"seconds_per_move": 0} == resumed | {"seconds_per_move": 0}


def test_match_stops_early(typed: Typed) -> None:
    found = typed.json(
        "match Kuhn best_response(random) random --matches 1000 --width 0.2 --deals 1"
    )
    low, high = found["win_rate_ci95"]
    assert found["matches"] < 150
    assert high - low <= 0.2


def test_match_of_three(typed: Typed) -> None:
    found = typed.json(
        f"match {THREE} random call raise --matches 6 --deals 1 --mirror --aivat-values rollouts(3)"
    )
    assert found["players"] == ["random", "call", "raise"]
    assert found["matches"] == 6
    assert len(found["orders"]) == 6
    assert sum(found["mean"]) == pytest.approx(0.0)
    assert len(found["aivat"]["mean"]) == len(found["seconds_per_move"]) == 3


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


def test_a_match_until_the_interval_is_narrow(typed: Typed) -> None:
    found = typed.json(f"match {KUHN} random random --until-width 1.5 --deals 1")["until"]
    assert found["lead_ci"][1] - found["lead_ci"][0] <= found["width"] == 1.5


# --- tournament ---


@pytest.mark.slow
def test_tournament(typed: Typed, tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    tournament = "tournament Kuhn random oos(iterations=20) --matches 10 --deals 1 --value 0.25"
    files = ("--picture", str(picture), "--out", str(tmp_path / "file"))
    found = typed.json(tournament, *files)
    assert {place["player"] for place in found["ranking"]} == set(found["players"])
    assert all(place["matches"] == 20 for place in found["ranking"])
    pairs = [(entry["first"], entry["second"]) for entry in found["table"]]
    assert pairs == [(a, b) for a in found["players"] for b in found["players"]]
    for entry in found["table"]:
        assert entry["matches"] == 10
        assert entry["mean_above_value"] == pytest.approx(entry["mean"] - 0.25)
        assert entry["win_rate_ci95"][0] < entry["win_rate"] < entry["win_rate_ci95"][1]
        assert len(entry["seconds_per_move"]) == 2
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_tournament_of_four_in_a_game_of_three(typed: Typed, tmp_path: Path) -> None:
    players = ["random", "call", "raise", "best_response(random)"]
    tournament = f"tournament {THREE} {' '.join(players)} --matches 4 --deals 1"
    found = typed.json(tournament, "--picture", str(tmp_path / "leads.svg"))
    assert "ahead, in all seats" in (tmp_path / "leads.svg").read_text(encoding="utf-8")
    assert len(found["table"]) == 4 * 6
    assert {place["player"] for place in found["ranking"]} == set(players)
    assert all(1 <= best <= worst <= 4 for best, worst in found["comparison"]["places"])


def test_a_picture_needs_matplotlib(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    picture = str(tmp_path / "table.png")
    said = typed.refused("tournament Kuhn random equilibrium --matches 5 --picture", picture)
    assert "install hiddenhand[plots]" in said


def test_no_interval_reaches_beyond_what_a_match_pays(typed: Typed) -> None:
    """Kuhn poker pays at most 2, in either direction."""
    tournament = f"tournament {KUHN} random best_response(random) --matches 2 --deals 5"
    found = typed.json(tournament)
    intervals = [row["ci95"] for row in found["table"] + found["ranking"]]
    intervals += [lead for row in found["comparison"]["leads_ci95"] for lead in row]
    assert all(-2 <= low <= high <= 2 for low, high in intervals)
    assert [-2.0, 2.0] in intervals  # two matches say nothing, even if both paid the same
    rates = [row["win_rate_ci95"] for row in found["table"]]
    assert all(0 <= low < high <= 1 for low, high in rates)
    _, out, _ = typed(tournament)
    assert "(-2 to 2)" in out
    assert "100.0% (34.2% to 100.0%)" in out  # Wilson (1927): z^2 / (2 + z^2) = 65.8 %


def test_a_tournament_compares_its_players(typed: Typed) -> None:
    players = ["random", "equilibrium", "best_response(random)"]
    found = typed.json(f"tournament {KUHN} {' '.join(players)} --matches 30 --deals 1 --aivat")
    comparison = found["comparison"]
    assert comparison["players"] == players
    assert sum(comparison["elo"]) == pytest.approx(0.0)
    assert sum(comparison["nash_average"]) == pytest.approx(1.0)
    assert comparison["leads_by"] == "aivat"
    assert comparison["leads"][0][2] == -comparison["leads"][2][0] < 0
    assert 0 <= comparison["cyclic"] <= 1
    assert all("aivat_mean" in one for one in found["table"])


# --- deals ---


def test_drawn_deals_are_told_and_may_be_given(typed: Typed) -> None:
    tournament = "tournament Leduc random equilibrium --matches 20"
    first, other = typed.json(tournament), typed.json(tournament)
    assert first["deals"] != other["deals"]
    again = typed.json(f"{tournament} --deals {first['deals']}")
    means = [[entry["mean"] for entry in found["table"]] for found in (first, other, again)]
    assert means[0] == means[2] != means[1]
    out = typed("match Kuhn random random --matches 1 --deals 2A")[1]
    assert "The same deals again: --deals 2a\n" in out


def test_a_file_keeps_the_deals_that_were_drawn(typed: Typed, tmp_path: Path) -> None:
    match, out = "match Leduc random equilibrium --matches", ("--out", str(tmp_path / "file"))
    first, more = typed.json(f"{match} 5", *out), typed.json(f"{match} 10", *out)
    assert more["deals"] == first["deals"]
    again = typed.json(f"{match} 10 --deals {first['deals']}")
    assert again["mean"] == more["mean"]
    assert "is about deals" in typed.refused(f"{match} 10 --deals 1", *out)
