"""Games of OpenSpiel here: written out or followed, they are the games that OpenSpiel plays."""

import pickle
import threading

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", exc_type=ImportError)

from hiddenhand import Budget, load_game, make_player, nash_conv, play_match, solve, unroll  # noqa: E402
from hiddenhand.errors import GameError, OptionError, UnknownGameError  # noqa: E402
from hiddenhand.games.base import CHANCE, Game  # noqa: E402
from hiddenhand.games.history import History, all_histories  # noqa: E402
from hiddenhand.games.registry import game_spec  # noqa: E402
from hiddenhand.games.tree_game import TreeGame  # noqa: E402
from hiddenhand.games.validation.kernel_errors import first_broken  # noqa: E402
from hiddenhand.interop.openspiel import callback, from_openspiel  # noqa: E402
from hiddenhand.interop.openspiel.foreign import ForeignGame  # noqa: E402
from hiddenhand.interop.openspiel.peer import Eyes, in_turns, load_peer, token_of  # noqa: E402
from hiddenhand.interop.openspiel.state_tracker import Follower  # noqa: E402
from hiddenhand.players.fixed_policies import RandomPlayer  # noqa: E402
from hiddenhand.search.auto.survey import survey  # noqa: E402


def follow(name: str) -> ForeignGame:
    """A game that is followed move by move, however small it is."""
    game = from_openspiel(name, max_histories=0)
    assert isinstance(game, ForeignGame)
    return game


def test_leduc_is_written_out_as_it_was_published() -> None:
    game = load_game("openspiel:leduc_poker")
    assert isinstance(game, TreeGame)
    assert repr(game) == game_spec(game) == "openspiel:leduc_poker"
    tree = unroll(game, verified=True)
    # as printed by OpenSpiel, which tells suits apart, and by the papers on its nash_conv
    assert (tree.num_histories, tree.num_sets) == (9457, 936)
    assert nash_conv(tree, "uniform") == pytest.approx(4.7472222, abs=1e-7)
    assert tree.counts().public_states > 1


@pytest.mark.parametrize(
    ("name", "in_plain_sight"),
    [("tic_tac_toe", True), ("nim(pile_sizes=3;4)", True), ("phantom_ttt", False)],
)
def test_what_all_see_is_public(name: str, in_plain_sight: bool) -> None:
    game = from_openspiel(name, max_histories=0)
    assert survey(game).in_plain_sight == in_plain_sight
    decision = play_match(
        game, [make_player(game, "auto"), RandomPlayer()], 0, [Budget(iterations=20)] * 2
    ).decisions[0][0]
    assert ("nothing is hidden" in decision.choice) == in_plain_sight


@pytest.mark.parametrize("name", ["kuhn_poker", "lewis_signaling", "matrix_rps", "coordinated_mp"])
def test_followed_and_written_out_are_one_game(name: str) -> None:
    followed, written = follow(name), from_openspiel(name)
    one, other = list(all_histories(followed)), list(all_histories(written))
    assert len(one) == len(other)
    keys: dict[tuple[int, int], int] = {}
    for a, b in zip(one, other, strict=True):
        assert a.player == b.player
        assert a.public_key == b.public_key
        if a.is_terminal:
            assert a.returns() == b.returns()
        elif a.player == CHANCE:
            assert [p for _, p in a.chance_outcomes()] == [p for _, p in b.chance_outcomes()]
        else:
            assert keys.setdefault((a.player, a.information_key), b.information_key) == (
                b.information_key
            )
    assert len(set(keys.values())) == len(keys)


def test_compiled_rules_ask_as_plain_ones_do() -> None:
    game = follow("kuhn_poker")
    states = np.array([history.state for history in all_histories(game)])
    assert first_broken(game, states) is None
    asked: list[int] = []
    for state in states:  # in threads, too: kernels run without the lock of Python
        thread = threading.Thread(target=lambda s=state: asked.append(first_broken(game, s[None])))
        thread.start()
        thread.join()
    assert asked == [None] * len(states)


def test_what_fails_in_openspiel_ends_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(history: bytes) -> None:
        raise RuntimeError("no such history")

    game = follow("kuhn_poker")
    states = History(game).state[None]
    assert first_broken(game, states) is None
    monkeypatch.setattr(game.follower(), "place", failing)
    assert first_broken(game, states) == 0
    with pytest.raises(RuntimeError, match="no such history"):
        game.chance_outcomes(states[0], np.zeros(4, np.int64), np.zeros(4))


def test_a_play_longer_than_openspiel_says_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    game = follow("kuhn_poker")
    histories = [history for history in all_histories(game) if not history.is_terminal]
    short, long = (
        np.array([history.state for history in histories if (len(history.moves) < 3) == is_short])
        for is_short in (True, False)
    )
    monkeypatch.setattr(game.follower(), "longest", 3)
    assert first_broken(game, short) is None
    assert first_broken(game, long) == 0
    with pytest.raises(GameError, match="goes on after 3 moves"):
        histories[-1].child(0)


def test_more_outcomes_than_openspiel_says_are_no_harm() -> None:
    game = from_openspiel("python_hangman", max_histories=0)  # 25 outcomes, and it says 1
    states = History(game).state[None]
    assert first_broken(game, states) == 0
    with pytest.raises(GameError, match="has 25 outcomes in one place"):
        game.chance_outcomes(states[0], np.zeros(30, np.int64), np.zeros(30))


def test_an_interruption_is_raised_again() -> None:
    def interrupted(*arguments: int) -> int:
        raise KeyboardInterrupt

    address = callback.callable_from_kernels(interrupted)
    called = callback._KEPT[-1]
    assert called(0, 0, 0, 0, 0, 0) == callback.FAILED
    with pytest.raises(KeyboardInterrupt):
        callback.ask(address, 0, 0, 0, 0, 0, 0)
    assert callback._INTERRUPTED == []


def test_a_game_that_first_moves_never_end_is_loaded() -> None:
    assert load_game("openspiel:maedn").num_players == 2


def test_memory_is_bounded_and_histories_are_found_again() -> None:
    peer = in_turns(load_peer("tic_tac_toe"))
    follower = Follower(peer, Eyes(peer), kept=5)
    actions = np.array([4, 0, 8, 1, 2, 6, 5], np.int64)
    for length in range(8):
        follower.place(actions[:length].tobytes())
    assert len(follower._places) == 5
    other = Follower(peer, Eyes(peer))
    for length in range(8):
        place = follower.place(actions[:length].tobytes())
        assert str(place.state) == str(other.place(actions[:length].tobytes()).state)
        assert place.tokens == other.place(actions[:length].tobytes()).tokens
    assert len(follower._places) == 5


def test_a_followed_game_travels_by_its_name() -> None:
    game = load_game("openspiel:liars_dice(numdice=3)")
    assert isinstance(game, ForeignGame)
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    assert game_spec(again) == game_spec(game) == "openspiel:liars_dice(numdice=3)"
    assert game != load_game("openspiel:liars_dice(dice_sides=5,numdice=3)")
    history = History(again)
    assert len(history.chance_outcomes()) == 6
    assert game.num_distinct_actions() == again.max_actions == 37  # 6 dice, 6 faces, and liar


@pytest.mark.parametrize("most", [0, 10_000])
def test_pictures_show_what_the_player_was_told(most: int) -> None:
    game = from_openspiel("leduc_poker", max_histories=most)
    history = History(game)
    assert game.render(history.state, 0) == game.render(history.state, 1)
    for move in (0, 3):
        history = history.child(move)
    assert "Private: 0" in game.render(history.state, 0)
    assert "Private: 3" not in game.render(history.state, 0)
    after = history.child(history.legal_actions()[-1])
    assert "you chose Raise" in game.render(after.state, 0)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openspiel:kuhn_pokr", "OpenSpiel has no game 'kuhn_pokr'; did you mean kuhn_poker?"),
        ("openspiel:kuhn_poker(x=1)", "OpenSpiel cannot load"),
        ("openspiel:mfg_garnet", "mean field"),
        ("openspiel:bridge_uncontested_bidding", "draws its chance by itself"),
        ("openspiel:crossword", "because OpenSpiel fails"),
        ("openspiel:cursor_go", "may last 72,922 moves"),
        ("turn_based(openspiel:goofspiel)", "cannot be a part of another game"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(spec: str, said: str) -> None:
    with pytest.raises(GameError) as refused:
        load_game(spec)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_python_games_that_cannot_be_imported_are_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hiddenhand.interop.openspiel.peer._PYTHON_GAMES", "no_such.games")
    with pytest.raises(GameError, match="OpenSpiel cannot load the game"):
        load_game("openspiel:kuhn_poker(x=1)")


def test_a_missing_library_is_told_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyspiel", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[openspiel\]"):
        load_game("openspiel:kuhn_poker")


def test_unknown_names_are_unknown_games() -> None:
    with pytest.raises(UnknownGameError):
        load_game("openspiel:")


def test_tokens_are_tokens() -> None:
    tokens = [token_of(text) for text in ("", "a", "b", "é\ud800"[:1])]
    assert len(set(tokens)) == 4
    assert all(0 < token < 1 << 62 for token in tokens)


def test_kuhn_of_openspiel_has_the_value_of_kuhn() -> None:
    game: Game = load_game("openspiel:kuhn_poker")
    assert solve(game, method="lp").value == pytest.approx(-1 / 18, abs=1e-12)
