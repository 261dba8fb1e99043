"""Turns at the processors."""

import threading
import time

import pytest
from table_pages import wait_until

from hiddenhand.web.cpu_share import Line, Turn
from hiddenhand.web.match import Gate


def nothing() -> None:
    pass


def test_as_many_as_there_is_room_for() -> None:
    line, most, now = Line(2), [0], [0]
    lock = threading.Lock()

    def think() -> None:
        turn = Turn(nothing, line)
        turn.take()
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with lock:
            now[0] -= 1
        turn.give()

    threads = [threading.Thread(target=think) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [2]


def test_who_has_thought_for_a_while_lets_others_think(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hiddenhand.web.cpu_share._SLICE", 0.0)
    line, done = Line(1), threading.Event()
    first = Turn(nothing, line)
    first.take()
    first.share()  # nobody waits

    def think() -> None:
        second = Turn(nothing, line)
        second.take()
        done.set()
        second.give()

    thread = threading.Thread(target=think)
    thread.start()
    wait_until(lambda: not line.is_empty)
    assert not done.is_set()
    first.share()
    assert done.is_set()
    first.give()
    thread.join()


def test_who_waits_at_a_closed_gate_does_not_keep_others_waiting() -> None:
    """A match without pages may wait in line; the line goes on."""
    gate, line = Gate(), Line(1)
    first = Turn(nothing, line)
    first.take()
    gate.set_open(False)
    waiting = threading.Thread(target=Turn(gate.verify, line).take, daemon=True)
    waiting.start()
    wait_until(lambda: not line.is_empty)
    time.sleep(0.1)  # it looks at the gate meanwhile
    first.give()  # would wait for ever if the gate were waited at with the line in hand
    waiting.join(10)
    assert not waiting.is_alive()


def test_who_is_told_to_stop_leaves_the_line() -> None:
    line = Line(0)

    def stop() -> None:
        raise StopIteration

    with pytest.raises(StopIteration):
        Turn(stop, line).take()
    assert line.is_empty
