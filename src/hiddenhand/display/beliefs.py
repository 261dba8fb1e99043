"""Beliefs: the histories that a player thinks possible, and ghosts on the player's picture."""

from typing import Any, Final

import numpy as np

from hiddenhand.display.games import move_name, spec_of
from hiddenhand.display.parts import (
    MOST_ROWS,
    Markup,
    bar,
    bars,
    joined,
    picture,
    table,
    tag,
    title,
)
from hiddenhand.games.base import Game
from hiddenhand.games.drawing.ghosts import Ghosts
from hiddenhand.games.drawing.svg import Node, drawn
from hiddenhand.games.history import History
from hiddenhand.games.scene import Rect, Scene
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.belief.belief import Belief
from hiddenhand.trees.policy_report import Secrets

_MOST_LEAVES: Final = 500  # histories whose pictures are drawn
_FAINTEST: Final = 0.15  # a ghost that is hardly likely can still be seen


def secrets(shown: Secrets) -> Markup:
    """What may be hidden, with a bar for each probability."""
    listed = dict(list(shown.items())[:MOST_ROWS])
    if len(shown) > len(listed):
        listed[f"{len(shown) - len(listed):,} others"] = max(1.0 - sum(listed.values()), 0.0)
    return joined(title("belief", f"{len(shown):,} possibilities"), bars(listed))


def belief(shown: Belief) -> Markup:
    """A belief: its histories, the likeliest first, as likely as chance makes them, if the others
    play uniformly, and what they show on the picture of the observer's seat.
    """
    game, weights = shown.game, shown.by_chance() if shown.is_alive else np.zeros(0)
    is_player = shown.observer < game.num_players
    who = f"player {shown.observer + 1}" if is_player else "the public"
    sampled = ", a sample" if shown.is_sample else ""
    head = title("Belief", f"{who} in {spec_of(game)}, {weights.size:,} histories{sampled}")
    if not weights.size:
        turn = f" in which {who} is to move" if is_player else ""
        return joined(head, tag("p", f"no history{turn} is consistent with what was noticed"))
    order = np.argsort(-weights, kind="stable")[:MOST_ROWS]
    rows = [(_moves(shown, int(leaf)), bar(float(weights[leaf]))) for leaf in order]
    alike = tag("p", "all that fits what was noticed, if the others play uniformly", class_="soft")
    listed = tag("div", table(("moves", "probability"), rows, weights.size - MOST_ROWS), alike)
    if not is_player:
        return joined(head, listed)
    return joined(
        head,
        tag(
            "div", ghosted(game, shown.observer, shown.leaves.state, weights), listed, class_="side"
        ),
    )


def _moves(shown: Belief, leaf: int) -> str:
    here = History(shown.game)
    names = []
    for move in shown.moves_to(leaf):
        names.append(move_name(here, move))
        here = here.child(move)
    return ", ".join(names)


# --- ghosts ---


def ghosted(game: Game, seat: int, states: Any, weights: Floats) -> Markup:
    """The picture that a seat sees, with what the histories show in it: the likelier, the clearer.
    Hands and words stand below it. Nothing for a game that has no picture.

    states: ``int64[F, state_size]``, the states of the histories.
    weights: ``float64[F]``, the probability of each.
    """
    own = game.picture(np.array(states[0]), seat)
    if own is None:
        return Markup()
    shown = Ghosts(game, seat, own, states, _MOST_LEAVES).shown(weights)
    if "why" in shown:
        return picture(own)
    ghosts = [_cell(own, at, p) for at, p in shown["cells"]]
    ghosts += [_faint(_items(own, [one["item"]]), one["p"]) for one in shown["items"]]
    return tag("div", picture(own, ghosts), *_hands(shown), *_words(shown))


def _items(own: Scene, items: list[dict[str, Any]]) -> list[Node]:
    """The elements of items, without the paper below them."""
    sheet = {"width": own.width, "height": own.height, "label": "", "items": items}
    return drawn(sheet).children[1:]


def _faint(items: list[Node], chance: float) -> Node:
    return Node("g", {"opacity": f"{max(chance, _FAINTEST):.2f}"}, items)


def _cell(own: Scene, at: int, chance: float) -> Node:
    """A tint on a cell of the board."""
    item = own.items[at]
    shape = item.to_json() | {"role": "highlight"}
    if isinstance(item, Rect):
        shape["corner"] = shape.get("corner", 0)
    return Node("g", {"opacity": f"{0.15 + 0.6 * chance:.2f}"}, _items(own, [shape]))


def _hands(shown: dict[str, Any]) -> list[Markup]:
    """What each hidden hand may hold."""
    found = []
    for hand in shown["hands"]:
        held = {f"{_face(one)}": one["p"] for one in hand["held"][:MOST_ROWS]}
        if held:
            found.append(joined(tag("p", hand["name"] or "hidden", class_="soft"), bars(held)))
    return found


def _face(one: dict[str, Any]) -> str:
    return str(one["face"]) if "face" in one else f"{one['rank']}{one['suit']}"


def _words(shown: dict[str, Any]) -> list[Markup]:
    words = {one["text"]: one["p"] for one in shown["words"][:MOST_ROWS]}
    return [bars(words)] if words else []
