"""The soak: a program that uses the package at random for a long time, and looks for leaks, for
files that are left or half written, and for results that a kill changed. See ``scripts/soak``.
"""
