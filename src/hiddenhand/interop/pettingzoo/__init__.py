"""Our games as environments of PettingZoo, for programs that learn.

    env(game)           agents move one after the other (the AEC API)
    parallel_env(game)  all agents move at once, in games with simultaneous moves

PettingZoo and Gymnasium are the optional extra ``pettingzoo``. Importing this package without them
raises OptionError.
"""

from importlib.util import find_spec

from hiddenhand.errors import OptionError

for _library in ("pettingzoo", "gymnasium"):
    if find_spec(_library) is None:
        raise OptionError(
            f"environments need the library {_library}, which is not installed; install "
            "hiddenhand[pettingzoo]"
        )

from hiddenhand.interop.pettingzoo.rounds import parallel_env  # noqa: E402 - needs PettingZoo
from hiddenhand.interop.pettingzoo.turns import env  # noqa: E402

__all__ = ["env", "parallel_env"]
