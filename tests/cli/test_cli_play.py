"""play, match and tournament, as a user types them."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand.cli import play
from hiddenhand.games.registry import load_game
from hiddenhand.search.training import train
from hiddenhand.trees.blueprint import found_blueprint

# --- match ---

KEYS = [
    "game",
    "players",
    "seed",
    "deals",
    "matches",
    "mean",
    "ci95",
    "win_rate",
    "win_rate_ci95",
    "seconds_per_move",
    "tier",
]


def test_match(typed: Typed) -> None:
    found = typed.json(
        "match",
        "Kuhn",
        "oos(targeting=ist)",
        "random",
        "--matches",
        "40",
        "--iterations",
        "30",
        "--seed",
        "1",
        "--deals",
        "1",
    )
    assert list(found) == KEYS
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
    found = typed.json(
        "match",
        "Leduc",
        "best_response(random)",
        "random",
        "--matches",
        "300",
        "--mirror",
        "--deals",
        "1",
    )
    assert list(found) == KEYS
    assert found["matches"] == 300
    assert [len(found[name]) for name in ("mean", "ci95", "win_rate", "win_rate_ci95")] == [
        2,
        2,
        2,
        2,
    ]
    assert all(low > 0 for low, _ in found["ci95"])
    changed = typed.json(
        "match",
        "Leduc",
        "random",
        "best_response(random)",
        "--matches",
        "300",
        "--mirror",
        "--deals",
        "1",
    )
    assert all(mean < 0 for mean in changed["mean"])


def test_the_interval_of_one_match_is_all_that_is_possible(typed: Typed) -> None:
    """Kuhn poker pays at most 2."""
    found = typed.json("match", "Kuhn", "random", "random", "--matches", "1")
    assert found["ci95"] == [-2.0, 2.0]


@pytest.mark.filterwarnings(
    "ignore:overflow encountered:RuntimeWarning"
)  # without compilation, in a thread of its own
def test_match_goes_on_and_jobs_change_nothing(typed: Typed, tmp_path: Path) -> None:
    arguments = ("match", "Kuhn", "oos", "equilibrium", "--iterations", "20", "--deals", "1f")
    whole = typed.json(*arguments, "--matches", "12")
    typed.json(*arguments, "--matches", "5", "--out", str(tmp_path / "file"))
    resumed = typed.json(
        *arguments,
        "--matches",
        "12",
        "--out",
        str(tmp_path / "file"),
        "--jobs",
        "2",
        "--backend",
        "threading",
    )
    assert whole | {"seconds_per_move": 0} == resumed | {"seconds_per_move": 0}


def test_match_stops_early(typed: Typed) -> None:
    found = typed.json(
        "match",
        "Kuhn",
        "best_response(random)",
        "random",
        "--matches",
        "1000",
        "--width",
        "0.2",
        "--deals",
        "1",
    )
    low, high = found["win_rate_ci95"]
    assert found["matches"] < 150
    assert high - low <= 0.2


def test_match_for_people(typed: Typed) -> None:
    status, out, _ = typed(
        "match",
        "Kuhn",
        "equilibrium",
        "random",
        "--matches",
        "50",
        "--mirror",
        "--value",
        "-0.0555556",
    )
    assert status == 0
    assert "equilibrium against random, 50 matches in each order" in out
    assert [line[:17] for line in out.splitlines()].count("equilibrium plays") == 2
    assert "above the value" in out
    assert "above" not in typed("match", "Kuhn", "equilibrium", "random", "--matches", "1")[1]


THREE = "kuhn_poker(players=3)"


def test_match_of_three(typed: Typed) -> None:
    words = ["match", THREE, "random", "call", "raise", "--matches", "6", "--deals", "1"]
    found = typed.json(*words, "--mirror", "--aivat-values", "rollouts(3)")
    assert found["players"] == ["random", "call", "raise"]
    assert found["matches"] == 6
    assert len(found["orders"]) == 6
    assert sum(found["mean"]) == pytest.approx(0.0)
    assert len(found["aivat"]["mean"]) == len(found["seconds_per_move"]) == 3
    status, out, _ = typed(*words)
    assert status == 0
    assert f"{THREE}: 6 matches\n" in out
    assert "points" in out


def test_players_that_are_not_named_are_auto(typed: Typed) -> None:
    found = typed.json("match", THREE, "random", "--matches", "1", "--iterations", "5")
    assert found["players"] == ["random", "auto", "auto"]


def test_seats_without_a_name_are_told(typed: Typed) -> None:
    short = ("--matches", "1", "--iterations", "5")
    _, _, err = typed("match", THREE, "random", *short)
    assert "No players are named for seats 2 and 3: auto plays there." in err
    _, _, err = typed("match", THREE, "random", "call", *short)
    assert "No player is named for seat 3: auto plays there." in err


def test_a_tournament_of_four_in_a_game_of_three(typed: Typed, tmp_path: Path) -> None:
    words = ["tournament", THREE, "random", "call", "raise", "best_response(random)"]
    words += ["--matches", "4", "--deals", "1", "--out", str(tmp_path / "file")]
    found = typed.json(*words)
    assert len(found["table"]) == 4 * 6
    assert {place["player"] for place in found["ranking"]} == set(words[2:6])
    assert all(1 <= best <= worst <= 4 for best, worst in found["comparison"]["places"])
    status, out, _ = typed(*words)  # from the file
    assert status == 0
    assert "Mean payoff in each seat:" in out
    assert "place" in out


# --- tournament ---


@pytest.mark.slow
def test_tournament(typed: Typed, tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    found = typed.json(
        "tournament",
        "Kuhn",
        "random",
        "oos(iterations=20)",
        "--matches",
        "30",
        "--deals",
        "1",
        "--value",
        "0.25",
        "--picture",
        str(picture),
        "--out",
        str(tmp_path / "file"),
    )
    assert list(found) == [
        "game",
        "players",
        "seed",
        "deals",
        "table",
        "ranking",
        "comparison",
    ]
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


def test_tournament_for_people(typed: Typed) -> None:
    status, out, _ = typed("tournament", "Kuhn", "random", "equilibrium", "--matches", "5")
    assert status == 0
    assert out.startswith("1  random\n2  equilibrium\n")
    assert "Win rate of the row, which plays first:" in out
    assert "Mean payoff of the row:" in out
    assert "Ranking, by the points" in out


def test_a_picture_needs_matplotlib(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = typed(
        "tournament",
        "Kuhn",
        "random",
        "equilibrium",
        "--matches",
        "5",
        "--picture",
        str(tmp_path / "table.png"),
    )
    assert (status, out) == (2, "")
    assert "install hiddenhand[plots]" in err


# --- deals ---


def test_drawn_deals_are_told_and_may_be_given(typed: Typed) -> None:
    arguments = ("tournament", "Leduc", "random", "equilibrium", "--matches", "20")
    first, other = typed.json(*arguments), typed.json(*arguments)
    assert first["deals"] != other["deals"]
    again = typed.json(*arguments, "--deals", first["deals"])
    means = [[entry["mean"] for entry in found["table"]] for found in (first, other, again)]
    assert means[0] == means[2] != means[1]
    assert (
        f"The same deals again: --deals {first['deals']}\n"
        in typed(*arguments, "--deals", first["deals"])[1]
    )
    assert (
        "The same deals again: --deals 2a\n"
        in typed("match", "Kuhn", "random", "random", "--matches", "1", "--deals", "2A")[1]
    )


def test_a_file_keeps_the_deals_that_were_drawn(typed: Typed, tmp_path: Path) -> None:
    arguments = ("match", "Leduc", "random", "equilibrium", "--out", str(tmp_path / "file"))
    first = typed.json(*arguments, "--matches", "5")
    more = typed.json(*arguments, "--matches", "10")
    assert more["deals"] == first["deals"]
    assert (
        typed.json(*arguments[:4], "--matches", "10", "--deals", first["deals"])["mean"]
        == more["mean"]
    )
    status, _, err = typed(*arguments, "--matches", "10", "--deals", "1")
    assert status == 2
    assert "is about deals" in err


# --- play ---


def test_play(typed: Typed) -> None:
    """Kuhn poker from the first seat: nonsense, a hint, a bet, once again, no more. The deals
    decide the cards.
    """
    arguments = (
        "play",
        "Kuhn",
        "--against",
        "oos(targeting=pst)",
        "--seconds",
        "0.05",
        "--seed",
        "3",
        "--deals",
        "3",
    )
    status, out, _ = typed(*arguments, lines="raise\nhint\nbet\nyes\npass\npass\npass\n")
    assert status == 0
    first, _, second = out.partition("Again: --seed 3 --deals 3\nPlay again? (yes or no) ")
    before, _, after = first.partition("What player 2 saw:")
    assert before.startswith(
        "You are player 1 of 2, against oos(targeting=pst). Type help for the rules.\nyou are "
        "dealt K\nyour card: K; moves: none\nYour moves: 1 pass, 2 bet.\n> Your moves: 1 pass, "
        "2 bet."
    )
    assert "your card: K; moves: bet" in before
    assert "you earned" in before
    assert "; player 2 earned -" in before
    assert "your card: J" not in before  # theirs
    assert after.startswith("\n  your card: J; moves: bet")
    assert (
        "What the others thought:\n  player 2 sees your card: J; moves: bet\n      plays " in after
    )
    assert "information sets 12" in after
    assert "Again: --seed" in second
    assert "--seed 3\n" not in second
    cards = out.partition("your card: K; moves: bet")[2].partition("What the others")[0]
    assert cards in typed(*arguments, lines="bet\n")[1]


@pytest.mark.timed
def test_play_without_naming_an_opponent(typed: Typed) -> None:
    status, out, _ = typed("play", "GS(3)", "--seconds", "0.05", lines="1\n2\n3\nno\n")
    assert status == 0
    assert out.startswith("You are player 1 of 2, against auto.")
    assert "you earned" in out


@pytest.fixture
def trained_kuhn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A blueprint of Kuhn poker is kept here."""
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    train("kuhn_poker", iterations=5)


class Terminal(io.StringIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "against"), [("yes", "auto(blueprint=trained)"), ("n", "auto")])
def test_a_trained_opponent_is_offered(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, trained_kuhn: None, answer: str, against: str
) -> None:
    monkeypatch.setattr(io, "StringIO", Terminal)
    out = typed("play", "Kuhn", "--seconds", "0.05", lines=f"{answer}\nquit\n")[1]
    assert out.startswith("auto was trained in this game for 0 seconds. Play against that?")
    assert f"You are player 1 of 2, against {against}." in out


def test_a_trained_opponent_is_told_of_in_a_pipe(typed: Typed, trained_kuhn: None) -> None:
    _, out, error = typed("play", "Kuhn", "--seconds", "0.05", lines="quit\n")
    assert out.startswith("You are player 1 of 2, against auto.")
    assert '--against "auto(blueprint=trained)"' in error


def test_auto_learns_between_matches(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    trained = list[str]()

    @contextmanager
    def training(game: str) -> Iterator[None]:
        trained.append(game)
        yield
        trained.append("closed")

    def wants_more() -> bool:
        if found_blueprint(load_game("Kuhn")) is not None:
            return False
        train("kuhn_poker", iterations=5)
        return True

    monkeypatch.setattr(play, "_training", training)
    monkeypatch.setattr(play, "_wants_more", wants_more)
    lines = "pass\npass\npass\npass\n"
    out = typed("play", "Kuhn", "--learn", "--seconds", "0.05", lines=lines)[1]
    assert trained == ["Kuhn", "closed"]
    assert "has no blueprint yet" in out
    assert "auto was trained in this game for 0 seconds, and continues to train." in out
    assert out.index("against auto.") < out.index("against auto(blueprint=trained).")


def test_play_with_several_others(typed: Typed) -> None:
    """Three players, of whom one is a person."""
    file = Path(__file__).parent.parent / "naive" / "small_games.py"
    status, out, _ = typed(
        "play",
        f"{file}:ThreeHands",
        "--against",
        "random",
        "--seat",
        "2",
        "--seed",
        "1",
        lines="hint\n1\n",
    )
    assert status == 0, out
    assert "player 1: " in out
    assert "What player 1 saw:" in out
    assert "What player 3 saw:" in out
    assert "; you earned" in out
    assert "player 3 sees" in out


def test_play_from_the_second_seat(typed: Typed) -> None:
    status, out, _ = typed(
        "play",
        "IIGS(3)",
        "--against",
        "equilibrium",
        "--seat",
        "2",
        "--seed",
        "1",
        "--deals",
        "1",
        lines="3\nhint\n1\n2\n",
    )
    assert status == 0
    assert "50.00%" in out or "100.00%" in out
    assert "What player 1 saw:" in out
    assert "you earned" in out


def test_play_against_two(typed: Typed) -> None:
    status, out, _ = typed(
        *("play", THREE, "--against", "call", "--against", "raise", "--seat", "2"),
        *("--deals", "1"),
        lines="bet\nno\n",
    )
    assert status == 0
    assert "You are player 2 of 3, against call and raise." in out
    assert "What player 3 saw:" in out


@pytest.mark.parametrize("lines", ["quit\n", ""])
def test_play_and_leave(typed: Typed, lines: str) -> None:
    status, out, _ = typed("play", "Kuhn", "--against", "random", lines=lines)
    assert status == 0
    assert "You left." in out
    assert "What player 2 saw:" in out
    assert "--seed" in out


# --- refusals: one sentence, exit status 2, nothing on standard output ---


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["match", "Kuhn", "oss", "random", "--matches", "1"], "did you mean oos?"),
        (["match", "Khun", "random", "random", "--matches", "1"], "Khun"),
        (["match", "Kuhn", "oos", "random", "--matches", "1"], "needs a budget"),
        (["match", "Kuhn", "human", "random", "--matches", "1"], "hiddenhand play"),
        (["match", "Kuhn", "random", "random", "--matches", "0"], "--matches 0 is not"),
        (
            ["match", "Kuhn", "random", "call", "raise", "--matches", "1"],
            "Kuhn is for 2 players, and 3 are named; name 2, or play a tournament among all",
        ),
        (
            ["match", THREE, "random", "--until", "0.9"],
            f"--until or --until-width is for games of two players, and {THREE} has 3",
        ),
        (
            ["match", THREE, "random", "--matches", "1", "--value", "0"],
            f"--value is for games of two players, and {THREE} has 3",
        ),
        (
            ["tournament", THREE, "random", "call", "--matches", "1"],
            "between 3 or more different players",
        ),
        (
            ["match", THREE, *["random"] * 3, "--matches", "1", "--aivat-values", "solved"],
            "cannot be solved; use the values rollouts",
        ),
        (["match", "Kuhn", "random", "random", "--matches", "1", "--seed", "-1"], "seed -1"),
        (
            ["match", "Kuhn", "random", "random", "--matches", "1", "--deals", "0x1"],
            "--deals 0x1 is not allowed",
        ),
        (["play", "Kuhn", "--against", "random", "--deals", ""], "give a hexadecimal number"),
        (["match", "Kuhn", "random", "random", "--matches", "1", "--jobs", "0"], "--jobs 0 is not"),
        (
            [
                "match",
                "Kuhn",
                "random",
                "random",
                "--matches",
                "1",
                "--out",
                "/no/such/folder/file",
            ],
            "/no/such/folder/file",
        ),
        (
            ["match", "Kuhn", "random", "random", "--matches", "1", "--preplay", "0"],
            "--preplay 0.0 is not allowed",
        ),
        (["tournament", "Kuhn", "random", "--matches", "1"], "two or more different players"),
        (
            ["tournament", "Kuhn", "random", "random", "--matches", "1"],
            "two or more different players",
        ),
        (
            [
                "tournament",
                "Kuhn",
                "random",
                "equilibrium",
                "--matches",
                "1",
                "--picture",
                "/no/such/folder/file.png",
            ],
            "/no/such/folder/file.png",
        ),
        (
            [
                "tournament",
                "Kuhn",
                "random",
                "equilibrium",
                "--matches",
                "1",
                "--picture",
                "table.magic",
            ],
            "ends in .png",
        ),
        (["play", "Kuhn", "--against", "magic"], "no player 'magic'"),
        (
            ["play", "Kuhn", "--against", "random", "--against", "call"],
            "--against is given 2 times, and Kuhn has 1 other seat; give it once, or once for each",
        ),
        (["play", "Kuhn", "--against", "random", "--seat", "3"], "--seat 3"),
        (["play", "Kuhn", "--against", "oos", "--seconds", "0"], "--seconds 0.0 is not"),
        (["play", "Kuhn", "--against", "random", "--seed", "-1"], "seed -1"),
    ],
)
def test_bad_input(typed: Typed, arguments: list[str], says: str) -> None:
    status, out, err = typed(*arguments)
    assert (status, out) == (2, "")
    sentences = [line for line in err.splitlines() if not line.startswith("Compiling")]
    assert len(sentences) == 1
    assert sentences[0].startswith("hiddenhand: ")
    assert says in err
