"""Pictures of game trees: small games written out, and the coordination game.

A tree is drawn from left to right. The nodes that may be the present one, for all that the observer
knows, are marked; if only one is left, that is where the game is.
"""

import functools
from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.games.base import ALL_SEEING, CHANCE, TERMINAL, AllShown, State, seat_of
from hiddenhand.games.drawing.layout import (
    called,
    choices,
    knows,
    line_of,
    near,
    panel,
    sheet,
    side,
    turn,
    wrapped_lines,
)
from hiddenhand.games.scene import Arrow, Circle, Item, Line, Presentation, Rect, Scene, Text

_MOST_NODES: Final = 64
_LEAF: Final = 19.0


@dataclass(frozen=True)
class Branch:
    """A node of a tree that is drawn.

    mover: who moves there: a player, CHANCE or TERMINAL.
    name: the move that leads there; "" for the root.
    children: the numbers of the nodes that follow.
    payoff: what is written at the end.
    """

    mover: int
    name: str
    children: tuple[int, ...] = ()
    payoff: str = ""


@dataclass(frozen=True)
class TreePicture:
    """A tree, and what an observer knows of where the game is.

    nodes: the root first; children come after their parents.
    possible: the nodes where the game may be.
    actions: for nodes that follow the present one, the action that leads there.
    players: how many players there are.
    here: the node where the game is, for `all_shown` among several possible ones; else None.
    """

    nodes: tuple[Branch, ...]
    possible: frozenset[int]
    actions: dict[int, int]
    players: int
    here: int | None = None

    def draw(self, observer: int, top: float) -> tuple[list[Item], float]:
        """The tree, and where it ends."""
        levels, heights = self._places()
        leaf = _LEAF if len(self.nodes) > 16 else 2 * _LEAF
        y = {node: top + height * leaf for node, height in heights.items()}
        x = {node: 30 + level * self._step(levels) for node, level in levels.items()}
        items: list[Item] = []
        for number, node in enumerate(self.nodes):
            for child in node.children:
                items += self._edge(number, child, x, y)
        for number in range(len(self.nodes)):
            items += self._node(number, x[number], y[number], observer)
        return items, max(y.values()) + leaf

    @staticmethod
    def _step(levels: dict[int, int]) -> float:
        return min(90.0, 270.0 / max(*levels.values(), 1))

    def _places(self) -> tuple[dict[int, int], dict[int, float]]:
        """The level of each node, and its height, counted in leaves."""
        levels, heights, leaves = {0: 0}, {}, 0.0
        for number, node in enumerate(self.nodes):
            for child in node.children:
                levels[child] = levels[number] + 1
        order = self._depth_first()
        for number in order:
            children = self.nodes[number].children
            if children:
                continue
            heights[number] = leaves + 0.5
            leaves += 1
        for number in reversed(order):
            if children := self.nodes[number].children:
                heights[number] = (heights[children[0]] + heights[children[-1]]) / 2
        return levels, heights

    def _depth_first(self) -> list[int]:
        order, waiting = [], [0]
        while waiting:
            number = waiting.pop()
            order.append(number)
            waiting += reversed(self.nodes[number].children)
        return order

    def _edge(
        self, number: int, child: int, x: dict[int, float], y: dict[int, float]
    ) -> list[Item]:
        points = ((x[number], y[number]), (x[child], y[child]))
        name, action = self.nodes[child].name, self.actions.get(child)
        beside = -7 if y[child] <= y[number] else 8  # the words lie outside of the fork
        middle = (x[number] + 2 * x[child]) / 3 - 6, (y[number] + 2 * y[child]) / 3 + beside
        text = Text(*middle, name[:9], 10, role="note")
        if action is None:
            return [Line(points, 1.5, role="grid"), text]
        return [Arrow(points, 2.5, role="mine", action=action, label=f"choose {name}"), text]

    def _node(self, number: int, x: float, y: float, observer: int) -> list[Item]:
        node = self.nodes[number]
        items: list[Item] = []
        if number in self.possible:
            items.append(Circle(x, y, 10.5, role="highlight ring", label="the game may be here"))
        if number == self.here:
            items.append(Circle(x, y, 13.5, role="highlight ring", label="the game is here"))
        if node.mover == TERMINAL:
            return [*items, Text(x + 14, y, node.payoff, 11, "start", role="title")]
        if node.mover == CHANCE:
            return [*items, Rect(x - 5, y - 5, 10, 10, role="hidden")]
        return [*items, Circle(x, y, 6.5, role=side(node.mover, observer, self.players))]


def _legend(players: int, observer: int, y: float) -> list[Item]:
    """Whose nodes have which colour."""
    names = [(called(p, observer, players), side(p, observer, players)) for p in range(players)]
    names.append(("chance", "hidden"))
    wide = 320 / len(names)
    items: list[Item] = []
    for number, (name, role) in enumerate(names):
        x = 20 + wide * (number + 0.5) - 26
        items.append(Circle(x, y, 6, role=role))
        items.append(Text(x + 12, y, name, 12, "start", role="note"))
    return items


def tree_scene(
    picture: TreePicture, status: str, lines: list[str], observer: int, label: str
) -> Scene:
    """A tree with its legend, and words below."""
    items, y = picture.draw(observer, 10)
    items += _legend(picture.players, observer, y + 12)
    items.append(line_of(y + 46, status, "title"))
    past = wrapped_lines(lines, y + 66)
    items += past
    return sheet(y + 60 + 18 * len(past), [panel(2, y + 24), *items], label)


# --- games written out ---


def tree_game(game: Any, state: State, observer: int) -> Scene:
    """The tree, if it is small; else what the observer noticed and the own choices."""
    node, is_all_shown, observer = int(state[0]), isinstance(observer, AllShown), seat_of(observer)
    noticed = _noticed(game, node, observer)
    if game.player.size > _MOST_NODES:
        status = f"a game tree of {game.player.size} nodes"
        past = wrapped_lines(noticed or ["nothing noticed yet"], 58)
        words = line_of(22, status, "title")
        return sheet(54 + 18 * len(past), [panel(2, 40), words, *past], "a game tree")
    possible = _possible(game, node, observer)
    actions: dict[int, int] = {}
    # whose turn it is may be hidden, too
    movers = {int(game.player[here]) for here in possible}
    status = turn(game, state, observer) if len(movers) == 1 else "the game is at a marked node"
    for here in possible if movers == {observer} else ():
        first = int(game.first_child[here])
        actions |= {first + action: action for action in choices(game, state, observer)}
    picture = TreePicture(
        nodes=tuple(_branch(game, number, observer) for number in range(game.player.size)),
        possible=frozenset(possible),
        actions=actions,
        players=game.num_players,
        here=node if is_all_shown and len(possible) > 1 else None,
    )
    return tree_scene(picture, status, noticed, observer, "a game tree")


def _branch(game: Any, number: int, observer: int) -> Branch:
    first, count = int(game.first_child[number]), int(game.num_children[number])
    payoffs = game.utilities[number]
    shown = payoffs[near(observer)] if game.zero_sum and game.num_players == 2 else None
    written = f"{shown:.3g}" if shown is not None else ", ".join(f"{paid:.3g}" for paid in payoffs)
    return Branch(
        mover=int(game.player[number]),
        name=game._name_of(number) if number else "",
        children=tuple(range(first, first + count)),
        payoff=written if int(game.player[number]) == TERMINAL else "",
    )


def _noticed(game: Any, node: int, observer: int) -> list[str]:
    """What an observer noticed on the way to a node."""
    noticed = []
    for number in game._path(node):
        before = game._parents[number]
        mover = int(game.player[before])
        if knows(observer, mover) or observer == ALL_SEEING:
            who = "chance" if mover == CHANCE else called(mover, observer, game.num_players)
            noticed.append(f"{who} chose {game._name_of(number)}")
        if observer >= 0 and (token := int(game.private_token[number, observer])):
            noticed.append(f"you noticed {token}")
        if game.tells_public_tokens and (token := int(game.public_token[number])):
            noticed.append(f"all noticed {token}")
    return noticed


def _signs(game: Any, node: int, observer: int) -> tuple[object, ...]:
    """All that an observer noticed on the way to a node, as something to be compared."""
    if observer == ALL_SEEING:
        return (node,)
    signs: list[object] = []
    for number in game._path(node):
        before = game._parents[number]
        own = number - int(game.first_child[before]) if game.player[before] == observer else -1
        private = int(game.private_token[number, observer]) if observer >= 0 else 0
        event = (own, private, int(game.public_token[number]))
        if event != (-1, 0, 0):
            signs.append(event)
    return tuple(signs)


def _possible(game: Any, node: int, observer: int) -> list[int]:
    """The nodes at which the observer would have noticed the same."""
    wanted = _signs(game, node, observer)
    return [n for n in range(game.player.size) if _signs(game, n, observer) == wanted]


def tree_game_hidden(game: Any, state: State, observer: int) -> str:
    """The moves of chance and of the others."""
    if observer == ALL_SEEING:
        return ""
    return ", ".join(
        game._name_of(number)
        for number in game._path(int(state[0]))
        if game.player[game._parents[number]] != observer
    )


# --- games of three choices: the coordination game, and coordinated matching pennies ---

Way = tuple[int, ...]
"""The choices so far, each as action + 1, and 0 for those that are still to be made."""


def coordination_game(game: Any, state: State, observer: int) -> Scene:
    """The tree of the paper's figure, with the nodes where the game may be."""
    known = {1 + player for player in range(2) if knows(seat_of(observer), player)}
    return _three_choices(game, state, observer, known, "the coordination game")


def coordination_game_hidden(game: Any, state: State, observer: int) -> str:
    """What chance and the others chose."""
    return _unseen_choices(game, state, observer, (CHANCE, 0, 1), (0, 1))


def coordinated_mp(game: Any, state: State, observer: int) -> Scene:
    """The tree of the game, with the nodes where the game may be."""
    known = {1} | {2 * player for player in range(2) if knows(seat_of(observer), player)}
    return _three_choices(game, state, observer, known, "coordinated matching pennies")


def coordinated_mp_hidden(game: Any, state: State, observer: int) -> str:
    """What the others chose."""
    return _unseen_choices(game, state, observer, (0, CHANCE, 1), (0,))


def _three_choices(game: Any, state: State, observer: int, known: set[int], label: str) -> Scene:
    """A tree of three choices. ``known``: which of them the player in the seat sees."""
    is_all_shown, observer = isinstance(observer, AllShown), seat_of(observer)
    ways = _ways_of(game)
    nodes = tuple(_choice_node(game, ways, number, near(observer)) for number in range(len(ways)))
    made = tuple(int(choice) for choice in state[:3])

    def is_possible(way: Way) -> bool:
        if observer == ALL_SEEING:
            return way == made
        same_mover = game.current_player(way) == game.current_player(made)
        return same_mover and all(way[place] == made[place] for place in known)

    places = [number for number, way in enumerate(ways) if is_possible(way)]
    actions = {
        nodes[place].children[action]: action
        for action in choices(game, state, observer)
        for place in places
    }
    here = ways.index(made) if is_all_shown and len(places) > 1 else None
    picture = TreePicture(nodes, frozenset(places), actions, players=2, here=here)
    return tree_scene(picture, turn(game, state, observer), [], observer, label)


@functools.lru_cache(maxsize=4)
def _ways_of(game: Any) -> tuple[Way, ...]:
    """All choices that can be made, breadth first; two follow each that does not end the game."""
    ways: list[Way] = [(0, 0, 0)]
    for way in ways:  # grows while it is walked
        if game.current_player(way) != TERMINAL:
            place = way.index(0)
            ways += [(*way[:place], choice, *way[place + 1 :]) for choice in (1, 2)]
    return tuple(ways)


def _choice_node(game: Any, ways: tuple[Way, ...], number: int, seat: int) -> Branch:
    way = ways[number]
    mover = game.current_player(way)
    parents = [other for other in ways if game.current_player(other) != TERMINAL]
    name, children = "", tuple[int, ...]()
    if mover != TERMINAL:
        first = 1 + 2 * parents.index(way)
        children = (first, first + 1)
    if number:
        before = parents[(number - 1) // 2]
        chosen = way[before.index(0)] - 1
        name = game.action_name(before, game.current_player(before), chosen)
    payoff = f"{game.returns(way, seat) + 0.0:g}" if mover == TERMINAL else ""
    return Branch(mover, name, children, payoff)


def _unseen_choices(
    game: Any, state: State, observer: int, movers: tuple[int, ...], unseen: tuple[int, ...]
) -> str:
    """The choices of others that were made.

    movers: who makes each choice.
    unseen: which of them are not public, besides the last.
    """
    said = []
    for place in (*unseen, 2):
        choice, mover = int(state[place]), movers[place]
        if choice and observer not in (mover, ALL_SEEING):
            who = "chance" if mover == CHANCE else called(mover, observer)
            said.append(f"{who} chose {game.action_name(state, mover, choice - 1)}")
    return ", ".join(said)


TREE_GAME: Final = Presentation(tree_game, tree_game_hidden)
COORDINATION_GAME: Final = Presentation(coordination_game, coordination_game_hidden)
COORDINATED_MP: Final = Presentation(coordinated_mp, coordinated_mp_hidden)
