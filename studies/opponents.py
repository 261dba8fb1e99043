"""What is earned against an opponent who plays at random, and what is risked by it, exactly:

    python -m studies.opponents [--seconds 0.1] [--hands 200] [--write] [GAME ...]

The strategy of `auto` is put together from its answers in all public states. It has no model of the
opponent, the right model, or one that it learned in so many matches against random play. The
strategy of `ismcts` is put together from its answers, after 20,000 iterations each, in all
information sets that its own moves lead to. Earned is the mean of both
seats. Risked is the nash_conv of what is played: what perfect opponents of both seats could win.
``--write`` puts the table into docs/opponents.md, and draws its picture.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.kept import ROOT, heading, row, write_section

from hiddenhand import Budget, evaluate, load_game, make_player, play_match, unroll
from hiddenhand.evaluation.measurement import measures
from hiddenhand.evaluation.policy_query import QueriedPolicy, queried_strategy
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.opponent_learning import LearningPlayer
from hiddenhand.players.player import derived_seed
from hiddenhand.plots.trade_offs import draw_trade_offs
from hiddenhand.search.making import MakeSearch
from hiddenhand.solvers.restricted_nash_response import TradeOff, trade_offs
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import Strategy

GAMES: Final = ("Kuhn", "Leduc", "IIGS(4)", "LD(1,1,6)")
DRAWN: Final = ("Kuhn", "Leduc", "IIGS(4)")
SAFETY: Final = 0.05
PICTURE: Final = ROOT / "docs" / "pictures" / "opponents.svg"
_ITERATIONS: Final = 20_000
_LEARNING: Final = Budget(2000)  # of a move in the matches in which is learned


@dataclass(frozen=True)
class Row:
    """What a player does in a game.

    earned: against random play, the mean of both seats.
    risked: nash_conv.
    """

    earned: float
    risked: float


def of_auto(game: str, seconds: float, **model: object) -> Row:
    """`auto` with a model of the opponent, or without one."""
    make = MakeSearch("auto", tuple(sorted(model.items())))
    found = evaluate(load_game(game), make, method="stitch-public", seconds=seconds)
    assert found.against_random is not None
    return Row(sum(found.against_random) / 2, found.nash_conv.value)


def of_ismcts(game: str) -> Row:
    """`ismcts`, asked afresh at each set."""
    played = as_sequential(load_game(game))
    asked = QueriedPolicy(
        "ismcts", played, Budget(_ITERATIONS), 0, None, by_histories=True, threads=2
    )
    tree = unroll(played)
    found = measures(tree, queried_strategy(asked).on(tree))
    asked.close()
    assert found.against_random is not None
    return Row(float(found.against_random.mean()), float(found.exploited[0]))


def learned(game: str, seat: int, hands: int) -> Strategy:
    """What `auto` has learned of random play after so many matches."""
    rules = load_game(game)
    player = make_player(rules, "auto(opponent=learned)")
    assert isinstance(player, LearningPlayer)
    for hand in range(hands):
        pair = [RandomPlayer(), RandomPlayer()]
        pair[seat] = player  # type: ignore[call-overload]
        play_match(rules, pair, hand, [_LEARNING] * 2, chance_seed=derived_seed(7, hand))
    assert player.learned is not None
    return player.learned.strategy()


def of_learned(game: str, seconds: float, hands: int) -> Row:
    """`auto` with what it has learned in each seat. Each model has the opponent's sets alone, so
    the two are one strategy together.
    """
    make = [
        MakeSearch("auto", (("opponent", learned(game, seat, hands)), ("safety", SAFETY)))
        for seat in range(2)
    ]
    found = [
        evaluate(load_game(game), one, method="stitch-public", seconds=seconds) for one in make
    ]
    earned, risked = 0.0, 0.0
    for seat, one in enumerate(found):
        assert one.against_random is not None
        earned += one.against_random[seat] / 2
        risked += one.best_response_values[1 - seat].value
    return Row(earned, risked)


def main() -> None:
    """Print a table, a row for each game and player."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    lines = heading(["game", "player", "earned", "risked"])
    print(lines[0])
    for game in asked.games:
        for name, found in rows(game, asked.seconds, asked.hands):
            lines.append(row([game, name, f"{found.earned:.3f}", f"{found.risked:.4f}"]))
            print(lines[-1], flush=True)
    if asked.write:
        told = f"Each move has {asked.seconds:g} s, those of `ismcts` {_ITERATIONS:,} iterations."
        write_section("docs/opponents.md", "opponents", [told, "", *lines])
        draw_trade_offs({game: curve(game) for game in DRAWN}, PICTURE)


def rows(game: str, seconds: float, hands: int) -> Iterator[tuple[str, Row]]:
    """All players in a game, with their names."""
    yield "`auto`", of_auto(game, seconds)
    for safety in (0.0, "gifts", SAFETY):
        name = f"`auto(opponent=uniform,safety={safety})`"
        yield name, of_auto(game, seconds, opponent="uniform", safety=safety)
    learner = f"`auto(opponent=learned,safety={SAFETY})` after {hands} matches"
    yield learner, of_learned(game, seconds, hands)
    yield "`ismcts`", of_ismcts(game)


def curve(game: str) -> list[TradeOff]:
    """What can be earned against random play."""
    tree = unroll(load_game(game))
    return trade_offs(tree, uniform_profile(tree))


if __name__ == "__main__":
    main()
