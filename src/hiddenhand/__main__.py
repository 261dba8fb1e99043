"""``python -m hiddenhand``, the same as the command ``hiddenhand``."""

from hiddenhand.cli.main import main

if __name__ == "__main__":
    main()
