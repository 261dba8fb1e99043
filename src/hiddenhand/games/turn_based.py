"""Simultaneous moves one after the other, each hidden until all have chosen."""

from collections.abc import Iterable
from dataclasses import dataclass

from hiddenhand.errors import ParameterError
from hiddenhand.games.about import AT_ONCE, CARDS, RESEARCH, About
from hiddenhand.games.base import (
    ALL_SEEING,
    SIMULTANEOUS,
    AllShown,
    Game,
    State,
    seat_of,
    tells_moves,
)
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.scene import Scene
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules
from hiddenhand.jit.views import view

CHOSEN = 1 << 40
"""The public token "a player has chosen". No game of this package has tokens so large."""


@About(
    "Goofspiel, bids shown",
    "Bid your cards in secret; then both see the bids.",
    (RESEARCH, CARDS, AT_ONCE),
    place=240,
    example="turn_based(GS(5))",
    small=("turn_based(goofspiel(num_cards=4))",),
)
@dataclass(frozen=True)
class TurnBased(Wrapped):
    """A game with simultaneous moves, played in turns: where all move at once, player 0 chooses
    first, then player 1, and so on.

    A choice stays hidden until all have chosen; all notice that a player has chosen. Everything
    else is as in ``game``.

    State: that of ``game``, then the choices made in the present round, then how many there are.
    """

    around_any = True
    simultaneous = False

    def __post_init__(self) -> None:
        if not isinstance(self.game, Game) or not self.game.simultaneous:
            raise ParameterError(
                f"turn_based: {self.game!r} is not a game with simultaneous moves; give one such "
                "as goofspiel()"
            )

    def __str__(self) -> str:
        return f"{self.game} in turns"

    @property
    def remembers_all(self) -> bool:
        """Whether players remember all they noticed, as `remembers_all` says of ``game``."""
        return remembers_all(self.game)

    @PropertyBesideRules
    def written(self) -> Game:
        """The game as its author wrote it, for messages."""
        inner: Game = self.game
        return inner

    @property
    def state_size(self) -> int:
        return self.game.state_size + self.game.num_players + 1

    @property
    def max_depth(self) -> int:
        return self.game.max_depth * self.game.num_players

    def initial_state(self, state: State) -> None:
        self._forget_choices(state)
        self.game.initial_state(self.inner_state(state))

    def current_player(self, state: State) -> int:
        player = self.game.current_player(self.inner_state(state))
        return int(state[-1]) if player == SIMULTANEOUS else player

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        inner = self.inner_state(state)
        if self.game.current_player(inner) != SIMULTANEOUS:
            self.game.apply_action(inner, action, observations)
            return
        choices = view(state, self.game.state_size, self.num_players)
        chosen = state[-1]
        choices[chosen] = action
        if chosen + 1 < self.num_players:
            state[-1] = chosen + 1
            observations[self.num_players] = CHOSEN
        else:
            self.game.apply_joint_action(inner, choices, observations)
            self._forget_choices(state)

    def _forget_choices(self, state: State) -> None:
        for player in range(self.num_players):
            state[self.game.state_size + player] = 0
        state[-1] = 0

    # --- for people ---

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.game.num_distinct_actions()

    @beside_rules
    def observation_tensor(self, state: State, player: int) -> Floats | None:
        return self.game.observation_tensor(self.inner_state(state), player)

    def render(self, state: State, player: int) -> str:
        inner = self.inner_state(state)
        picture = self.game.render(inner, player)
        if self.game.current_player(inner) == SIMULTANEOUS and player < state[-1]:
            choice = self.action_name(state, player, int(state[self.game.state_size + player]))
            picture += f"\nyou have chosen {choice}"
        return picture

    def picture(self, state: State, player: int) -> Scene | None:
        """The picture of the inner game, and below it who has chosen. `all_shown` adds a line with
        the choices that its seat does not see.
        """
        scene = super().picture(state, player)
        chosen = int(state[-1])
        if scene is None or chosen == 0:
            return scene
        seat = seat_of(player)
        others = [other for other in range(chosen) if other != seat]
        if seat == ALL_SEEING:
            words = "chosen: " + self._chosen(state, others)
        elif 0 <= seat < chosen:
            words = "you have chosen " + self._chosen(state, [seat])
        else:
            words = f"{chosen} of {self.num_players} have chosen"
        scene = scene.with_line(words)
        if isinstance(player, AllShown) and others:
            return scene.with_line("chosen: " + self._chosen(state, others))
        return scene

    def hidden(self, state: State, observer: int) -> str | None:
        """What the inner game hides, and what others have chosen."""
        inner = self.game.hidden(self.inner_state(state), observer)
        others = [player for player in range(int(state[-1])) if player != observer]
        if observer == ALL_SEEING or not others:
            return inner
        return "; ".join(filter(None, (inner, "chosen: " + self._chosen(state, others))))

    def tell(self, before: State, move: int, after: State, observer: int) -> str | None:
        """The text of the inner game, once all have chosen. If the inner game does not define
        `tell`, an observer who knows a choice reads it at once.
        """
        inner, chosen = self.inner_state(before), int(before[-1])
        if self.game.current_player(inner) != SIMULTANEOUS:
            return self.game.tell(inner, move, self.inner_state(after), observer)
        if after[-1] == 0:  # this was the last choice
            moves = (*self.chosen(before), move)
            return self.game.tell(inner, moves, self.inner_state(after), observer)
        if tells_moves(self.game) or observer not in (chosen, ALL_SEEING):
            return ""
        who = "you have" if observer == chosen else f"player {chosen + 1} has"
        return f"{who} chosen {self.action_name(before, chosen, move)}"

    @beside_rules
    def chosen(self, state: State) -> tuple[int, ...]:
        """What the first players have chosen in the present round."""
        first = self.game.state_size
        return tuple(map(int, state[first : first + int(state[-1])]))

    @beside_rules
    def _chosen(self, state: State, players: Iterable[int]) -> str:
        """What some players have chosen in the present round."""
        return ", ".join(
            self.action_name(state, player, int(state[self.game.state_size + player]))
            for player in players
        )


def as_sequential(game: Game | str) -> Game:
    """The game itself if its players move one at a time, else its `TurnBased` form.

    game: a game or its name. Raises GameError for anything else, and what `load_game` raises.
    """
    game = game_of(game)
    return TurnBased(game) if game.simultaneous else game
