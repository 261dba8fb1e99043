"""The command line, as a user types it: answers in JSON, refusals, and Ctrl-C. `test_golden.py` has
what people read.
"""

import json
import signal
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from signals import start
from typing_commands import Typed

from hiddenhand.cli import common
from hiddenhand.progress import Report

# --- answers ---


def test_info_has_the_counts(typed: Typed) -> None:
    """Counts from an independently written sequence-form linear program."""
    found = typed.json("info GP(3,3,2,2)")
    assert found.pop("rules").startswith("The pack has 9 cards")
    assert found.pop("payoff_unit") == "chips"
    assert found == {
        "game": "GP(3,3,2,2)",
        "players": 2,
        "max_actions": 4,
        "max_depth": 13,
        "decision_histories": [11880, 11880],
        "chance_histories": 265,
        "terminal_histories": 44883,
        "information_sets": [3960, 3960],
        "sequences": [11353, 11353],
        "public_states": 2640,
        "max_utility": 37.0,
    }


def test_info_of_a_game_too_large_to_count(typed: Typed) -> None:
    found = typed.json("info IIGS(6) --max-histories 1000")
    assert found["terminal_histories"] is None
    assert found["max_utility"] == 1.0


@pytest.mark.parametrize("method", ["lp", "cfr", "cfr+", "lcfr", "dcfr", "pcfr+"])
def test_solve(typed: Typed, method: str) -> None:
    target = "" if method == "lp" else "--target 0.01"
    found = typed.json(f"solve kuhn_poker --method {method} {target}")
    assert found["value"] == pytest.approx(-1 / 18, abs=0.01)
    assert found["nash_conv"] <= (1e-9 if method == "lp" else 0.01)


def test_solve_writes_what_nash_conv_reads(typed: Typed, tmp_path: Path) -> None:
    file = str(tmp_path / "solved")
    typed.json("solve Leduc --out", file)
    found = typed.json("nash-conv Leduc --strategy", file)
    assert found["nash_conv"] == pytest.approx(0.0, abs=1e-9)
    assert sum(found["best_response_values"]) == pytest.approx(0.0, abs=1e-9)
    status, out, err = typed("nash-conv Kuhn --strategy", file)
    assert (status, out) == (2, "")
    assert "KuhnPoker" in err
    assert "LeducPoker" in err


def test_solve_goes_on_from_a_checkpoint(typed: Typed, tmp_path: Path) -> None:
    solve, kept = "solve Kuhn --method cfr+ --iterations", ("--checkpoint", str(tmp_path / "file"))
    assert typed.json(f"{solve} 50", *kept)["iterations"] == 50
    pieces, whole = typed.json(f"{solve} 70", *kept), typed.json(f"{solve} 120")
    assert pieces["iterations"] == 120
    assert pieces["nash_conv"] == whole["nash_conv"]


def test_a_strategy_is_read_in_words(typed: Typed, tmp_path: Path) -> None:
    file = str(tmp_path / "solved")
    typed.json("solve Kuhn --out", file)
    found = typed.json("strategy Kuhn", file, "--where", "K bet")["information_sets"]
    assert [entry["information"] for entry in found] == [
        "your card: K; moves: bet",
        "your card: K; moves: check bet",
    ]
    assert found[1]["probabilities"] == {"fold": 0.0, "call": 1.0}
    assert found[1]["regrets"] == {"fold": -3.0, "call": 0.0}  # 1 lost in place of 2 won
    one = typed.json("strategy Kuhn", file, "--after", "J, K, bet")
    assert (one["player"], one["probabilities"]) == (1, {"fold": 0.0, "call": 1.0})
    status, out, _ = typed("strategy Kuhn", file)
    assert (status, out.count("sees:")) == (0, 12)


def test_nash_conv_of_uniform_play(typed: Typed) -> None:
    """OpenSpiel 2.0.2 says 11/12 for Kuhn poker."""
    assert typed.json("nash-conv Kuhn --uniform")["nash_conv"] == pytest.approx(11 / 12)


def test_search(typed: Typed) -> None:
    found = typed.json("search IIGS(4) oos --iterations 20000 --seed 1 --nash-conv")
    assert found["traversals"] == 2 * found["iterations"] == 40_000
    assert 0 < found["nash_conv"] < 0.5
    (first,) = found["root_strategy"]
    assert sum(first["probabilities"].values()) == pytest.approx(1.0)


def test_search_goes_on_where_it_stopped(typed: Typed, tmp_path: Path) -> None:
    first, second, whole = (str(tmp_path / name) for name in ("first", "second", "whole"))
    typed.json("search IIGS(4) --iterations 1000 --seed 3 --out", first)
    typed.json("search IIGS(4) --iterations 500 --resume", first, "--out", second)
    typed.json("search IIGS(4) --iterations 1500 --seed 3 --out", whole)
    measured = [typed.json("nash-conv IIGS(4) --strategy", file) for file in (second, whole)]
    assert measured[0] == measured[1]


def test_games_are_listed(typed: Typed) -> None:
    listed = {entry["name"] for entry in typed.json("games")["games"]}
    assert {"goofspiel", "kuhn_poker", "leduc_poker", "liars_dice", "phantom_ttt"} <= listed


def test_check_passes_a_user_s_game(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kuhn_of_mine.py").write_text(
        "from hiddenhand.games.poker.kuhn import KuhnPoker as Mine\n"
    )
    monkeypatch.chdir(tmp_path)
    assert typed.json("check kuhn_of_mine:Mine")["passed"] is True
    assert "keeps the laws" in typed("check kuhn_of_mine.py:Mine(num_cards=4)")[1]


def test_check_warns_if_asked(typed: Typed) -> None:
    warned = typed.json("check dark_hex(2) --lint --plays 5")
    assert warned["passed"] is True
    assert "no other player notices a move" in warned["warnings"][0]
    assert "No warnings." in typed("check Kuhn --lint --plays 5")[1]


@pytest.mark.slow
@pytest.mark.timed
def test_demo(typed: Typed) -> None:
    status, out, _ = typed("demo --seconds 0.1")
    assert status == 0
    assert "nash_conv" in out
    assert "your hand: 1 2 3 4 5 6" in out


def test_cache(typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "cache"))
    assert typed.json("cache path")["path"].startswith(str(tmp_path / "cache"))
    assert typed.json("cache clear")["freed_bytes"] == 0


# --- refusals: one sentence, exit status 2, nothing on standard output ---


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("info kuhn_pokr", "kuhn_poker"),
        ("info LD(1,1,6", "LD(1,1,6"),
        ("info goofspiel(num_cards=99)", "99"),
        ("info Kuhn --max-histories 0", "--max-histories 0 is not"),
        ("solve Kuhn --method magic", "magic"),
        ("solve Kuhn --target 0.1", "exact"),
        ("solve Kuhn -p epsilon=0.1", "--param has no meaning without --method; name a method"),
        ("solve Kuhn --method cfr --target -1", "--target -1 is not"),
        ("solve Kuhn --method cfr --iterations 0", "--iterations 0 is not"),
        ("solve Kuhn --out /no/such/folder/file", "/no/such/folder/file"),
        ("solve PTTT --max-histories 1000", "more than 1,000"),
        ("search Kuhn", "no budget"),
        ("search Kuhn --iterations -5", "--iterations -5 is not"),
        ("search Kuhn --seconds 0", "--seconds 0 is not"),
        ("search Kuhn --iterations 5 --seed -1", "seed -1"),
        ("search Kuhn --iterations 5 --unseen magic", "magic"),
        ("search Kuhn --iterations 5 --resume /no/such/file", "/no/such/file"),
        ("nash-conv Kuhn", "--uniform"),
        (f"strategy Kuhn {__file__}", "damaged"),
        ("strategy Kuhn a --after 1 --where K", "--where has no meaning"),
        ("strategy Kuhn a --out a.txt", "ends in .csv or .parquet"),
        (f"nash-conv Kuhn --strategy {__file__}", "damaged"),
        ("check no_such_module:Game", "no_such_module"),
        ("check Kuhn --plays -1", "--plays -1 is not allowed; give an integer of at least 1"),
        ("demo --seconds -1", "--seconds -1 is not"),
    ],
)
def test_bad_input(typed: Typed, command: str, says: str) -> None:
    assert says in typed.refused(command)


def test_a_broken_game_is_explained(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text(
        "from dataclasses import dataclass\n"
        "from hiddenhand.games.poker.kuhn import KuhnPoker\n\n"
        "@dataclass(frozen=True)\n"
        "class Broken(KuhnPoker):\n"
        "    def returns(self, state, player):\n"
        "        return 1.0\n"
    )
    monkeypatch.chdir(tmp_path)
    status, out, err = typed("check broken:Broken")
    assert (status, out) == (2, "")
    assert "returns sum to 0" in err


# --- Ctrl-C ---

TELLING = """
import sys
from contextlib import contextmanager
from hiddenhand.cli import common, main

class Telling:
    begun = False

    def update(self, report):
        if not self.begun and report.figures["traversals"] >= 100_000:
            self.begun = True
            print("begun", file=sys.stderr, flush=True)

@contextmanager
def telling(title):
    yield Telling()

common.live_progress = telling
main.main()
"""
"""The command line, which says when it has begun with long work."""


@pytest.mark.slow
def test_an_interrupted_search_keeps_what_it_did(typed: Typed, tmp_path: Path) -> None:
    """In a process of its own, while machine code runs."""
    typed.json("search Kuhn --iterations 10")  # so that nothing has to be compiled
    file = tmp_path / "search"
    words = ("search", "Kuhn", "--seconds", "600", "--json", "--out", file)
    with start([sys.executable, "-c", TELLING, *words]) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert json.loads(out)["iterations"] > 0
    assert typed.json("nash-conv Kuhn --strategy", str(file))["nash_conv"] < 0.1


def test_an_interrupted_solver_keeps_its_checkpoint(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = ("solve Leduc --method cfr --checkpoint", str(tmp_path / "checkpoint"), "--iterations")

    class Interrupting:
        """Somebody types Ctrl-C when the third chunk of iterations is done."""

        chunks = 0

        def update(self, report: Report) -> None:
            self.chunks += report.unit == "iterations"
            if self.chunks == 3:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(common, "live_progress", lambda title: nullcontext(Interrupting()))
        status, out, _ = typed(*solve, "1000000000", "--json")
    assert status == 130
    done = json.loads(out)["iterations"]
    assert done > 0
    assert typed.json(*solve, "1")["iterations"] == done + 1
