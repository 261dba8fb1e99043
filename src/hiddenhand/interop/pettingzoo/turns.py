"""Our games as environments in which agents move one after the other: PettingZoo's AEC API."""

import sys
from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.interop.pettingzoo.table import (
    ILLEGAL,
    MOST_EVENTS,
    RENDER_MODES,
    Observation,
    Table,
    verify_choice,
)


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
    max_cycles: after so many moves of one agent the match is cut off (truncated) in place of that
        agent's next move; None for no limit.
    max_events: how many of the events that an agent noticed an observation tells, the last ones.
    illegal: what an illegal action does: "end" ends the match, and the agent loses the largest
        payoff of the game; "replace" takes a random legal action in its place.
    """
    inner: Any = RawEnv(
        game,
        render_mode,
        max_cycles=max_cycles,
        max_events=max_events,
        illegal=illegal,
    )
    if illegal == "end":
        inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-inner.max_utility)
    inner = wrappers.AssertOutOfBoundsWrapper(inner)
    return wrappers.OrderEnforcingWrapper(inner)


class RawEnv(AECEnv):  # type: ignore[misc]
    """The environment without wrappers; see `env`. All rewards come at the end."""

    def __init__(
        self,
        game: Game | str,
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
        rules = as_sequential(game_of(game))
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": str(rules),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.max_utility = float(rules.max_utility)
        self._table = Table(rules, max_events)
        self._illegal, self._max_cycles = illegal, max_cycles
        self.possible_agents = list(self._table.agents)
        space, count = self._table.space(), self._table.numbering.count
        self.observation_spaces = {
            agent: spaces.Dict(dict(space.spaces)) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of what ``agent`` observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The numbers of actions."""
        return self.action_spaces[agent]

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

    def render(self) -> str | None:
        """What each player sees: returned, or printed if the mode is "human"."""
        text = self._table.pictures()
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n")
            return None
        return text

    def close(self) -> None:
        """Nothing is open."""

    def _settle(self) -> None:
        """Find out whether the match is over, and who is next."""
        if self._table.history.is_terminal:
            self.rewards = dict(zip(self.agents, self._table.history.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            return
        self.agent_selection = agent = self._next_agent()
        if self._max_cycles is not None and self._moves[agent] >= self._max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)

    def _next_agent(self) -> str:
        return self.possible_agents[self._table.movers[0]]
