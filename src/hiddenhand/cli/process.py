"""The command line as a process: its streams, the signals it gets, and how it ends.

Ctrl-C (SIGINT) and SIGTERM end long work, which keeps what was done. Python delivers a signal only
between its own instructions. So a signal cannot end machine code that never returns, such as a rule
with an endless loop. Therefore a thread listens, too: if a second signal comes before Python has
delivered the first one, the process ends at once.

While Numba compiles, C calls Python code. Exceptions are lost there, or turn into others. A signal
that comes at that moment is sent again.
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
from hiddenhand.systems import interrupt_this_process

REFUSED: Final = 2
"""The exit status for wrong arguments, and for files that cannot be read or written."""

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""

_ENDING: Final = (signal.SIGINT, signal.SIGTERM)
_AGAIN: Final = 0.05  # seconds after which a signal that was lost is sent again
_SILENCE: Final = 1.0  # seconds after which the user gets a message that a signal was not delivered
_ENOUGH: Final = 2  # signals that have not been delivered end the process
_DELIVERED: Final = b"\0"  # is the number of no signal
_PATIENCE: Final = 0.5  # seconds in which a first signal may come through after a second came
_CALLED_BY_COMPILED_CODE: Final = ("_numba_unpickle",)  # by name: Numba may not be loaded
_PLAIN_LETTERS: Final = {"█": "#", "±": "+-", "…": "...", "–": "-", "’": "'"}


def run(command: Callable[[], object]) -> int:
    """Call ``command`` and return the exit status. An error prints one sentence on standard
    error.
    """
    try:
        return _ended(command)
    finally:
        # Python remembers a KeyboardInterrupt that left a text run by exec, as namedtuple does, and
        # ends the process by SIGINT, whatever its exit status. The next text makes it forget.
        exec("")


def _ended(command: Callable[[], object]) -> int:
    """Call ``command`` and return the exit status."""
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
            if signals.lost:  # the signal made the command fail
                return signals.status(INTERRUPTED)
            if sentence is not None:
                _say(sentence)
            return signals.status(status)
    except HiddenhandError as error:
        _say(error)
        return REFUSED
    except KeyboardInterrupt:  # it came when the command had ended
        return INTERRUPTED


def _call(command: Callable[[], object]) -> tuple[int, object]:
    """Call ``command`` and return the exit status, and the message for standard error, if any."""
    try:
        status = _status_of(command)
        sys.stdout.flush()  # raises now if the disk is full
        return status, None
    except HiddenhandError as error:
        return REFUSED, error
    except MemoryError:
        return (
            REFUSED,
            "there is not enough memory; set a lower limit with --memory or "
            "--max-histories, or name a smaller game",
        )
    except KeyboardInterrupt:
        return INTERRUPTED, None
    except BrokenPipeError:  # the reader, `head` perhaps, has seen enough
        _discard_output()
        return 1, None
    except OSError as error:
        if isinstance(error, FileNotFoundError) and error.filename is None:  # no folder to be in
            return REFUSED, HiddenhandError(
                "the current folder does not exist any more; change to another"
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
    with contextlib.suppress(OSError, ValueError):  # standard error is closed
        sys.stderr.write(f"hiddenhand: {sentence}\n")
        sys.stderr.flush()


# --- streams ---


def _open_streams() -> None:
    """Open the standard streams that the parent process closed, and replace letters that their
    encodings lack. Raises HiddenhandError if standard output is closed.
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
            "standard output is closed, so the answer cannot be printed; send it to a file, or to "
            "/dev/null"
        )


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Return a replacement for letters that an encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(
        _PLAIN_LETTERS.get(letter, "?") for letter in error.object[error.start : error.end]
    ), error.end


def _discard_output() -> None:
    """Send standard output to nowhere. Text that still waits there must not fail again when the
    process ends.
    """
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


# --- signals ---


class _Signals:
    """A context in which the signals that end a process raise KeyboardInterrupt. Signals that the
    parent process set to be ignored stay ignored.
    """

    def __init__(self) -> None:
        self._numbers: tuple[int, ...] = ()
        if (
            threading.current_thread() is threading.main_thread()
        ):  # other threads may not handle signals
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
        """Return an exit status; for interrupted work, the one that names the signal."""
        return 128 + self._last if status == INTERRUPTED else status

    def _deliver(self, number: int, frame: Any) -> None:
        self._last, self._sent_again = number, None
        with contextlib.suppress(OSError):  # too many signals; the pipe is full
            self._mouth.send(_DELIVERED)
        if cannot_raise(frame):
            self._send_again()
            return
        raise KeyboardInterrupt

    def _see_lost(self, lost: Any) -> None:
        """Handle an exception that no code can catch. Python calls this instead of raising it."""
        if lost.exc_type is not KeyboardInterrupt:
            self._hook_before(lost)
            return
        self._send_again()

    def _send_again(self) -> None:
        self._sent_again = threading.Timer(
            clock.timeout(_AGAIN), interrupt_this_process, (self._last,)
        )
        self._sent_again.daemon = True
        self._sent_again.start()

    def _listen(self) -> None:
        """Count the signals that were not delivered, in a thread of its own. Python writes each
        signal's number to a socket as it arrives, and `_deliver` writes a mark. So their order
        shows which signals were not delivered, however late this thread reads them.
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
    """Whether compiled code has called the running code, and ignores its exceptions."""
    while frame is not None:
        if frame.f_code.co_name in _CALLED_BY_COMPILED_CODE:
            return True
        frame = frame.f_back
    return False


def _tell_of(undelivered: int, number: int) -> None:
    """Tell the user that signals wait to be delivered. End the process if there are enough.

    undelivered: the number of signals that wait.
    number: the last of them.
    """
    if undelivered < _ENOUGH:
        _say(
            "waiting for compiled code to return; Ctrl-C again ends at once, and loses unsaved work"
        )
        return
    _show_cursor()
    _say("ended at once, because the running code did not stop; unsaved work is lost")
    os._exit(128 + number)


def _show_cursor() -> None:
    """Show the cursor again, which lines of progress hide."""
    if sys.stderr.isatty():
        sys.stderr.write("\x1b[?25h")
