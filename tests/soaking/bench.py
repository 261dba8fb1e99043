"""What the steps of a soak work with: a folder, an environment, and commands that can be killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from signals import start

from hiddenhand.archives import load_arrays
from hiddenhand.search.table_search import TableSearch
from soaking.watching import MARK, PATIENCE, BreachError

HIDDENHAND = (sys.executable, "-m", "hiddenhand")
_SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
_ENDED = {
    signal.SIGKILL: {-signal.SIGKILL},
    # the negative one: it came before the command listened
    signal.SIGINT: {130, -signal.SIGINT},
    signal.SIGTERM: {143, -signal.SIGTERM},
}
_LONGEST = 600.0
_TIMES = ("seconds", "sha256")  # in headers of files; what depends on the machine's speed


@dataclass
class Bench:
    """What a step works with.

    folder: an empty folder for the step.
    environment: the environment of its processes.
    games: the games to choose from.
    counts: what was done so far, by what it is called.
    house: the server that lives as long as the soak.
    longest: the seconds within which a command is interrupted.
    """

    folder: Path
    environment: dict[str, str]
    games: Sequence[str]
    counts: Counter[str] = field(default_factory=Counter)
    house: Any = None
    longest: float = 2.0

    def answer(self, *words: object, **environment: str) -> dict[str, Any]:
        """What a command answers in JSON. Raises BreachError if it fails."""
        process = self._start(words, environment)
        out, err = process.communicate(timeout=_LONGEST)
        self.counts["commands"] += 1
        if process.returncode:
            raise BreachError(
                f"{_told(words)} ended with {process.returncode}: {err.strip()[-800:]}"
            )
        found: dict[str, Any] = json.loads(out)
        return found

    def refusal(self, *words: object, **environment: str) -> str:
        """What a command says that must be refused. Raises BreachError if it is not."""
        process = self._start(words, environment)
        _, err = process.communicate(timeout=_LONGEST)
        self.counts["commands"] += 1
        if process.returncode != 2 or "Traceback" in err:
            raise BreachError(
                f"{_told(words)} ended with {process.returncode}: {err.strip()[-800:]}"
            )
        return str(err).strip()

    def interrupt(
        self, words: Sequence[object], seconds: float, chooser: random.Random, **environment: str
    ) -> bool:
        """Start a command, and end it after so many seconds by a signal. Returns whether that
        came before its end. Raises BreachError if the command ends in no right way.
        """
        process = self._start(words, environment)
        number = chooser.choice(_SIGNALS)
        try:
            _, err = process.communicate(timeout=seconds)
            number = None
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            try:
                _, err = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise BreachError(f"{_told(words)} goes on after {number.name}") from None
        self.counts["commands"] += 1
        status = process.returncode
        if number is not None and status in _ENDED[number]:
            self.counts[f"ended by {number.name}"] += 1
            if status > 0 and "Traceback" in err:
                raise BreachError(f"{_told(words)}, ended by {number.name}, says {err[-800:]}")
            return True
        if status:
            how = "by itself" if number is None else f"after {number.name}"
            raise _ended(words, f"{status} {how}", err)
        return False

    def break_off(
        self,
        begin: Sequence[object],
        again: Sequence[object],
        kept: Path,
        chooser: random.Random,
        is_done: Callable[[], bool] = lambda: False,
    ) -> None:
        """Interrupt a command up to three times, and then let it come to its end.

        begin: the command.
        again: the command that continues it, which may be the same.
        kept: the file that shows that there is something to continue.
        is_done: whether there is nothing left to continue.
        """
        for left in range(chooser.randint(1, 3), -1, -1):
            if is_done():
                return
            command = again if kept.exists() else begin
            self.counts["resumed"] += kept.exists()
            if not left:
                self.answer(*command)
            elif not self.interrupt(command, self.longest * chooser.random(), chooser):
                return

    def timed_answer(self, *words: object) -> dict[str, Any]:
        """What a command answers. From now on interruptions come within the time that it took."""
        began = time.monotonic()
        found = self.answer(*words)
        self.longest = time.monotonic() - began
        return found

    def _start(self, words: Sequence[object], environment: dict[str, str]) -> subprocess.Popen[str]:
        return start(
            [*HIDDENHAND, *words],
            env=self.environment | environment,
            cwd=self.folder,
            start_new_session=True,
        )


Step = Callable[[Bench, random.Random], str]
"""A kind of step. It returns what it did, in words. Raises BreachError if something is wrong."""


def environment(folder: Path, mark: str, cache: Path) -> dict[str, str]:
    """The environment of a soak's processes: nothing of theirs is outside its folder."""
    return os.environ | {
        MARK: mark,
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "HIDDENHAND_CACHE": str(cache),
        "HIDDENHAND_DATA": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
    }


def contents(file: Path) -> list[Any]:
    """What a file holds of a search, without times."""
    header, arrays = load_arrays(file, TableSearch.ANY_FILE)
    kept = {name: value for name, value in header.items() if name not in _TIMES}
    return [kept, *((name, arrays[name].tobytes()) for name in sorted(arrays))]


def demand(condition: bool, what: str) -> None:
    """Raise BreachError, which says ``what``, unless a condition holds."""
    if not condition:
        raise BreachError(what)


def _ended(words: Sequence[object], status: object, said: str) -> BreachError:
    return BreachError(f"{_told(words)} ended with {status}: {said.strip()[-800:]}")


def _told(words: Sequence[object]) -> str:
    return f"hiddenhand {' '.join(map(str, words))}"
