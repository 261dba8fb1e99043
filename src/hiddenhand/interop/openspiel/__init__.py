"""OpenSpiel and this package, both ways: their games here, our games and players there.

    from_openspiel(game)     a game of OpenSpiel as a game of this package

``load_game("openspiel:liars_dice(numdice=2)")`` does the same by name, on the command line too.
"""

from hiddenhand.interop.openspiel.loading import from_openspiel

__all__ = ["from_openspiel"]
