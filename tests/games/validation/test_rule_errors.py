"""A rule that fails is named with its line, whether it runs as plain Python or is to be compiled,
in a file, a prompt or nowhere.
"""

import inspect
from dataclasses import dataclass

import games.broken_games as broken
import numba
import numpy as np
import pytest
from numba.core import config

from hiddenhand import OOS
from hiddenhand.errors import GameError, RuleError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.validation.conformance import check, verify_rules
from hiddenhand.games.validation.instrumented_rules import WholeNumbers
from hiddenhand.games.validation.replay import new_trace, replay
from hiddenhand.games.validation.rule_errors import (
    COMPILE_ERRORS,
    describe_history,
    explain_compile_error,
)
from hiddenhand.matches.match import Match, play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.human import HumanPlayer
from hiddenhand.search.belief.belief import Belief

compiled = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")


def compile_error(game):
    """What a kernel that uses all rules raises for ``game``, explained."""
    with pytest.raises(COMPILE_ERRORS) as caught:
        replay(game, History(game), new_trace(game))
    return str(explain_compile_error(game, caught.value))


def line_of(function, text):
    """File and line of the first line of a function that contains ``text``, as messages give
    them.
    """
    lines, first = inspect.getsourcelines(function)
    offset = next(index for index, line in enumerate(lines) if text in line)
    return f"{inspect.getsourcefile(function)}:{first + offset}"


def names(value):
    return type(value).__name__ if isinstance(value, Game) else ""


# --- rules that cannot be compiled ---


@pytest.mark.slow
@compiled
@pytest.mark.parametrize(
    ("game", "method", "text", "reason"),
    [
        (broken.UsesGenerator(), "returns", "all(card", "yield in a closure"),
        (
            broken.UnknownMethodInside(),
            "mover",
            "tolist",
            "Unknown attribute 'tolist' of type array(int64, 1d, C)",
        ),
        (broken.CallsView(), "returns", "self.view", "Numba takes any method or field called view"),
        (
            broken.SetsFieldRarely(),
            "information",
            "self.num_cards = 4",
            "a game never changes; keep what changes during a play in the state",
        ),
        (broken.ConvertsNothing(), "returns", "float(None)", "compiled rules convert numbers and"),
        (broken.ReadsMixedTuple(), "returns", "self.stakes[", "write 3.0 for 3 beside fractions"),
        (broken.CallsBase(), "returns", "KuhnPoker.returns", "cannot call rules of a base class"),
        (broken.CallsSuper(), "current_player", "super()", "cannot call rules of a base class"),
        (
            broken.UnknownHelper(),
            "current_player",
            "self.misspelt",
            "UnknownHelper has no misspelt",
        ),
        (broken.ReadsList(), "returns", "RANKS", "(RANKS is a list on the class; put it at the"),
        (broken.ReadsArray(), "returns", "WORTH", "WORTH is a NumPy array on the class; put it"),
        (broken.ReadsNames(), "returns", "NAMES", "(NAMES holds more than numbers; keep the"),
        (broken.ReadsText(), "returns", "SUIT", "SUIT on the class is 'spades'; write a number"),
        (broken.ReadsField(), "returns", "deck", "a field that is a string or None exists in"),
        (broken.CallsClassMethod(), "returns", "best", "cannot use a classmethod; write a method"),
        (broken.CallsTell(), "returns", "rules_text", "rules_text is for people; rules cannot"),
        (broken.WritesALog(), "returns", "logging", "use this part of the module logging; leave"),
        (broken.NamesAnArgument(), "returns", "sign=", "by their places, without a * in its head"),
    ],
    ids=names,
)
def test_a_rule_that_cannot_be_compiled_is_named_with_its_line(game, method, text, reason):
    message = compile_error(game)
    first, source, hint = message.splitlines()
    name, place = f"{type(game).__name__}.{method}", line_of(getattr(type(game), method), text)
    assert first.startswith(f"{name} ({place}) cannot be compiled: ")
    assert reason in first
    assert text in source
    assert "hiddenhand.games.check(game)" in hint


@pytest.mark.slow
@compiled
@pytest.mark.parametrize(
    ("game", "method", "reason"),
    [
        (
            broken.NamesakeForPeople(),
            "information",
            "The 'with (context manager) as (variable):' construct is not supported",
        ),
        (
            broken.UsesWith(),
            "legal_actions",
            "The 'with (context manager) as (variable):' construct is not supported",
        ),
        (broken.WrongName(), "information", "name 'no_such_name' is not defined"),
    ],
    ids=names,
)
def test_where_numba_names_no_line_the_method_is_found(game, method, reason):
    place = line_of(getattr(type(game), method), "def ")
    assert compile_error(game).startswith(
        f"{type(game).__name__}.{method} (starts at {place}) cannot be compiled: {reason}\n"
    )


@pytest.mark.slow
@compiled
def test_keys_of_information_sets_that_become_fractions_are_refused():
    """A match would not find a key that lost bits in the table of its search."""
    place = line_of(broken.MixesKeys.information, "def ")
    assert compile_error(broken.MixesKeys()).startswith(
        f"MixesKeys.information (starts at {place}) cannot be compiled: it returns float64, and "
        "not an integer (a number in one branch and a key in another become a fraction; write "
        "np.uint64(...) around the number)\n"
    )
    with pytest.raises(RuleError, match="it returns float64"):  # calls rules by pointer
        OOS(broken.MixesKeys(), seed=1).run(iterations=1)


@compiled
def test_a_check_does_not_propose_itself():
    with pytest.raises(RuleError) as caught:
        check(broken.WritesALog(), plays=1, max_histories=0)
    assert str(caught.value).endswith("\nRules use numbers, arrays, loops and branches.")
    assert compile_error(broken.WritesALog()).endswith("check(game) follows it there.")


@pytest.mark.slow
@compiled
def test_a_search_explains_what_fails_before_it_runs():
    """A belief is the first thing that a search compiles."""
    with pytest.raises(RuleError, match=r"^NamesakeForPeople\.information .* cannot be compiled"):
        Belief(broken.NamesakeForPeople(), 0).leaves  # noqa: B018 - compiled when asked for


@compiled
def test_an_evaluation_function_is_named_with_its_line():
    game = broken.LostEvaluation(num_cards=2)
    evaluate = numba.njit(lambda function, game: function.evaluate(game, np.zeros(1, np.int64), 0))
    with pytest.raises(COMPILE_ERRORS) as caught:
        evaluate(game.evaluation(), game)
    place = line_of(broken.Lost.evaluate, "no_such_thing")
    said = str(explain_compile_error(game, caught.value))
    assert said.startswith(f"Lost.evaluate ({place}) cannot be compiled: Unknown attrib")


@compiled
def test_a_game_without_a_rule_says_which():
    assert (
        compile_error(broken.Unfinished())
        == "Unfinished does not define legal_actions; every game needs one"
    )


def _stake(state):
    return state[0].no_such_thing


def _worth(state, player):
    return _stake(state) * (1 - 2 * player)


def _beyond(state):
    state[99] = 1


def _with(state):
    with open("file") as file:  # noqa: PTH123  this is not run
        return file


@dataclass(frozen=True)
class BrokenHelper(KuhnPoker):
    def returns(self, state, player):
        return _worth(state, player)


@dataclass(frozen=True)
class HelperWithoutLine(KuhnPoker):
    def returns(self, state, player):
        return _with(state)


@dataclass(frozen=True)
class FailingHelper(KuhnPoker):
    def apply_action(self, state, action, observations):
        _beyond(state)


@pytest.mark.slow
@compiled
def test_a_helper_that_cannot_be_compiled_is_named_with_its_line():
    first, source, _ = compile_error(BrokenHelper()).splitlines()
    place = line_of(_stake, "no_such_thing")
    assert (
        first
        == f"_stake ({place}) cannot be compiled: Unknown attribute 'no_such_thing' of type int64"
    )
    assert source.strip() == "return state[0].no_such_thing"


@compiled
@pytest.mark.parametrize("game", [BrokenHelper(), broken.UnknownMethodInside()], ids=names)
def test_messages_have_no_colours(game, monkeypatch):
    """Numba colours its messages where colorama is installed."""

    class Coloured:
        def __getattr__(self, style):
            return lambda text: f"\x1b[1m\x1b[31m{text}\x1b[0m"

    plain = compile_error(game)
    monkeypatch.setattr("numba.core.errors.termcolor", Coloured)
    monkeypatch.setattr("numba.core.types.functions._termcolor", Coloured())
    assert compile_error(game) == plain
    assert "\x1b" not in plain


@pytest.mark.slow
@compiled
def test_a_helper_for_which_numba_names_no_line_is_found():
    place = line_of(_with, "def ")
    assert compile_error(HelperWithoutLine()).startswith(
        f"_with (starts at {place}) cannot be compiled: The 'with"
    )


def test_a_helper_that_fails_is_named_with_line_and_history():
    with pytest.raises(RuleError) as caught:
        verify_rules(FailingHelper())
    first, source = str(caught.value).splitlines()
    assert first.startswith(f"_beyond ({line_of(_beyond, 'state[99]')}) fails at the root on move ")
    assert source.strip() == "state[99] = 1"


SOURCE = """
from dataclasses import dataclass
from hiddenhand.games.poker.kuhn import KuhnPoker

@dataclass(frozen=True)
class Typed(KuhnPoker):
    def returns(self, state, player):
        stake = state[0].no_such_thing
        return stake if player == 0 else -stake

@dataclass(frozen=True)
class Divides(KuhnPoker):
    def apply_action(self, state, action, observations):
        state[5] = 1 // (action - action)
"""


@pytest.mark.slow
@compiled
def test_classes_without_a_file():
    namespace = {"__name__": "nowhere"}
    exec(SOURCE, namespace)
    message = compile_error(namespace["Typed"]())
    assert message.startswith(
        "Typed.returns (<string>:8) cannot be compiled: Unknown attribute 'no_such_thing' of type "
        "int64\n"
    )
    assert len(message.splitlines()) == 2  # there is no source line to show
    with pytest.raises(
        RuleError,
        match=r"^Divides\.apply_action \(<string>:14\) fails at the root on move \d: "
        "ZeroDivisionError",
    ):
        verify_rules(namespace["Divides"]())


# --- rules that fail as plain Python ---


@pytest.mark.parametrize(
    ("game", "method", "text", "reason"),
    [
        (broken.WritesBeyond(), "apply_action", "state[6]", "IndexError: index 6 is out of bounds"),
        (broken.WritesBeyondInside(), "note", "state[7", "IndexError: index 7 is out of bounds"),
        (broken.TellsNobody(), "apply_action", "observations[3]", "at the root on move"),
        (broken.WritesHalf(), "apply_action", "state[2] + 0.5", "TypeError: 0.5 is written into"),
        (broken.TellsHalf(), "apply_action", "np.full", "TypeError: 1.5 is written into an array"),
        (
            broken.SetsField(),
            "apply_action",
            "self.num_cards",
            "(a game never changes; keep what changes during a play in the state)",
        ),
        (broken.UnknownHelper(), "current_player", "self.misspelt", "at the root: AttributeError"),
        (broken.CountsUnknown(), "num_distinct_actions", "max_action", "at the root: Attribute"),
        (broken.Appends(), "legal_actions", "append", "(write its entries, as in actions[0] = 3"),
        (broken.EndsTheProgram(), "returns", "sys.exit()", "a rule must not end the program"),
    ],
    ids=names,
)
def test_a_rule_that_fails_is_named_with_line_and_history(game, method, text, reason):
    with pytest.raises(RuleError) as caught:
        verify_rules(game, plays=20)
    first, source = str(caught.value).splitlines()
    assert first.startswith(
        f"{type(game).__name__}.{method} ({line_of(getattr(type(game), method), text)}) fails "
    )
    assert reason in first
    assert text in source
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "value", [0.5, np.float64(-1.5), float("nan"), float("inf"), [1, 2.5], np.array([0.5, 1.0])]
)
def test_an_array_of_whole_numbers_refuses_fractions(value):
    array = np.zeros(2, np.int64).view(WholeNumbers)
    with pytest.raises(TypeError, match="is written into an array of whole numbers"):
        array[: np.size(value)] = value


@pytest.mark.parametrize(
    "value", [1, True, np.int32(7), 2.0, [1, 2], np.array([1.0, 2.0]), np.array([True, False])]
)
def test_an_array_of_whole_numbers_takes_whole_numbers(value):
    array = np.zeros(2, np.int64).view(WholeNumbers)
    array[: np.size(value)] = value
    assert array[: np.size(value)].tolist() == np.ravel(value).tolist()


@pytest.mark.parametrize("rule", ["returns", "render", "action_name"])
def test_a_rule_that_fails_in_a_match_is_named_with_line_and_history(rule):
    game = broken.FailsAtTheEnd(rule=rule)
    human = HumanPlayer(lambda prompt: "0", lambda text: None)
    with pytest.raises(RuleError) as caught:
        play_match(game, [RandomPlayer(), human], seed=1)
    first, source = str(caught.value).splitlines()
    assert first.startswith(
        f"FailsAtTheEnd.{rule} ({line_of(getattr(broken.FailsAtTheEnd, rule), '[][player]')}) "
        "fails after the moves ("
    )
    assert "IndexError: list index out of range" in first
    assert "[][player]" in source


def test_a_picture_after_a_match_that_fails_is_explained():
    match = Match(broken.FailsAtTheEnd(rule="render"), [RandomPlayer(), RandomPlayer()], seed=1)
    match.play()
    with pytest.raises(RuleError, match=r"FailsAtTheEnd\.render .* fails after the moves \("):
        match.picture(0)


def test_a_missing_rule_is_said_plainly():
    with pytest.raises(GameError, match="Unfinished does not define render; every game needs one"):
        check(broken.Unfinished())
    with pytest.raises(GameError, match="Unfinished does not define returns; every game needs one"):
        verify_rules(broken.Unfinished())


@pytest.mark.parametrize(
    ("game", "rule", "mover"),
    [
        (broken.NoChance(), "chance_outcomes", "CHANCE (-1)"),
        (broken.NoMove(), "apply_action", "0"),
        (broken.NoJointMove(), "apply_joint_action", "SIMULTANEOUS (-2)"),
    ],
    ids=names,
)
def test_a_rule_that_the_mover_needs_may_be_missing(game, rule, mover):
    with pytest.raises(RuleError) as caught:
        verify_rules(game)
    said = f"{type(game).__name__} does not define {rule}; current_player returns {mover}, which "
    assert str(caught.value) == f"{said}needs it"
    assert (caught.value.fault.rule, caught.value.fault.cure) == (rule, f"define {rule}")


@pytest.mark.parametrize(
    ("game", "method", "text"),
    [
        (broken.DrawsNothing(), "picture", "Scene("),
        (broken.HidesNothing(), "hidden", '"x"['),
        (broken.TellsNothing(), "tell", '"x" +'),
    ],
    ids=names,
)
def test_a_method_for_people_that_fails_is_named_with_its_line(game, method, text):
    with pytest.raises(RuleError) as caught:
        check(game, plays=1, max_histories=0)
    place = line_of(getattr(type(game), method), text)
    assert str(caught.value).startswith(f"{type(game).__name__}.{method} ({place}) fails at the")
    file, line = place.rsplit(":", 1)
    fault = caught.value.fault
    assert (fault.rule, fault.file, fault.line) == (method, file, int(line))


def test_a_class_that_is_no_dataclass_is_refused():
    with pytest.raises(
        RuleError, match=r"Undecorated must be decorated with @dataclass\(frozen=True\)"
    ):
        check(broken.Undecorated())


@compiled
def test_a_field_without_compiled_form_is_named():
    with pytest.raises(RuleError, match=r"HoldsList\.cards is a list, which has no compiled form"):
        check(broken.HoldsList())


def test_histories_are_described_by_name():
    history = History(KuhnPoker())
    assert describe_history(history) == "at the root"
    for move in (2, 0, 1):
        history = history.child(move)
    assert (
        describe_history(history)
        == "after the moves (2, 0, 1) [chance: K, chance: J, player 0: bet]"
    )


def test_a_broken_name_does_not_hide_the_message():
    @dataclass(frozen=True)
    class BadName(KuhnPoker):
        def action_name(self, state, player, action):
            raise ZeroDivisionError

    assert describe_history(History(BadName()).child(1)) == "after the moves (1,) [chance: 1]"
