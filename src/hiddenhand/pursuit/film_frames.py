"""What a film of a match of pursuit with limited sight shows: where all units are at each time, and
what both sides believe.

The frames come from a replay of the match. The program makes the players anew, gives them the
events that they noticed, and lets them think again, as long as in the match. The moves are those of
the match. With budgets in iterations the players find the same again. A player that follows a rule
has no belief: its frames show what it could know, all nodes of its information-set model alike.

N nodes of the map.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import GameError, PlayerError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Floats
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.tournament import Question
from hiddenhand.players.player import Player, Restless, derived_seed
from hiddenhand.players.registry import make_player
from hiddenhand.pursuit.games.layout import NODES, SIZE, TIME
from hiddenhand.pursuit.games.visibility import VisibilityPursuit


@dataclass(frozen=True)
class Frame:
    """A time of a match.

    time: how many moves were made.
    nodes: the node of each unit, the evader's first.
    size: the size of PP.
    beliefs: for each side ``float64[units of the other side, N]``, how likely each of these units
        is at each node; all 0 for a unit that is left out.
    """

    time: int
    nodes: tuple[int, ...]
    size: int
    beliefs: tuple[Floats, Floats]


def rules_of_film(text: str) -> VisibilityPursuit:
    """The game called ``text``. Raises PlayerError if it has no films."""
    rules = load_game(text)
    if not isinstance(rules, VisibilityPursuit):
        raise PlayerError(
            f"a film shows visibility_pursuit only, which {text} is not; leave --film out"
        )
    return rules


def frames_of(question: Question, played: Played) -> list[Frame]:
    """One frame for each time of a match, 0 to h.

    question: what the match was played for.
    played: the match.
    """
    rules = rules_of_film(question.game)
    game = as_sequential(rules)
    sides = [
        _Side(question, played, rules, seat, question.players[index])
        for seat, index in enumerate(played.seats)
    ]
    history, frames = History(game), list[Frame]()
    for move in played.history:
        mover = history.player
        if mover != CHANCE:
            sides[mover].think(history.legal_actions())
            if mover == len(sides) - 1:  # both have thought now
                frames.append(_frame(rules, history, sides))
        history = history.child(move)
        for side in sides:
            if event := history.noticed(side.seat):
                side.unheard.append(event)
    for side in sides:
        side.listen()
    return [*frames, _frame(rules, history, sides)]


def _frame(rules: VisibilityPursuit, history: History, sides: "Sequence[_Side]") -> Frame:
    evader, pursuers = (side.belief() for side in sides)
    state = history.state
    nodes = tuple(state[NODES : NODES + rules.num_units].tolist())
    return Frame(int(state[TIME]), nodes, int(state[SIZE]), (evader, pursuers))


class _Side:
    """A player who thinks again."""

    def __init__(
        self, question: Question, played: Played, rules: VisibilityPursuit, seat: int, spec: str
    ) -> None:
        self.seat = seat
        self.unheard: list[Event] = []
        game = as_sequential(rules)
        self._player: Player = make_player(game, spec)
        seed = derived_seed(question.seed, 1, *played.seats, played.number)
        self._player.start(game, seat, derived_seed(seed, 1 + seat))
        if question.preplay is not None:
            self._player.prepare(Budget(seconds=question.preplay))
        limits = question.iterations, question.seconds
        self._budget = None if limits == (None, None) else Budget(*limits)
        self._model = rules.information_model(seat, depth=0, threshold=rules.terrain.num_nodes)
        self._node = np.zeros(self._model.node_size, np.int64)
        self._model.begin(self._node)

    def think(self, legal_actions: Sequence[int]) -> None:
        """Think again at a decision of the match."""
        events = tuple(self.unheard)
        self._follow()
        self._player.act(events, tuple(legal_actions), self._budget)
        if isinstance(self._player, Restless):
            self._player.rest()  # what it believes is looked at now

    def listen(self) -> None:
        """Notice how the match ended."""
        search: Any = getattr(self._player, "search", None)
        if search is not None:
            search.notice(self.unheard)
        self._follow()

    def _follow(self) -> None:
        for event in self.unheard:
            self._model.notice(self._node, *event)
        self.unheard = []

    def belief(self) -> Floats:
        """``float64[units of the other side, N]``; see `Frame`."""
        search: Any = getattr(self._player, "search", None)
        units = range(self._model.num_others)
        try:
            if hasattr(search, "heat"):
                return np.array([search.heat(unit) for unit in units])
        except GameError:  # a search without a model
            pass
        sets = np.array([self._model.places_of(self._node, unit) for unit in units], np.float64)
        return np.asarray(sets / np.maximum(sets.sum(1, keepdims=True), 1))
