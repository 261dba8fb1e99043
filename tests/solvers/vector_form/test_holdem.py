"""Limit Hold'em with buckets, for all holdings at once: the betting, deals, and what is learned."""

from pathlib import Path

import numpy as np
import pytest

from hiddenhand.budget import Budget
from hiddenhand.errors import FileError, GameError
from hiddenhand.games.history import History
from hiddenhand.games.poker import strength_files
from hiddenhand.games.poker.betting import ROUND
from hiddenhand.games.poker.boards import NUM_BOARDS, all_boards
from hiddenhand.games.poker.hand_strength import HOLDINGS as HOLDINGS_ON
from hiddenhand.games.poker.hand_strength import MOST_SUM, StrengthTables
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.registry import load_game
from hiddenhand.jit.random import new_state
from hiddenhand.matches.match import play_match
from hiddenhand.players.registry import make_player
from hiddenhand.search.auto import blueprint_lookup
from hiddenhand.search.training import train
from hiddenhand.solvers.vector_form.holdem.betting import NOBODY, betting_tree
from hiddenhand.solvers.vector_form.holdem.deals import HOLDINGS, Deal, draw_deal
from hiddenhand.solvers.vector_form.holdem.public_chance_sampling import PCS
from hiddenhand.trees.strategy import strategy_from_weights
from hiddenhand_papers.smooth.duels import CALL, duel

BUCKETS = (169, 40, 8, 3)


@pytest.fixture(scope="module")
def tables() -> StrengthTables:
    """Tables that are drawn before the turn, and tell nothing after it."""
    random = np.random.default_rng(1)
    return StrengthTables(
        all_boards(),
        preflop=random.integers(MOST_SUM[0], size=(1, HOLDINGS_ON[0])),
        flop=random.integers(MOST_SUM[3], size=(NUM_BOARDS[3], HOLDINGS_ON[3])).astype(np.uint32),
        turn=np.zeros((NUM_BOARDS[4], HOLDINGS_ON[4]), np.uint32),
        river=np.zeros((NUM_BOARDS[5], HOLDINGS_ON[5]), np.uint16),
        contents="of Hold'em for all holdings",
        folder="nowhere",
    )


@pytest.fixture
def game(tables: StrengthTables, monkeypatch: pytest.MonkeyPatch) -> LimitHoldem:
    monkeypatch.setattr(strength_files, "open_tables", lambda folder=None: tables)
    return LimitHoldem(buckets=BUCKETS)


def drawn(game: LimitHoldem, seed: int) -> Deal:
    deal = Deal.room(game)
    draw_deal(game, deal, new_state(seed))
    return deal


@pytest.mark.slow
def test_the_betting_is_that_of_the_game(game: LimitHoldem) -> None:
    tree, keys = betting_tree(game)
    assert np.unique(keys).size == keys.size == tree.first_set[-1]
    place = {int(key): number for number, key in enumerate(keys)}
    random = np.random.default_rng(0)
    for _ in range(100):
        history, node = History(game), 0
        while not history.is_terminal:
            moves = history.legal_moves()
            chosen = int(random.integers(len(moves)))
            if history.player >= 0:
                number = place[history.information_key]
                bucket = game.abstraction.bucket_of(game, history.state, history.player)
                assert number == tree.first_set[node] + bucket < tree.first_set[node + 1]
                assert tree.player[node] == history.player
                assert tree.num_children[node] == len(moves)
                node = tree.first_child[node] + chosen
            history = history.child(moves[chosen])
        paid = history.returns()
        assert tree.player[node] == NOBODY
        if tree.folded[node] == NOBODY:
            assert abs(paid[0]) in (0.0, tree.stake[node])
        else:
            assert paid[tree.folded[node]] == -tree.stake[node]


@pytest.mark.slow
def test_the_paper_has_as_many_sets_as_it_says(
    tables: StrengthTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strength_files, "open_tables", lambda folder=None: tables)
    tree, keys = betting_tree(LimitHoldem(buckets="paper"))
    assert (keys.size, tree.num_rows) == (1_520_352, 3_952_949)


def test_ends_pay_what_all_pairs_of_holdings_pay(game: LimitHoldem) -> None:
    """In plain Python; `test_it_learns` runs the same lines compiled."""
    deal = drawn(game, 3)
    reach, found = np.random.default_rng(2).random(HOLDINGS), np.zeros(HOLDINGS)
    apart = np.array(
        [[len({*mine, *theirs}) == 4 for theirs in deal.cards] for mine in deal.cards[:100]]
    )
    deal.fill_folded(reach, 3.0, found)
    assert found[:100] == pytest.approx(3.0 * apart @ reach)
    deal.fill_shown(reach, 10.0, found)
    wins = np.sign(deal.strength[:100, None] - deal.strength[None, :])
    assert found[:100] == pytest.approx(10.0 * (apart * wins) @ reach)


def test_holdings_are_in_the_buckets_of_the_game(game: LimitHoldem) -> None:
    random = np.random.default_rng(4)
    for seed in range(20):
        deal = drawn(game, seed)
        assert len({tuple(sorted(pair)) for pair in deal.cards.tolist()}) == HOLDINGS
        held = int(random.integers(HOLDINGS))
        board = deal.state[game.cards_at + 4 : game.cards_at + 9].tolist()
        mine = deal.cards[held].tolist()
        others = [card for card in range(52) if card not in (*board, *mine)][:2]
        cards = iter([*mine, *others, *sorted(board[:3]), *board[3:]])
        history = History(game)
        while not history.is_terminal:
            if history.player >= 0:
                number = history.state[ROUND]
                bucket = game.abstraction.bucket_of(game, history.state, 0)
                assert deal.bucket[number, held] == bucket
            history = history.child(1 if history.player >= 0 else next(cards))


@pytest.mark.slow
def test_it_learns(game: LimitHoldem) -> None:
    run = PCS(game, seed=1)
    run.iterate(600)
    strategy = strategy_from_weights(game, run.weights())
    (won, *_) = duel(game, [strategy], np.array([[0, CALL], [CALL, 0]]), 20_000, 1)
    assert won.mbb > 3 * won.error
    assert run.visits.sum() > 0


@pytest.mark.slow
def test_training_goes_on_and_auto_plays_on_from_it(
    game: LimitHoldem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = train(game, tmp_path / "once", iterations=8)
    assert (once.method, once.nash_conv) == ("pcs", None)
    train(game, tmp_path / "twice", iterations=5)
    again = train(game, tmp_path / "twice", iterations=3)
    assert (again.began_at, again.iterations) == (5, 8)
    one, other = (PCS.load(tmp_path / f"{name}.pcs", game) for name in ("once", "twice"))
    assert one.average.tobytes() == other.average.tobytes()
    assert one.regret.tobytes() == other.regret.tobytes()
    monkeypatch.setattr(blueprint_lookup, "ENOUGH", 1.0)
    monkeypatch.setattr(blueprint_lookup, "LEAST_KNOWN", 0.0)
    player = make_player(game, f"auto(blueprint='{tmp_path / 'once'}')")
    record = play_match(game, [player, make_player(game, "call")], 1, [Budget(20)] * 2)
    assert "the blueprint says what to play" in record.decisions[0][0].choice


def test_other_games_are_refused(game: LimitHoldem, tmp_path: Path) -> None:
    for other in (load_game("Leduc"), LimitHoldem(), LimitHoldem(3, buckets="paper")):
        with pytest.raises(GameError, match="with buckets, for which pcs is; use mccfr"):
            PCS(other)
    PCS(game).save(tmp_path / "run")
    with pytest.raises(FileError, match="give one made on the same game"):
        PCS.load(tmp_path / "run", LimitHoldem(buckets=(169, 40, 8, 4)))
