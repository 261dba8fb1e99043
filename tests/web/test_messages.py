"""What a page may say, and that all else is refused with a sentence."""

import pytest

from hiddenhand.errors import ProtocolError
from hiddenhand.web.messages import LARGEST, read_message


def test_a_message() -> None:
    said = read_message('{"type":"act","turn":2,"action":1}')
    assert said == {"type": "act", "turn": 2, "action": 1}
    assert read_message('{"type":"hello"}') == {
        "type": "hello",
        "place": None,
        "token": None,
        "play": None,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must be a JSON object"),
        ("[" * 8000, "must be a JSON object"),
        ("[1]", "must be a JSON object with a type"),
        ('{"type":"dance"}', "there is no message of type 'dance'"),
        ('{"type":"act","turn":1}', "action=None is not allowed; give an integer"),
        ('{"type":"act","turn":true,"action":1}', "turn=True is not allowed"),
        ('{"type":"act","turn":1,"action":1,"more":2}', "has no field 'more'"),
        ('{"type":"open","game":"Kuhn","players":"auto","seconds":1}', "give a list of 1 to 10"),
        ('{"type":"open","game":"Kuhn","players":[1],"seconds":1}', "give a text"),
        ('{"type":"open","game":"Kuhn","players":["auto"],"seconds":NaN}', "JSON object"),
        ('{"type":"open","game":"Kuhn","players":["auto"],"seconds":1e999}', "give a number"),
        ('{"type":"type","turn":0,"text":"\\u0000"}', "give a text"),
        ('{"type":"think","slot":2,"player":"oos","seconds":1}', "slot=2 is not allowed"),
        (" " * (LARGEST + 1), f"too long; send at most {LARGEST}"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    with pytest.raises(ProtocolError, match=said):
        read_message(text)
