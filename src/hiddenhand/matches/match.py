"""The referee: plays one match, tells each player what they notice and nothing else, and keeps the
record.

The random numbers of the players and those of chance are independent of each other. The k-th chance
move of a match takes the k-th number of chance's own stream, whichever player sits in which seat.
So two matches with the same ``chance_seed`` share their deals, and players who change seats meet
the same cards.

A player receives a seed, and may know how it was derived. By trying all small numbers, a player
could find the number that its seed was derived from. So the deals must not follow from that number.
Chance has a seed of its own, of 128 bits, drawn from the operating system by default. The record of
a match has it, so that the match can be played again.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from secrets import randbits
from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.dataframes import frame
from hiddenhand.errors import OptionError, PlayerError, RefusedOptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, State
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.rule_errors import explained, root
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.narration import Announcer
from hiddenhand.notebooks import Shown
from hiddenhand.players.player import Decision, Player, Restless, View, Watching, derived_seed
from hiddenhand.players.registry import make_player, verify_several
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.text import indented, one_line, shortened
from hiddenhand.trees.tree import SetInWords, describe

CHANCE_BITS: Final = 128
"""More seeds than a program can try."""


def drawn_chance_seed() -> int:
    """A seed for chance that no player can know: 128 bits from the operating system."""
    return randbits(CHANCE_BITS)


@dataclass(frozen=True)
class MatchRecord(Shown):
    """A match that was played to its end. Tuples over players are in the order of the seats.

    game: the game, with moves in turns.
    seed: the seed of the players.
    chance_seed: the seed of chance.
    moves: all moves in order, those of chance included.
    returns: the payoff of each player.
    decisions: the decisions of each player, in order.
    seconds: how long each of these decisions took, by the referee's clock.
    """

    game: Game
    seed: int
    chance_seed: int
    moves: tuple[int, ...]
    returns: tuple[float, ...]
    decisions: tuple[tuple[Decision, ...], ...]
    seconds: tuple[tuple[float, ...], ...]

    def __repr__(self) -> str:
        paid = ", ".join(f"{payoff:g}" for payoff in self.returns)
        return f"MatchRecord({self.game}, {len(self.moves)} moves, payoffs {paid})"

    def thought(self, player: int) -> dict[str, float]:
        """The largest value in the match of each figure that ``player`` gave about their
        thinking.
        """
        largest: dict[str, float] = {}
        for decision in self.decisions[player]:
            for name, value in decision.thought.items():
                largest[name] = max(float(value), largest.get(name, float(value)))
        return largest

    @property
    def measures(self) -> dict[str, float]:
        """What the game measures of the match besides the payoffs, see `Game.measures`."""
        return self.game.measures(final_state(self.game, self.moves))

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each decision: the number of the move in the match,
        from 0, who moved, what they saw, what they did and with which probability, None if they do
        not tell that, how long that took, and their figures about their thinking.
        """
        return frame(self._decision_rows())

    def _decision_rows(self) -> Iterator[dict[str, Any]]:
        history = History(self.game)
        decisions = [
            zip(made, seconds, strict=True)
            for made, seconds in zip(self.decisions, self.seconds, strict=True)
        ]
        for number, move in enumerate(self.moves):
            mover = history.player
            if mover != CHANCE:
                decision, seconds = next(decisions[mover])
                here = describe(history)
                place = history.legal_actions().index(move)
                yield {
                    "move": number,
                    "player": mover,
                    "information": here.information,
                    "action": here.actions[place],
                    "probability": float(decision.policy[place]) if decision.policy else None,
                    "seconds": seconds,
                    **decision.thought,
                }
            history = history.child(move)

    def explain(self, players: Collection[int] | None = None) -> str:
        """The match in words, move by move: what the player to move saw, what it played with which
        probabilities, and figures about its thinking that are not 0.

        players: the players whose decisions are included; by default, the decisions of all players
            and the moves of chance.
        """
        told, history = [], History(self.game)
        decisions = [iter(made) for made in self.decisions]
        for move in self.moves:
            mover = history.player
            name = self.game.action_name(history.state, mover, move)
            if mover != CHANCE:
                decision = next(decisions[mover])
                if players is None or mover in players:
                    told.append(_explained(describe(history), name, decision))
            elif players is None:
                told.append(f"chance: {name}")
            history = history.child(move)
        paid = ", ".join(
            f"player {player + 1} {payoff:g}" for player, payoff in enumerate(self.returns)
        )
        return "\n".join([*told, f"payoffs: {paid}"])


def _explained(here: SetInWords, name: str, decision: Decision) -> str:
    """A decision in words."""
    shares = zip(here.actions, decision.policy, strict=True) if decision.policy else ()
    chances = "  ".join(f"{action} {p:.2%}" for action, p in shares)
    figures = [
        f"{figure.replace('_', ' ')} {value:,.6g}"
        for figure, value in decision.thought.items()
        if value
    ]
    thoughts = ", ".join([*figures, f"{decision.seconds:.3f} s"])
    return (
        f"{indented(f'player {here.player + 1} sees ', here.information)}\n    plays {name}"
        + (f"  ({chances})" if chances else "")
        + f"\n    {thoughts}"
        + (f"\n    {decision.choice}" if decision.choice else "")
    )


def play_match(
    game: Game | str,
    players: Sequence[Player | str],
    seed: int = 0,
    budgets: Budget | Sequence[Budget | None] | None = None,
    preplay: Budget | None = None,
    chance_seed: int | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
) -> MatchRecord:
    """Play one match and return its record, such as ``play_match("kuhn_poker", ["oos", "random"],
    iterations=1000)``.

    game: the game, or its name.
    players: in the order of the seats; a player or the name of one, as `make_player` reads it.
    budgets: the budget of each player for each move, None for a player who needs none; or one
        budget for all.
    iterations, seconds: the budget of all players, in place of ``budgets``.

    The other arguments are those of `Match`. Raises PlayerError and OptionError.
    """
    verify_several(players)
    game = game_of(game)
    if iterations is not None or seconds is not None:
        if budgets is not None:
            raise OptionError("budgets and iterations or seconds were given; give one of the two")
        budgets = Budget(iterations, seconds)
    if budgets is not None and not isinstance(budgets, Sequence):
        _verify_budgets("budgets", [budgets])
        budgets = [budgets] * len(players)
    seated = [make_player(game, one) if isinstance(one, str) else one for one in players]
    return Match(game, seated, seed, budgets, preplay, chance_seed).play()


def _verify_players(players: Sequence[Player]) -> None:
    """Raise PlayerError for anything else in place of a player, such as a name or a search, and for
    one player at two seats, which would mix up what the two seats notice.
    """
    for seat, player in enumerate(players):
        if isinstance(player, str):
            raise PlayerError(f"{player!r} is not a player; write make_player(game, {player!r})")
        if isinstance(player, type) or not callable(getattr(player, "act", None)):
            raise PlayerError(
                f"{shortened(player)} is not a player; write make_player(game, NAME), such as "
                "make_player(game, 'oos')"
            )
        if any(player is other for other in players[:seat]):
            raise PlayerError("one player cannot sit at two seats; make a player for each")


def _verify_budgets(name: str, budgets: Sequence[object]) -> None:
    """Raise OptionError for a budget that is none, in the argument ``name``."""
    for budget in budgets:
        if budget is not None and not isinstance(budget, Budget):
            raise RefusedOptionError(
                name, budget, "give budgets, such as Budget(seconds=0.1), from hiddenhand"
            )


class Match:
    """A match. Raises PlayerError for a wrong number of players, for one player at two seats, and
    for an action that is not legal. Equal seeds of both kinds give equal matches, if budgets are in
    iterations.

    game: the game that is played.
    players: the players, in the order of their seats.
    seed: the seed of the players.
    budgets: the budget of each player for each move; None for a player who needs none.
    preplay: how long each player may think before the first move; None for not at all.
    chance_seed: the seed of chance, by default drawn by `drawn_chance_seed`.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        seed: int,
        budgets: Sequence[Budget | None] | None = None,
        preplay: Budget | None = None,
        chance_seed: int | None = None,
    ) -> None:
        verify_several(players)
        self.game = as_sequential(game)
        self.history = root(self.game)
        self._players = players
        self._budgets: Sequence[Budget | None] = (
            [None] * len(players) if budgets is None else budgets
        )
        if not len(players) == len(self._budgets) == self.game.num_players:
            raise PlayerError(
                f"{game} is for {self.game.num_players} players; there are {len(players)}, and "
                f"{len(self._budgets)} budgets"
            )
        _verify_players(players)
        _verify_budgets("budgets", self._budgets)
        _verify_budgets("preplay", [preplay])
        # asked once: to find out whether a class has what a protocol wants takes long
        self._watching = [isinstance(player, Watching) for player in players]
        self._preplay = preplay
        self._seed = seed
        self._chance_seed = drawn_chance_seed() if chance_seed is None else chance_seed
        self._started = False
        self._chance = np.random.default_rng(derived_seed(self._chance_seed, 0))
        self._unheard: list[list[Event]] = [[] for _ in players]
        self._announcer: Announcer | None = None
        self._unread: list[list[str]] = [[] for _ in players]
        self._decisions: list[list[Decision]] = [[] for _ in players]
        self._seconds: list[list[float]] = [[] for _ in players]

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{len(self.history.moves)} moves made")

    def start(self) -> None:
        """Start all players: they compile, load and solve what they need before any clock runs."""
        for seat, player in enumerate(self._players):
            player.start(self.game, seat, derived_seed(self._seed, 1 + seat))
        if any(self._watching):
            self._announcer = Announcer(self.game)
        self._started = True

    def play(self) -> MatchRecord:
        """Play to the end. Raises RuleError for a rule that fails, and all that a player raises.
        Then ``history`` has the moves made so far, and no player is at work any more.
        """
        try:
            return self._play()
        except BaseException:
            for player in self._players:
                if isinstance(player, Restless):
                    with suppress(Exception):  # the first problem is the one to tell
                        player.rest()
            raise

    def _play(self) -> MatchRecord:
        if not self._started:
            self.start()
        if self._preplay is not None:
            for player in self._players:
                player.prepare(self._preplay)
        while (mover := self._mover()) != TERMINAL:
            self._advance(self._deal() if mover == CHANCE else self._ask(mover))
        with explained(self.history):
            returns = tuple(payoff + 0.0 for payoff in self.history.returns())  # 0 for -0
        for seat, player in enumerate(self._players):
            player.end(self._news(seat), returns[seat])
        return MatchRecord(
            game=self.game,
            seed=self._seed,
            chance_seed=self._chance_seed,
            moves=self.history.actions,
            returns=returns,
            decisions=tuple(map(tuple, self._decisions)),
            seconds=tuple(map(tuple, self._seconds)),
        )

    def news(self, seat: int) -> tuple[str, ...]:
        """What a person in ``seat`` noticed since the last call, a sentence for each move. Empty if
        there is no person in the match.
        """
        news = tuple(self._unread[seat])
        self._unread[seat].clear()
        return news

    def picture(self, seat: int) -> str:
        """The present state of the match, as ``seat`` may see it."""
        with explained(self.history):
            return self.game.render(self.history.state, seat)

    def _mover(self) -> int:
        with explained(self.history):
            return self.history.player

    def _deal(self) -> int:
        with explained(self.history):
            return self.history.sample_chance(self._chance)

    def _ask(self, seat: int) -> int:
        """The action of the player at ``seat``, on the clock."""
        player = self._players[seat]
        with explained(self.history):
            legal_actions = self.history.legal_actions()
            names = self._names(seat, legal_actions) if self._watching[seat] else {}
        if self._watching[seat]:
            assert isinstance(player, Watching)
            player.see(View(self.picture(seat), names, self.news(seat)))
        events = self._news(seat)
        began = clock.now()
        decision = player.act(events, tuple(legal_actions), self._budgets[seat])
        self._seconds[seat].append(clock.now() - began)
        if decision.action not in legal_actions:
            raise PlayerError(
                f"{type(player).__name__} in seat {seat} answered {decision.action!r}; legal "
                f"actions are {legal_actions}"
            )
        self._decisions[seat].append(decision)
        return decision.action

    def _advance(self, move: int) -> None:
        before = self.history
        with explained(before, move):
            self.history = before.child(move)
        for seat, unread in enumerate(self._unread):
            if self._announcer is not None and (
                said := self._announcer.said(before, self.history, seat)
            ):
                unread.append(said)
        for seat, unheard in enumerate(self._unheard):
            event = self.history.noticed(seat)
            if event is not None:
                unheard.append(event)

    def _news(self, seat: int) -> tuple[Event, ...]:
        news = tuple(self._unheard[seat])
        self._unheard[seat].clear()
        return news

    def _names(self, seat: int, legal_actions: Sequence[int]) -> Mapping[int, str]:
        return {
            action: self.game.action_name(self.history.state, seat, action)
            for action in legal_actions
        }


def final_state(game: Game, moves: Sequence[int]) -> State:
    """The state of ``game``, whose moves are made in turns, after ``moves``, chance's included."""
    state = np.zeros(game.state_size, np.int64)
    observations = np.zeros(game.num_players + 1, np.int64)
    game.initial_state(state)
    for move in moves:
        observations[:] = 0
        game.apply_action(state, move, observations)
    return state


def mean_measures(game: Game, played: Sequence[Played]) -> dict[str, Interval]:
    """The mean of each measure over finished matches, by name, with its interval; empty for a game
    that measures nothing. Measures are numbers and sizes, so that the interval of one that is never
    negative ends at 0.

    game: the game, with moves in turns.
    played: the matches, at least one.
    """
    found = [game.measures(final_state(game, played[0].history))]
    if not found[0]:
        return {}
    found += [game.measures(final_state(game, match.history)) for match in played[1:]]
    columns = {name: [measures[name] for measures in found] for name in found[0]}
    return {
        name: mean_interval(values, low=0.0 if min(values) >= 0.0 else -math.inf)
        for name, values in columns.items()
    }
