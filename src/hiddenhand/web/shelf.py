"""The games of the package as the start page shows them: names, tags and positions for pictures."""

from dataclasses import dataclass
from typing import Final

CARDS: Final = "cards"
DICE: Final = "dice"
BOARD: Final = "board"
PURSUIT: Final = "pursuit"
AT_ONCE: Final = "at_once"
RESEARCH: Final = "research"
OWN: Final = "own"
"""The kinds of games, by which the start page filters. `OWN` is for games of the command line."""


@dataclass(frozen=True)
class Shelved:
    """What the start page says of a game.

    name: its name.
    line: a sentence about it.
    kinds: the kinds that it belongs to.
    minutes: about how long a match of a newcomer takes.
    exact: whether it is small enough that an exact equilibrium is an opponent, and judges moves.
    seed: the seed of the random play that its picture shows.
    share: which part of that play the picture is at, 0 to 1.
    focus: which part of the height the picture shows, from 0, its top, to 1, its bottom.
    zoom: how many times it is enlarged, at least 1.
    """

    name: str
    line: str
    kinds: tuple[str, ...]
    minutes: int = 2
    exact: bool = False
    seed: int = 1
    share: float = 0.6
    focus: float = 0.5
    zoom: float = 1.0


SHELF: Final = {
    "leduc_poker": Shelved(
        "Leduc poker",
        "Six cards, two rounds, a pair wins: poker in a nutshell.",
        (CARDS,),
        minutes=1,
        exact=True,
        seed=2,
        share=1.0,
        focus=0.55,
    ),
    "phantom_ttt": Shelved(
        "Phantom Tic-Tac-Toe",
        "Three in a row, but you do not see the other's marks.",
        (BOARD,),
        seed=1,
        focus=0.6,
    ),
    "liars_dice": Shelved(
        "Liar's Dice",
        "Roll under the cup, raise the bid, or call the bluff.",
        (DICE,),
        minutes=1,
        seed=1,
        share=1.0,
        focus=0.12,
    ),
    "goofspiel": Shelved(
        "Goofspiel",
        "Bid your cards in secret for the prizes; you see only who won.",
        (CARDS, AT_ONCE),
        minutes=2,
        seed=3,
        share=0.6,
        focus=0.3,
    ),
    "kuhn_poker": Shelved(
        "Kuhn poker",
        "Three cards, one bet: the smallest poker that needs bluffs.",
        (CARDS,),
        minutes=1,
        exact=True,
        seed=4,
        share=1.0,
        focus=0.36,
    ),
    "limit_holdem": Shelved(
        "Limit Hold'em",
        "Texas Hold'em with fixed bets, for two or three players.",
        (CARDS,),
        minutes=3,
        seed=2,
        share=0.6,
        focus=0.5,
    ),
    "battleship": Shelved(
        "Battleship",
        "Hide your fleet, then find the other one, shot by shot.",
        (BOARD,),
        minutes=5,
        seed=3,
        share=0.6,
        focus=0.03,
    ),
    "dark_hex": Shelved(
        "Dark Hex",
        "Connect your two sides of the board without seeing the other's stones.",
        (BOARD,),
        minutes=2,
        focus=0.1,
    ),
    "tricks": Shelved(
        "Tricks",
        "A trick-taking card game: follow suit, count cards, take tricks.",
        (CARDS,),
        minutes=3,
        seed=9,
        share=0.6,
        focus=0.4,
    ),
    "first_sealed_auction": Shelved(
        "Sealed auction",
        "One secret bid for an item, as far below its value as you dare.",
        (AT_ONCE,),
        minutes=1,
        seed=2,
        share=0.6,
    ),
    "visibility_pursuit": Shelved(
        "Pursuit with limited sight",
        "Hide behind walls, or keep the other in sight.",
        (PURSUIT, AT_ONCE),
        minutes=3,
        focus=0.0,
    ),
    "pursuit_evasion": Shelved(
        "Pursuit and evasion",
        "Escape two pursuers on a grid; all three step at once.",
        (PURSUIT, AT_ONCE),
        minutes=1,
        seed=5,
        share=0.7,
        focus=0.6,
    ),
    "tron": Shelved(
        "Tron",
        "Both ride at once and leave a wall; the first to crash loses.",
        (BOARD, AT_ONCE),
        minutes=2,
    ),
    "oshi_zumo": Shelved(
        "Oshi-Zumo",
        "Bid your coins in secret to push the wrestler off the ring.",
        (AT_ONCE,),
        minutes=2,
        focus=0.0,
    ),
    "biased_rps": Shelved(
        "Biased rock, paper, scissors",
        "One of the three ways to win pays far more.",
        (AT_ONCE,),
        minutes=1,
        exact=True,
    ),
    "phantom_ttt_abrupt": Shelved(
        "Abrupt Tic-Tac-Toe",
        "As Phantom Tic-Tac-Toe, but a failed try ends the turn.",
        (BOARD,),
        seed=4,
        focus=0.6,
    ),
    "generic_poker": Shelved(
        "Generic poker",
        "Two rounds of betting, with a small pack of your choice.",
        (CARDS,),
        minutes=1,
        seed=4,
        share=1.0,
        focus=0.55,
    ),
    "coordinated_mp": Shelved(
        "Matching pennies",
        "Guess a hidden penny; you know only what chance said.",
        (RESEARCH,),
        minutes=1,
        exact=True,
        focus=0.1,
    ),
    "coordination_game": Shelved(
        "Coordination",
        "Choose a side without seeing what the other chose.",
        (RESEARCH,),
        minutes=1,
        exact=True,
        focus=0.1,
    ),
    "liars_dice_sorted": Shelved(
        "Sorted Liar's Dice",
        "Liar's Dice with the dice in order of size.",
        (RESEARCH, DICE),
        minutes=1,
        seed=5,
        share=1.0,
        focus=0.12,
    ),
    "matrix_game": Shelved(
        "Matrix game",
        "Both choose at once; a table of your choice sets the payoffs.",
        (RESEARCH, AT_ONCE),
        minutes=1,
        exact=True,
    ),
    "matrix_tree": Shelved(
        "Matching pennies twice",
        "Both choose at once, two times; the second time counts double.",
        (RESEARCH, AT_ONCE),
        minutes=1,
        exact=True,
        focus=0.5,
    ),
    "random_game": Shelved(
        "Random game",
        "A game drawn at random, to test searches.",
        (RESEARCH, AT_ONCE),
        minutes=1,
        exact=True,
    ),
    "turn_based": Shelved(
        "Goofspiel, bids shown",
        "Bid your cards in secret; then both see the bids.",
        (RESEARCH, CARDS, AT_ONCE),
        minutes=2,
    ),
}
"""The games, in the order of the start page."""
