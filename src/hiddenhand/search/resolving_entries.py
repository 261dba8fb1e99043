"""The part of the registry of algorithms, see `algorithms`, that resolves small games."""

from typing import Final

from hiddenhand.search.entry import SEARCH, Algorithm

TWO_PLAYERS: Final = "zero-sum games of two players"
SAMPLING: Final = (
    "Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret minimization in "
    "extensive games"
)
_RESOLVING: Final = (
    "Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games"
)
BY_RESOLVING: Final = (
    Algorithm(
        name="mccr",
        kind=SEARCH,
        target="hiddenhand.search.resolving.mccr:MCCR",
        paper=_RESOLVING,
        summary="Monte Carlo Continual Resolving: at each move a small safe game, made of where "
        "the match stands, is solved by outcome sampling.",
        games=TWO_PLAYERS,
        guarantee="with mode=reset the exploitability of what is played in a match falls as "
        "iterations grow; with mode=keep it does in practice",
        needs_public=True,
    ),
    Algorithm(
        name="mccr-external",
        kind=SEARCH,
        target="hiddenhand.search.resolving.external:ExternalMCCR",
        paper=_RESOLVING + "; its sampling: " + SAMPLING,
        summary="Monte Carlo Continual Resolving whose small games are solved by external "
        "sampling: all actions of one player, one action of the other player and of chance.",
        games=TWO_PLAYERS,
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
        games=TWO_PLAYERS + ", small enough to be written out",
        guarantee="the exploitability of what is played in a match falls as each small game is "
        "solved better",
        needs_public=True,
    ),
    Algorithm(
        name="vector-cr",
        kind=SEARCH,
        target="hiddenhand.search.resolving.vector:VectorCR",
        paper=_RESOLVING + ", Section 3.4; after Moravčík et al. (2017), DeepStack",
        summary="Continual resolving for all hands at once: at each move, what comes from there on "
        "is made safe and solved on the tree of what is public.",
        games=TWO_PLAYERS + " in which all moves are public and only hands are hidden",
        guarantee="the exploitability of what is played in a match falls as iterations grow, if "
        "there is time before play or the first move is the player's",
        needs_public=True,
    ),
)
