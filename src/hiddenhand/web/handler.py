"""The handler of one page: it answers the messages that follow the hello."""

from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Final

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.history import History
from hiddenhand.web import views
from hiddenhand.web.analysis import Analysis
from hiddenhand.web.catalogue import verified_player
from hiddenhand.web.engines import engines_for
from hiddenhand.web.lab_handler import LAB, LabHandler
from hiddenhand.web.lobby import Lobby, record_of
from hiddenhand.web.messages import Message
from hiddenhand.web.review_handler import REVIEW, ReviewHandler
from hiddenhand.web.setup import PERSON
from hiddenhand.web.table import Table
from hiddenhand.web.views import ALL, PUBLIC, Plain

_LONGEST_ADVICE: Final = 60.0
"""The most seconds that a search may think while a page watches."""


class Handler:
    """Answers the messages of one page.

    lobby: the tables.
    send: sends a frame to the page; may be called from any thread.
    """

    def __init__(self, lobby: Lobby, send: Callable[[Plain], None]) -> None:
        self._lobby, self.send = lobby, send
        self._table: Table | None = None
        self._token = ""
        self._has_come = False
        self._analyses: dict[int, Analysis] = {}
        self._lab, self._reviews = LabHandler(lobby, send), ReviewHandler(lobby, send)
        self.onlooker = PUBLIC

    def do(self, message: Message) -> None:
        """Answer a message. Raises HiddenhandError for a message that the handler refuses."""
        kind = message["type"]
        if kind != "hello" and not self._has_come:
            raise OptionError("the first message of a page must be of type hello")
        if kind in LAB:
            self._lab.do(message)
        elif kind in REVIEW:
            self._reviews.do(self._over(), message)
        else:
            getattr(self, f"_{kind}")(message)

    def leave(self) -> None:
        """End all searches of a page that has closed."""
        self._hush_all()
        self._lab.leave()
        self._reviews.leave()
        if self._table is not None:
            self._table.leave(self)

    # --- coming and opening ---

    def _hello(self, message: Message) -> None:
        if self._has_come:
            raise OptionError("this page has already said hello; open another page")
        if not message["place"]:
            self._has_come = True
            self._welcome(bool(message["play"]))
            return
        table = self._lobby.table(message["place"])
        self._has_come, self._table = True, table
        self._token = message["token"] or ""
        self.onlooker = table.onlooker(self._token)
        if self._token and self.onlooker < 0:
            self.send(
                {
                    "type": "refused",
                    "why": "this link opens no seat here, so you are watching; ask for a new link",
                }
            )
        table.join(self)
        if (learned := self._lobby.learned(table)) is not None:
            self.send(learned)

    def _welcome(self, play: bool) -> None:
        """Send the start page what it shows, or the way to a new table.

        play: whether the page wants to play the game of the command line at once, which needs no
            list of the games.
        """
        try:
            table = self._lobby.open_offer() if play else None
        except HiddenhandError:
            self.send(self._lobby.described())
            raise
        self.send(self._lobby.described() if table is None else _way_in(table, 0, every=True))

    def _look_up(self, message: Message) -> None:
        """Describe a game at once; then, in a thread, which bots can play it."""
        text = message["game"]
        self.send(self._lobby.looked_up(text))
        Thread(target=self._fit, args=(text,), daemon=True).start()

    def _fit(self, text: str) -> None:
        with suppress(HiddenhandError):  # the page has offered what each game has
            self.send(self._lobby.fits(text))

    def _standing(self, message: Message) -> None:
        seats = [(seat["place"], seat["token"]) for seat in message["seats"]]
        self.send(self._lobby.standing(seats))

    def _open(self, message: Message) -> None:
        table = self._lobby.open(message["game"], message["players"], message["seconds"])
        self.send(_way_in(table, 0, every=True))

    def _stored(self, message: Message) -> None:
        self.send(_way_in(self._lobby.open_stored(message["number"]), None))

    # --- at a table ---

    def _act(self, message: Message) -> None:
        self._at_table().act(self._own_seat(), message["turn"], message["action"])

    def _type(self, message: Message) -> None:
        self._at_table().type_move(self._own_seat(), message["turn"], message["text"])

    def _take_back(self, message: Message) -> None:
        self._at_table().take_back(self._own_seat())

    def _again(self, message: Message) -> None:
        table = self._at_table()
        following = self._lobby.again(table)
        if self.onlooker < 0:
            self.send(_way_in(following, None))
            return
        table.ask_for_rematch(self.onlooker)
        # all players move on by a seat, and so do the people of this table
        seat = (self.onlooker + 1) % len(table.setup.seats)
        self.send(_way_in(following, seat))

    def _invite(self, message: Message) -> None:
        table, own = self._at_table(), self._own_seat()
        links = [
            {"seat": seat, "token": table.setup.seats[seat].token}
            for seat in table.missing()
            if seat != own
        ]
        self.send({"type": "invitations", "seats": links})

    def _pace(self, message: Message) -> None:
        table, step = self._at_table(), bool(message["step"])
        table.set_pace(message["seconds"], bool(message["paused"]), step)

    def _engine(self, message: Message) -> None:
        if self.onlooker >= 0:
            self._at_table().set_engine(self, bool(message["on"]))

    def _engines(self, message: Message) -> None:
        """Offer the engines that can think about this game. Finding out takes a while."""
        game = self._at_table().game
        Thread(
            target=lambda: self.send({"type": "engines", "offered": engines_for(game)}), daemon=True
        ).start()

    def _look(self, message: Message) -> None:
        table = self._all_seeing()
        history, seat = table.history(message["ply"]), _seen_by(table, message)
        lines = views.told(table.moves, table.game, seat)[: len(history.moves)]
        log = [line for line in lines if line is not None]
        self.send(views.position(history, seat) | {"seat": seat, "log": log})

    def _record(self, message: Message) -> None:
        table = self._all_seeing()
        if not table.is_over:
            raise OptionError("a match has a record only when it is over; play it to its end first")
        self.send({"type": "record", "record": record_of(table)})

    def _film(self, message: Message) -> None:
        table = self._over()
        text = views.film_of(table.moves, table.game, _seen_by(table, message))
        self.send({"type": "film", "text": text})

    def _over(self) -> Table:
        """The table, whose match is over."""
        table = self._at_table()
        if not table.is_over:
            raise OptionError("this needs a match that is over; play the match to its end first")
        return table

    # --- seeing searches think ---

    def _think(self, message: Message) -> None:
        history = self._position(message["ply"])
        player = verified_player(message["player"], self._lobby.allowed)
        if player == PERSON:
            raise OptionError(f"{PERSON} is not allowed here; name a search")
        if not 0 < message["seconds"] <= _LONGEST_ADVICE:
            raise OptionError(
                f"seconds={message['seconds']} is not allowed; give a number above 0, up to "
                f"{_LONGEST_ADVICE:g}"
            )
        slot = message["slot"]
        self._hush(message)
        if self.onlooker >= 0 and not self._at_table().is_over:
            self._at_table().set_engine(self, True)
        about = {"type": "thought", "slot": slot, "player": message["player"]}
        analysis = Analysis(
            history,
            player,
            message["seconds"],
            lambda said: self._tell(analysis, slot, about | said),
            bool(message["exact"]),
        )
        self._analyses[slot] = analysis
        analysis.start()

    def _tell(self, analysis: Analysis, slot: int, said: Plain) -> None:
        if self._analyses.get(slot) is analysis:  # else the page has started another search
            self.send(said)

    def _hush(self, message: Message) -> None:
        analysis = self._analyses.pop(message["slot"], None)
        if analysis is not None:
            analysis.stop()

    def _below(self, message: Message) -> None:
        analysis = self._analyses.get(message["slot"])
        if analysis is None:
            raise OptionError("no search has thought about this position; press Think first")
        node = analysis.below(message["secret"], message["way"])
        self.send(
            {"type": "below", **{name: message[name] for name in ("slot", "secret", "way")}, **node}
        )

    def _hush_all(self) -> None:
        for slot in list(self._analyses):
            self._hush({"slot": slot})

    def _position(self, ply: int | None) -> History:
        """The position that a search is to think about. Raises OptionError if the page may not."""
        table = self._at_table()
        if table.is_over or self.onlooker == ALL:
            history = table.history(ply)
        else:
            history = table.history()
            if ply is not None or history.player != self._own_seat():
                raise OptionError("a search can advise you when it is your turn")
        if history.player < 0:
            raise OptionError("no player moves in this position; go to one where a player does")
        return history

    def _at_table(self) -> Table:
        if self._table is None:
            raise OptionError("this page shows no table; open a table first")
        return self._table

    def _own_seat(self) -> int:
        if self.onlooker < 0:
            raise OptionError(
                "you are watching and have no seat here; open the link of a seat to play"
            )
        return self.onlooker

    def _all_seeing(self) -> Table:
        """The table. Raises OptionError if the page may not see all of it."""
        table = self._at_table()
        if not (table.is_over or self.onlooker == ALL):
            raise OptionError("a match has a replay only when it is over; play it to its end first")
        return table


def _seen_by(table: Table, message: Message) -> int:
    """The seat whose view of the match a page wants, or `ALL`."""
    seat = int(message["seat"])
    if seat != ALL and not 0 <= seat < table.game.num_players:
        raise OptionError(
            f"seat={seat} is not allowed; give 0 to {table.game.num_players - 1}, or {ALL} for all"
        )
    return seat


def _way_in(table: Table, seat: int | None, every: bool = False) -> Plain:
    """The frame that sends a page to a table, with the token of its seat.

    seat: the seat of the page. If a bot sits there, the page gets the first seat of a person. None
        for a page that watches.
    every: whether the frame holds the tokens of all seats. The page that opened the table needs
        them to invite others.
    """
    seats = table.setup.seats
    way: Plain = {"type": "opened", "place": table.place, "token": ""}
    people = table.setup.people
    if seat is not None and people:
        way["token"] = seats[seat if seat in people else people[0]].token
    if every:
        way["invitations"] = [
            {"seat": number, "token": seats[number].token}
            for number in people
            if seats[number].token != way["token"]
        ]
    return way
