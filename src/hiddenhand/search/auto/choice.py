"""`auto`: given any game and a time, it finds out what it faces and composes what there is.

What suits which kind of game was measured, see "Which search?" in the documentation.
"""

from dataclasses import dataclass
from typing import Final

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.constant_sum import zero_sum_form
from hiddenhand.mapped import Mapped
from hiddenhand.search.auto.any_game import whole_choice
from hiddenhand.search.auto.blueprint_lookup import doubt_of, recalling_choice
from hiddenhand.search.auto.imperfect_information import HiddenChoice, RecalledHere
from hiddenhand.search.auto.perfect_information import PlainChoice
from hiddenhand.search.auto.resolving import AutoResolving
from hiddenhand.search.auto.simultaneous import JointChoice
from hiddenhand.search.auto.survey import Survey, survey
from hiddenhand.search.auto.targeting import AimedOOS
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.opponent_model import Model, model_of
from hiddenhand.search.parallel.streams import Division
from hiddenhand.search.resolving.exact import ExactResolver
from hiddenhand.search.resolving.vector_cr import VectorCR
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle, evaluation_of
from hiddenhand.search.simultaneous.sm_mcts import SMMCTS
from hiddenhand.search.table_search import DEFAULT_MEMORY, verify_memory
from hiddenhand.solvers.simultaneous.state_graph import simultaneous_form
from hiddenhand.trees.blueprint import HANDS, TRAIN, SetBlueprint, blueprint_at
from hiddenhand.trees.strategy import Strategy

_EXPLORATION: Final = 2.0  # of UCT, in units of the largest payoff
_FLOOR: Final = 0.3  # of the attention where the opponent hardly goes; measured better than none
_HISTORIES: Final = 50_000  # with which a public state may begin, to be resolved
_SAMPLED: Final = 1e12  # histories of a game, up to which OOS holds its own against tree search,
_EFFORT: Final = 3_000_000  # to find the situations of a game, a few seconds before a match
_LARGE: Final = 3e6  # histories, of games that are written out where they have fewer
_ACTIONS: Final = 12  # and actions, because it samples one of them: more make its samples vary more


@Algorithm(
    name="auto",
    paper='what was measured of all the others, see "Which search?"; its parts are from the '
    "papers below",
    summary="Chooses at each move what plays best in the game and the time: it solves the game, "
    "or the rest of it, resolves by sampling, samples without resolving, or searches a tree, and "
    "says what it chose and why.",
    guarantee="that of what it chose: an equilibrium in the limit, where it solves, resolves or "
    "samples a zero-sum game of two players from its beginning on; elsewhere none",
)
def auto(
    game: Game | str,
    *,
    opponent: Strategy | str | None = None,
    trust: float | None = None,
    safety: float | str | None = None,
    blueprint: str | None = None,
    memory: int = DEFAULT_MEMORY,
    seed: int = 0,
    threads: int = 1,
) -> OnlineSearch:
    """The search that suits a game; it chooses anew at each move, see its ``choice``.

    opponent: the model of the opponent, whose mistakes the search exploits, if the game or the rest
        of it can be written out: "uniform", the file of a strategy, or the name of a search, which
        then searches from the beginning of the game; with none, the search plays safe.
    trust: the probability that the model is right, from 0 to below 1; by default, safety decides.
    safety: the largest loss that a wrong model may cause, in payoffs, or "gifts" for as much as the
        opponent has given away in the match; 0.05 by default.
    blueprint: the file of a blueprint of the game, which train writes, or "trained" for the one
        that train keeps if no file is named; the search plays on from it. None for no blueprint.
    memory: bytes that its tables may take, also while they grow; half of it for each of two
        searches that follow a match together.
    threads: how many streams sample at the same time, on as many cores, at least 1; what is solved
        exactly is solved on one.
    """
    verify_memory(memory)
    game = zero_sum_form(game)
    model = model_of(game, opponent, trust, safety)
    found = survey(game)
    if model is not None and (found.open or not found.listed):
        raise OptionError(
            f"auto cannot use a model of the opponent in {game}, "
            + (
                "in which only simultaneous moves are hidden; use cr(opponent=...)"
                if found.open
                else "which cannot be written out; leave opponent out"
            )
        )
    how = _How(memory, seed, threads)
    if blueprint is None:
        return _suited(game, found, model, _vector(game, found, model, how), how)
    if model is not None:
        raise OptionError("auto takes either a blueprint or a model of the opponent; leave one out")
    path = blueprint_at(blueprint, game)
    if Mapped.load(path, TRAIN).kind == HANDS:
        vector = VectorCR(game, blueprint=str(path), threads=threads)
        return _suited(game, found, None, vector, how)
    known = SetBlueprint.load(path, game)
    return _suited(game, found, None, _vector(game, found, None, how), how, known)


@dataclass(frozen=True)
class _How:
    """The arguments that `auto` hands on."""

    memory: int
    seed: int
    threads: int

    @property
    def half(self) -> int:
        """The memory of each of two searches."""
        return max(self.memory // 2, 2**20)


def _suited(
    game: Game,
    found: Survey,
    model: Model | None,
    vector: VectorCR | None,
    how: _How,
    blueprint: SetBlueprint | None = None,
) -> OnlineSearch:
    """The search that suits a game.

    vector: resolves for all hands at once; None where that does not suit.
    blueprint: one by sets; None where there is none.
    """
    doubt = "" if blueprint is None else doubt_of(game, blueprint)
    blueprint = None if doubt else blueprint
    if found.open:
        return _joint(game, how, blueprint, doubt)
    if blueprint is not None and not found.listed:
        return recalling_choice(_tree_search(game, how, blueprint), blueprint)
    if not (found.zero_sum_for_two and found.listed):
        return whole_choice(_tree_search(game, how), is_listed=found.listed, doubt=doubt)
    resolving = AutoResolving(
        game,
        ExactResolver(model=model, gains=True),
        found.histories,
        floor=_FLOOR,
        cap=_HISTORIES,
        memory=how.half,
        seed=how.seed,
        division=Division(how.threads),
        blueprint=blueprint,
    )
    fallback: AimedOOS | ISMCTS
    if found.in_plain_sight or found.histories > _SAMPLED or game.max_actions > _ACTIONS:
        fallback = _tree_search(game, how, blueprint)
    else:
        fallback = AimedOOS(game, memory=how.half, seed=how.seed, threads=how.threads)
    choosing = HiddenChoice(
        resolving,
        fallback,
        in_plain_sight=found.in_plain_sight,
        vector=vector,
        recalled=None if blueprint is None else RecalledHere(game, blueprint, resolving),
        doubt=doubt,
    )
    return PlainChoice(choosing, how.half) if found.in_plain_sight else choosing


def _vector(game: Game, found: Survey, model: Model | None, how: _How) -> VectorCR | None:
    """Resolving for all hands at once, if the game is large, and has few enough situations."""
    has_hands = found.zero_sum_for_two and found.moves_are_public and not found.in_plain_sight
    if model is not None or not has_hands or found.histories <= _LARGE:
        return None
    try:
        return VectorCR(game, effort=_EFFORT, threads=how.threads)
    except (GameError, TooLargeError):
        return None


def _tree_search(game: Game, how: _How, blueprint: SetBlueprint | None = None) -> ISMCTS:
    """Tree search. ``blueprint``: what the others are taken to have played."""
    search = ISMCTS(
        game,
        "uct",
        belief="chance",
        exploration=_EXPLORATION,
        memory=how.half,
        seed=how.seed,
        threads=how.threads,
    )
    search.blueprint = blueprint
    return search


def _joint(game: Game, how: _How, blueprint: SetBlueprint | None, doubt: str) -> JointChoice:
    """For a game that hides nothing but what is chosen at the same moment."""
    looks_ahead = evaluation_of(simultaneous_form(game)).FAR_SIGHTED
    return JointChoice(
        SMMCTS(game, "duct", memory=how.half, seed=how.seed, threads=how.threads),
        "sm-mcts(selector=duct)",
        DoubleOracle(game, memory=how.half, seed=how.seed) if looks_ahead else None,
        hidden=lambda: _tree_search(game, how),
        blueprint=blueprint,
        doubt=doubt,
        memory=how.half,
    )
