"""Texts, files, messages and addresses that nobody would write: near to what can be read, and far
from it. Each parser must read them, or refuse them in a sentence. See ``scripts/fuzz``.
"""
