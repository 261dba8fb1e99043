"""The search that chooses among all others: the best play for the time given, in any game, without
anybody having to say how.
"""
