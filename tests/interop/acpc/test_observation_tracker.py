"""The protocol's plain rules against our own, and what a player notices of a hand by the protocol
against what the player would notice of it here.
"""

import pytest
from acpc_matches import THREE, TWO

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.definition import parse_definition
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.interop.acpc.betting import Betting
from hiddenhand.interop.acpc.cards import Cards
from hiddenhand.interop.acpc.dealer import visible
from hiddenhand.interop.acpc.observation_tracker import Table, load_table
from hiddenhand.interop.acpc.states import MatchState, hand_values, read_match_state
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer

LETTERS = {LimitHoldem.FOLD: "f", LimitHoldem.CALL: "c", LimitHoldem.RAISE: "r"}
OTHER = """\
GAMEDEF
limit
numPlayers = 4
numRounds = 3
blind = 1 2 0 0
raiseSize = 2 2 4
firstPlayer = 3 1 1
maxRaises = 2 1 3
numSuits = 3
numRanks = 8
numHoleCards = 1
numBoardCards = 1 0 2
END GAMEDEF
"""


def table_of(name: str) -> Table:
    if "GAMEDEF" not in name:
        return load_table(name)
    return Table(parse_definition(name), LimitHoldem(definition=name))


def as_the_dealer_has_it(table: Table, moves: tuple[int, ...]) -> tuple[list[str], Cards]:
    """The actions and cards among the moves of a hand, with the rest of a deck as its board."""
    history, actions, dealt = History(table.game), [], list[int]()
    for move in moves:
        if history.player == CHANCE:
            dealt.append(move)
        else:
            actions.append(LETTERS[move])
        history = history.child(move)
    held = table.definition.num_hole_cards
    all_held = held * table.definition.num_players
    dealt += sorted(set(table.definition.deck).difference(dealt))
    holes = tuple(tuple(dealt[at : at + held]) for at in range(0, all_held, held))
    return actions, Cards(holes, tuple(dealt[all_held:][: sum(table.definition.num_board_cards)]))


@pytest.mark.parametrize("name", [TWO, THREE, OTHER], ids=["two", "three", "other"])
def test_hands_played_here(name: str) -> None:
    """At every decision: the same actor, actions and board, for each player the same events; and in
    the end the same payoffs.
    """
    table = table_of(name)
    players = [RandomPlayer() for _ in range(table.definition.num_players)]
    for seed in range(25):
        record = play_match(table.game, players, seed, chance_seed=seed)
        actions, cards = as_the_dealer_has_it(table, record.moves)
        history = History(table.game)
        noticed: list[list[Event]] = [[] for _ in players]
        betting = Betting.begun(table.definition)
        for move in record.moves:
            if history.player != CHANCE:
                assert betting.actor == history.player
                legal = "".join(LETTERS[action] for action in history.legal_actions())
                assert betting.legal() == legal
                compare(table, seed, betting, cards, noticed)
                betting = betting.after(actions.pop(0))
            history = history.child(move)
            for position, events in enumerate(noticed):
                if event := history.noticed(position):
                    events.append(event)
        assert betting.is_over
        compare(table, seed, betting, cards, noticed)
        shown = Cards(cards.holes, cards.board[: betting.num_board_cards])
        assert hand_values(betting, shown) == pytest.approx(record.returns)


def compare(
    table: Table, hand: int, betting: Betting, cards: Cards, noticed: list[list[Event]]
) -> None:
    """What every player is told by the protocol is what the player noticed."""
    for position, events in enumerate(noticed):
        told = MatchState(position, hand, betting, visible(cards, betting, position))
        assert read_match_state(table.definition, told.text) == told
        _, found = table.walk(told)
        assert found == events


def test_cards_of_others_do_not_matter() -> None:
    """Nothing that a player notices depends on which cards take the place of hidden ones."""
    table = load_table(TWO)
    line = "MATCHSTATE:0:3:rc/cr:TdAs|/2c8c3h"
    state = read_match_state(table.definition, line)
    history, events = table.walk(state)
    assert history.player == 0
    whole = MatchState(
        0, 3, state.betting, Cards((state.cards.holes[0], (50, 51)), state.cards.board)
    )
    assert table.walk(whole)[1] == events


def test_games_are_named() -> None:
    assert load_table(TWO) == load_table("limit_holdem(players=2)")
    assert load_table(f"{THREE}.game").definition.num_players == 3
