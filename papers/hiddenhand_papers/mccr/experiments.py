"""The experiments of the MCCR paper: Sustr, Kovarik and Lisy (2019), "Monte Carlo continual
resolving for online strategy computation in imperfect information games", Section 5.

The paper gives times, and says that 100,000 samples are its usual budget. How fast its program was
is not printed. For matches the speeds of the OOS paper's program are taken, game by game, for MCCR
those of OOS. Where the paper varies the time of a resolving, iterations are shown here; one has two
samples.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from hiddenhand_papers.curves import ExpectedLine, Panel, PanelFigure, line_figure
from hiddenhand_papers.domains import DICE, GOOFSPIEL, POKER, Domain
from hiddenhand_papers.expected_table import ExpectedTable
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.match_tables import PERCENT, MatchCheck, MatchReading, MatchTable
from hiddenhand_papers.mccr import claims as said
from hiddenhand_papers.play import BY_CLOCK, Contestant, by_the_clock
from hiddenhand_papers.settling import AveragingRun, LooksLine, SettlingRun
from hiddenhand_papers.sizes import SizeTable

_PHANTOM: Final = Domain("PTTT", "PTTT", 38_000, 87_000, 95_000, "Lisy's thesis, Section 4.3.4")
_PREPLAY: Final = 15_000
"""The iterations of 0.3 s, at 100,000 samples in a second."""

_THRICE: Final = (
    "“UCT three times as fast”: as “corrected”, with three times the iterations for UCT. The scale "
    "evening leaves this reading out, too."
)

_FORCED: Final = (
    "“Wins that a player can see are forced”: as “corrected”, but a player who can complete a line "
    "does so, the random player, too. Lisy is an author of this paper, and the program of his "
    "thesis forces such wins. The scale evening leaves this reading out, too."
)

_RESOLVINGS: Final = 3
"""How often a search has thought in a match when a decision is due, on average, about."""

_LOOKS: Final = tuple(round(10 ** (step / 2)) for step in range(4, 14))  # 100 to 3 million


def _mccr(mode: str, epsilon: float = 0.6, *, corrected: bool = True, focus: float = 0.9) -> str:
    inside = f"mode={mode},epsilon={epsilon},baseline=off,focus={focus}"
    return f"mccr({inside})" if corrected else f"mccr({inside},corrected=false)"


def experiments() -> Iterator[Experiment]:
    """All experiments of the paper."""
    yield _averages()
    yield _exploitability()
    yield _stability()
    yield _exploration()
    yield from _tables()
    yield _sizes()


# --- figures ---


def _averages() -> Experiment:
    shown = (
        ("weighted", "weighted"),
        ("mover, arithmetic as printed", "mover_printed"),
    )
    lines = tuple(
        LooksLine(
            f"b = {bonus}: {name}",
            AveragingRun,
            f"BRPS({bonus})",
            figure,
            _LOOKS,
            evening_looks=10,
            seeds=100,
            evening=10,
        )
        for bonus in (2, 10, 100)
        for name, figure in shown
    )
    return line_figure(
        paper="mccr",
        item="fig2left",
        title="Errors of averaged values in biased rock, paper, scissors",
        setup=(
            "MCCFR from the root with ε = 0.6; the distance from the values of the equilibrium.",
            "“Weighted” is Eq. 6, of the opponent's values. The mover's values v1(root, a), which "
            "the figure shows, are sums of u / l divided by the number of samples, as Eq. 5 is "
            "printed; divided by the sum of 1 / l they would be as good as the weighted ones.",
            "Biases of 2, 10 and 100; 100 seeds and 3 million iterations; evening: ten seeds.",
        ),
        lines=lines,
        x="iterations",
        y="mean distance from the equilibrium's values",
        checks=said.AVERAGES,
    )


def _exploitability() -> Experiment:
    budgets = (30, 300, 3000, 30_000)

    def panel(name: str, game: str, evening: int, evening_budgets: tuple[int, ...]) -> Panel:
        searches = (
            ("MCCR (keep)", _mccr("keep", focus=0.0)),
            ("MCCR (reset)", _mccr("reset", focus=0.0)),
            ("MCCFR", "mccfr(epsilon=0.6,gamma=0.0)"),
            ("OOS-PST", "oos(targeting=pst,delta=0.9,epsilon=0.6,gamma=0.0)"),
        )
        return Panel(
            name,
            tuple(
                ExpectedLine(
                    line,
                    game,
                    search,
                    budgets,
                    _PREPLAY,
                    30,
                    evening,
                    evening_budgets,
                    from_root=_RESOLVINGS if line == "MCCFR" else 0,
                )
                for line, search in searches
                if not (line == "OOS-PST" and game.startswith("IIGS"))
            ),
        )

    return PanelFigure(
        paper="mccr",
        item="fig2right",
        title="Exploitability by the length of a resolving",
        setup=(
            "Pre-play of 0.3 s, taken as 15,000 iterations. Every public state is searched once "
            "for each seed, without more samples in the present information set. The strategy that "
            "all seeds have together is measured. As in the paper, half of nash_conv is shown.",
            "30 seeds; evening: six seeds and fewer budgets, and of Liar's Dice a variant "
            "with three faces, because OOS has to think again before each public state.",
            "MCCFR does not aim, so it is searched from the root only, for pre-play and three "
            "resolvings together.",
            "The paper's text names no sizes; the small games of its Table 1 are taken.",
        ),
        panels=(
            panel("LD(1,1,3)", "LD(1,1,3)", 6, (30, 300, 3000)),
            panel("LD(1,1,6)", DICE.game, 0, ()),
            panel("IIGS(5)", "IIGS(5)", 6, (30, 300, 3000)),
        ),
        x="iterations of a resolving",
        y="exploitability (half of nash_conv)",
        checks=said.EXPLOITABILITY,
    )


def _stability() -> Experiment:
    shown = (("exploitability", "nash_conv"), ("values", "values"))
    games = ((DICE.game, 8, 8), (POKER.game, 8, 8), ("IIGS(5)", 8, 8), ("IIGS(6)", 6, 4))
    panels = tuple(
        Panel(
            game,
            tuple(
                LooksLine(name, SettlingRun, game, figure, _LOOKS, looks, 100, evening)
                for name, figure in shown
            ),
        )
        for game, looks, evening in games
    )
    return PanelFigure(
        paper="mccr",
        item="fig3",
        title="Exploitability, and how much values still change",
        setup=(
            "MCCFR from the root with ε = 0.6. Values are the counterfactual values of the sets in "
            "Ω, and their change is that until the last look; exploitability is nash_conv.",
            "Phantom Tic-Tac-Toe is left out: it is too large to be written out. IIGS(6) stands "
            "for the larger games.",
            "100 seeds and 3 million iterations, instead of 10 million samples; evening: eight "
            "seeds and 300,000 iterations, in IIGS(6) four seeds and 30,000.",
        ),
        panels=panels,
        x="iterations",
        y="exploitability; mean change of values",
        checks=said.VALUES,
    )


def _exploration() -> Experiment:
    return ExpectedTable(
        paper="mccr",
        item="sec5.4.4",
        title="Exploitability of MCCR by its exploration",
        setup=(
            "MCCR (reset); pre-play of 15,000 iterations, 300 for each resolving; the strategy "
            "that all seeds have together, half of nash_conv. 30 seeds; evening: three.",
            "Without influence means: the largest value of a row is less than 1.5 times the "
            "smallest, or their intervals meet.",
        ),
        games=(DICE.game, POKER.game, "IIGS(5)"),
        searches=tuple(
            (f"ε = {epsilon}", _mccr("reset", epsilon, focus=0.0))
            for epsilon in (0.2, 0.4, 0.6, 0.8)
        ),
        iterations=300,
        preplay=_PREPLAY,
        seeds=30,
        evening=3,
    )


# --- tables ---

_ROWS: Final = ("MCCR (keep)", "MCCR (reset)", "MCCFR", "OOS-PST", "OOS-IST", "RM", "UCT")


def _contestants(
    domain: Domain, preplay: float, seconds: float, *, corrected: bool
) -> tuple[tuple[str, Contestant], ...]:
    """The players of a table, with so many seconds of pre-play and for each move."""

    def of(player: str, speed: float) -> Contestant:
        return Contestant(player, round(speed * seconds), round(speed * preplay))

    aimed = "delta=0.9,epsilon=0.6,gamma=0.0"
    return (
        ("MCCR (keep)", of(_mccr("keep", corrected=corrected), domain.oos)),
        ("MCCR (reset)", of(_mccr("reset", corrected=corrected), domain.oos)),
        ("MCCFR", of("mccfr(epsilon=0.6,gamma=0.0)", domain.oos)),
        ("OOS-PST", of(f"oos(targeting=pst,{aimed})", domain.oos)),
        ("OOS-IST", of(f"oos(targeting=ist,{aimed})", domain.oos)),
        ("RM", of("ismcts(selector=rm)", domain.rm)),
        ("UCT", of("ismcts(selector=uct)", domain.uct)),
        ("RND", Contestant("random")),
    )


def _table(
    item: str, name: str, game: str, domain: Domain, checks: tuple[MatchCheck, ...], *, large: bool
) -> Experiment:
    preplay, seconds = (5.0, 1.0) if large else (0.3, 0.1)
    players = _contestants(domain, preplay, seconds, corrected=True)
    has_pst = domain is not GOOFSPIEL  # which the paper left out
    rows = tuple(row for row in _ROWS if has_pst or row != "OOS-PST")
    others = tuple(_others(game, domain, preplay, seconds))
    guessed = "" if name == domain.name else f" Those are the speeds of {domain.name}."
    return MatchTable(
        paper="mccr",
        item=item,
        title=f"Matches in {name}, {preplay:g} s of pre-play and {seconds:g} s a move",
        setup=(
            f"{domain.speeds}{guessed} MCCR is taken to be as fast as OOS.",
            "MCCR, MCCFR and OOS explore with ε = 0.6 and mix in nothing (γ = 0); OOS with "
            "δ = 0.9; UCT with twice the largest payoff, RM with 0.2.",
            "“Corrected”: samples weigh as if 90 % of them did not start in the present "
            "information set, so that MCCR solves the true game. “As in the program”: they do not. "
            "The scale evening leaves this reading out.",
            *(sentence for _, sentence in others),
            BY_CLOCK,
            f"{1_400 if large else 10_000:,} matches for each pair; evening: {2 if large else 20}.",
        ),
        readings=(
            MatchReading("corrected", game, players),
            MatchReading(
                "as in the program",
                game,
                _contestants(domain, preplay, seconds, corrected=False),
                in_evening=False,
            ),
            MatchReading("equal wall time", game, by_the_clock(players, seconds, preplay)),
            *(reading for reading, _ in others),
        ),
        rows=rows,
        columns=(*rows[1:], "RND"),
        measure=PERCENT,
        matches=1_400 if large else 10_000,
        evening=2 if large else 20,
        at_once=2 if large else 10,
        upper=True,
        checks=checks,
    )


def _others(
    game: str, domain: Domain, preplay: float, seconds: float
) -> Iterator[tuple[MatchReading, str]]:
    """Readings that only one game has, each with a sentence on it: what may explain why searches
    earn more here than in print.
    """
    if game == POKER.game:
        faster = replace(domain, uct=3.0 * domain.uct)
        players = _contestants(faster, preplay, seconds, corrected=True)
        yield MatchReading("UCT three times as fast", game, players, in_evening=False), _THRICE
    if game == _PHANTOM.game:
        yield (
            MatchReading(
                "wins that a player can see are forced",
                f"{game}(forced_wins=true)",
                _contestants(domain, preplay, seconds, corrected=True),
                in_evening=False,
            ),
            _FORCED,
        )


def _tables() -> Iterator[Experiment]:
    always = (said.BEAT_RANDOM, said.NOT_BELOW_MCCFR)
    weaker = (*always, said.BELOW_ISMCTS)
    with_pst = (*weaker, said.ABOVE_PST)
    yield _table("tab1-iigs5", "IIGS-5", "IIGS(5)", GOOFSPIEL, weaker, large=False)
    yield _table(
        "tab1-ld116",
        "LD-116",
        DICE.game,
        DICE,
        (*always, said.ABOVE_PST, said.NOT_BELOW_ISMCTS),
        large=False,
    )
    yield _table("tab1-gp3322", "GP-3322", POKER.game, POKER, with_pst, large=False)
    yield _table(
        "tab1-iigs13",
        "IIGS-13",
        "IIGS(13)",
        GOOFSPIEL,
        (*weaker, said.ABOVE_IST),
        large=True,
    )
    yield _table("tab1-ld226", "LD-226", "LD(2,2,6)", DICE, with_pst, large=True)
    yield _table("tab1-gp4644", "GP-4644", "GP(4,6,4,4)", POKER, with_pst, large=True)
    yield _table(
        "tab1-pttt",
        "PTTT",
        "PTTT",
        _PHANTOM,
        (said.BEAT_RANDOM, said.BELOW_ISMCTS),
        large=True,
    )


def _sizes() -> Experiment:
    return SizeTable(
        paper="mccr",
        item="tab2",
        title="Sizes of the games",
        setup=(
            "Small games are counted; of large ones, histories are estimated from 200,000 random "
            "plays a seed (Knuth 1975). Goofspiel has moves in turns, player 1's first.",
            "Terminal histories are among the histories; public states are those in which a player "
            "decides.",
        ),
        counted=(
            ("IIGS-5", "IIGS(5)"),
            ("LD-116", DICE.game),
            ("GP-3322", POKER.game),
            ("B-RPS", "BRPS(10)"),
        ),
        estimated=(
            ("IIGS-13", "IIGS(13)"),
            ("LD-226", "LD(2,2,6)"),
            ("GP-4644", "GP(4,6,4,4)"),
            ("PTTT", "PTTT"),
        ),
        seeds=20,
        evening=5,
    )
