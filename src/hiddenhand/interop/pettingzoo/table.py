"""A match that programs learn from: what `turns` and `rounds` have in common.

A table draws chance's moves, follows what each player notices, and writes it as numbers.
"""

import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.history import Event, History
from hiddenhand.interop.numbering import Numbering

TOKEN_BITS: Final = 62
RENDER_MODES: Final = ("human", "ansi")
ILLEGAL: Final = ("end", "replace")
MOST_EVENTS: Final = 100
"""The largest number of events in an observation by default."""

Observation = dict[str, npt.NDArray[Any]]


class Table:
    """A match of ``game``.

    history: what happened so far.
    agents: the names of the players.
    """

    def __init__(self, game: Game, max_events: int, seed: int | None = None) -> None:
        if max_events < 1:
            raise OptionError(f"max_events={max_events} is not allowed; give a number from 1 on")
        self.game = game
        self.agents = [f"player_{player}" for player in range(game.num_players)]
        self.numbering = Numbering(game)
        self._slots = min(int(game.max_depth), max_events)
        self.begin(seed)
        self._own = game.observation_tensor(self.history.state, 0) is not None

    def begin(self, seed: int | None) -> None:
        """A new match. Without a seed the random numbers go on from the last match."""
        if seed is not None or not hasattr(self, "random"):
            self.random = np.random.default_rng(seed)
        self.history = History(self.game)
        self._events: list[list[Event]] = [[] for _ in self.agents]
        self._deal()

    def play(self, move: Any) -> None:
        """Make a move, an action or a tuple of them, and then chance's moves."""
        self._follow(move)
        self._deal()

    @property
    def movers(self) -> list[int]:
        """The players who are to move."""
        player = self.history.player
        if player == SIMULTANEOUS:
            return list(range(self.game.num_players))
        return [player] if player >= 0 else []

    def legal(self, player: int) -> Mapping[int, int]:
        """The legal actions by their numbers; none for a player who is not to move."""
        return self.numbering.legal(self.history, player) if player in self.movers else {}

    def action(self, player: int, number: int, illegal: str) -> int | None:
        """The action with a number; another one in its place if ``illegal`` says so, or None."""
        legal = self.legal(player)
        if int(number) in legal:
            return legal[int(number)]
        return int(self.random.choice(list(legal.values()))) if illegal == "replace" else None

    def space(self) -> spaces.Dict:
        """The space of `observe`."""
        example = self.observe(0)
        shape = example["observation"].shape
        inner = (
            spaces.Box(-np.inf, np.inf, shape, np.float64)
            if self._own
            else spaces.Box(0, 1, shape, np.int8)
        )
        mask = spaces.Box(0, 1, (self.numbering.count,), np.int8)
        return spaces.Dict({"observation": inner, "action_mask": mask})

    def observe(self, player: int) -> Observation:
        """What ``player`` knows, and which actions are legal: none if the player is not to move."""
        mask = np.zeros(self.numbering.count, np.int8)
        mask[list(self.legal(player))] = 1
        own = self.game.observation_tensor(self.history.state, player)
        told = self._told(player) if own is None else np.array(own, np.float64)
        return {"observation": told, "action_mask": mask}

    def pictures(self) -> str:
        """What each player sees, as text."""
        views = [self.game.render(self.history.state, p) for p in range(self.game.num_players)]
        return "\n".join(
            f"{agent}:\n{view}" for agent, view in zip(self.agents, views, strict=True)
        )

    def _told(self, player: int) -> npt.NDArray[np.int8]:
        """The seat, then the last events of the player, each in a slot of its own: whether there is
        one, the player's own action, the private token and the public one.

        Seat and actions are one-hot. Tokens are written in binary, because there may be any number
        of them.
        """
        n, seats = self.numbering.count, len(self.agents)
        seat = np.zeros(seats, np.int8)
        seat[player] = 1
        slots = np.zeros((self._slots, 1 + n + 2 * TOKEN_BITS), np.int8)
        for slot, event in zip(slots, self._events[player][-self._slots :], strict=False):
            slot[0] = 1
            if event.action:
                slot[event.action] = 1
            slot[1 + n : 1 + n + TOKEN_BITS] = _bits(event.private)
            slot[1 + n + TOKEN_BITS :] = _bits(event.public)
        return np.concatenate([seat, slots.ravel()])

    def _deal(self) -> None:
        while self.history.player == CHANCE:
            self._follow(self.history.sample_chance(self.random))

    def _follow(self, move: Any) -> None:
        before = self.history
        self.history = before.child(move)
        for player, events in enumerate(self._events):
            event = self.history.noticed(player)
            if event is None:
                continue
            if event.action:
                numbers = self.numbering.legal(before, player)
                own = {action: number for number, action in numbers.items()}[event.action - 1]
                event = event._replace(action=own + 1)
            events.append(event)


def _bits(token: int) -> npt.NDArray[np.int8]:
    return ((token >> np.arange(TOKEN_BITS)) & 1).astype(np.int8)


class Seats:
    """What both kinds of environments have: a table, its spaces, and its pictures.

    possible_agents: the names of all players.
    observation_spaces, action_spaces: of each agent.
    metadata: what PettingZoo wants to know, by name.
    max_utility: the largest payoff of the game.
    """

    def __init__(
        self,
        rules: Game,
        render_mode: str | None = None,
        *,
        max_cycles: int | None = None,
        max_events: int = MOST_EVENTS,
        illegal: str = "end",
    ) -> None:
        super().__init__()
        verify_choice("illegal", illegal, ILLEGAL)
        if render_mode is not None:
            verify_choice("render_mode", render_mode, RENDER_MODES)
        self.metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "name": str(rules)}
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.max_utility = float(rules.max_utility)
        self._illegal = illegal
        self._table = Table(rules, max_events)
        self.possible_agents = list(self._table.agents)
        self.observation_spaces = {agent: self._table.space() for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(self._table.numbering.count) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of what ``agent`` observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The numbers of actions."""
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """What each player sees: returned, or printed if the mode is "human"."""
        text = self._table.pictures()
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n")
            return None
        return text

    def close(self) -> None:
        """Nothing is open."""


def verify_choice(name: str, value: str | None, allowed: tuple[str, ...]) -> None:
    """Raise OptionError unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        raise OptionError(f"{name}={value!r} is not allowed; choose one of: {', '.join(allowed)}")
