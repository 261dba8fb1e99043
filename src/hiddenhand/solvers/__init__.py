"""Solvers of games that are written out: CFR and its family, linear programs, bounds."""
