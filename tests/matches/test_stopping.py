"""Matches that stop once it is known who is ahead."""

from pathlib import Path

import pytest

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.registry import load_game
from hiddenhand.matches.match_records import Played
from hiddenhand.matches.seat_groups import Group
from hiddenhand.matches.stopping import Leads, Until, Verdict, lead_of
from hiddenhand.matches.tournament import Question, Tournament, mirrored

GAME = load_game("Kuhn")
QUESTION = Question(
    "naive.small_games:Written(Kuhn)",
    ("best_response(random)", "random"),
    seed=1,
    deals=1,
    aivat="solved",
)


def played(
    pair: tuple[int, int], number: int, payoff: float, corrected: float | None = None
) -> Played:
    both = None if corrected is None else (corrected, -corrected)
    return Played(pair, number, (), (payoff, -payoff), (1, 1), (0.0, 0.0), ({}, {}), corrected=both)


def test_leads_by_hand() -> None:
    """1 in the first seat and -2 of the other in the first seat: the first leads by 1.5."""
    assert lead_of(played((0, 1), 0, 1.0), played((1, 0), 0, -2.0)) == 1.5
    assert lead_of(played((0, 1), 0, 1.0, 0.5), played((1, 0), 0, -2.0, 0.5)) == 0.0
    uneven = Played((0, 1), 0, (), (3.0, 1.0), (1, 1), (0.0, 0.0), ({}, {}))
    assert lead_of(uneven, played((1, 0), 0, 0.0)) == 0.5  # half of half of what is more


@pytest.mark.parametrize("sign", [1, -1])
def test_a_group_stops_when_it_is_decided(sign: int) -> None:
    leads = Leads(GAME, Until(0.95), corrected=False)
    group = Group(mirrored(), 1000, None, leads)
    for pair in mirrored():
        for number in range(1000):
            group.add(played(pair, number, sign * (1.0 if pair == (0, 1) else -1.0)))
    assert group.settled
    assert 2 < group.prefix < 40
    verdict = leads.verdict()
    assert (verdict.pairs, verdict.ahead, verdict.lead.value) == (group.prefix, sign, sign)
    assert len(group.counted((0, 1))) == group.prefix


def test_a_group_stops_when_the_interval_is_narrow() -> None:
    for decided in (True, False):
        leads = Leads(GAME, Until(0.9, decided=decided, width=0.5), corrected=False)
        number = 0
        while not leads.add(
            played((0, 1), number, 1.0 - 2 * (number % 2)), played((1, 0), number, 0.0)
        ):
            number += 1
        verdict = leads.verdict()
        assert verdict.ahead == 0
        assert verdict.lead.width <= 0.5
        assert verdict.lead.low < 0 < verdict.lead.high


def test_a_match_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def run(matches: int, file: Path | None) -> tuple[list[Verdict], list[object]]:
        with Tournament(QUESTION, file) as running:
            running.run([mirrored()], matches, until=Until(0.9))
            records: list[object] = [
                (match.history, match.payoffs, match.corrected)
                for pairing in running.pairings()
                for match in pairing.played
            ]
            return running.verdicts(), records

    whole = run(400, None)
    run(3, tmp_path / "file")
    assert run(400, tmp_path / "file") == whole
    (verdict,) = whole[0]
    assert verdict.ahead == 1
    assert 3 < verdict.pairs < 400
    with Tournament(QUESTION, tmp_path / "file") as running:
        running.run([mirrored()], 3)
        assert running.verdicts() == []
        assert all(pairing.corrected() is not None for pairing in running.pairings())
    plain = Question(QUESTION.game, QUESTION.players, seed=1, deals=1)
    with pytest.raises(FileError, match='is about aivat "solved", not null'):
        Tournament(plain, tmp_path / "file")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((1.0,), "until=1.0"), ((0.9, True, 0.0), "until_width=0.0"), ((0.9, False), "a reason")],
)
def test_what_until_refuses(arguments: tuple[float, ...], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Until(*arguments)  # type: ignore[arg-type]
