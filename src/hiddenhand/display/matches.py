"""Matches and tournaments: moves with pictures that unfold, and heat maps."""

from typing import Final

from hiddenhand.display.games import move_name, scene_of, spec_of, who
from hiddenhand.display.parts import (
    Markup,
    bar,
    heat,
    joined,
    number,
    player_colour,
    table,
    tag,
    title,
)
from hiddenhand.games.base import ALL_SEEING, CHANCE
from hiddenhand.games.history import History
from hiddenhand.matches.match import MatchRecord
from hiddenhand.matches.ranking import TournamentRecord
from hiddenhand.matches.ratings import mean_leads
from hiddenhand.trees.tree import describe

_MOST_MOVES: Final = 60
_SAID: Final = (
    "mean lead of the row's player over the column's, in all seats",
    "mean payoff of the row's player, who sits in the first seat",
)
"""What the heat map shows, for more than two players and for two."""
_MOST_DRAWN: Final = 120_000  # characters of all pictures together


def match(shown: MatchRecord) -> Markup:
    """A match: its moves, each with a picture that unfolds, and its end."""
    here, rows, room = History(shown.game), [], _MOST_DRAWN
    decisions = [iter(made) for made in shown.decisions]
    for place, move in enumerate(shown.moves):
        mover, after = here.player, here.child(move)
        if place < _MOST_MOVES:
            chance = Markup()
            if mover != CHANCE:
                policy, taken = next(decisions[mover]).policy, here.legal_actions().index(move)
                chance = bar(policy[taken], player_colour(mover)) if policy else Markup()
            drawn = scene_of(after, ALL_SEEING) if room > 0 else Markup()
            room -= len(drawn)
            row = _unfolding(move_name(here, move), _seen(here), drawn)
            rows.append([str(place + 1), who(mover), row, chance])
        here = after
    paid = ", ".join(f"player {seat + 1} {number(pay)}" for seat, pay in enumerate(shown.returns))
    listed = table(("", "who", "move", "probability"), rows, len(shown.moves) - _MOST_MOVES)
    said = tag("p", f"payoffs: {paid}")
    end = scene_of(here, ALL_SEEING)
    inside = tag("div", listed, tag("div", end, said), class_="side")
    return joined(title("MatchRecord", spec_of(shown.game)), inside)


def _seen(here: History) -> str | None:
    """What the player to move sees, for the words that appear where a mouse rests."""
    return None if here.player < 0 else describe(here).information


def _unfolding(name: str, seen: str | None, drawn: Markup) -> Markup:
    """The name of a move, with the picture after it."""
    if not drawn:
        return tag("span", name, title=seen)
    return tag("details", tag("summary", name, title=seen), drawn)


def tournament(shown: TournamentRecord) -> Markup:
    """A tournament: the ranking, and the mean payoff of each player against each other one."""
    ranks = [
        (str(place), one.player, f"{one.points:.1%}", f"{one.payoff}", one.matches)
        for place, one in enumerate(shown.ranking, 1)
    ]
    played = sum(len(pairing.played) for pairing in shown.table)
    return joined(
        title("TournamentRecord", f"{shown.question.game}, {played:,} matches"),
        table(("place", "player", "points", "mean payoff", "matches"), ranks),
        tag("p", _SAID[_is_of_two(shown)], class_="soft"),
        _heat_map(shown),
    )


def _is_of_two(shown: TournamentRecord) -> bool:
    """Whether the game is for two players."""
    return all(len(pairing.players) == 2 for pairing in shown.table)


def _heat_map(shown: TournamentRecord) -> Markup:
    names = [one.player for one in shown.ranking] or list(shown.question.players)
    played = [pairing for pairing in shown.table if pairing.played]
    scores = (
        {(pairing.first, pairing.second): pairing.score().payoff for pairing in played}
        if _is_of_two(shown)
        else mean_leads(played)
    )
    most = max((abs(payoff.value) for payoff in scores.values()), default=0.0)
    rows = []
    for row in names:
        cells = []
        for column in names:
            payoff = scores.get((row, column))
            if payoff is None:
                cells.append(heat(None, most))
            else:
                spread = f"{number(payoff.low)} to {number(payoff.high)}"
                cells.append(heat(payoff.value, most, number(payoff.value), spread))
        rows.append([tag("th", row), *cells])
    return table(("", *names), rows)
