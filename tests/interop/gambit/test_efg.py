"""Files of Gambit: what is written is read again as the same game, and what is wrong is refused
with the line.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from naive.small_games import small
from scipy.optimize import linprog

from hiddenhand import unroll
from hiddenhand.errors import FileError, TooLargeError
from hiddenhand.games.history import History, all_histories
from hiddenhand.interop.gambit import read_efg, write_efg, write_nfg
from hiddenhand.interop.gambit.converting import exact, exact_probabilities, form_of, game_of_form
from hiddenhand.interop.gambit.reading import parse_efg
from hiddenhand.interop.gambit.writing import different, label

GAMES = ("Kuhn", "coordination_game", "IIGS(3)", "BRPS(10)", "LD(1,1,2)")

SMALL = """EFG 2 R "a \\"small\\" game" { "Ann" "Bob" } "said"
c "" 1 "deal" { "left" 1/3 "right" 2/3 } 1 "ante" { -1 .5 }
p "" 1 1 "" { "up" "down" } 0
t "" 2 "end" { 5e-1, 1/3 }
t "" 3 "" { 2, 0 }
p "" 1 1 0
p "" 2 7 "Bob" { "in" "in" } 0
t "" 2
t "" 3
t "" 0
"""


def test_numbers_outcomes_and_sets_are_read_as_they_stand() -> None:
    form = parse_efg(SMALL)
    assert form.title == 'a "small" game'
    assert form.players == ("Ann", "Bob")
    assert form.comment == "said"
    assert form.sets[0, 1].probabilities == (Fraction(1, 3), Fraction(2, 3))
    assert form.outcomes[1].payoffs == (Fraction(-1), Fraction(1, 2))
    assert form.outcomes[2].payoffs == (Fraction(1, 2), Fraction(1, 3))
    assert [node.number for node in form.nodes if node.player == 1] == [1, 1]
    game = game_of_form(form)
    ends = {
        history.moves: history.returns() for history in all_histories(game) if history.is_terminal
    }
    # the ante of outcome 1 is paid in every play: outcomes on the way add up
    assert ends == {
        (0, 0): (-0.5, float(Fraction(5, 6))),
        (0, 1): (1.0, 0.5),
        (1, 0, 0): (-0.5, float(Fraction(5, 6))),
        (1, 0, 1): (1.0, 0.5),
        (1, 1): (-1.0, 0.5),
    }
    at = History(game).child(1).child(0)
    assert [game.action_name(at.state, 1, move) for move in (0, 1)] == ["in", "in (2)"]
    assert not game.zero_sum


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("EFG 2 R", "EFG 1 R", 1, "version 2"),
        ("EFG 2", "NFG 2", 1, "does not begin with EFG"),
        ("2/3", "0.6666", 2, "whose sum is 0.999933333333"),
        ("1/3 ", "1/0 ", 2, "no number"),
        ("1/3 ", "1e999999999 ", 2, "no number"),
        ('1/3 "right" 2/3', '1e308 "right" 1e308', 2, "whose sum is beyond 1e308"),
        ('1/3 "right" 2/3', '-1e308 "right" -1e308', 2, "whose sum is beyond 1e308"),
        ('p "" 2 7', 'p "" 3 7', 7, "player 3 does not exist"),
        ('p "" 2 7', 'p "" 0 7', 7, "player 0 does not exist"),
        ('p "" 1 1 0', 'p "" 1 2 0', 6, "needs its actions"),
        ('p "" 1 1 0', 'p "" 1 1 "" { "up" } 0', 6, "has 1 actions here and 2"),
        ("{ 2, 0 }", "{ 2 }", 5, "1 payoffs for 2 players"),
        ('t "" 3\n', 't "" 4\n', 9, "needs its payoffs"),
        ('t "" 3\n', 't "" 3 "" { 0, 0 }\n', 9, "pays something else"),
        ('t "" 0\n', "", 9, "1 subtrees are missing"),
        ('t "" 0\n', 't "" 0\nt "" 0\n', 11, "more nodes follow"),
        ('"Bob" { "in"', '"Bob { "in"', 7, ""),
        ('{ "Ann" "Bob" }', "{ }", 1, "no players"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(old: str, new: str, line: int, said: str) -> None:
    assert old in SMALL
    with pytest.raises(FileError) as refused:
        parse_efg(SMALL.replace(old, new, 1), "game.efg")
    assert str(refused.value).startswith("game.efg, line ")
    assert said in str(refused.value)
    if said:
        assert abs(int(str(refused.value).split("line ")[1].split(":")[0]) - line) <= 1


def test_games_whose_players_forget_are_refused_by_name(tmp_path: Path) -> None:
    # Shoham and Leyton-Brown (2008), Figure 5.12: a set holds a node and its child
    path = tmp_path / "forgets.efg"
    path.write_text(
        'EFG 2 R "" { "1" "2" }\n'
        'p "" 1 1 "" { "L" "R" } 0\np "" 1 1 0\nt "" 1 "" { 1, 0 }\nt "" 2 "" { 100, 100 }\n'
        'p "" 2 1 "" { "U" "D" } 0\nt "" 3 "" { 5, 1 }\nt "" 4 "" { 2, 2 }\n'
    )
    with pytest.raises(FileError, match=r"forgets\.efg cannot be played here.*perfect recall"):
        read_efg(path)
    path.write_bytes(b'EFG 2 R "\xff"')
    with pytest.raises(FileError, match="no UTF-8"):
        read_efg(path)
    path.write_text('EFG 2 R "" { "1" } t "" 0')
    with pytest.raises(FileError, match="without moves"):
        read_efg(path)


def test_a_set_that_is_met_at_once_and_later_is_one_set() -> None:
    # player 1 moves twice; before the second move player 2 moves in one half of the game only
    form = parse_efg(
        'EFG 2 R "" { "1" "2" } c "" 1 "" { "a" 1/2 "b" 1/2 } 0\n'
        'p "" 1 1 "" { "x" "y" } 0\np "" 1 2 "" { "u" "v" } 0\n'
        't "" 1 "" { 1, -1 }\nt "" 0\nt "" 0\n'
        'p "" 1 1 0\np "" 2 1 "" { "m" } 0\np "" 1 2 0\nt "" 0\nt "" 1\nt "" 0\n'
    )
    tree = unroll(game_of_form(form))
    assert tree.counts().information_sets == [2, 1]


@pytest.mark.parametrize("spec", GAMES)
def test_games_survive_writing_and_reading(spec: str, tmp_path: Path) -> None:
    game, path = small(spec), tmp_path / "game.efg"
    write_efg(game, path)
    again = read_efg(path)
    before, after = unroll(game, verified=True), unroll(again, verified=True)
    assert after.num_histories == before.num_histories
    assert after.counts().information_sets == before.counts().information_sets
    assert after.counts().sequences == before.counts().sequences
    assert sorted(after.utility[:, 0].tolist()) == sorted(before.utility[:, 0].tolist())
    np.testing.assert_allclose(
        np.sort(after.terminal_chance), np.sort(before.terminal_chance), rtol=1e-15
    )
    # what was read is written to the letter as before, but for titles and names of sets
    first, second = parse_efg(path.read_text()), form_of(again)
    assert first.nodes == second.nodes
    assert first.outcomes == second.outcomes
    assert [its.actions for its in first.sets.values()] == [
        its.actions for its in second.sets.values()
    ]


def test_the_normal_form_of_kuhn(tmp_path: Path) -> None:
    write_nfg("kuhn_poker", tmp_path / "kuhn.nfg")
    lines = (tmp_path / "kuhn.nfg").read_text().splitlines()
    # Kuhn (1950): 27 and 64 pure strategies without those that differ where they do not matter
    first, second = lines[1][1:-1].split("} {")
    names = [part.split('"')[1::2] for part in (first, second)]
    assert [len(own) for own in names] == [27, 64]
    assert [len(set(own)) for own in names] == [27, 64]
    rows = [tuple(map(Fraction, line.split())) for line in lines[4:]]
    assert len(rows) == 27 * 64
    assert all(sum(row) == 0 for row in rows)
    # the first player's strategy changes fastest; the most that player 0 can be sure of
    payoffs = np.array([float(row[0]) for row in rows]).reshape(64, 27)
    found = linprog(
        np.eye(28)[27] * -1,
        A_ub=np.hstack([-payoffs, np.ones((64, 1))]),
        b_ub=np.zeros(64),
        A_eq=np.append(np.ones(27), 0)[None],
        b_eq=[1],
        bounds=[(0, 1)] * 27 + [(None, None)],
    )
    assert -found.fun == pytest.approx(-1 / 18, abs=1e-9)
    with pytest.raises(TooLargeError, match="max_profiles=100"):
        write_nfg("kuhn_poker", tmp_path / "no.nfg", max_profiles=100)


def test_numbers_become_fractions() -> None:
    assert exact(1 / 3) == Fraction(1, 3)
    assert exact(0.1) == Fraction(1, 10)
    assert exact(1e-300) == Fraction(1, 10**300)
    assert exact_probabilities([1 / 3] * 3) == (Fraction(1, 3),) * 3
    odd = [0.1234567890123, 0.3, 1 - 0.1234567890123 - 0.3]
    assert sum(exact_probabilities(odd)) == 1
    assert [float(p) for p in exact_probabilities(odd)] == pytest.approx(odd, rel=1e-15)


def test_labels_are_what_gambit_allows() -> None:
    assert label(' two\n\tblanks  and "é" ') == 'two blanks and " "'
    assert different(["a", "b", "A", "", "a", "a (2)"]) == (
        "a",
        "b",
        "A (3)",
        "action 4",
        "a (4)",
        "a (2)",
    )


def test_gambit_reads_what_is_written(tmp_path: Path) -> None:
    gambit = pytest.importorskip("pygambit", exc_type=ImportError)
    for spec in GAMES:
        write_efg(spec, tmp_path / "game.efg")
        theirs = gambit.read_efg(str(tmp_path / "game.efg"))
        assert len(list(theirs.players)) == 2
    catalogue = Path(gambit.__file__).parent / "catalog_data"
    refused = {path.name: said for path in sorted(catalogue.rglob("*.efg")) if (said := _no(path))}
    assert all("perfect recall" in said for said in refused.values())
    # games whose players forget, by the books and papers that they are from
    assert set(refused) <= {
        *("fig5_12.efg", "fig10.7.efg", "fig1.efg", "fig2.efg", "wichardt2008.efg")
    }


def _no(path: Path) -> str:
    """Why a file cannot be read; empty if it can."""
    try:
        read_efg(path)
    except FileError as error:
        return str(error)
    return ""
