"""What is known of a game of two players whose payoffs have no constant sum.

No method finds equilibria of such a game quickly, and a mean of strategies need not come near one.
`general_sum` gives what there is for the size of the game. For a small one that is all Nash
equilibria (`support_enumeration`). For a somewhat larger one it is the correlated equilibria with
the largest sum of payoffs. What CFR plays as a correlation (`solvers.correlated_equilibria`) is for
all. Each has its gap. Gambit (gambit-project.org) has more methods, and methods for more players;
`hiddenhand export` writes games for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.progress import SILENT, Progress
from hiddenhand.solvers.correlated_equilibria import Correlated, PlayOfCFR, correlated, play_of_cfr
from hiddenhand.solvers.support_enumeration import Equilibria, enumerate_supports
from hiddenhand.trees.reduced_normal_form import normal_form
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import as_tree

_T = TypeVar("_T")

ITERATIONS: Final = 1000
"""The iterations of CFR by default."""


@dataclass(frozen=True)
class GeneralSum:
    """What was found of a game of two players.

    tree: the game.
    equilibria: its Nash equilibria; None if the game is too large for that.
    correlated: its correlated equilibrium with the largest sum of payoffs; None as before.
    coarse: the same of coarse correlated equilibria.
    play: what CFR plays, as a correlation; None as before.
    left_out: why what is None was left out, a sentence each.
    """

    tree: GameTree
    equilibria: Equilibria | None
    correlated: Correlated | None
    coarse: Correlated | None
    play: PlayOfCFR | None
    left_out: tuple[str, ...]

    def __repr__(self) -> str:
        number = "unknown" if self.equilibria is None else len(self.equilibria.found)
        return f"GeneralSum({self.tree.game}: {number} Nash equilibria)"


def general_sum(
    game: GameTree | Game | str, iterations: int = ITERATIONS, progress: Progress = SILENT
) -> GeneralSum:
    """Find what there is to find for a game of two players, whatever its payoffs.

    game: a game, its name, or its tree.
    iterations: the iterations of CFR.

    Raises GameError for more than two players, and if the game is too large for all of it.
    """
    rules = game.game if isinstance(game, GameTree) else game_of(game)
    if rules.num_players != 2:
        raise GameError(
            f"{rules} has {rules.num_players} players, and equilibria of games without a constant "
            "sum are found here for two; export it for Gambit with hiddenhand export, or use cfr, "
            "which guarantees nothing there"
        )
    tree = as_tree(game)
    left_out: list[str] = []

    def unless_too_large(find: Callable[[], _T]) -> _T | None:
        try:
            return find()
        except TooLargeError as reason:
            left_out.append(str(reason))
            return None

    form = unless_too_large(lambda: normal_form(tree))
    equilibria, best, coarse = (
        (None, None, None)
        if form is None
        else (
            unless_too_large(lambda: enumerate_supports(form, progress)),
            unless_too_large(lambda: correlated(form, "ce")),
            unless_too_large(lambda: correlated(form, "cce")),
        )
    )
    play = unless_too_large(lambda: play_of_cfr(tree, iterations, progress))
    if play is None and (equilibria, best, coarse) == (None, None, None):
        raise GameError(
            f"{tree.game} has no constant sum, and it is too large for all that is known here: "
            f"{'; '.join(left_out)}; try Gambit, for which hiddenhand export writes it"
        )
    return GeneralSum(tree, equilibria, best, coarse, play, tuple(left_out))
