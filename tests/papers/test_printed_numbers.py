"""The printed numbers: what is on file of each paper, and that the papers agree with themselves and
with each other.
"""

import math

import pytest

from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.printed import printed

PAPERS = ("oos", "thesis", "mccr", "smooth")
ITEMS = {
    "oos": [f"fig3{letter}" for letter in "abcdefghijk"]
    + [f"fig4{letter}" for letter in "abcdef"]
    + ["stitching"],
    "thesis": [f"fig4.{number}" for number in range(1, 16)]
    + [f"tab4.{number}" for number in range(1, 13)]
    + [f"sec4.1.1-{game}" for game in ("goofspiel", "oshi-zumo", "pursuit", "random", "tron")],
    "mccr": [
        *("fig2left", "fig2right", "fig3", "sec5.4.4", "tab2"),
        *(
            f"tab1-{domain}"
            for domain in ("iigs5", "iigs13", "ld116", "ld226", "gp3322", "gp4644", "pttt")
        ),
    ],
    "smooth": ["fig1", "fig2", "fig3", "tab1", "tab2", "tab3"],
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_is_on_file(paper: str) -> None:
    items = printed(paper).items
    assert set(ITEMS[paper]) <= set(items)
    for item in items.values():
        assert item.caption
        assert item.page
        assert item.tables or item.claims or item.name == "tab2"
        checks = [claim.check for claim in item.claims]
        assert len(set(checks)) == len(checks)
        names = [table.name for table in item.tables]
        assert len(set(names)) == len(names)


def test_every_item_of_the_thesis_has_an_experiment() -> None:
    made = {name.partition("/")[2] for name in catalogue() if name.startswith("thesis/")}
    assert made == set(ITEMS["thesis"])


def test_the_oos_paper_has_matches_of_the_thesis() -> None:
    """12 of the 16 cells of Fig. 4a are those of Table 4.8. So both played the same game, with the
    point cards in descending order, and the paper's UCT is the RUCT of the thesis.
    """
    ours = printed("oos").items["fig4a"].table("main")
    theirs = printed("thesis").items["tab4.8"].table("0.1s")
    assert ours is not None
    assert theirs is not None
    names = {"OOS": "OOS", "UCT": "RUCT", "RM": "RM", "RND": "RAND"}
    equal = [
        value == theirs.cells[names[row], names[column]]
        for (row, column), value in ours.cells.items()
    ]
    assert equal.count(True) == 12
    assert len(equal) == 16


@pytest.mark.parametrize("game", ["goofspiel", "oshi-zumo", "pursuit", "random", "tron"])
def test_shares_of_mixed_states_are_those_of_the_counts(game: str) -> None:
    table = printed("thesis").items[f"sec4.1.1-{game}"].table("main")
    assert table is not None
    for column in table.columns:
        pure, mixed, share = (
            table.cells[row, column].value for row in ("Pure", "Mixed", "Mixed/All")
        )
        assert math.isclose(share, mixed / (pure + mixed), rel_tol=0.5, abs_tol=6e-5)


def test_goofspiel_has_as_many_states_as_pairs_of_orders() -> None:
    table = printed("thesis").items["sec4.1.1-goofspiel"].table("main")
    assert table is not None
    for depth in range(5):
        orders = math.perm(5, depth)
        counted = sum(table.cells[row, str(depth)].value for row in ("Pure", "Mixed"))
        assert counted == orders**2


@pytest.mark.parametrize(
    ("item", "tables"),
    [("tab4.1", ("1s", "5s", "random-1s")), ("tab4.5", ("1s", "5s", "eval-1s", "eval-5s"))],
)
def test_win_rates_of_balanced_games_add_up(item: str, tables: tuple[str, ...]) -> None:
    """In a game that is the same for both seats, a pair of players has two cells that add up to 100
    but for chance. That would not be so if digits, rows or columns were mixed up.
    """
    for name in tables:
        table = printed("thesis").items[item].table(name)
        assert table is not None
        for (row, column), cell in table.cells.items():
            other = table.cells[column, row]
            assert abs(cell.value + other.value - 100) < cell.width + other.width


def test_defaults_of_the_tuning_are_matches_of_the_tournament() -> None:
    """A search with its default against itself is in Table 4.6 and in Table 4.2."""
    tuned, played = (printed("thesis").items[name] for name in ("tab4.6", "tab4.2"))
    for search, default in {"OOS": "0.6", "DUCT": "2", "EXP3": "0.2", "RM": "0.1"}.items():
        settings = tuned.table(f"self-play-{search.lower()}")
        assert settings is not None
        for time in ("1s", "5s"):
            matches = played.table(time)
            assert matches is not None
            assert settings.cells[time, default].value == matches.cells[search, search].value
