"""A match that begins in the middle: at a decision of a match that is over, with the hidden part
dealt anew.

The seat knows what it knew there, and nothing more. The new hidden part is drawn from the histories
that fit this, by the probabilities of the belief: those of an equilibrium where the game is solved,
else those of a search. Where the equilibrium never leads there, the others erred now and then; see
`solved`.
"""

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.games.history import History
from hiddenhand.web.exact_solution import can_be_solved, solved
from hiddenhand.web.judging import Estimator
from hiddenhand.web.setup import PERSON, Setup, new_setup

_OPPONENT = "auto"  # takes the seat of another person


def dealt_anew(before: History, budget: Budget, random: np.random.Generator) -> list[int]:
    """The moves of a history in the same information set, drawn from the belief.

    before: the history at a decision of a player.
    budget: the budget of the search whose belief it is, where the game is not solved.
    """
    game, seat = before.game, before.player
    if can_be_solved(game):
        known = solved(game)
        members, weights = known.belief(known.set_after(before.actions))
        return known.tree.path(int(random.choice(members, p=weights)))
    estimator = Estimator(game, seat, budget, lambda: False)
    try:
        estimator.follow(before)
        belief, weights = estimator.belief(before)
    finally:
        estimator.rest()
    return belief.moves_to(int(random.choice(weights.size, p=weights)))


def setup_to_retry(setup: Setup, seat: int) -> Setup:
    """The setup of a table at which a person plays on in a seat, against bots.

    setup: the setup of the match that is over. Its other people are replaced by a bot.
    """
    others = [_OPPONENT if one.is_person else one.player for one in setup.seats]
    players = [PERSON if number == seat else player for number, player in enumerate(others)]
    return new_setup(setup.game, tuple(players), setup.seconds)
