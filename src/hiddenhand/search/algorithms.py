"""The registry of algorithms: what can search or solve a game, by name.

`search`, `solve`, `play`, `match`, `tournament`, `evaluate`, their help texts, the page
docs/algorithms.md and the contract test all read this list, and no other. A new algorithm is one
entry here; its parameters, with types, defaults and meanings, are read from its constructor.

Nothing heavy is imported before an algorithm is asked for: an entry names its class as text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.parameters import (
    Parameter,
    meant,
    parameters_of,
    read_parameters,
    verified_values,
)
from hiddenhand.text import Unreadable, shortened, split

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.online import OnlineSearch

SEARCH: Final = "search"
"""The kind of an algorithm that searches online: see `OnlineSearch`."""
SOLVER: Final = "solver"
"""The kind of an algorithm that solves a game that is written out: see `solve`."""

_EXAMPLES: Final = {
    SEARCH: "write it like oos or oos(targeting=ist,delta=0.9)",
    SOLVER: "write it like cfr+ or mccfr-outcome(epsilon=0.6)",
}
_CALLED: Final = {SEARCH: "algorithm", SOLVER: "method"}  # what messages call the two kinds
_A: Final = {SEARCH: "an algorithm", SOLVER: "a method"}
_NOT_PARAMETERS: Final = {
    SEARCH: ("game", "seed"),
    SOLVER: ("game", "tree", "max_nodes", "memory", "progress"),
}
"""Parameters of constructors that are not part of a name: whoever uses the algorithm gives them."""

_TWO_PLAYERS: Final = "zero-sum games of two players"
_OPEN: Final = (
    "zero-sum games of two players with simultaneous moves, in which nothing else is hidden"
)
_RESOLVING: Final = (
    "Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games"
)
_SAMPLING: Final = (
    "Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret minimization in "
    "extensive games"
)


@dataclass(frozen=True)
class Algorithm:
    """An algorithm by name.

    name: what it is called; letters' case, blanks, hyphens and underscores make no difference.
    kind: `SEARCH` or `SOLVER`.
    target: its class or function as "module:name", imported when it is asked for.
    paper: where it comes from.
    summary: what it does, in a sentence.
    games: what games it is for, in words.
    guarantee: what is proven, or known, of what it finds.
    aliases: other names.
    fixed: parameters that the name decides, with their values.
    match_defaults: what is better in a match than the constructor's defaults.
    """

    name: str
    kind: str
    target: str
    paper: str
    summary: str
    games: str
    guarantee: str
    aliases: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    match_defaults: tuple[tuple[str, Any], ...] = ()

    def load(self) -> Any:
        """The class or function itself, imported now."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module), attribute)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be given in parentheses after the name."""
        fixed = [name for name, _ in self.fixed]
        return parameters_of(self.load(), (*_NOT_PARAMETERS[self.kind], *fixed))

    @property
    def can_be_saved(self) -> bool:
        """Whether a run can be written to a file and gone on with: the class has ``load``."""
        return hasattr(self.load(), "load")

    def verified(self, given: Mapping[str, Any], besides: tuple[str, ...] = ()) -> dict[str, Any]:
        """``given`` as the constructor wants it. Raises OptionError for a parameter that does not
        exist, or a value of another kind; ``besides``: what a player may be given as well.
        """
        return verified_values(self.name, self.parameters, given, besides)

    def arguments(self, given: Mapping[str, Any], *, in_match: bool = False) -> dict[str, Any]:
        """All that the constructor is called with besides the game and the seed."""
        defaults = dict(self.match_defaults) if in_match else {}
        return dict(self.fixed) | defaults | dict(given)

    def why_not(self, game: "Game") -> str | None:
        """Why this algorithm cannot be used for ``game``, in a sentence; None if it can.

        A search is asked by making it, so the answer is what its constructor raises. What shows
        only later, such as too many histories, is not foreseen.
        """
        try:
            if self.kind == SEARCH:
                self.load()(game, **self.arguments({}))
            else:
                from hiddenhand.states.solving import verify_solvable

                verify_solvable(game, self.name)
        except HiddenhandError as reason:
            return str(reason)
        return None


_TREES: Final = {
    "cfr": "hiddenhand.trees.cfr:CFR",
    "mccfr": "hiddenhand.trees.mccfr:MCCFR",
    "vr": "hiddenhand.trees.vector_sampling:VRMCCFR",
}


def _on_trees(name: str, paper: str, summary: str, **fixed: Any) -> Algorithm:
    """A member of the CFR family that works on games that are written out."""
    return Algorithm(
        name=name,
        kind=SOLVER,
        target=_TREES["cfr" if "variant" in fixed else "mccfr" if "sampling" in fixed else "vr"],
        paper=paper,
        summary=summary,
        games="games of any number of players",
        guarantee="the average strategy converges to an equilibrium in zero-sum games of two "
        "players",
        fixed=tuple(fixed.items()),
    )


ALGORITHMS: Final = (
    Algorithm(
        name="oos",
        kind=SEARCH,
        target="hiddenhand.search.sampling.oos:OOS",
        paper="Lisý, Lanctot and Bowling (2015), Online Monte Carlo counterfactual regret "
        "minimization for search in imperfect information games",
        summary="Online Outcome Sampling: regret minimisation by sampling single plays, in a tree "
        "that grows, with samples aimed at where the match is.",
        games=_TWO_PLAYERS,
        guarantee="the mean strategy converges to an equilibrium, from the beginning of a game and "
        "in a match, if delta is below 1",
        match_defaults=(("epsilon", 0.4),),
    ),
    Algorithm(
        name="mccfr",
        kind=SEARCH,
        target="hiddenhand.search.sampling.oos:OOS",
        paper=_SAMPLING + "; as the OOS paper uses it",
        summary="OOS without aiming (delta=0): samples are spread over the whole game, wherever "
        "the match is. The class MCCFR is something else, see mccfr-outcome: it samples a game "
        "that is written out.",
        games=_TWO_PLAYERS,
        guarantee="the mean strategy converges to an equilibrium",
        fixed=(("delta", 0.0), ("targeting", "ist")),
    ),
    Algorithm(
        name="ismcts",
        kind=SEARCH,
        target="hiddenhand.search.sampling.ismcts:ISMCTS",
        paper="Cowling, Powley and Whitehouse (2012), Information set Monte Carlo tree search; "
        "other selection rules: Lisý (2014), Alternative selection functions for information set "
        "Monte Carlo tree search",
        summary="Information-set Monte Carlo tree search: from histories that fit what was seen, "
        "with statistics for each information set.",
        games="games of any number of players",
        guarantee="none: it is often strong and does not converge to an equilibrium",
    ),
    Algorithm(
        name="pimc",
        kind=SEARCH,
        target="hiddenhand.search.sampling.pimc:PIMC",
        paper="Levy (1989); Ginsberg (2001), GIB: imperfect information in a computationally "
        "challenging game",
        summary="Perfect-information Monte Carlo: guess what is hidden, search as if all saw "
        "everything, and average. A baseline.",
        games="games of any number of players",
        guarantee="none: strategy fusion and non-locality keep it from equilibrium (Frank and "
        "Basin 1998)",
    ),
    Algorithm(
        name="sm-mcts",
        kind=SEARCH,
        target="hiddenhand.search.joint.sm_mcts:SMMCTS",
        paper="Lisý (2014), thesis, Section 3.1.1; Bošanský, Lisý, Lanctot, Čermák and Winands "
        "(2016), Algorithms for computing strategies in two-player simultaneous move games",
        summary="Simultaneous-move Monte Carlo tree search, with regret matching, Exp3 or "
        "decoupled UCT at each node.",
        games=_OPEN,
        guarantee="with selector=rm or exp3 and propagate=means it converges to an approximate "
        "equilibrium; with duct there is no guarantee",
        aliases=("smmcts",),
    ),
    Algorithm(
        name="sm-oos",
        kind=SEARCH,
        target="hiddenhand.search.joint.sm_oos:SMOOS",
        paper="Lisý (2014), thesis, Section 3.1.3; Bošanský, Lisý, Lanctot, Čermák and Winands "
        "(2016), Algorithms for computing strategies in two-player simultaneous move games",
        summary="Online Outcome Sampling for simultaneous moves: the state of the match is the "
        "root of the tree.",
        games=_OPEN,
        guarantee="from the beginning of a game, the mean strategy converges to an equilibrium",
        aliases=("smoos",),
    ),
    Algorithm(
        name="mccr",
        kind=SEARCH,
        target="hiddenhand.search.resolving.mccr:MCCR",
        paper=_RESOLVING,
        summary="Monte Carlo Continual Resolving: at each move a small safe game, made of where "
        "the match stands, is solved by outcome sampling.",
        games=_TWO_PLAYERS,
        guarantee="with mode=reset the exploitability of what is played in a match falls as "
        "iterations grow; with mode=keep it does in practice",
        match_defaults=(("baseline", "predictive"),),
    ),
    Algorithm(
        name="cr",
        kind=SEARCH,
        target="hiddenhand.search.resolving.exact:CR",
        paper=_RESOLVING + ", Section 3.4; after Moravčík et al. (2017), DeepStack",
        summary="Continual resolving: at each move a small safe game, made of where the match "
        "stands, is written out and solved by a variant of CFR.",
        games=_TWO_PLAYERS + ", small enough to be written out",
        guarantee="the exploitability of what is played in a match falls as each small game is "
        "solved better",
    ),
    Algorithm(
        name="doab",
        kind=SEARCH,
        target="hiddenhand.search.joint.double_oracle.search:DoubleOracle",
        paper="Bošanský, Lisý, Čermák, Vítek and Pěchouček (2013), Using double-oracle method and "
        "serialized alpha-beta search for pruning in simultaneous move games",
        summary="Double oracle with alpha-beta bounds, searching deeper and deeper; an iteration "
        "is one more depth.",
        games=_OPEN,
        guarantee="optimal play once the search has reached the ends of the game; before that as "
        "good as the evaluation function",
    ),
    Algorithm(
        name="induction",
        kind=SOLVER,
        target="hiddenhand.states.induction:solve_by_induction",
        paper="Ross (1971), Goofspiel: the game of pure strategy; Buro (2003), Solving the "
        "Oshi-Zumo game",
        summary="Backward induction: a matrix game is solved at every state, from the last to the "
        "first.",
        games=_OPEN,
        guarantee="an exact equilibrium, also of every part of the game",
    ),
    Algorithm(
        name="lp",
        kind=SOLVER,
        target="hiddenhand.trees.linear_program:solve_lp",
        paper="Koller, Megiddo and von Stengel (1996), Efficient computation of equilibria for "
        "extensive two-person games",
        summary="The linear program of the sequence form, solved by HiGHS.",
        games=_TWO_PLAYERS,
        guarantee="an exact equilibrium: nash_conv is at most 1e-9 of the largest payoff",
    ),
    _on_trees(
        name="cfr",
        paper="Zinkevich, Johanson, Bowling and Piccione (2007), Regret minimization in games with "
        "incomplete information",
        summary="Counterfactual regret minimisation.",
        variant="cfr",
    ),
    _on_trees(
        name="cfr+",
        paper="Tammelin (2014), Solving large imperfect information games using CFR+",
        summary="CFR that forgets negative regrets and weighs later iterations more.",
        variant="cfr+",
    ),
    _on_trees(
        name="lcfr",
        paper="Brown and Sandholm (2019), Solving imperfect-information games via discounted "
        "regret minimization",
        summary="Linear CFR: iteration t weighs t.",
        variant="lcfr",
    ),
    _on_trees(
        name="dcfr",
        paper="Brown and Sandholm (2019), Solving imperfect-information games via discounted "
        "regret minimization",
        summary="Discounted CFR: positive and negative regrets fade, at different rates.",
        variant="dcfr",
    ),
    _on_trees(
        name="pcfr+",
        paper="Farina, Kroer and Sandholm (2021), Faster game solving via predictive Blackwell "
        "approachability",
        summary="Predictive CFR+: the last regret counts twice, as a guess of the next.",
        variant="pcfr+",
    ),
    _on_trees(
        name="mccfr-external",
        paper=_SAMPLING,
        summary="MCCFR on a game that is written out, by external sampling: all actions of one "
        "player, one of everybody else.",
        sampling="external",
        epsilon=0.6,  # which makes no difference: it does not explore
    ),
    _on_trees(
        name="mccfr-outcome",
        paper=_SAMPLING,
        summary="MCCFR on a game that is written out, by outcome sampling: a single play, which "
        "updates the regrets of one player.",
        sampling="outcome",
    ),
    _on_trees(
        name="mccfr-outcome-parallel",
        paper=_SAMPLING + "; this form: Heinrich and Silver (2015), Smooth UCT search in computer "
        "poker",
        summary="MCCFR on a game that is written out, by outcome sampling: a single play, which "
        "updates the regrets of all players.",
        sampling="outcome-parallel",
        baseline="off",
        rate=0.5,  # which makes no difference without a baseline
    ),
    _on_trees(
        name="vr-mccfr+",
        paper="Schmid, Burch, Lanctot, Moravčík, Kadlec and Bowling (2019), Variance reduction in "
        "Monte Carlo counterfactual regret minimization (VR-MCCFR) for extensive form games using "
        "baselines; baseline=predictive: Davis, Schmid and Bowling (2020), Low-variance and "
        "zero-variance baselines for extensive-form games",
        summary="CFR+ on a game that is written out, by sampling a path of public states: all "
        "hands play along it, and baselines stand in for what was not sampled.",
    ),
)


def algorithms(kind: str | None = None) -> tuple[Algorithm, ...]:
    """All algorithms, or those of a kind, `SEARCH` or `SOLVER`."""
    return tuple(entry for entry in ALGORITHMS if kind in (None, entry.kind))


def names(kind: str | None = None) -> tuple[str, ...]:
    """The names of `algorithms`."""
    return tuple(entry.name for entry in algorithms(kind))


def find(name: str, kind: str | None = None) -> Algorithm | None:
    """The algorithm that is called ``name``, or None. Its kind may be asked for."""
    entry = _by_name().get(_folded(name))
    return entry if entry is not None and kind in (None, entry.kind) else None


def read_algorithm(text: str, kind: str = SEARCH) -> tuple[Algorithm, dict[str, Any]]:
    """The algorithm that a text such as ``oos(epsilon=0.4)`` names, and its parameters. Raises
    OptionError for what cannot be read or does not exist.
    """
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise OptionError(
            f"{shortened(text)} is not the name of {_A[kind]}; {_EXAMPLES[kind]}"
        ) from problem
    entry = find(name, kind)
    if entry is None:
        raise OptionError(
            f"there is no {_CALLED[kind]} {shortened(name)}; {meant(name, names(kind))}choose one "
            f"of: {', '.join(names(kind))}"
        )
    return entry, entry.verified(read_parameters(entry.name, inside, _EXAMPLES[kind]))


@dataclass(frozen=True)
class MakeSearch:
    """Makes the search called ``name`` for a game. Equal ones make equal searches, in every
    process.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def __call__(self, game: "Game") -> "OnlineSearch":
        return _named(self.name).load()(game, **dict(self.arguments))


def make_search(spec: str, game: "Game | str", seed: int = 0, **parameters: Any) -> "OnlineSearch":
    """The search that ``spec`` names, such as ``oos(targeting=ist,delta=0.5)``, for a game or its
    name. Parameters may be given by name as well: ``make_search("oos", "Kuhn", epsilon=0.4)``.

    Defaults are those of the constructor, as in ``hiddenhand search``; `make_player` has those for
    matches. Raises OptionError, and what the search's constructor raises.
    """
    from hiddenhand.games.registry import load_game

    algorithm, given = read_algorithm(spec)
    for name in parameters:
        if name in given:
            raise OptionError(f"{algorithm.name}: {name!r} is given twice; give it once")
    arguments = algorithm.arguments(given | algorithm.verified(parameters))
    game = load_game(game) if isinstance(game, str) else game
    return algorithm.load()(game, seed=seed, **arguments)


def _named(name: str) -> Algorithm:
    entry = find(name)
    assert entry is not None  # names of `MakeSearch` come from the registry
    return entry


@cache
def _by_name() -> dict[str, Algorithm]:
    return {_folded(name): entry for entry in ALGORITHMS for name in (entry.name, *entry.aliases)}


def _folded(name: str) -> str:
    """Names are compared without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name).casefold()
