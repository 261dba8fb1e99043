"""The pictures of docs/how-it-works.md, of Kuhn poker: ``python -m docs.site.how_it_works``."""

from pathlib import Path
from typing import Final

import numpy as np
from docs.site.links import ROOT

from hiddenhand import CFR, nash_conv, solve, unroll
from hiddenhand.plots import draw_belief
from hiddenhand.plots.figures import colour, new_figure, save
from hiddenhand.trees.policy_report import history_after

PICTURES: Final = ROOT / "docs" / "pictures"
ITERATIONS: Final = 300
LOOKS: Final = tuple(int(look) for look in np.unique(np.logspace(0, 4, 60).astype(int)))


def main() -> None:
    """Write all pictures."""
    tree = unroll("kuhn_poker")
    played = solve("kuhn_poker").strategy()
    history = history_after(tree.game, ["Q", "K", "check", "bet"])
    draw_belief(tree, history, PICTURES / "how-belief.png", played)
    draw_bluff(PICTURES / "how-regret.png")
    draw_fall(PICTURES / "how-nash-conv.png")


def draw_bluff(path: Path) -> None:
    """The probability of a bet with a J, in each iteration of CFR and on average."""
    tree = unroll("kuhn_poker")
    run = CFR(tree, "cfr")
    bet = int(tree.set_start[0]) + 1
    now, mean = [], []
    for _ in range(ITERATIONS):
        now.append(run.last_profile()[bet])
        run.run(1)
        mean.append(run.average_profile()[bet])
    figure, axes = new_figure(path, 6.4, 3.0)
    axes.plot(range(1, ITERATIONS + 1), now, color=colour(5), linewidth=0.7, label="present")
    axes.plot(range(1, ITERATIONS + 1), mean, color=colour(1), linewidth=2, label="average")
    axes.set(xlabel="iterations of CFR", ylabel="probability of a bet with a J", ylim=(-0.02, 1.02))
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    save(figure, path)


def draw_fall(path: Path) -> None:
    """nash_conv of the average strategy, and of the present one."""
    tree = unroll("kuhn_poker")
    run = CFR(tree, "cfr")
    found: dict[str, list[float]] = {"average": [], "present": []}
    for look in LOOKS:
        run.run(look - run.iterations)
        found["average"].append(nash_conv(tree, run.average_profile()))
        found["present"].append(nash_conv(tree, run.last_profile()))
    figure, axes = new_figure(path, 6.4, 3.0)
    for number, (name, gaps) in enumerate(found.items()):
        axes.plot(LOOKS, gaps, color=colour((1, 5)[number]), linewidth=2 - number, label=name)
    axes.set(xlabel="iterations of CFR", ylabel="nash_conv", xscale="log", yscale="log")
    axes.legend(frameon=False)
    axes.grid(alpha=0.3)
    save(figure, path)


if __name__ == "__main__":
    main()
