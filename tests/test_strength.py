"""Which measurements of the strength of searches are left out because they can change nothing."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from hiddenhand import load_game, make_search, play_match
from hiddenhand.budget import Budget
from hiddenhand.players.player import Probabilities
from hiddenhand.players.search_player import SearchPlayer

ROOT = Path(__file__).parent.parent
NAMED = {
    "whole": ("nash_conv", "mccr"),
    "opening": ("opening", "mccr"),
    "ours": ("nash_conv", "auto"),
    "default": ("nash_conv", "oos"),
    "default's opening": ("opening", "oos"),
    "match": ("match", "mccr"),
}


@pytest.mark.parametrize(
    ("found", "asked", "is_left_out"),
    [
        ({}, "whole", False),  # nothing is known
        ({"ours": 0.01}, "whole", False),
        ({"ours": 0.01}, "opening", False),
        ({"ours": 0.01, "opening": 0.02}, "whole", True),  # it loses already
        ({"ours": 0.01, "opening": 0.005}, "whole", False),  # that is open
        ({"ours": 0.01, "opening": 0.0092}, "whole", True),  # 1.1 times is close enough
        ({"ours": 0.0009}, "whole", True),  # auto has solved the game
        ({"ours": 0.0009}, "opening", True),
        ({"ours": 0.01, "whole": 0.02}, "opening", True),  # more is known
        ({"opening": 0.02}, "whole", False),
        ({"opening": 0.02}, "ours", False),  # auto is always asked everywhere
        ({"ours": 0.0009}, "default", False),  # is auto 100 times better?
        ({"ours": 0.0009, "default's opening": 0.08}, "default", False),
        ({"ours": 0.0009, "default's opening": 0.1}, "default", True),
        ({"ours": 0.01, "default's opening": 0.1}, "default", True),  # auto has not solved it
        ({"ours": 0.0}, "match", False),
    ],
)
def test_what_can_change_nothing_is_left_out(
    found: dict[str, float], asked: str, is_left_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from studies.strength import Unit, changes_nothing

    made = {
        name: Unit(kind, "LD(1,1,6)", (search,), 0.2, 1, 60.0)
        for name, (kind, search) in NAMED.items()
    }
    kept = {made[name].key: {"nash_conv": value} for name, value in found.items()}
    assert changes_nothing(made[asked], kept) == is_left_out


def test_the_page_says_that_all_units_are_measured() -> None:
    """The program counts them when it writes the page."""
    assert "All units are measured" in (ROOT / "docs/which-search.md").read_text()


def test_both_pages_have_all_measured_matches_with_blueprints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another program measures the matches, and writes one of the pages."""
    monkeypatch.syspath_prepend(ROOT)
    from studies.blueprint_report import KEPT, table

    found = "\n".join(table(KEPT.read()))
    assert "| `LD(2,2,6)` |" in found
    for page in ("which-search", "large-games"):
        assert found in (ROOT / f"docs/{page}.md").read_text()


def test_the_page_has_the_corrected_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from studies.corrected_leads import KEPT, table

    found = "\n".join(table(KEPT.read()))
    assert "| `IIGS(8)` |" in found
    assert found in (ROOT / "docs/large-games.md").read_text()


def test_the_page_has_the_remembered_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from studies.remembered_leads import KEPT, table

    found = "\n".join(table(KEPT.read()))
    assert "| `phantom_ttt_abrupt` |" in found
    assert found in (ROOT / "docs/large-games.md").read_text()


def test_the_page_of_rare_moves_has_all_that_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from studies.thresholds import KEPT, cases, page

    kept = KEPT.read()
    assert kept.keys() == {case.key for case in cases()}
    assert (ROOT / "docs/results/thresholds.md").read_text() == page(kept)


def test_a_player_that_remembers_plays_as_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same match with the same seed, also after matches that share only its beginning. In a
    match that it has played before, it does not think at all.
    """
    monkeypatch.syspath_prepend(ROOT)
    from studies.remembered_leads import Remembering

    game, thought_in = load_game("leduc_poker"), list[Sequence[int]]()

    class Counting(SearchPlayer):
        def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
            thought_in.append(legal_actions)
            return super().policy(legal_actions, budget)

    own = Remembering(Counting(partial(make_search, spec="ismcts")), seed=7)
    counts = []
    for _ in range(2):
        for number in range(12):
            plain = SearchPlayer(partial(make_search, spec="ismcts"))
            monkeypatch.setattr(plain, "search_seed", lambda _: SearchPlayer.search_seed(7))
            first, second = (
                play_match(game, [one, "random"], number, chance_seed=number, iterations=40)
                for one in (own, plain)
            )
            assert first.moves == second.moves
            policies = [[made.policy for made in one.decisions[0]] for one in (first, second)]
            assert policies[0] == policies[1]
        counts.append(len(thought_in))
    assert counts[0] == counts[1] > 0


def test_the_page_of_targets_counts_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, as `hiddenhand info` does; and it has no means of nothing."""
    monkeypatch.syspath_prepend(ROOT)
    from studies import targeting

    monkeypatch.setattr(targeting, "GAMES", ("LD(1,1,3)",))
    page = (ROOT / "docs/results/targeting.md").read_text()
    rows = [line for line in targeting._page(targeting.KEPT.read()).splitlines() if "LD(" in line]
    assert [line for line in page.splitlines() if "LD(" in line] == rows
    assert all("| 1,147 |" in row for row in rows)
    assert targeting._mean_row({}, 1000) == []


@pytest.mark.parametrize(
    ("measured", "wanted", "is_enough"),
    [(None, None, True), (6, None, True), (None, 83, False), (17, 24, False), (100, 83, True)],
)
def test_an_opening_is_asked_again_only_where_more_of_it_is_wanted(
    measured: int | None, wanted: int | None, is_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from studies.strength import Unit, is_kept

    unit = Unit("opening", "IIGS(6)", ("mccr",), 0.2, 1, 60.0, wanted)
    found = {"repeats": 1, "places": measured}
    assert is_kept(unit, {unit.key: found}) == is_enough
    assert not is_kept(unit, {})
