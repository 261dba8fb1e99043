"""What Online Outcome Sampling aims at, and how often, by the size of the game.

The paper aims nine samples of ten at where the match is. What else could be done was measured in
small games, see "What to aim at" in the documentation. Where a search makes enough samples to meet
most of the game, seldom aiming at all that is publicly possible is best: the rest of the game says
what the other hands are worth. In larger games samples that go astray are lost, and half of them
aimed at what the player holds possible wins more matches.
"""

from typing import Any, Final

from hiddenhand.games.base import Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.auto.survey import survey
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.thinking import DEFAULT_MEMORY

_SMALL: Final = 1e5  # histories of a game that samples cover well


class AimedOOS(OOS):
    """OOS with targeting and delta that suit the size of a game, zero-sum and for two players.

    epsilon: exploration, as in `OOS`; 0.4 is what the paper uses in matches.
    memory: bytes that its tables may take, also while they grow.
    seed: the seed of the random numbers.
    threads: number of streams that search at the same time, on as many cores, at least 1.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    """

    ALGORITHM = "oos-aimed"

    def __init__(
        self,
        game: Game | str,
        *,
        epsilon: float = 0.4,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        sequential = as_sequential(game)
        is_small = survey(sequential).histories <= _SMALL
        targeting, delta = ("pst", 0.2) if is_small else ("ist", 0.5)
        super().__init__(
            sequential,
            epsilon=epsilon,
            targeting=targeting,
            delta=delta,
            memory=memory,
            seed=seed,
            threads=threads,
            streams=streams,
            chunk=chunk,
        )

    def _parameters(self) -> dict[str, Any]:
        kept = super()._parameters()
        return {name: kept[name] for name in ("epsilon", "memory", "seed")}
