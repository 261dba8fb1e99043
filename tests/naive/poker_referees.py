"""Other programs' Limit Hold'em, as referees: hands are played by all programs at once, and who
moves, what is legal and what is paid must agree at every decision.
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.games.poker.hands import card_name
from hiddenhand.games.poker.limit_holdem import LimitHoldem

SCALE = 6
"""PokerKit has whole chips; a pot times 6 can be split among two or three."""


def random_hand(game: LimitHoldem, chooser: random.Random) -> Iterator[History]:
    """The histories of a hand in which all moves are drawn uniformly, but folds seldom, so that
    many hands come to a showdown.
    """
    here = History(game)
    yield here
    while not here.is_terminal:
        if here.player == CHANCE:
            outcomes, weights = zip(*here.chance_outcomes(), strict=True)
        else:
            outcomes = tuple(here.legal_actions())
            weights = tuple(0.2 if action == game.FOLD else 1.0 for action in outcomes)
        here = here.child(chooser.choices(outcomes, weights)[0])
        yield here


def compare_with_open_spiel(pyspiel: Any, definition: GameDefinition, hands: int, seed: int) -> int:
    """Play random hands beside OpenSpiel's `universal_poker`; returns how many decisions agreed."""
    game, theirs = (
        LimitHoldem(definition=definition.text),
        pyspiel.load_game(_open_spiel(definition)),
    )
    chooser, decisions = random.Random(seed), 0
    for _ in range(hands):
        state = theirs.new_initial_state()
        for here in random_hand(game, chooser):
            if here.moves:
                state.apply_action(here.moves[-1])
            told = f"{here.moves}: {state}"
            if here.is_terminal:
                assert state.is_terminal(), told
                assert list(here.returns()) == state.returns(), told
            elif here.player == CHANCE:
                assert state.is_chance_node(), told
            else:
                assert state.current_player() == here.player, told
                assert state.legal_actions() == here.legal_actions(), told
                decisions += 1
    return decisions


def _open_spiel(definition: GameDefinition) -> str:
    entries = dict(line.split(" = ") for line in definition.text.splitlines() if " = " in line)
    return (
        "universal_poker(betting=limit,"
        + ",".join(f"{name}={numbers}" for name, numbers in entries.items())
        + ")"
    )


def compare_with_pokerkit(pokerkit: Any, players: int, hands: int, seed: int) -> int:
    """Play random hands beside PokerKit, which counts players as the competition does; returns how
    many decisions agreed.
    """
    game, chooser, decisions = LimitHoldem(players), random.Random(seed), 0
    for _ in range(hands):
        histories = list(random_hand(game, chooser))
        moves = histories[-1].moves
        holes = moves[: 2 * players]
        theirs = _pokerkit_state(pokerkit, players)
        for player in range(players):
            own = holes[2 * player : 2 * player + 2]
            theirs.deal_hole("".join(map(card_name, own)))
        dealt = list[int]()
        for here, after in zip(
            histories[2 * players :], histories[2 * players + 1 :], strict=False
        ):
            move, told = after.moves[-1], f"{moves}: {theirs}"
            if here.player == CHANCE:
                dealt.append(move)
                if after.player != CHANCE:
                    theirs.burn_card("??")
                    theirs.deal_board("".join(map(card_name, dealt)))
                    dealt = []
                continue
            assert theirs.actor_index == here.player, told
            assert _pokerkit_actions(theirs) == here.legal_actions(), told
            (theirs.fold, theirs.check_or_call, theirs.complete_bet_or_raise_to)[move]()
            decisions += 1
        assert not theirs.status, moves
        paid = [Fraction(chips, SCALE) for chips in theirs.payoffs]
        assert paid == [Fraction(value) for value in histories[-1].returns()], moves
    return decisions


def _pokerkit_state(pokerkit: Any, players: int) -> Any:
    automatic = pokerkit.Automation
    automations = (
        automatic.ANTE_POSTING,
        automatic.BET_COLLECTION,
        automatic.BLIND_OR_STRADDLE_POSTING,
        automatic.HOLE_CARDS_SHOWING_OR_MUCKING,
        automatic.HAND_KILLING,
        automatic.CHIPS_PUSHING,
        automatic.CHIPS_PULLING,
    )
    state = pokerkit.FixedLimitTexasHoldem.create_state(
        automations,
        True,  # uniform antes
        0,
        (5 * SCALE, 10 * SCALE),
        10 * SCALE,
        20 * SCALE,
        10_000 * SCALE,
        players,
    )
    first = state.streets[0]
    assert first.max_completion_betting_or_raising_count == 4  # one more than the competition has
    object.__setattr__(first, "max_completion_betting_or_raising_count", 3)
    return state


def _pokerkit_actions(state: Any) -> list[int]:
    can: tuple[Callable[[], bool], ...] = (
        lambda: state.can_fold() and state.checking_or_calling_amount > 0,
        state.can_check_or_call,
        state.can_complete_bet_or_raise_to,
    )
    return [action for action, legal in enumerate(can) if legal()]
