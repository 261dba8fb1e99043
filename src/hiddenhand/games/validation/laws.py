"""The laws that searches, players and pictures rely on. Each is a clause, to stand in a message."""

from typing import Final

from hiddenhand.games.base import Game

SIZES: Final = "sizes are positive integers, and max_utility is a finite number"
ROOT: Final = "initial_state writes the same root whatever the array held before"
REPEATABLE: Final = "the same rule on the same state gives the same result"
ANSWERS: Final = "only apply_action and apply_joint_action change the state"
MOVER: Final = (
    "current_player is a player, CHANCE, TERMINAL or, where simultaneous is true, SIMULTANEOUS"
)
DEPTH: Final = "a history ends after at most max_depth moves"
ACTIONS: Final = (
    "a player to move has 1 to max_actions legal actions, from 0 to 2147483647 and increasing, and "
    "below num_distinct_actions where the game says it"
)
OUTCOMES: Final = (
    "chance has 1 to max_chance_outcomes different outcomes from 0 to 2147483647, whose "
    "probabilities are positive and sum to 1"
)
PAYOFFS: Final = "returns is a number between -max_utility and max_utility"
ZERO_SUM: Final = (
    "returns sum to 0 where zero_sum is true, and to payoff_sum where the game defines it"
)
TOKENS: Final = "observations are 0 or positive integers below 2**62"
KNOWN_ACTIONS: Final = "where a player noticed the same, they have the same legal actions"
KNOWN_PICTURE: Final = "where a player noticed the same, render draws the same for them"
KNOWN_SCENE: Final = "where an observer noticed the same, picture draws the same scene for them"
SCENES: Final = (
    "picture is a Scene or None, whose actions are legal ones of the player it is for, and hidden "
    "is text or None"
)
KNOWN_WORDS: Final = (
    "tell returns text or None, and says the same of a move where an observer noticed the same"
)
NAMES: Final = "names of legal actions differ, and parse_action reads them back"
SECRETS: Final = "tokens tell a player nothing that render draws for other players only"
RECALL: Final = "players remember all they noticed and did"

_FOR_PEOPLE: Final = (KNOWN_PICTURE, KNOWN_SCENE, SCENES, SECRETS, NAMES, KNOWN_WORDS)
_FOR_SEARCHES: Final = (
    SIZES,
    ROOT,
    REPEATABLE,
    ANSWERS,
    MOVER,
    DEPTH,
    ACTIONS,
    OUTCOMES,
    PAYOFFS,
    ZERO_SUM,
    TOKENS,
    KNOWN_ACTIONS,
)
INSPECTED: Final = (*_FOR_SEARCHES, *_FOR_PEOPLE)
"""The laws that an `Inspector` looks at. RECALL holds by construction unless a game overrides
`information`.
"""

_BREAKS: Final = "breaks the law that "
_LONGEST_NAME: Final = 150  # of a game in a message


def broken_law(game: Game, law: str) -> str:
    """The beginning of the message about a broken law."""
    name = repr(game)
    if len(name) > _LONGEST_NAME:
        name = type(game).__name__
    return f"{name} {_BREAKS}{law}:"


def law_in(message: str) -> str | None:
    """The broken law that a message is about; None if it is about something else."""
    _, found, told = message.partition(_BREAKS)
    return told.partition(":")[0] if found else None
