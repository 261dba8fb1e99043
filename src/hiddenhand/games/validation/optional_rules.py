"""What a game may define, and need not: `Game.forget_past`, and an evaluation function. Solvers and
searches rely on both without looking, so a wrong one makes their results wrong.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, Self

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, EvaluationFunction, Game
from hiddenhand.games.history import History, Move
from hiddenhand.games.validation.instrumented_rules import Asking, inspecting
from hiddenhand.games.validation.laws import Law, broken
from hiddenhand.games.validation.rule_errors import unstarted

FORGETTING: Final = Law(
    "after forget_past, moves, observations, payoffs and evaluations to come are the same",
    "forget_past",
    "clear only what no other rule reads",
)
EVALUATION: Final = Law(
    "evaluate is a number between -max_utility and max_utility, and changes no state",
    "evaluate",
    "estimate the payoff of the player, such as tanh of a sum times max_utility",
)

_TOLERANCE: Final = 1e-9


def optional_laws(game: Game) -> Iterator[Law]:
    """The laws of the optional rules that ``game`` has."""
    if type(game).forget_past is not Game.forget_past:
        yield FORGETTING
    if own_evaluation(game) is not None:
        yield EVALUATION


def check_optional_rules(game: Game, histories: Iterable[History]) -> None:
    """Check the optional rules of ``game`` along ``histories``, each of which comes after the
    history without its last move. Raises ConformanceError.
    """
    laws, function = set(optional_laws(game)), own_evaluation(game)
    if not laws:
        return
    bare: dict[tuple[Move, ...], History] = {}
    for history in histories:
        if history.moves in bare:
            continue
        with inspecting(history):
            if function is not None and history.player not in (CHANCE, TERMINAL):
                _check_evaluation(game, function, history)
            before = bare.get(history.moves[:-1])
            after = (
                _Bare(game)
                if before is None
                else before.child_by(history.movers[-1], history.moves[-1])
            )
            bare[history.moves] = after
            if FORGETTING in laws:
                forgotten, right = _told(after, function), _told(history, function)
                for what in right:
                    if forgotten.get(what) != right[what]:
                        said = f"{what}: {forgotten.get(what)}, instead of {right[what]}"
                        raise broken(game, FORGETTING, history, said, cure=FORGETTING.cure)


class _Bare(History):
    """A history whose state forgets its past after each move."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        game.forget_past(self.state)

    def child_by(self, player: int, move: Move) -> Self:
        """See `History.child_by`."""
        after = super().child_by(player, move)
        self.game.forget_past(after.state)
        return after


def _told(history: History, function: EvaluationFunction | None) -> dict[str, Any]:
    """What the rules say of a history, and of the tokens that led to it; and what the evaluation
    function says.
    """
    player = history.player
    told = {"observations": history.observations, "current_player": player}
    if player == TERMINAL:
        return told | {"returns": history.returns()}
    if player == CHANCE:
        return told | {"outcomes": history.chance_outcomes() if history.game.lists_chance else ()}
    worth = () if function is None else _worth(history, function)
    movers = range(history.game.num_players) if player == SIMULTANEOUS else (player,)
    legal = [history.legal_actions(mover) for mover in movers]
    return told | {"legal_actions": legal, "evaluate": worth}


def _worth(history: History, function: EvaluationFunction) -> tuple[float, ...]:
    game, state = history.game, history.state.copy()
    return tuple(function.evaluate(game, state, seat) for seat in range(game.num_players))


def _check_evaluation(game: Game, function: EvaluationFunction, history: History) -> None:
    asking = Asking(game)
    for player in range(game.num_players):

        def worth(state: Any, player: int = player) -> float:
            return function.evaluate(game, state, player)

        value = asking.repeated(history, "evaluate", worth)
        if not abs(value) <= game.max_utility + _TOLERANCE:
            what = f"for player {player} it is {value}, and max_utility is {game.max_utility}"
            raise broken(game, EVALUATION, history, what, cure=EVALUATION.cure)


def own_evaluation(game: Game) -> EvaluationFunction | None:
    """The game's own evaluation function; None if it has none. Raises RuleError if the method
    fails, and ConformanceError if it returns something else.
    """
    method: Any = game.evaluation
    found = method
    if callable(method):
        with inspecting(unstarted(game)):
            try:
                found = method()
            except GameError:  # it has none
                return None
        if isinstance(found, EvaluationFunction):
            return found
    cure = "make it a method that returns an instance of a class derived from EvaluationFunction"
    what = f"evaluation is {found!r}"
    raise broken(game, EVALUATION, None, what, rule="evaluation", cure=cure)
