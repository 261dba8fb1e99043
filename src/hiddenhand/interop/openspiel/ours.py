"""Our games in OpenSpiel: the registered game ``hiddenhand``, whose parameter names one of ours.

    pyspiel.load_game("hiddenhand", {"game": "goofspiel(num_cards=4)"})

Simultaneous moves stay simultaneous. OpenSpiel's actions are ours where the game says how many
there are (`Game.num_distinct_actions`), else places among the legal ones. The information state of
a player is the text of the events that the player noticed. It is the same for observers without
perfect recall, because players here do not forget.

OpenSpiel writes the parameters of games with the signs ``(),=``, as this package does. So in texts
of OpenSpiel these signs of our parameter become ``%28`` and so on.
"""

from typing import Any, Final
from urllib.parse import unquote

import numpy as np
import pyspiel

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game, verify_listed
from hiddenhand.games.history import Event, History, Move
from hiddenhand.games.registry import load_game
from hiddenhand.interop.numbering import Numbering

NAME: Final = "hiddenhand"
PARAMETER: Final = "game"
_DEFAULT: Final = {PARAMETER: "kuhn_poker"}
_SIGNS: Final = "%(),="
_PLAYERS: Final = {
    CHANCE: pyspiel.PlayerId.CHANCE,
    TERMINAL: pyspiel.PlayerId.TERMINAL,
    SIMULTANEOUS: pyspiel.PlayerId.SIMULTANEOUS,
}


def _game_type(game: Game | None) -> Any:
    """What OpenSpiel wants to know of a game before it is loaded; None stands for all games."""
    kind = pyspiel.GameType
    dynamics, chance, utility = (
        kind.Dynamics.SEQUENTIAL,
        kind.ChanceMode.EXPLICIT_STOCHASTIC,
        kind.Utility.GENERAL_SUM,
    )
    if game is not None and game.simultaneous:
        dynamics = kind.Dynamics.SIMULTANEOUS
    if game is not None and not game.draws_chance and game.max_chance_outcomes == 0:
        chance = kind.ChanceMode.DETERMINISTIC
    if game is not None and game.zero_sum:
        utility = kind.Utility.ZERO_SUM
    return kind(
        short_name=NAME,
        long_name="A game of Hiddenhand",
        dynamics=dynamics,
        chance_mode=chance,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=game.num_players if game is not None else 100,
        min_num_players=game.num_players if game is not None else 1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        provides_factored_observation_string=True,
        parameter_specification=_DEFAULT,
    )


def _escaped(spec: str) -> str:
    """The name of a game without signs that OpenSpiel reads as its own."""
    return "".join(f"%{ord(sign):02X}" if sign in _SIGNS else sign for sign in spec)


class HiddenhandGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours as a game of OpenSpiel.

    ours: the game.
    numbering: the numbers of its actions.
    """

    def __init__(self, params: Any = None) -> None:
        spec = unquote((params or _DEFAULT)[PARAMETER])
        self.ours = load_game(spec)
        verify_listed(self.ours)
        self.numbering = Numbering(self.ours)
        utility_sum = 0.0 if self.ours.zero_sum else None
        info = pyspiel.GameInfo(
            num_distinct_actions=self.numbering.count,
            max_chance_outcomes=int(self.ours.max_chance_outcomes),
            num_players=int(self.ours.num_players),
            min_utility=-float(self.ours.max_utility),
            max_utility=float(self.ours.max_utility),
            utility_sum=utility_sum,
            max_game_length=int(self.ours.max_depth),
        )
        super().__init__(_game_type(self.ours), info, {PARAMETER: _escaped(spec)})

    def new_initial_state(self) -> "HiddenhandState":
        """The root."""
        return HiddenhandState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "EventObserver":
        """What writes down what a player sees."""
        if params:
            raise GameError(f"observers of {NAME} have no parameters, but {params} was given")
        return EventObserver(iig_obs_type)

    def numbered(self, history: History, player: int) -> dict[int, int]:
        """Our legal actions of ``player``, or outcomes of chance, by OpenSpiel's numbers. Outcomes
        are numbered in increasing order.
        """
        if player == CHANCE:
            return dict(enumerate(sorted(history.legal_actions(CHANCE))))
        return self.numbering.legal(history, player)


class Followed:
    """A history, and what each player and the public noticed on the way. It never changes, so
    copies of a state share it.
    """

    def __init__(self, history: History, events: tuple[tuple[Event, ...], ...]) -> None:
        self.history = history
        self.events = events

    def child(self, move: Move) -> "Followed":
        """What follows by ``move``."""
        history = self.history.child(move)
        players = history.game.num_players
        noticed = [history.noticed(player) for player in range(players)]
        public = history.observations[-1]
        noticed.append(Event(0, 0, public) if public else None)
        return Followed(
            history,
            tuple(
                (*before, event) if event is not None else before
                for before, event in zip(self.events, noticed, strict=True)
            ),
        )

    def __deepcopy__(self, memo: Any) -> "Followed":
        return self


class HiddenhandState(pyspiel.State):  # type: ignore[misc]
    """A state of `HiddenhandGame`.

    followed: the history, and what was noticed.
    """

    def __init__(self, game: HiddenhandGame) -> None:
        super().__init__(game)
        ours = game.ours
        self.followed = Followed(History(ours), ((),) * (ours.num_players + 1))

    @property
    def our_history(self) -> History:
        """The history as ours."""
        return self.followed.history

    def current_player(self) -> Any:
        """Who moves."""
        player = self.our_history.player
        return _PLAYERS.get(player, player)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self._numbered(player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of chance, with their probabilities."""
        return [
            (number, p) for number, (_, p) in enumerate(sorted(self.our_history.chance_outcomes()))
        ]

    def _apply_action(self, action: int) -> None:
        player = self.our_history.player
        self.followed = self.followed.child(self._numbered(player)[action])

    def _apply_actions(self, actions: list[int]) -> None:
        joint = tuple(self._numbered(player)[action] for player, action in enumerate(actions))
        self.followed = self.followed.child(joint)

    def _action_to_string(self, player: int, action: int) -> str:
        player = int(player)
        history = self.our_history
        return history.game.action_name(history.state, player, self._numbered(player)[action])

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.our_history.is_terminal

    def returns(self) -> list[float]:
        """What each player is paid; nothing before the end."""
        history = self.our_history
        return list(history.returns()) if history.is_terminal else [0.0] * history.game.num_players

    def __str__(self) -> str:
        return " ".join(str(move) for move in self.our_history.moves)

    def _numbered(self, player: int) -> dict[int, int]:
        numbered: dict[int, int] = self.get_game().numbered(self.our_history, int(player))
        return numbered


class EventObserver:
    """Writes down the events that a player noticed, one after the other: the player's own action,
    the private token, and the public token.

    tensor, dict: empty, because there are no tensors.
    """

    def __init__(self, kind: Any) -> None:
        self.tensor = np.zeros(0, np.float32)
        self.dict: dict[str, Any] = {}
        private = kind.private_info if kind is not None else pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._own = private == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = kind.public_info if kind is not None else True

    def set_from(self, state: HiddenhandState, player: int) -> None:
        """Do nothing: there are no tensors."""

    def string_from(self, state: HiddenhandState, player: int) -> str:
        """What ``player`` noticed so far, or what all did."""
        events = state.followed.events[player if self._own else -1]
        who = f"player {player}" if self._own else "all"
        return f"{who}: " + "; ".join(self._said(event) for event in events)

    def _said(self, event: Event) -> str:
        parts = []
        if event.action:
            parts.append(f"did {event.action - 1}")
        if event.private:
            parts.append(f"told {event.private}")
        if event.public and self._public:
            parts.append(f"all told {event.public}")
        return ", ".join(parts) or "-"


def register() -> None:
    """Let ``pyspiel.load_game`` know our games; a second call changes nothing."""
    if NAME not in pyspiel.registered_names():
        pyspiel.register_game(_game_type(None), HiddenhandGame)
