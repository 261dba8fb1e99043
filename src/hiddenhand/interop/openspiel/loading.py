"""Games of OpenSpiel as games of this package: `from_openspiel`, and ``openspiel:`` in
`load_game`. A small game is written out as a `TreeGame`, whose rules are machine code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import TERMINAL, Game, State
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.interop.openspiel.foreign import ForeignGame
from hiddenhand.interop.openspiel.peer import Eyes, in_turns, load_peer, named, openspiel, said_by
from hiddenhand.interop.openspiel.state_tracker import Place

SMALL: Final = 20_000
"""The histories that a game may have to be written out when it is loaded."""

_FAR_TOO_LARGE: Final = 1000
"""A game whose plays promise more than so many times the allowed histories is not tried."""


def load(text: str) -> Game:
    """The game that OpenSpiel calls ``text``, such as ``liars_dice(numdice=2)``."""
    return from_openspiel(load_peer(text))


def from_openspiel(game: Any, max_histories: int = SMALL) -> Game:
    """A game of OpenSpiel as a game of this package.

    A game of at most ``max_histories`` histories is written out as a `TreeGame` and runs at machine
    speed; its actions are numbered in OpenSpiel's order. A larger one becomes a `ForeignGame`,
    which asks OpenSpiel at every move and keeps OpenSpiel's actions. Simultaneous moves are made in
    turns.

    game: a ``pyspiel.Game``, or its name.
    max_histories: how many histories are written out; 0 for none.

    Raises GameError for a game that cannot be followed, and UnknownGameError for a name that
    OpenSpiel does not know.
    """
    peer = in_turns(load_peer(game) if isinstance(game, str) else game)
    try:
        return _formed(peer, max_histories)
    except openspiel().SpielError as error:
        raise GameError(
            f"{named(peer)} cannot be followed, because OpenSpiel fails: {said_by(error):.300}"
        ) from error


def _formed(peer: Any, max_histories: int) -> Game:
    """A sequential game, written out or followed."""
    eyes = Eyes(peer)
    if max_histories > 0 and not surely_too_large(peer, max_histories):
        try:
            tree = write_out(peer, eyes, max_histories)
        except TooLargeError:
            pass
        else:
            object.__setattr__(tree, "origin", named(peer))
            return tree
    eyes.texts = None
    return ForeignGame.of(peer, eyes)


# --- writing out ---


def surely_too_large(game: Any, max_histories: int) -> bool:
    """Whether two plays of ``game`` met so many choices that writing it out cannot succeed. The
    number of histories is about the product of the numbers of choices along a play.
    """
    least = None
    for pick in (0, -1):
        state, product = game.new_initial_state(), 1.0
        while not state.is_terminal() and product < 1e18:
            actions = state.legal_actions()
            product *= len(actions)
            state.apply_action(actions[pick])
        least = product if least is None else min(least, product)
    return least is not None and least > _FAR_TOO_LARGE * max_histories


def write_out(game: Any, eyes: Eyes, max_histories: int) -> TreeGame:
    """``game``, a sequential ``pyspiel.Game``, breadth first. Children are in the order of
    OpenSpiel's actions. Players remember all their observations. So their information sets are
    OpenSpiel's information states wherever those forget nothing.

    Raises TooLargeError if there are more than ``max_histories``.
    """
    players = game.num_players()
    eyes.texts = {}
    nodes, places = _Nodes(), [Place(game.new_initial_state(), eyes)]
    noticed: list[list[int]] = [[0] * players]
    names = [""]
    for number, place in enumerate(places):  # grows while it is walked
        here = nodes.add(place, noticed[number], len(places))
        own = nodes.names_in(here, place)
        for position, action in enumerate(place.actions):
            after = Place(place.state.child(action), eyes, place)
            places.append(after)
            names.append(own[position])
            noticed.append(nodes.noticing(noticed[number], place.player, position, after.tokens))
        if place.actions:
            place.state = None  # only the newest level is needed
        if len(places) > max_histories:
            raise TooLargeError(
                f"{named(game)} has more than max_histories={max_histories} histories; raise the "
                "limit or take a smaller game"
            )
    none = (0.0,) * players
    tokens = np.array([place.tokens for place in places], np.int64)
    tree = TreeGame(
        player=np.array([place.player for place in places]),
        first_child=np.array(nodes.first_child),
        num_children=np.array([len(place.actions) for place in places]),
        probability=np.array(_probabilities(places)),
        information_set=np.array(nodes.information_set),
        utilities=np.array([place.returns or none for place in places]),
        private_token=tokens[:, :-1],
        public_token=tokens[:, -1],
        move_names=names,
    )
    draw_with(tree, eyes.texts)
    return tree


def _probabilities(places: list[Place]) -> list[float]:
    """The probability of the move that leads to each place; 1 for moves of players."""
    found = [1.0]
    for place in places:
        found += place.probabilities or (1.0,) * len(place.actions)
    return found


class _Nodes:
    """The parts of a tree that depend on what players notice.

    What a player noticed so far is a number, which is made of the number before and of what is
    noticed next. An information set is such a number where the player moves.
    """

    def __init__(self) -> None:
        self.first_child: list[int] = []
        self.information_set: list[int] = []
        self._noticed: dict[tuple[int, int, int, int, int], int] = {}
        self._sets: dict[tuple[int, int], int] = {}
        self._first: dict[int, tuple[tuple[int, ...], list[str]]] = {}

    def add(self, place: Place, noticed: list[int], first_child: int) -> int:
        """Add a node, and return its information set."""
        self.first_child.append(first_child)
        number = -1
        if place.player >= 0:
            key = place.player, noticed[place.player]
            number = self._sets.setdefault(key, len(self._sets))
        self.information_set.append(number)
        return number

    def names_in(self, number: int, place: Place) -> list[str]:
        """The names of the moves at a place of information set ``number``, which are the same all
        over the set. Raises GameError if its legal actions are not.
        """
        if place.player == TERMINAL:
            return []
        names = list(place.names.values())
        if number < 0:
            return names
        actions, first = self._first.setdefault(number, (place.actions, names))
        if actions != place.actions:
            text = place.state.information_state_string(place.player)
            raise GameError(
                f"{named(place.state.get_game())} gives player {place.player} other legal actions "
                f"in different histories of one information state, {text!r:.200}; name another game"
            )
        return first

    def noticing(self, before: list[int], player: int, position: int, told: list[int]) -> list[int]:
        """What each player has noticed after a move, by which they were ``told`` tokens."""
        after = before.copy()
        for observer, number in enumerate(before):
            own = position + 1 if observer == player else 0
            if own or told[observer] or told[-1]:
                event = observer, number, own, told[observer], told[-1]
                after[observer] = self._noticed.setdefault(event, len(self._noticed) + 1)
        return after


@dataclass(frozen=True)
class Pictures:
    """Draws states of ``tree``, in place of its own `render`, which knows tokens only.

    texts: what each token stands for.
    """

    tree: TreeGame
    texts: Mapping[int, str]

    def __call__(self, state: State, player: int) -> str:
        """What ``player`` saw last, its action after that, and what all players saw since."""
        lines: list[str] = []
        public = ""
        tree = self.tree
        for node in tree._path(int(state[0])):
            if tree.player[tree._parents[node]] == player:
                lines.append(f"you chose {tree._name_of(node)}")
            if token := int(tree.public_token[node]):
                public = self.texts[token]
            if token := int(tree.private_token[node, player]):  # it says all that was before
                lines, public = [self.texts[token]], ""
        return "\n".join(line for line in [*lines, public] if line) or "nothing noticed"


def draw_with(tree: TreeGame, texts: Mapping[int, str]) -> None:
    """Let ``tree`` draw its states in the words of ``texts``."""
    object.__setattr__(tree, "render", Pictures(tree, texts))
