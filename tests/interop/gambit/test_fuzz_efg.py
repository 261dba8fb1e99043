"""Whatever text there is: it is read as a game of Gambit, or refused in a sentence. What is read is
written again as it was.

``scripts/fuzz`` tries more cases, and others each time.
"""

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hiddenhand.errors import FileError
from hiddenhand.interop.gambit.converting import game_of_form
from hiddenhand.interop.gambit.reading import parse_efg
from hiddenhand.interop.gambit.writing import efg_text

CASES = int(os.environ.get("HIDDENHAND_FUZZ_CASES", "300"))
PARTS = (
    *('EFG 2 R "t" { "1" "2" }', '"c"', 'c "" 1 "" { "a" 1/2 "b" .5 } 0', 'c "" 1 0'),
    *('p "" 1 1 "" { "x" "y" } 0', 'p "" 1 1 0', 'p "n" 2 1 "s" { "m" } 1 "o" { 1, -1 }'),
    *('p "" 2 1 0', 't "" 1 "" { 1 2 }', 't "" 2 "" { 5e-1, 1/3 }', 't "" 0', 't "" 1'),
    *("{", "}", ",", "1/0", "-", '"', "\\", "99999999999", "\n", "q"),
)


@settings(
    max_examples=CASES,
    deadline=None,
    derandomize="HIDDENHAND_FUZZ_CASES" not in os.environ,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(st.sampled_from(PARTS), max_size=12), st.text(max_size=5), st.booleans())
def test_any_text_is_read_or_refused(parts: list[str], more: str, headed: bool) -> None:
    text = " ".join([PARTS[0], *parts] if headed else [*parts, more])
    form, refusal = told(lambda: parse_efg(text))
    assert "\n" not in refusal
    if form is not None:
        assert parse_efg(efg_text(form)) == form
        assert "\n" not in told(lambda: game_of_form(form))[1]


def told(read: Callable[[], Any]) -> tuple[Any, str]:
    """What is read, or None and the sentence that refuses it."""
    try:
        return read(), ""
    except FileError as error:
        return None, str(error)
