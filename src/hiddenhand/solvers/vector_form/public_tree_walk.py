"""One walk over the public tree, for all hands at once.

Johanson, Waugh, Bowling and Zinkevich (2011) find best responses in this way; Johanson, Bard,
Lanctot, Gibson and Bowling (2012) have CFR in vector form. For a player i, the other player j, a
public history and a hand g of player i,

    y_j(h)    the product of the probabilities with which player j plays to get there with hand h
    u(g, h)   the payoff of player i at an end, times how likely chance deals g and h and comes
              there
    v(g)      sum_h u(g, h) y_j(h), over all ends that follow; by what player i does later, it is
              the counterfactual value of g

A walk passes y_i and y_j down, and v up. With `UPDATE` it changes R and x as in `solvers.cfr`. With
`MEAN` player i plays x, too; with `BEST` the best action in each information set, so that v at the
beginning is what a best response earns.

A walk may *sample*: of the actions of player j, and of the outcomes of chance, after which the game
goes on, one is drawn with probability q and followed. Then y_i and y_j are divided by q. So v and
what is added to x are right on average (Lanctot, Waugh, Zinkevich and Bowling 2009). What is paid
at once is counted for all actions.

What is kept of each public history is found by counting: see `public_game`. To use several cores a
walk is cut into parts. A first walk passes over the top of the tree, and notes y_i and y_j where it
is cut off (`DOWN`). Then each part is walked by itself. A last walk passes over the top again, and
takes v from the parts (`UP`). Where it is cut does not depend on the number of cores, so that
neither does any bit of the result.

Dimensions: D the depth, H the most hands, A the most actions times hands, K parts.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel_apart
from hiddenhand.jit.random import RandomState, new_state, uniform
from hiddenhand.solvers.cfr_variants import Variant
from hiddenhand.solvers.vector_form.public_game import (
    NOTHING,
    SAME,
    PublicGame,
    VectorForm,
    add_payments,
)

UPDATE: Final = 0
MEAN: Final = 1
BEST: Final = 2
"""What player i does in a walk."""

EXPLORED: Final = 0.1
"""How often an action is drawn without regard to how player j plays."""

WHOLE: Final = 0
DOWN: Final = 1
UP: Final = 2
"""Which part of the tree a walk passes over: all of it, or the top, before or after the parts."""


@dataclass(frozen=True, eq=False)
class Room(Compiled):
    """Room for what a walk knows of the public histories on its way; of the first one, what it is
    given and what it found.

    situation, edge: ``int64[D]``; the edge to be walked next.
    base: ``int64[D, 2]``, where begins what is kept of each player.
    reach: ``float64[D, 2, H]``, y of player i, and y of player j.
    value: ``float64[D, H]``, v.
    policy: ``float64[D, A]``, what is played there, action by action.
    worth: ``float64[D, A]``, v after each action, where player i moves.
    played: ``float64[H]``, y of player j after an action.
    sums: ``float64[2 H]``, for payments and totals.
    drawn: ``int64[D]``, the only edge that is followed, where one is drawn; else NOTHING.
    chance: ``float64[D]``, the probability with which it was drawn.
    rng: random numbers.
    """

    situation: Integers
    edge: Integers
    base: Integers
    reach: Floats
    value: Floats
    policy: Floats
    worth: Floats
    played: Floats
    sums: Floats
    drawn: Integers
    chance: Floats
    rng: RandomState

    @staticmethod
    def of(form: VectorForm, seed: int = 0) -> "Room":
        """Room for a game."""
        depth, hands, numbers = form.depth, form.most_hands, form.most_numbers
        return Room(
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            np.zeros((depth, 2), np.int64),
            np.zeros((depth, 2, hands)),
            np.zeros((depth, hands)),
            np.zeros((depth, numbers)),
            np.zeros((depth, numbers)),
            np.zeros(hands),
            np.zeros(2 * hands),
            np.zeros(depth, np.int64),
            np.zeros(depth),
            new_state(seed),
        )


@dataclass(frozen=True, eq=False)
class Parts(Compiled):
    """The parts of a tree, in the order in which a walk comes to them.

    situation: ``int64[K]``, where each begins.
    base: ``int64[K, 2]``, where begins what is kept of each player.
    reach: ``float64[K, 2, H]``, y of player i and of player j there.
    value: ``float64[K, H]``, v there.
    """

    situation: Integers
    base: Integers
    reach: Floats
    value: Floats

    @staticmethod
    def of(form: VectorForm, most: int) -> "Parts":
        """Parts of at most ``most`` numbers, of both players together, that are as large as can
        be; none where the whole game is so small.
        """
        arrays = form.arrays
        found: list[tuple[int, int, int]] = []
        waiting = [(form.root, 0, 0)]
        while waiting and sum(form.sizes) > most:
            number, *base = waiting.pop()
            first, end = arrays.first_edge[number], arrays.first_edge[number + 1]
            for edge in range(end - 1, first - 1, -1):
                child = int(arrays.child[edge])
                if child == NOTHING:
                    continue
                first_base, second_base = (base[p] + int(arrays.base[edge, p]) for p in range(2))
                after = (child, first_base, second_base)
                (found if arrays.size[child].sum() <= most else waiting).append(after)
        found.sort(key=lambda part: part[1] + part[2])
        kept = [part for part in found if arrays.size[part[0]].sum() > 0]
        return Parts(
            np.array([part[0] for part in kept], np.int64),
            np.array([part[1:] for part in kept], np.int64).reshape(-1, 2),
            np.zeros((len(kept), 2, form.most_hands)),
            np.zeros((len(kept), form.most_hands)),
        )


@dataclass(frozen=True)
class Step(Compiled):
    """What a walk does.

    kind: UPDATE, MEAN or BEST.
    player: i.
    stage: WHOLE, DOWN or UP.
    prediction: how much the last regret counts once more in what is played.
    samples: whether one action of player j, and one outcome of chance, is followed in each public
        history, which is drawn.
    positive, negative: what positive and negative regret is multiplied by.
    weight, fading: what the strategy is multiplied by before it is added to x, and x after that.
    """

    kind: int
    player: int
    stage: int = WHOLE
    prediction: float = 0.0
    samples: bool = False
    positive: float = 1.0
    negative: float = 1.0
    weight: float = 1.0
    fading: float = 1.0

    def skips(self) -> bool:
        """Whether nothing changes where neither player plays."""
        fades = self.positive != 1.0 or self.negative not in (0.0, 1.0) or self.fading != 1.0
        return self.kind != UPDATE or not (fades or self.prediction > 0.0)


def update_step(variant: Variant, t: int, player: int, stage: int = WHOLE) -> Step:
    """The step of iteration t of a variant of CFR."""
    return Step(
        UPDATE,
        player,
        stage,
        variant.prediction,
        positive=variant.positive_discount(t),
        negative=variant.negative_discount(t),
        weight=variant.weight(t),
        fading=variant.fading(t),
    )


# In kernels, ``weights`` are those that a player's policy is proportional to: R for a player that
# plays by regret matching, x for one that plays the average strategy; ``last`` is r of the last
# iteration, empty where nothing is predicted. These arrays are of 32 or of 64 bits.


@kernel_apart
def walk(
    game: PublicGame,
    step: Step,
    room: Room,
    parts: Parts,
    own: Any,
    own_last: Any,
    own_average: Any,
    theirs: Any,
    their_last: Any,
) -> None:
    """Walk from the public history that is first in ``room``: its situation, its base and y are
    given; v is found.

    own, own_last, own_average: weights and last regrets of player i, and x.
    theirs, their_last: weights and last regrets of player j.
    """
    depth, part, enters = 0, 0, True
    while True:  # each part is called in one place, because the optimiser copies it to each
        if enters:
            _enter(game, step, room, depth, own, own_last, theirs, their_last)
            enters = False
        situation, edge = room.situation[depth], room.edge[depth]
        if edge == game.first_edge[situation + 1]:
            if game.mover[situation] == step.player and step.stage != DOWN:
                _leave(game, step, room, depth, own, own_last, own_average)
            if depth == 0:
                return
            depth -= 1
            found = room.value[depth + 1]
        else:
            room.edge[depth] += 1
            drawn = room.drawn[depth]
            alive = _move(game, step, room, depth, edge)
            child = game.child[edge]
            if child == NOTHING:
                continue
            base = room.base[depth + 1]
            if part == parts.situation.size or (
                parts.situation[part] != child
                or parts.base[part, 0] != base[0]
                or parts.base[part, 1] != base[1]
            ):
                enters = (alive or step.stage != WHOLE) and drawn in (NOTHING, edge)
                depth += enters
                continue
            found = parts.value[part]
            part += 1
            if step.stage == DOWN:
                _copy(parts.reach[part - 1, 0], room.reach[depth + 1, 0])
                _copy(parts.reach[part - 1, 1], room.reach[depth + 1, 1])
                continue
        _take_up(game, step, room, depth, found)


@inline
def _copy(to: Floats, values: Floats) -> None:
    for i in range(to.size):
        to[i] = values[i]


@inline
def _enter(
    game: PublicGame,
    step: Step,
    room: Room,
    depth: int,
    own: Any,
    own_last: Any,
    theirs: Any,
    their_last: Any,
) -> None:
    """Come to a public history, and find out what is played there."""
    situation = room.situation[depth]
    room.edge[depth] = game.first_edge[situation]
    hands = game.num_hands[situation, step.player]
    value = room.value[depth]
    for hand in range(hands):
        value[hand] = 0.0
    mover = game.mover[situation]
    room.drawn[depth] = NOTHING
    if mover < 0:
        if step.samples:
            _draw(game, room, depth, True)
        return
    if mover == step.player:
        worth = room.worth[depth]
        for i in range(game.num_actions[situation] * hands):
            worth[i] = 0.0
        if step.kind != BEST:
            _match(game, step.prediction, room, depth, room.base[depth, mover], own, own_last)
    else:
        _match(game, step.prediction, room, depth, room.base[depth, mover], theirs, their_last)
        if step.samples:
            _draw(game, room, depth, False)


@inline
def _draw(game: PublicGame, room: Room, depth: int, by_chance: bool) -> None:
    """Draw the edge that is followed, of those after which the game goes on: all alike at a move of
    chance, else mostly as player j plays with all hands together.
    """
    situation = room.situation[depth]
    others = game.num_hands[situation, game.mover[situation]]
    first, end = game.first_edge[situation], game.first_edge[situation + 1]
    total, count = 0.0, 0
    for edge in range(first, end):
        if game.child[edge] != NOTHING:
            count += 1
            if not by_chance:
                total += _mass(game, room, depth, edge, others)
    explored = EXPLORED if total > 0.0 else 1.0
    at = uniform(room.rng)
    for edge in range(first, end):
        if game.child[edge] == NOTHING:
            continue
        chance = explored / count
        if total > 0.0:
            chance += (1.0 - explored) * _mass(game, room, depth, edge, others) / total
        room.drawn[depth], room.chance[depth] = edge, chance
        at -= chance
        if at < 0.0:
            return


@inline
def _mass(game: PublicGame, room: Room, depth: int, edge: int, others: int) -> float:
    """How much all hands of player j together play to get along an edge."""
    reach, policy, mass = room.reach[depth], room.policy[depth], 0.0
    for hand in range(others):
        mass += reach[1, hand] * policy[game.action[edge] * others + hand]
    return mass


@inline
def _match(
    game: PublicGame,
    prediction: float,
    room: Room,
    depth: int,
    base: int,
    weights: Any,
    last: Any,
) -> None:
    """Write what the mover plays: proportional to weights, where they are positive; uniform where
    none is.
    """
    situation = room.situation[depth]
    hands = game.num_hands[situation, game.mover[situation]]
    actions, legal = game.num_actions[situation], game.first_legal[situation]
    policy, total, inverse = room.policy[depth], room.sums, room.sums[hands:]
    for hand in range(hands):
        total[hand] = 0.0
    for action in range(actions):
        first = action * hands
        if prediction > 0.0:
            for hand in range(hands):
                at = base + first + hand
                x = max(weights[at] + prediction * last[at], 0.0)
                policy[first + hand] = x
                total[hand] += x
        else:
            for hand in range(hands):
                x = max(weights[base + first + hand], 0.0)
                policy[first + hand] = x
                total[hand] += x
    for hand in range(hands):
        if total[hand] == 0.0:
            _spread(game, legal, actions, hands, hand, policy)
            total[hand] = 1.0
        inverse[hand] = 1.0 / total[hand]
    for action in range(actions):
        first = action * hands
        for hand in range(hands):
            x = policy[first + hand]  # where this action alone is played, the result is 1
            policy[first + hand] = 1.0 if x == total[hand] else x * inverse[hand]


@inline
def _spread(
    game: PublicGame, legal: int, actions: int, hands: int, hand: int, policy: Floats
) -> None:
    """Let a hand play all its actions with the same probability."""
    count = 0
    for action in range(actions):
        if legal == SAME or game.legal[legal + action * hands + hand]:
            count += 1
    for action in range(actions):
        has = legal == SAME or game.legal[legal + action * hands + hand]
        policy[action * hands + hand] = 1.0 / count if has else 0.0


@inline
def _move(game: PublicGame, step: Step, room: Room, depth: int, edge: int) -> bool:
    """Make a move: count what is paid where the game ends, and write what the child needs to know.
    Returns whether anything can come of it.
    """
    situation = room.situation[depth]
    mover, player = game.mover[situation], step.player
    hands, others = game.num_hands[situation, player], game.num_hands[situation, 1 - player]
    policy, action = room.policy[depth], game.action[edge]
    reach, played = room.reach[depth], room.played
    if mover == 1 - player:
        for hand in range(others):
            played[hand] = reach[1, hand] * policy[action * others + hand]
    else:
        for hand in range(others):
            played[hand] = reach[1, hand]
    matrix = game.matrix[edge]
    if matrix != NOTHING and step.stage != DOWN:
        values = room.value[depth]
        if mover == player:
            values = room.worth[depth, action * hands : (action + 1) * hands]
        add_payments(
            game.payments,
            matrix,
            game.factor[edge],
            player,
            played,
            values,
            room.sums,
            hands,
            others,
        )
    child = game.child[edge]
    if child == NOTHING:
        return False
    scale = 1.0
    if room.drawn[depth] != NOTHING:
        if room.drawn[depth] != edge:
            return False
        scale = 1.0 / room.chance[depth]
    room.situation[depth + 1] = child
    for p in range(2):
        room.base[depth + 1, p] = room.base[depth, p] + game.base[edge, p]
    alive = False
    after = room.reach[depth + 1]
    first = game.first_hand[edge, 1 - player]
    for hand in range(game.num_hands[child, 1 - player]):
        before = hand if first == SAME else game.parent_hand[first + hand]
        after[1, hand] = played[before] * scale
        alive |= played[before] > 0.0
    first = game.first_hand[edge, player]
    acts = mover == player and step.kind != BEST
    for hand in range(game.num_hands[child, player]):
        before = hand if first == SAME else game.parent_hand[first + hand]
        y = reach[0, before]
        if acts:
            y *= policy[action * hands + before]
        after[0, hand] = y * scale
        alive |= step.kind == UPDATE and y > 0.0
    return alive or not step.skips()


@inline
def _take_up(game: PublicGame, step: Step, room: Room, depth: int, values: Floats) -> None:
    """Add v of the child that was walked last to that of its parent."""
    situation, edge = room.situation[depth], room.edge[depth] - 1
    player = step.player
    child, first = game.child[edge], game.first_hand[edge, player]
    if game.mover[situation] == player:
        start = game.action[edge] * game.num_hands[situation, player]
        worth = room.worth[depth]
        for hand in range(game.num_hands[child, player]):
            before = hand if first == SAME else game.parent_hand[first + hand]
            worth[start + before] += values[hand]
    else:
        value = room.value[depth]
        for hand in range(game.num_hands[child, player]):
            before = hand if first == SAME else game.parent_hand[first + hand]
            value[before] += values[hand]


@inline
def _leave(
    game: PublicGame,
    step: Step,
    room: Room,
    depth: int,
    own: Any,
    own_last: Any,
    own_average: Any,
) -> None:
    """Find v where player i moves, and change R and x."""
    situation = room.situation[depth]
    hands, actions = game.num_hands[situation, step.player], game.num_actions[situation]
    legal = game.first_legal[situation]
    value, worth, policy = room.value[depth], room.worth[depth], room.policy[depth]
    if step.kind == BEST:
        for hand in range(hands):
            most = -np.inf
            for action in range(actions):
                at = action * hands + hand
                if legal == SAME or game.legal[legal + at]:
                    most = max(most, worth[at])
            value[hand] = most
        return
    for action in range(actions):
        first = action * hands
        for hand in range(hands):
            value[hand] += policy[first + hand] * worth[first + hand]
    if step.kind == MEAN:
        return
    base, reach = room.base[depth, step.player], room.reach[depth]
    for action in range(actions):
        first = action * hands
        for hand in range(hands):
            at = first + hand
            regret = worth[at] - value[hand]
            if legal != SAME and not game.legal[legal + at]:
                regret = 0.0
            summed = own[base + at] + regret
            own[base + at] = summed * step.positive if summed > 0.0 else summed * step.negative
            x = own_average[base + at] + step.weight * reach[0, hand] * policy[at]
            own_average[base + at] = x * step.fading
            if own_last.size:
                own_last[base + at] = regret
