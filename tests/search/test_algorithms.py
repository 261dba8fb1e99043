"""The contract of all algorithms: whatever is in the registry obeys the protocol, is deterministic,
goes on from a file bit for bit, keeps within its memory, and refuses what it cannot do.

Nothing here names what one algorithm does beyond that; each has tests of its own. Games of hidden
information are written out as `TreeGame`, those of simultaneous moves as `JointTree`, so that all
of a kind share their compiled code.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.joint_games import JointTree
from naive.small_games import ThreeHands, bushy, small

from hiddenhand import evaluate, load_game, make_search, solve
from hiddenhand.errors import FileError, GameError, HiddenhandError, OptionError, RefusedOptionError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.infoset_table import num_bytes
from hiddenhand.search.algorithms import (
    SEARCH,
    SOLVER,
    Algorithm,
    algorithms,
    find,
    names,
    read_algorithm,
)
from hiddenhand.search.making import why_not
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.root_search import resume, spec_of
from hiddenhand.search.table_search import LEAST_MEMORY, TableSearch
from hiddenhand.trees.strategy_files import load_strategy

HIDDEN = ("Kuhn", "coordination_game", "IIGS(3)", "LD(1,1,2)")
"""Small games of hidden information for two players, zero-sum."""
AT_ONCE = ", at once"
JOINT = tuple(name + AT_ONCE for name in ("GS(3)", "goofspiel(3)", "biased_rps(2)"))
"""Small games in which only what is chosen at the same moment is hidden."""
OTHERS = ("three hands",)
"""Three players, not zero-sum."""
GAMES = HIDDEN + JOINT + OTHERS
OPEN_MOVES = ("Kuhn", "LD(1,1,2)")
"""Games in which all moves are public."""
ONLY = ("visibility_pursuit",)
"""Games that an algorithm may be for alone."""


@cache
def game_named(name: str) -> Game:
    if name in JOINT:
        return JointTree.from_game(load_game(name.removesuffix(AT_ONCE)))
    if name in OTHERS:
        return TreeGame.from_game(ThreeHands())
    if name in ONLY:
        return load_game("VP(map=wide6x7,start='g1 a1 a6',moves=9)")
    return small(name)


BUDGET = 60
"""Iterations of one thinking: few, and more than one chunk."""
QUICK = {"pimc": "pimc(simulations=10)"}
"""Where an iteration is a share of something larger, parts that the budget is a multiple of."""

SEARCHES = algorithms(SEARCH)
VARIANTS = {
    "oos(baseline=history,targeting=pst)": "IIGS(3)",
    "mccfr(baseline=predictive)": "Kuhn",
    "ismcts(selector=rm,gamma=0.3,belief=modelled,repetitions=50)": "LD(1,1,2)",
    "ismcts(observer=multiple)": "Kuhn",
    "ismcts(redetermined=true)": "LD(1,1,2)",
    "smooth-uct(strategy=greedy)": "Kuhn",
    "mccr(mode=keep,baseline=set)": "LD(1,1,2)",
    "mccr(baseline=predictive)": "Kuhn",
    "sm-mcts(selector=rm,gamma=0.2,propagate=means)": "GS(3), at once",
    "sm-mcts(selector=exp3)": "GS(3), at once",
    "sm-mcts(selector=duct)": "GS(3), at once",
    "sm-oos(epsilon=0.4,carry=true)": "GS(3), at once",
}
"""Searches with other parameters than by default, and a game for each."""


def is_for(algorithm: Algorithm, name: str) -> bool:
    """Whether the algorithm is for a game, by what the registry says in words."""
    if algorithm.games in ONLY:
        return name == algorithm.games
    if "simultaneous moves" in algorithm.games:
        return name in JOINT
    if "all moves are public" in algorithm.games:
        return name in OPEN_MOVES
    if name in JOINT:
        return True
    return name not in OTHERS or "any number of players" in algorithm.games


SUITED = [
    (algorithm.name, name)
    for algorithm in SEARCHES
    for name in (JOINT if "simultaneous moves" in algorithm.games else HIDDEN + OTHERS + ONLY)
    if (name not in ONLY or algorithm.games in ONLY) and is_for(algorithm, name)
]


def quick_and_others() -> Iterator[Any]:
    """`SUITED`. Of each search two games are quick, not the same of all, and any for three players;
    the others are thorough.
    """
    for number, search in enumerate(SEARCHES):
        suited = [name for spec, name in SUITED if spec == search.name]
        quick = {suited[number % len(suited)], suited[(number + 2) % len(suited)], *OTHERS}
        for name in suited:
            marks = [] if name in quick else [pytest.mark.thorough]
            yield pytest.param(search.name, name, marks=marks)


def search_of(spec: str, name: str) -> OnlineSearch:
    return make_search(game_named(name), QUICK.get(spec, spec), 7)


def decisions(game: Game, seat: int) -> Iterator[tuple[History, list[Event]]]:
    """Where ``seat`` decides in a match whose moves are drawn, with what was noticed since the last
    time; the end of the match comes last.
    """
    random = np.random.default_rng(5)
    history, events = History(game), list[Event]()
    while not history.is_terminal:
        if history.player == seat:
            yield history, events
            events = []
        moves = (
            [outcome for outcome, _ in history.chance_outcomes()]
            if history.player == CHANCE
            else history.legal_actions()
        )
        history = history.child(int(random.choice(moves)))
        event = history.noticed(seat)
        events += [event] if event is not None else []
    yield history, events


def follow(search: OnlineSearch, seat: int, seed: int, pieces: int = 1) -> list[bytes]:
    """Everything that can be seen of a search that thinks before play, at each decision of a match
    and after its end, ``pieces`` times for a part of its budget.

    Nothing is remembered of the match before. At each decision there is a policy, also before the
    search has thought about it, and there are weights.
    """
    search.start(seat, seed)
    assert search.weights().keys.size == 0
    seen = []
    for _ in range(pieces):
        search.think(iterations=BUDGET // pieces)
    for history, events in decisions(search.game, seat):
        search.notice(events, iterations=BUDGET)
        if history.is_terminal:
            break
        num_actions = len(history.legal_actions())
        verify_policy(search.policy(num_actions), num_actions)
        for _ in range(pieces):
            search.think(iterations=BUDGET // pieces)
        policy = search.policy(num_actions)
        verify_policy(policy, num_actions)
        seen.append(policy.tobytes())
        verify_weights(search.weights())
    search.think(iterations=BUDGET)  # also after the end of the match
    thought = search.thought()
    assert thought["iterations"] >= 0
    assert all(np.isfinite(float(figure)) for figure in thought.values())
    return [*seen, *everything(search)]


def everything(search: OnlineSearch) -> list[bytes]:
    """What a search knows, in the order of the keys of information sets."""
    weights = search.weights()
    verify_weights(weights)
    order = np.argsort(weights.keys)
    rows = [weights.values[weights.starts[i] : weights.starts[i + 1]].tobytes() for i in order]
    return [weights.keys[order].tobytes(), *rows]


def verify_policy(policy: Any, num_actions: int) -> None:
    assert policy.shape == (num_actions,)
    assert (policy >= 0).all()
    assert policy.sum() == pytest.approx(1.0, abs=1e-9)


def verify_weights(weights: Any) -> None:
    assert weights.keys.dtype == np.uint64
    assert np.unique(weights.keys).size == weights.keys.size
    assert weights.starts.shape == (weights.keys.size + 1,)
    assert weights.starts[0] == 0
    assert weights.starts[-1] == weights.values.size
    assert (np.diff(weights.starts) > 0).all()
    assert (weights.values >= 0).all()
    assert np.isfinite(weights.values).all()


# --- the protocol ---


@pytest.mark.parametrize(("spec", "name"), [*quick_and_others(), *VARIANTS.items()])
def test_it_keeps_the_protocol_and_equal_seeds_give_equal_bits(spec: str, name: str) -> None:
    """Match after match, from every seat, after one that was broken off, and however the thinking
    is cut into pieces.
    """
    search = search_of(spec, name)
    whole = follow(search, 1, seed=3)
    for seat in range(search.game.num_players):
        again = follow(search, seat, seed=3)
        assert again == whole or seat != 1
    search.start(0, 5)
    for _, events in islice(decisions(search.game, 0), 2):
        search.notice(events, iterations=BUDGET)
        search.think(iterations=BUDGET)
    assert follow(search, 1, seed=3, pieces=3) == whole


@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda algorithm: algorithm.name)
def test_budgets_are_needed_and_verified(algorithm: Algorithm) -> None:
    name = "GS(3), at once" if "simultaneous moves" in algorithm.games else "Kuhn"
    search = search_of(algorithm.name, algorithm.games if algorithm.games in ONLY else name)
    for wrong in ({}, {"iterations": 0}, {"seconds": -1.0}):
        with pytest.raises(OptionError):
            search.think(**wrong)


# --- guarantees ---

CONVERGING = {
    "auto": "Kuhn",
    "oos": "Kuhn",
    "mccfr": "IIGS(3)",
    "mccfr(baseline=history)": "Kuhn",
    "oos(targeting=ist,delta=0.5)": "Kuhn",
    "oos-aimed": "Kuhn",
    "sm-mcts(selector=rm)": "GS(3), at once",
    "sm-mcts(selector=exp3)": "biased_rps(2), at once",
    "sm-mcts(selector=rm,propagate=means)": "biased_rps(2), at once",
    "sm-oos": "GS(3), at once",
    "mccr": "Kuhn",
    "mccr(mode=keep)": "LD(1,1,2)",
    "mccr-external": "Kuhn",
    "cr": "Kuhn",
    "vector-cr": "Kuhn",
}
"""Searches that come close to an equilibrium, and a game for each."""


@pytest.mark.parametrize(("spec", "name"), CONVERGING.items())
def test_what_is_guaranteed_to_converge_does(spec: str, name: str) -> None:
    """nash_conv falls to less than a third, in the mean over two seeds: of the strategy found from
    the root, or of what is played in matches. For half of these searches it falls to a tenth.
    """
    in_matches = not read_algorithm(spec)[0].can_be_saved or "targeting" in spec
    method = "stitch-public" if in_matches else "root"
    budgets = (50, 5000) if in_matches else (300, 30_000)
    early, late = (
        evaluate(
            game_named(name), spec, method=method, iterations=budget, seeds=(1, 2)
        ).nash_conv.value
        for budget in ((20, 500) if spec in ("cr", "vector-cr") else budgets)  # which are exact
    )
    assert late < early / 3


def test_searches_without_a_guarantee_say_so() -> None:
    named = {read_algorithm(spec)[0].name for spec in CONVERGING}
    assert {one.name for one in SEARCHES if not one.guarantee.startswith("none")} == {
        *named,
        "doab",
    }


# --- files ---


@pytest.mark.parametrize(
    ("spec", "name"),
    # of each search the first game that suits it
    [
        *dict(reversed(SUITED)).items(),
        *((s, n) for s, n in VARIANTS.items() if "observer" not in s),
    ],
)
def test_a_search_goes_on_from_a_file_bit_for_bit(spec: str, name: str, tmp_path: Path) -> None:
    algorithm, _ = read_algorithm(spec)
    search, game = search_of(spec, name), game_named(name)
    search.think(iterations=BUDGET)
    if not algorithm.can_be_saved:
        with pytest.raises(OptionError, match=f"{algorithm.name} cannot be resumed"):
            resume(algorithm, tmp_path / "search", game)
        return
    assert isinstance(search, TableSearch)
    search.save(tmp_path / "search")
    resumed = resume(algorithm, tmp_path / "search", game)
    assert spec_of(resumed) == spec_of(search)
    assert everything(resumed) == everything(search)
    assert load_strategy(tmp_path / "search") == search.strategy()
    for running in (search, resumed):
        running.think(iterations=BUDGET)
    assert everything(resumed) == everything(search)


@pytest.mark.parametrize(
    "spec", ["sm-mcts(gamma=0.2,propagate=means)", "sm-oos(epsilon=0.4,carry=true)"]
)
def test_searches_of_simultaneous_moves_go_on_in_the_middle_of_a_match(
    spec: str, tmp_path: Path
) -> None:
    search: Any = search_of(spec, "GS(3), at once")
    search.start(0, 1)
    for _, events in islice(decisions(search.game, 0), 2):
        search.notice(events)
        search.think(iterations=BUDGET)
    search.save(tmp_path / "search")
    again: Any = type(search).load(tmp_path / "search", game_named("GS(3), at once"))
    for running in (search, again):
        running.think(iterations=BUDGET)
    assert everything(again) == everything(search)
    assert again.policy(2).tolist() == search.policy(2).tolist()
    assert again.result().dropped == search.result().dropped > 0


# --- memory ---


LIMITED = [
    algorithm
    for algorithm in SEARCHES
    if any(parameter.name == "memory" for parameter in algorithm.parameters)
]


@pytest.mark.parametrize("algorithm", LIMITED, ids=lambda algorithm: algorithm.name)
def test_memory_is_kept_within(algorithm: Algorithm) -> None:
    """A search that would take more than a MiB takes a MiB, and goes on."""
    if algorithm.games in ONLY:
        game = game_named(algorithm.games)
    else:
        game = load_game("GS(7)") if "simultaneous moves" in algorithm.games else bushy()
    taken = []
    for memory in (16 * LEAST_MEMORY, LEAST_MEMORY):
        search: Any = make_search(game, algorithm.name, 1, memory=memory)
        search.think(iterations=5 if algorithm.name == "doab" else 30_000)
        following = getattr(search, "resolving", search)  # of auto
        searching = search if hasattr(search, "table") else following.resolver
        taken.append(num_bytes(searching.table))
        assert taken[-1] <= memory
        assert search.thought()["iterations"] > 0
    assert taken[0] > LEAST_MEMORY


# --- refusals ---


@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda algorithm: algorithm.name)
def test_the_reason_for_a_refusal_is_what_the_constructor_says(algorithm: Algorithm) -> None:
    for name in GAMES:
        game = game_named(name)
        reason = why_not(algorithm, game)
        if reason is None:
            make_search(game, algorithm.name)
        else:
            with pytest.raises(GameError) as refused:
                make_search(game, algorithm.name)
            assert str(refused.value) == reason
        assert (reason is None) == is_for(algorithm, name), name


# --- solvers ---

SOLVERS = algorithms(SOLVER)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("algorithm", SOLVERS, ids=lambda algorithm: algorithm.name)
def test_solvers_solve_or_say_why_not(algorithm: Algorithm, name: str) -> None:
    given = {} if algorithm.name in ("lp", "induction") else {"iterations": BUDGET}
    reason = why_not(algorithm, game_named(name))
    for_two = algorithm.name in ("lp", "induction", "vector-cfr", "vector-mccfr")
    assert (reason is not None) == (name in OTHERS and for_two)
    if reason is not None:
        with pytest.raises(GameError) as refused:
            solve(game_named(name), algorithm.name, **given)
        assert str(refused.value) == reason
    elif algorithm.name == "induction" and name not in JOINT:
        with pytest.raises(GameError, match=r"cannot know|hides|not known"):
            solve(game_named(name), algorithm.name)
    elif algorithm.name.startswith("vector") and name not in OPEN_MOVES:
        with pytest.raises(GameError, match="for all hands at once"):
            solve(game_named(name), algorithm.name, **given)
    else:
        found, again = (solve(game_named(name), algorithm.name, **given) for _ in range(2))
        assert found.nash_conv >= -1e-9
        assert found.nash_conv < (1e-9 if not given else 3.0)
        assert found.profile.tobytes() == again.profile.tobytes()
        assert len(found.values) == game_named(name).num_players
        assert found.strategy().num_sets > 0


# --- the registry itself ---


def test_entries_are_complete() -> None:
    for algorithm in algorithms():
        assert callable(algorithm.load())
        for words in (algorithm.paper, algorithm.summary, algorithm.games, algorithm.guarantee):
            assert words.strip()
        assert algorithm.summary.endswith(".")
        for parameter in algorithm.parameters:
            assert parameter.description, f"{algorithm.name}: what does {parameter.name} mean?"
            assert parameter.said != "anything"
            assert parameter.verified(algorithm.name, parameter.default) == parameter.default
        assert algorithm.verified(dict(algorithm.defaults)) == dict(algorithm.defaults)


def test_names_are_different_and_spelt_as_one_likes() -> None:
    every = [name for entry in algorithms() for name in (entry.name, *entry.aliases)]
    folded = [re.sub(r"[-_]", "", name) for name in names()]
    assert len(set(folded)) == len(folded)
    for name in every:
        for spelling in (name, name.upper(), name.replace("-", "_"), name.replace("-", "")):
            assert find(spelling) is find(name) is not None
    assert find("smmcts") is find("sm-mcts", SEARCH) is find("SM_MCTS")
    assert find("smoos") is find("sm-oos", SEARCH) is find("sm_oos")
    assert find("lp", SEARCH) is find("oos", SOLVER) is find("magic") is None


def test_mccfr_the_search_is_told_from_mccfr_the_solver() -> None:
    search, solver = find("mccfr"), find("mccfr", SOLVER)
    assert search is not None
    assert solver is not None
    assert (search.kind, solver.name) == (SEARCH, "mccfr-outcome")
    assert search.target != solver.target
    assert "written out" in solver.summary


def test_values_beyond_the_limits_of_a_parameter_are_refused() -> None:
    """Each search takes the values at its limits, and its words. It refuses those just beyond."""
    refused = 0
    for search in {algorithm.load() for algorithm in algorithms(SEARCH)}:
        record = getattr(search.__init__, "record", None)
        for one in record.all() if record is not None else ():
            allowed = one.allowed
            inside = [allowed.least, allowed.most, *allowed.choices]
            beyond = [allowed.above, allowed.below]
            beyond += [limit - 1 for limit in [allowed.least] if limit is not None]
            beyond += [limit + 1 for limit in [allowed.most] if limit is not None]
            beyond += ["x"] if allowed.choices else []
            for value in (value for value in inside if value is not None):
                assert one.checked(value) == value
            for value in (value for value in beyond if value is not None):
                with pytest.raises(RefusedOptionError, match=f"^{one.name}=.* is not allowed"):
                    record(**{one.name: value})
                refused += 1
    assert refused > 60


def test_what_is_refused() -> None:
    for line in Path(__file__).with_name("refused.txt").read_text().splitlines():
        named, _, says = line.partition(" => ")
        if says:
            with pytest.raises(HiddenhandError) as refused:
                make_search(*named.split(" ", 1))
            assert says in str(refused.value), line
            assert "\n" not in str(refused.value)


def test_parameters_in_the_text_and_by_name_mean_the_same() -> None:
    found = [
        make_search(*arguments, **named)
        for arguments, named in (
            (("Kuhn", "oos(epsilon=0.4,targeting=ist)", 5), {}),
            ((load_game("Kuhn"), "oos", 5), {"epsilon": 0.4, "targeting": "ist"}),
            (("kuhn_poker", "OOS(targeting=ist)", 5), {"epsilon": 0.4}),
        )
    ]
    for search in found:
        search.think(iterations=BUDGET)
    first, *others = (everything(search) for search in found)
    assert all(other == first for other in others)
    with pytest.raises(OptionError, match="'epsilon' is given twice"):
        make_search("Kuhn", "oos(epsilon=0.4)", epsilon=0.4)
    with pytest.raises(HiddenhandError, match="there is no game 'Khun'"):
        make_search("Khun", "oos")


def test_objects_of_other_kinds_are_refused() -> None:
    wrong: Any
    for wrong in (None, 3, make_search, Algorithm, ["oos"]):
        with pytest.raises(OptionError, match="is not the name of an algorithm; write it like oos"):
            make_search("Kuhn", wrong)
        with pytest.raises(GameError, match="is not a game; give a game or its name, such as kuhn"):
            make_search(wrong, "oos")
    with pytest.raises(OptionError, match=r"KuhnPoker.* is a game.*; give the game first, then"):
        make_search("oos", load_game("Kuhn"))  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    """Also where a file keeps them."""
    given = {"cap": np.int32(10), "epsilon": np.float32(0.5), "gamma": np.int64(0)}
    search: Any = make_search("Kuhn", "oos", np.int64(3), **given)
    search.think(iterations=np.int16(20))
    same: Any = make_search("Kuhn", "oos(cap=10,epsilon=0.5,gamma=0)", 3)
    same.think(iterations=20)
    assert everything(search) == everything(same)
    assert search.parameters == same.parameters
    search.save(tmp_path / "file")
    with pytest.raises(OptionError, match="gamma=nan is not allowed; give a finite number"):
        make_search("Kuhn", "oos", gamma=np.float64("nan"))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("OOS", "oos"),
        ("SM_MCTS(selector=rm)", "sm-mcts(selector=rm)"),
        ("oos( delta=1, epsilon=.5 )", "oos(epsilon=0.5,delta=1.0)"),
        ("oos(targeting=None,evaluation=TRUE)", "oos(targeting=none,evaluation=true)"),
        ("mccfr(weighting=false)", "mccfr(weighting=false)"),
    ],
)
def test_a_text_has_one_form_that_is_printed(text: str, spec: str) -> None:
    algorithm, given = read_algorithm(text)
    assert algorithm.spec(given) == spec
    assert read_algorithm(spec) == (algorithm, given)


# --- files of algorithms that share a class ---


def kept_by(spec: str, path: Path, **parameters: Any) -> Path:
    search: Any = make_search(game_named("Kuhn"), spec, 5, **parameters)
    search.think(iterations=BUDGET)
    search.save(path)
    return path


def algorithm_of(name: str) -> Algorithm:
    return read_algorithm(name)[0]


@pytest.mark.parametrize(
    ("spec", "goes_on_as"),
    [
        ("oos", "oos"),
        ("oos(epsilon=0.5,memory=2000000)", "oos(epsilon=0.5,memory=2000000)"),
        ("mccfr", "mccfr"),
        ("mccfr(epsilon=0.5)", "mccfr(epsilon=0.5)"),
        ("oos(delta=0,targeting=ist)", "mccfr(epsilon=0.4)"),  # which is the same
        # of which move follows from the selector
        ("ismcts(selector=rm,gamma=0.2)", "ismcts(selector=rm,gamma=0.2,move=sampled)"),
    ],
)
def test_a_search_from_a_file_is_called_what_it_is(
    spec: str, goes_on_as: str, tmp_path: Path
) -> None:
    name = "ismcts" if spec.startswith("ismcts") else "oos"
    resumed = resume(algorithm_of(name), kept_by(spec, tmp_path / "file"), game_named("Kuhn"))
    assert spec_of(resumed) == goes_on_as


def test_mccfr_does_not_go_on_with_a_search_that_aims(tmp_path: Path) -> None:
    file = kept_by("oos(delta=0.5)", tmp_path / "file")
    with pytest.raises(FileError, match=r"is a search by oos\(delta=0.5\), .*; resume it as oos"):
        resume(algorithm_of("mccfr"), file, game_named("Kuhn"))


def test_whole_numbers_become_decimal_where_those_are_meant() -> None:
    _, given = read_algorithm("oos(epsilon=1,cap=10,evaluation=true,targeting=none)")
    assert given == {"epsilon": 1.0, "cap": 10, "evaluation": True, "targeting": None}
    assert [type(value) for value in given.values()] == [float, int, bool, type(None)]


def test_objects_that_only_python_can_name_are_taken() -> None:
    from hiddenhand.search.selection.selectors import make_selector

    game = game_named("Kuhn")
    own = make_search(game, "ismcts", 1, selector=make_selector("rm", game))
    named = make_search(game, "ismcts(selector=rm)", 1)
    for search in (own, named):
        search.think(iterations=BUDGET)
    assert everything(own) == everything(named)
