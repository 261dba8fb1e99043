"""Blueprints: what training writes, how it goes on, and which files are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.noticing import events_of
from naive.small_games import small
from typing_commands import Typed

from hiddenhand import clock, mapped
from hiddenhand.budget import Budget
from hiddenhand.errors import FileError, GameError, OptionError, TooLargeError
from hiddenhand.evaluation.evaluate import evaluate
from hiddenhand.games import registry
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.jit import dispatching
from hiddenhand.mapped import Mapped, write_mapped
from hiddenhand.matches.match import play_match
from hiddenhand.players.registry import file_of, make_player
from hiddenhand.progress import SILENT, Report
from hiddenhand.search import training
from hiddenhand.search.auto import blueprint_lookup
from hiddenhand.search.auto.blueprint_lookup import LEAST_KNOWN, known_share
from hiddenhand.search.background_training import QuietTraining
from hiddenhand.search.making import make_search
from hiddenhand.search.sampling.external_sampling import ExternalMCCFR
from hiddenhand.search.solving import solve
from hiddenhand.search.training import train
from hiddenhand.solvers.vector_form import vector_cfr
from hiddenhand.solvers.vector_form.blueprint import HandBlueprint
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.trees.blueprint import (
    ENOUGH,
    ONE,
    About,
    SetBlueprint,
    blueprint_path,
    found_blueprint,
    outdated_blueprints,
    visits_of,
    write_set_blueprint,
)
from hiddenhand.trees.profile import nash_conv, uniform_profile
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.unroll import unroll

LEDUC = load_game("Leduc")
HIDDEN = "IIGS(4)"
LARGER = "IIGS(5)"


@pytest.mark.parametrize("algorithm", ["vector-cfr", "vector-mccfr", "mccfr", "external"])
def test_training_goes_on(algorithm: str, tmp_path: Path) -> None:
    """Twice twenty iterations are forty, to the bit."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    once = train(LEDUC, whole, iterations=40, algorithm=algorithm)
    first = train(LEDUC, parts, iterations=20, algorithm=algorithm)
    second = train(LEDUC, parts, iterations=20)
    assert (once.iterations, first.iterations, second.iterations) == (40, 20, 40)
    assert second.began_at == 20
    assert second.method == algorithm
    assert second.nash_conv == once.nash_conv
    one, other = Mapped.load(whole, "train"), Mapped.load(parts, "train")
    assert one.kind == other.kind
    for name, array in one.arrays.items():
        assert array.tobytes() == other.arrays[name].tobytes()


@pytest.mark.parametrize("last", ["mccfr", "external"])
def test_the_run_that_found_the_blueprint_goes_on(last: str, tmp_path: Path) -> None:
    """And not another one whose state is kept, too, and which may have been shorter."""
    file = tmp_path / "blueprint"
    for algorithm in ("mccfr", "external", last):
        train("Kuhn", file, iterations=20, algorithm=algorithm)
    assert train("Kuhn", file, iterations=20).method == last


def test_a_blueprint_is_the_average_strategy(tmp_path: Path) -> None:
    train(LEDUC, tmp_path / "b", iterations=10, algorithm="vector-cfr")
    form = vector_form(LEDUC)
    run = VectorCFR(form)
    run.iterate(10)
    found = HandBlueprint.load(tmp_path / "b", form)
    assert (found.about.iterations, found.about.method) == (10, "vector-cfr")
    for player in range(2):
        played = found.numbers(player, 0, form.sizes[player]) / ONE
        gap = run.walks.nash_conv([played, run.average[1 - player]][:: 1 - 2 * player])
        assert gap == pytest.approx(run.nash_conv(), abs=1e-3)


def test_the_algorithm_suits_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train(LEDUC, tmp_path / "a", iterations=100).method == "vector-cfr"
    assert train(LEDUC, tmp_path / "b", iterations=10).method == "vector-mccfr"
    monkeypatch.setattr(training, "_WALKED", 1.0)
    monkeypatch.setattr(training, "_QUICK", 0.0)
    found = train(LEDUC, tmp_path / "c", seconds=0.05)
    assert found.method == "vector-mccfr"
    assert found.nash_conv is None


def test_what_was_done_is_kept_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed goes on from what was kept last."""
    monkeypatch.setattr(training, "_LEAST", 0.0)
    monkeypatch.setattr(training, "_SAVING", float("inf"))

    def killed(*everything: object, **more: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(vector_cfr, "write_hand_blueprint", killed)
        with pytest.raises(RuntimeError):
            train(LEDUC, tmp_path / "b", iterations=30, algorithm="vector-cfr")
    again = train(LEDUC, tmp_path / "b", iterations=5)
    assert again.began_at == 30
    assert again.iterations == 35


@pytest.mark.parametrize("algorithm", ["vector-cfr", "mccfr"])
def test_the_curve_is_told(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_FIRST_LOOK", 1e-9)
    monkeypatch.setattr(training, "_LOOKING", 1e9)
    told = list[float]()

    class Listening:
        def update(self, report: Report) -> None:
            if "nash_conv" in report.figures:
                told.append(report.figures["nash_conv"])

    options: Any = {"algorithm": algorithm, "progress": Listening()}
    found = train(LEDUC, tmp_path / "b", iterations=300, **options)
    seconds, gaps = zip(*found.curve, strict=True)
    assert list(seconds) == sorted(seconds)
    assert list(dict.fromkeys(told)) == list(dict.fromkeys(gaps))
    monkeypatch.setattr(training, "_LOOKING", 0.0)
    assert train(LEDUC, tmp_path / "c", iterations=300, algorithm=algorithm).curve == ()


def test_a_state_that_is_too_large_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "_LARGEST", 10)
    assert train(LEDUC, tmp_path / "b", iterations=30).state is None
    before = (tmp_path / "b").read_bytes()
    with pytest.raises(
        OptionError, match="no state from which its training can continue; remove it"
    ):
        train(LEDUC, tmp_path / "b", iterations=3)
    assert (tmp_path / "b").read_bytes() == before
    (tmp_path / "b").unlink()
    assert train(LEDUC, tmp_path / "b", iterations=3).began_at == 0


def test_a_file_that_is_no_blueprint_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "b"
    file.write_text("something else")
    with pytest.raises(OptionError, match="is no blueprint of this version; remove it"):
        train("Kuhn", file, iterations=3)
    assert file.read_text() == "something else"


def test_a_blueprint_is_not_replaced_from_an_older_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state was small enough after the first training, and too large after the second."""
    file = tmp_path / "b"
    train("Kuhn", file, iterations=20, algorithm="external")
    with monkeypatch.context() as patch:
        patch.setattr(training, "_LARGEST", 10)
        assert train("Kuhn", file, iterations=200).state is None
    before = file.read_bytes()
    with pytest.raises(OptionError, match=r"of 220 iterations, and the state .* has 20; move"):
        train("Kuhn", file, iterations=20)
    assert file.read_bytes() == before
    file.rename(tmp_path / "away")
    assert train("Kuhn", file, iterations=20).began_at == 20


@pytest.mark.parametrize("algorithm", [None, "mccfr"])
def test_a_blueprint_without_a_state_is_not_replaced_by_another_algorithm(
    algorithm: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "b"
    train("Kuhn", file, iterations=20, algorithm="mccfr")
    with monkeypatch.context() as patch:
        patch.setattr(training, "_LARGEST", 10)
        assert train("Kuhn", file, iterations=20, algorithm="external").state is None
    before = file.read_bytes()
    with pytest.raises(OptionError, match="no state from which its training can continue"):
        train("Kuhn", file, iterations=20, algorithm=algorithm)
    assert file.read_bytes() == before


def test_interrupted_training_is_written(tmp_path: Path) -> None:
    class Ending:
        def update(self, report: Any) -> None:
            if report.unit != "situations" and report.done >= 1:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(LEDUC, tmp_path / "b", iterations=10**6, algorithm="vector-cfr", progress=Ending())
    assert HandBlueprint.load(tmp_path / "b", vector_form(LEDUC)).about.iterations >= 1


def damaged(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(bytes(content))


def test_damage_is_noticed_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "_CHUNK", 256)
    train(LEDUC, tmp_path / "b", iterations=2)
    damaged(tmp_path / "b", -1)
    found = HandBlueprint.load(tmp_path / "b", vector_form(LEDUC))
    size = vector_form(LEDUC).sizes[1]
    found.numbers(0, 0, size)
    found.numbers(1, 0, 8)
    with pytest.raises(FileError, match="damaged"):
        found.numbers(1, size - 1, 1)


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "b"
    train(LEDUC, file, iterations=2)
    with pytest.raises(FileError, match="not of KuhnPoker"):
        HandBlueprint.load(file, vector_form(load_game("Kuhn")))
    with pytest.raises(FileError, match="not a blueprint by sets"):
        SetBlueprint.load(file, LEDUC)
    content = file.read_bytes()
    file.write_bytes(content[:-10])
    with pytest.raises(FileError, match="not whole"):
        Mapped.load(file, "train")
    file.write_bytes(content.replace(b"arrays 1", b"arrays 0", 1))
    with pytest.raises(FileError, match="another version"):
        Mapped.load(file, "train")
    file.write_bytes(b"PK something else")
    with pytest.raises(FileError, match="no file that train wrote"):
        Mapped.load(file, "train")
    with pytest.raises(FileError, match="no file"):
        Mapped.load(tmp_path / "nothing", "train")
    write_mapped(file, "blueprint by hands", {"game": 1}, {})
    with pytest.raises(FileError, match="another version"):
        HandBlueprint.load(file, vector_form(LEDUC))


@pytest.mark.parametrize(
    ("name", "value"),
    [("first", -(2**62)), ("first", 2**62), ("count", 0), ("count", 255), ("probability", 0)],
)
def test_blueprints_by_sets_made_on_purpose(name: str, value: int, tmp_path: Path) -> None:
    """With right digests."""
    game = load_game("Kuhn")
    train(game, tmp_path / "b", iterations=100, algorithm="mccfr")
    whole = Mapped.load(tmp_path / "b", "train")
    arrays = {key: np.array(array) for key, array in whole.arrays.items()}
    for wrong in ({name: np.full_like(arrays[name], value)}, {name: arrays[name][:-1]}):
        write_mapped(tmp_path / "b", whole.kind, whole.about, arrays | wrong)
        with pytest.raises(FileError, match="damaged"):
            SetBlueprint.load(tmp_path / "b", game).among(arrays["keys"])
    write_mapped(tmp_path / "b", whole.kind, whole.about, arrays | {"more": np.zeros(3)})
    with pytest.raises(FileError, match="another version"):
        SetBlueprint.load(tmp_path / "b", game)


def test_arrays_of_any_size_have_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "_CHUNK", 64)
    rng = np.random.default_rng(1)
    arrays = {
        "a": rng.integers(0, 255, 33).astype(np.uint8),
        "none": np.zeros(0),
        "b": rng.random(40),
        "c": np.arange(5, dtype=np.int32),
    }
    write_mapped(tmp_path / "m", "some arrays", {"about": [1, "x"]}, arrays)
    found = Mapped.load(tmp_path / "m", "somebody")
    assert found.about == {"about": [1, "x"]}
    for name, array in arrays.items():
        for first in range(0, array.size, 7):
            found.verify(name, first, min(3, array.size - first))
        assert found.arrays[name].tolist() == array.tolist()


# --- by sets ---


@pytest.fixture(scope="module")
def by_sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint of a game whose moves are hidden."""
    out = tmp_path_factory.mktemp("sets") / "b"
    found = train(small(HIDDEN), out, iterations=4_000, seed=1)
    assert found.method == "external"
    assert found.nash_conv is not None
    assert 0.0 < found.nash_conv < 0.5
    return out


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A blueprint of a game that is not solved in a short time."""
    out = tmp_path_factory.mktemp("larger") / "b"
    train(small(LARGER), out, iterations=4_000, seed=1)
    return out


def test_a_blueprint_by_sets_is_what_external_sampling_finds(by_sets: Path) -> None:
    search = ExternalMCCFR(small(HIDDEN), seed=1)
    search.start(0, 1)
    search.think(iterations=4_000)
    weights, found = search.weights(), SetBlueprint.load(by_sets, small(HIDDEN))
    known = 0
    for row, key in enumerate(weights.keys):
        part = weights.values[weights.starts[row] : weights.starts[row + 1]]
        told = found.at(int(key))
        if part.size == 1 or not part.sum() > 0:
            assert told is None
            continue
        assert told is not None
        assert told[0] == pytest.approx(part / part.sum(), abs=2e-5)
        assert weights.visits is not None
        assert told[1] == pytest.approx(weights.visits[row], rel=0.1)
        known += 1
    assert known == found.num_sets
    assert found.at(12345) is None
    assert found.at(2**64 - 1) is None


def test_visits_are_kept_roughly(tmp_path: Path) -> None:
    search = make_search(LEDUC, "ismcts", 1)
    search.think(iterations=5000)
    weights = search.weights()
    about = About.of(LEDUC, "x", 1, 1.0)
    write_set_blueprint(tmp_path / "b", about, weights)
    found = SetBlueprint.load(tmp_path / "b", LEDUC)
    assert weights.visits is not None
    for key, visits in zip(weights.keys, weights.visits, strict=True):
        if (told := found.at(int(key))) is not None:
            assert told[1] == pytest.approx(visits, rel=0.1)
    assert visits_of(0) == 0.0


@pytest.mark.slow
def test_auto_plays_what_training_came_to_often(
    larger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, spec = SetBlueprint.load(larger, small(LARGER)), f"auto(blueprint='{larger}')"
    for seed in range(4):  # keys of 64 bits among them
        players = [make_player(small(LARGER), spec), make_player(small(LARGER), "random")]
        record = play_match(small(LARGER), players, seed, [Budget(200)] * 2)
        assert "the blueprint says what to play" in record.decisions[0][0].choice
        assert all(decision.choice for decision in record.decisions[0])
    search = make_search(small(LARGER), "auto", blueprint=str(larger))
    search.start(0, 1)
    search.notice([])
    search.think(iterations=10)
    told = known.at(int(search.weights().keys[0]))
    assert told is not None
    assert search.policy(5).tolist() == told[0].tolist()
    assert search.thought()["visits"] == told[1]
    monkeypatch.setattr(blueprint_lookup, "ENOUGH", 1e9)
    search = make_search(small(LARGER), "auto", blueprint=str(larger))
    search.start(0, 1)
    search.notice([])
    search.think(iterations=2000)
    assert "the blueprint says" not in search.choice
    assert search.policy(5).sum() == pytest.approx(1.0)
    assert search.weights().keys.size >= 1


@pytest.mark.slow
def test_a_blueprint_that_does_not_know_how_plays_go_on_is_not_believed(
    larger: Path, tmp_path: Path
) -> None:
    """Its first move is worth little, however often training came there."""
    train(small(LARGER), tmp_path / "b", iterations=100, seed=1)
    little = SetBlueprint.load(tmp_path / "b", small(LARGER))
    share = known_share(small(LARGER), little)
    assert share == counted_share(little)
    assert (
        share < LEAST_KNOWN <= known_share(small(LARGER), SetBlueprint.load(larger, small(LARGER)))
    )
    search = make_search(small(LARGER), "auto", blueprint=str(tmp_path / "b"))
    search.start(0, 1)
    search.notice([])
    search.think(iterations=200)
    said = search.candidates[-1].why()
    assert f"knows only {share:.0%} of the decisions in its own plays" in said
    told = little.at(int(search.weights().keys[0]))
    assert told is None or search.policy(5).tolist() != told[0].tolist()


def counted_share(blueprint: SetBlueprint) -> float:
    """`known_share`, counted in another way: plays are made first, and looked at then."""
    random, found = np.random.default_rng(0), []
    for _ in range(100):
        history, turns = History(small(LARGER)), []
        while not history.is_terminal:
            actions = history.legal_actions()
            move = int(random.integers(len(actions)))
            known = blueprint.at(history.information_key)
            if len(actions) > 1:
                turns.append(known is not None and known[1] >= ENOUGH)
                if turns[-1] and known is not None:
                    move = int(random.choice(len(actions), p=known[0]))
            history = history.child(actions[move])
        found += turns
    return float(np.mean(found))


@pytest.mark.slow
def test_search_makes_a_blueprint_by_sets_better(by_sets: Path) -> None:
    tree, known = unroll(small(HIDDEN)), SetBlueprint.load(by_sets, small(HIDDEN))
    played = known.on(tree)
    before = nash_conv(tree, np.where(np.isnan(played), uniform_profile(tree), played))
    found = evaluate(
        tree,
        f"auto(blueprint='{by_sets}')",
        method="stitch-public",
        on_the_way=True,
        iterations=40_000,
        preplay_iterations=1,
    )
    assert found.nash_conv.value < 0.7 * before


@pytest.mark.slow
def test_a_match_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    """Also where it ended before anything was resolved."""
    train(small(LARGER), tmp_path / "b", iterations=5000)
    search = make_search(small(LARGER), "auto", blueprint=str(tmp_path / "b"))
    events = events_of(History(small(LARGER)).child(2).child(3), 0)
    played = []
    for iterations in (20, 40_000, 40_000):
        search.start(0, 1)
        search.think(iterations=iterations)
        for told in ([], events):
            search.notice(told)
            search.think(iterations=iterations)
        played.append(search.policy(4).tolist())
    assert played[1] == played[2]


@pytest.mark.slow
def test_a_perfect_blueprint_is_kept(tmp_path: Path) -> None:
    """What a few iterations find is not played where the blueprint is safer."""
    found = solve(small(HIDDEN), "lp").strategy()
    visits = np.full(found.keys.size, 1e6)
    weights = Weights(found.keys, found.starts, found.probabilities, visits)
    write_set_blueprint(tmp_path / "b", About.of(small(HIDDEN), "lp", 1, 1.0), weights)
    tree = unroll(small(HIDDEN))
    played = evaluate(
        tree,
        f"auto(blueprint='{tmp_path / 'b'}')",
        method="stitch-public",
        on_the_way=True,
        iterations=100,
        preplay_iterations=1,
    )
    assert played.nash_conv.value < 2e-3  # 16 bits say so much


def test_many_sets_are_looked_up_as_one_by_one(by_sets: Path) -> None:
    known = SetBlueprint.load(by_sets, small(HIDDEN))
    keys = np.concatenate([unroll(small(HIDDEN)).set_key, np.array([0, 1, 2**64 - 1], np.uint64)])
    found = known.among(keys)
    assert found.keys.size == known.num_sets
    assert (np.diff(found.keys.astype(object)) > 0).all()
    assert found.visits is not None
    for row, key in enumerate(found.keys):
        told = known.at(int(key))
        assert told is not None
        part = slice(found.starts[row], found.starts[row + 1])
        assert told[0].tolist() == found.values[part].tolist()
        assert told[1] == found.visits[row]
    often = known.among(keys, 100.0)
    assert often.visits is not None
    assert often.keys.tolist() == found.keys[found.visits >= 100.0].tolist()
    assert 0 < often.keys.size < found.keys.size
    assert known.among(np.zeros(0, np.uint64)).keys.size == 0


def test_a_blueprint_is_kept_for_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    assert found_blueprint(LEDUC) is None
    told = 'no blueprint of .* make one with: hiddenhand train "leduc_poker"'
    with pytest.raises(FileError, match=told):
        make_search(LEDUC, "auto(blueprint=trained)")
    done = train(LEDUC, iterations=10, algorithm="vector-cfr")
    assert done.file.parent == tmp_path / "blueprints"
    kept = found_blueprint(LEDUC)
    assert kept is not None
    assert kept[0] == done.file
    assert kept[1].iterations == 10
    assert found_blueprint(small(HIDDEN)) is None
    assert found_blueprint(load_game("leduc_poker(max_raises=1)")) is None
    assert make_search(LEDUC, "auto(blueprint=trained)").policy(2).sum() == pytest.approx(1.0)
    assert make_search(LEDUC, "vector-cr(blueprint=trained)").policy(2).sum() == pytest.approx(1.0)
    assert file_of("auto(blueprint=trained)") == ""
    assert file_of("auto(blueprint=trained)", LEDUC) == str(done.file)


@pytest.mark.slow
def test_a_process_trains_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    lock = tmp_path / "blueprints" / f"{blueprint_path(LEDUC).name}.lock"
    with QuietTraining("leduc_poker", first=0.1) as training:
        assert training.trained == ""
        while not training.trained and training.is_alive:
            clock.sleep(0.05)
        assert training.is_alive
    assert not training.is_alive
    kept = found_blueprint(LEDUC)
    assert kept is not None
    assert kept[1].iterations > 0
    assert training.trained == kept[1].trained
    assert not lock.exists()


@pytest.mark.slow
def test_a_game_that_cannot_be_trained_ends_the_process() -> None:
    with QuietTraining("tricks") as training:
        while training.is_alive:
            clock.sleep(0.05)


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        train(LEDUC, tmp_path / "b")
    with pytest.raises(OptionError, match="threads=0"):
        train(LEDUC, tmp_path / "b", iterations=1, algorithm="vector-mccfr", threads=0)
    for threads in ("2", 2.5, None):
        with pytest.raises(OptionError, match=f"threads={threads!r} is not allowed; give a whole"):
            train(LEDUC, tmp_path / "b", iterations=1, threads=threads)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="algorithm='lp'"):
        train(LEDUC, tmp_path / "b", iterations=1, algorithm="lp")
    with pytest.raises(GameError, match="for all hands at once"):
        train(small(HIDDEN), tmp_path / "b", iterations=1, algorithm="vector-cfr")
    told = (
        r"training by any .*, which Tricks\(.* use auto or ismcts, which play without a blueprint"
    )
    for algorithm in (None, "external", "vector-cfr"):
        with pytest.raises(GameError, match=told):
            train("tricks", tmp_path / "b", iterations=1, algorithm=algorithm)
    assert not list(tmp_path.iterdir())


def test_a_game_that_does_not_fit_is_sampled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "memory_left", lambda: 100)
    assert train(LEDUC, tmp_path / "b", iterations=50).method == "external"

    def refuses(*everything: object, **more: object) -> None:
        raise TooLargeError("too many")

    monkeypatch.setattr(training, "vector_form", refuses)
    assert train(LEDUC, tmp_path / "c", iterations=50).method == "external"
    with pytest.raises(TooLargeError):
        train(LEDUC, tmp_path / "d", iterations=50, algorithm="vector-mccfr")


def test_the_command_trains_and_goes_on(typed: Typed, tmp_path: Path) -> None:
    out = tmp_path / "leduc"
    options = ("train", "Leduc", "--out", str(out), "--json", "--iterations")
    first = json.loads(typed(*options, "100")[1])
    again = json.loads(typed(*options, "50")[1])
    assert first["algorithm"] == "vector-cfr"
    assert again["iterations"] == 150
    assert again["earlier_iterations"] == 100
    assert again["nash_conv"] < first["nash_conv"]
    assert all(len(look) == 2 for look in again["curve"])
    assert again["state"] == f"{out}.vector-cfr"
    status, _, error = typed(
        "train", "Leduc", "--out", str(out), "--seconds", "1", "--minutes", "1"
    )
    assert status == 2
    assert "only one of" in error
    status, _, error = typed("train", "tricks", "--out", str(out), "--iterations", "1")
    assert status == 2
    assert "zero-sum" in error


def test_the_command_trains_the_catalogue(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    games = [one for one in registry.describe_games() if one.name in ("kuhn_poker", "tricks")]
    monkeypatch.setattr(registry, "describe_games", lambda: games)
    options = ("train", "--all-games", "--json", "--seconds", "0.05")
    kuhn, tricks = map(json.loads, typed(*options)[1].splitlines())
    assert kuhn["game"] == "kuhn_poker"
    assert "of vector-cfr" in kuhn["trained"]
    assert Path(kuhn["file"]).exists()
    assert tricks["trained"] == "not trained"
    assert "zero-sum" in tricks["file"]
    before = Path(kuhn["file"]).stat().st_mtime_ns
    typed("train", "--all-games", "--json", "--seconds", "0.01")  # it has had that time
    assert Path(kuhn["file"]).stat().st_mtime_ns == before
    for bad in (("Leduc", "--all-games"), ("--all-games", "--iterations", "2"), ()):
        status, _, error = typed("train", *bad)
        assert status == 2
        assert "--all-games" in error


def test_the_command_keeps_a_blueprint_that_auto_finds(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    told = typed("train", "Kuhn", "--iterations", "20")[1]
    assert f"The blueprint: {tmp_path}" in told
    assert 'hiddenhand play "Kuhn" --against "auto(blueprint=trained)"' in told
    matched = typed(
        *("match", "Kuhn", "auto(blueprint=trained)", "random", "--matches", "2"),
        *("--iterations", "10", "--json"),
    )
    assert matched[0] == 0
    status, _, error = typed(
        *("match", "Leduc", "auto(blueprint=trained)", "random", "--matches", "2"),
        *("--iterations", "10"),
    )
    assert status == 2
    assert "no blueprint of" in error
    _, error = typed("play", "Kuhn", lines="quit\n")[1:]
    assert 'to play against that: --against "auto(blueprint=trained)"' in error


# --- what an edit of the game leaves behind ---


def test_blueprints_of_earlier_rules_are_removed_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typed
) -> None:
    """Two with other rules, one of them with a state; those of another game stay."""
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    kept = train(LEDUC, iterations=2, algorithm="mccfr").file
    other = train("kuhn_poker", iterations=2, algorithm="mccfr").file
    header = Mapped.load(kept, "train")
    about = header.about | {"rules": "0123456789abcdef under cpython-311"}
    stem = kept.name.rpartition("-")[0]
    old = [kept.with_name(f"{stem}-{digest}.blueprint") for digest in ("aa", "bb")]
    for path in old:
        write_mapped(path, header.kind, about, dict(header.arrays))
    state = old[0].with_name(f"{old[0].name}.mccfr")
    state.write_bytes(b"a state")
    assert outdated_blueprints(LEDUC) == [old[0], state, old[1]]

    arguments = ("train", "leduc_poker", "--iterations", "2")
    status, _, err = typed(*arguments)
    assert status == 0
    assert "3 files of blueprints of leduc_poker were made with other rules" in err
    assert old[0].exists()
    status, _, err = typed(*arguments, "--remove-outdated")
    assert status == 0
    assert "Removed 3 files of blueprints with other rules" in err
    assert not any(path.exists() for path in (*old, state))
    assert kept.exists()
    assert other.exists()
    assert outdated_blueprints(LEDUC) == []


def _write_rules(file: Path, factor: int) -> None:
    """Write the rules of a game `Own`, which differ with the factor of its payoffs."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        "from dataclasses import dataclass\n"
        "from hiddenhand.games.poker.kuhn import KuhnPoker\n\n\n"
        "@dataclass(frozen=True)\n"
        "class Own(KuhnPoker):\n"
        "    def returns(self, state, player):\n"
        f"        return {factor} * state[0]\n",
        encoding="utf-8",
    )


def _keep_blueprint(game: Game) -> Path:
    """Keep an empty blueprint of a game."""
    nothing = np.zeros(0)
    weights = Weights(nothing.astype(np.uint64), np.zeros(1, np.int64), nothing, nothing)
    path = blueprint_path(game)
    write_set_blueprint(path, About.of(game, "mccfr", 1, 1.0), weights)
    return path


@pytest.mark.parametrize("edited", [True, False], ids=["other rules", "no rules"])
@pytest.mark.parametrize("remove", [True, False])
def test_an_edit_during_the_training_does_not_lose_its_result(
    edited: bool, remove: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typed
) -> None:
    """The command names the blueprint, keeps it, and does not call it outdated."""
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    rules = tmp_path / "own.py"
    _write_rules(rules, 1)
    kept = blueprint_path(load_game(f"{rules}:Own"))

    def trained(game: Game, out: None, **how: object) -> training.Trained:
        if edited:
            _write_rules(rules, 2)
        else:
            rules.write_text("class Own(", encoding="utf-8")
        return training.Trained("mccfr", 1, 1.0, 0, None, (), 0, _keep_blueprint(game), None)

    monkeypatch.setattr(training, "train", trained)
    options = ("--remove-outdated",) if remove else ()
    status, out, error = typed("train", f"{rules}:Own", "--iterations", "1", "--json", *options)
    assert status == 0
    assert json.loads(out)["file"] == str(kept)
    assert kept.exists()
    assert "other rules" not in error


def test_blueprints_of_other_games_of_the_same_name_are_not_outdated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor are those from before it was kept where a game came from."""
    monkeypatch.setenv("HIDDENHAND_DATA", str(tmp_path))
    mine, other = tmp_path / "mine" / "own.py", tmp_path / "other" / "own.py"
    kept = []
    for file, factor in ((mine, 1), (mine, 2), (other, 3), (mine, 4)):
        _write_rules(file, factor)
        kept.append(_keep_blueprint(load_game(f"{file}:Own")))
    header = Mapped.load(kept[1], "train")
    about = {name: value for name, value in header.about.items() if name != "origin"}
    write_mapped(kept[1], header.kind, about, dict(header.arrays))
    assert outdated_blueprints(load_game(f"{mine}:Own")) == [kept[0]]
    _write_rules(mine, 2)
    found = found_blueprint(load_game(f"{mine}:Own"))
    assert found is not None
    assert found[0] == kept[1]


# --- the first run ---


class _Compiling:
    """A run whose first iteration compiles for a minute. Each iteration takes a second."""

    NAME = "mccfr"

    def __init__(self, still: StillClock) -> None:
        self.iterations, self.seconds, self.state_bytes, self.seconds_of_nash_conv = 0, 0.0, 0, 1e9
        self._still = still

    def iterate(self, iterations: int | None, *, seconds: float | None, progress: object) -> None:
        def work(times: int) -> int:
            if self.iterations == 0:
                with dispatching._counted():
                    self._still.sleep(60.0)
            self._still.sleep(times)
            self.iterations += times
            return times

        Budget(iterations, seconds).spend(work)

    def save(self, path: Path) -> None:
        pass

    def write_blueprint(self, out: Path) -> int:
        return 0


def test_compiling_does_not_count_against_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    still = installed(monkeypatch, StillClock())
    for seconds in (1.0, 5.0):
        run: Any = _Compiling(still)
        budget = Budget(seconds=seconds)
        done = training._trained(run, tmp_path / "b", tmp_path / "s", budget, SILENT)
        assert done.iterations == seconds
