"""What every search finds, to the last bit: digests of its table, kept beside this file.

A change that is meant to change nothing changes no digest. One that is meant to:
``PYTHONPATH=tests python tests/search/test_digests.py`` writes them anew, and the change of
``digests.json`` belongs to the same commit.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.joint_games import JointTree

import hiddenhand
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.infoset_table import num_sets

STORED = Path(__file__).with_name("digests.json")
HIDDEN = ("LD(1,1,3)", "IIGS(4) written out", "Leduc written out")
"""Games of hidden information: dice, moves made at once, and two rounds of bets with a card between
them.
"""
JOINT = ("random(3,3)", "goofspiel(num_cards=4) written out", "oshi_zumo(6,2,1) written out")
"""Games in which only what is chosen at the same moment is hidden."""
OWN_KEYS = {("LD(1,1,3)", "cr"), ("random(3,3)", "doab")}
"""Searches with keys of more than what was noticed: their digests are in the keys of the game
written out.
"""

Make = Callable[[Game], Any]


def made(name: str, **parameters: Any) -> Make:
    return lambda game: getattr(hiddenhand, name)(game, seed=7, **parameters)


FOR_HIDDEN: dict[str, Make] = {
    "oos": made("OOS", epsilon=0.6),
    "oos ist": made("OOS", targeting="ist", epsilon=0.4, gamma=0.05),
    "oos set": made("OOS", epsilon=0.6, baseline="set", delta=0.5),
    "oos history": made("OOS", epsilon=0.6, baseline="history"),
    "oos predictive": made("OOS", epsilon=0.6, baseline="predictive"),
    "mccfr": made("OOS", epsilon=0.6, delta=0.0),
    "mccfr in streams": made("OOS", epsilon=0.6, delta=0.0, streams=2),
    "ismcts uct": made("ISMCTS", selector="uct"),
    "ismcts exp3": made("ISMCTS", selector="exp3"),
    "ismcts rm": made("ISMCTS", selector="rm"),
    "ismcts modelled": made("ISMCTS", selector="rm", belief="modelled"),
    "ismcts multiple": made("ISMCTS", selector="uct", observer="multiple"),
    "ismcts redetermined": made("ISMCTS", selector="uct", redetermined=True),
    "pimc": made("PIMC", simulations=20),
    "smooth-uct": made("SmoothUCT"),
    "ef-uct": made("EFUCT", strategy="greedy"),
    "cr": made("CR", resolver="cfr+"),
    "mccr reset": made("MCCR", baseline="off"),
    "mccr keep": made("MCCR", mode="keep", baseline="off"),
    "mccr baseline": made("MCCR", baseline="history", values="arithmetic"),
    "mccr exact": made("MCCR", values="exact", focus=0.5, baseline="off"),
    "mccr external": made("ExternalMCCR"),
}
FOR_JOINT: dict[str, Make] = {
    "smmcts rm": made("SMMCTS", selector="rm"),
    "smmcts exp3": made("SMMCTS", selector="exp3", propagate="means"),
    "smmcts duct": made("SMMCTS", selector="duct"),
    "smoos": made("SMOOS"),
    "smoos carry": made("SMOOS", carry=True, epsilon=0.4),
    "doab": made("DoubleOracle"),
}
CASES = [
    (spec, name)
    for games, searches in ((HIDDEN, FOR_HIDDEN), (JOINT, FOR_JOINT))
    for spec in games
    for name in searches
]


@functools.cache
def game_of(spec: str, by_rules: bool) -> Game:
    """A game with its own rules, or written out, so that games share what is compiled."""
    rules = hiddenhand.load_game(spec.removesuffix(" written out"))
    if by_rules:
        return rules
    return JointTree.from_game(rules) if spec in JOINT else TreeGame.from_game(rules)


@functools.cache
def keys_of_rules(spec: str) -> dict[int, int]:
    """For each key of what is noticed in the game written out, the key of the same under the rules:
    there actions have other numbers, and a key holds those of its player.

    A search does the same in both games, so what it finds has one digest in the keys of the rules.
    """
    keys = {}
    pairs = [(History(game_of(spec, by_rules=False)), History(game_of(spec, by_rules=True)))]
    while pairs:
        written, played = pairs.pop()
        for observer in range(2):
            keys[written.key(observer)] = played.key(observer)
        if not written.is_terminal:
            moves = zip(moves_of(written), moves_of(played), strict=True)
            pairs += [(written.child(number), played.child(move)) for number, move in moves]
    return keys


def moves_of(history: History) -> list[Any]:
    """All that players or chance can do."""
    if history.player == CHANCE:
        return [outcome for outcome, _ in history.chance_outcomes()]
    return history.legal_moves()


def digest_of(spec: str, name: str) -> str:
    """What a search does before play, and in the matches of both seats, as one digest."""
    game = game_of(spec, by_rules=False)
    is_renamed = "written out" not in spec and (spec, name) not in OWN_KEYS
    as_stored = keys_of_rules(spec) if is_renamed else {}
    search = (FOR_HIDDEN | FOR_JOINT)[name](game)
    found = hashlib.sha256()
    for seat in range(2):
        search.start(seat, 11 + seat)
        follow(search, as_sequential(game), seat, found)
        describe(search, found, as_stored)
    return found.hexdigest()[:32]


def follow(search: Any, game: Game, seat: int, found: Any) -> None:
    """Think before play and at each decision of ``seat`` in one match, whose moves are drawn."""
    random = np.random.default_rng(5)
    iterations = 20 if isinstance(search, hiddenhand.PIMC) else 400
    history, events = History(game), list[Event]()
    search.think(iterations=iterations)
    while not history.is_terminal:
        if history.player == seat:
            search.notice(events, iterations=iterations)
            events = []
            search.think(iterations=iterations)
            found.update(search.policy(len(history.legal_actions())).tobytes())
        moves = (
            history.legal_actions()
            if history.player >= 0
            else [outcome for outcome, _ in history.chance_outcomes()]
        )
        history = history.child(int(random.choice(moves)))
        event = history.noticed(seat)
        events += [event] if event is not None else []


def describe(search: Any, found: Any, as_stored: dict[int, int]) -> None:
    """Take the weights of all sets into the digest, the rows of a table as they lie there, and what
    was counted. ``as_stored``: for keys that are other ones in the digest, what they are there.
    """
    weights = search.weights()
    keys = renamed(weights.keys, as_stored)
    order = np.argsort(keys)
    for array in (keys[order], np.diff(weights.starts)[order], np.sort(weights.values)):
        found.update(np.ascontiguousarray(array).tobytes())
    table = getattr(search, "table", None)
    if table is not None:
        sets = num_sets(table)
        for array in (
            renamed(table.keys[:sets], as_stored),
            table.starts[: sets + 1],
            table.values[: table.starts[sets]],
        ):
            found.update(array.tobytes())
    if hasattr(search, "result"):
        counted = search.result()
        fields = ("iterations", "in_tree", "playouts", "added", "refused", "moves", "dropped")
        found.update(repr([getattr(counted, field) for field in fields]).encode())


def renamed(keys: Any, names: dict[int, int]) -> Any:
    return np.array([names.get(key, key) for key in keys.tolist()], np.uint64)


@pytest.mark.parametrize(("spec", "name"), CASES)
def test_no_bit_has_changed(spec: str, name: str) -> None:
    assert digest_of(spec, name) == json.loads(STORED.read_text())[f"{name} {spec}"]


def test_every_digest_belongs_to_a_search() -> None:
    assert set(json.loads(STORED.read_text())) == {f"{name} {spec}" for spec, name in CASES}


if __name__ == "__main__":
    STORED.write_text(
        json.dumps({f"{name} {spec}": digest_of(spec, name) for spec, name in CASES}, indent=2)
        + "\n"
    )
