"""How many moves are wrong, by backward induction, against an opponent who moves at random, in
games made at random:

    python -m studies.errors [--trees 100] [--depth 4] [--write] [PLAYER ...]

Every player plays each game once from each seat, with 200 iterations and with 0.05 s a move: games
in plain sight without chance and with it, and games that begin with one sealed move of each player
and go on in plain sight. A wrong move is one in plain sight after which best play of both earns the
player less than before. ``--write`` puts the tables into docs/opponents.md.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from benchmarks.kept import row, write_section

from hiddenhand import Budget, make_player, play_match, unroll
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Player
from hiddenhand.trees.tree import GameTree

PLAYERS: Final = ("auto", "equilibrium", "cr", "mccr", "oos", "ismcts")
BUDGETS: Final = {"200 iterations": Budget(200), "0.05 s": Budget(seconds=0.05)}
SAMPLERS: Final = ("mccr", "oos", "ismcts")
ITERATIONS: Final = (200, 1000, 5000, 25_000)
"""For each move in the second table. The errors of `SAMPLERS` are noise, so they get rarer."""
KINDS: Final[dict[str, dict[str, Any]]] = {
    "no chance": {},
    "chance": {"chance": 0.3},
    "sealed": {"sealed": True},
}
"""The arguments of `random_tree` for each kind of game."""
_ENDS: Final = 0.1  # the probability with which a play that could go on ends
_LOST: Final = 1e-9  # of a payoff, from which on a move is wrong


def random_tree(
    seed: int, depth: int, chance: float = 0.0, most: int = 3, sealed: bool = False
) -> TreeGame:
    """A game in plain sight: each decision is an information set of its own. Players alternate.

    depth: how many moves a play has at most; a tenth of the plays that could go on end earlier.
    chance: the probability with which chance moves in place of a player.
    most: the largest number of moves at a node.
    sealed: whether the second player does not see the first move before moving. Then all plays have
        two moves at least, which players make, and the second player always has as many moves.
    """
    rng = np.random.default_rng((seed, depth))
    player, first, number, sets, payoffs = [], [], [], [], []
    moves_before, probability = [0], [1.0]
    for node, moves in enumerate(moves_before):  # grows while it is walked
        first.append(len(moves_before))
        payoffs.append(rng.integers(-10, 11) / 10)
        opening = sealed and moves < 2
        if not opening and (moves == depth or (node > 0 and rng.random() < _ENDS)):
            player.append(TERMINAL)
            number.append(0)
            sets.append(-1)
            continue
        by_chance = not opening and rng.random() < chance
        player.append(CHANCE if by_chance else moves % 2)
        number.append(most if opening else int(rng.integers(2, most + 1)))
        sets.append(-1 if by_chance else min(node, 1) if opening else node)
        moves_before += [moves + 1] * number[-1]
        probability += list(rng.dirichlet(np.ones(number[-1])))
    order = {number: n for n, number in enumerate(sorted(set(sets) - {-1}))}
    return TreeGame(
        np.array(player),
        np.where(np.array(number) > 0, first, 0),
        np.array(number),
        np.array(probability),
        np.array([order.get(one, -1) for one in sets]),
        np.outer(payoffs, [1.0, -1.0]),
    )


def by_backward_induction(tree: GameTree) -> Floats:
    """``float64[H]``: what each history of a game in plain sight is worth to player 0."""
    worth = np.zeros(tree.num_histories)
    worth[tree.terminal] = tree.utility[:, 0]
    for h in range(tree.num_histories - 1, -1, -1):
        children = slice(tree.first_child[h], tree.first_child[h] + tree.num_children[h])
        if tree.player[h] == CHANCE:
            worth[h] = worth[children] @ tree.probability[children]
        elif tree.player[h] >= 0:
            best: Callable[[Floats], float] = (np.max, np.min)[tree.player[h]]
            worth[h] = best(worth[children])
    return worth


def wrong_moves(
    spec: str, game: TreeGame, seed: int, budget: Budget, sealed: int = 0
) -> tuple[int, int]:
    """How many of a player's moves are wrong in a match from each seat against random play, and
    how many decisions there are.

    sealed: how many moves at the beginning are sealed, and neither right nor wrong.
    """
    tree = unroll(game)
    worth, wrong, made = by_backward_induction(tree), 0, 0
    for seat in range(2):
        players: list[Player] = [RandomPlayer(), RandomPlayer()]
        players[seat] = make_player(game, spec)
        here = 0
        for made_before, move in enumerate(play_match(game, players, seed, [budget] * 2).moves):
            there = tree.first_child[here] + move
            if tree.player[here] == seat and made_before >= sealed:
                wrong += abs(worth[there] - worth[here]) > _LOST
                made += 1
            here = there
    return int(wrong), made


def main() -> None:
    """Print two tables: all players, and the samplers by iterations."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("players", nargs="*", default=PLAYERS)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    asked = parser.parse_args()
    columns = {f"{kind}, {name}": ([kind], BUDGETS[name]) for kind in KINDS for name in BUDGETS}
    lines = table(asked.players, columns, asked.trees, asked.depth)
    samplers = [spec for spec in asked.players if spec in SAMPLERS]
    if samplers:
        columns = {f"{count:,} iterations": (list(KINDS), Budget(count)) for count in ITERATIONS}
        lines += ["", "Games of all three kinds:", ""]
        lines += table(samplers, columns, asked.trees, asked.depth)
    if asked.write:
        write_section("docs/opponents.md", "errors", lines)


def table(
    players: Sequence[str],
    columns: dict[str, tuple[list[str], Budget]],
    trees: int,
    depth: int,
) -> list[str]:
    """The lines of a table, a row for each player, which are printed as they come.

    columns: for each heading, kinds of games, and what a player has for each move.
    """
    lines = [row(["player", *columns]), row(["---"] * (1 + len(columns)))]
    print(*lines, sep="\n")
    for spec in players:
        cells = [counted(spec, kinds, budget, trees, depth) for kinds, budget in columns.values()]
        lines.append(row([spec, *cells]))
        print(lines[-1], flush=True)
    return lines


def counted(spec: str, kinds: list[str], budget: Budget, trees: int, depth: int) -> str:
    """How many moves of a player are wrong in so many games of each kind, and of how many."""
    wrong = made = 0
    for kind in kinds:
        sealed = 2 if kind == "sealed" else 0
        for seed in range(trees):
            game = random_tree(seed, depth + sealed, **KINDS[kind])
            counts = wrong_moves(spec, game, seed, budget, sealed)
            wrong, made = wrong + counts[0], made + counts[1]
    return f"{wrong} of {made}"


if __name__ == "__main__":
    main()
