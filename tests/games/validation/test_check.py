"""`check` passes what is right, and names what is wrong: the law, the game, the history, the
player, the values.
"""

import linecache
import math
import sys
import warnings
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import games.broken_games as broken
import numpy as np
import pytest
from naive.small_games import small, small_variants, variants_of_all
from numba.core import config

from hiddenhand.errors import ConformanceError, GameError, OptionError, RuleError
from hiddenhand.games.base import Game
from hiddenhand.games.history import all_histories
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.validation import laws
from hiddenhand.games.validation.chance_frequencies import DRAWN
from hiddenhand.games.validation.conformance import (
    COMPILED,
    EQUALITY,
    IN_TURNS,
    check,
    verify_rules,
)
from hiddenhand.games.validation.inspector import Inspector
from hiddenhand.games.validation.lint import warn_of_prints
from hiddenhand.games.validation.optional_rules import EVALUATION, FORGETTING, optional_laws
from hiddenhand.games.validation.replay import first_difference, new_trace
from hiddenhand.games.wrapped import Wrapped

CHECK = sys.modules["hiddenhand.games.validation.conformance"]

MORE = {
    "kuhn_poker(num_cards=5)": 206,
    "leduc_poker(players=3,suits=3)": 100,
    "goofspiel(num_cards=2,players=4,ties=split)": 3000,
    "goofspiel(num_cards=3,returns_type=total_points,points_order=random,ties=carry)": 3000,
    "dark_hex(rows=2,columns=3)": 100,
    "dark_hex(5,true)": 100,
    "GP(3,3,2,2)": 100,
    "LD(1,1,2)": 20_000,
    "LD(2,1,3)": 100,
    "GS(3)": 3000,
    "goofspiel(num_cards=3,imp_info=true,points_order=random)": 3000,
    "PE(4,4,3)": 100,
    "tron(rows=3,columns=3)": 3000,
    "random_game(actions=3,depth=9,payoffs=leaves)": 100,
    "matrix_game([[1,2],[3,4],[5,6]],payoffs_1=[[0,1],[1,0],[0,0]])": 20_000,
    "phantom_ttt(forced_wins=true)": 100,
    "tricks(2,3,2,2,trumps=true)": 3000,
    "tricks(4,13,4,13)": 100,
    "battleship(5,5,[3,2])": 100,
}
"""Further games, each with the largest number of histories. Of a game with more, only some are
looked at.
"""
GAMES = dict.fromkeys(variants_of_all(), 100) | dict.fromkeys(small_variants(), 6000) | MORE
ONLY_SAMPLED = {text for text, histories in GAMES.items() if histories == 100}


ALWAYS = ("kuhn", "LD", "GS", "phantom_ttt(")
"""How the games begin that are looked at each time. Compiling the rules of the others takes half a
minute together.
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=[pytest.mark.thorough] * (not text.startswith(ALWAYS)))
        for text in GAMES
    ],
)
def test_games_keep_the_laws(text):
    game = load_game(text)
    report = check(game, plays=8, max_histories=GAMES[text], seconds=0.0)
    assert report.game == game
    assert report.plays == (16 if game.simultaneous else 8)
    assert report.enumerated == (text not in ONLY_SAMPLED)
    assert report.laws == (
        EQUALITY,
        *laws.INSPECTED,
        *optional_laws(game),
        laws.RECALL,
        *((IN_TURNS,) if game.simultaneous else ()),
        *((DRAWN,) if game.draws_chance else ()),
        COMPILED,
    )
    assert report.skipped == ()
    if report.enumerated:
        forms = [game, as_sequential(game)] if game.simultaneous else [game]
        assert report.histories == sum(1 for form in forms for _ in all_histories(form))


def test_a_game_written_out_keeps_the_laws():
    assert check(TreeGame.from_game(KuhnPoker()), plays=5, seconds=0.0).histories == 58


BROKEN = [
    (broken.NoState(), laws.SIZES, ["state_size is 0"]),
    (broken.LongGame(), laws.ROOM, ["max_depth is 1,000,000,000", "make max_depth smaller"]),
    (broken.LargeState(), laws.ROOM, ["state_size is 1,000,000,000,000,", "state_size smaller"]),
    (broken.ManyActions(), laws.ROOM, ["max_actions is 1,000,000,000,"]),
    (broken.ManyOutcomes(), laws.ROOM, ["max_chance_outcomes is 1,000,000,000,"]),
    (broken.InfiniteStakes(), laws.SIZES, ["max_utility is inf"]),
    (broken.PaysByMethod(), laws.SIZES, ["zero_sum is <bound method PaysByMethod.zero_sum"]),
    (broken.TogetherByMethod(), laws.SIZES, ["; write @property above the method"]),
    (broken.SumsByMethod(), laws.ZERO_SUM, ["payoff_sum is <bound method SumsByMethod"]),
    (broken.CountsInWords(), laws.SIZES, ["num_distinct_actions is 'two'", "make it a method"]),
    (broken.CountsWithoutMethod(), laws.SIZES, ["num_distinct_actions is 2; make it a method"]),
    (broken.DirtyRoot(), laws.ROOT, ["entries [5]"]),
    (broken.Fickle(), laws.REPEATABLE, ["at the root", "move"]),
    (broken.Undecided(), laws.REPEATABLE, ["after the moves", "returns says"]),
    (broken.Meddling(), laws.ANSWERS, ["after the moves", "legal_actions changes entries [5]"]),
    (
        broken.ThirdPlayer(),
        laws.MOVER,
        ["player 0: ", "current_player is 2, allowed are 0, 1, CHANCE (-1), TERMINAL (-4)"],
    ),
    (broken.SuddenlyTogether(), laws.MOVER, ["SIMULTANEOUS (-2)", "say simultaneous = True"]),
    (broken.Shallow(), laws.DEPTH, ["player 0: check, player 1: bet]", "max_depth is 4"]),
    (broken.Endless(), laws.DEPTH, ["max_depth is 5, and the game goes on"]),
    (broken.Decreasing(), laws.ACTIONS, ["the legal actions of player 0 are [1, 0]"]),
    (broken.Negative(), laws.ACTIONS, ["the legal actions of player 0 are [-1, 1]"]),
    (broken.Unwritten(), laws.REPEATABLE, ["legal_actions leaves entries unwritten"]),
    (
        broken.Stuck(),
        laws.ACTIONS,
        ["legal_actions of player 1 returns the count 0", "player 0: check"],
    ),
    (
        broken.TooMany(),
        laws.ACTIONS,
        ["returns the count 3, allowed is 1 to 2; make max_actions larger, or return how many"],
    ),
    (broken.ReturnsNoCount(), laws.ACTIONS, ["count None", "; return how many you wrote into a"]),
    (broken.CountsNoOutcome(), laws.OUTCOMES, ["count None", "; return how many you wrote into"]),
    (
        broken.ForgetsToReturn(),
        laws.MOVER,
        ["current_player is None", "; end every branch of the rule"],
    ),
    (broken.PaysNothing(), laws.PAYOFFS, ["paid None", "; end every branch of the rule with ret"]),
    (broken.PaysAll(), laws.PAYOFFS, ["paid [1.0, -1.0]", "; return a finite number, what this"]),
    (broken.CalledRules(), laws.TEXTS, ["rules_text is <bound", "; write @property above the"]),
    (broken.Improbable(), laws.OUTCOMES, ["at the root", "[0.9, 0.333"]),
    (broken.Impossible(), laws.OUTCOMES, ["[1.0, 0.0, 0.0]"]),
    (broken.TwiceTheSameCard(), laws.OUTCOMES, ["the outcomes are [0, 0, 2]"]),
    (broken.HighStakes(), laws.PAYOFFS, ["player 0 is paid", "max_utility is 1.0"]),
    (broken.NotANumber(), laws.PAYOFFS, ["player 0 is paid nan"]),
    (broken.Generous(), laws.ZERO_SUM, ["the payoffs are ["]),
    (broken.NegativeToken(), laws.TOKENS, ["gives the public token as -1"]),
    (broken.HugeToken(), laws.TOKENS, [f"the token for player 1 as {2**62}"]),
    (broken.Peeking(), laws.KNOWN_ACTIONS, ["of player 1", "chance: K", "but"]),
    (broken.PeekingInformation(), laws.KNOWN_ACTIONS, ["the information of player 0"]),
    (
        broken.Glass(),
        laws.KNOWN_PICTURE,
        ["the picture of player", "cards ", "both times the last tokens of player", "render less"],
    ),
    (broken.Pictureless(), laws.TEXTS, ["at the root: render returns None", "; give a text"]),
    (broken.Unitless(), laws.TEXTS, ["payoff_unit is 5; give a text"]),
    (broken.Chatty(), laws.KNOWN_WORDS, ["the words of tell of player 1: ", "or tell less"]),
    (broken.Wordy(), laws.KNOWN_WORDS, ["tell returns 7"]),
    (broken.GlassScene(), laws.KNOWN_SCENE, ["the scene of observer 1", "rank='"]),
    (broken.OpenToSpectators(), laws.KNOWN_SCENE, ["the scene of observer -5"]),
    (broken.ClickedOutOfTurn(), laws.SCENES, ["the actions [1] for observer 0, who has none"]),
    (broken.Speechless(), laws.SCENES, ["hidden says ", " to observer 0"]),
    (
        broken.TellsTheCard(),
        laws.SECRETS,
        [
            "player 1 gets the tokens 0 (private) and ",
            "render shows the difference to player 0 only",
        ],
    ),
    (
        broken.TellsTheOther(),
        laws.SECRETS,
        [" (private) and 1 (public), instead of ", "say less in the token; or let render or tell"],
    ),
    (
        broken.TellsWhere(),
        laws.SECRETS,
        [
            "player 1 gets the tokens 0 (private) and ",
            "[player 0: ",
            "render shows the difference to player 0 only",
        ],
    ),
    (
        broken.Nameless(),
        laws.NAMES,
        ["the actions [0, 1, 2] of chance are called ['card', 'card', 'card']"],
    ),
    (
        broken.SameInCapitals(),
        laws.NAMES,
        ["the actions [0, 1] of player 0 are called ['go', 'GO']"],
    ),
    (
        broken.Misread(),
        laws.NAMES,
        ["action 1 of chance is called 'Q', which parse_action reads as 0"],
    ),
    (broken.OpenArray(), EQUALITY, ["field(compare=False)"]),
    (
        broken.BigNumbers(),
        COMPILED,
        ["after the moves", "payoffs are", "compiled, but [1.0, -1.0] as plain Python"],
    ),
    (
        broken.GreedyBids(num_cards=3),
        laws.ANSWERS,
        ["apply_joint_action changes the actions it is given"],
    ),
    (broken.NoMethodToEvaluate(), EVALUATION, ["evaluation is Lost()", "make it a method"]),
    (broken.EvaluatesByClass(), EVALUATION, ["evaluation is <class", "an instance of a class"]),
    (
        broken.ForgetsPoints(num_cards=3),
        FORGETTING,
        ["after the moves (", "evaluate: (0.0, -0.0), instead of (", "; clear only what"],
    ),
    (
        broken.Overrated(num_cards=3),
        EVALUATION,
        ["after the moves (", "for player 0 it is 7.0, and max_utility is 1.0; estimate the"],
    ),
    (
        broken.NoTie(num_cards=3),
        laws.ZERO_SUM,
        ["[player 0: ", " & player 1: ", "the payoffs are [1.0, 1.0]"],
    ),
]


@pytest.mark.parametrize(
    ("game", "law", "fragments"),
    BROKEN,
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_a_broken_law_is_named(game, law, fragments, monkeypatch):
    if law == COMPILED and config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    if law != COMPILED:  # what plain Python finds is said before anything is compiled
        monkeypatch.setattr(CHECK, "replay", lambda *_: pytest.fail("rules were compiled"))
    with pytest.raises(ConformanceError) as caught:
        check(game, plays=20)
    message = str(caught.value)
    assert message.startswith(f"{game!r} breaks the law that {law}:")
    for fragment in fragments:
        assert fragment in message
    fault = caught.value.fault
    assert (fault.law, fault.rule is None) == (law, law == EQUALITY)
    assert (fault.history is None) == (
        ": after the moves" not in message and "root:" not in message
    )
    assert fault.cure
    first = linecache.getline(fault.file, fault.line).strip()
    assert first.startswith((f"def {fault.rule}(", "class ", "@"))


def test_every_law_is_broken_once():
    assert {law for _, law, _ in BROKEN} == {
        *laws.INSPECTED,
        EQUALITY,
        FORGETTING,
        EVALUATION,
        COMPILED,
    }  # and IN_TURNS below


def test_an_evaluation_function_that_fails_is_named():
    with pytest.raises(RuleError, match=r"UnknownEvaluation.evaluation .* fails at the root"):
        check(broken.UnknownEvaluation(), plays=2, seconds=0.0)


def test_turns_must_be_the_same_game(monkeypatch):
    """`TurnBased` hides the first choice; here it is made to lose it."""

    def forget_first_choice(self, state, action, observations):
        original(self, state, action, observations)
        if state[-1] == 1:
            state[self.game.state_size] = 0

    original = TurnBased.apply_action
    monkeypatch.setattr(TurnBased, "apply_action", forget_first_choice)
    monkeypatch.setattr(CHECK, "replay", lambda *_: pytest.fail("rules were compiled"))
    with pytest.raises(ConformanceError) as caught:
        check(load_game("matrix_game([[1,2],[3,4]])"), plays=20)
    assert f"breaks the law that {IN_TURNS}: after the moves ((1, " in str(caught.value)
    assert "in turns they pay (" in str(caught.value)


@pytest.mark.slow
def test_a_law_that_random_plays_miss_is_found_by_enumeration():
    @dataclass(frozen=True)
    class Rarely(KuhnPoker):
        def returns(self, state, player):
            rare = state[0] == 14 and state[1] == 1 and state[2] == 3
            return 0.5 if rare else 0.0

    game = Rarely(num_cards=15)
    verify_rules(game)
    with pytest.raises(ConformanceError, match=r"after the moves \(13, 0, 0, 1, 0\)"):
        check(game, plays=20)


def test_a_fraction_may_be_rounded_in_another_way():
    """The last digit of 8 * 0.9 ** 5 differs between compiled code and plain Python."""
    plain, compiled = new_trace(KuhnPoker()), new_trace(KuhnPoker())
    plain.payoffs[2], compiled.payoffs[2] = 5.2488, 5.248800000000001
    assert first_difference(plain, compiled, 4) is None
    compiled.payoffs[2, 1] += 1e-9
    assert first_difference(plain, compiled, 4)[:2] == (2, "payoffs")


def test_what_tell_says_openly_is_no_secret(monkeypatch):
    """A card that was played openly may have left the picture, such as the last of a trick."""
    monkeypatch.setattr(CHECK, "replay", lambda game, history, trace: None)
    monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)

    @dataclass(frozen=True)
    class SaysWhere(broken.TellsWhere):
        def tell(self, before, move, after, observer):
            return f"box {move}"

    assert laws.SECRETS in check(SaysWhere(), plays=5, seconds=0.0).laws


def test_an_abstraction_is_excused_from_recall(monkeypatch):
    monkeypatch.setattr(CHECK, "replay", lambda game, history, trace: None)
    monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)

    @dataclass(frozen=True)
    class Forgetful(KuhnPoker):
        """Players forget everything but their card."""

        def information(self, state, player, key):
            return np.uint64(state[player])

    report = check(Forgetful(), plays=5, seconds=0.0)
    assert laws.RECALL not in report.laws
    assert [reason.partition(":")[0] for reason in report.skipped] == [laws.RECALL]


def test_the_compiled_form_of_turns_is_compared_too(monkeypatch):
    seen = []
    monkeypatch.setattr(CHECK, "replay", lambda game, history, trace: seen.append(type(game)))
    monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)
    check(load_game("goofspiel(num_cards=2)"), plays=1, seconds=0.0)
    assert set(seen) == {type(load_game("goofspiel")), TurnBased}


# --- lint ---

WARNINGS = [
    (broken.TellsWhere(told=False), []),
    # player 0 needs no picture: an answer either ends the game, or it is their turn
    (
        broken.LazyPicture(),
        [
            "player 1 notices different tokens in histories that look the same to them, 3 in all, "
            "first after the moves ("
        ],
    ),
    (
        broken.TellsLate(),
        ["player 1 notices different tokens in histories that look the same to them, "],
    ),
    (
        broken.ForgottenDeal(),
        [
            "a move of chance tells player 0 something and gives no public token, first after "
            "the moves (",
            "a move of chance tells player 1 something and gives no public token, first after "
            "the moves (",
        ],
    ),
    (
        broken.DealsInOrder(),
        ["chance deals player 0 the same in either order, after the moves (2, 1) [chance: 2, "],
    ),
    (
        broken.ForgottenChoice(told=False),
        ["no other player notices a move of player 0, first after the moves ("],
    ),
    (
        broken.TwoWaysToPass(),
        [
            f"the actions 0 and 1 of player {player} have the same effect wherever both were "
            "looked at, first after the moves"
            for player in range(2)
        ],
    ),
]


@pytest.mark.parametrize(
    ("game", "begins"),
    WARNINGS,
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_lint_warns_of_what_is_lawful_and_odd(game, begins, monkeypatch):
    monkeypatch.setattr(CHECK, "replay", lambda game, history, trace: None)
    monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)
    assert check(game, plays=5, seconds=0.0).warnings == ()  # nobody asked
    warnings = check(game, plays=5, lint=True, seconds=0.0).warnings
    assert len(warnings) == len(begins)
    for warning, beginning in zip(warnings, begins, strict=True):
        assert warning.startswith(beginning)


def test_lint_warns_of_rules_that_print():
    here, there = warn_of_prints(broken.Prints())
    method, file = broken.Prints.current_player, broken.__file__
    line = method.__code__.co_firstlineno + 1
    assert here.startswith(f"Prints.current_player ({file}:{line}) prints, and compiled code")
    assert there.startswith(f"_told ({file}:")
    assert there.endswith("with hiddenhand.History")
    assert warn_of_prints(load_game("kuhn_poker")) == ()


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        ("kuhn_poker", 0),
        ("IIGS(3)", 0),
        ("LD(1,1,2)", 0),
        ("tricks(2,3,2,2)", 0),
        ("battleship(2,2,2,1)", 0),
        ("dark_hex(2)", 2),
        ("random(2,2)", 2),
    ],
)
def test_lint_of_our_own_games(text, warnings, monkeypatch):
    """In Dark Hex nobody else notices failed attempts. Random games do not draw which way was
    taken, only what is left to be won.
    """
    monkeypatch.setattr(CHECK, "replay", lambda game, history, trace: None)
    monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)
    assert len(check(load_game(text), plays=20, lint=True, seconds=0.0).warnings) == warnings


# --- verify_rules ---


def test_verify_rules_passes_games():
    for text in GAMES:
        verify_rules(as_sequential(load_game(text)))


@pytest.mark.parametrize(
    ("game", "fragment"),
    [
        (broken.Endless(), "the game goes on"),
        (broken.Stuck(), "returns the count 0"),
        (broken.TooMany(), "returns the count 3"),
        (broken.ThirdPlayer(), "current_player is 2"),
        (broken.WritesBeyond(), "WritesBeyond.apply_action"),
        (broken.UnknownEvaluation(), "UnknownEvaluation.evaluation"),
        (broken.NoMethodToEvaluate(), "evaluation is Lost()"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Game) else "",
)
def test_verify_rules_catches_what_would_crash_compiled_code(game, fragment):
    with pytest.raises(GameError) as caught:
        verify_rules(game)
    assert fragment in str(caught.value)


@dataclass(frozen=True)
class OwnKuhn(KuhnPoker):
    """A game that is not of the package, whose rules may be edited."""


@dataclass(frozen=True)
class Around(Wrapped):
    """A game of others around one of the package."""


@pytest.fixture
def looks(monkeypatch):
    """Each look of `verify_rules` at a game."""
    found = []
    monkeypatch.setattr(CHECK, "_VERIFIED", WeakKeyDictionary())
    monkeypatch.setattr(CHECK, "_random_plays", lambda *seen: found.append(seen) or iter(()))
    return found


OWN_GAMES = pytest.mark.parametrize(
    "game", [OwnKuhn, lambda **given: Around(OwnKuhn(**given))], ids=["own", "around"]
)


@pytest.mark.parametrize("game", [KuhnPoker, OwnKuhn, lambda **given: Around(KuhnPoker(**given))])
def test_equal_games_are_looked_at_once(looks, game):
    kept = [game(num_cards=5) for _ in range(3)]
    for one in kept:
        verify_rules(one)
    assert len(looks) == 1
    verify_rules(game(num_cards=6))
    assert len(looks) == 2


@OWN_GAMES
def test_edited_rules_are_looked_at_again(looks, game, monkeypatch):
    kept = game()
    verify_rules(kept)
    monkeypatch.setattr(OwnKuhn, "returns", lambda self, state, player: 0.0, raising=False)
    verify_rules(kept)
    verify_rules(kept)
    assert len(looks) == 2


def test_a_rule_edited_into_a_broken_one_is_found():
    game = OwnKuhn(num_cards=7)
    verify_rules(game)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OwnKuhn, "current_player", lambda self, state: 7, raising=False)
        with pytest.raises(GameError, match="current_player is 7"):
            verify_rules(game)
        with pytest.raises(GameError, match="current_player is 7"):
            verify_rules(game)
    verify_rules(game)


def test_other_plays_are_made_each_time(looks):
    game = KuhnPoker()
    for _ in range(2):
        verify_rules(game, plays=5)
    assert len(looks) == 2


def test_verify_rules_looks_at_the_histories_of_three_plays(monkeypatch):
    visited = []
    visit = Inspector.visit

    def counted(inspector, history):
        visited.append(history)
        return visit(inspector, history)

    monkeypatch.setattr(Inspector, "visit", counted)
    monkeypatch.setattr(CHECK, "_VERIFIED", WeakKeyDictionary())
    game = as_sequential(load_game("goofspiel"))
    verify_rules(game)
    assert [history.is_terminal for history in visited].count(True) == 3
    assert len(visited) <= 3 * (game.max_depth + 1)


def test_equal_seeds_play_equal_plays(monkeypatch):
    def moves(seed):
        ends = []
        monkeypatch.setattr(
            CHECK, "replay", lambda game, history, trace: ends.append(history.moves)
        )
        monkeypatch.setattr(CHECK, "first_difference", lambda interpreted, compiled, steps: None)
        check(load_game("LD(1,1,3)"), seed=seed, plays=4, max_histories=1, seconds=0.0)
        return ends

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


@pytest.mark.parametrize(
    ("argument", "value", "least"),
    [
        ("plays", -1, 1),
        ("plays", 0, 1),
        ("plays", 1.5, 1),
        ("plays", True, 1),
        ("max_histories", -1, 0),
        ("max_histories", "all", 0),
    ],
)
def test_senseless_numbers_are_refused(argument, value, least):
    with pytest.raises(
        OptionError,
        match=rf"{argument}={value!r} is not allowed; give an integer of at least {least}",
    ):
        check(KuhnPoker(), **{argument: value})


@pytest.mark.parametrize("seconds", [-1.0, math.nan, "1", None])
def test_senseless_seconds_are_refused(seconds):
    with pytest.raises(OptionError, match=rf"seconds={seconds!r} is not allowed; give a number of"):
        check(KuhnPoker(), seconds=seconds)


def test_a_rule_may_wrap_around():
    """Numbers that overflow 64 bits wrap around in compiled code, silently; so they do here."""

    @dataclass(frozen=True)
    class Hashing(KuhnPoker):
        def chance_outcomes(self, state, actions, probabilities):
            mixed = (state[0] + 1) * np.int64(0x5851F42D4C957F2D) + np.int64(2**63 - 1)
            actions[0] = (mixed >> 62) & 1
            probabilities[0] = 1.0
            return 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check(Hashing(), plays=10, seconds=0.0).enumerated


@pytest.mark.slow
def test_long_plays_are_fewer(monkeypatch):
    """By default, plays end once they have 20,000 histories, but there are at least 10."""
    monkeypatch.setattr(CHECK, "_compare_compiled", lambda *arguments: None)
    monkeypatch.setattr(CHECK, "_HISTORIES", 100)
    assert 17 <= check(small("Kuhn"), max_histories=0).plays <= 20  # 5 or 6 histories each
    assert check(small("Kuhn"), max_histories=0, plays=21).plays == 21
    monkeypatch.setattr(CHECK, "_HISTORIES", 1)
    assert check(small("Kuhn"), max_histories=0).plays == 10


@pytest.mark.slow
def test_scenes_of_a_history_are_looked_at_once(monkeypatch):
    """40 plays of Kuhn poker come to the same few histories again and again."""
    asked = []
    game = small("Kuhn")
    picture = type(game).picture
    monkeypatch.setattr(CHECK, "_compare_compiled", lambda *arguments: None)
    monkeypatch.setattr(
        type(game),
        "picture",
        lambda self, state, player: (
            asked.append((int(state[0]), player)) or picture(self, state, player)
        ),
    )
    check(game, plays=40, seconds=0.0)
    assert len(asked) == 58 * 6  # histories, and observers of each
