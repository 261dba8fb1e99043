"""Files of LiteEFG: games come back as they were, and each mistake has its line."""

from pathlib import Path

import numpy as np
import pytest

from hiddenhand import load_game, solve, unroll
from hiddenhand.errors import FileError, TooLargeError
from hiddenhand.interop.liteefg import read_liteefg, write_liteefg

# Written by hand for these tests in the shape that LiteEFG's page on FileEnv describes: chance
# shows player 1 a coin, and player 2 guesses what player 1 says it is.
COIN = """# Coin
#
# Opt {
#     num_players: 2,
# }
#
node / chance actions h=0.5 t=0.5
node /C:h player 1 actions say keep
node /C:h/P1:say player 2 actions h t
node /C:h/P1:say/P2:h leaf payoffs 1=-1 2=1
node /C:h/P1:say/P2:t leaf payoffs 1=1.5 2=-1.5
node /C:h/P1:keep leaf payoffs 1=0 2=0
node /C:t player 1 actions say keep
node /C:t/P1:say player 2 actions h t
node /C:t/P1:say/P2:h leaf payoffs 1=1.5 2=-1.5
node /C:t/P1:say/P2:t leaf payoffs 1=-1 2=1
node /C:t/P1:keep leaf payoffs 1=0 2=0
infoset guess nodes /C:h/P1:say /C:t/P1:say
"""

FIRST = "player 1 actions say keep\nnode /C:h/P1:say "


@pytest.fixture
def coin(tmp_path: Path) -> Path:
    path = tmp_path / "coin.game"
    path.write_text(COIN)
    return path


def test_a_file_is_read(coin: Path) -> None:
    """By hand: player 2 guesses either with one half, so saying earns (1.5 - 1) / 2."""
    game = read_liteefg(coin)
    tree = unroll(game)
    assert (tree.num_histories, tree.num_sets) == (11, 3)
    assert solve(tree, "lp").value == pytest.approx(0.25)
    assert game == load_game(f"liteefg:{coin}")
    assert game.notes == ()


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "coordination_game",
        "IIGS(3)",
        pytest.param("leduc_poker", marks=pytest.mark.thorough),
    ],
)
def test_games_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    write_liteefg(name, tmp_path / "it.game")
    own, back = unroll(load_game(name)), unroll(read_liteefg(tmp_path / "it.game"))
    assert back.num_sets == own.num_sets
    assert np.array_equal(np.sort(back.utility[:, 0]), np.sort(own.utility[:, 0]))
    assert solve(back, "lp").value == pytest.approx(solve(own, "lp").value, abs=1e-9)
    write_liteefg(read_liteefg(tmp_path / "it.game"), tmp_path / "again.game")
    first, again = (
        (tmp_path / file).read_text().splitlines()[1:] for file in ("it.game", "again.game")
    )
    assert [line for line in first if line.startswith("node")] == [
        line for line in again if line.startswith("node")
    ]  # sets have other numbers where their order differs


def test_huge_payoffs_come_back(tmp_path: Path) -> None:
    write_liteefg("matrix_game(payoffs=[[1e100,-1e41]])", tmp_path / "it.game")
    assert unroll(read_liteefg(tmp_path / "it.game")).utility[:, 0].tolist() == [1e100, -1e41]


def test_kuhn_poker_is_written_as_the_page_describes(tmp_path: Path) -> None:
    write_liteefg("kuhn_poker", tmp_path / "kuhn.game")
    lines = (tmp_path / "kuhn.game").read_text().splitlines()
    assert "#     num_players: 2," in lines
    assert "node /C:J/C:Q player 1 actions check bet" in lines
    assert "node /C:J/C:Q/P1:check/P2:check leaf payoffs 1=-1 2=1" in lines
    assert "node /C:J chance actions Q=0.5 K=0.5" in lines
    assert "infoset p1_1 nodes /C:J/C:Q /C:J/C:K" in lines
    assert all(line.startswith("infoset") for line in lines[-12:])


def test_weights_of_chance_are_divided_by_their_sum(coin: Path) -> None:
    coin.write_text(COIN.replace("h=0.5 t=0.5", "h=0.33333333 t=0.66666667e0").replace("1.5", "1"))
    game = read_liteefg(coin)
    assert game.notes == ()
    coin.write_text(COIN.replace("h=0.5 t=0.5", "h=1 t=2"))
    game = read_liteefg(coin)
    assert game.notes == ("The weights of chance were divided by their sum.",)
    tree = unroll(game)
    assert tree.probability[1:3].tolist() == pytest.approx([1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("#     num_players: 2,\n", "", 7, "there is no player '1'|a payoff"),
        (FIRST, FIRST.replace("1", "3", 1), 8, "no player '3'"),
        ("node /C:h/P1:keep leaf payoffs 1=0 2=0\n", "", 8, "leads to the node '/C:h/P1:keep',"),
        (
            "1=1.5 2=-1.5\nnode /C:h/P1:keep",
            "1=1.5\nnode /C:h/P1:keep",
            11,
            "a payoff of each of the 2 players",
        ),
        ("h=0.5 t=0.5", "h=0.5 t=", 7, "'t=' is no name with a number"),
        ("h=0.5 t=0.5", "h=0.5 t=1e400", 7, "'t=1e400' is too large; give a number of at most"),
        ("h=0.5 t=0.5", "h=-1 t=0.5", 7, "the weights of chance"),
        ("h=0.5 t=0.5", "h=0.5 h=0.5", 7, "one name stands twice"),
        (FIRST, FIRST.replace("keep", "say"), 8, "two actions have one name"),
        ("nodes /C:h/P1:say /C:t/P1:say", "nodes /C:h/P1:say /C:x", 18, "there is no node '/C:x'"),
        ("nodes /C:h/P1:say /C:t/P1:say", "nodes /C:h/P1:say /C:t", 18, "not of one player with"),
        (
            "nodes /C:h/P1:say /C:t/P1:say",
            "nodes /C:h/P1:say /C:h/P1:say\ninfoset b nodes /C:h/P1:say",
            19,
            "in another set already",
        ),
        (
            "node /C:t/P1:keep leaf payoffs 1=0 2=0",
            "node /C:t/P1:keep leaf payoffs 1=0 2=0\nnode /x leaf payoffs 1=0 2=0",
            18,
            "no action leads to '/x'",
        ),
        ("node /C:t/P1:keep leaf", "node /C:h leaf", 17, "the node '/C:h' is there already"),
        ("infoset guess nodes", "set guess of", 18, "cannot be read; write node NAME"),
    ],
)
def test_a_mistake_has_its_line(coin: Path, old: str, new: str, line: int, problem: str) -> None:
    assert COIN.count(old) == 1 or old == FIRST
    coin.write_text(COIN.replace(old, new, 1))
    with pytest.raises(FileError, match=problem) as caught:
        read_liteefg(coin)
    assert f"line {line}: " in str(caught.value) or "how many players" in str(caught.value)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.game"
    path.write_text("GAMEDEF\nlimit\nEND GAMEDEF\n")
    with pytest.raises(FileError, match="line 1: 'GAMEDEF' cannot be read"):
        read_liteefg(path)
    path.write_text("# num_players: 2,\n")
    with pytest.raises(FileError, match="has no node /"):
        read_liteefg(path)
    path.write_text("#\n")
    with pytest.raises(FileError, match="does not say how many players"):
        read_liteefg(path)
    path.write_bytes(b"node \xff")
    with pytest.raises(FileError, match="byte 5 is no UTF-8"):
        read_liteefg(path)
    with pytest.raises(TooLargeError, match="max_histories=10"):
        write_liteefg("kuhn_poker", path, max_histories=10)
