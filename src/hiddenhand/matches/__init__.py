"""Matches, tournaments and their results: games between players, and what they show."""
