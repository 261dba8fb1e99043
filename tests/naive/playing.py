"""Helpers that play games move by move in plain Python."""

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.history import History


def played(game: Game, moves: str) -> History:
    """The history after moves given by name, separated by blanks; a name with blanks is written
    with underscores. Moves that are made at once are divided by a slash.
    """
    history = History(game)
    for written in moves.split():
        name = written.replace("_", " ")
        if history.player == SIMULTANEOUS:
            named = enumerate(name.split("/"))
            history = history.child(tuple(game.parse_action(history.state, *one) for one in named))
        else:
            history = history.child(game.parse_action(history.state, history.player, name))
    return history


def names_of(history: History) -> list[str]:
    """The names of the legal moves."""
    return [
        history.game.action_name(history.state, history.player, action)
        for action in history.legal_actions()
    ]


def uniform_value(history: History) -> float:
    """What player 0 expects if everybody plays uniformly at random from here on."""
    if history.is_terminal:
        return history.returns()[0]
    if history.player == CHANCE:
        return sum(
            p * uniform_value(history.child(action)) for action, p in history.chance_outcomes()
        )
    moves = history.legal_moves()
    return sum(uniform_value(history.child(move)) for move in moves) / len(moves)
