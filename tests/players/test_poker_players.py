"""Players of poker who follow a simple rule."""

import pytest

from hiddenhand.errors import PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.players.match import MatchRecord, play_match
from hiddenhand.players.player import Deciding
from hiddenhand.players.specs import make_player

POKER = ["leduc_poker", "gp(3,2,1,2)", "limit_holdem(players=2)", "limit_holdem(players=3)"]


def named_moves(record: MatchRecord, player: int) -> list[tuple[list[str], str]]:
    """The names of the legal moves, and of the one that was made, at each decision of a player."""
    history, found = History(record.game), []
    for move in record.moves:
        if history.player == player:
            names = {
                action: record.game.action_name(history.state, player, action)
                for action in history.legal_actions()
            }
            found.append((list(names.values()), names[move]))
        history = history.child(move)
    return found


def matches(game: Game, spec: str, others: str) -> list[tuple[MatchRecord, int]]:
    """Matches of a player against others, each with the seat of the player."""
    found = []
    for seed in range(8):
        seat = seed % game.num_players
        players = [make_player(others, game) for _ in range(game.num_players)]
        players[seat] = make_player(spec, game)
        found.append((play_match(game, players, seed, chance_seed=seed), seat))
    return found


@pytest.mark.parametrize("text", POKER)
def test_a_caller_checks_and_calls(text: str) -> None:
    for record, seat in matches(load_game(text), "call", "random"):
        for names, name in named_moves(record, seat):
            assert name == ("call" if "fold" in names else "check")


@pytest.mark.parametrize("text", POKER)
def test_a_raiser_bets_and_raises_as_much_as_it_may(text: str) -> None:
    raised = called = 0
    for record, seat in matches(load_game(text), "raise", "raise"):
        for names, name in named_moves(record, seat):
            assert name == names[-1]
            raised += name.startswith(("raise", "bet"))
            called += name == "call"
    assert raised
    assert called


@pytest.mark.parametrize("spec", ["call", "raise"])
def test_kuhn_poker_in_every_information_set(spec: str) -> None:
    """There a bet calls a bet, and to pass is to check or to fold."""
    game = load_game("kuhn_poker")
    for history in all_histories(game):
        if history.player >= 0:
            player = make_player(spec, game)
            assert isinstance(player, Deciding)
            player.start(game, history.player, 0)
            moves = [
                move
                for move, mover in zip(history.moves, history.movers, strict=True)
                if mover != CHANCE
            ]
            expected = 1 if spec == "raise" or 1 in moves else 0
            assert player.act(events_of(history), [0, 1], None).action == expected


def events_of(history: History):  # type: ignore[no-untyped-def]
    """All that the player to move noticed on the way."""
    noticed, before = [], History(history.game)
    for move in history.moves:
        before = before.child(move)
        if event := before.noticed(history.player):
            noticed.append(event)
    return noticed


@pytest.mark.parametrize("spec", ["call", "raise"])
@pytest.mark.parametrize("text", ["LD(1,1,2)", "goofspiel(num_cards=3)", "matrix_game([[1]])"])
def test_other_games_are_refused(spec: str, text: str) -> None:
    with pytest.raises(PlayerError, match=f"{spec} is for games of poker"):
        make_player(spec, text)
