"""What plays pay, by hand: `plays.txt`."""

from pathlib import Path

from naive.playing import played

from hiddenhand.games.registry import load_game

TABLE = Path(__file__).parent / "plays.txt"


def plays() -> list[tuple[str, str, list[float] | None]]:
    """Game, moves and payoffs of each line; None for a play that is not over."""
    found, game = [], ""
    for line in TABLE.read_text("utf-8").splitlines():
        said = line.partition("#")[0].rstrip()
        if not said.startswith(" "):
            game = said or game
            continue
        if said.strip():
            moves, _, paid = said.partition(" :")
            payoffs = [float(payoff) for payoff in paid.split()]
            found.append((game, moves.strip(), payoffs or None))
    return found


def test_what_is_paid() -> None:
    for game, moves, payoffs in plays():
        end = played(load_game(game), moves)
        assert end.is_terminal == (payoffs is not None), (game, moves)
        if payoffs is not None:
            expected = payoffs if len(payoffs) > 1 else [payoffs[0], -payoffs[0]]
            assert list(end.returns()) == expected, (game, moves)
