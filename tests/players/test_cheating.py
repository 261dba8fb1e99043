"""A player who knows all our code, and tries to know the cards from the one number they are told:
their seed.

They try all match seeds from 0 to 10,000 until one leads to the seed they were told, and take
chance's numbers from that in every way that our code has ever taken them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest
from typing_commands import Typed

from hiddenhand.budget import Budget
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import load_game
from hiddenhand.matches import tournament
from hiddenhand.matches.match import play_match
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.players import registry
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Deciding, Probabilities, derived_seed, draw

TRIED = range(10_001)
KUHN = load_game("Kuhn")

Deal = tuple[int, int]


class Cheat(Deciding):
    """Plays at random, and writes down the seeds that it was told."""

    told: list[int]

    def __init__(self) -> None:
        self.told = []

    def start(self, game: Game, seat: int, seed: int) -> None:
        super().start(game, seat, seed)
        self.told.append(seed)

    def follow(self, events: Sequence[Event]) -> None:
        pass

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        return np.full(len(legal_actions), 1.0 / len(legal_actions))


def match_seed(told: int, seat: int, way: Callable[[int], int]) -> int | None:
    """The small number that ``told`` comes from, where ``way`` leads from it to the seed of the
    match.
    """
    return next((number for number in TRIED if derived_seed(way(number), 1 + seat) == told), None)


def dealt(chance_seed: int) -> Deal:
    """The cards of Kuhn poker, as the referee deals them."""
    random, history = np.random.default_rng(derived_seed(chance_seed, 0)), History(KUHN)
    while history.player == CHANCE:
        outcomes = history.chance_outcomes()
        history = history.child(outcomes[draw([p for _, p in outcomes], random.random())][0])
    first, second = history.moves
    return int(first), int(second)  # type: ignore[arg-type]


def best_guesses(found: int, told: int, number: int) -> Iterable[Deal]:
    """From the small number, the seed that was told, and which match it is."""
    ways = (
        found,
        told,
        derived_seed(found, 0),
        derived_seed(found, 0, number),
        derived_seed(found, number),
        found + number,
    )
    return map(dealt, ways)


def verify_nothing_is_known(deals: Sequence[Deal], guesses: Sequence[Iterable[Deal]]) -> None:
    """Each way of guessing is right in one of six deals; 27 or more of 50, or 19 or more of 25,
    happen to one in 10**9.
    """
    hits = [
        sum(deal == guess for deal, guess in zip(deals, way, strict=True))
        for way in zip(*guesses, strict=True)
    ]
    assert len(hits) == 6
    assert max(hits) < {25: 19, 50: 27}[len(deals)], hits


def test_the_attack_works_where_chance_follows_from_the_players_seed() -> None:
    """So that this file tests something."""
    for seed in (0, 7, 10_000):
        cheat = Cheat()
        record = play_match(KUHN, [RandomPlayer(), cheat], seed, chance_seed=seed)
        assert match_seed(cheat.told[0], 1, int) == seed
        assert record.moves[:2] in list(best_guesses(seed, cheat.told[0], 0))[:1]


def test_play_match() -> None:
    deals, guesses = [], []
    for number in range(50):
        cheat = Cheat()
        record = play_match(KUHN, [RandomPlayer(), cheat], number)
        found = match_seed(cheat.told[0], 1, int)
        assert found == number  # they do find it: there is nothing in it
        deals.append((record.moves[0], record.moves[1]))
        guesses.append(best_guesses(found, cheat.told[0], 0))
    verify_nothing_is_known(deals, guesses)


def with_cheats(monkeypatch: pytest.MonkeyPatch, module: object) -> list[Cheat]:
    """Whoever asks for a random player from now on gets a cheat."""
    made: list[Cheat] = []

    def make_player(spec: str, game: Game) -> Cheat:
        made.append(Cheat())
        return made[-1]

    monkeypatch.setattr(module, "make_player", make_player)
    return made


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("kept", [False, True], ids=["in memory", "in a file"])
def test_tournaments(
    seed: int, kept: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tournament, "_rehearse", lambda question: None)
    made = with_cheats(monkeypatch, tournament)
    with Tournament(
        Question("Kuhn", ("random", "random"), seed=seed), tmp_path / "file" if kept else None
    ) as running:
        running.run([((0, 1),)], 50)
        (pairing,) = running.pairings()
    guesses = []
    for match in pairing.played:
        (told,) = made[2 * match.number + 1].told
        found = match_seed(
            told, 1, lambda tried, number=match.number: derived_seed(tried, 1, 0, 1, number)
        )  # type: ignore[misc]
        assert found == seed
        guesses.append(best_guesses(found, told, match.number))
    verify_nothing_is_known(
        [(match.history[0], match.history[1]) for match in pairing.played], guesses
    )


@pytest.mark.slow
def test_play(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a seed that the user gave."""
    made = with_cheats(monkeypatch, registry)
    deals, guesses = [], []
    for number in range(25):
        made.clear()
        status, out, _ = typed(
            "play", "Kuhn", "--against", "random", "--seed", str(number), lines="quit\n"
        )
        assert status == 0
        cards = re.findall(r"your card: ([JQK])", out)
        deals.append(("JQK".index(cards[0]), "JQK".index(cards[-1])))
        (told,) = made[0].told  # the opponent; the other one advises
        assert match_seed(told, 1, int) == number
        guesses.append(best_guesses(number, told, 0))
    verify_nothing_is_known(deals, guesses)
