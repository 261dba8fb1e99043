"""The mean payoffs of each pair of players in a tournament: `draw_payoffs`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.players.ranking import TournamentRecord
from hiddenhand.players.ratings import mean_leads
from hiddenhand.players.tournament import Pairing, Tournament
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
    names = list(dict.fromkeys([*(row for row, _ in paid), *(column for _, column in paid)]))
    matrix = np.full((len(names), len(names)), np.nan)
    figure, axes = new_figure(2.2 + 1.1 * len(names), 1.2 + 0.75 * len(names))
    for (first, second), payoff in paid.items():
        row, column = names.index(first), names.index(second)
        matrix[row, column] = payoff.value
        _, _, spread = f"{payoff}".partition(" ")
        told = f"{payoff.value:.3g}\n{spread}".strip()
        axes.text(column, row, told, ha="center", va="center", fontsize=8)
    most = _PALE * (float(np.nanmax(np.abs(matrix))) or 1.0)
    axes.imshow(matrix, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set(title=title, **_AXES[is_of_two])
    return figure
