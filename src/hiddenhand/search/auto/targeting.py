"""What Online Outcome Sampling aims at, how often, and which moves it leaves out, by the size of
the game.

The paper aims nine samples of ten at where the match is. What else could be done was measured in
small games, see "What to aim at" in the documentation. Where a search makes enough samples to meet
most of the game, seldom aiming at all that is publicly possible is best: the rest of the game says
what the other hands are worth. In larger games samples that go astray are lost, and half of them
aimed at what the player holds possible wins more matches.

In larger games many moves of the mean strategy are left over from the first samples. Without the
rare ones the search wins more matches: see "Rare moves" in the documentation. nash_conv with them
and without could be measured in small games only, and was not clearly larger there. In small games
the search comes near an equilibrium, which may need rare moves. So it plays all moves there.
"""

from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.algorithm import Algorithm
from hiddenhand.games.base import Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.parameters import parameter
from hiddenhand.search.auto.survey import survey
from hiddenhand.search.sampling.oos import OOS, OOSParameters
from hiddenhand.search.table_search import TableParameters

_SMALL: Final = 1e5  # histories of a game that samples cover well
_THRESHOLD: Final = 0.2  # below this share of the likeliest move, moves are left out in other games


@dataclass(frozen=True, kw_only=True)
class AimedOOSParameters(TableParameters):
    """The parameters of `AimedOOS`.

    epsilon: exploration, as in `OOS`; 0.4 is what the paper uses in matches.
    """

    epsilon: float = parameter(0.4, above=0, most=1)


@Algorithm(
    name="oos-aimed",
    paper='Lisý, Lanctot and Bowling (2015), as oos; what it aims at was measured, see "What to '
    'aim at"',
    summary="OOS that aims by the size of the game: seldom and at the public state in small "
    "games, half of the time and at the information set in others, where it leaves out rare moves.",
    games="zero-sum games of two players",
    guarantee="the mean strategy converges to an equilibrium, as that of oos; in large games the "
    "search does not play its rare moves",
)
class AimedOOS(OOS):
    """OOS with targeting, delta and threshold that suit the size of a zero-sum game for two
    players.
    """

    PARAMETERS = AimedOOSParameters
    ALGORITHM = "oos-aimed"

    def _set_up(self, game: Game | str) -> None:
        sequential = as_sequential(game)
        is_small = survey(sequential).histories <= _SMALL
        targeting, delta, threshold = ("pst", 0.2, 0.0) if is_small else ("ist", 0.5, _THRESHOLD)
        self.settings = OOSParameters(
            **vars(self.settings), targeting=targeting, delta=delta, threshold=threshold
        )
        super()._set_up(sequential)

    def _parameters(self) -> dict[str, Any]:
        kept = super()._parameters()
        return {name: kept[name] for name in ("epsilon", "memory", "seed")}
