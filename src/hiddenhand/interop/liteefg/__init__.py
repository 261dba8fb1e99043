"""Files of LiteEFG, read and written without LiteEFG.

read_liteefg(path)         the game in a ``.game`` file; ``load_game("liteefg:FILE")`` does the same
write_liteefg(game, path)  a game of ours as such a file
"""

from hiddenhand.interop.liteefg.loading import read_liteefg, write_liteefg

__all__ = ["read_liteefg", "write_liteefg"]
