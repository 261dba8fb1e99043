"""Pursuit with limited sight: its games, searches, players and films."""
