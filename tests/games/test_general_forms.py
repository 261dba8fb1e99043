"""The general forms of games: more players, other sizes and other rules than the usual form has.

The numbers of histories, information sets and payoffs of OpenSpiel are those of version 2.0.2, as
`python -m studies.openspiel_agreement` finds them.
"""

import itertools

import numpy as np
import pytest
from naive.playing import names_of, played

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.dark_hex import DarkHex
from hiddenhand.games.general_dark_hex import GeneralDarkHex
from hiddenhand.games.general_goofspiel import GeneralGoofspiel
from hiddenhand.games.general_liars_dice import GeneralLiarsDice
from hiddenhand.games.general_oshi_zumo import GeneralOshiZumo
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.oshi_zumo import OshiZumo
from hiddenhand.games.poker.general_kuhn import GeneralKuhnPoker
from hiddenhand.games.poker.general_leduc import GeneralLeducPoker
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.poker.leduc import LeducPoker
from hiddenhand.games.registry import game_spec, load_game
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.games.turn_based import as_sequential

SAME: list[tuple[Game, Game]] = [
    (GeneralKuhnPoker(players=2), KuhnPoker()),
    (GeneralKuhnPoker(4, players=2), KuhnPoker(4)),
    (GeneralLeducPoker(1, players=2), LeducPoker(1)),
    (GeneralLiarsDice(1, 1, 2), LiarsDice(1, 1, 2)),
    (GeneralLiarsDice(2, 1, 2), LiarsDice(2, 1, 2)),
    (GeneralGoofspiel(3), Goofspiel(3)),
    (
        GeneralGoofspiel(3, True, "random", "point_difference", 0),
        Goofspiel(3, True, "random", "point_difference", 0),
    ),
    (GeneralOshiZumo(4, 1, 1), OshiZumo(4, 1, 1)),
    (GeneralDarkHex(2), DarkHex(2)),
    (GeneralDarkHex(2, abrupt=True), DarkHex(2, abrupt=True)),
]


def walked(game: Game) -> list[object]:
    """A game as its histories, in order: who moves, which moves and chances there are, what is
    paid, and the information sets, numbered as they are first met.
    """
    numbers: dict[object, int] = {}
    found: list[object] = []
    for history in all_histories(as_sequential(game)):
        entry: list[object] = [history.moves, history.player]
        if history.is_terminal:
            entry.append(history.returns())
        elif history.player == CHANCE:
            entry.append(history.chance_outcomes())
        else:
            key = history.player, history.information_key
            entry += [history.legal_actions(), numbers.setdefault(key, len(numbers))]
        found.append(entry)
    return found


@pytest.mark.parametrize(
    ("general", "usual"),
    [
        pytest.param(*pair, marks=[pytest.mark.slow] * (number in (2, 4, 6, 9)))
        for number, pair in enumerate(SAME)
    ],
    ids=str,
)
def test_with_usual_parameters_it_is_the_usual_game(general: Game, usual: Game) -> None:
    assert walked(general) == walked(usual)
    for name in ("max_actions", "max_chance_outcomes", "max_depth", "max_utility"):
        assert getattr(general, name) == getattr(usual, name)


def test_by_name_a_usual_game_keeps_its_rules() -> None:
    """So files that were made before are still read."""
    for general, usual in SAME:
        assert load_game(game_spec(general)) == general.usual() == usual  # type: ignore[attr-defined]
    for text in ("kuhn_poker(players=2)", "leduc_poker(ranks=3)", "liars_dice(players=2)"):
        assert rules_of(load_game(text)) == rules_of(load_game(text.partition("(")[0]))


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("kuhn_poker(players=3)", GeneralKuhnPoker(4, 3)),
        ("kuhn_poker(5,players=3)", GeneralKuhnPoker(5, 3)),
        ("leduc_poker(players=3,suits=3)", GeneralLeducPoker(2, 3, 4, 3)),
        ("leduc_poker(ranks=4)", GeneralLeducPoker(2, 2, 4)),
        ("LD(2,players=3)", GeneralLiarsDice(2, 2, 6, 3)),
        (
            "liars_dice(bidding_rule='reset-quantity')",
            GeneralLiarsDice(1, 1, 6, 2, "reset_quantity"),
        ),
        ("IIGS(4,players=3)", GeneralGoofspiel(4, True, "ascending", players=3)),
        ("goofspiel(returns_type=total_points)", GeneralGoofspiel(returns_type="total_points")),
        ("goofspiel(4,ties=split)", GeneralGoofspiel(4, ties="split")),
        ("OZ(6,min_bid=0)", GeneralOshiZumo(6, 3, 0)),
        ("oshi_zumo(6,horizon=5)", GeneralOshiZumo(6, 3, 1, 5)),
        ("dark_hex(rows=3,columns=4)", GeneralDarkHex(3, False, 3, 4)),
        ("dark_hex(columns=4)", GeneralDarkHex(3, False, 3, 4)),
    ],
)
def test_names(text: str, game: Game) -> None:
    assert load_game(text) == game
    assert load_game(game_spec(game)) == game
    assert repr(load_game(game_spec(game))) == repr(game)


# --- sizes and payoffs ---

# decisions of each player, terminal histories, information sets of each player, and what each
# player earns in uniform play; of OpenSpiel
SIZES = {
    "kuhn_poker(players=3)": ([96] * 3, 312, [16] * 3, [15 / 64, -3 / 64, -12 / 64]),
    "liars_dice(faces=3,bidding_rule=reset_quantity)": (
        [288, 288],
        567,
        [96, 96],
        [1 / 54, -1 / 54],
    ),
    "oshi_zumo(coins=3,min_bid=0,horizon=4,size=1)": ([332, 679], 1035, [332, 332], [0, 0]),
}


@pytest.mark.parametrize("text", SIZES)
def test_sizes_are_those_of_openspiel(text: str) -> None:
    game = as_sequential(load_game(text))
    decisions, terminals, sets, earned = SIZES[text]
    made, keys, ends = [0] * game.num_players, [set[int]() for _ in decisions], 0
    values = np.zeros(game.num_players)

    def walk(history: History, chance: float) -> None:
        nonlocal ends, values
        if history.is_terminal:
            ends += 1
            values += chance * np.array(history.returns())
        elif history.player == CHANCE:
            for outcome, part in history.chance_outcomes():
                walk(history.child(outcome), chance * part)
        else:
            made[history.player] += 1
            keys[history.player].add(history.information_key)
            actions = history.legal_actions()
            for action in actions:
                walk(history.child(action), chance / len(actions))

    walk(History(game), 1.0)
    assert (made, ends, [len(known) for known in keys]) == (decisions, terminals, sets)
    assert values == pytest.approx(earned, abs=1e-12)


def test_the_first_player_who_stays_opens_the_second_round_of_leduc() -> None:
    """As at the table: player 0 folds to a bet."""
    game = GeneralLeducPoker(players=3)
    assert played(game, "0 0 1 check bet call fold 1").player == 1
    assert played(game, "0 0 1 check check check 1").player == 0


def test_a_higher_face_may_say_fewer_dice() -> None:
    """OpenSpiel's order of bids with reset-quantity: 1-1, 2-1, 1-2, 2-2, 1-3, 2-3."""
    game = GeneralLiarsDice(1, 1, 3, 2, "reset_quantity")
    assert names_of(played(game, "1 1")) == ["1-1", "2-1", "1-2", "2-2", "1-3", "2-3"]
    assert names_of(played(game, "1 1 2-1")) == ["1-2", "2-2", "1-3", "2-3", "liar"]


# bids for the point cards 3, 2, 1, and points: 1 and 2 tie for the 3, then 0 takes the 2
BIDS = [(0, 2, 2), (2, 0, 1), (1, 1, 0)]


@pytest.mark.parametrize(
    ("ties", "returns_type", "payoffs"),
    [
        ("discard", "win_loss", (1, -0.5, -0.5)),  # 2, 0, 0 points
        ("discard", "total_points", (2, 0, 0)),
        ("discard", "point_difference", (2, -1, -1)),
        ("split", "total_points", (2.5, 2, 1.5)),  # 0 and 1 share the last card
        ("split", "win_loss", (1, -0.5, -0.5)),
        ("split", "point_difference", (0.75, 0, -0.75)),
        ("carry", "total_points", (5, 0, 0)),
        ("carry", "win_loss", (1, -0.5, -0.5)),
    ],
)
def test_ties_and_returns_of_goofspiel(
    ties: str, returns_type: str, payoffs: tuple[float, ...]
) -> None:
    game = GeneralGoofspiel(3, returns_type=returns_type, players=3, ties=ties)
    history = History(game)
    for bids in BIDS:
        assert history.player == SIMULTANEOUS
        history = history.child(bids)
    assert history.returns() == pytest.approx(payoffs)
    assert game.zero_sum == (sum(payoffs) == pytest.approx(0))


def test_players_who_share_the_lead_share_the_win() -> None:
    """OpenSpiel pays the same for these bids and points."""
    game = GeneralGoofspiel(3, players=3)
    for order, payoffs in (
        ([(2, 2, 1), (1, 0, 0), (0, 1, 2)], (1, -0.5, -0.5)),  # points 2, 0, 1
        ([(0, 0, 0), (1, 1, 1), (2, 2, 2)], (0, 0, 0)),
        ([(2, 1, 0), (0, 2, 1), (1, 0, 2)], (1, -0.5, -0.5)),  # 3, 2, 1
    ):
        history = History(game)
        for bids in order:
            history = history.child(bids)
        assert history.returns() == pytest.approx(payoffs)
    history = History(GeneralGoofspiel(4, players=3))
    for bids in ((3, 0, 1), (0, 3, 2), (2, 1, 3), (1, 2, 0)):
        history = history.child(bids)
    assert history.returns() == pytest.approx((0.5, 0.5, -1))  # 4, 4, 2


def test_the_sum_of_divided_points_is_constant() -> None:
    games = (
        GeneralGoofspiel(3, returns_type="total_points", ties=ties)
        for ties in ("split", "discard", "carry")
    )
    assert [game.payoff_sum for game in games] == [6.0, None, None]


def test_hidden_bids_of_three_players_tell_who_took_the_card() -> None:
    def tokens(ties: str) -> list[int]:
        game = GeneralGoofspiel(3, imp_info=True, players=3, ties=ties)
        return [
            int(History(game).child(bids).observations[-1])
            for bids in ((2, 1, 0), (1, 2, 0), (2, 2, 0), (0, 2, 2))
        ]

    assert tokens("discard") == [2, 3, 1, 1]
    assert tokens("split") == [2, 3, 4, 7]  # 1 + the players as a mask


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (2, 3), (3, 2)])
def test_each_filled_board_has_one_winner(shape: tuple[int, int]) -> None:
    """Hex has no draw on a board of any shape: against a search for a path of stones."""
    game = GeneralDarkHex(rows=shape[0], columns=shape[1])
    some = itertools.islice(all_histories(game), 4000)
    finished = [history for history in some if history.is_terminal]
    assert finished
    for history in finished:
        winner = 0 if history.returns()[0] > 0 else 1
        assert _connected(game, history, winner)
        assert not _connected(game, history, 1 - winner)


def _connected(game: GeneralDarkHex, history: History, player: int) -> bool:
    rows, columns = game.shape()
    stones = {
        divmod(cell, columns)
        for cell in range(rows * columns)
        if game.has_stone(history.state, player, cell)
    }
    reached = {cell for cell in stones if cell[player] == 0}
    while True:
        near = {
            (row + down, column + right)
            for row, column in reached
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))
        }
        more = reached | (near & stones)
        if more == reached:
            return any(cell[player] == (rows, columns)[player] - 1 for cell in reached)
        reached = more


# --- words ---


def test_words_for_three_players() -> None:
    kuhn = GeneralKuhnPoker(players=3)
    before = played(kuhn, "0 1 2 check")
    after = before.child(kuhn.BET)
    told = [kuhn.tell(before.state, kuhn.BET, after.state, observer) for observer in range(3)]
    assert told == ["player 2 bets", "you bet", "player 2 bets"]
    assert kuhn.hidden(after.state, 0) == "player 2 holds 1, player 3 holds 2"
    carry = GeneralGoofspiel(3, players=3, ties="carry")
    root = History(carry)
    tied = root.child((2, 2, 0))
    assert carry.tell(root.state, (2, 2, 0), tied.state, 0) == (
        "you bid 3, player 2 bids 3, player 3 bids 1; the point card 3 is left for the next round"
    )
    split = GeneralGoofspiel(3, players=3, ties="split", imp_info=True)
    shared = History(split).child((2, 2, 0))
    assert split.tell(History(split).state, (2, 2, 0), shared.state, 0) == (
        "you bid 3; you and player 2 share the point card 3"
    )
