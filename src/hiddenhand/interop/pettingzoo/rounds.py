"""Our games with simultaneous moves as environments in which all agents move at once: PettingZoo's
parallel API.
"""

from typing import Any

from pettingzoo import ParallelEnv

from hiddenhand.errors import GameError
from hiddenhand.games.base import SIMULTANEOUS, Game
from hiddenhand.games.registry import game_of
from hiddenhand.interop.pettingzoo.table import MOST_EVENTS, Observation, Seats

Results = tuple[
    dict[str, Observation],
    dict[str, float],
    dict[str, bool],
    dict[str, bool],
    dict[str, dict[str, Any]],
]


def parallel_env(
    game: Game | str,
    render_mode: str | None = None,
    *,
    max_cycles: int | None = None,
    max_events: int = MOST_EVENTS,
    illegal: str = "end",
) -> "RoundsEnv":
    """A game with simultaneous moves as a parallel environment. Where a single player is to move,
    the masks of all others are 0, and what they do is ignored.

    max_cycles: after so many steps the match is cut off (truncated); None for no limit.
    Everything else is as in `env`. Raises GameError for a game in which players move in turns.
    """
    options = {"max_cycles": max_cycles, "max_events": max_events, "illegal": illegal}
    return RoundsEnv(game, render_mode, **options)


class RoundsEnv(Seats, ParallelEnv):  # type: ignore[misc]
    """What `parallel_env` returns. All rewards come at the end."""

    def __init__(self, game: Game | str, render_mode: str | None = None, **options: Any) -> None:
        rules = game_of(game)
        if not rules.simultaneous:
            raise GameError(
                f"{rules} has no simultaneous moves, so it has no parallel environment; use env"
            )
        super().__init__(rules, render_mode, **options)
        self._steps = 0
        self.agents = self.possible_agents[:]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a match; ``options`` are ignored. Returns observations and empty infos."""
        self._table.begin(seed)
        self.agents = self.possible_agents[:]
        self._steps = 0
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Results:
        """Let all agents act. Returns observations, rewards, terminations, truncations and
        infos.
        """
        agents, rewards = self.agents, dict.fromkeys(self.agents, 0.0)
        moves = {
            player: self._table.action(player, actions[agents[player]], self._illegal)
            for player in self._table.movers
        }
        wrong = [player for player, move in moves.items() if move is None]
        if wrong:
            rewards |= {agents[player]: -self.max_utility for player in wrong}
            over = True
        else:
            joint = tuple(moves.values())
            together = self._table.history.player == SIMULTANEOUS
            self._table.play(joint if together else joint[0])
            over = self._table.history.is_terminal
            if over:
                rewards = dict(zip(agents, self._table.history.returns(), strict=True))
        self._steps += 1
        late = not over and self.max_cycles is not None and self._steps >= self.max_cycles
        observations = self._observations()
        if over or late:
            for found in observations.values():
                found["action_mask"][:] = 0
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return (
            observations,
            rewards,
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, late),
            {agent: {} for agent in agents},
        )

    def _observations(self) -> dict[str, Observation]:
        return {
            agent: self._table.observe(player) for player, agent in enumerate(self.possible_agents)
        }
