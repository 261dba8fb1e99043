"""What players read of positions: `renders.txt`, which people can check by reading.

``python tests/games/test_renders.py`` writes it anew after a game changes its words.
"""

from pathlib import Path

from naive.playing import played

from hiddenhand.games.registry import load_game

FILE = Path(__file__).parent / "renders.txt"
HEAD = "=== "


def positions() -> list[tuple[str, str]]:
    """Head and text of each position. A head is the game, the moves as in `plays.txt`, and the
    player who reads, divided by bars.
    """
    _, *found = FILE.read_text("utf-8").split(f"\n{HEAD}")
    return [(head, text.rstrip("\n")) for head, _, text in (part.partition("\n") for part in found)]


def read_by(head: str) -> str:
    """What the player reads in the position of a head."""
    game, moves, player = (part.strip() for part in head.split("|"))
    history = played(load_game(game), moves)
    return history.game.render(history.state, int(player))


def test_what_players_read() -> None:
    for head, text in positions():
        assert read_by(head) == text, head


if __name__ == "__main__":
    told = [f"\n{HEAD}{head}\n{read_by(head)}\n" for head, _ in positions()]
    about = FILE.read_text("utf-8").partition(f"\n{HEAD}")[0]
    FILE.write_text(f"{about}{''.join(told)}", encoding="utf-8")
