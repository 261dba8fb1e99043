"""Names of games and of players: right, nearly right, and wrong."""

import random
from collections.abc import Sequence

from fuzzing.drawing import FLOATS, PIECES, damaged, letter, text
from hiddenhand.games.registry import describe_games
from hiddenhand.search.algorithms import names

_GAMES = describe_games()
_GAME_NAMES = [
    *(game.name for game in _GAMES),
    *(short for game in _GAMES for short in game.short_forms),
]
_OWN = [
    *("hiddenhand.games.poker.kuhn:KuhnPoker", "no.such:Thing", "no such file.py:X", ":X", "a:"),
    *("hiddenhand.games.turn_based:TurnBased", "efg:", "nfg:no such file", "x.efg", "y.nfg"),
]
_LABELS = sorted(
    {parameter.partition("=")[0] for game in _GAMES for parameter in game.parameters}
    | {"game", "x", "", "1", "*", "é"}
)
_SEARCH_LABELS = [
    *("targeting", "delta", "epsilon", "gamma", "selector", "iterations", "seconds", "memory"),
    *("belief", "cap", "resolver", "mode", "x", ""),
]
_GAME_WORDS = ["ascending", "given", "leaves", "kuhn_poker", "b1", *_GAME_NAMES]
_SEARCH_WORDS = ["ist", "pst", "rm", "uct", "cfr+", "keep"]
_WORDS = [
    *("true", "False", "none", "cfr+", "1+1", "f(x)", "x.y", "0x1F", "1_0", "007", "1j", "''"),
    *("'it\\'s'", "b'x'", ""),
]
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
    *("random", "oos(targeting=ist,delta=0.9)", "ismcts(selector='rm',gamma=.2)", "equilibrium"),
    *("mccfr(iterations=100)", "cr(resolver=cfr+)", "best_response(best_response(random))"),
    *("strategy(no such file)", "smmcts(selector=duct,seconds=0.5)"),
    "oos(targeting=ist,delta={f},epsilon={f},iterations={n}{n})",
    "ismcts(selector='rm',gamma={f},{s}belief=uniform)",
    "best_response(best_response({s}Random))",
    "MCCFR(epsilon={f},seconds={f})",
    "cr(resolver=cfr+,iterations={n})",
]


def game_text(source: random.Random) -> str:
    """The name of a game; some stand inside each other."""
    kind = source.randrange(5)
    if kind < 2:
        found = _filled(source, source.choice(_RIGHT_GAMES))
    elif kind == 2:
        found = _call(source, [*_GAME_NAMES, *_OWN], _LABELS, _GAME_WORDS)
    elif kind == 3:
        inner = _call(source, [*_GAME_NAMES, *_OWN], _LABELS, _GAME_WORDS)
        outer = ("turn_based(", "turn_based(game=", "goofspiel(points=", "matrix_game(")
        found = f"{source.choice(outer)}{inner})"
    else:
        return text(source, 40)
    return _maybe_damaged(source, found)


def player_text(source: random.Random) -> str:
    """The name of a player."""
    kind = source.randrange(4)
    if kind < 2:
        found = _filled(source, source.choice(_RIGHT_PLAYERS))
    elif kind == 2:
        depth = source.choice((0, 0, 0, 1, 2, 60, 1000))
        inner = _call(source, [*names(), "random", "best_response"], _SEARCH_LABELS, _SEARCH_WORDS)
        found = "best_response(" * depth + inner + ")" * depth
    else:
        return text(source, 40)
    return _maybe_damaged(source, found)


def _maybe_damaged(source: random.Random, found: str) -> str:
    return damaged(source, found, PIECES) if source.random() < 0.6 else found


def _filled(source: random.Random, pattern: str) -> str:
    """A pattern with values in place of its names in braces."""
    return pattern.format(
        n=source.randint(1, 6),
        m=source.randint(1, 4),
        b=source.choice(("true", "False", "TRUE")),
        f=source.choice((source.random(), 0.0, 1.0)),
        g=source.choice((source.gauss(0.0, 1e3), -0.0, 1e300, 5e-324)),
        w=source.choice(("ascending", "'descending'", "random")),
        s=source.choice(("", " ", "\n")),
    )


def _call(
    source: random.Random, names: Sequence[str], labels: Sequence[str], words: Sequence[str]
) -> str:
    """A name, perhaps with arguments."""
    name = source.choice(names) if source.random() < 0.7 else text(source)
    if source.random() < 0.3:
        return name
    arguments = []
    for _ in range(source.randrange(5)):
        value = _value(source, words)
        labelled = source.random() < 0.5
        arguments.append(f"{source.choice(labels)}={value}" if labelled else value)
    return f"{name}({','.join(arguments)})"


def _value(source: random.Random, words: Sequence[str], depth: int = 0) -> str:
    kind = source.randrange(8 if depth < 3 else 6)
    if kind == 0:
        return str(source.randint(-3, 12))
    if kind == 1:
        return str(source.randint(-(10**30), 10**30))
    if kind == 2:
        return repr(source.choice((*FLOATS, source.gauss(0.0, 10.0))))
    if kind == 3:
        return source.choice((*words, *_WORDS))
    if kind == 4:
        return repr(text(source, 5))
    if kind == 5:
        return text(source, 5) or letter(source)
    begin, end = source.choice(("[]", "()"))
    inner = (_value(source, words, depth + 1) for _ in range(source.randrange(4)))
    return f"{begin}{','.join(inner)}{end}"
