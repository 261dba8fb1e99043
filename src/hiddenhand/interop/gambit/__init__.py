"""Files of Gambit, read and written without Gambit.

read_efg(path)         the game in an ``.efg`` file; ``load_game("efg:FILE")`` does the same
write_efg(game, path)  a game of ours as such a file
write_nfg(game, path)  its reduced normal form
"""

from hiddenhand.interop.gambit.loading import read_efg, read_nfg, write_efg, write_nfg

__all__ = ["read_efg", "read_nfg", "write_efg", "write_nfg"]
