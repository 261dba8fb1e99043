"""The situations of a game in which all actions are public, and depend only on the mover's hand.

Johanson, Waugh, Bowling and Zinkevich (2011), "Accelerating best response calculation in large
extensive games". A *public history* is what all players have noticed so far. Where all moves of
players are public, a player's information set is a public history and a *hand*: what the player
alone has noticed. So the game is a tree of public histories, at each of which all hands can be
looked at together. Chance may deal hands and public cards at any time. Which actions there are, and
what they lead to, may depend on the hands. Who moves may not, nor whether a player notices that
there was a move.

Many public histories are alike from there on: after any bids in Liar's Dice, only the dice, the
last bid and the player to move matter. A *situation* is what is alike: for each pair of hands the
state, without what `Game.forget_past` clears, and how likely chance deals the pair. So the tree of
public histories is kept as a graph of situations. In Liar's Dice with two dice of five faces each
there are some 40 of them, and a million public histories. Moves of chance behind each other count
as one move.

Dimensions: N pairs of hands with a state each, H hands of a player, A actions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, verify_constant_sum, verify_listed
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.views import copy_into
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.simultaneous.state_graph import simultaneous_form
from hiddenhand.solvers.simultaneous.state_keys import state_hash

MAX_MOVES: Final = 1_000_000
"""The most moves of all pairs of hands in a situation."""
MAX_EFFORT: Final = 20_000_000
"""How much may be done to find the situations of a game, in moves that are looked at; a situation
takes as long as `SITUATION` moves, besides. A million moves take a second or two.
"""
SITUATION: Final = 400

_NOTHING: Final = -1
_NO_HANDS: Final = (np.zeros(0, np.int32), np.zeros(0, np.int32))
_UNTOLD: Final = (np.zeros((1, 0), np.int64), np.zeros((1, 0), np.int64))


class HiddenMovesError(GameError):
    """Moves of a game are hidden from some player, so that it cannot be solved for all hands at
    once.
    """


@dataclass(frozen=True, eq=False)
class Edge:
    """What comes after a move.

    action: the number of the action among those of the situation; 0 at a move of chance.
    tokens: the public tokens; several where chance moves several times.
    child: the number of the situation that follows; -1 where the game ends for all hands.
    parent_hand: for each player ``int32[H]``, from which hand each hand in the child comes.
    told: for each player ``int64[T, H]``, the private token of each hand, beside each of the T
        public tokens.
    ended: ``int32[Z, 2]``, the pairs of hands, before the move, for which the game ends.
    paid: ``float64[Z]``, what player 0 is paid then, times how likely chance comes there.
    """

    action: int
    tokens: tuple[int, ...]
    child: int
    parent_hand: tuple[Indices, Indices]
    told: tuple[Integers, Integers]
    ended: Indices
    paid: Floats


@dataclass(frozen=True, eq=False)
class Situation:
    """What many public histories have in common.

    mover: a player, or CHANCE.
    num_hands: of each player.
    actions: those that the mover has with some hand; of chance none.
    legal: ``bool[A, H]``, which the mover has with each hand; empty at a move of chance.
    edges: what may follow, by the number of the action.
    """

    mover: int
    num_hands: tuple[int, int]
    actions: tuple[int, ...]
    legal: Flags
    edges: list[Edge] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of hands in a situation that is being looked at.

    hand: ``int32[N, 2]``.
    state: ``int64[N, state_size]``.
    weight: ``float64[N]``, chance's part in the probability of the pair.
    """

    hand: Indices
    state: Integers
    weight: Floats

    @property
    def num_hands(self) -> tuple[int, int]:
        """How many hands each player may have."""
        return int(self.hand[:, 0].max()) + 1, int(self.hand[:, 1].max()) + 1

    def identity(self) -> bytes:
        """What tells situations apart."""
        return self.hand.tobytes() + self.state.tobytes() + self.weight.tobytes()


@dataclass(frozen=True, eq=False)
class _Moves:
    """All moves of all pairs of a situation.

    row: ``int64[M]``, the pair.
    action: ``int64[M]``, the action or the outcome of chance.
    weight: ``float64[M]``, chance's part in the probability, this move included.
    state: ``int64[M, state_size]``, the state after it.
    token: ``int64[M, 3]``, the private token of each player, and the public token.
    mover: ``int64[M]``, who moves then.
    paid: ``float64[M]``, what player 0 is paid, if the game ends.
    """

    row: Integers
    action: Integers
    weight: Floats
    state: Integers
    token: Integers
    mover: Integers
    paid: Floats


_After = tuple[Edge, _Pairs | None]
"""What follows after a move: an edge, and the pairs of hands then, if the game goes on."""


def explore(
    game: Game, *, effort: int = MAX_EFFORT, progress: Progress = SILENT
) -> list[Situation]:
    """The situations of a zero-sum game of two players; each comes before those that follow.

    effort: how much may be done to find them, see `MAX_EFFORT`.
    progress: receives reports of how many are found.

    Raises HiddenMovesError where moves are hidden, and TooLargeError where there are too many
    situations or pairs of hands.
    """
    game = as_sequential(game)
    verify_constant_sum(game, "the vector form", "cfr")
    verify_rules(game)
    verify_listed(game)
    if not remembers_all(game):
        raise HiddenMovesError(
            f"in {game}, players forget what they noticed, so it cannot be solved for all hands at "
            "once; use mccfr"
        )
    with explaining(game):
        return _Exploration(game, effort, progress).run()


class _Exploration:
    """Finds situations, and puts them in order."""

    def __init__(self, game: Game, effort: int, progress: Progress) -> None:
        self.game = game
        self.left = effort
        self.name = simultaneous_form(game)  # in messages
        self.progress = progress
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.found: list[Situation] = []
        self.number: dict[bytes, int] = {}
        self.waiting: list[tuple[int, _Pairs]] = []

    def run(self) -> list[Situation]:
        state = np.zeros((1, self.game.state_size), np.int64)
        self.game.initial_state(state[0])
        mover = self.game.current_player(state[0])
        if mover == TERMINAL:
            raise GameError(f"{self.name} ends before any player moves")
        self._number(_Pairs(np.zeros((1, 2), np.int32), state, np.ones(1)))
        while self.waiting:
            number, pairs = self.waiting.pop()
            self._expand(number, pairs)
            self.progress.update(Report(len(self.found), unit="situations"))
        found = in_order(self.found)
        if len(found) < len(self.found):
            raise GameError(
                f"{self.name} need not end: some situation comes before itself; a game's state "
                "must tell how far the game has come"
            )
        return found

    def _number(self, pairs: _Pairs) -> int:
        """The number of the situation with these pairs, which is looked at later if it is new."""
        identity = pairs.identity()
        if identity not in self.number:
            self.number[identity] = len(self.found)
            self.waiting.append((len(self.found), pairs))
            self.found.append(Situation(CHANCE, (0, 0), (), np.zeros((0, 0), np.bool_)))
        return self.number[identity]

    def _expand(self, number: int, pairs: _Pairs) -> None:
        """Look at a situation."""
        mover, moves = self._moves(pairs)
        actions: tuple[int, ...] = ()
        legal = np.zeros((0, 0), np.bool_)
        place = np.zeros(moves.row.size, np.int64)
        if mover != CHANCE:
            values, place = np.unique(moves.action, return_inverse=True)
            actions = tuple(map(int, values))
            legal = np.zeros((values.size, pairs.num_hands[mover]), np.bool_)
            legal[place, pairs.hand[moves.row, mover]] = True
            self._verify_public(mover, moves)
            self._verify_own(mover, pairs, moves, legal)
        after = _after(pairs, moves, place)
        if mover == CHANCE:
            after = (last for one in after for last in self._after_chance(one))
        edges = [
            replace(edge, child=_NOTHING if later is None else self._number(later))
            for edge, later in after
        ]
        self.found[number] = Situation(mover, pairs.num_hands, actions, legal, edges)

    def _after_chance(self, before: _After) -> Iterator[_After]:
        """What follows once chance moves no more, if chance made a move."""
        edge, pairs = before
        if pairs is None or self.game.current_player(pairs.state[0]) != CHANCE:
            yield before
            return
        if edge.ended.size:
            yield replace(edge, parent_hand=_NO_HANDS, told=_UNTOLD), None
        _, moves = self._moves(pairs)
        for later, after in _after(pairs, moves, np.zeros(moves.row.size, np.int64)):
            yield from self._after_chance((_both(edge, later), after))

    def _moves(self, pairs: _Pairs) -> tuple[int, _Moves]:
        """Who moves, and all moves."""
        game, size = self.game, pairs.weight.size
        self._verify_number(size)
        movers, counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
        actions = np.zeros((size, self.room), np.int64)
        probabilities = np.ones((size, self.room))
        _look(game, pairs.state, movers, counts, actions, probabilities)
        mover = int(movers[0])
        if (movers != mover).any():
            raise HiddenMovesError(
                f"in {self.name}, the player to move depends on what is hidden, so it cannot be "
                "solved for all hands at once"
            )
        self._verify_number(int(counts.sum()))
        self.left -= int(counts.sum()) + SITUATION
        row = np.repeat(np.arange(size), counts)
        column = np.arange(row.size) - np.repeat(np.cumsum(counts) - counts, counts)
        action = actions[row, column]
        state = pairs.state[row]
        token, after = np.zeros((row.size, 3), np.int64), np.zeros(row.size, np.int64)
        paid = np.zeros(row.size)
        _move(game, mover, action, state, token, after, paid)
        weight = pairs.weight[row] * probabilities[row, column]
        moves = _Moves(row, action, weight, state, token, after, paid)
        for player in range(2):
            if player != mover:
                self._verify_noticed(player, pairs, moves)
        return mover, moves

    def _verify_number(self, moves: int) -> None:
        """Raise TooLargeError if a situation has too many moves to look at, or all of them have."""
        if moves > MAX_MOVES:
            raise TooLargeError(
                f"{self.name} has too many hands to look at all of them at once: {moves:,} moves "
                "in one public situation; sample it with mccfr"
            )
        if moves > self.left:
            raise TooLargeError(
                f"{self.name} has too many different public situations: {len(self.found):,} were "
                "found, and not all; let its forget_past clear what no longer matters, or sample "
                "it with mccfr"
            )

    def _verify_noticed(self, player: int, pairs: _Pairs, moves: _Moves) -> None:
        """Raise HiddenMovesError unless a player with a hand notices either all of the moves after
        which the game goes on, or none of them. With some of them, a player could take an event for
        that of another move: of two coins, of which heads are heard, it knows their number alone.
        """
        hand, goes_on = pairs.hand[moves.row, player], moves.mover != TERMINAL
        noticed = (moves.token[:, [player, 2]] != 0).any(axis=1)
        if np.isin(hand[goes_on & noticed], hand[goes_on & ~noticed]).any():
            raise HiddenMovesError(
                f"in {self.name}, player {player} notices some outcomes of a move, and nothing of "
                "others, so it cannot be solved for all hands at once; let a token above 0 tell "
                "each of them, or use another method"
            )

    def _verify_public(self, mover: int, moves: _Moves) -> None:
        """Raise HiddenMovesError unless the public notices which action was taken, if the game goes
        on.
        """
        going_on = np.flatnonzero(moves.mover != TERMINAL)
        order = going_on[np.argsort(moves.token[going_on, 2], kind="stable")]
        token, action = moves.token[order, 2], moves.action[order]
        wrong = np.flatnonzero((np.diff(token) == 0) & (np.diff(action) != 0))
        if wrong.size:
            at = int(wrong[0])
            names = [str(int(one)) for one in (action[at], action[at + 1])]
            raise HiddenMovesError(
                f"in {self.name}, not everybody notices what player {mover} does: actions "
                f"{names[0]} and {names[1]} look alike in public, so it cannot be solved for all "
                "hands at once"
            )

    def _verify_own(self, mover: int, pairs: _Pairs, moves: _Moves, legal: Flags) -> None:
        """Raise GameError unless the actions depend on the mover's own hand alone."""
        by_hand = legal[:, pairs.hand[:, mover]].sum(axis=0)
        if (np.bincount(moves.row, minlength=by_hand.size) != by_hand).any():
            raise GameError(
                f"in {self.name}, player {mover} has different actions in one information set; "
                "hiddenhand.games.check tells where"
            )


def in_order(items: Sequence[Any]) -> list[Any]:
    """Situations in an order in which each comes before the children of its edges (Kahn 1962), from
    the first one on, with the children numbered anew. Those that come before themselves are left
    out.
    """
    children = [[edge.child for edge in one.edges if edge.child >= 0] for one in items]
    entries = np.zeros(len(items), np.int64)
    for after in children:
        for child in after:
            entries[child] += 1
    order, ready = list[int](), [0] if entries[0] == 0 else []
    while ready:
        order.append(ready.pop())
        for child in children[order[-1]]:
            entries[child] -= 1
            if entries[child] == 0:
                ready.append(child)
    place = {number: new for new, number in enumerate(order)}
    return [
        replace(
            one, edges=[replace(edge, child=place.get(edge.child, _NOTHING)) for edge in one.edges]
        )
        for one in (items[number] for number in order)
    ]


def _after(pairs: _Pairs, moves: _Moves, action: Integers) -> Iterator[_After]:
    """What may follow: an edge for each action and public token, without the number of the child,
    and the pairs of hands in the child, None where there is none.

    action: ``int64[M]``, the number of each move's action.
    """
    example, kind = _distinct(action, moves.token[:, 2])
    for number, (place, token) in enumerate(
        zip(action[example], moves.token[example, 2], strict=True)
    ):
        chosen = np.flatnonzero(kind == number)
        over = moves.mover[chosen] == TERMINAL
        ends, goes_on = chosen[over], chosen[~over]
        after, parent_hand, told = None, _NO_HANDS, _UNTOLD
        if goes_on.size:
            after, parent_hand, told = _pairs_after(pairs, moves, goes_on)
        ended, paid = _summed(pairs.hand[moves.row[ends]], moves.weight[ends] * moves.paid[ends])
        edge = Edge(int(place), (int(token),), _NOTHING, parent_hand, told, ended, paid)
        yield edge, after


def _both(first: Edge, second: Edge) -> Edge:
    """Two moves of chance as one. Where the game ends after the first one, is left out."""
    parent = [first.parent_hand[player][second.parent_hand[player]] for player in range(2)]
    told = [
        np.concatenate([first.told[player][:, second.parent_hand[player]], second.told[player]])
        for player in range(2)
    ]
    ended = np.stack([first.parent_hand[p][second.ended[:, p]] for p in range(2)], axis=1)
    ended, paid = _summed(ended, second.paid)
    return Edge(
        0,
        first.tokens + second.tokens,
        _NOTHING,
        (parent[0], parent[1]),
        (told[0], told[1]),
        ended,
        paid,
    )


def _pairs_after(
    pairs: _Pairs, moves: _Moves, chosen: Integers
) -> tuple[_Pairs, tuple[Indices, Indices], tuple[Integers, Integers]]:
    """The pairs of hands after some of the moves; for each player from which hand each hand comes,
    and its private token. Pairs in the same state are one.
    """
    before = pairs.hand[moves.row[chosen]]
    hands, parents, told = [], [], []
    for player in range(2):
        token = moves.token[chosen, player]
        example, hand = _distinct(before[:, player], token)
        hands.append(hand)
        parents.append(before[example, player])
        told.append(token[example][None])
    state = moves.state[chosen]
    hashes = np.zeros(chosen.size, np.uint64)
    _hash(state, hashes)
    example, number = _distinct(*hands, hashes)
    weight = np.bincount(number, moves.weight[chosen], example.size)
    after = _Pairs(
        np.stack([hand[example].astype(np.int32) for hand in hands], axis=1),
        state[example],
        np.asarray(weight, np.float64),
    )
    return after, (parents[0], parents[1]), (told[0], told[1])


def _summed(hand: Indices, paid: Floats) -> tuple[Indices, Floats]:
    """Payments of pairs of hands, a pair once."""
    if not hand.size:
        return np.zeros((0, 2), np.int32), np.zeros(0)
    example, number = _distinct(hand[:, 0], hand[:, 1])
    total = np.bincount(number, paid, example.size)
    return hand[example], np.asarray(total, np.float64)


def _distinct(*columns: npt.NDArray[Any]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """A row of each kind, in order, and the kind of each row, of rows that are given as columns."""
    order = np.lexsort(columns[::-1])
    first = np.zeros(order.size, np.bool_)
    first[:1] = True
    for column in columns:
        first[1:] |= np.diff(column[order]) != 0
    kind = np.zeros(order.size, np.intp)
    kind[order] = np.cumsum(first) - 1
    return order[first], kind


# --- kernels ---


@kernel
def _look(
    game: Game,
    states: Integers,
    movers: Integers,
    counts: Integers,
    actions: Integers,
    probabilities: Floats,
) -> None:
    """Write who moves in each state, and how many moves, which ones and with which probabilities of
    chance.
    """
    for n in range(movers.size):
        movers[n] = game.current_player(states[n])
        if movers[n] == CHANCE:
            counts[n] = game.chance_outcomes(states[n], actions[n], probabilities[n])
        else:
            counts[n] = game.legal_actions(states[n], movers[n], actions[n])


@kernel
def _hash(states: Integers, hashes: Keys) -> None:
    """Write a hash of each state."""
    for n in range(hashes.size):
        hashes[n] = state_hash(states[n])


@kernel
def _move(
    game: Game,
    mover: int,
    action: Integers,
    states: Integers,
    tokens: Integers,
    movers: Integers,
    paid: Floats,
) -> None:
    """Make a move in each state. Write what is noticed, who moves then, and what player 0 is paid.
    What no longer matters is cleared from the state.
    """
    keys = np.zeros(3, np.uint64)
    state = np.zeros(states.shape[1], np.int64)
    for n in range(movers.size):
        copy_into(state, states[n])
        advance(game, state, mover, action[n], keys, tokens[n])
        movers[n] = game.current_player(state)
        if movers[n] == TERMINAL:
            paid[n] = game.returns(state, 0)
        else:
            game.forget_past(state)
        copy_into(states[n], state)
