"""The laws that searches, players and pictures rely on. Each is a clause, to stand in a message."""

from dataclasses import replace
from typing import Final, Self

from hiddenhand.errors import ConformanceError, Fault
from hiddenhand.games.base import Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.rule_errors import describe_history, move_names, place_of


class Law(str):
    """A law, as a clause.

    rule: the rule that breaks it, unless the place of a fault names another; None if any can.
    cure: what to do, unless the message of a fault says more.
    """

    rule: str | None
    cure: str

    def __new__(cls, clause: str, rule: str | None, cure: str) -> Self:
        """The law with this clause."""
        law = super().__new__(cls, clause)
        law.rule, law.cure = rule, cure
        return law


SIZES: Final = Law(
    "sizes are positive integers, max_utility is a finite number, and zero_sum and simultaneous "
    "are true or false",
    None,
    "give the class this as a number, a truth value or a property",
)
MOST_NUMBERS: Final = 1 << 28
"""How many numbers the states and the actions of one history may be: 2 GiB."""
ROOM: Final = Law(
    f"the states and the actions of max_depth moves are at most {MOST_NUMBERS:,} numbers",
    "max_depth",
    "make max_depth, state_size, max_actions or max_chance_outcomes smaller",
)
ROOT: Final = Law(
    "initial_state writes the same root whatever the array held before",
    "initial_state",
    "write every entry of the state in initial_state",
)
REPEATABLE: Final = Law(
    "the same rule on the same state gives the same result",
    None,
    "compute the result from the state and the parameters alone, and write all that is counted",
)
ANSWERS: Final = Law(
    "only apply_action and apply_joint_action change the state",
    None,
    "change a copy, or change the state in apply_action",
)
MOVER: Final = Law(
    "current_player is a player, CHANCE, TERMINAL or, where simultaneous is true, SIMULTANEOUS",
    "current_player",
    "return a player from 0 to num_players - 1, CHANCE, TERMINAL or SIMULTANEOUS",
)
DEPTH: Final = Law(
    "a history ends after at most max_depth moves",
    "max_depth",
    "make max_depth larger, or let current_player return TERMINAL earlier",
)
ACTIONS: Final = Law(
    "a player to move has 1 to max_actions legal actions, from 0 to 2147483647 and increasing, and "
    "below num_distinct_actions where the game says it",
    "legal_actions",
    "write the legal actions in increasing order, and return their number",
)
OUTCOMES: Final = Law(
    "chance has 1 to max_chance_outcomes different outcomes from 0 to 2147483647, whose "
    "probabilities are positive and sum to 1",
    "chance_outcomes",
    "write different outcomes and positive probabilities that sum to 1, and return their number",
)
PAYOFFS: Final = Law(
    "returns is a number between -max_utility and max_utility",
    "returns",
    "make max_utility as large as the largest payoff, or pay less",
)
ZERO_SUM: Final = Law(
    "returns sum to 0 where zero_sum is true, and to payoff_sum where the game defines it",
    "returns",
    "say zero_sum = False, or pay so that the payoffs sum to 0",
)
TOKENS: Final = Law(
    "observations are 0 or positive integers below 2**62",
    "apply_action",
    "write 0 for nothing, and positive integers below 2**62 for what is seen",
)
KNOWN_ACTIONS: Final = Law(
    "where a player noticed the same, they have the same legal actions",
    "legal_actions",
    "let the player notice in observations what decides the actions",
)
TEXTS: Final = Law(
    "render returns text, and rules_text and payoff_unit are texts",
    "render",
    "give a text, such as an f-string behind the word return",
)
KNOWN_PICTURE: Final = Law(
    "where a player noticed the same, render draws the same for them",
    "render",
    "render only what the player noticed",
)
KNOWN_SCENE: Final = Law(
    "where an observer noticed the same, picture draws the same scene for them",
    "picture",
    "show less, or return None",
)
SCENES: Final = Law(
    "picture is a Scene or None, whose actions are legal ones of the player it is for, and hidden "
    "is text or None",
    "picture",
    "return a Scene with legal actions, or None",
)
KNOWN_WORDS: Final = Law(
    "tell returns text or None, and says the same of a move where an observer noticed the same",
    "tell",
    "return text that says only what the observer noticed, or None",
)
NAMES: Final = Law(
    "names of legal actions differ, and parse_action reads them back",
    "action_name",
    "give each legal action a text of its own that parse_action reads",
)
SECRETS: Final = Law(
    "tokens tell a player nothing that render draws for other players only",
    "apply_action",
    "say less in the token; or let render or tell show to both what both saw, such as the last "
    "card of a trick",
)
RECALL: Final = Law(
    "players remember all they noticed and did",
    "information",
    "return the key that information is given",
)

_FOR_PEOPLE: Final = (TEXTS, KNOWN_PICTURE, KNOWN_SCENE, SCENES, SECRETS, NAMES, KNOWN_WORDS)
_FOR_SEARCHES: Final = (
    SIZES,
    ROOM,
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

_LONGEST_NAME: Final = 150  # of a game in a message


def broken(
    game: Game,
    law: Law,
    history: History | None,
    what: str,
    *,
    rule: str | None = None,
    move: Move | None = None,
    cure: str = "",
) -> ConformanceError:
    """The error that says that ``game`` breaks ``law``.

    history: where; None if the fault belongs to no history.
    what: how.
    rule: the rule that breaks it, by default that of the law.
    move: the move that the rule makes.
    cure: what to do about it; the message then ends with it. By default that of the law.
    """
    name = repr(game)
    if len(name) > _LONGEST_NAME:
        name = type(game).__name__
    where = "" if history is None else f" {describe_history(history)}:"
    rule = rule or law.rule
    file, line = place_of(game, rule)
    fault = Fault(str(law), rule, file, line, move=move, cure=cure or law.cure)
    if history is not None:
        fault = replace(fault, history=history.moves, moves=tuple(move_names(history)))
    told = f"{what}; {cure}" if cure else what
    return ConformanceError(f"{name} breaks the law that {law}:{where} {told}", fault)
