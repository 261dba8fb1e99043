"""What the registry says of an algorithm: a decorator of the class that searches or solves. See
`hiddenhand.search.algorithms`, which finds all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from hiddenhand.errors import GameError, OptionError
from hiddenhand.parameters import Parameter, parameters_of, verified_values
from hiddenhand.text import written_call
from hiddenhand.user_code import module_at, parted

SEARCH: Final = "search"
"""The kind of an algorithm that searches online: see `OnlineSearch`."""
SOLVER: Final = "solver"
"""The kind of an algorithm that solves a game that is written out: see `solve`."""

_NOT_PARAMETERS: Final = {
    SEARCH: ("game", "seed"),
    SOLVER: ("game", "tree", "form", "max_nodes", "memory", "progress"),
}
"""Parameters of constructors that are not part of a name: the caller gives them."""

_Maker = TypeVar("_Maker", bound=Callable[..., Any])


@dataclass(frozen=True)
class Algorithm:
    """An algorithm by name; a decorator of its class or function. The registry reads the decorator
    as text and imports nothing, so its arguments are literals by name.

    name: what it is called; letters' case, blanks, hyphens and underscores make no difference.
    paper: where it comes from.
    summary: what it does, in a sentence.
    guarantee: what is proven, or known, of what it finds.
    games: what games it is for, in words.
    aliases: other names.
    fixed: parameters that the name decides, with their values.
    defaults: of parameters whose default is another than that of the constructor.
    searches_chance: whether it finds something where chance moves first, before any player does.
    needs_public: whether it needs games that say what all players see.
    kind: `SEARCH` or `SOLVER`, which the registry fills in.
    target: its class or function as "module:name", imported at the first use; filled in as well.
    package: the other package that it comes from; empty for the algorithms of this one.
    """

    name: str
    paper: str
    summary: str
    guarantee: str
    games: str = "games of any number of players"
    aliases: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    searches_chance: bool = True
    needs_public: bool = False
    kind: str = SEARCH
    target: str = ""
    package: str = ""

    def __call__(self, maker: _Maker) -> _Maker:
        """Write this on a class of searches, or on a function that makes one: a decorator."""
        return maker

    def load(self) -> Any:
        """The class or function itself, imported now."""
        module, attribute = parted(self.target)
        return getattr(module_at(module), attribute)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be given in parentheses after the name."""
        return tuple(
            replace(one, default=self.defaults.get(one.name, one.default))
            for one in parameters_of(self.load(), (*_NOT_PARAMETERS[self.kind], *self.fixed))
        )

    @property
    def can_be_saved(self) -> bool:
        """Whether a run can be written to a file and continued: the class has ``load``."""
        return hasattr(self.load(), "load")

    def verified(self, given: Mapping[str, Any], besides: tuple[str, ...] = ()) -> dict[str, Any]:
        """``given`` as the constructor wants it. Raises OptionError for a parameter that does not
        exist, or a value of another kind; ``besides``: further parameters that a player may have.
        """
        return verified_values(self.name, self.parameters, given, besides)

    def given_once(self, in_spec: Mapping[str, Any], by_name: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that the name came with, and those that were given by name, verified.
        Raises OptionError, also for one that was given in both ways.
        """
        for name in by_name:
            if name in in_spec:
                raise OptionError(f"{self.name}: {name!r} is given twice; give it once")
        return dict(in_spec) | self.verified(by_name)

    def spec(self, given: Mapping[str, Any]) -> str:
        """The name with the parameters ``given``, in the order of the constructor, in the one form
        that is printed; `read_algorithm` reads it.
        """
        known = [parameter.name for parameter in self.parameters]
        return written_call(self.name, ((name, given[name]) for name in known if name in given))

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All that the constructor is called with besides the game and the seed. Raises OptionError
        if a parameter without a default is not ``given``.
        """
        for one in self.parameters:
            if one.is_needed and one.name not in given:
                raise OptionError(
                    f"{self.name} needs the parameter {one.name}, {one.said}; write it like "
                    f"{self.name}({one.name}=...)"
                )
        return {**self.fixed, **self.defaults, **given}

    def verify_public(self, game: object) -> None:
        """Raise GameError if the algorithm needs to know what is public, and ``game``, which comes
        from another program, does not say (its ``tells_public`` is False).
        """
        if self.needs_public and not getattr(game, "tells_public", True):
            raise GameError(
                f"{self.name} needs to know what all players see, and {game} does not say that; "
                "use oos or ismcts"
            )
