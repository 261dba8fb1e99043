"""match and tournament, as a user types them."""

import sys
from pathlib import Path

import pytest
from typing_commands import Typed

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""
THREE = "kuhn_poker(players=3)"

# --- match ---


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


@pytest.mark.slow
def test_mirrored_match(typed: Typed) -> None:
    """Lists in the order of the named first player's seats: it wins from both against a player it
    can beat.
    """
    options = "--matches 300 --mirror --deals 1"
    found = typed.json(f"match Leduc best_response(random) random {options}")
    assert found["matches"] == 300
    assert {len(found[name]) for name in ("mean", "ci95", "win_rate", "win_rate_ci95")} == {2}
    assert all(low > 0 for low, _ in found["ci95"])
    changed = typed.json(f"match Leduc random best_response(random) {options}")
    assert all(mean < 0 for mean in changed["mean"])


def test_the_interval_of_one_match_is_all_that_is_possible(typed: Typed) -> None:
    """Kuhn poker pays at most 2."""
    assert typed.json("match Kuhn random random --matches 1")["ci95"] == [-2.0, 2.0]


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


def test_players_that_are_not_named_are_auto(typed: Typed) -> None:
    status, out, err = typed(f"match {THREE} random --matches 1 --iterations 5 --json")
    assert status == 0
    assert '"players": ["random", "auto", "auto"]' in out
    assert "No player is named for seat 2 and seat 3: auto plays there." in err


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


def test_a_match_of_one_seat_with_values(typed: Typed) -> None:
    match = f"match {KUHN} random random --matches 5 --deals 2"
    found, plain = typed.json(f"{match} --aivat-values rollouts(3)"), typed.json(match)
    assert found["aivat"]["values"] == "rollouts(3)"
    assert isinstance(found["aivat"]["mean"], float)
    assert "until" not in found
    assert plain["mean"] == found["mean"]
    assert "aivat" not in plain


def test_a_match_until_the_interval_is_narrow(typed: Typed) -> None:
    found = typed.json(f"match {KUHN} random random --until-width 1.5 --deals 1")["until"]
    assert found["lead_ci"][1] - found["lead_ci"][0] <= found["width"] == 1.5


# --- tournament ---


@pytest.mark.slow
def test_tournament(typed: Typed, tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    tournament = "tournament Kuhn random oos(iterations=20) --matches 30 --deals 1 --value 0.25"
    files = ("--picture", str(picture), "--out", str(tmp_path / "file"))
    found = typed.json(tournament, *files)
    assert {place["player"] for place in found["ranking"]} == set(found["players"])
    assert all(place["matches"] == 60 for place in found["ranking"])
    pairs = [(entry["first"], entry["second"]) for entry in found["table"]]
    assert pairs == [(a, b) for a in found["players"] for b in found["players"]]
    for entry in found["table"]:
        assert entry["matches"] == 30
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


# --- refusals ---


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("Kuhn oss random --matches 1", "did you mean oos?"),
        ("Khun random random --matches 1", "Khun"),
        ("Kuhn oos random --matches 1", "needs a budget"),
        ("Kuhn human random --matches 1", "hiddenhand play"),
        ("Kuhn random random --matches 0", "--matches 0 is not"),
        ("Kuhn random random", "the number of matches is missing; give --matches, or --until 0.95"),
        ("Kuhn random random --until 1", "--until 1 is not allowed"),
        ("Kuhn random random --until-width -1", "--until-width -1 is not allowed"),
        ("Kuhn random random --matches 3 --aivat-values luck", "there are no values 'luck'"),
        (
            "Kuhn random call raise --matches 1",
            "Kuhn is for 2 players, and 3 are named; name 2, or play a tournament among all",
        ),
        (
            f"{THREE} random --until 0.9",
            f"--until or --until-width is for games of two players, and {THREE} has 3",
        ),
        (
            f"{THREE} random --matches 1 --value 0",
            f"--value is for games of two players, and {THREE} has 3",
        ),
        (
            f"{THREE} random random random --matches 1 --aivat-values solved",
            "cannot be solved; use the values rollouts",
        ),
        ("Kuhn random random --matches 1 --seed -1", "seed -1"),
        ("Kuhn random random --matches 1 --deals 0x1", "--deals 0x1 is not allowed"),
        ("Kuhn random random --matches 1 --jobs 0", "--jobs 0 is not"),
        ("Kuhn random random --matches 1 --out /no/such/folder/file", "/no/such/folder/file"),
        ("Kuhn random random --matches 1 --preplay 0", "--preplay 0 is not allowed"),
    ],
)
def test_a_match_that_is_refused(typed: Typed, command: str, says: str) -> None:
    assert says in typed.refused(f"match {command}")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (f"{THREE} random call", "between 3 or more different players"),
        ("Kuhn random", "two or more different players"),
        ("Kuhn random random", "two or more different players"),
        ("Kuhn random equilibrium --picture /no/such/folder/file.png", "/no/such/folder/file.png"),
        ("Kuhn random equilibrium --picture table.magic", "ends in .png"),
    ],
)
def test_a_tournament_that_is_refused(typed: Typed, command: str, says: str) -> None:
    assert says in typed.refused(f"tournament {command} --matches 1")
