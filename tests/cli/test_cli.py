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
from hiddenhand.errors import TooLargeError
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


@pytest.mark.slow
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
    said = typed.refused("strategy Leduc", file, "--picture", f"{tmp_path}/all.svg")
    assert said.endswith("at most 12 information sets, not 288; select some with --where")


def test_what_is_known_is_printed_without_an_equilibrium_to_write(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise TooLargeError("too many to enumerate")

    monkeypatch.setattr("hiddenhand.solvers.general_sum.enumerate_supports", refuse)
    game = "matrix_game(payoffs=[[2,0],[0,1]],payoffs_1=[[1,0],[0,2]])"
    status, out, err = typed(f"solve {game} --iterations 5 --json --out {tmp_path}/solved")
    assert status == 2
    assert json.loads(out)["left_out"] == ["too many to enumerate"]
    assert "--out needs a Nash equilibrium" in err


def test_a_game_in_which_no_player_decides(typed: Typed, tmp_path: Path) -> None:
    game = tmp_path / "lottery.efg"
    game.write_text(
        'EFG 2 R "" { "A" "B" } c "" 1 "" { "w" 1/4 "l" 3/4 } 0 '
        't "" 1 "" { 2, -2 } t "" 2 "" { -1, 1 }'
    )
    found = typed.json(f"solve efg:{game} --out {tmp_path}/solved")
    assert found["value"] == pytest.approx(-0.25)
    said = typed.refused(f"strategy efg:{game} {tmp_path}/solved")
    assert said.endswith("no player decides, so a strategy of it has nothing to show")


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


@pytest.mark.slow
def test_check_passes_a_user_s_game(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kuhn_of_mine.py").write_text(
        "from hiddenhand.games.poker.kuhn import KuhnPoker as Mine\n"
    )
    monkeypatch.chdir(tmp_path)
    assert typed.json("check kuhn_of_mine:Mine")["passed"] is True
    assert "keeps the laws" in typed("check kuhn_of_mine.py:Mine(num_cards=4)")[1]


@pytest.mark.slow
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


# --- refusals: one sentence, exit status 2, nothing on standard output ---


def test_bad_input(typed: Typed) -> None:
    file = Path(__file__).with_name("refused.txt")
    for line in file.read_text().replace("{this file}", str(file)).splitlines():
        command, _, says = line.partition(" => ")
        assert not says or says in typed.refused(command), line


BROKEN = """
import random
from dataclasses import dataclass
from hiddenhand.games.poker.kuhn import KuhnPoker

@dataclass(frozen=True)
class Greedy(KuhnPoker):
    def returns(self, state, player):
        return 1.0

@dataclass(frozen=True)
class Failing(KuhnPoker):
    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        state[9] = action

@dataclass(frozen=True)
class Moody(KuhnPoker):
    def returns(self, state, player):
        return random.random()
"""


@pytest.mark.parametrize(
    ("name", "law", "rule", "line", "move", "cure"),
    [
        ("Greedy", "returns sum to 0 where", "returns", "    def returns(self,", None, "zero_sum"),
        ("Failing", None, "apply_action", "        state[9] = action", 2, "this size larger"),
        ("Moody", "the same rule on", "returns", "    def returns(self,", None, "return CHANCE"),
    ],
)
def test_a_broken_game_is_explained(
    name: str,
    law: str | None,
    rule: str,
    line: str,
    move: int | None,
    cure: str,
    typed: Typed,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    status, out, err = typed(f"check broken.py:{name}")
    assert (status, out) == (2, "")
    status, out, _ = typed(f"check broken.py:{name} --json")
    told = json.loads(out)
    assert (status, told["passed"], told["rule"]) == (2, False, rule)
    assert (told["law"] or "none").startswith(law or "none")
    assert told["message"].splitlines()[0] in err.replace("\n", " ")
    assert Path(told["file"]).name == "broken.py"
    assert BROKEN.splitlines()[told["line"] - 1].startswith(line)
    assert told["move"] == move
    assert cure in told["cure"]
    if name == "Greedy":
        assert len(told["history"]) == len(told["moves"]) > 2
        assert told["moves"][0].startswith("chance: ")


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


def test_a_limit_that_comes_before_the_target_is_told(typed: Typed) -> None:
    status, _, err = typed("solve Kuhn --method cfr+ --iterations 5 --target 1e-9")
    assert status == 0
    assert "after 5 iterations, and the target is 1e-09. Give more iterations" in err
    assert "no longer falls" not in err


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


@pytest.mark.slow
def test_what_a_rules_file_prints_is_no_part_of_the_json(typed: Typed, tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text(
        """
from dataclasses import dataclass
from hiddenhand.games.poker.kuhn import KuhnPoker

print("at the top")

@dataclass(frozen=True)
class Loud(KuhnPoker):
    def initial_state(self, state):
        print("in a rule")
        state[:] = 0
"""
    )
    status, out, said = typed("check", f"{file}:Loud", "--json")
    assert (status, out.count("\n")) == (0, 1)
    assert json.loads(out)["passed"]
    assert "at the top\n" in said
    assert "in a rule\n" in said
