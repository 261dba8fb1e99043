"""The registry of algorithms: what can search or solve a game, by name.

`search`, `solve`, `play`, `match`, `tournament`, `evaluate`, their help texts, the page
docs/algorithms.md and the contract test all read this list, and no other. A new algorithm is one
entry here; its parameters, with types, defaults and meanings, are read from its constructor.

An entry names its class as text, so that nothing heavy is imported before the first use of an
algorithm. Other packages add algorithms by entry points, and users name classes of their own by
their places: see `find`.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.parameters import meant, read_parameters
from hiddenhand.plugins import ALGORITHMS as PLUGINS
from hiddenhand.plugins import plugins
from hiddenhand.search.algorithm_entry import (
    SEARCH,
    SOLVER,
    Algorithm,
    class_at,
    is_search,
    search_at,
    search_of,
)
from hiddenhand.text import Unreadable, shortened, split
from hiddenhand.user_code import is_place

__all__ = [
    "ALGORITHMS",
    "SEARCH",
    "SOLVER",
    "Algorithm",
    "added_algorithms",
    "algorithms",
    "find",
    "names",
    "read_algorithm",
]

_EXAMPLES: Final = {
    SEARCH: "write it like oos or oos(targeting=ist,delta=0.9)",
    SOLVER: "write it like cfr+ or mccfr-outcome(epsilon=0.6)",
}
_CALLED: Final = {SEARCH: "algorithm", SOLVER: "method"}  # what messages call the two kinds
_A: Final = {SEARCH: "an algorithm", SOLVER: "a method"}

_TWO_PLAYERS: Final = "zero-sum games of two players"
_SAMPLING: Final = (
    "Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret minimization in "
    "extensive games"
)
_RESOLVING: Final = (
    "Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games"
)
_OPEN: Final = (
    "zero-sum games of two players with simultaneous moves, in which nothing else is hidden"
)
_WEIGHTED: Final = (
    "Xu, Li, Liu, Fu, Fu, Xing and Cheng (2024), Minimizing weighted counterfactual regret with "
    "optimistic online mirror descent"
)
_SMOOTH: Final = "Heinrich and Silver (2015), Smooth UCT search in computer poker"


_TREES: Final = {
    "cfr": "hiddenhand.solvers.cfr:CFR",
    "mccfr": "hiddenhand.solvers.mccfr:MCCFR",
    "vr": "hiddenhand.solvers.vr_mccfr:VRMCCFR",
}


def _on_trees(
    name: str, paper: str, summary: str, aliases: tuple[str, ...] = (), **fixed: Any
) -> Algorithm:
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
        aliases=aliases,
        fixed=tuple(fixed.items()),
    )


ALGORITHMS: Final = (
    Algorithm(
        name="auto",
        kind=SEARCH,
        target="hiddenhand.search.auto.choice:auto",
        paper='what was measured of all the others, see "Which search?"; its parts are from the '
        "papers below",
        summary="Chooses at each move what plays best in the game and the time: it solves the "
        "game, or the rest of it, resolves by sampling, samples without resolving, or searches a "
        "tree, and says what it chose and why.",
        games="games of any number of players",
        guarantee="that of what it chose: an equilibrium in the limit, where it solves, resolves "
        "or samples a zero-sum game of two players from its beginning on; elsewhere none",
    ),
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
    ),
    Algorithm(
        name="oos-aimed",
        kind=SEARCH,
        target="hiddenhand.search.auto.targeting:AimedOOS",
        paper="Lisý, Lanctot and Bowling (2015), as oos; what it aims at was measured, see "
        '"What to aim at"',
        summary="OOS that aims by the size of the game: seldom and at the public state in small "
        "games, half of the time and at the information set in others.",
        games=_TWO_PLAYERS,
        guarantee="the mean strategy converges to an equilibrium, as that of oos",
    ),
    Algorithm(
        name="mccfr",
        kind=SEARCH,
        target="hiddenhand.search.sampling.oos:OOS",
        paper=_SAMPLING + "; as the OOS paper uses it",
        summary="OOS without aiming (delta=0): samples are spread over the whole game, wherever "
        "the match is.",
        games=_TWO_PLAYERS,
        guarantee="the mean strategy converges to an equilibrium",
        fixed=(("delta", 0.0), ("targeting", "ist")),
        defaults=(("epsilon", 0.6),),
    ),
    Algorithm(
        name="ismcts",
        kind=SEARCH,
        target="hiddenhand.search.sampling.ismcts:ISMCTS",
        paper="Cowling, Powley and Whitehouse (2012), Information set Monte Carlo tree search; "
        "other selection rules: Lisý (2014), Alternative selection functions for information set "
        "Monte Carlo tree search; redetermined: Goodman (2019), Re-determinizing information set "
        "Monte Carlo tree search in Hanabi",
        summary="Information-set Monte Carlo tree search: from histories that fit what was seen, "
        "with statistics for each information set.",
        games="games of any number of players",
        guarantee="none: it is often strong and does not converge to an equilibrium",
    ),
    Algorithm(
        name="smooth-uct",
        kind=SEARCH,
        target="hiddenhand.search.sampling.smooth_uct:SmoothUCT",
        paper=_SMOOTH,
        summary="Smooth UCT: self-play from the beginning of the game, a tree for each player, in "
        "which actions are selected by UCB or drawn from the average strategy.",
        games="games of any number of players",
        guarantee="none: in small poker games the average strategy comes close to an equilibrium",
    ),
    Algorithm(
        name="ef-uct",
        kind=SEARCH,
        target="hiddenhand.search.sampling.smooth_uct:EFUCT",
        paper=_SMOOTH,
        summary="Extensive-form UCT: self-play from the beginning of the game, a tree for each "
        "player, in which actions are selected by UCB.",
        games="games of any number of players",
        guarantee="none: it gets no closer to an equilibrium after a while",
    ),
    Algorithm(
        name="pimc",
        kind=SEARCH,
        target="hiddenhand.search.sampling.pimc:PIMC",
        paper="Levy (1989); Ginsberg (2001), GIB: imperfect information in a computationally "
        "challenging game; with depth above 1, EPIMC: Arjonilla, Saffidine and Cazenave (2024), "
        "Perfect information Monte Carlo with postponing reasoning",
        summary="Perfect-information Monte Carlo: draws what is hidden, searches as if all "
        "players saw everything, and averages. A baseline.",
        games="games of any number of players",
        guarantee="none: strategy fusion and non-locality keep it from equilibrium (Frank and "
        "Basin 1998)",
        searches_chance=False,
    ),
    Algorithm(
        name="mmd",
        kind=SEARCH,
        target="hiddenhand.search.sampling.mmd:MMD",
        paper="Sokota, Farina, Wu, Hu, Wang, Kolter and Brown (2024), The update-equivalence "
        "framework for decision-time planning",
        summary="Magnetic mirror descent search: one step away from a blueprint, by the values of "
        "rollouts from the present information set.",
        games="games of any number of players",
        guarantee="none: a step can lead further away from an equilibrium, too",
        searches_chance=False,
    ),
    Algorithm(
        name="sm-mcts",
        kind=SEARCH,
        target="hiddenhand.search.simultaneous.sm_mcts:SMMCTS",
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
        target="hiddenhand.search.simultaneous.sm_oos:SMOOS",
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
        needs_public=True,
    ),
    Algorithm(
        name="mccr-external",
        kind=SEARCH,
        target="hiddenhand.search.resolving.external:ExternalMCCR",
        paper=_RESOLVING + "; its sampling: " + _SAMPLING,
        summary="Monte Carlo Continual Resolving whose small games are solved by external "
        "sampling: all actions of one player, one action of the other player and of chance.",
        games=_TWO_PLAYERS,
        guarantee="the exploitability of what is played in a match falls as iterations grow",
        needs_public=True,
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
        needs_public=True,
    ),
    Algorithm(
        name="vector-cr",
        kind=SEARCH,
        target="hiddenhand.search.resolving.vector_cr:VectorCR",
        paper=_RESOLVING + ", Section 3.4; after Moravčík et al. (2017), DeepStack",
        summary="Continual resolving for all hands at once: at each move, what comes from there on "
        "is made safe and solved on the tree of what is public.",
        games=_TWO_PLAYERS + " in which all moves are public and only hands are hidden",
        guarantee="the exploitability of what is played in a match falls as iterations grow, if "
        "there is time before play or the first move is the player's",
        needs_public=True,
    ),
    Algorithm(
        name="doab",
        kind=SEARCH,
        target="hiddenhand.search.simultaneous.double_oracle.search:DoubleOracle",
        paper="Bošanský, Lisý, Čermák, Vítek and Pěchouček (2013), Using double-oracle method and "
        "serialized alpha-beta search for pruning in simultaneous move games",
        summary="Double oracle with alpha-beta bounds, searching deeper and deeper; an iteration "
        "is one more depth.",
        games=_OPEN,
        guarantee="optimal play once the search has reached the ends of the game; before that as "
        "good as the evaluation function",
        searches_chance=False,
    ),
    Algorithm(
        name="istminimax",
        kind=SEARCH,
        target="hiddenhand.pursuit.search.istminimax:ISTMinimax",
        paper="Lisý (2014), thesis, Section 5.5.1 (MM); after Raboin, Nau, Kuter, Gupta and Svec "
        "(2010), Strategy generation in multi-agent imperfect-information pursuit games, and "
        "Parker, Nau and Subrahmanian (2006), Overconfidence or paranoia?",
        summary="Minimax on the player's information-set tree, deeper and deeper: the best own "
        "action against the worst, or the mean, of what can be noticed.",
        games="games of any number of players, small ones unless they have a model of their "
        "information-set trees",
        guarantee="none: a paranoid player takes the others for better informed than they are",
        searches_chance=False,
    ),
    Algorithm(
        name="istmcts",
        kind=SEARCH,
        target="hiddenhand.pursuit.search.istmcts:ISTMCTS",
        paper="Lisý (2014), thesis, Sections 3.2.2 and 5.5.1 (SO); Lisý, Bošanský and Pěchouček "
        "(2012), Anytime algorithms for multi-agent visibility-based pursuit-evasion games",
        summary="Monte Carlo tree search on the player's information-set tree, where what can be "
        "noticed is chosen against the player, or drawn.",
        games="games of any number of players, small ones unless they have a model of their "
        "information-set trees",
        guarantee="none in the game; with opponent=paranoid it converges to the paranoid value of "
        "the information-set tree, where simulations play on",
        searches_chance=False,
    ),
    Algorithm(
        name="mo",
        kind=SEARCH,
        target="hiddenhand.pursuit.search.mo:MO",
        paper="Lisý (2014), thesis, Sections 3.2.3, 5.3.2 and 5.5.1 (MO)",
        summary="IS-MCTS of pursuit with limited sight: modelled beliefs in which equal states are "
        "merged, and playouts that end some moves from the root.",
        games="visibility_pursuit",
        guarantee="none",
        searches_chance=False,
    ),
    Algorithm(
        name="induction",
        kind=SOLVER,
        target="hiddenhand.solvers.simultaneous.backward_induction:solve_by_induction",
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
        target="hiddenhand.solvers.refined_lp:solve_refined_lp",
        paper="Koller, Megiddo and von Stengel (1996), Efficient computation of equilibria for "
        "extensive two-person games; Farina and Sandholm (2021), Equilibrium refinement for the "
        "age of machines",
        summary="The linear program of the sequence form, solved by HiGHS; of its solutions the "
        "one that earns most from an opponent who errs.",
        games=_TWO_PLAYERS,
        guarantee="an exact equilibrium: nash_conv is at most 1e-9 of the largest payoff; right "
        "also after errors of the opponent, which are taken to be rare (a one-sided refinement)",
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
        summary="Predictive CFR+: a third of the last regret counts once more, as a guess of the "
        "next.",
        variant="pcfr+",
    ),
    _on_trees(
        name="dcfr+",
        paper=_WEIGHTED,
        summary="DCFR+: CFR+ with the positive regrets fading, and the average of late iterations.",
        variant="dcfr+",
    ),
    _on_trees(
        name="pdcfr+",
        paper=_WEIGHTED,
        summary="PDCFR+: DCFR+ that counts a third of the last regret once more, as a guess of the "
        "next.",
        variant="pdcfr+",
    ),
    _on_trees(
        name="hs_dcfr",
        paper="Zhang, McAleer and Sandholm (2024), Faster game solving via hyperparameter "
        "schedules",
        summary="HS-DCFR(30): discounted CFR with exponents that change up to the given number of "
        "iterations; without one, up to the next power of two.",
        variant="hs_dcfr",
    ),
    Algorithm(
        name="vector-cfr",
        kind=SOLVER,
        target="hiddenhand.solvers.vector_form.vector_cfr:VectorCFR",
        paper="Johanson, Waugh, Bowling and Zinkevich (2011), Accelerating best response "
        "calculation in large extensive games; Johanson, Bard, Lanctot, Gibson and Bowling (2012), "
        "Efficient Nash equilibrium approximation through Monte Carlo counterfactual regret "
        "minimization",
        summary="CFR and its variants for all hands at once, on the tree of what is public: "
        "nothing else of the game is written out.",
        games="zero-sum games of two players in which all moves are public and only hands are "
        "hidden, such as poker and Liar's Dice",
        guarantee="the average strategy converges to an equilibrium",
    ),
    Algorithm(
        name="vector-mccfr",
        kind=SOLVER,
        target="hiddenhand.solvers.vector_form.vector_mccfr:VectorMCCFR",
        paper=_SAMPLING
        + "; all hands at once: Johanson, Bard, Lanctot, Gibson and Bowling (2012), "
        "Efficient Nash equilibrium approximation through Monte Carlo counterfactual regret "
        "minimization",
        summary="MCCFR for all hands at once, on the tree of what is public: one public action of "
        "the opponent is sampled.",
        games="zero-sum games of two players in which all moves are public and only hands are "
        "hidden, also where vector-cfr takes too long",
        guarantee="the average strategy converges to an equilibrium",
    ),
    _on_trees(
        name="mccfr-external",
        paper=_SAMPLING,
        summary="MCCFR on a game that is written out, by external sampling: all actions of one "
        "player, one action of each other player and of chance.",
        sampling="external",
        epsilon=0.6,  # which makes no difference: it does not explore
    ),
    _on_trees(
        name="mccfr-outcome",
        aliases=("mccfr",),
        paper=_SAMPLING,
        summary="MCCFR on a game that is written out, by outcome sampling: a single play, which "
        "updates the regrets of one player.",
        sampling="outcome",
    ),
    _on_trees(
        name="mccfr-outcome-parallel",
        paper=_SAMPLING + "; this form: " + _SMOOTH,
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
    """All algorithms of this package, or those of a kind, `SEARCH` or `SOLVER`."""
    return tuple(entry for entry in ALGORITHMS if kind in (None, entry.kind))


def added_algorithms(
    kind: str | None = None, report: Callable[[str], object] = lambda problem: None
) -> tuple[Algorithm, ...]:
    """The same for those of other packages: see `plugins`.

    report: receives a sentence about each that cannot be loaded. It is left out.
    """
    found = []
    for plugin in plugins(PLUGINS):
        try:
            found.append(search_of(plugin))
        except OptionError as problem:
            report(str(problem))
    return tuple(entry for entry in found if kind in (None, entry.kind))


def names(kind: str | None = None) -> tuple[str, ...]:
    """The names of `algorithms`."""
    return tuple(entry.name for entry in algorithms(kind))


def find(name: str, kind: str | None = None) -> Algorithm | None:
    """The algorithm called ``name``, of ``kind`` if that is given; None if there is none. Raises
    OptionError for one of another package or of a user that cannot be loaded.

    name: a name of the list, one that another package adds, or the place of a class of your own,
        such as "package.module:MySearch" or "file.py:MySearch". A place runs its module.
    """
    if is_place(name):
        fits = kind in (None, SEARCH) and is_search(class_at(name, "search"))
        return search_at(name) if fits else None
    folded = _folded(name)
    if found := _by_name(kind).get(folded):
        return found
    for plugin in plugins(PLUGINS):
        if _folded(plugin.name) == folded:
            added = search_of(plugin)
            return added if kind in (None, added.kind) else None
    return None


def read_algorithm(text: str, kind: str = SEARCH) -> tuple[Algorithm, dict[str, Any]]:
    """The algorithm that a text such as ``oos(epsilon=0.4)`` names, and its parameters. Raises
    OptionError for a text that cannot be read, and for an unknown algorithm.
    """
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise OptionError(
            f"{shortened(text)} is not the name of {_A[kind]}; {_EXAMPLES[kind]}"
        ) from problem
    entry = find(name, kind)
    if entry is None and is_place(name) and kind == SEARCH:
        search_at(name)  # says why it is none
    if entry is None:
        known = [*names(kind), *(entry.name for entry in added_algorithms(kind))]
        raise OptionError(
            f"there is no {_CALLED[kind]} {shortened(name)}; {meant(name, known)}choose one of: "
            f"{', '.join(known)}"
        )
    given = read_parameters(entry.name, inside, _EXAMPLES[kind])
    return entry, entry.verified(given)


@cache
def _by_name(kind: str | None) -> dict[str, Algorithm]:
    return {
        _folded(name): entry
        for entry in reversed(algorithms(kind))  # a name of both kinds means the search
        for name in (entry.name, *entry.aliases)
    }


def _folded(name: str) -> str:
    """Names are compared without case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name).casefold()
