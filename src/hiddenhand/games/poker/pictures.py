"""Hold'em in words: the names of actions, and what a player sees. For people, in plain Python."""

from dataclasses import dataclass
from typing import Final

from hiddenhand.games.base import CHANCE, State
from hiddenhand.games.drawing.layout import called
from hiddenhand.games.poker.betting import FOLDED, ROUND
from hiddenhand.games.poker.hands import CATEGORIES, card_name, category_of, hand_table, set_of
from hiddenhand.games.poker.limit_poker import (
    CHIPS,
    DEALT,
    FIRST_PLAYER,
    MOVE_BITS,
    RAISE_SIZE,
    WINNERS,
    LimitPoker,
)

_ROUNDS: Final = ("before the flop", "flop", "turn", "river")


@dataclass(frozen=True)
class Situation:
    """A state of `LimitPoker` taken apart, with what is hidden in it.

    round: the betting round, from 0.
    hole_cards: the cards of each player that were dealt.
    board: the cards on the board, in the order in which they were dealt.
    chips: what each player has put in.
    folded: whether each player has folded.
    winners: whether each player gets a share of the pot; all False before the end.
    moves: for each round the actions in order.
    """

    round: int
    hole_cards: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    chips: tuple[int, ...]
    folded: tuple[bool, ...]
    winners: tuple[bool, ...]
    moves: tuple[tuple[int, ...], ...]


def situation(game: LimitPoker, state: State) -> Situation:
    """``state`` taken apart, with the cards of all players."""
    dealt = [int(card) for card in state[game.cards_at : game.cards_at + int(state[DEALT])]]
    held = game.players * game.hole_cards
    own = dealt[:held]
    holes = [own[at : at + game.hole_cards] for at in range(0, held, game.hole_cards)]
    return Situation(
        round=int(state[ROUND]),
        hole_cards=tuple(tuple(cards) for cards in holes),
        board=tuple(dealt[held:]),
        chips=tuple(int(chips) for chips in state[CHIPS : CHIPS + game.players]),
        folded=tuple(bool(state[FOLDED] >> player & 1) for player in range(game.players)),
        winners=tuple(bool(state[WINNERS] >> player & 1) for player in range(game.players)),
        moves=tuple(_moves_in(game, state, number) for number in range(game.num_rounds)),
    )


def _moves_in(game: LimitPoker, state: State, number: int) -> tuple[int, ...]:
    """The actions of a betting round, in order."""
    actions: list[int] = []
    first = game.moves_at + number * game.words
    for word in map(int, state[first : first + game.words]):
        own = []
        while word:
            own.append((word & (1 << MOVE_BITS) - 1) - 1)
            word >>= MOVE_BITS
        actions += reversed(own)
    return tuple(actions)


def action_name(game: LimitPoker, state: State, player: int, action: int) -> str:
    """The name of an action: fold, check, call, bet or raise; of a card where chance deals."""
    if player == CHANCE:
        return card_name(action)
    seen = situation(game, state)
    facing = seen.chips[player] < max(seen.chips)
    raised = game.RAISE in seen.moves[seen.round] or (seen.round == 0 and max(game.blinds) > 0)
    return _word(game, action, facing, raised)


def picture(game: LimitPoker, state: State, player: int) -> str:
    """What ``player`` sees: the own cards, the board, the chips, the moves, and at the end the
    hands that are shown and who won.
    """
    seen = situation(game, state)
    names = [called(other, player, game.players) for other in range(game.players)]
    chips = [
        f"{names[other]} {seen.chips[other]}{' (folded)' if seen.folded[other] else ''}"
        for other in range(game.players)
    ]
    lines = [
        f"your cards: {_names(seen.hole_cards[player])}; board: {_names(seen.board)}",
        f"put in: {', '.join(chips)}",
        *rounds_in_words(game, seen, names),
    ]
    staying = [other for other in range(game.players) if not seen.folded[other]]
    if any(seen.winners) and len(staying) > 1:
        hands = [f"{names[other]} {hand_in_words(seen, other)}" for other in staying]
        lines.append(f"shown: {', '.join(hands)}")
    if any(seen.winners):
        winners = [name for name, wins in zip(names, seen.winners, strict=True) if wins]
        lines.append(f"the pot goes to: {', '.join(winners)}")
    return "\n".join(lines)


def rounds_in_words(game: LimitPoker, seen: Situation, names: list[str]) -> list[str]:
    """A line for each betting round that has begun, with its moves.

    names: what each player is called.
    """
    lines, folded = [], [False] * game.players
    for number, actions in enumerate(seen.moves[: seen.round + 1]):
        # the chips of the round; of those before it everybody who stays has put in the same
        chips = [int(blind) if number == 0 else 0 for blind in game.blinds]
        raise_size, player = (
            int(game.rounds[number, RAISE_SIZE]),
            int(game.rounds[number, FIRST_PLAYER]),
        )
        told = []
        for action in actions:
            while folded[player]:
                player = (player + 1) % game.players
            facing = chips[player] < max(chips)
            told.append(_does(names[player], _word(game, action, facing, max(chips) > 0)))
            folded[player] = action == game.FOLD
            if action != game.FOLD:
                chips[player] = max(chips) + raise_size * int(action == game.RAISE)
            player = (player + 1) % game.players
        title = _ROUNDS[number] if game.num_rounds == len(_ROUNDS) else f"round {number + 1}"
        lines.append(f"{title}: {', '.join(told) or 'no move yet'}")
    return lines


def _does(name: str, word: str) -> str:
    """A player and their action: "they call", "player 2 calls"."""
    return f"{name} {word}" if name in ("you", "they") else f"{name} {word}s"


def _word(game: LimitPoker, action: int, facing: bool, raised: bool) -> str:
    """The word for an action.

    facing: whether there is a bet, or a blind, to be met.
    raised: whether anybody has bet in this round; a blind is a bet.
    """
    if action == game.FOLD:
        return "fold"
    if action == game.CALL:
        return "call" if facing else "check"
    return "raise" if raised else "bet"


def _names(cards: tuple[int, ...]) -> str:
    return " ".join(card_name(card) for card in cards) or "none"


def hand_in_words(seen: Situation, player: int) -> str:
    """The cards of a player, and what they make with the board."""
    cards = seen.hole_cards[player]
    return f"{_names(cards)} ({category_in_words(seen, player)})"


def category_in_words(seen: Situation, player: int) -> str:
    """What the cards of a player make with the board, such as "two pair"."""
    strength = hand_table().strength(set_of(seen.hole_cards[player] + seen.board))
    return CATEGORIES[category_of(strength)]
