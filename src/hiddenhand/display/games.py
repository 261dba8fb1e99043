"""Games and histories: their pictures, with sizes and moves beside them."""

import numpy as np

from hiddenhand.display.parts import (
    Markup,
    figures,
    joined,
    number,
    picture,
    plain,
    table,
    tag,
    title,
)
from hiddenhand.errors import HiddenhandError
from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.registry import game_spec
from hiddenhand.games.validation import scenes
from hiddenhand.text import summary

_LARGEST = 60_000  # characters of a picture; a larger one is left out
_MOST_WORDS = 240  # characters of the rules, if they begin with a long sentence


def game(shown: Game) -> Markup:
    """A game: the picture of a first decision, sizes, and the first sentence of its rules."""
    draws = shown.draws_chance or shown.max_chance_outcomes > 0
    chance = "cards, dice or other draws" if draws else "none"
    sizes = {
        "players": shown.num_players,
        "moves": "at the same time" if shown.simultaneous else "in turns",
        "chance": chance,
        "actions": f"at most {shown.max_actions:,}",
        "length": f"at most {_counted(shown.max_depth, 'moves')}, those of chance included",
        "payoffs": f"{_sum(shown)}, at most {_counted(shown.max_utility, shown.payoff_unit)}",
    }
    about = [tag("p", _first_sentence(shown.rules_text)), figures(sizes)]
    first = _first_decision(shown)
    observer = first.player if first.player >= 0 else 0
    drawn = scene_of(first, observer)
    words = tag("div", *about)
    if not drawn:
        return joined(title(type(shown).__name__, spec_of(shown)), words)
    seen = tag("p", f"what player {observer + 1} sees at a first decision", class_="soft")
    inside = tag("div", tag("div", drawn, seen), words, class_="side")
    return joined(title(type(shown).__name__, spec_of(shown)), inside)


def _counted(count: float, things: str) -> str:
    """A number of things; of one of them, without the s."""
    told = f"{count:,}" if isinstance(count, int) else number(float(count))
    return f"{told} {things.removesuffix('s') if told == '1' else things}"


def history(shown: History) -> Markup:
    """A history: its picture with all shown, the moves so far, and the legal ones."""
    moved = [(who(mover), name) for mover, name in named_moves(shown)]
    if shown.is_terminal:
        paid = ", ".join(number(value) for value in shown.returns())
        now = f"the game is over; payoffs {paid}"
    else:
        now = f"{who(shown.player)} to move" + _choices(shown)
    drawn = scene_of(shown, ALL_SEEING) or _texts(shown)
    told = table(("who", "move"), moved[-12:]) if moved else Markup()
    earlier = f"the last 12 of {len(moved)} moves" if len(moved) > 12 else ""
    beside = tag("div", told, tag("p", earlier, class_="soft") if earlier else Markup())
    return joined(
        title("History", spec_of(shown.game)),
        tag("div", drawn, beside, class_="side"),
        tag("p", now),
    )


def scene_of(shown: History, observer: int) -> Markup:
    """The picture of a history for an observer; nothing if the game has none, or a large one."""
    scene = scenes.scene_of(shown, observer)
    if scene is None:
        return Markup()
    drawn = picture(scene)
    return drawn if len(drawn) <= _LARGEST else Markup()


def named_moves(shown: History) -> list[tuple[int, str]]:
    """Who made each move of a history, and the name of the move."""
    found, before = [], History(shown.game)
    for move in shown.moves:
        found.append((before.player, move_name(before, move)))
        before = before.child(move)
    return found


def move_name(before: History, move: Move) -> str:
    """The name of a move that continues ``before``; those of all players for a joint one."""
    if isinstance(move, tuple):
        names = (before.game.action_name(before.state, p, a) for p, a in enumerate(move))
        return ", ".join(names)
    return before.game.action_name(before.state, before.player, move)


def spec_of(game: Game) -> str:
    """The name of a game as commands take it; of a game without one, what it prints as."""
    try:
        return game_spec(game)
    except HiddenhandError:
        return str(game)


def who(mover: int) -> str:
    """Who moves, in words."""
    others = {CHANCE: "chance", SIMULTANEOUS: "all", TERMINAL: "nobody"}
    return others.get(mover, f"player {mover + 1}")


def _choices(shown: History) -> str:
    if shown.player in (CHANCE, SIMULTANEOUS):
        return ""
    names = [move_name(shown, move) for move in shown.legal_actions()]
    listed = ", ".join(names[:12])
    return f": {listed}" + (f" and {len(names) - 12:,} more" if len(names) > 12 else "")


def _texts(shown: History) -> Markup:
    """What each player sees, in letters."""
    game = shown.game
    return table(
        ("player", "sees"),
        [
            (str(seat + 1), plain(game.render(shown.state, seat)))
            for seat in range(game.num_players)
        ],
    )


def _first_decision(shown: Game) -> History:
    """A history in which a player decides, after moves of chance that are drawn."""
    here, random = History(shown), np.random.default_rng(0)
    while here.player == CHANCE:
        here = here.child(here.sample_chance(random))
    return here


def _sum(shown: Game) -> str:
    if shown.zero_sum:
        return "zero-sum"
    return "general-sum" if shown.payoff_sum is None else f"of sum {number(shown.payoff_sum)}"


def _first_sentence(text: str) -> str:
    """The first sentence of rules, or its beginning if it is long."""
    sentence = summary(text)
    return sentence if len(sentence) <= _MOST_WORDS else sentence[:_MOST_WORDS].rstrip() + " ..."
