"""Postponed reasoning with perfect information: EPIMC.

Arjonilla, Saffidine and Cazenave (2024), "Perfect information Monte Carlo with postponing
reasoning". PIMC lets each player see everything from the present decision on. EPIMC(d) does so from
the d-th decision on: the d - 1 decisions before it are made by information set, with one action for
all histories of a set, so that no player acts on what they cannot know. EPIMC(1) is PIMC.

A determinisation is continued by all actions for d - 1 decisions, and by one drawn outcome of each
move of chance. Where it ends, perfect information values the actions of the d-th decision. Then
all determinisations are backed up together, the deepest decisions first: each information set
takes the action with the highest sum of values, all its histories alike, and a history is worth
what that action earns in it. That is vector minimaxing (Frank and Basin 1998), whose non-locality
remains: a set does not weigh its histories by how likely the others are to come there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.history_step import notice
from hiddenhand.jit.random import new_state
from hiddenhand.jit.sampling import draw


@dataclass
class Position:
    """A decision of a determinisation, or its end.

    player: the player to move, or TERMINAL.
    state, keys: the position itself.
    moves: those that led here from the determinisation.
    key: the information set of ``player``; 0 at the end.
    actions: those that are legal, in order.
    children: what each of them leads to; none at the d-th decision and at the end.
    values: ``float64[n]`` what each action is worth to player 0; None where they were not computed.
    worth: what the position is worth to player 0 once its information set has an action.
    """

    player: int
    state: Integers
    keys: Keys
    moves: tuple[int, ...]
    key: int = 0
    actions: list[int] = field(default_factory=list)
    children: list["Position"] = field(default_factory=list)
    values: Floats | None = None
    worth: float | None = None


def continued(
    game: Game,
    state: Integers,
    keys: Keys,
    depth: int,
    random: np.random.Generator,
    moves: tuple[int, ...] = (),
) -> Position:
    """The position ``state``, with those that all actions of ``depth - 1`` decisions lead to."""
    state, keys = state.copy(), keys.copy()
    while (player := int(game.current_player(state))) == CHANCE:
        outcome = _drawn(game, state, random)
        _advance(game, state, keys, CHANCE, outcome)
        moves = (*moves, outcome)
    if player == TERMINAL:
        return Position(TERMINAL, state, keys, moves, worth=float(game.returns(state, 0)))
    key = int(game.information(state, player, keys[player]))
    here = Position(player, state, keys, moves, key, game.actions_of(state, player))
    if depth > 1:
        for action in here.actions:
            after, after_keys = state.copy(), keys.copy()
            _advance(game, after, after_keys, player, action)
            below = continued(game, after, after_keys, depth - 1, random, (*moves, action))
            here.children.append(below)
    return here


def frontier(position: Position) -> Iterator[Position]:
    """The d-th decisions below a position."""
    if position.children:
        for child in position.children:
            yield from frontier(child)
    elif position.player != TERMINAL:
        yield position


def backed_up(roots: list[Position], depth: int) -> Floats:
    """``float64[n]``: the sum over ``roots``, which are histories of one information set, of what
    each of its n actions is worth to the player to move. Writes what every position is worth.
    """
    levels = [roots]
    for _ in range(depth - 1):
        levels.append([child for position in levels[-1] for child in position.children])
    for level in reversed(levels[1:]):
        _decide(level)
    return _sums(roots)


def _decide(level: list[Position]) -> None:
    """Give each information set of a level its action, and each of its positions a worth."""
    sets: dict[tuple[int, int], list[Position]] = {}
    for position in level:
        if position.player != TERMINAL:
            sets.setdefault((position.player, position.key), []).append(position)
    for positions in sets.values():
        best = int(np.argmax(_sums(positions)))
        for position in positions:
            values = _values(position)
            position.worth = None if values is None else float(values[best])


def _sums(positions: list[Position]) -> Floats:
    """The sum of values for the player to move, over the positions of an information set that have
    values.
    """
    sums = np.zeros(len(positions[0].actions))
    for position in positions:
        values = _values(position)
        if values is not None:
            sums += values if position.player == 0 else -values
    return sums


def _values(position: Position) -> Floats | None:
    """What each action is worth to player 0."""
    if not position.children:
        return position.values
    worths = [child.worth for child in position.children]
    known = [worth for worth in worths if worth is not None]
    return np.array(known) if len(known) == len(worths) else None


def _drawn(game: Game, state: Integers, random: np.random.Generator) -> int:
    """An outcome of chance, by its probability."""
    if game.draws_chance:
        return int(game.sample_chance(state, new_state(int(random.integers(2**63)))))
    outcomes = np.zeros(game.max_chance_outcomes, np.int64)
    probabilities = np.zeros(game.max_chance_outcomes)
    count = game.chance_outcomes(state, outcomes, probabilities)
    return int(outcomes[draw(list(probabilities[:count]), random.random())])


def _advance(game: Game, state: Integers, keys: Keys, player: int, action: int) -> None:
    observations = np.zeros(game.num_players + 1, np.int64)
    game.apply_action(state, action, observations)
    notice(keys, player, action, observations)
