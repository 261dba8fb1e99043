"""The part of the registry of algorithms, see `algorithms`, that searches information-set trees."""

from typing import Final

from hiddenhand.search.entry import SEARCH, Algorithm

MO: Final = Algorithm(
    name="mo",
    kind=SEARCH,
    target="hiddenhand.search.pursuit.mo:MO",
    paper="Lisý (2014), thesis, Sections 3.2.3, 5.3.2 and 5.5.1 (MO)",
    summary="IS-MCTS of pursuit with limited sight: modelled beliefs in which equal states are "
    "merged, and playouts that end some moves from the root.",
    games="visibility_pursuit",
    guarantee="none",
    searches_chance=False,
)
"""The form of ``ismcts`` for pursuit with limited sight."""
ON_INFORMATION_SET_TREES: Final = (
    Algorithm(
        name="istminimax",
        kind=SEARCH,
        target="hiddenhand.search.pursuit.istminimax:ISTMinimax",
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
        target="hiddenhand.search.pursuit.istmcts:ISTMCTS",
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
    MO,
)
