"""Tables of each pair of players in a tournament: `draw_payoffs` and `draw_win_rates`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.matches.ranking import TournamentRecord
from hiddenhand.matches.ratings import mean_leads
from hiddenhand.matches.tournament import Pairing, Tournament
from hiddenhand.plots.figures import new_figure, save, verify_picture

_AXES: Final = (
    {"xlabel": "behind by so much on average", "ylabel": "ahead, in all seats"},
    {"xlabel": "second seat", "ylabel": "first seat"},
)
"""The names of the axes, for more than two players and for two."""
_PALE: Final = 1.6
"""The end of the colour scale, in largest payoffs. Paler colours keep numbers readable."""


def draw_payoffs(
    tournament: TournamentRecord | Tournament | Sequence[Pairing],
    path: Path | str,
    title: str = "",
) -> None:
    """Write a picture of the payoff matrix. The player of a row sits in the first seat. A field has
    the player's mean payoff against the player of the column, with the 95 % interval. The field of
    two players that did not meet is empty. In a game for more than two players, a field has the
    mean lead of the player of the row over that of the column, in all seats.

    tournament: the tournament, or its pairings.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.
    title: the title above the picture.

    Raises OptionError if nothing was played or matplotlib is not installed, and FileError if the
    picture cannot be written.
    """
    verify_picture(path)
    save(payoffs_figure(tournament, title), path)


def payoffs_figure(
    tournament: TournamentRecord | Tournament | Sequence[Pairing], title: str = ""
) -> Any:
    """The figure of `draw_payoffs`."""
    if isinstance(tournament, Tournament):
        tournament = tournament.pairings()
    pairings = tournament.table if isinstance(tournament, TournamentRecord) else tournament
    played = [pairing for pairing in pairings if pairing.played]
    if not played:
        raise OptionError("no match was played, so there is nothing to draw; run the tournament")
    is_of_two = all(len(pairing.players) == 2 for pairing in played)
    paid = (
        {(pairing.first, pairing.second): pairing.score().payoff for pairing in played}
        if is_of_two
        else mean_leads(played)
    )
    most = _PALE * (max(abs(payoff.value) for payoff in paid.values()) or 1.0)
    fields = {
        pair: (payoff.value, f"{payoff.value:.3g}\n{f'{payoff}'.partition(' ')[2]}".strip())
        for pair, payoff in paid.items()
    }
    figure, axes, _ = _table(fields, -most, most)
    axes.set(title=title, **_AXES[is_of_two])
    return figure


def draw_win_rates(pairings: Sequence[Pairing], path: Path | str, title: str = "") -> None:
    """Write a picture of the win rates of players in the first seat, with their 95 % intervals. A
    draw is half a win.

    pairings: the matches of each two players and order of seats.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.
    title: the title above the picture.

    Raises OptionError for games of more players, or if matplotlib is not installed, and FileError
    if the picture cannot be written.
    """
    verify_picture(path)
    if any(len(pairing.players) != 2 for pairing in pairings):
        raise OptionError(
            "the table of win rates is for games of two players; draw the mean leads with "
            "hiddenhand.plots.draw_payoffs"
        )
    rates = {
        (pairing.first, pairing.second): pairing.score().win_rate
        for pairing in pairings
        if pairing.played
    }
    fields = {
        pair: (rate.value, f"{rate.value:.1%}\n{rate.low:.1%} to {rate.high:.1%}")
        for pair, rate in rates.items()
    }
    figure, axes, image = _table(fields, 0.0, 1.0)
    axes.set(title=title, **_AXES[True])
    figure.colorbar(image, ax=axes, label="win rate in the first seat, a draw is half a win")
    save(figure, path)


def _table(
    fields: Mapping[tuple[str, str], tuple[float, str]], low: float, high: float
) -> tuple[Any, Any, Any]:
    """A figure with a coloured field for each two players, its axes, and its image.

    fields: by the players of row and column, the number that gives the colour, and the text.
    low, high: the ends of the colour scale.
    """
    names = list(dict.fromkeys([*(row for row, _ in fields), *(column for _, column in fields)]))
    matrix = np.full((len(names), len(names)), np.nan)
    figure, axes = new_figure(2.2 + 1.1 * len(names), 1.2 + 0.75 * len(names))
    for (first, second), (value, told) in fields.items():
        row, column = names.index(first), names.index(second)
        matrix[row, column] = value
        colour = "white" if abs(value - (low + high) / 2) > 0.32 * (high - low) else "black"
        axes.text(column, row, told, ha="center", va="center", color=colour, fontsize=8)
    image = axes.imshow(matrix, cmap="RdBu", vmin=low, vmax=high, aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    return figure, axes, image
