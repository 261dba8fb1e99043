"""Which rules a file was made with: every change counts, and files of other rules are refused."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games.broken_games import UnknownEvaluation
from naive.small_games import ii_goofspiel

from hiddenhand.budget import Budget
from hiddenhand.errors import FileError
from hiddenhand.evaluation.measurement import Study
from hiddenhand.games import rule_digests
from hiddenhand.games.base import EvaluationFunction, Game, State
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.rule_digests import rules_of, verify_same_rules
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.players.fixed_policies import StrategyPlayer
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.strategy import strategy_from_profile
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand.trees.unroll import unroll


def game_with(
    stake: float = 1.0, worth: float = 0.0, inner: Any = None, table: tuple[float, ...] = (1.0,)
) -> Game:
    """A game whose text is the same whatever is asked for: rules, an evaluation, a field that is
    not shown, a game inside.
    """

    @dataclass(frozen=True)
    class Rough(EvaluationFunction):
        def evaluate(self, game: Any, state: State, player: int) -> float:
            return worth

    @dataclass(frozen=True, repr=False)
    class Mine(KuhnPoker):
        inner: Any = None
        table: np.ndarray = field(default_factory=lambda: np.array(table))

        def __repr__(self) -> str:
            return "Mine()"

        def returns(self, state: State, player: int) -> float:
            return stake

        def evaluation(self) -> EvaluationFunction:
            return Rough()

    return Mine(inner=inner)


def test_equal_rules_are_equal() -> None:
    assert rules_of(game_with()) == rules_of(game_with())
    assert rules_of(load_game("IIGS(4)")) == rules_of(
        load_game("goofspiel(num_cards=4,imp_info=True,points_order=ascending)")
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"stake": 2.0},
        {"worth": 1.0},
        {"table": (2.0,)},
        {"table": (1.0, 1.0)},
        {"inner": game_with(stake=2.0)},
        {"inner": (game_with(), KuhnPoker(4))},
    ],
    ids=[
        "a rule",
        "the evaluation",
        "a number in a table",
        "its length",
        "a game inside",
        "games in a tuple",
    ],
)
def test_every_change_counts(changed: dict[str, Any]) -> None:
    before = {"inner": game_with()} if "inner" in changed else {}
    assert repr(game_with(**before)) == repr(game_with(**changed))
    assert rules_of(game_with(**before)) != rules_of(game_with(**changed))


def test_a_game_that_is_played_in_turns_has_the_rules_of_the_one_inside() -> None:
    first, second = (
        TurnBased(MatrixGame(np.array(payoffs))) for payoffs in ([[1.0, 0.0]], [[2.0, 0.0]])
    )
    assert rules_of(first) != rules_of(second)
    assert rules_of(TurnBased(ii_goofspiel(3))) != rules_of(ii_goofspiel(3))


def test_a_game_whose_evaluation_function_fails_has_a_digest() -> None:
    """Players that do not ask for the function can play it."""
    assert rules_of(UnknownEvaluation()) != rules_of(KuhnPoker())


def test_another_python_is_said() -> None:
    """Its bytecode is different, so the digests say nothing."""
    other = rules_of(KuhnPoker()).replace(rule_digests._PYTHON, "cpython-399")
    with pytest.raises(
        FileError,
        match=r"file was made under cpython-399, and .* cannot find out whether KuhnPoker.* had "
        "the same rules; make it anew",
    ):
        verify_same_rules(KuhnPoker(), "file", other)


# --- who refuses files of other rules ---

REFUSED = (
    r"file was made with other rules of KuhnPoker\(num_cards=3\); undo the change of the rules, or "
    "make it anew"
)


def edited(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if somebody had edited the rules of all games."""
    monkeypatch.setattr(rule_digests, "rules_digest", lambda cls: "edited")


def a_strategy(path: Path) -> None:
    tree = unroll(KuhnPoker())
    strategy_from_profile(tree, CFR(tree).last_profile()).save(path)


def a_search(path: Path) -> None:
    OOS(KuhnPoker()).save(path)


def a_checkpoint(path: Path) -> None:
    CFR(unroll(KuhnPoker())).save(path)


@pytest.mark.parametrize(
    ("write", "use"),
    [
        (a_strategy, lambda path: StrategyPlayer(path).start(KuhnPoker(), 0, 0)),
        (a_search, lambda path: StrategyPlayer(path).start(KuhnPoker(), 0, 0)),
        (a_search, lambda path: OOS.load(path, KuhnPoker())),
        (a_checkpoint, lambda path: CFR.load(path, unroll(KuhnPoker()))),
    ],
    ids=["strategy", "search as a strategy", "search", "checkpoint"],
)
def test_files_of_other_rules_are_refused(
    write: Callable[[Path], None],
    use: Callable[[Path], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path / "file")
    use(tmp_path / "file")
    edited(monkeypatch)
    with pytest.raises(FileError, match=REFUSED):
        use(tmp_path / "file")


def test_a_strategy_does_not_fit_the_edited_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_strategy(tmp_path / "file")
    strategy = load_strategy(tmp_path / "file")
    strategy.on(unroll(KuhnPoker()))
    edited(monkeypatch)
    with pytest.raises(FileError, match="the strategy was made with other rules of KuhnPoker"):
        strategy.on(unroll(KuhnPoker()))
    replace(strategy, rules="").on(unroll(KuhnPoker()))  # nobody knows


def test_a_measurement_with_other_rules_is_another_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Study("oos", unroll(KuhnPoker()), file=tmp_path / "file")
    for _ in range(2):
        assert list(study.share("method", Budget(1), list, {})) == []
    edited(monkeypatch)
    with pytest.raises(FileError, match=REFUSED):
        list(study.share("method", Budget(1), list, {}))
