"""Zero-sum games of two players in which something is hidden: exactly where it fits, by sampling
where public states are few, by a search that needs no public states elsewhere.

The candidates, in the order in which the search tries them at each move:

1. `VectorForm`. This is for large games in which all moves are public. If there is time for some
   tens of iterations, the search resolves the present public history for all hands at once. It does
   so for all later public histories, too. Before that, `HandsKnown` plays a blueprint that knows
   the present hand, if there is one.
2. `WrittenOut`. The present public state is resolved exactly, if its gadget game can be written out
   and solved for a while in the time given. At the first move that is the whole game, and as long
   as most of what was written out is still to come, solving it goes on. With a blueprint, the
   ranges and the values that make it safe are those of the blueprint, where no solution of a public
   state before has them.
3. `Sampled`. The public state is resolved by sampling, if all of the match so far was resolved. The
   game may have at most some hundred times more histories than there will be samples. With fewer
   samples the values that are handed down are noise, and resolving from noise plays badly.
4. `FromHere`. Where the whole game does not fit, what comes from here on is tried instead.
5. `RecalledHere`. A blueprint by sets is played where training came to the present information set
   often enough. Nothing is sampled there.
6. `Fallback`. Online Outcome Sampling where the game is of a size at which it comes near an
   equilibrium, information-set Monte Carlo tree search in games with more histories or more
   actions. They have no use for values, and hand none down. What is resolved later is then resolved
   without them: not safely, from ranges in which all hands are alike, which is still better than
   what the fallback finds.

Where nothing is hidden, nothing is resolved by sampling, and the fallback is Monte Carlo tree
search, which comes nearer to the best move the longer it thinks.

In games with few observations, too many histories are consistent with them, and the belief keeps
only a sample. The search resolves nothing from a sample: from there on only the fallback searches.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hiddenhand.games.history import Event
from hiddenhand.progress import Progress
from hiddenhand.search.auto.blueprint_lookup import Recalled
from hiddenhand.search.auto.candidates import Auto, Candidate, Left, Searches
from hiddenhand.search.auto.resolving import AutoResolving
from hiddenhand.search.auto.targeting import AimedOOS
from hiddenhand.search.cost_model import COSTS
from hiddenhand.search.resolving.vector_cr import VectorCR
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.trees.blueprint import ENOUGH
from hiddenhand.trees.strategy import Weights

_SAMPLED: Final = 150.0  # histories of the game for each sample, up to which sampling helps
_TO_TELL: Final = 0.3  # of a move's time, to tell the fallback where the match is
_WORTHWHILE: Final = 20.0  # iterations in vector form that are made at least
_FALLBACKS: Final = {
    AimedOOS: "Online Outcome Sampling, which comes nearer to an equilibrium the longer it thinks",
    ISMCTS: "information-set Monte Carlo tree search, which guarantees nothing",
}
_UNSAFE: Final = ", though not from values that make it safe"
_SAFER: Final = "; the blueprint is safer than that, and says what to play"
_NO_ANSWER: Final = "; the model of the opponent is not answered, as nothing is written out"
_IN_PLAIN_SIGHT: Final = (
    "Monte Carlo tree search, which, as nothing is hidden, comes nearer to the best move the "
    "longer it thinks"
)


class HiddenChoice(Auto):
    """Plays games that hide something, or nothing; see `Auto`.

    resolving: follows the match, and resolves.
    fallback: searches where nothing is resolved; it gets the events of the match only then.
    in_plain_sight: whether nothing is hidden.
    vector: resolves for all hands at once; None where moves are hidden.
    recalled: knows a blueprint by sets; None where there is none.
    doubt: why a blueprint is not used, in a clause; empty where there is none, or it is used.
    """

    def __init__(
        self,
        resolving: AutoResolving,
        fallback: AimedOOS | ISMCTS,
        *,
        in_plain_sight: bool = False,
        vector: VectorCR | None = None,
        recalled: "RecalledHere | None" = None,
        doubt: str = "",
    ) -> None:
        self.resolving, self.fallback = resolving, fallback
        self.vector, self.recalled = vector, recalled
        self.in_plain_sight, self.doubt = in_plain_sight, doubt
        self._last = Fallback(fallback, resolving, in_plain_sight, doubt)
        by_hands = () if vector is None else (VectorForm(vector), HandsKnown(vector))
        is_safe = in_plain_sight or recalled is not None
        exactly = WrittenOut(resolving, is_safe, in_plain_sight)
        sampled = () if in_plain_sight else (Sampled(resolving, recalled),)
        known = () if recalled is None else (recalled,)
        from_here = FromHere(resolving, is_safe)
        super().__init__(
            resolving.game,
            [self._last, *(() if vector is None else (vector,)), resolving, *known],
            [*by_hands, exactly, *sampled, from_here, *known, self._last],
        )

    def branch(self, events: Sequence[Event]) -> "HiddenChoice":
        """See `ContinualResolving.branch`. The fallback begins anew."""
        resolving, recalled = self.resolving.branch(events), None
        seat, seed = resolving.seat, resolving.seed
        if self.recalled is not None:
            recalled = RecalledHere(self.game, self.recalled.blueprint, resolving)
            recalled.start(seat, seed)
            recalled.notice(events)
        fallback = copy.copy(self.fallback)
        fallback.start(seat, seed)
        vector = None if self.vector is None else self.vector.branch(events)
        other = HiddenChoice(
            resolving,
            fallback,
            in_plain_sight=self.in_plain_sight,
            vector=vector,
            recalled=recalled,
            doubt=self.doubt,
        )
        other._last.untold = list(events)
        return other


class VectorForm(Searches):
    """Resolves the present public history for all hands at once. Where it has resolved an earlier
    one, it resolves all that follow: they are safe then.
    """

    plays: VectorCR

    def __init__(self, vector: VectorCR) -> None:
        self.plays = vector

    def can(self, left: Left) -> bool:
        vector = self.plays
        if not vector.is_to_move:
            return False
        if not vector.has_resolved and self._iterations(left) < _WORTHWHILE:
            return False
        safe = vector.has_resolved or vector.is_whole or vector.blueprint is not None
        self._why = (
            "what comes from here on was solved for all hands at once, by counterfactual regret "
            f"minimisation on what is public{'' if safe else _UNSAFE}"
        )
        return True

    def think(self, left: Left, progress: Progress) -> None:
        iterations = left.iterations
        if iterations is not None:
            iterations = max(int(self._iterations(Left(iterations, None))), 1)
        self.plays.think(iterations, left.seconds, progress)

    def _iterations(self, left: Left) -> float:
        """How many iterations in vector form a budget allows."""
        most = [float("inf")]
        if left.iterations is not None:
            most.append(left.iterations / COSTS.samples)
        if left.seconds is not None:
            most.append(left.seconds)
        return min(most) * COSTS.numbers / max(self.plays.numbers, 1)

    def why(self) -> str:
        return self._why + (_SAFER if self.plays.keeps_blueprint else "")

    def figures(self) -> Mapping[str, float]:
        return {"in vector form": self.plays.thought()["iterations"]}


class HandsKnown(Candidate):
    """Plays a blueprint by hands where it knows the present one."""

    plays: VectorCR
    _why = "the blueprint says what to play, as there is no time to resolve"

    def __init__(self, vector: VectorCR) -> None:
        self.plays = vector

    def can(self, left: Left) -> bool:
        return self.plays.is_known


class _Resolved(Searches):
    """Resolves the present public state.

    is_safe: whether that is safe even if values were not handed down to it.
    """

    plays: AutoResolving

    def __init__(self, resolving: AutoResolving, is_safe: bool) -> None:
        self.plays = resolving
        self._is_safe = is_safe

    def _fits(self, left: Left, what: str) -> bool:
        """Whether the present gadget game is written out, which is called ``what``."""
        if not self.plays.fits(left):
            return False
        safe = self._is_safe or self.plays.handed_down
        self._why = (
            f"{what} was written out in {self.plays.exact.num_histories:,} histories and solved by "
            f"counterfactual regret minimisation{'' if safe else _UNSAFE}"
        )
        return True

    def why(self) -> str:
        if self.plays.exact.keeps_given:
            return self._why + _SAFER
        answered = self.plays.choice and f"; {self.plays.choice}"
        return self._why + ("" if self.plays.model is None else answered or _NO_ANSWER)


class WrittenOut(_Resolved):
    """Resolves the present public state exactly; at the first move the whole game, or, where
    nothing is hidden, what comes from here on.
    """

    def __init__(self, resolving: AutoResolving, is_safe: bool, in_plain_sight: bool) -> None:
        super().__init__(resolving, is_safe)
        self._leaves_root = in_plain_sight

    def can(self, left: Left) -> bool:
        if self.plays.is_sampled:
            return False
        at_root = self.plays.begin_at_root()
        if at_root and self._leaves_root and self.plays.plays:
            at_root = not self.plays.leave_root()
        return self._fits(left, "the whole game" if at_root else "what comes from here on")

    def figures(self) -> Mapping[str, float]:
        return {**self.plays.thought(), "belief": self.plays.belief.leaves.size}


class Sampled(_Resolved):
    """Resolves the present public state by sampling, where no blueprint knows what to play."""

    _why = "too large to be written out in this time, and small enough to be resolved by sampling"

    def __init__(self, resolving: AutoResolving, recalled: Recalled | None) -> None:
        super().__init__(resolving, is_safe=False)
        self._recalled = recalled

    def can(self, left: Left) -> bool:
        resolving = self.plays
        if resolving.is_sampled or not resolving.handed_down or not resolving.samplers:
            return False
        if self._recalled is not None and self._recalled.is_ready():
            return False
        samples = min(
            float("inf") if left.iterations is None else float(left.iterations),
            float("inf") if left.whole is None else COSTS.samples * left.whole,
        )
        return resolving.histories <= _SAMPLED * samples


class FromHere(_Resolved):
    """Resolves exactly what comes from here on, where the whole game was too large, and the match
    has begun.
    """

    def can(self, left: Left) -> bool:
        resolving = self.plays
        if resolving.is_sampled:
            return False
        if not resolving.plays:
            resolving.forget_root()
            return False
        if not (resolving.begin_at_root() and resolving.leave_root()):
            return False
        resolving.handed_down = False
        return self._fits(left, "what comes from here on")


class RecalledHere(Recalled):
    """A blueprint that is played where public states are resolved."""

    following: AutoResolving

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`: what is believed of the blueprint in the present public
        state.
        """
        return self.blueprint.among(np.append(self.following.sets_here(), self._key), ENOUGH)


class Fallback(Searches):
    """Searches where nothing is resolved.

    plays: the search. It follows the match only when it has to.
    untold: the events that it has not got yet.
    """

    plays: AimedOOS | ISMCTS
    lasts = False

    def __init__(
        self,
        search: AimedOOS | ISMCTS,
        resolving: AutoResolving,
        in_plain_sight: bool,
        doubt: str,
    ) -> None:
        self.plays = search
        self._resolving = resolving
        what = _IN_PLAIN_SIGHT if in_plain_sight else _FALLBACKS[type(search)]
        unanswered = "" if resolving.model is None else _NO_ANSWER
        self._why = f"too large to be resolved in this time: {what}{doubt}{unanswered}"
        self.untold: list[Event] | None = None

    def start(self, seat: int, seed: int) -> None:
        self.plays.start(seat, seed)
        self.untold = None

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self.untold = [*(self.untold or ()), *events]
        if self._resolving.is_sampled:
            self._tell(seconds, iterations)

    def can(self, left: Left) -> bool:
        self._resolving.handed_down &= not self._resolving.plays
        self._tell(None if left.seconds is None else left.seconds * _TO_TELL, left.iterations)
        return True

    def is_ready(self) -> bool:
        self._tell()
        return True

    def _tell(self, seconds: float | None = None, iterations: int | None = None) -> None:
        if self.untold is not None:
            self.plays.notice(self.untold, seconds, iterations)
            self.untold = None

    def figures(self) -> Mapping[str, float]:
        made = self.plays.thought()["iterations"]
        known = {} if self.untold is not None else {"belief": self.plays.belief.leaves.size}
        return {"iterations": made, "fallback": made, **known}
