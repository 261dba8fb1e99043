"""What happened, in words: the methods `Game.tell` of the games that are not poker."""

from typing import Any

from hiddenhand.games.base import ALL_SEEING, CHANCE, State
from hiddenhand.games.scenes.layout import does as does_among
from hiddenhand.games.scenes.layout import knows


def does(player: int, observer: int, verb: str) -> str:
    """A player and their action: "you bid 3", "player 2 bids 3"."""
    return does_among(player, observer, verb, players=0)  # no player is called "they" here


def dealt(receiver: int, card: str, observer: int) -> str:
    """A card that is dealt to a player, in words for observers who see it; "" for others."""
    if not knows(observer, receiver):
        return ""
    return (
        f"you are dealt {card}"
        if receiver == observer
        else f"player {receiver + 1} is dealt {card}"
    )


def all_do(game: Any, before: State, moves: tuple[int, ...], observer: int, verb: str) -> str:
    """What all players did at once: "you bid 3, player 2 bids 4"."""
    return ", ".join(
        does(player, observer, f"{verb} {game.action_name(before, player, move)}")
        for player, move in enumerate(moves)
    )


def goofspiel(game: Any, before: State, move: Any, after: State, observer: int) -> str:
    """A point card that is revealed; or the bids that the observer knows, and who takes it.

    after: the state after the move.
    """
    if isinstance(move, int):
        return f"the point card is {game.action_name(before, CHANCE, move)}"
    if observer == ALL_SEEING or not game.imp_info:
        bids = all_do(game, before, move, observer, "bid")
    elif observer >= 0:
        bids = does(observer, observer, f"bid {game.action_name(before, observer, move[observer])}")
    else:
        bids = ""
    card, told = f"the point card {game.told(before).top}", game.told(after)
    takers = told.takers[-1]
    taken = f"{card} {'is left for the next round' if told.carried else 'is discarded'}"
    if len(takers) == 1:
        taken = does(takers[0], observer, f"take {card}")
    elif takers:
        names = ["you" if one == observer else f"player {one + 1}" for one in takers]
        taken = f"{', '.join(names[:-1])} and {names[-1]} share {card}"
    return f"{bids}; {taken}" if bids else taken


def auction(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A value or a bid, for observers who know it; and the winner."""
    values = game.told(before)[0]
    winner = game.told(after)[2]
    won = does(winner, observer, "win the item") if winner >= 0 else ""
    mover = game.current_player(before)
    if mover == CHANCE:
        if 0 not in values:
            return won
        owner = values.index(0)
        if not knows(observer, owner):
            return ""
        return does(owner, observer, f"have the value {game.action_name(before, CHANCE, move)}")
    bid = f"bid {move}" if knows(observer, mover) else "make a bid"
    said = does(mover, observer, bid)
    return f"{said}; {won}" if won else said


def oshi_zumo(game: Any, before: State, move: Any, observer: int) -> str:
    """Both bids, and what becomes of the wrestler."""
    pushed = "the wrestler stays"
    if move[0] != move[1]:
        pushed = does(int(move[1] > move[0]), observer, "push the wrestler")
    return f"{all_do(game, before, move, observer, 'bid')}; {pushed}"


def liars_dice(game: Any, before: State, move: int, observer: int) -> str:
    """A roll, a bid or a call of liar, in words. Only observers who see a die read its face."""
    mover = game.current_player(before)
    if mover == CHANCE:
        roller = next(player for player, dice in enumerate(game.told(before)[0]) if 0 in dice)
        face = game.action_name(before, CHANCE, move)
        return does(roller, observer, f"roll {face}") if knows(observer, roller) else ""
    said = "call liar" if move == game.liar else f"bid {game.action_name(before, mover, move)}"
    return does(mover, observer, said)


def hidden_mark(
    game: Any, before: State, move: int, observer: int, *, piece: str, is_placed: bool, abrupt: bool
) -> str:
    """A mark that is placed or tried in vain, in words. Observers who see it read the place.

    piece: what is placed.
    is_placed: whether the place was free.
    abrupt: whether other observers notice only that the player has moved.
    """
    mover = game.current_player(before)
    place = game.action_name(before, mover, move)
    if knows(observer, mover):
        done = f"place a {piece} on {place}" if is_placed else f"try {place} in vain"
        return does(mover, observer, done)
    return f"player {mover + 1} has moved" if abrupt else does(mover, observer, f"place a {piece}")


def battleship(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A placed ship, in full only for its player; or a shot and what it hits."""
    mover, placing = game.current_player(before), game.told(before).placing
    place = game.action_name(before, mover, move)
    if placing and knows(observer, mover):
        return does(mover, observer, f"place a ship of length {placing} on {place}")
    if placing:
        return does(mover, observer, "place a ship")
    found = game.told(after).fleets[1 - mover].said(move, knows=False)
    return f"{does(mover, observer, f'shoot at {place}')}: {found}"


def tricks(game: Any, before: State, move: int, after: State, observer: int) -> str:
    """A card that is dealt, for observers who see it; or a card that is played, and the player who
    takes the trick that it completes.
    """
    mover = game.current_player(before)
    card = game.action_name(before, mover, move)
    if mover == CHANCE:
        receiver = next(
            player
            for player in range(game.num_players)
            if game.hand_of(after, player) != game.hand_of(before, player)
        )
        return dealt(receiver, card, observer)
    said = does(mover, observer, f"play {card}")
    winners = game.told(after).winners
    if len(winners) == len(game.told(before).winners):
        return said
    return f"{said}; {does(winners[-1], observer, 'take the trick')}"
