"""Files as other programs print them, and games in normal form."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.openspiel_efg import as_openspiel_writes

from hiddenhand import History, load_game, nash_conv, solve, unroll
from hiddenhand.errors import FileError, TooLargeError, UnknownGameError
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.validation.conformance import check
from hiddenhand.interop.gambit import read_efg, read_nfg
from hiddenhand.interop.gambit.reading import parse_nfg

DRAWN = """EFG 2 R "drawn" { "Ann" "Bob" }
c "" 1 "" { "a" 0.142857142857 "b" 0.857142857143 } 0
p "" 1 1 "What Ann sees" { "up" "down" } 0
t "" 1 "" { 2, -2 }
t "" 2 "" { -1, 1 }
p "" 1 1 0
t "" 0 "" { 0, 0 }
t "" 0 "" { 1, -1 }
"""


def written(folder: Path, text: str, name: str = "game.efg") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_probabilities_that_are_rounded_are_divided_by_their_sum(tmp_path: Path) -> None:
    rounded = DRAWN.replace("0.857142857143", "0.8571428571")
    game = read_efg(written(tmp_path, rounded))
    p = 0.142857142857 / (0.142857142857 + 0.8571428571)
    assert unroll(game).probability[1:3] == pytest.approx([p, 1 - p], abs=1e-15)
    assert len(game.notes) == 1
    assert "line 2: the probabilities of chance's actions are 0.142857142857, " in game.notes[0]
    exact = read_efg(
        written(tmp_path, DRAWN.replace("0.142857142857", "1/7").replace("0.857142857143", "6/7"))
    )
    assert exact.notes == ()
    with pytest.raises(FileError, match=r"whose sum is 0\.99; they must be at least 0 and sum"):
        read_efg(written(tmp_path, DRAWN.replace("0.857142857143", "0.847142857143")))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Kuhn", -1 / 18),  # Kuhn (1950)
        ("Leduc", -0.0856064240780),  # an independent linear program, as in trees
        ("LD(1,1,3)", 1 / 9),  # the same
    ],
)
def test_files_in_the_style_of_openspiel(tmp_path: Path, name: str, value: float) -> None:
    game = read_efg(written(tmp_path, as_openspiel_writes(load_game(name))))
    tree = unroll(game)
    assert tree.num_sets == unroll(load_game(name)).num_sets
    assert solve(tree, "lp").value == pytest.approx(value, abs=1e-9)
    assert game.zero_sum


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "liars_dice(dice_sides=3)"]
)
def test_files_that_openspiel_writes(tmp_path: Path, name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import exploitability
    from open_spiel.python.algorithms.gambit import export_gambit
    from open_spiel.python.policy import UniformRandomPolicy

    theirs = pyspiel.load_game(name)
    game = read_efg(written(tmp_path, export_gambit(theirs)))
    gap = exploitability.nash_conv(theirs, UniformRandomPolicy(theirs))
    assert nash_conv(game, "uniform") == pytest.approx(gap, abs=1e-9)


PUBLIC_CARD = """EFG 2 R "a card that both see, and only one plays on" { "Ann" "Bob" }
p "" 1 1 "first" { "go" "stop" } 0
c "" 1 "" { "red" 1/2 "black" 1/2 } 0
p "" 1 2 "red" { "l" "r" } 0
p "" 2 1 "red" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
t "" 3 "" { 0, 0 }
p "" 1 3 "black" { "l" "r" } 0
p "" 2 2 "black" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
t "" 3 "" { 0, 0 }
t "" 4 "" { 0.5, -0.5 }
"""


def test_what_all_know_by_their_sets_is_no_secret(tmp_path: Path) -> None:
    """Bob knows the card at his next move, and sees nothing of it before."""
    check(read_efg(written(tmp_path, PUBLIC_CARD)))


FORGETFUL = """EFG 2 R "forgetful" { "Ann" "Bob" }
p "" 1 1 "morning" { "stay" "go" } 0
p "" 2 1 "any" { "x" "y" } 0
p "" 1 2 "evening" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
t "" 3 "" { 0, 0 }
p "" 2 1 "any" { "x" "y" } 0
p "" 1 2 "evening" { "l" "r" } 0
t "" 4 "" { 1, -1 }
t "" 5 "" { -1, 1 }
t "" 6 "" { 0, 0 }
"""


def test_who_forgets_is_said_by_the_labels_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileError) as refused:
        read_efg(written(tmp_path, FORGETFUL))
    said = str(refused.value)
    assert 'player 1 ("Ann") forgets an own move' in said
    assert (
        'comes to information set 2 "evening" after "stay" at information set 1 "morning" (line '
        '4), but also after "go" at information set 1 "morning" (line 9)' in said
    )
    with pytest.raises(FileError, match=r"without an own move before \(line 2\), but also after"):
        read_efg(written(tmp_path, FORGETFUL.replace('1 2 "evening"', '1 1 "morning"')))


def test_outcome_0_pays_at_its_own_node(tmp_path: Path) -> None:
    game = read_efg(written(tmp_path, DRAWN))
    paid = [History(game).child(1).child(move).returns() for move in (0, 1)]
    assert paid == [(0.0, 0.0), (1.0, -1.0)]


def test_a_mark_at_the_beginning_and_words_at_the_end_are_ignored(tmp_path: Path) -> None:
    plain = read_efg(written(tmp_path, DRAWN))
    marked = read_efg(written(tmp_path, "\ufeff" + DRAWN + "\nmade by hand; § 3\n"))
    assert marked == plain


def test_players_see_the_labels_of_their_sets(tmp_path: Path) -> None:
    game = read_efg(written(tmp_path, DRAWN))
    assert game.render(History(game).child(0).state, 0) == "you see What Ann sees"


def test_names_may_have_any_letters(tmp_path: Path) -> None:
    text = DRAWN.replace('"up" "down"', '"Löwe  hoch" "β"')
    game = read_efg(written(tmp_path, text))
    at = History(game).child(0)
    assert [game.action_name(at.state, 0, move) for move in (0, 1)] == ["Löwe hoch", "β"]
    matrix = PAYOFFS.replace("{ 2 3 }", '{ { "Löwe" "β" } 3 }')
    read = read_nfg(written(tmp_path, matrix, "game.nfg"))
    assert isinstance(read, MatrixGame)
    assert read.row_names == "Löwe, β"


@pytest.mark.parametrize("number", ["1e309", "-1e400", "1e308 0 1e309"])
def test_a_number_beyond_floating_point_is_refused(number: str, tmp_path: Path) -> None:
    text = DRAWN.replace("{ 2, -2 }", f"{{ {number}, -2 }}")
    with pytest.raises(FileError, match=r"line 4: .*(give one up to 1e308$|3 payoffs)"):
        read_efg(written(tmp_path, text))


def test_payoffs_whose_sum_is_beyond_floating_point_are_refused(tmp_path: Path) -> None:
    text = DRAWN.replace('"down" } 0', '"down" } 3 "" { 1.5e308, 0 }').replace("2, -2", "1e308, 0")
    with pytest.raises(FileError, match="the payoffs on the way of a play sum to more than"):
        read_efg(written(tmp_path, text))


PAYOFFS = """NFG 1 R "by payoffs" { "Row" "Column" } { 2 3 }
"a comment"
1 -1  2 -2  3 -3  4 -4  5 -5  6 -6
"""
OUTCOMES = """NFG 1 R "by outcomes" { "Row" "Column" }
{ { "up" "down" } { "left" "middle, and more" } }
{
{ "first" 3, 1 }
{ "second" 0, 1/2 }
}
1 2 0 1
"""


def test_payoffs_are_read_with_the_first_player_changing_fastest(tmp_path: Path) -> None:
    game = read_nfg(written(tmp_path, PAYOFFS, "game.nfg"))
    assert game == MatrixGame(
        np.array([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]), row_names="1,2", column_names="1,2,3"
    )
    assert solve(game, "lp").value == pytest.approx(2.0)  # the second row, the first column


def test_more_players_choose_in_the_dark(tmp_path: Path) -> None:
    payoffs = " ".join(f"{cell} {-cell} 0" for cell in range(12))
    text = f'NFG 1 R "three" {{ "A" "B" "C" }} {{ 2 3 2 }}\n{payoffs}'
    game = load_game(f"nfg:{written(tmp_path, text, 'three.nfg')}")
    tree = unroll(game)
    assert (tree.num_players, tree.num_sets) == (3, 3)
    for a in range(2):
        for b in range(3):
            for c in range(2):
                end = History(game).child(a).child(b).child(c)
                assert end.returns()[0] == a + 2 * b + 6 * c
    assert nash_conv(game, solve(game, "cfr+", iterations=2000)) < 0.1


def with_nothing_to_choose(players: int) -> str:
    names = " ".join(f'"{player}"' for player in range(players))
    return f'NFG 1 R "many" {{ {names} }} {{ {"1 " * players}}} {"0 " * players}'


def test_there_may_be_many_players(tmp_path: Path) -> None:
    form = parse_nfg(with_nothing_to_choose(1500)).in_turns()
    assert [node.player for node in form.nodes] == [*range(1, 1501), 0]
    assert unroll(read_nfg(written(tmp_path, with_nothing_to_choose(128)))).num_sets == 128
    with pytest.raises(TooLargeError, match="129 players, and a game with more than 128 cannot"):
        unroll(read_nfg(written(tmp_path, with_nothing_to_choose(129))))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("NFG", "EFG", "line 1: the file does not begin with NFG"),
        ("{ 2 3 }", "{ 2 3 2 }", "there are strategies of 3 players, and 2 players"),
        ("{ 2 3 }", "{ 2 0 }", "each needs at least one strategy"),
        ("{ 2 3 }", "{ 2 99999999 }", "combinations of strategies; at most"),
        ("{ 2 3 }", "{ 2 4999999 }", "9,999,998 combinations of strategies, and fewer numbers"),
        ("6 -6", "6", "a payoff must stand here, a number; the file ends there"),
        ('{ "Row" "Column" }', "{ }", "the game has no players"),
    ],
)
def test_damaged_normal_forms_are_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in PAYOFFS
    with pytest.raises(FileError, match=says):
        read_nfg(written(tmp_path, PAYOFFS.replace(old, new), "game.nfg"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("1 2 0 1", "1 2 0 3", "there is no outcome 3"),
        ("3, 1 }", "3 }", "outcome 1 has 1 payoffs for 2 players"),
    ],
)
def test_damaged_outcomes_are_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in OUTCOMES
    with pytest.raises(FileError, match=says):
        read_nfg(written(tmp_path, OUTCOMES.replace(old, new), "game.nfg"))


def test_a_path_is_known_by_its_ending(tmp_path: Path) -> None:
    # a path may have a colon, as paths on Windows do
    name = "at 12:30.efg" if os.name == "posix" else "game.efg"
    tree, matrix = written(tmp_path, DRAWN, name), written(tmp_path, PAYOFFS, "a b, c.NFG")
    assert load_game(str(tree)) == load_game(f"efg:{tree}") == read_efg(tree)
    assert load_game(str(matrix)) == load_game(f"nfg:{matrix}")


def test_an_unknown_prefix_is_told_from_a_module() -> None:
    with pytest.raises(
        UnknownGameError, match="No module named 'xyz'; games of other programs have"
    ):
        load_game("xyz:F")


def test_notes_are_told_on_the_command_line(tmp_path: Path, typed: Any) -> None:
    file = written(tmp_path, DRAWN.replace("0.857142857143", "0.8571428571"))
    for verb in ("solve", "check"):
        status, _, err = typed(verb, str(file))
        assert status == 0
        assert "Note: " in err
        assert "they were divided by 0.9999999999" in err
