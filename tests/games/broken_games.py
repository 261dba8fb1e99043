"""Games with one thing wrong each: what the conformance test must catch. All but a few are Kuhn
poker with a rule changed.
"""

import itertools
import logging
import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hiddenhand.games.base import (
    ALL_SEEING,
    CHANCE,
    SIMULTANEOUS,
    SPECTATOR,
    TERMINAL,
    EvaluationFunction,
    Game,
)
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.scene import Rect, Scene

_CALLS = itertools.count()


# --- broken laws ---


@dataclass(frozen=True)
class NoState(KuhnPoker):
    @property
    def state_size(self):
        return 0


@dataclass(frozen=True)
class LongGame(KuhnPoker):
    max_depth = 10**9


@dataclass(frozen=True)
class LargeState(KuhnPoker):
    state_size = 10**12


@dataclass(frozen=True)
class ManyActions(KuhnPoker):
    max_actions = 10**9


@dataclass(frozen=True)
class ManyOutcomes(KuhnPoker):
    max_chance_outcomes = 10**9


@dataclass(frozen=True)
class InfiniteStakes(KuhnPoker):
    @property
    def max_utility(self):
        return float("inf")


@dataclass(frozen=True)
class DirtyRoot(KuhnPoker):
    """The last entry of the state is never written at the root."""

    def initial_state(self, state):
        state[:5] = 0


@dataclass(frozen=True)
class Fickle(KuhnPoker):
    """A rule that counts how often it was called."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        state[5] = next(_CALLS)


@dataclass(frozen=True)
class Undecided(KuhnPoker):
    def returns(self, state, player):
        return float(next(_CALLS) % 2)


@dataclass(frozen=True)
class Meddling(KuhnPoker):
    """A question that changes the state."""

    def legal_actions(self, state, player, actions):
        state[5] = 1
        actions[0] = 0
        actions[1] = 1
        return 2


@dataclass(frozen=True)
class ThirdPlayer(KuhnPoker):
    def current_player(self, state):
        return 2 if state[2] == 1 else super().current_player(state)


@dataclass(frozen=True)
class SuddenlyTogether(KuhnPoker):
    """Says SIMULTANEOUS, though the class does not."""

    def current_player(self, state):
        return -2 if state[2] == 1 else super().current_player(state)


@dataclass(frozen=True)
class Shallow(KuhnPoker):
    @property
    def max_depth(self):
        return 4


@dataclass(frozen=True)
class Endless(KuhnPoker):
    """No history ends."""

    def current_player(self, state):
        return 0 if state[1] else CHANCE

    def apply_action(self, state, action, observations):
        if state[1] == 0:
            KuhnPoker.apply_action(self, state, action, observations)


@dataclass(frozen=True)
class Decreasing(KuhnPoker):
    def legal_actions(self, state, player, actions):
        actions[0] = 1
        actions[1] = 0
        return 2


@dataclass(frozen=True)
class Negative(KuhnPoker):
    def legal_actions(self, state, player, actions):
        actions[0] = -1
        actions[1] = 1
        return 2


@dataclass(frozen=True)
class Unwritten(KuhnPoker):
    """Leaves the first action to what the array held before."""

    def legal_actions(self, state, player, actions):
        actions[1] = 1
        return 2


@dataclass(frozen=True)
class Stuck(KuhnPoker):
    """A player to move without a legal action."""

    def legal_actions(self, state, player, actions):
        actions[0] = 0
        return 0 if state[2] == 1 else 1


@dataclass(frozen=True)
class TooMany(KuhnPoker):
    """Counts more actions than max_actions, without writing them."""

    def legal_actions(self, state, player, actions):
        actions[0] = 0
        actions[1] = 1
        return 3


@dataclass(frozen=True)
class Improbable(KuhnPoker):
    def chance_outcomes(self, state, actions, probabilities):
        count = KuhnPoker.chance_outcomes(self, state, actions, probabilities)
        probabilities[0] = 0.9
        return count


@dataclass(frozen=True)
class Impossible(KuhnPoker):
    """An outcome of probability 0."""

    def chance_outcomes(self, state, actions, probabilities):
        count = KuhnPoker.chance_outcomes(self, state, actions, probabilities)
        probabilities[:] = 0.0
        probabilities[0] = 1.0
        return count


@dataclass(frozen=True)
class TwiceTheSameCard(KuhnPoker):
    def chance_outcomes(self, state, actions, probabilities):
        count = KuhnPoker.chance_outcomes(self, state, actions, probabilities)
        actions[1] = actions[0]
        return count


@dataclass(frozen=True)
class HighStakes(KuhnPoker):
    @property
    def max_utility(self):
        return 1.0


@dataclass(frozen=True)
class NotANumber(KuhnPoker):
    def returns(self, state, player):
        return float("nan")


@dataclass(frozen=True)
class Generous(KuhnPoker):
    """Pays the winner without charging the loser."""

    def returns(self, state, player):
        return max(0.0, KuhnPoker.returns(self, state, player))


@dataclass(frozen=True)
class NegativeToken(KuhnPoker):
    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        observations[2] = -1


@dataclass(frozen=True)
class HugeToken(KuhnPoker):
    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        observations[1] = 1 << 62


@dataclass(frozen=True)
class Peeking(KuhnPoker):
    """What player 1 may do depends on player 0's card."""

    def legal_actions(self, state, player, actions):
        actions[0] = 0
        actions[1] = 1
        return 1 if player == 1 and state[0] == 3 else 2


@dataclass(frozen=True)
class PeekingInformation(KuhnPoker):
    """An abstraction that files what the player does not know."""

    def information(self, state, player, key):
        return key + np.uint64(state[1 - player])


@dataclass(frozen=True)
class Glass(KuhnPoker):
    """The picture shows both cards."""

    def render(self, state, player):
        return f"cards {state[0]} and {state[1]}"


@dataclass(frozen=True)
class Pictureless(KuhnPoker):
    """The word return is missing."""

    def render(self, state, player):
        KuhnPoker.render(self, state, player)


@dataclass(frozen=True)
class Unitless(KuhnPoker):
    payoff_unit = 5


@dataclass(frozen=True)
class Chatty(KuhnPoker):
    """People hear which card was dealt to the other player."""

    def tell(self, before, move, after, observer):
        return f"card {move}" if after[self.num_players] == 0 else None


@dataclass(frozen=True)
class Wordy(KuhnPoker):
    """A move is told as a number."""

    def tell(self, before, move, after, observer):
        return 7


@dataclass(frozen=True)
class GlassScene(KuhnPoker):
    """The scene shows both cards to player 1."""

    def picture(self, state, player):
        return KuhnPoker.picture(self, state, ALL_SEEING if player == 1 else player)


@dataclass(frozen=True)
class OpenToSpectators(KuhnPoker):
    """The scene for spectators is that of player 0."""

    def picture(self, state, player):
        return KuhnPoker.picture(self, state, 0 if player == SPECTATOR else player)


@dataclass(frozen=True)
class ClickedOutOfTurn(KuhnPoker):
    """The scene lets a player bet at any time."""

    def picture(self, state, player):
        return Scene(9, 9, (Rect(0, 0, 9, 9, action=1),) if player >= 0 else ())


@dataclass(frozen=True)
class Speechless(KuhnPoker):
    """What is hidden is no text."""

    def hidden(self, state, observer):
        return int(state[1 - max(observer, 0)])


@dataclass(frozen=True)
class TellsTheCard(KuhnPoker):
    """The public token that says that a card was dealt says which."""

    def apply_action(self, state, action, observations):
        dealt = state[1] == 0
        KuhnPoker.apply_action(self, state, action, observations)
        if dealt:
            observations[2] = 4 + action


@dataclass(frozen=True)
class TellsTheOther(KuhnPoker):
    """A card's private token goes to the other player as well."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        observations[0] = observations[1] = max(observations[0], observations[1])


@dataclass(frozen=True)
class TellsWhere(Game):
    """Player 0 hides a coin in one of three boxes, player 1 looks into one of them; but the token
    says where the coin is.
    """

    state_size, max_actions, max_depth, max_utility = 2, 3, 2, 1.0
    told: bool = True

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        return TERMINAL if state[1] else int(state[0] > 0)

    def legal_actions(self, state, player, actions):
        for box in range(3):
            actions[box] = box
        return 3

    def apply_action(self, state, action, observations):
        if state[0] == 0:
            state[0] = 1 + action
            observations[2] = 1 + action if self.told else 1
        else:
            state[1] = 1 + action
            observations[2] = 4 + 2 * action + int(state[0] == state[1])

    def returns(self, state, player):
        return 1.0 if (state[0] == state[1]) == (player == 1) else -1.0

    def render(self, state, player):
        return (
            f"coin in {state[0]}; looked into {state[1]}"
            if player == 0
            else f"looked into {state[1]}"
        )


@dataclass(frozen=True)
class Nameless(KuhnPoker):
    def action_name(self, state, player, action):
        return "card" if player == CHANCE else "move"


@dataclass(frozen=True)
class SameInCapitals(KuhnPoker):
    """Names that differ in case alone: what people type could mean either."""

    def action_name(self, state, player, action):
        return str(action) if player == CHANCE else ("go", "GO")[action]


@dataclass(frozen=True)
class Misread(KuhnPoker):
    def parse_action(self, state, player, text):
        return 0


@dataclass(frozen=True)
class OpenArray(KuhnPoker):
    """An array among what instances are compared by."""

    table: Any = field(default=None)

    def __post_init__(self):
        object.__setattr__(self, "table", np.arange(3))


@dataclass(frozen=True)
class BigNumbers(KuhnPoker):
    """Numbers beyond 64 bits: plain Python has them, machine code wraps around."""

    def returns(self, state, player):
        power = int(state[2]) + 20
        stake = float(10**power // 10 ** (power - 1)) / 10
        return stake if player == 0 else -stake


@dataclass(frozen=True)
class GreedyBids(Goofspiel):
    """Changes the actions it is given."""

    def apply_joint_action(self, state, actions, observations):
        Goofspiel.apply_joint_action(self, state, actions, observations)
        actions[0] = 0


@dataclass(frozen=True)
class ForgetsPoints(Goofspiel):
    """The past that is cleared includes the points, which decide who wins."""

    def forget_past(self, state):
        state[1], state[2] = 0, 0


@dataclass(frozen=True)
class Overrating(EvaluationFunction):
    def evaluate(self, game, state, player):
        return 7.0 if state[0] else 0.0


@dataclass(frozen=True)
class Lost(EvaluationFunction):
    def evaluate(self, game, state, player):
        return self.no_such_thing


@dataclass(frozen=True)
class LostEvaluation(Goofspiel):
    def evaluation(self):
        return Lost()


@dataclass(frozen=True)
class Overrated(Goofspiel):
    def evaluation(self):
        return Overrating()


@dataclass(frozen=True)
class NoTie(Goofspiel):
    """Pays both for a tie."""

    def returns(self, state, player):
        return 1.0 if state[1] == 0 else Goofspiel.returns(self, state, player)


# --- lawful, and worth a warning ---


@dataclass(frozen=True)
class LazyPicture(KuhnPoker):
    """The picture leaves out the moves, which all have seen."""

    def render(self, state, player):
        return f"your card: {state[player]}"


@dataclass(frozen=True)
class TellsLate(KuhnPoker):
    """The token of a move tells player 0's card as well. No picture says so; but it might be a
    picture that says too little.
    """

    def apply_action(self, state, action, observations):
        dealt = state[1] == 0
        KuhnPoker.apply_action(self, state, action, observations)
        if not dealt:
            observations[2] += 10 * state[0]


@dataclass(frozen=True)
class ForgottenDeal(KuhnPoker):
    """Nobody is told that the other was dealt a card."""

    def apply_action(self, state, action, observations):
        dealt = state[1] == 0
        KuhnPoker.apply_action(self, state, action, observations)
        if dealt:
            observations[2] = 0

    def picture(self, state, player):
        return None  # that of Kuhn poker shows that the other has a card


@dataclass(frozen=True)
class DealsInOrder(Game):
    """Player 0 is dealt two of three cards, one after the other. Player 1 guesses the third."""

    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 3, 3, 3, 3, 1.0

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[1] == 0:
            return CHANCE
        return 1 if state[2] == 0 else TERMINAL

    def legal_actions(self, state, player, actions):
        for action in range(3):
            actions[action] = action
        return 3

    def chance_outcomes(self, state, actions, probabilities):
        count = 0
        for card in range(3):
            if state[0] != card + 1:
                actions[count] = card
                count += 1
        for index in range(count):
            probabilities[index] = 1.0 / count
        return count

    def apply_action(self, state, action, observations):
        if state[1] == 0:
            state[0 if state[0] == 0 else 1] = action + 1
            observations[0], observations[2] = action + 1, 1
        else:
            state[2] = action + 1
            observations[2] = 2 + action

    def returns(self, state, player):
        right = state[0] + state[1] + state[2] == 6
        return 1.0 if right == (player == 1) else -1.0

    def render(self, state, player):
        dealt = [str(card) if player != 1 else "a card" for card in state[:2] if card > 0]
        return f"{' '.join(dealt)}; guessed: {state[2]}"


@dataclass(frozen=True)
class ForgottenChoice(TellsWhere):
    """Nobody is told that the coin was hidden."""

    def apply_action(self, state, action, observations):
        hidden = state[0] == 0
        TellsWhere.apply_action(self, state, action, observations)
        if hidden:
            observations[2] = 0


@dataclass(frozen=True)
class TwoWaysToPass(KuhnPoker):
    """Actions 0 and 1 are one and the same; 2 is a bet."""

    @property
    def max_actions(self):
        return 3

    def legal_actions(self, state, player, actions):
        for action in range(3):
            actions[action] = action
        return 3

    def apply_action(self, state, action, observations):
        dealt = state[1] == 0
        KuhnPoker.apply_action(self, state, action if dealt else action // 2, observations)

    def action_name(self, state, player, action):
        return str(action)

    def tell(self, before, move, after, observer):
        return None  # the words of Kuhn poker name the action


# --- rules that fail ---


@dataclass(frozen=True)
class WritesBeyond(KuhnPoker):
    """Writes beyond the end of the state after a bet."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        if state[3] == 1:
            state[6] = 1


@dataclass(frozen=True)
class WritesBeyondInside(KuhnPoker):
    """The same, in a method that the rule calls."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        self.note(state)

    def note(self, state):
        state[7 * state[3] * state[4]] = state[0]


@dataclass(frozen=True)
class TellsNobody(KuhnPoker):
    """A token for a player that there is not."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        observations[3] = 1


@dataclass(frozen=True)
class WritesHalf(KuhnPoker):
    """Counts moves in halves; an array of integers keeps 0 of a half."""

    def apply_action(self, state, action, observations):
        if state[1] == 0:
            KuhnPoker.apply_action(self, state, action, observations)
        else:
            state[3 + state[2]] = action
            state[2] = state[2] + 0.5


@dataclass(frozen=True)
class TellsHalf(KuhnPoker):
    """A token that is an average."""

    def apply_action(self, state, action, observations):
        KuhnPoker.apply_action(self, state, action, observations)
        observations[:] = np.full(3, (action + 2) / 2)


@dataclass(frozen=True)
class SetsField(KuhnPoker):
    """A game that changes."""

    def apply_action(self, state, action, observations):
        self.num_cards = action


@dataclass(frozen=True)
class FailsAtTheEnd(KuhnPoker):
    """What is paid, drawn and named, each fails where a match is over or about to be."""

    rule: str = "returns"

    def returns(self, state, player):
        return 1.0 if self.rule != "returns" else [][player]

    def render(self, state, player):
        return "" if self.rule != "render" else [][player]

    def action_name(self, state, player, action):
        return str(action) if self.rule != "action_name" or player < 0 else [][player]


@dataclass(frozen=True)
class EndsTheProgram(KuhnPoker):
    def returns(self, state, player):
        sys.exit()


@dataclass(frozen=True)
class CountsInWords(KuhnPoker):
    def num_distinct_actions(self):
        return "two"


@dataclass(frozen=True)
class CountsWithoutMethod(KuhnPoker):
    @property
    def num_distinct_actions(self):
        return 2


@dataclass(frozen=True)
class PaysByMethod(KuhnPoker):
    def zero_sum(self):
        return False


@dataclass(frozen=True)
class SumsByMethod(KuhnPoker):
    def payoff_sum(self):
        return 0.0


@dataclass(frozen=True)
class TogetherByMethod(Goofspiel):
    def simultaneous(self):
        return True


@dataclass(frozen=True)
class NoMethodToEvaluate(KuhnPoker):
    evaluation = Lost()


@dataclass(frozen=True)
class EvaluatesByClass(KuhnPoker):
    def evaluation(self):
        return Lost


@dataclass(frozen=True)
class UnknownEvaluation(KuhnPoker):
    def evaluation(self):
        return self.nothing


@dataclass(frozen=True)
class CountsUnknown(KuhnPoker):
    def num_distinct_actions(self):
        return self.max_action


@dataclass(frozen=True)
class ReadsClass(KuhnPoker):
    """Rules read what only plain Python knows of the class."""

    deck: str = "JQK"
    RANKS: ClassVar[Any] = [11, 12, 13]
    WORTH: ClassVar[Any] = np.arange(3)
    NAMES: ClassVar[Any] = ("J", 12)
    SUIT: ClassVar[Any] = "spades"

    @classmethod
    def best(cls):
        return 13


@dataclass(frozen=True)
class ReadsList(ReadsClass):
    def returns(self, state, player):
        return float(self.RANKS[0] - 10)


@dataclass(frozen=True)
class ReadsArray(ReadsClass):
    def returns(self, state, player):
        return float(self.WORTH[0])


@dataclass(frozen=True)
class ReadsNames(ReadsClass):
    def returns(self, state, player):
        return float(self.NAMES[1])


@dataclass(frozen=True)
class ReadsText(ReadsClass):
    def returns(self, state, player):
        return float(len(self.SUIT))


@dataclass(frozen=True)
class ReadsField(ReadsClass):
    def returns(self, state, player):
        return float(len(self.deck))


@dataclass(frozen=True)
class CallsClassMethod(ReadsClass):
    def returns(self, state, player):
        return float(self.best())


@dataclass(frozen=True)
class CallsTell(ReadsClass):
    def returns(self, state, player):
        return 0.0 if self.rules_text else 1.0


@dataclass(frozen=True)
class WritesALog(KuhnPoker):
    def returns(self, state, player):
        logging.info("an end")
        return 0.0


def _told(value):
    print(value)
    return value


@dataclass(frozen=True)
class Prints(KuhnPoker):
    def current_player(self, state):
        print("here")
        return KuhnPoker.current_player(self, state)

    def returns(self, state, player):
        return _told(0.0)

    def render(self, state, player):
        print("people may")
        return ""


def _named_only(stake, *, sign=1):
    return stake * sign


@dataclass(frozen=True)
class NamesAnArgument(KuhnPoker):
    def returns(self, state, player):
        return 0.0 * _named_only(1.0, sign=player)


@dataclass(frozen=True)
class UnknownHelper(KuhnPoker):
    def current_player(self, state):
        return self.misspelt(state)


@dataclass(frozen=True)
class Appends(KuhnPoker):
    def legal_actions(self, state, player, actions):
        actions.append(0)
        return 1


@dataclass(frozen=True)
class ReturnsNoCount(KuhnPoker):
    def legal_actions(self, state, player, actions):
        actions[0] = 0


@dataclass(frozen=True)
class CountsNoOutcome(KuhnPoker):
    def chance_outcomes(self, state, actions, probabilities):
        actions[0] = 0


@dataclass(frozen=True)
class ForgetsToReturn(KuhnPoker):
    def current_player(self, state):
        return None


@dataclass(frozen=True)
class PaysNothing(KuhnPoker):
    def returns(self, state, player):
        return None


@dataclass(frozen=True)
class PaysAll(KuhnPoker):
    def returns(self, state, player):
        return [1.0, -1.0]


@dataclass(frozen=True)
class CalledRules(KuhnPoker):
    def rules_text(self):
        return "Each is dealt a card."


@dataclass(frozen=True)
class DrawsNothing(KuhnPoker):
    def picture(self, state, observer):
        return Scene(100 // (observer - observer), 100, ())


@dataclass(frozen=True)
class PaintsText(KuhnPoker):
    def picture(self, state, observer):
        return "hello"


@dataclass(frozen=True)
class WritesNothing(KuhnPoker):
    def picture(self, state, observer):
        return None

    def render(self, state, player):
        return None


@dataclass(frozen=True)
class CalledUtility(KuhnPoker):
    def max_utility(self):
        return 2.0


@dataclass(frozen=True)
class SmallState(KuhnPoker):
    state_size = 1


@dataclass(frozen=True)
class HidesNothing(KuhnPoker):
    def hidden(self, state, observer):
        return "x"[len(state)]


@dataclass(frozen=True)
class TellsNothing(KuhnPoker):
    def tell(self, before, move, after, observer):
        return "x" + move


@dataclass(frozen=True)
class NoChance(Game):
    """Chance is to move, and has no outcomes."""

    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 1, 2, 2, 1, 1.0

    def initial_state(self, state):
        state[0] = 0

    def current_player(self, state):
        return CHANCE if state[0] == 0 else TERMINAL

    def returns(self, state, player):
        return 0.0

    def render(self, state, player):
        return ""


class Bare(Game):
    """A class without a decorator."""

    state_size, max_actions, max_depth, max_utility = 1, 1, 1, 1.0

    def initial_state(self, state):
        state[0] = 0

    def current_player(self, state):
        return TERMINAL


@dataclass(frozen=True)
class NoMove(NoChance):
    """A player is to move, and no move has an effect."""

    def current_player(self, state):
        return 0 if state[0] == 0 else TERMINAL

    def legal_actions(self, state, player, actions):
        actions[0] = 0
        return 1


@dataclass(frozen=True)
class NoJointMove(NoMove):
    """All players are to move, and no move has an effect."""

    simultaneous = True

    def current_player(self, state):
        return SIMULTANEOUS if state[0] == 0 else TERMINAL


@dataclass(frozen=True)
class Unfinished(Game):
    """A game without rules."""

    @property
    def state_size(self):
        return 1

    @property
    def max_actions(self):
        return 1

    @property
    def max_depth(self):
        return 1

    @property
    def max_utility(self):
        return 1.0

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        return TERMINAL


# --- rules that run as plain Python and cannot be compiled ---


@dataclass(frozen=True)
class UsesGenerator(KuhnPoker):
    def returns(self, state, player):
        stake = 1.0 if all(card > 0 for card in state[:2]) else 0.0
        return stake if player == 0 else -stake


@dataclass(frozen=True)
class UnknownMethodInside(KuhnPoker):
    def current_player(self, state):
        return self.mover(state)

    def mover(self, state):
        if state[1] == 0:
            return CHANCE
        return state.tolist()[2] if state[2] < 2 else TERMINAL


@dataclass(frozen=True)
class CallsView(KuhnPoker):
    """A method with the name of an array's; Numba looks at the name alone."""

    def view(self, player):
        return 1.0 if player == 0 else -1.0

    def returns(self, state, player):
        return self.view(player)


@dataclass(frozen=True)
class NamesakeForPeople(KuhnPoker):
    """What only serves people may use all of Python, also where it is called like something that
    rules ask of arrays.
    """

    def size(self, state, player):
        with np.errstate(all="ignore") as _:
            return str(state[player])

    def render(self, state, player):
        return self.size(state, player)

    def information(self, state, player, key):
        if state.size == 6:
            with np.errstate(all="ignore") as _:
                return key
        return key


@dataclass(frozen=True)
class SetsFieldRarely(KuhnPoker):
    """A game that changes, where no play in plain Python comes by."""

    def information(self, state, player, key):
        if state[5] == 1:
            self.num_cards = 4
        return key


@dataclass(frozen=True)
class ReadsMixedTuple(KuhnPoker):
    stakes: tuple[float, ...] = (1.5, 3)

    def returns(self, state, player):
        stake = self.stakes[state[0]]
        return stake if player == 0 else -stake


@dataclass(frozen=True)
class ConvertsNothing(KuhnPoker):
    def returns(self, state, player):
        stake = None if state[0] == 0 else 1.0
        return float(None) if state[0] == 0 else stake * (1.0 - 2.0 * player)


@dataclass(frozen=True)
class CallsBase(KuhnPoker):
    """Numba knows neither ``KuhnPoker.returns`` nor ``super().returns``."""

    def returns(self, state, player):
        return KuhnPoker.returns(self, state, player)


@dataclass(frozen=True)
class CallsSuper(KuhnPoker):
    def current_player(self, state):
        return super().current_player(state)


@dataclass(frozen=True)
class UsesWith(KuhnPoker):
    """Numba says nothing about where this is."""

    def legal_actions(self, state, player, actions):
        with np.errstate(all="ignore") as _:
            actions[0] = 0
            actions[1] = 1
        return 2


class Undecorated(KuhnPoker):
    """Not decorated with @dataclass(frozen=True)."""

    def returns(self, state, player):
        return 0.0


@dataclass(frozen=True)
class WrongName(KuhnPoker):
    """A name that does not exist, where no play in plain Python comes by."""

    def information(self, state, player, key):
        if state[5] == 1:
            return no_such_name  # noqa: F821
        return key


@dataclass(frozen=True)
class MixesKeys(KuhnPoker):
    """A number in one branch and a key in another, which Numba makes fractions of."""

    def information(self, state, player, key):
        return 7 if player == 0 else key


@dataclass(frozen=True)
class HoldsList(KuhnPoker):
    """A field that has no compiled form."""

    cards: Any = field(default=None, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "cards", [1, 2])
