"""OpenSpiel and this package, both ways: their games here, our games, strategies and players there.

    from_openspiel(game)               a game of OpenSpiel as a game of this package
    pyspiel.load_game("hiddenhand", {"game": "goofspiel(num_cards=4)"})
                                       a game of ours there; importing this package registers it
    to_tabular_policy(strategy, game)  a strategy of ours as a policy of OpenSpiel
    from_policy(policy, game)          and back
    HiddenhandBot(game, seat, "oos")   a player of ours as a bot of OpenSpiel

``load_game("openspiel:liars_dice(numdice=2)")`` loads a game of OpenSpiel by name, on the command
line too.

OpenSpiel is the optional extra ``openspiel``. Importing this package without it raises OptionError.
"""

from hiddenhand.interop.openspiel.loading import from_openspiel
from hiddenhand.interop.openspiel.peer import openspiel

openspiel()

from hiddenhand.interop.openspiel.bots import HiddenhandBot  # noqa: E402 - needs OpenSpiel
from hiddenhand.interop.openspiel.ours import register  # noqa: E402
from hiddenhand.interop.openspiel.policies import from_policy, to_tabular_policy  # noqa: E402

register()

__all__ = ["HiddenhandBot", "from_openspiel", "from_policy", "to_tabular_policy"]
