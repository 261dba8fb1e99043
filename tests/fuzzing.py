"""Texts and files that nobody would write, made by hypothesis: near to what can be read, and far
from it.
"""

import hashlib
import io
import json
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from hiddenhand.games.registry import describe_games
from hiddenhand.players.specs import PLAYER_NAMES

_GAMES = describe_games()
_GAME_NAMES = [game.name for game in _GAMES] + [
    short for game in _GAMES for short in game.short_forms
]
_OWN = [
    "hiddenhand.games.poker.kuhn:KuhnPoker",
    "no.such:Thing",
    "no such file.py:X",
    ":X",
    "a:",
    "hiddenhand.games.turn_based:TurnBased",
]
_LABELS = sorted(
    {parameter.partition("=")[0] for game in _GAMES for parameter in game.parameters}
    | {"game", "x", "", "1", "*", "é"}
)
_SEARCH_LABELS = [
    "targeting",
    "delta",
    "epsilon",
    "gamma",
    "selector",
    "iterations",
    "seconds",
    "memory",
    "belief",
    "cap",
    "resolver",
    "mode",
    "x",
    "",
]
_PIECES = [*"()[],='\"\\: \n\0-.#;{}é\ud800", "**", "1e999", "nan", "inf", "None"]
_RIGHT_GAMES = [
    *(short for game in _GAMES for short in game.short_forms),
    "goofspiel(num_cards=4,imp_info=true,points_order=ascending)",
    "goofspiel(3,points_order=given,points=[2,1,3])",
    "turn_based(goofspiel(num_cards=4))",
    "turn_based(game=II-GS( 3 ))",
    "matrix_game([[0,1.5],[-1,2]],row_names='a, b')",
    "pursuit_evasion(evader=b1,pursuers='d4 d3')",
    "liars_dice(dice1=2,dice2=1,faces=3)",
    "biased_rps(2.5)",
    "hiddenhand.games.poker.kuhn:KuhnPoker(num_cards={n})",
    "goofspiel({s}{n},imp_info={b},points_order={w}{s})",
    "turn_based({s}goofspiel(num_cards={n},returns_type=point_difference))",
    "matrix_game([[{g},{f}],{s}[{n},{m}],({f},{g})])",
    "matrix_tree({m},1,[{f},{f},{g},{g}])",
    "random_game({m},{n},{n},sign={b})",
    "LD({m},{m},{n})",
    "gp({n},{n},{m},{m})",
    "coordination_game(left={g})",
    "oshi_zumo(coins={n},size={m})",
]
_RIGHT_PLAYERS = [
    "random",
    "oos(targeting=ist,delta=0.9)",
    "ismcts(selector='rm',gamma=.2)",
    "mccfr(iterations=100)",
    "cr(resolver=cfr+)",
    "best_response(best_response(random))",
    "equilibrium",
    "strategy(no such file)",
    "smmcts(selector=duct,seconds=0.5)",
    "oos(targeting=ist,delta={f},epsilon={f},iterations={n}{n})",
    "ismcts(selector='rm',gamma={f},{s}belief=uniform)",
    "best_response(best_response({s}Random))",
    "MCCFR(epsilon={f},seconds={f})",
    "cr(resolver=cfr+,iterations={n})",
]


def _values(words: list[str]) -> st.SearchStrategy[str]:
    plain = st.one_of(
        st.integers(-3, 12).map(str),
        st.integers(-(10**30), 10**30).map(str),
        st.floats().map(repr),
        st.sampled_from(
            [
                *words,
                "true",
                "False",
                "none",
                "cfr+",
                "1+1",
                "f(x)",
                "x.y",
                "0x1F",
                "1_0",
                "007",
                "1j",
                "''",
                "'it\\'s'",
                "b'x'",
                "",
            ]
        ),
        st.text(max_size=5).map(repr),
        st.text(max_size=5),
    )

    def listed(inner: Any) -> Any:
        drawn = st.tuples(st.sampled_from(["[]", "()"]), st.lists(inner, max_size=3))
        return drawn.map(lambda found: f"{found[0][0]}{','.join(found[1])}{found[0][1]}")

    return st.recursive(plain, listed, max_leaves=6)


def _calls(names: list[str], labels: list[str], words: list[str]) -> st.SearchStrategy[str]:
    values = _values(words)
    argument = st.one_of(values, st.tuples(st.sampled_from(labels), values).map("=".join))
    name = st.one_of(st.sampled_from(names), st.text(max_size=8))
    return st.one_of(
        name,
        st.tuples(name, st.lists(argument, max_size=4)).map(
            lambda drawn: f"{drawn[0]}({','.join(drawn[1])})"
        ),
    )


def _filled(
    patterns: list[str], values: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[str]:
    """One of ``patterns`` with its names in braces replaced by values drawn for them."""
    return st.tuples(st.sampled_from(patterns), st.fixed_dictionaries(values)).map(
        lambda drawn: drawn[0].format(**drawn[1])
    )


_FILLINGS: dict[str, st.SearchStrategy[Any]] = {
    "n": st.integers(1, 6),
    "m": st.integers(1, 4),
    "b": st.sampled_from(["true", "False", "TRUE"]),
    "f": st.floats(0.0, 1.0),
    "g": st.floats(allow_nan=False, allow_infinity=False),
    "w": st.sampled_from(["ascending", "'descending'", "random"]),
    "s": st.sampled_from(["", " ", "\n"]),
}


@st.composite
def _damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with up to three pieces of it replaced."""
    text = draw(texts)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2, 3]))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 4)))
        text = (
            text[:start] + draw(st.one_of(st.sampled_from(_PIECES), st.characters())) + text[stop:]
        )
    return text


def game_texts() -> st.SearchStrategy[str]:
    """Names of games, right, nearly right and wrong; also inside each other."""
    words = ["ascending", "given", "leaves", "kuhn_poker", "b1", *_GAME_NAMES]
    calls = _calls([*_GAME_NAMES, *_OWN], _LABELS, words)
    nested = st.tuples(
        st.sampled_from(["turn_based", "turn_based(game=", "goofspiel(points=", "matrix_game("]),
        calls,
    ).map(lambda drawn: f"{drawn[0]}{'' if '(' in drawn[0] else '('}{drawn[1]})")
    right = _filled(_RIGHT_GAMES, _FILLINGS)
    return _damaged(st.one_of(right, right, calls, nested, st.text(max_size=40)))


def player_texts() -> st.SearchStrategy[str]:
    """Names of players, in the same way."""
    calls = _calls(list(PLAYER_NAMES), _SEARCH_LABELS, ["ist", "pst", "rm", "uct", "cfr+", "keep"])
    depth = st.sampled_from([0, 0, 0, 1, 2, 60, 1000])
    nested = st.tuples(depth, calls).map(
        lambda drawn: "best_response(" * drawn[0] + drawn[1] + ")" * drawn[0]
    )
    right = _filled(_RIGHT_PLAYERS, _FILLINGS)
    return _damaged(st.one_of(right, right, nested, st.text(max_size=40)))


# --- files ---

_SEAL = "sha256"  # what the header calls the checksum


@st.composite
def contents(draw: st.DrawFn, whole: bytes) -> bytes:
    """The content of a file of arrays: cut, with other bytes, noise, or whole as a file, with a
    right checksum, but with other arrays.
    """
    with np.load(io.BytesIO(whole)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = str(arrays.pop("_header"))
    match draw(st.sampled_from(["cut", "bytes", "noise", *["arrays"] * 4])):
        case "cut":
            return whole[: draw(st.integers(0, len(whole) - 1))]
        case "bytes":
            changed = bytearray(whole)
            for _ in range(draw(st.integers(1, 4))):
                changed[draw(st.integers(0, len(whole) - 1))] = draw(st.integers(0, 255))
            return bytes(changed)
        case "noise":
            return draw(st.binary(max_size=200))
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(arrays)))
        match draw(st.sampled_from(["value", "value", "value", "type", "shape", "gone", "header"])):
            case "gone" if len(arrays) > 1:
                del arrays[name]
            case "type":
                arrays[name] = _as_type(
                    arrays[name], draw(st.sampled_from(["f4", "f8", "i4", "i8", "u8", "u1", "c16"]))
                )
            case "shape":
                arrays[name] = np.resize(
                    arrays[name], draw(st.sampled_from([0, 1, arrays[name].size + 1, (2, 3), ()]))
                )
            case "header":
                header = draw(st.one_of(st.text(max_size=20), _headers(header)))
            case _ if arrays[name].size:
                _write(
                    arrays[name].reshape(-1),
                    draw(st.integers(0, arrays[name].size - 1)),
                    draw(_numbers()),
                )
    buffer = io.BytesIO()
    np.savez(buffer, _header=np.array(_sealed(header, arrays)), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _sealed(header: str, arrays: dict[str, npt.NDArray[Any]]) -> str:
    """The header with the checksum that belongs to it and to the arrays: anybody can make one."""
    try:
        named = json.loads(header)
        del named[_SEAL]
    except (ValueError, TypeError, KeyError):  # it is no header any more
        return header
    found = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    for name in sorted(arrays):
        found.update(json.dumps([name, arrays[name].dtype.str, arrays[name].shape]).encode())
        found.update(np.ascontiguousarray(arrays[name]).tobytes())
    return json.dumps(named | {_SEAL: found.hexdigest()})


def _as_type(array: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    with np.errstate(all="ignore"):
        return array.astype(kind) if array.dtype.kind in "iuf" else array


def _write(flat: npt.NDArray[Any], at: int, value: float) -> None:
    with np.errstate(all="ignore"):
        flat[at : at + 1] = np.array([value]).astype(flat.dtype)


def _numbers() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.sampled_from(
            [-1, 0, 1, 2, 10**7, 10**9, 2**31, 2**62, -(2**62), np.nan, np.inf, -np.inf, 1e300]
        ),
        st.integers(-5, 50),
    )


def _headers(header: str) -> st.SearchStrategy[str]:
    """A header with another number in it, or another word."""
    numbers = st.sampled_from(
        ["-1", "0", "1", "2", "7", "1000000000", "1e9", "null", "[]", '"x"', "NaN"]
    )
    return st.one_of(
        st.tuples(numbers, numbers).map(
            lambda drawn: header.replace(": 0", f": {drawn[0]}").replace(": 1", f": {drawn[1]}")
        ),
        st.sampled_from(["strategy", "search", "Kuhn", "num_cards", "kind", "version", "game"]).map(
            lambda word: header.replace(word, "x")
        ),
    )
