"""Zero-sum games of two players in which something is hidden: exactly where it fits, by sampling
where public states are few, by a search that needs no public states elsewhere.

In this order, at each move:

1. If the game is large and all moves are public, the search resolves the present public history
   for all hands at once, if there is time for some tens of iterations. It does so for all later
   public histories, too. Before that, it plays a blueprint that knows the present hand, if there is
   one.
2. The present public state is resolved exactly, if its gadget game can be written out and solved
   for a while in the time given. At the first move that is the whole game, and as long as most of
   what was written out is still to come, solving it goes on. With a blueprint, the ranges and the
   values that make it safe are those of the blueprint, where no solution of a public state before
   has them.
3. A blueprint by sets is played where training came to the present information set often enough.
4. The public state is resolved by sampling, if all of the match so far was resolved and the game
   has at most some hundred times more histories than there will be samples. With fewer samples the
   values that are handed down are noise, and resolving from noise plays badly.
5. The fallback searches: Online Outcome Sampling where the game is of a size at which it comes near
   an equilibrium, information-set Monte Carlo tree search in games with more histories or more
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
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.auto.aiming import AimedOOS
from hiddenhand.search.auto.recalling import Recalled
from hiddenhand.search.auto.resolving import AutoResolving
from hiddenhand.search.resolving.adaptive import AdaptiveResolver
from hiddenhand.search.resolving.vector import VectorCR
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

_SAMPLED: Final = 150.0  # histories of the game for each sample, up to which sampling helps
_SPEED: Final = 1e6  # samples a second, to compare a time with a number of samples
_LEAST: Final = 1e-4  # seconds to think, when choosing took all there was
_TO_TELL: Final = 0.3  # of a move's time, to tell the fallback where the match is
_WALKED: Final = 6e7  # numbers that an iteration in vector form walks over in a second
_WORTHWHILE: Final = 20.0  # iterations in vector form that are made at least
_FALLBACKS: Final = {
    AimedOOS: "Online Outcome Sampling, which comes nearer to an equilibrium the longer it thinks",
    ISMCTS: "information-set Monte Carlo tree search, which guarantees nothing",
}
_NO_ANSWER: Final = "the model of the opponent is not answered, as nothing is written out"
_IN_PLAIN_SIGHT: Final = (
    "Monte Carlo tree search, which, as nothing is hidden, comes nearer to the best move the "
    "longer it thinks"
)


_Present = AutoResolving | VectorCR | Recalled | AimedOOS | ISMCTS


class HiddenChoice:
    """Chooses among resolving and its fallback at each move; see `OnlineSearch`.

    resolver: resolves, exactly or by sampling.
    resolving: follows the match with ``resolver``.
    fallback: searches where nothing is resolved; it gets the events of the match only then.
    in_plain_sight: whether nothing is hidden.
    vector: resolves for all hands at once; None where moves are hidden.
    recalled: knows a blueprint by sets; None where there is none.
    doubt: why a blueprint is not used, in a clause; empty where there is none, or it is used.
    choice: what was done for the present move and why, in a sentence.
    """

    def __init__(
        self,
        resolver: AdaptiveResolver,
        resolving: AutoResolving,
        fallback: AimedOOS | ISMCTS,
        *,
        in_plain_sight: bool = False,
        vector: VectorCR | None = None,
        recalled: Recalled | None = None,
        doubt: str = "",
    ) -> None:
        self.game = resolving.game
        self.in_plain_sight = in_plain_sight
        self.vector = vector
        self.recalled = recalled
        self.doubt = doubt
        self.resolver = resolver
        self.resolving = resolving
        self.fallback = fallback
        self.start(0, fallback.seed)

    def __repr__(self) -> str:
        return one_line(self, self.game)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.seat, self.seed = seat, seed
        self.resolving.start(seat, seed)
        self.fallback.start(seat, seed)
        if self.vector is not None:
            self.vector.start(seat, seed)
        if self.recalled is not None:
            self.recalled.start(seat, seed)
        self._is_vector = False  # whether the match was resolved for all hands at once
        self._recalls = False  # whether the present move is that of a blueprint by hands
        self._present: _Present | None = None
        self._is_sampled = False  # whether more histories are consistent than can be kept
        self._handed_down = True  # whether all of the match so far was resolved
        self._plays = False  # whether the match has come to a move
        self._untold: list[Event] | None = None  # events that the fallback has not got yet
        self._why = ""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self._untold = [*(self._untold or ()), *events]
        self._plays, self._present = True, None
        if self.vector is not None:
            self.vector.notice(events)
        following = self.resolving.belief
        if not self._is_sampled:
            share = None if seconds is None else seconds / 2
            self.resolving.notice(events, share, iterations)
            self._is_sampled = self.resolving.is_sampled
        else:
            following = self._told(seconds, iterations).belief
        if self.recalled is not None:
            self.recalled.notice(events, following)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Iterations are those by sampling; of CFR as many are made as
        take as long.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        began = clock.now()
        if self._present is None or self._present is self.fallback:
            self._present = self._chosen(iterations, seconds)
        if seconds is not None:
            seconds = max(seconds - (clock.now() - began), _LEAST)
        if self._recalls:
            return
        if iterations is not None and self._present is self.vector:
            iterations = max(int(_affordable(self.vector, iterations, None)), 1)
        self._present.think(iterations, seconds, progress)

    @property
    def choice(self) -> str:
        """What was done for the present move and why, in a sentence."""
        if self._keeps_blueprint:
            return f"{self._why}; the blueprint is safer than that, and says what to play"
        if self.resolving.model is None or not self._why:
            return self._why
        answered = self.resolving.choice if self._present is self.resolving else ""
        return f"{self._why}; {answered or _NO_ANSWER}"

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        return (self._present or self._told()).policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. With a blueprint by sets, the result holds what the blueprint
        says in the present public state.
        """
        if isinstance(self._present, Recalled):
            return self._present.weights_in(self.resolving.sets_here())
        return (self._present or self.fallback).weights()

    def thought(self) -> Mapping[str, float]:
        """Figures of resolving, and the size of the belief of the present search. "iterations"
        counts all iterations; those of CFR and of the fallback are also listed alone.
        """
        searched, resolved = self.fallback.thought(), self.resolving.thought()
        iterations = resolved["iterations"] + resolved["CFR iterations"] + searched["iterations"]
        return {
            **resolved,
            "iterations": iterations,
            "fallback": searched["iterations"],
            "in vector form": self.vector.thought()["iterations"] if self.vector else 0,
            "visits": self.recalled.visits if self.recalled else 0,
            "belief": self._following().belief.leaves.size,
        }

    def branch(self, events: Sequence[Event]) -> Self:
        """See `ContinualResolving.branch`. The fallback begins anew."""
        other = copy.copy(self)
        other.resolving = self.resolving.branch(events)
        other.resolver = other.resolving.resolver
        other.fallback = copy.copy(self.fallback)
        other.fallback.start(self.seat, self.seed)
        other._untold, other._plays = list(events), True
        other._is_sampled = self._is_sampled or other.resolving.is_sampled
        other._present = None
        if self.vector is not None:
            other.vector = self.vector.branch(events)
        if self.recalled is not None:
            other.recalled = Recalled(self.game, self.recalled.blueprint)
            other.recalled.start(self.seat, self.seed)
            other.recalled.notice(events, other.resolving.belief)
        return other

    @property
    def _keeps_blueprint(self) -> bool:
        """Whether what was found is not played, because the blueprint is safer."""
        if isinstance(self._present, VectorCR):
            return self._present.keeps_blueprint
        return self._present is self.resolving and self.resolver.exact.keeps_given

    def _following(self) -> AutoResolving | AimedOOS | ISMCTS:
        """The search whose belief follows the match."""
        present = self._present or self.fallback
        return self.resolving if isinstance(present, VectorCR | Recalled) else present

    def _chosen(self, iterations: int | None, seconds: float | None) -> _Present:
        """The search for the present move."""
        began = clock.now()
        if self.vector is not None and self._suits_vector(self.vector, iterations, seconds):
            return self.vector
        if not self._is_sampled:
            at_root = self.resolving.begin_at_root()
            if at_root and self.in_plain_sight and self._plays:
                at_root = not self.resolving.leave_root()
            if self._resolves(iterations, seconds, at_root):
                return self.resolving
            if not self._plays:
                self.resolving.forget_root()
            elif at_root and self.resolving.leave_root():
                self._handed_down = False
                left = None if seconds is None else max(seconds - (clock.now() - began), _LEAST)
                if self._resolves(iterations, left, at_root=False):
                    return self.resolving
        if self.recalled is not None and self.recalled.is_believed:
            self._why = self.recalled.choice
            return self.recalled
        self._handed_down &= not self._plays
        fallback = _IN_PLAIN_SIGHT if self.in_plain_sight else _FALLBACKS[type(self.fallback)]
        self._why = f"too large to be resolved in this time: {fallback}{self.doubt}"
        left = None if seconds is None else max(seconds - (clock.now() - began), _LEAST)
        return self._told(None if left is None else left * _TO_TELL, iterations)

    def _suits_vector(
        self, vector: VectorCR, iterations: int | None, seconds: float | None
    ) -> bool:
        """Whether the present public history is resolved in vector form; says in `choice` how.
        Where an earlier one was, so is all that follows: it is safe then.
        """
        self._recalls = False
        if not vector.is_to_move:
            return False
        if not self._is_vector and _affordable(vector, iterations, seconds) < _WORTHWHILE:
            self._recalls = vector.is_known
            self._why = "the blueprint says what to play, as there is no time to resolve"
            return self._recalls
        safe = self._is_vector or vector.is_whole or vector.blueprint is not None
        safely = "" if safe else ", though not from values that make it safe"
        self._is_vector = True
        self._why = (
            "what comes from here on was solved for all hands at once, by counterfactual regret "
            f"minimisation on what is public{safely}"
        )
        return True

    def _told(
        self, seconds: float | None = None, iterations: int | None = None
    ) -> AimedOOS | ISMCTS:
        """The fallback, which knows where the match is."""
        if self._untold is not None:
            self.fallback.notice(self._untold, seconds, iterations)
            self._untold = None
        return self.fallback

    def _resolves(self, iterations: int | None, seconds: float | None, at_root: bool) -> bool:
        """Whether the present gadget game is resolved; says in `choice` how."""
        if self.resolving.fits(iterations, seconds, before_play=not self._plays):
            what = "the whole game" if at_root else "what comes from here on"
            safe = self._handed_down or self.in_plain_sight or self.recalled is not None
            safely = "" if safe else ", though not from values that make it safe"
            self._why = (
                f"{what} was written out in {self.resolver.exact.num_histories:,} histories and "
                f"solved by counterfactual regret minimisation{safely}"
            )
            return True
        samples = min(
            float(iterations) if iterations is not None else float("inf"),
            _SPEED * seconds if seconds is not None else float("inf"),
        )
        few = self.resolver.may_sample and self.resolver.histories <= _SAMPLED * samples
        knows = self.recalled is not None and self.recalled.is_believed
        if self._handed_down and few and not (self.in_plain_sight or knows):
            self._why = (
                "too large to be written out in this time, and small enough to be resolved by "
                "sampling"
            )
            return True
        return False


def _affordable(vector: VectorCR, iterations: int | None, seconds: float | None) -> float:
    """How many iterations in vector form a budget allows."""
    most = [float("inf")]
    if iterations is not None:
        most.append(iterations / _SPEED)
    if seconds is not None:
        most.append(seconds)
    return min(most) * _WALKED / max(vector.numbers, 1)
