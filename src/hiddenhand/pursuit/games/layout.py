"""The layout of the state of `VisibilityPursuit`, and the names of its players and tokens."""

from typing import Final

EVADER: Final = 0
"""The player who steers the evader; and the number of the evader among the units."""
PURSUERS: Final = 1
"""The player who steers the pursuing units, which are the units 1, 2, ..."""
NOT_IN_SIGHT: Final = 1
"""The token for pursuers who do not see the evader."""

# Indices of the state. Behind the nodes of the units lie, at indices that the game names: where and
# when each unit was seen last by the other side; PP_P as words of bits; and room for as many words.
TIME: Final = 0
"""How many moves were made."""
PLACED: Final = 1
"""How many units have a start."""
SUM: Final = 2
"""The sizes of PP_P after each move, added up."""
SEEN: Final = 3
"""How often the evader was in sight, the start included."""
SIZE: Final = 4
"""The size of PP_P."""
NODES: Final = 5
"""The node of each unit, the evader's first."""
