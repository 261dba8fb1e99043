"""The players of Lisy's thesis: its searches by their short names, as players of ours.

For games with simultaneous moves, parameters are those of Section 4.2: exploration 0.6 for OOS, 2
for DUCT, 0.2 for Exp3, 0.1 for RM. For other games they are those of Section 4.3: C = 2 times the
largest payoff for UCT, 0.1 for Exp3 and RM, 0.4 for OOS with 0.01 of uniform play. The OOS of the
thesis has no weights w_T. Targeting is by information sets, with probability 0.9: the thesis does
not say which targets its matches had.

With an evaluation function, RM makes one more random joint move before it evaluates, and the others
do not: the thesis' program did so, and its text does not say it.

Moves of UCT are drawn in proportion to visits in games with hidden information. The thesis does not
say how moves are made, and the printed matches come out so.
"""

from collections.abc import Mapping
from typing import Final

from hiddenhand_papers.play import Contestant, Contestants

RANDOM: Final = Contestant("random")
OPEN: Final = ("OOS", "DUCT", "EXP3", "RM")
"""The searches of games with simultaneous moves."""

HIDDEN: Final = ("OOS", "RUCT", "UCT", "EXP3", "RM")
"""The searches of games with hidden information."""


def open_search(
    name: str,
    exploration: float | None = None,
    *,
    evaluation: bool = False,
    step: bool = True,
    game_scale: float = 1.0,
    mixes: bool = False,
) -> str:
    """A search of a game with simultaneous moves.

    exploration: its parameter; the default of the thesis' matches unless given.
    evaluation: whether it evaluates instead of playing on at random.
    step: whether RM makes one more random joint move before it evaluates.
    game_scale: the largest payoff of the game, in which the thesis' constant for DUCT is divided.
    mixes: whether DUCT draws its moves by visits; by default it makes the most visited one.
    """
    also = ",evaluation=true" if evaluation else ""
    if name == "OOS":
        return f"sm-oos(epsilon={0.6 if exploration is None else exploration:g}{also})"
    if name == "DUCT":
        constant = (2.0 if exploration is None else exploration) / game_scale
        also += ",move=mix" if mixes else ""
        return f"sm-mcts(selector=duct,exploration={constant:g}{also})"
    if name == "RM" and evaluation and step:
        also += ",leaf=step"
    gamma = {"EXP3": 0.2, "RM": 0.1}[name] if exploration is None else exploration
    return f"sm-mcts(selector={name.lower()},gamma={gamma:g}{also})"


def hidden_search(name: str, targeting: str, *, belief: bool = False) -> str:
    """A search of a game with hidden information.

    targeting: what OOS aims at, "ist" or "pst".
    belief: whether IS-MCTS models how likely histories are.
    """
    if name == "OOS":
        return f"oos(epsilon=0.4,gamma=0.01,delta=0.9,targeting={targeting},weighting=false)"
    modelled = ",belief=modelled" if belief else ""
    if name in ("UCT", "RUCT"):
        return f"ismcts(selector={name.lower()},exploration=2,move=sampled{modelled})"
    return f"ismcts(selector={name.lower()},gamma=0.1{modelled})"


def with_budgets(
    searches: Mapping[str, str], per_second: Mapping[str, float], seconds: float
) -> Contestants:
    """Searches that may make at each move as many iterations as the thesis' machine made in so many
    ``seconds``; and last the random player.
    """
    players = tuple(
        (name, Contestant(search, iterations=max(1, round(per_second[name] * seconds))))
        for name, search in searches.items()
    )
    return (*players, ("RAND", RANDOM))
