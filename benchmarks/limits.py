"""What limits do to speed: a table that may not grow any more, chance with more outcomes than
anybody lists, guarded rules.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from benchmarks.measuring import Measurement, Target, in_fresh_process, interleaved
from hiddenhand import ISMCTS, OOS
from hiddenhand.games import CHANCE, TERMINAL, Game, below
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.search.table_search import TableSearch

MEGABYTES: Final = 128
FULL: Final = (  # player, game, name
    ("oos", "IIGS(13)", "OOS on II-Goofspiel(13)"),
    ("ismcts", "IIGS(13)", "IS-MCTS (UCT) on II-Goofspiel(13)"),
    ("mccr", "IIGS(13)", "MCCR on II-Goofspiel(13)"),
    ("smmcts", "GS(13)", "SM-MCTS (RM) on Goofspiel(13)"),
    ("smoos", "GS(13)", "SM-OOS on Goofspiel(13)"),
)


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """All figures of this file."""
    for search, game, name in FULL:
        answers = [
            in_fresh_process("full_table", search, game, str(MEGABYTES), str(seconds))
            for _ in range(rounds)
        ]
        before, after = (
            [answer["before"] for answer in answers],
            [answer["after"] for answer in answers],
        )
        note = f"with {MEGABYTES} MiB; {max(answer['sets'] for answer in answers):,.0f} rows"
        yield Measurement(
            "limits",
            f"{name}, memory full",
            "iterations/s",
            after,
            before,
            "ours, not full",
            Target("ratio", 0.8),
            note,
        )
        taken = [answer["taken"] / MEGABYTES for answer in answers]
        yield Measurement(
            "limits",
            f"{name}, most memory taken",
            "of the limit",
            taken,
            target=Target("most", 1.05),
        )
    for name, kind in (("OOS", OOS), ("IS-MCTS", ISMCTS)):
        rates = [_rate(kind, seconds, TwoHands()) for _ in range(rounds)]
        note = "two hands of five cards from 52, 2,598,960 outcomes each, drawn"
        yield Measurement(
            "limits",
            f"{name} with wide chance",
            "iterations/s",
            rates,
            target=Target("least", 100_000),
            note=note,
        )
    for name, guarded, ours in (
        (
            "II-Goofspiel(6)",
            GuardedGoofspiel(num_cards=6, imp_info=True),
            Goofspiel(num_cards=6, imp_info=True),
        ),
        ("Generic Poker(3,3,2,2)", GuardedPoker(), GenericPoker()),
    ):
        mine, others = interleaved(rounds, _rates(guarded, seconds), _rates(ours, seconds))
        note = "the same rules in a class that is not the package's own"
        yield Measurement(
            "limits",
            f"OOS with guarded rules on {name}",
            "iterations/s",
            mine,
            others,
            "unguarded",
            Target("ratio", 0.8),
            note,
        )


def _rates(game: Game, seconds: float) -> Callable[[int], float]:
    return lambda _: _rate(OOS, seconds, game)


def _rate(kind: type[TableSearch], seconds: float, game: Game) -> float:
    result = kind(game, seed=1).run(seconds=seconds)
    return result.iterations / result.seconds


@dataclass(frozen=True)
class GuardedGoofspiel(Goofspiel):
    """Goofspiel as a game of somebody else."""


@dataclass(frozen=True)
class GuardedPoker(GenericPoker):
    """Generic Poker, likewise."""


@dataclass(frozen=True)
class TwoHands(Game):
    """Two players are dealt five of 52 cards each, at once. Player 0 bets or not; the larger sum of
    cards wins.

    State: both hands as masks, then the bet (1 no, 2 yes).
    """

    state_size: ClassVar[int] = 3
    max_actions: ClassVar[int] = 2
    max_depth: ClassVar[int] = 3
    max_utility: ClassVar[float] = 2.0

    def initial_state(self, state):
        for index in range(3):
            state[index] = 0

    def current_player(self, state):
        if state[1] == 0:
            return CHANCE
        return 0 if state[2] == 0 else TERMINAL

    def legal_actions(self, state, player, actions):
        actions[0], actions[1] = 1, 2
        return 2

    def sample_chance(self, state, rng):
        hand, count = 0, 0
        while count < 5:
            card = 1 << below(rng, 52)
            if (hand | state[0]) & card == 0:
                hand |= card
                count += 1
        return hand

    def apply_action(self, state, action, observations):
        if state[1] == 0:
            player = 0 if state[0] == 0 else 1
            state[player] = action
            observations[player] = action
            observations[2] = 1
        else:
            state[2] = action
            observations[2] = 1 + action

    def returns(self, state, player):
        difference = state[0] - state[1]
        paid = float(state[2]) if difference > 0 else -float(state[2])
        return paid if player == 0 else -paid

    def render(self, state, player):
        return f"your hand: {int(state[player]):x}; bet: {state[2]}"
