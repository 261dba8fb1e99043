"""Texts of other programs: the poker competition's lines, games of Gambit, and maps."""

import json
import random
from collections.abc import Sequence
from typing import Any

from fuzzing.drawing import PIECES, damaged, damaged_bytes, json_text, text
from hiddenhand.games.poker.definition import THREE_PLAYERS, TWO_PLAYERS

STATES = (
    "MATCHSTATE:0:0::TdAs|",
    "MATCHSTATE:0:0:rrc/rc/crc/crc:TdAs|8hTc/2c8c3h/9c/Kh",
    "MATCHSTATE:1:1:rrc/rc/rf:|Qd7c/2h8h5c/Th",
    "MATCHSTATE:2:55:rcc/rfc/rc/r:||AsTs/4cJh8h/Kd/8c",
    "MATCHSTATE:0:90:crfc/rc/rc/rc:Ad6h||Td2h/TsKd7h/Kh/6d",
)
HANDS = (
    "STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:p1|p2",
    "STATE:1:rc/crrrrc/rrc/rc:7d5s|Kh9c/As3hTs/Jh/Js:-120|120:p2|p1",
    "STATE:8:frc/cc/rc/rrc:6hKc|6cAd|6d2c/QdTd9h/7h/Jc:80|-80|0:p3|p1|p2",
)
SCORES = ("SCORE:50.5|-50.5:p1|p2", "SCORE:105|375|-480:p1|p2|p3")
_COMMENTS = ("# name/game/hands/seed a holdem.limit.3p.game 10 0", "#", "", "\r", "; x")
_POKER = (
    *":|/cfr #;\r\n\0é\ud800=.-",
    *("Td", "As", "2c", "//", "||", "::", "STATE", "MATCH", "-1", "0", "1e9", "nan", "inf"),
    *("9" * 30, "c" * 70, "END GAMEDEF", "limit", "nolimit", "stack = 5 5", "numPlayers", "255"),
)
_GAMBIT = (
    *('c "" 1 "" { "a" 1/2 "b" .5 } 0', 'c "" 1 0', 'p "" 1 1 "" { "x" "y" } 0', 'p "" 1 1 0'),
    *('p "n" 2 1 "s" { "m" } 1 "o" { 1, -1 }', 'p "" 2 1 0', 't "" 1 "" { 1 2 }', 't "" 0'),
    *('t "" 2 "" { 5e-1, 1/3 }', 't "" 1', 'EFG 2 R "t" { "1" "2" }', 'NFG 1 R "t" { "1" "2" }'),
    *("{ 2 3 }", '{ { "a" "b" } { "c" "d" } }', "1 2 0 1", "1e-400", "1/99999999999999999999"),
    *("{", "}", ",", "1/0", "-", '"', "\\", "99999999999", "\n", "q"),
)
_HEAD = 'EFG 2 R "t" { "1" "2" }'
EFG = (
    f'{_HEAD} "a game"\np "" 1 1 "" {{ "x" "y" }} 0\nt "" 1 "" {{ 1 -1 }}\n'
    'p "" 2 1 "" { "u" "v" } 0\nt "" 2 "" { 0.5, -1/2 }\nt "" 3 "" { 2 -2 }\n',
    f'{_HEAD}\nc "" 1 "" {{ "a" 1/2 "b" .5 }} 0\np "" 1 1 "" {{ "x" "y" }} 0\nt "" 1 "o" '
    '{ 1 2 }\nt "" 1\np "" 1 1 0\nt "" 1\nt "" 2 "" { 3, 4 }\n',
)
NFG = (
    'NFG 1 R "by payoffs" { "Row" "Column" } { 2 3 }\n"a comment"\n'
    "1 -1  2 -2  3 -3  4 -4  5 -5  6 -6\n",
    'NFG 1 R "by outcomes" { "Row" "Column" }\n{ { "up" "down" } { "left" "middle, and more" } }\n'
    '{\n{ "first" 3, 1 }\n{ "second" 0, 1/2 }\n}\n1 2 0 1\n',
    'NFG 1 R "three" { "A" "B" "C" } { 2 1 2 }\n1 2 3 4 5 6 7 8 9 10 11 12\n',
)
LITEEFG = (
    "# Coin\n#\n# Opt {\n#     num_players: 2,\n# }\n#\nnode / chance actions h=0.5 t=0.5\n"
    "node /C:h player 1 actions say keep\nnode /C:h/P1:say player 2 actions h t\n"
    "node /C:h/P1:say/P2:h leaf payoffs 1=-1 2=1\nnode /C:h/P1:say/P2:t leaf payoffs 1=1.5 2=-1.5\n"
    "node /C:h/P1:keep leaf payoffs 1=0 2=0\nnode /C:t player 2 actions h t\n"
    "node /C:t/P2:h leaf payoffs 1=1 2=-1\nnode /C:t/P2:t leaf payoffs 1=0 2=0\n"
    "infoset guess nodes /C:h/P1:say /C:t\n"
)
_LITEEFG = (
    "node ",
    "infoset ",
    " leaf payoffs ",
    " actions ",
    "/C:h",
    "/P1:say",
    "1=",
    "=0.5",
    "\n",
)
PHH = (
    "variant = 'FT'\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nsmall_bet = 2\nbig_bet = 4\n"
    "starting_stacks = [200, 200]\nactions = ['d dh p1 AdJd', 'd dh p2 4d7h', 'p2 cc', 'p1 cbr 4', "
    "'p2 cc', 'd db Jh6s4s', 'p1 cc', 'p2 cbr 2', 'p1 f']\nfinishing_stacks = [196, 204]\n"
)
_PHH = (
    "'d db 3d'",
    "'p1 cbr 4'",
    "'p2 cc'",
    "????",
    "actions = ",
    "[",
    "]",
    "'",
    "-1",
    "1e999",
    "[1]",
)
GRAPH: dict[str, Any] = {
    "nodes": [{"x": 0, "y": 0}, {"x": 10, "y": 0, "name": "b"}, {"x": 0.5, "y": 7}],
    "edges": [[0, "b"], ["n2", 1], [0, 2]],
    "buildings": [[[1, 1], [2, 1], [2, 2.5]]],
    "sight": 12.5,
}
_ROWS = ("....\n.#..\n....\n", ".\n", "#.#\n...\n")
_MOVING_AI = "type octile\nheight 3\nwidth 4\nmap\n....\n.@T.\n.GS.\n"
_ROS = (
    "image: map.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\n"
    "free_thresh: 0.196\n"
)
_PGM = (b"P5 3 2 255\n\xfe\xfe\x00\xfe\xfe\xfe", b"P2\n# a comment\n3 2 9\n9 9 0\n9 9 9\n")
_MAP_WORDS = ("²", "-1", "0", "height", "width", "map", "#", ".", "\n", "9" * 30, "image: x", "::")


def poker_line(right: Sequence[str]) -> Any:
    """A function that draws lines near to those that are right."""

    def draw(source: random.Random) -> tuple[int, str]:
        players = source.randint(2, 3)
        if source.random() < 0.2:
            return players, text(source, 40)
        return players, damaged(source, source.choice(right), _POKER)

    return draw


def definition(source: random.Random) -> str:
    """A game definition of the competition."""
    return damaged(source, source.choice((TWO_PLAYERS, THREE_PLAYERS)), _POKER)


def log(source: random.Random) -> str:
    """The log of a match."""
    lines = (*HANDS, *HANDS, *SCORES, *_COMMENTS)
    right = "".join(f"{source.choice(lines)}\n" for _ in range(source.randrange(7)))
    return damaged(source, right, _POKER)


def gambit(right: Sequence[str]) -> Any:
    """A function that draws games of Gambit near to those that are right, and from their parts."""

    def draw(source: random.Random) -> str:
        if source.random() < 0.5:
            return damaged(source, source.choice(right), (*_GAMBIT, *PIECES))
        parts = [source.choice(_GAMBIT) for _ in range(source.randrange(13))]
        head = right[0].partition("\n")[0] if source.random() < 0.7 else text(source, 5)
        return " ".join([head, *parts])

    return draw


def liteefg(source: random.Random) -> str:
    """A game of LiteEFG."""
    return damaged(source, LITEEFG, (*_LITEEFG, *PIECES))


def phh(source: random.Random) -> str:
    """Hands in the format PHH."""
    right = PHH if source.random() < 0.7 else f"[1]\n{PHH}\n[2]\n{PHH}"
    return damaged(source, right, (*_PHH, *PIECES))


def map_files(source: random.Random) -> dict[str, bytes]:
    """The files of a map by their names; the first is the map itself."""
    kind = source.randrange(6)
    if kind == 0:
        return {"map.txt": _encoded(damaged(source, source.choice(_ROWS), _MAP_WORDS))}
    if kind == 1:
        return {"map.map": _encoded(damaged(source, _MOVING_AI, _MAP_WORDS))}
    if kind == 2:
        picture = source.choice(_PGM)
        return {"map.yaml": _encoded(damaged(source, _ROS, _MAP_WORDS)), "map.pgm": picture}
    if kind == 3:
        return {"map.yml": _ROS.encode(), "map.pgm": damaged_bytes(source, source.choice(_PGM))}
    if kind == 4:
        parts = (*_MAP_WORDS, "P5", "P2", "1000000", "9" * 5000)
        words = [source.choice((*parts, "1", "2", "9", "255")) for _ in range(source.randrange(9))]
        return {"map.yaml": _ROS.encode(), "map.pgm": _encoded(f"P2 {' '.join(words)}")}
    return {"map.json": _encoded(json_text(source, json.loads(json.dumps(GRAPH))))}


def _encoded(found: str) -> bytes:
    return found.encode("utf-8", "surrogatepass")
