"""Keys: the chain of what was noticed, against a twin in plain integers, and different for
different histories.
"""

import numpy as np
import pytest
from naive.small_games import ThreeHands, ii_goofspiel

from hiddenhand.compiled.keys import first_key, fold, mix
from hiddenhand.compiled.walk import first_keys, notice, notice_jointly
from hiddenhand.games.base import SIMULTANEOUS, Game
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.poker.leduc import LeducPoker

Event = tuple[int, int, int]  # own action + 1, private token, public token


def naive_mix(x: int) -> int:
    """The finaliser of MurmurHash3."""
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD % 2**64
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 % 2**64
    return x ^ x >> 33


def naive_first_key(observer: int) -> int:
    return naive_mix((0xD6E8FEB86659FD93 + observer) % 2**64)


def naive_fold(key: int, action: int, private: int, public: int) -> int:
    if (action, private, public) == (0, 0, 0):
        return key
    tokens = (
        action * 0x9E3779B97F4A7C15 + private * 0xC2B2AE3D27D4EB4F + public * 0x165667B19E3779F9
    )
    return naive_mix(key ^ tokens % 2**64)


def random_integers(count: int, bits: int, seed: int) -> list[int]:
    return [
        int(x) >> 64 - bits
        for x in np.random.default_rng(seed).integers(2**64, size=count, dtype=np.uint64)
    ]


@pytest.mark.parametrize("x", [0, 1, 2**33, 2**63, 2**64 - 1, *random_integers(20, 64, seed=1)])
def test_mix_is_its_twin(x: int) -> None:
    assert int(mix(np.uint64(x))) == naive_mix(x)


@pytest.mark.parametrize("observer", range(5))
def test_first_keys_are_their_twins(observer: int) -> None:
    assert int(first_key(observer)) == naive_first_key(observer)


@pytest.mark.parametrize("event", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 7, 2**62 - 1)])
def test_fold_is_its_twin(event: Event) -> None:
    for key in random_integers(20, 64, seed=2):
        assert int(fold(np.uint64(key), *event)) == naive_fold(key, *event)


def test_the_place_of_a_token_matters() -> None:
    key = np.uint64(99)
    assert (
        len(
            {
                int(fold(key, *event))
                for event in [
                    (0, 0, 0),
                    (1, 0, 0),
                    (0, 1, 0),
                    (0, 0, 1),
                    (1, 1, 0),
                    (1, 0, 1),
                    (0, 1, 1),
                ]
            }
        )
        == 7
    )


def test_who_moves_sees_the_own_action_and_all_see_their_tokens() -> None:
    keys = np.zeros(4, np.uint64)
    first_keys(keys)
    assert keys.tolist() == [naive_first_key(observer) for observer in range(4)]
    notice(keys, 1, 6, np.array([5, 0, 0, 9]))
    events = [(0, 5, 9), (7, 0, 9), (0, 0, 9), (0, 0, 9)]
    assert keys.tolist() == [
        naive_fold(naive_first_key(observer), *event) for observer, event in enumerate(events)
    ]


def test_in_a_joint_action_all_see_their_own_part() -> None:
    keys = np.zeros(3, np.uint64)
    first_keys(keys)
    notice_jointly(keys, np.array([0, 4]), np.array([0, 8, 2]))
    events = [(1, 0, 2), (5, 8, 2), (0, 0, 2)]
    assert keys.tolist() == [
        naive_fold(naive_first_key(observer), *event) for observer, event in enumerate(events)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [ii_goofspiel(5), Goofspiel(4), LeducPoker(), LiarsDice(1, 1, 4), ThreeHands()], ids=str
)
def test_a_key_for_each_sequence_of_events_and_only_one(game: Game) -> None:
    """All that each observer may notice in the game, listed event by event: as many different keys
    as different lists, and those of the twin.
    """
    noticed: dict[tuple[object, ...], list[tuple[Event, ...]]] = {(): [()] * (game.num_players + 1)}
    key_of: dict[tuple[int, tuple[Event, ...]], int] = {}
    for history in all_histories(game):
        lists = (
            noticed[history.moves]
            if not history.moves
            else [
                before if event == (0, 0, 0) else (*before, event)
                for before, event in zip(
                    noticed[history.moves[:-1]], last_events(history), strict=True
                )
            ]
        )
        noticed[history.moves] = lists
        for observer, events in enumerate(lists):
            key = history.public_key if observer == game.num_players else history.key(observer)
            assert key_of.setdefault((observer, events), key) == key
    assert len(set(key_of.values())) == len(key_of)
    for (observer, events), key in list(key_of.items())[::50]:
        twin = naive_first_key(observer)
        for event in events:
            twin = naive_fold(twin, *event)
        assert key == twin


def last_events(history: History) -> list[Event]:
    """What the last move let each observer notice."""
    move, mover, tokens = history.moves[-1], history.movers[-1], history.observations
    own = [0] * len(tokens)
    if mover == SIMULTANEOUS:
        own[:-1] = [action + 1 for action in move]
    elif mover >= 0:
        own[mover] = move + 1
    private = [*tokens[:-1], 0]
    return [(own[observer], private[observer], tokens[-1]) for observer in range(len(tokens))]
