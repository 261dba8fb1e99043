"""A person at a terminal. The person sees pictures drawn for the seat, types names of actions or
their numbers in the list, and may ask another player for advice.
"""

import difflib
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NoReturn

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.players.player import Deciding, Decision, View, verified_policy
from hiddenhand.text import one_line

_BAR: Final = 30  # characters of a probability of 1
_WIDTH: Final = 80  # characters of a line of the rules
_LISTED: Final = 10  # moves that are listed at once; the person can ask for all


class Quit(Exception):  # noqa: N818 - not an error: they have had enough
    """The person at the terminal has left the match."""


class HumanPlayer:
    """Asks a person. `act` raises Quit when the person types ``quit`` or the input ends.

    ask: called with a prompt; returns the line that the person typed.
    tell: called with a text to show; prints it by default.
    adviser: a player of the same seat, whose policy the command ``hint`` shows; None for no such
        command.
    """

    NAME = "human"

    def __init__(
        self,
        ask: Callable[[str], str] = input,
        tell: Callable[[str], object] | None = None,
        adviser: Deciding | None = None,
    ) -> None:
        self._ask = ask
        self._tell = tell or _show
        self._adviser = adviser
        self._view = View("", {})

    def __repr__(self) -> str:
        return one_line(self)

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Only the adviser draws random numbers."""
        self._game = game
        if self._adviser is not None:
            self._adviser.start(game, seat, seed)

    def prepare(self, budget: Budget) -> None:
        """Do nothing: people think when they want to."""

    def see(self, view: View) -> None:
        """See `Watching`."""
        self._view = view

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """Ask until the answer is an action."""
        began = clock.now()
        if self._adviser is not None:
            self._adviser.follow(events)
        for said in self._view.news:
            self._tell(said)
        self._tell(self._view.picture)
        action = self._answer(legal_actions, budget)
        return Decision(
            action,
            tuple(float(legal == action) for legal in legal_actions),
            {},
            clock.now() - began,
        )

    def end(self, events: Sequence[Event], payoff: float) -> None:
        """Do nothing: the program that started the match shows how it ended."""

    def _answer(self, legal_actions: Sequence[int], budget: Budget | None) -> int:
        names = [self._view.names[action] for action in legal_actions]
        moves = _Moves(names)
        self._tell(moves.some())
        while True:
            text = self._line().strip().casefold()
            if (chosen := moves.index(text)) is not None:
                return legal_actions[chosen]
            match text:
                case "quit":
                    _leave()
                case "help":
                    self._tell(f"{in_lines(rules(self._game))}\n\n{self._commands()}")
                case "?":
                    self._tell(moves.all())
                case "hint" if self._adviser is not None:
                    policy = self._adviser.policy(legal_actions, budget)
                    self._tell(
                        _bars(
                            self._view.names,
                            legal_actions,
                            verified_policy(policy, legal_actions, "the adviser"),
                        )
                    )
                case _ if (chosen := moves.meant_by(text)) is not None:
                    return legal_actions[chosen]
                case _:
                    refused = f"{text:.40} is no move now. " if text else ""
                    self._tell(f"{refused}{moves.some(text)} {self._commands()}")

    def _commands(self) -> str:
        hint = "hint for advice, " if self._adviser is not None else ""
        return f"Type a move, ? for all moves, help for the rules, {hint}or quit."

    def _line(self) -> str:
        try:
            return self._ask("> ")
        except EOFError:
            _leave()


def rules(game: Game) -> str:
    """The rules of a game for people, in paragraphs with an empty line between them.

    If the game has no `rules_text` of its own, the last paragraph names its parameters.
    """
    played = game.game if isinstance(game, TurnBased) else game
    if inspect.getattr_static(played, "rules_text") is not vars(Game)["rules_text"]:
        return str(played.rules_text)
    told = played.rules_text or "This game tells no rules: its class has no docstring."
    return f"{told}\n\nIt is played as {played}."


def in_lines(text: str) -> str:
    """Paragraphs with lines that fit a terminal."""
    return "\n\n".join(textwrap.fill(paragraph, _WIDTH) for paragraph in text.split("\n\n"))


class _Moves:
    """The moves that a person can choose from, as they are listed and typed.

    Where no name has a digit in it, moves have numbers, too. A number then cannot be taken for the
    name of another move.

    names: the names of the moves.
    """

    def __init__(self, names: Sequence[str]) -> None:
        numbered = not any(letter.isdigit() for name in names for letter in name)
        self._shown = [
            f"{number} {name}" if numbered else name for number, name in enumerate(names, 1)
        ]
        self._folded = [name.casefold() for name in names]
        numbers = map(str, range(1, len(names) + 1)) if numbered else ()
        self._typed = {text: index for index, text in enumerate(numbers)}
        self._typed |= {folded: index for index, folded in enumerate(self._folded)}

    def index(self, text: str) -> int | None:
        """The place of the move that ``text`` means; None if it means none."""
        return self._typed.get(text)

    def meant_by(self, text: str) -> int | None:
        """The place of the only move whose name has all words of ``text``, such as "bid 2" for "2";
        None if there are more or none.
        """
        words = set(text.split())
        found = [i for i, name in enumerate(self._folded) if words and words <= set(name.split())]
        return found[0] if len(found) == 1 else None

    def all(self) -> str:
        """All moves, in a sentence."""
        return f"Your moves: {', '.join(self._shown)}."

    def some(self, text: str = "") -> str:
        """The moves that ``text`` may mean: those that begin like it or resemble it, or all where
        they are few.
        """
        if len(self._shown) <= _LISTED:
            return self.all()
        begin = [i for i, name in enumerate(self._folded) if text and name.startswith(text)]
        close = difflib.get_close_matches(text, self._folded, _LISTED)
        similar = [self._folded.index(name) for name in close]
        meant = list(dict.fromkeys([*begin, *similar]))[:_LISTED] or list(range(_LISTED))
        listed = ", ".join(self._shown[i] for i in meant)
        return f"Your moves: {listed}, and {len(self._shown) - len(meant)} more."


def _leave() -> NoReturn:
    raise Quit


def _show(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _bars(names: Mapping[int, str], actions: Sequence[int], policy: Sequence[float]) -> str:
    width = max(len(names[action]) for action in actions)
    rows = [
        f"  {names[action]:<{width}}  {p:7.2%}  {'█' * round(_BAR * p)}"
        for action, p in zip(actions, policy, strict=True)
    ]
    return "\n".join(row.rstrip() for row in rows)
