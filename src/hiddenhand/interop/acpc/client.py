"""A client: it sits at a dealer with one of our players, for a whole match.

The dealer sends a state after every action. From each state the client finds anew all events that
its player could notice since the hand began, and hands the new ones to the player. So nothing
depends on how states arrive: some may be missing, come twice or come late. The player chooses an
action only in the newest state, and only if the player is to act there.

Every hand is a match of its own for the player, which remembers nothing of earlier hands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hiddenhand.budget import Budget
from hiddenhand.errors import ProtocolError
from hiddenhand.interop.acpc.betting import CALL
from hiddenhand.interop.acpc.connection import COMMENTS, VERSION, Connection, Gone
from hiddenhand.interop.acpc.observation_tracker import Table
from hiddenhand.interop.acpc.states import MatchState, hand_values, read_match_state
from hiddenhand.matches.narration import Announcer
from hiddenhand.players.player import Player, View, Watching, derived_seed

_WARNED: Final = 3
"""How many warnings about lines that mean nothing a match has at most; it counts further lines."""


@dataclass(frozen=True)
class Played:
    """What the client has seen of a match.

    values: what the player won in each hand that was seen to its end, in chips.
    answers: how often the player chose an action.
    not_understood: how many lines meant nothing.
    broken_off: why the match ended in the middle of a hand; empty for a match that did not.
    """

    values: tuple[float, ...]
    answers: int
    not_understood: int
    broken_off: str = ""


class Client:
    """Plays a match.

    connection: the connection to the dealer.
    table: the game, as the client and the player know it.
    player: who plays.
    seed: what all random numbers of the player are made from.
    budget: how long the player may think for each move; None for as long as the player likes.
    seen: called with each state in which a hand is over, and what the player won in it; None where
        the state does not tell.
    warn: called with a sentence about a line that cannot be understood.
    """

    def __init__(
        self,
        connection: Connection,
        table: Table,
        player: Player,
        seed: int = 0,
        budget: Budget | None = None,
        seen: Callable[[MatchState, float | None], object] = lambda state, value: None,
        warn: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self._connection = connection
        self._table = table
        self._player = player
        self._seed = seed
        self._budget = budget
        self._seen = seen
        self._warn = warn
        self._last: MatchState | None = None  # the newest state
        self._past: set[int] = set()  # the numbers of hands that were left behind
        self._told = 0  # events of this hand that the player has got
        self._seen_moves = 0  # moves of this hand that a person has seen
        self._announcer: Announcer | None = None
        self._values: list[float] = []
        self._answers = 0
        self._not_understood = 0

    def play(self) -> Played:
        """Play until the dealer closes the connection, which is how a match ends."""
        try:
            self._connection.send(VERSION)
            while True:
                state = self._newest()
                if state.is_ours:
                    self._answer(state)
        except Gone as gone:
            over = self._last is not None and self._last.betting.is_over
            return self.played("" if over else self._why(gone))

    def played(self, broken_off: str = "") -> Played:
        """What the client has seen so far."""
        return Played(tuple(self._values), self._answers, self._not_understood, broken_off)

    def _newest(self) -> MatchState:
        """The newest state, once there is one that is newer than the last. Raises Gone."""
        newest: MatchState | None = None
        while newest is None or self._connection.waiting:
            line = self._connection.read()
            state = self._understood(line or "")
            if state is not None and self._is_newer(state):
                self._take(state)
                newest = state
        return newest

    def _understood(self, line: str) -> MatchState | None:
        """The state that a line tells; None for a comment, and for a line that means nothing."""
        if not line.strip() or line.startswith(COMMENTS):
            return None
        try:
            return read_match_state(self._table.definition, line)
        except ProtocolError as problem:
            self._not_understood += 1
            if self._not_understood <= _WARNED:
                self._warn(str(problem))
            return None

    def _is_newer(self, state: MatchState) -> bool:
        """Whether a state begins a hand, or continues the present one. Numbers of hands are all
        different, but need not grow.
        """
        last = self._last
        if last is None or state.hand != last.hand:
            return state.hand not in self._past
        return (
            state.position == last.position
            and state.cards.holes[state.position] == last.cards.holes[last.position]
            and state.betting.text != last.betting.text
            and state.betting.text.startswith(last.betting.text)
        )

    def _take(self, state: MatchState) -> None:
        """Begin a hand, and end one."""
        if self._last is None or state.hand != self._last.hand:
            self._past.update(() if self._last is None else (self._last.hand,))
            self._player.start(
                self._table.game, state.position, derived_seed(self._seed, state.hand)
            )
            self._told = self._seen_moves = 0
        self._last = state
        if state.betting.is_over:
            self._end(state)

    def _end(self, state: MatchState) -> None:
        value = own_value(state)
        if value is not None:
            self._values.append(value)
            history, events = self._table.walk(state)
            self._player.end(events[self._told :], history.returns()[state.position])
        self._seen(state, value)

    def _answer(self, state: MatchState) -> None:
        """Let the player choose an action, and send it with the state that it answers."""
        history, events = self._table.walk(state)
        legal = tuple(history.legal_actions())
        if isinstance(self._player, Watching):
            self._player.see(self._view(state))
        decision = self._player.act(events[self._told :], legal, self._budget)
        self._told = len(events)
        self._answers += 1
        action = self._table.written(decision.action)
        if decision.action not in legal or action not in state.betting.legal():
            action = CALL  # which the dealer would make of it
        self._connection.send(f"{state.text}:{action}")

    def _view(self, state: MatchState) -> View:
        """What a person at this seat may see."""
        if self._announcer is None:
            self._announcer = Announcer(self._table.game)
        path, seat = self._table.path(state), state.position
        told = pairwise(path[self._seen_moves :])
        news = [self._announcer.said(before, after, seat) for before, after in told]
        self._seen_moves = len(path) - 1
        here = path[-1]
        names = {
            action: self._table.game.action_name(here.state, seat, action)
            for action in here.legal_actions()
        }
        picture = self._table.game.render(here.state, seat)
        return View(picture, names, tuple(filter(None, news)))

    def _why(self, gone: Gone) -> str:
        if self._last is None:
            return f"the dealer has dealt no hand: {gone}"
        return f"the match was broken off in hand {self._last.hand}: {gone}"


def own_value(state: MatchState) -> float | None:
    """What the player of ``state`` won in a hand that is over, in chips; None if ``state`` lacks
    the cards that decide it.
    """
    betting, holes = state.betting, state.cards.holes
    if betting.folded[state.position]:
        return float(-betting.spent[state.position])
    if betting.is_showdown and not all(holes[position] for position in betting.left):
        return None
    return hand_values(betting, state.cards)[state.position]


def warm_up(table: Table, player: Player, seed: int) -> None:
    """Start the player in every position, so that what has to be compiled, loaded or solved is
    there before the dealer's clock runs.
    """
    for position in range(table.definition.num_players):
        player.start(table.game, position, derived_seed(seed, position))
