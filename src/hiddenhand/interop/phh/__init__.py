"""Hands of limit Hold'em in the poker hand history format (PHH), read and written without PokerKit.

read_hands(path)                  the hands of a ``.phh`` or ``.phhs`` file
write_hands(path, histories, ...) hands of ours as such a file
hand_text(history, ...)           one hand as text

The format is TOML, which Python reads itself. PokerKit would be a large dependency for that, and
replays a hand by its own rules, where we replay it by ours.
"""

from hiddenhand.interop.phh.reading import Hand, parse_hands, read_hands
from hiddenhand.interop.phh.writing import hand_text, write_hands

__all__ = ["Hand", "hand_text", "parse_hands", "read_hands", "write_hands"]
