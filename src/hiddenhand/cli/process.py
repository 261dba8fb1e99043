"""The command line as a process: its streams, the signals it gets, and how it ends.

Ctrl-C (SIGINT) and SIGTERM end long work, which keeps what was done. Python delivers a signal only
between its own instructions, so machine code that never returns, such as a rule with an endless
loop, cannot be ended that way. Therefore a thread listens, too: when a second signal comes while
the first has not been delivered, the process ends at once.

Where Python code is called from C, as it is while Numba compiles, exceptions are lost, or turn into
others: a signal that came there is sent again.
"""

import codecs
import contextlib
import os
import select
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError

REFUSED: Final = 2
"""The exit status where something was wrong with what was typed, or with where it was to be read
from or written to.
"""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_AGAIN: Final = 0.05  # seconds after which a signal that was lost is sent again
_SILENCE: Final = 1.0  # seconds after which it is said that a signal has not been delivered
_ENOUGH: Final = 2  # signals that have not been delivered end the process
_DELIVERED: Final = b"\0"  # is the number of no signal
_PATIENCE: Final = 0.5  # seconds in which a first signal may come through after a second came
_CALLED_BY_COMPILED_CODE: Final = ("_numba_unpickle",)  # by name: Numba may not be loaded
_PLAIN_LETTERS: Final = {"█": "#", "±": "+-", "…": "...", "–": "-", "’": "'"}


def run(command: Callable[[], object]) -> int:
    """Call ``command`` and return the exit status. What goes wrong is said in one sentence on
    standard error.
    """
    try:
        _open_streams()
        with _Signals() as signals:
            try:
                with warnings.catch_warnings():
                    warnings.showwarning = _show_warning  # without the line of code that warns
                    status, sentence = _call(command)
            except Exception:  # Numba raises what it likes after a signal was lost in it
                if signals.lost:
                    return signals.status(INTERRUPTED)
                raise
            if signals.lost:  # then what failed is what it came in between
                return signals.status(INTERRUPTED)
            if sentence is not None:
                _say(sentence)
            return signals.status(status)
    except HiddenhandError as error:
        _say(error)
        return REFUSED
    except KeyboardInterrupt:  # in the instant in which it ended anyway
        return INTERRUPTED


def _call(command: Callable[[], object]) -> tuple[int, object]:
    """The exit status, and what there is to say."""
    try:
        status = _status_of(command)
        sys.stdout.flush()  # says now if there is no room
        return status, None
    except HiddenhandError as error:
        return REFUSED, error
    except MemoryError:
        return (
            REFUSED,
            "there is not enough memory for that; allow less, with --memory or --max-histories, "
            "or name a smaller game",
        )
    except KeyboardInterrupt:
        return INTERRUPTED, None
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        _discard_output()
        return 1, None
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:  # no folder to be in
            return REFUSED, HiddenhandError(
                "the folder you are in does not exist any more; change to another"
            )
        _discard_output()
        where = "standard output" if error.filename is None else str(error.filename)
        return REFUSED, HiddenhandError(f"{where} cannot be used: {error.strerror or error}")


def _status_of(command: Callable[[], object]) -> int:
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _show_warning(message: Warning | str, *place: Any, **more: Any) -> None:
    _say(message)


def _say(sentence: object) -> None:
    with contextlib.suppress(OSError, ValueError):  # nobody listens
        sys.stderr.write(f"hiddenhand: {sentence}\n")
        sys.stderr.flush()


# --- streams ---


def _open_streams() -> None:
    """Open what was closed before we began, and never fail over a letter that a stream's encoding
    lacks. Raises HiddenhandError without an output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # this takes the lowest number that is free, which no other file may come to have
            os.open(os.devnull, os.O_RDWR)
    codecs.register_error("hiddenhand", _in_plain_letters)
    closed = sys.stdout is None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, PTH123 - open to the end
        if reconfigure := getattr(getattr(sys, name), "reconfigure", None):
            reconfigure(errors="replace" if mode == "r" else "hiddenhand")
    if closed:
        raise HiddenhandError(
            "standard output is closed, so there is nowhere to answer; send it to a file, or to "
            "/dev/null"
        )


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """What stands for letters that an encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        _PLAIN_LETTERS.get(letter, "?") for letter in error.object[error.start : error.end]
    ), error.end


def _discard_output() -> None:
    """Nothing more can be written; what still waits to be must not fail again when the process
    ends.
    """
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


# --- signals ---


class _Signals:
    """While in its ``with`` statement, the signals that end a process raise KeyboardInterrupt,
    those that the process was started to ignore apart.
    """

    def __init__(self) -> None:
        self._numbers: tuple[int, ...] = ()
        if threading.current_thread() is threading.main_thread():  # others may not ask for signals
            self._numbers = tuple(
                number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN
            )
        self._last = int(signal.SIGINT)  # the signal that came last
        self._sent_again: threading.Timer | None = None

    @property
    def lost(self) -> bool:
        """Whether the last signal was lost, and not delivered since."""
        return self._sent_again is not None

    def __enter__(self) -> "_Signals":
        self._before = {number: signal.signal(number, self._deliver) for number in self._numbers}
        self._hook_before, sys.unraisablehook = sys.unraisablehook, self._see_lost
        if self._numbers:
            self._ears, self._mouth = socket.socketpair()
            self._mouth.setblocking(False)
            self._mouth_before = signal.set_wakeup_fd(
                self._mouth.fileno(), warn_on_full_buffer=False
            )
            self._listener = threading.Thread(target=self._listen, daemon=True)
            self._listener.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._sent_again is not None:
            self._sent_again.cancel()
        sys.unraisablehook = self._hook_before
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._numbers:
            signal.set_wakeup_fd(self._mouth_before)
            self._mouth.close()
            self._listener.join()
            self._ears.close()

    def status(self, status: int) -> int:
        """An exit status; for work that was interrupted, the one that tells by what."""
        return 128 + self._last if status == INTERRUPTED else status

    def _deliver(self, number: int, frame: Any) -> None:
        self._last, self._sent_again = number, None
        with contextlib.suppress(OSError):  # so many signals that there is no room to tell
            self._mouth.send(_DELIVERED)
        if cannot_raise(frame):
            self._send_again()
            return
        raise KeyboardInterrupt

    def _see_lost(self, lost: Any) -> None:
        """Called instead of raising what nobody can catch."""
        if lost.exc_type is not KeyboardInterrupt:
            self._hook_before(lost)
            return
        self._send_again()

    def _send_again(self) -> None:
        self._sent_again = threading.Timer(
            clock.timeout(_AGAIN), os.kill, (os.getpid(), self._last)
        )
        self._sent_again.daemon = True
        self._sent_again.start()

    def _listen(self) -> None:
        """What the thread does. Python has each signal's number written as it arrives, and
        `_deliver` writes a mark. So the order tells which signals have not been delivered, however
        late this thread reads them.
        """
        undelivered, number = 0, int(signal.SIGINT)
        until: float | None = None
        while True:
            wait = None if until is None else clock.timeout(max(0.0, until - clock.now()))
            if not select.select([self._ears], [], [], wait)[0]:
                until = None
                _tell_of(undelivered, number)
                continue
            read = self._ears.recv(1)
            if not read:
                return
            if read == _DELIVERED:
                undelivered, until = 0, None
            elif read[0] in self._numbers:
                undelivered, number = undelivered + 1, read[0]
                if undelivered <= _ENOUGH:
                    until = clock.now() + (_PATIENCE if undelivered == _ENOUGH else _SILENCE)


def cannot_raise(frame: Any) -> bool:
    """Whether code runs that compiled code calls without a look at whether it raises something."""
    while frame is not None:
        if frame.f_code.co_name in _CALLED_BY_COMPILED_CODE:
            return True
        frame = frame.f_back
    return False


def _tell_of(undelivered: int, number: int) -> None:
    """Say that signals wait to be delivered; end the process where there are enough of them.

    undelivered: how many there are.
    number: the last of them.
    """
    if undelivered < _ENOUGH:
        _say(
            "waiting for compiled code to return; Ctrl-C again ends at once, and what was not yet "
            "kept is lost"
        )
        return
    _show_cursor()
    _say("ended at once, because what ran would not stop; what was not yet kept is lost")
    os._exit(128 + number)


def _show_cursor() -> None:
    """The lines that show progress hide it."""
    if sys.stderr.isatty():
        sys.stderr.write("\x1b[?25h")
