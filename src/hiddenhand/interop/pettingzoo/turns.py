"""Our games as environments in which agents move one after the other: PettingZoo's AEC API."""

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.pettingzoo.table import MOST_EVENTS, Observation, Seats


def env(
    game: Game | str,
    render_mode: str | None = None,
    *,
    max_cycles: int | None = None,
    max_events: int = MOST_EVENTS,
    illegal: str = "end",
) -> Any:
    """A game as an AEC environment, with PettingZoo's usual wrappers. Simultaneous moves are made
    in turns.

    game: the game, or its name.
    render_mode: "human" prints what each player sees, "ansi" returns it as text.
    max_cycles: the largest number of moves of one agent; in place of a further move the match is
        cut off (truncated). None for no limit.
    max_events: the largest number of events in an observation; it holds the last ones that the
        agent noticed.
    illegal: what an illegal action does: "end" ends the match, and the agent loses the largest
        payoff of the game; "replace" takes a random legal action in its place.
    """
    options = {"max_cycles": max_cycles, "max_events": max_events, "illegal": illegal}
    inner: Any = RawEnv(game, render_mode, **options)
    if illegal == "end":
        inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-inner.max_utility)
    inner = wrappers.AssertOutOfBoundsWrapper(inner)
    return wrappers.OrderEnforcingWrapper(inner)


class RawEnv(Seats, AECEnv):  # type: ignore[misc]
    """The environment without wrappers; see `env`. All rewards come at the end."""

    def __init__(self, game: Game | str, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(as_sequential(game_of(game)), render_mode, **options)
        self.metadata["is_parallelizable"] = False

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; ``options`` are ignored."""
        self._table.begin(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._moves = dict.fromkeys(self.agents, 0)
        self.agent_selection = self._next_agent()

    def observe(self, agent: str) -> Observation:
        """What ``agent`` knows, and a mask of legal actions, all 0 if another one is to move or the
        match is over.
        """
        player = self.possible_agents.index(agent)
        found = self._table.observe(player)
        if self.terminations.get(agent) or self.truncations.get(agent):
            found["action_mask"][:] = 0
        return found

    def step(self, action: Any) -> None:
        """Let the agent that is selected act."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        player = self.possible_agents.index(agent)
        move = self._table.action(player, action, self._illegal)
        if move is None:  # without the wrapper that ends the match
            self.rewards[agent] = -self.max_utility
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self._table.play(move)
            self._moves[agent] += 1
            self._settle()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _settle(self) -> None:
        """Find out whether the match is over, and who is next."""
        if self._table.history.is_terminal:
            self.rewards = dict(zip(self.agents, self._table.history.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = agent = self._next_agent()
        if self.max_cycles is not None and self._moves[agent] >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)

    def _next_agent(self) -> str:
        return self.possible_agents[self._table.movers[0]]
