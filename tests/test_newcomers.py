"""What somebody types who meets the package for the first time: it works as they would expect."""

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typing_commands import Typed, own_verbs

from hiddenhand import (
    CFR,
    MCCFR,
    OOS,
    Budget,
    History,
    best_response,
    best_response_values,
    check,
    expected_values,
    exploitability,
    load_game,
    make_player,
    make_search,
    nash_conv,
    play_match,
    solve,
    unroll,
)
from hiddenhand.cli.verb import COMMON
from hiddenhand.errors import FileError, OptionError, PlayerError
from hiddenhand.solvers.solution import Solution
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.tree import GameTree

KUHN = load_game("kuhn_poker")
MEASURES: Any = [nash_conv, exploitability, expected_values, best_response_values]


@functools.cache
def tree() -> GameTree:
    return unroll(KUHN)


@functools.cache
def solved() -> Solution:
    return solve(KUHN)


GAMES: Any = {"game": lambda: KUHN, "name": lambda: "kuhn_poker", "tree": tree}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("measure", MEASURES)
def test_all_measures_take_the_same(measure: Any, game: str, tmp_path: Path) -> None:
    strategy, file = solved().strategy(), tmp_path / "kuhn.strategy"
    strategy.save(file)
    expected = measure(tree(), solved().profile)
    for known in (strategy, solved(), file, str(file), solved().profile):
        assert measure(GAMES[game](), known) == pytest.approx(expected, abs=1e-12)
    uniform = measure(tree(), uniform_profile(tree()))
    for nothing in (None, "uniform"):
        assert measure(GAMES[game](), nothing) == pytest.approx(uniform, abs=1e-12)


def test_a_search_that_has_run_is_measured() -> None:
    search = OOS(KUHN, seed=1)
    with pytest.raises(OptionError, match="OOS has found nothing yet; let it run first"):
        nash_conv(KUHN, search)
    search.run(iterations=20_000)
    assert nash_conv(KUHN, search) == nash_conv(KUHN, search.strategy())
    assert 0.0 < nash_conv("kuhn_poker", search) < 0.2
    run = CFR("kuhn_poker")
    run.run(100)
    assert nash_conv(KUHN, run.solution()) < 0.01


@pytest.mark.parametrize("game", GAMES)
def test_a_best_response_is_a_strategy(game: str) -> None:
    found = best_response(GAMES[game](), None, 0)
    assert found.value == pytest.approx(0.5)  # of player 0 to uniform play, by hand
    assert repr(found) == "Response(KuhnPoker(num_cards=3), player 0 earns 0.5)"
    assert expected_values(KUHN, found)[0] == pytest.approx(0.5)
    answer = best_response(GAMES[game](), solved().strategy(), player=1)
    assert answer.value == pytest.approx(1 / 18)


def test_what_cannot_be_measured_is_told() -> None:
    with pytest.raises(FileError, match="there is no file 'oos'; give uniform, the path of a file"):
        nash_conv("kuhn_poker", "oos")
    with pytest.raises(OptionError, match=r"strategy=3 is not allowed; give a Strategy, a Solut"):
        nash_conv("kuhn_poker", 3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="a profile of shape"):
        nash_conv("kuhn_poker", np.zeros(2))


@pytest.mark.slow
def test_a_name_does_for_a_game_everywhere() -> None:
    assert OOS("kuhn_poker").run(100).iterations == 100
    assert MCCFR("kuhn_poker", seed=1).run(10).iterations == 10
    assert check("kuhn_poker").histories == 58
    assert History("kuhn_poker").child(2).moves == (2,)
    assert play_match("kuhn_poker", ["random", "random"]).game == KUHN


def test_the_game_comes_first() -> None:
    search, player = make_search("kuhn_poker", "oos"), make_player("kuhn_poker", "oos")
    with pytest.raises(OptionError, match=r"is a game, not the name of an algorithm; give the gam"):
        make_search("oos", KUHN)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"is a game, not the name of a player; give the game fi"):
        make_player("oos", KUHN)  # type: ignore[arg-type]
    assert repr(search) == "OOS(KuhnPoker(num_cards=3), 0 iterations, 0 information sets)"
    assert repr(player) == "SearchPlayer(oos)"


@pytest.mark.parametrize("spec", ["oos", "mccfr", "mccr", "ismcts", "sm-mcts", "cr"])
def test_a_name_means_the_same_search_everywhere(spec: str) -> None:
    game = load_game("goofspiel(3)")
    player: Any = make_player(game, spec)
    searches = make_search(game, spec), player._make_search(game)
    told = [
        {
            name: value
            for name, value in vars(search).items()
            if isinstance(value, (str, float)) and not name.startswith("_")
        }
        for search in searches
    ]
    assert told[0] == told[1]


def test_a_budget_is_given_in_any_form() -> None:
    assert OOS(KUHN, seed=1).run(iterations=200).iterations == 200
    assert OOS(KUHN, seed=1).run(Budget(200)).iterations == 200
    assert CFR(KUHN).run(Budget(20)).iterations == 20
    assert solve(KUHN, "cfr+", iterations=Budget(20)).iterations == 20
    assert repr(Budget(200, 1.5)) == "Budget(iterations=200, seconds=1.5)"
    with pytest.raises(OptionError, match="a budget and seconds were given; give one of the two"):
        OOS(KUHN).run(Budget(200), seconds=1.0)


def test_a_match_is_played_by_names() -> None:
    record = play_match("kuhn_poker", ["oos", "random"], iterations=100, chance_seed=3)
    again = play_match(KUHN, ["oos", "random"], 0, Budget(100), chance_seed=3)
    assert record.moves == again.moves
    assert all(len(made) > 0 for made in record.decisions)
    payoffs = ", ".join(f"{payoff:g}" for payoff in record.returns)
    moves = f"{len(record.moves)} moves"
    assert repr(record) == f"MatchRecord(KuhnPoker(num_cards=3), {moves}, payoffs {payoffs})"
    with pytest.raises(PlayerError, match="there is no player 'osos'"):
        play_match("kuhn_poker", ["osos", "random"])
    with pytest.raises(OptionError, match="budgets and iterations or seconds were given; give one"):
        play_match("kuhn_poker", ["oos", "oos"], 0, Budget(10), seconds=1.0)


def test_a_strategy_is_read_by_words() -> None:
    strategy = solved().strategy()
    assert repr(strategy) == "Strategy(KuhnPoker(num_cards=3), 12 information sets)"
    known = dict(strategy.items())
    assert len(known) == 12
    assert known["player 2: your card: K; moves: bet"] == {"fold": 0.0, "call": 1.0}
    for words in ("player 2: your card: K; moves: bet", "your card: K; moves: bet"):
        assert strategy[words] == {"fold": 0.0, "call": 1.0}
    assert strategy["K none"] == {"check": 0.0, "bet": 1.0}
    with pytest.raises(OptionError, match="4 information sets say 'K'; give the words of one, suc"):
        strategy["K"]
    with pytest.raises(OptionError, match="0 information sets say 'ace'; give the words of one"):
        strategy["ace"]


def test_what_is_printed_is_one_line() -> None:
    assert repr(solved()) == "Solution(KuhnPoker(num_cards=3) by lp: value -0.0556, nash_conv 0)"
    assert repr(CFR(KUHN, "cfr")) == "CFR(KuhnPoker(num_cards=3), cfr, 0 iterations)"
    assert repr(MCCFR(KUHN)) == "MCCFR(KuhnPoker(num_cards=3), mccfr external, 0 iterations)"
    found = repr(OOS(KUHN, seed=1).run(200))
    assert found.startswith("SearchResult(oos in KuhnPoker(num_cards=3): 200 iterations, 1")


def test_both_kinds_of_mccfr_have_one_name() -> None:
    assert make_search("kuhn_poker", "mccfr").game == KUHN
    assert solve("kuhn_poker", "mccfr", iterations=10).method == "mccfr outcome"


# --- the command line ---


def test_equal_figures_have_equal_names_and_values_in_all_verbs(
    typed: Typed, tmp_path: Path
) -> None:
    file = str(tmp_path / "file")
    searched = typed.json("search kuhn_poker --iterations 500 --nash-conv --out", file)
    measured = typed.json("nash-conv kuhn_poker --strategy", file)
    asked = typed.json(f"exploit kuhn_poker strategy({file})")
    for found in (measured, asked):
        assert found["nash_conv"] == pytest.approx(searched["nash_conv"])
    assert measured["nash_conv"] == pytest.approx(nash_conv(KUHN, file))
    assert sum(measured["best_response_values"]) == pytest.approx(measured["nash_conv"])


def test_people_count_players_from_1_and_json_from_0(typed: Typed) -> None:
    command = "search kuhn_poker --iterations 10"
    assert "Player 1 to move:" in typed(command)[1]
    assert typed.json(command)["root_strategy"][0]["player"] == 0
    assert "player 0" not in typed("games")[1].lower()


@pytest.mark.slow
def test_check_counts_players_from_0_as_rules_do(typed: Typed) -> None:
    printed = typed("check dark_hex(2) --plays 5 --lint")[1]
    assert set(re.findall(r"player \d", printed)) == {"player 0", "player 1"}


def test_times_are_rounded(typed: Typed) -> None:
    printed = [
        typed("match kuhn_poker oos random --matches 2 --iterations 10 --mirror")[1],
        typed("match kuhn_poker(players=3) random call raise --matches 2")[1],
        typed("search kuhn_poker --iterations 100")[1],
    ]
    for out in printed:
        (line,) = re.findall(r"(?m)^seconds .*|.*seconds a move", out)
        for time in re.findall(r"\d[\d.]*(?:e-\d+)?", line):
            digits = time.split("e")[0].replace(".", "").lstrip("0")
            assert len(digits) <= 3, line


def test_a_parameter_is_given_in_parentheses_or_as_an_option(typed: Typed) -> None:
    for begin, shown in (
        ("search kuhn_poker oos", "algorithm"),
        ("solve kuhn_poker --method mccfr-outcome", "method"),
    ):
        for given in ("(epsilon=0.3)", " -p epsilon=0.3", " --param epsilon=.3"):
            found = typed.json(f"{begin}{given} --iterations 50")
            assert found[shown] == f"{begin.split()[-1]}(epsilon=0.3)"
    assert "oos has no parameter 'epsylon'; did you mean epsilon?" in typed.refused(
        "search kuhn_poker oos -p epsylon=0.3 --iterations 50"
    )


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("search kuhn_poker --iterations 0", "--iterations 0 is not allowed; give a whole number"),
        ("search kuhn_poker --seconds -1", "--seconds -1 is not allowed; give a number above 0"),
        (
            "search kuhn_poker --iterations 9 --jobs -2",
            "--jobs -2 is not allowed; give a whole number",
        ),
        ("match kuhn_poker random random --matches 2 --jobs 0", "--jobs 0 is not allowed; give"),
        ("solve kuhn_poker --method cfr --target 0", "--target 0 is not allowed; give a nash_conv"),
        ("train kuhn_poker --threads 0", "--threads 0 is not allowed; give a whole number"),
        ("solve kuhn_poker --seconds 1", "--seconds has no meaning for the methods induction and"),
        ("match kuhn_poker oos(iterations=0) random --matches 2", "iterations=0 is not allowed"),
    ],
)
def test_an_option_is_called_as_it_was_typed(typed: Typed, command: str, says: str) -> None:
    assert typed.refused(command).startswith(says)


def test_common_options_mean_the_same_in_all_verbs() -> None:
    """They have one name, one kind of value, and one place at the end of the help page."""
    kinds: dict[str, set[str]] = {}
    for verb in own_verbs().values():
        for command in getattr(verb, "commands", {"": verb}).values():
            page = command.get_help(command.context_class(command)).partition("Common options:\n")[
                2
            ]
            listed = re.findall(r"^  --([\w-]+)(?: (\S+))?", page, re.MULTILINE)
            options = [option.replace("-", "_").replace("json", "as_json") for option, _ in listed]
            assert options == sorted(options, key=COMMON.index)
            assert options[-1] == "help"
            for option, value in listed:
                kinds.setdefault(option, set()).add(value)
    assert {option: values for option, values in kinds.items() if len(values) > 1} == {}
