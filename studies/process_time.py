"""Work that counts the seconds of its processor, whatever other processes do meanwhile."""

import time
from typing import Final

from hiddenhand.evaluation.tracing import Advance
from hiddenhand.progress import SILENT, Progress

now: Final = time.process_time
_PIECES: Final = 50
"""How many pieces seconds are divided into at least."""


def by_process_time(advance: Advance) -> Advance:
    """The same work, with seconds of the processor in place of those that pass."""

    def advanced(
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        if seconds is None:
            advance(iterations=iterations, progress=progress)
            return
        spent, piece = 0.0, 1
        while spent < seconds:
            began = now()
            advance(iterations=piece)
            took = now() - began
            spent += took
            longest = min(seconds / _PIECES, seconds - spent)
            piece = max(1, min(2 * piece, int(piece * longest / max(took, 1e-7))))

    return advanced
