"""The regret after errors of what players do in small games, exactly:

    python -m studies.regret [--seconds 0.02] [--write] [PLAYER ...]

The strategy of a search is put together from its answers in all public states, or in all
information sets if it aims at one. It thinks for the given time at each of its decisions.
``--write`` puts the table into docs/opponents.md.
"""

import argparse
from typing import Final

from benchmarks.kept import heading, row, write_section

from hiddenhand import evaluate, load_game, make_player, unroll
from hiddenhand.evaluation.measurement import measures
from hiddenhand.players.fixed_policies import KnownStrategy

GAMES: Final = ("Kuhn", "Leduc", "IIGS(4)", "coordination_game")
PLAYERS: Final = (
    *("auto", "equilibrium", "cr", "mccr", "mccr-external", "oos(targeting=pst)"),
    *("ismcts", "smooth-uct", "pimc"),
)


def regret(game: str, spec: str, seconds: float) -> tuple[float, float]:
    """The mean regret after errors, and nash_conv."""
    rules = load_game(game)
    player = make_player(rules, spec)
    if isinstance(player, KnownStrategy):
        tree = unroll(rules)
        known = measures(tree, player.profile(tree))
        assert known.regret is not None
        return known.regret[0], float(known.exploited[0])
    found = evaluate(rules, spec, method="stitch-public", seconds=seconds, every_set=True)
    assert found.regret_after_errors is not None
    return found.regret_after_errors[0], found.nash_conv.value


def main() -> None:
    """Print a table, a row for each player."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("players", nargs="*", default=PLAYERS)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    lines = heading(["player", *GAMES])
    print(lines[0])
    for spec in asked.players:
        cells = []
        for game in GAMES:
            after_errors, gap = regret(game, spec, asked.seconds)
            cells.append(f"{after_errors:.2g} ({max(gap, 0.0):.2g})")
        lines.append(row([f"`{spec}`", *cells]))
        print(lines[-1], flush=True)
    if asked.write:
        told = f"Each decision has {asked.seconds:g} s. In brackets: nash_conv."
        write_section("docs/opponents.md", "regret", [told, "", *lines])


if __name__ == "__main__":
    main()
