"""``python -m hiddenhand``, the same as the command ``hiddenhand``."""

from hiddenhand.cli.program import start

if __name__ == "__main__":
    start()
