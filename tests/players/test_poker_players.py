"""Players of poker who follow a simple rule."""

import pytest

from hiddenhand.errors import PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.hands import read_cards
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.registry import load_game
from hiddenhand.matches.match import MatchRecord, play_match
from hiddenhand.players.player import Deciding
from hiddenhand.players.pot_odds import SAMPLES
from hiddenhand.players.registry import make_player
from hiddenhand.statistics import mean_interval

POKER = [
    *("leduc_poker", "leduc_poker(players=3)", "gp(3,2,1,2)"),
    *("limit_holdem(players=2)", "limit_holdem(players=3)"),
]


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
        players = [make_player(game, others) for _ in range(game.num_players)]
        players[seat] = make_player(game, spec)
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
            player = make_player(game, spec)
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
        make_player(text, spec)


# --- hand strength and pot odds ---


def at_decision(moves: str, cards: list[str], players: int = 2) -> tuple[Deciding, list[int]]:
    """A player by pot odds who has followed a hand up to an own decision, and the legal actions.

    moves: the actions, f, c and r.
    cards: all hole cards, position by position, and then the board, as they are dealt.
    """
    game = load_game(f"limit_holdem(players={players})")
    history, left = History(game), [card for text in cards for card in read_cards(text)]
    actions = ["fcr".index(letter) for letter in moves]
    while history.player == CHANCE or actions:
        history = history.child(left.pop(0) if history.player == CHANCE else actions.pop(0))
    player = make_player(game, "pot-odds")
    assert isinstance(player, Deciding)
    player.start(game, history.player, 1)
    player.follow(events_of(history))
    return player, history.legal_actions()


# the known chances of two cards against random ones; a royal flush loses to nobody; a seven high
# on its board wins only where others have less; and the prices of the calls are by hand
DECISIONS = [
    ("", ["2c7d", "AcAd"], 0.852, LimitHoldem.RAISE),  # the button opens before the flop
    ("", ["AcAd", "2c7d"], 0.346, LimitHoldem.CALL),  # 5 chips for a share of 20
    ("r", ["2c7d", "AcAd"], 0.346, LimitHoldem.FOLD),  # 10 chips for one of 40; less after a bet
    ("r", ["AcAd", "2c7d"], 0.852, LimitHoldem.RAISE),
    ("rr", ["2c7d", "Qh6c"], None, LimitHoldem.CALL),  # 10 for 60; the own bet says nothing
    ("rrrc", ["2c7d", "AsKs", "QsJsTs"], None, LimitHoldem.CALL),  # a check
    ("rrrcr", ["2c7d", "AsKs", "QsJsTs"], 1.0, LimitHoldem.RAISE),
    ("rrrcrr", ["2c7d", "AsKs", "QsJsTs"], None, LimitHoldem.FOLD),
    ("rrrcrrrr", ["2c7d", "AsKs", "QsJsTs"], None, LimitHoldem.FOLD),
    ("rrrccrrrr", ["2c7d", "AsKs", "QsJsTs"], 1.0, LimitHoldem.CALL),  # no raise is left
]


@pytest.mark.parametrize(("moves", "cards", "strength", "action"), DECISIONS)
def test_hand_strength_and_pot_odds(
    moves: str, cards: list[str], strength: float | None, action: int
) -> None:
    player, legal = at_decision(moves, cards)
    assert player.act([], legal, None).action == action
    if strength is not None:  # within four standard errors
        error = 4 * (strength * (1 - strength) / SAMPLES) ** 0.5
        assert player.thought()["hand_strength"] == pytest.approx(strength, abs=error)


def test_a_split_pot_and_several_others() -> None:
    """The board is a royal flush: all share the pot. Bets say nothing then, but count."""
    board = ["AsKsQs", "Js", "Ts"]
    two, _ = at_decision("cc" * 3, ["2c7d", "3c4c", *board])
    two.policy([1, 2], None)
    assert two.thought()["hand_strength"] == 0.5
    three, _ = at_decision("ccc" * 3, ["2c7d", "3c4c", "5c6c", *board], players=3)
    three.policy([1, 2], None)
    assert three.thought()["hand_strength"] == pytest.approx(1 / 3)
    folded, _ = at_decision("fcc" + "cc" * 2, ["2c7d", "3c4c", "5c6c", *board], players=3)
    folded.policy([1, 2], None)
    assert folded.thought()["hand_strength"] == 0.5


@pytest.mark.parametrize("other", ["call", "raise"])
def test_pot_odds_wins_against_simpler_players(other: str) -> None:
    """In 100 deals, each in both seats, significantly."""
    game = load_game("limit_holdem(players=2)")
    won = []
    for deal in range(100):
        seats = [make_player(game, "pot-odds"), make_player(game, other)]
        first = play_match(game, seats, deal, chance_seed=deal).returns[0]
        won.append(first + play_match(game, seats[::-1], deal, chance_seed=deal).returns[1])
    assert mean_interval(won).low > 0
