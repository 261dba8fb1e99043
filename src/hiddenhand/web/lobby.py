"""All tables of a server, and the functions that open new ones.

This module imports the games, so the server opens its port before it imports this module.
"""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import token_urlsafe
from threading import RLock
from typing import Any, Final
from weakref import WeakValueDictionary

from hiddenhand.errors import HiddenhandError, OptionError, PlayerError
from hiddenhand.games.base import Game
from hiddenhand.web.catalogue import (
    NOTHING_ELSE,
    Allowed,
    about,
    loaded,
    offered_bots,
    offered_games,
    title_of,
    trained,
    verified_game,
    verified_player,
)
from hiddenhand.web.engines import PERFECT, engines_for, verify_can_play
from hiddenhand.web.forms import bot_forms, game_form
from hiddenhand.web.lab import Lab
from hiddenhand.web.learning import Learning, as_learned
from hiddenhand.web.recorded_matches import RECORD_FORMAT, StoredMatches
from hiddenhand.web.refusals import SetupError, with_title
from hiddenhand.web.setup import Setup, new_setup, read_setup
from hiddenhand.web.store import Event, Store
from hiddenhand.web.table import GRACE, Table
from hiddenhand.web.views import Plain

MOST_TABLES: Final = 100_000
"""The most tables that a server keeps. To make room, move their file away."""
MOST_RECENT: Final = 64
"""How many tables stay in memory, the last that pages opened, also if no page shows them now."""
SECONDS: Final = 1.0
"""How long bots think about a move at a table that no set-up was filled in for."""
PACE: Final = 0.7
"""The seconds between two moves of bots, so that people can follow them."""


class Lobby:
    """All tables. In memory are those with a page or a match that plays, and the last `MOST_RECENT`
    that pages opened. All others are only in the file, from which `table` reads them.

    store: where they are kept.
    allowed: the games and bots that pages may name besides those of the registries.
    offer: the game and the bot of the command line, which the start page opens at once; empty for
        none.
    replay: a file of finished matches to show; None for none.
    grace: see `table.GRACE`.
    learn: whether to train the game of the table that a page opened last, in spare time.
    pace: the seconds between two moves at a table of bots only, until a page changes that.
    """

    def __init__(
        self,
        store: Store,
        allowed: Allowed = NOTHING_ELSE,
        offer: tuple[str, str] = ("", ""),
        replay: Path | None = None,
        grace: float = GRACE,
        learn: bool = False,
        pace: float = PACE,
    ) -> None:
        self._store, self.allowed, self._offer = store, allowed, offer
        self._grace, self._pace = grace, pace
        self.lab: Lab | None = None
        self._lock = RLock()
        self._stored = None if replay is None else StoredMatches(replay)
        self._own = {game: about(game) for game in allowed.games}
        self._places = set(store.tables())
        self._tables: WeakValueDictionary[str, Table] = WeakValueDictionary()
        self._recent: deque[Table] = deque(maxlen=MOST_RECENT)
        self._learning = Learning(self._tell) if learn else None

    def described(self) -> Plain:
        """What the start page shows."""
        shown: Plain = {"type": "lobby", "games": offered_games(), "bots": offered_bots()}
        known = [game["game"] for game in shown["games"]]
        own = [self._about(game) for game in self.allowed.games if game not in known]
        shown["games"] = [*own, *shown["games"]]
        if self._offer[0]:
            shown["offer"] = {"game": self._offer[0], "against": self._offer[1]}
        if self._stored is not None:
            shown["stored"] = self._stored.described()
        return shown

    def _about(self, game: str) -> Plain:
        """A game of the command line. If its file was edited and is wrong now, the summary says
        what is wrong.
        """
        try:
            self._own[game] = about(game)
        except HiddenhandError as error:
            return self._own[game] | {"summary": str(error)}
        return self._own[game]

    def looked_up(self, text: str) -> Plain:
        """What a set-up needs to know of a game at once: its title, its number of players, its
        parameters, and its blueprint if it has one. Raises SetupError.
        """
        game = self._verified(text)
        return {
            "type": "game",
            "game": text,
            "name": title_of(game, text),
            "players": game.num_players,
            "trained": trained(game),
            "form": game_form(game, text),
        }

    def fits(self, text: str) -> Plain:
        """Which bots can play a game. Finding out may take seconds. Raises SetupError."""
        game = self._verified(text)
        return {
            "type": "fits",
            "game": text,
            "perfect": PERFECT in engines_for(game),
            "bots": bot_forms(game),
        }

    def standing(self, seats: Sequence[tuple[str, str]]) -> Plain:
        """How the tables of a browser stand.

        seats: the name of each table, and the token of a seat there.
        """
        found = []
        for place, token in seats:
            if self.has(place):
                found.append(self._found(place).standing(token))
        return {"type": "standing", "tables": found}

    def _verified(self, text: str) -> Game:
        try:
            return verified_game(text, self.allowed)
        except HiddenhandError as error:
            raise SetupError(str(error), "game") from error

    def _verified_bot(
        self, game: Game, text: str, player: str, seat: int, *, try_bots: bool
    ) -> str:
        """The bot of a seat in a standard form; see `open`. Raises SetupError."""
        try:
            named = verified_player(player, self.allowed)
            if try_bots:
                verify_can_play(game, named, seat)
        except HiddenhandError as error:
            why = with_title(str(error), game, title_of(game, text))
            raise SetupError(why, f"seat {seat + 1}") from error
        return named

    def open(
        self, game: str, players: Sequence[str], seconds: float, *, try_bots: bool = True
    ) -> Table:
        """A new table. Raises PlayerError for a wrong number of players, and SetupError, which
        names the field that is wrong.

        try_bots: whether to verify that the bots can play the game, which may compile its rules.
            Otherwise the table says so as soon as the bots start.
        """
        played = self._verified(game)
        if len(players) != played.num_players:
            raise PlayerError(
                f"{game} has {played.num_players} seats, not {len(players)}; name a player for each"
            )
        if not seconds > 0:
            raise SetupError(f"seconds={seconds} is not allowed; give a number above 0", "seconds")
        named = tuple(
            self._verified_bot(played, game, player, seat, try_bots=try_bots)
            for seat, player in enumerate(players)
        )
        return self.opened(new_setup(game, named, seconds), played)

    def open_offer(self) -> Table | None:
        """A new table for one person with the game and the bot of the command line; None if the
        command line names no game. Raises what `open` raises. The table opens before the bot is
        ready, so that a person can begin to look at it, and perhaps to play.
        """
        game, bot = self._offer
        if not game:
            return None
        others = loaded(game).num_players - 1
        return self.open(game, ["person", *[bot] * others], SECONDS, try_bots=False)

    def open_stored(self, number: int) -> Table:
        """A table that shows a finished match of the replay file."""
        if self._stored is None:
            raise OptionError("this server has no stored matches; start it with --replay FILE")
        setup, moves = self._stored.match(number)
        place = number, len(self._stored.described())
        return self.opened(setup, loaded(setup.game), moves, is_over=True, stored=place)

    def opened(
        self,
        setup: Setup,
        game: Game,
        moves: Sequence[int] = (),
        is_over: bool = False,
        stored: tuple[int, int] | None = None,
    ) -> Table:
        """A table with a setup.

        moves: the moves so far, those of chance included.
        is_over: whether the match ended with them.
        stored: the number of the match in the replay file, and how many matches that has.
        """
        if len(self._places) >= MOST_TABLES:
            raise OptionError(
                f"this server keeps at most {MOST_TABLES} tables; give another file with --tables"
            )
        if self._learning is not None and not is_over:
            setup = as_learned(setup)
        place = token_urlsafe(9)
        write = self._writer(place, 0)
        opening: Event = {"event": "opened", "setup": setup.written()}
        write(opening if stored is None else opening | {"stored": stored})
        for move in moves:
            write({"event": "moved", "move": move})
        if is_over:
            write({"event": "over"})
        table = Table(place, setup, game, write, moves, is_over, self._grace, pace=self._pace)
        table.stored = stored
        with self._lock:
            self._places.add(place)
            self._keep(table)
        return table

    def has(self, place: str) -> bool:
        """Whether there is a table with this name."""
        with self._lock:
            return place in self._places

    def table(self, place: str) -> Table:
        """The table with a name. Raises OptionError if there is none."""
        table = self._found(place)
        if self._learning is not None:
            self._learning.turn_to(table.setup.game)
        return table

    def learned(self, table: Table) -> Plain | None:
        """The frame about learning for the pages of a table; None if the server does not learn."""
        return None if self._learning is None else self._learning.frame(table.setup.game)

    def _tell(self, game: str, frame: Plain) -> None:
        with self._lock:
            tables = [table for table in list(self._tables.values()) if table.setup.game == game]
        for table in tables:
            table.tell(frame)

    def _found(self, place: str) -> Table:
        with self._lock:
            table = self._tables.get(place)
            if table is None:
                if place not in self._places:
                    raise OptionError("there is no such table here; open a new one")
                table = self._restored(place, self._store.events(place))
            self._keep(table)
            return table

    def _keep(self, table: Table) -> None:
        """Keep a table in memory until others were opened after it, and as long as it is in use."""
        self._tables[table.place] = table
        if table in self._recent:
            self._recent.remove(table)
        self._recent.append(table)

    def again(self, table: Table) -> Table:
        """The table of the next match, in which all players move on by a seat. All pages of
        ``table`` get the same next table.
        """
        with self._lock:
            if not table.is_over:
                raise OptionError("this match is not over yet; play it to its end first")
            if table.next is not None:
                return self._found(table.next)
            is_own = table.setup.game in self.allowed.games  # its file may have been edited
            game = self._verified(table.setup.game) if is_own else table.game
            if game.num_players != table.game.num_players:
                raise OptionError(
                    f"the game has {game.num_players} seats now, not {table.game.num_players}; "
                    "open a new table"
                )
            following = self.opened(table.setup.turned(table.history().returns()), game)
            table.set_next(following.place)
            return following

    def close(self) -> None:
        """End all matches; they continue when a server starts again."""
        with self._lock:
            for table in list(self._tables.values()):
                table.close()
        self._store.close()
        if self._learning is not None:
            self._learning.close()
        if self.lab is not None:
            self.lab.close()

    def _writer(self, place: str, first: int) -> Callable[[Plain], None]:
        """A function that keeps the events of a table, which has ``first`` events already."""
        number = first

        def write(event: Plain) -> None:
            nonlocal number
            self._store.add(place, number, event)
            number += 1

        return write

    def _restored(self, place: str, events: Sequence[Event]) -> Table:
        """The table that its events describe."""
        setup, moves, is_over = read_setup(events[0]["setup"]), list[int](), False
        came, following = list[int](), None
        for event in events[1:]:
            match event["event"]:
                case "moved":
                    moves.append(event["move"])
                case "took_back":
                    del moves[event["moves"] :]
                case "came":
                    came.append(event["seat"])
                case "over":
                    is_over = True
                case "again":
                    following = event["place"]
        # the server verified the game at opening, and only the owner can write the file
        game = loaded(setup.game)
        write = self._writer(place, len(events))
        table = Table(place, setup, game, write, moves, is_over, self._grace, came, self._pace)
        if (stored := events[0].get("stored")) is not None:
            table.stored = stored[0], stored[1]
        table.next = following
        return table


def record_of(table: Table) -> dict[str, Any]:
    """A finished match as plain data: all that a replay needs, without the tokens of seats."""
    setup = table.setup
    return {
        "format": RECORD_FORMAT,
        "game": setup.game,
        "players": [seat.player for seat in setup.seats],
        "seconds": setup.seconds,
        "seed": setup.seed,
        "deals": f"{setup.chance_seed:x}",
        "moves": list(table.moves),
        "returns": list(table.history().returns()),
    }
