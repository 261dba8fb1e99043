"""A page for each game, from the registry, the docstrings and the rules themselves.

Sizes and values are computed. ``python -m docs.site.games NAME RESULT`` writes what can be computed
of one game, in a process of its own.
"""

import inspect
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
from docs.site.docstrings import as_markdown, in_markdown, inline, parts_of
from docs.site.examples import ExampleError, kept_under
from docs.site.links import ROOT

from hiddenhand import load_game, solve, unroll
from hiddenhand.errors import TooLargeError
from hiddenhand.games.about import About
from hiddenhand.games.base import CHANCE, Game, is_constant_sum
from hiddenhand.games.drawing.svg import svg
from hiddenhand.games.history import History
from hiddenhand.games.registry import GameDescription, describe_games, general_class
from hiddenhand.games.turn_based import as_sequential

MOST_HISTORIES: Final = 200_000
"""Games with more are not written out for the site."""
MOST_SEQUENCES: Final = 3_000
"""Games with more are not solved for the site."""
_ROUNDED: Final = 1e-6  # how far a value of six digits may be from the value itself


def variants(game: GameDescription) -> list[str]:
    """The names that the page of a game tells the sizes of."""
    plain = [game.name] if all("=" in parameter for parameter in game.parameters) else []
    return list(dict.fromkeys((*plain, *game.short_forms, *_about(game).small)))


def _about(game: GameDescription) -> About:
    """What a game says of itself. Raises ExampleError for a game that says nothing."""
    if game.about is None:
        raise ExampleError(f"{game.name} says nothing of itself; decorate its class with About")
    return game.about


def figures(name: str) -> dict[str, Any]:
    """What can be computed of the game called ``name``, in words."""
    game = load_game(name)
    found: dict[str, Any] = {
        "players": str(game.num_players),
        "moves at most": f"{game.max_depth:,}",
        "actions at most": f"{game.max_actions:,}",
        "largest payoff": f"{game.max_utility:g}",
    }
    sequential = as_sequential(game)
    if not sequential.draws_chance or sequential.lists_chance:
        found |= _counted(sequential)
    return found


def _counted(game: Game) -> dict[str, str]:
    try:
        tree = unroll(game, max_histories=MOST_HISTORIES)
    except TooLargeError:
        return {"histories": f"more than {MOST_HISTORIES:,}"}
    counts = tree.counts()
    found = {
        "histories": f"{tree.player.size:,}",
        "information sets": " + ".join(f"{count:,}" for count in counts.information_sets),
        "public states": f"{counts.public_states:,}",
    }
    if sum(counts.sequences) <= MOST_SEQUENCES and is_constant_sum(game):
        value = solve(tree, "lp").values[0]
        found["value for player 0"] = f"{value:.6f}" if abs(value) > 5e-10 else "0"
    return found


def in_the_middle(name: str) -> History:
    """A history of the game called ``name`` in the middle of a random play."""
    random = np.random.default_rng(1)
    history = History(load_game(name))
    path = [history]
    while not history.is_terminal:
        if history.player == CHANCE:
            history = history.child(history.sample_chance(random))
        else:
            moves = history.legal_moves()
            history = history.child(moves[int(random.integers(len(moves)))])
        path.append(history)
    return max((h for h in path[:-1] if h.player != CHANCE), key=lambda h: _middle(h, path))


def in_words(history: History) -> str:
    """What each player sees, as the game writes it."""
    return "\n\n".join(
        f"player {player} sees:\n{history.game.render(history.state, player)}"
        for player in range(history.game.num_players)
    )


def drawn(history: History) -> list[str]:
    """What each player sees, as pictures in SVG; none for a game that draws none."""
    players = range(history.game.num_players)
    scenes = [history.game.picture(history.state, player) for player in players]
    return [svg(scene) for scene in scenes if scene is not None]


def _middle(history: History, path: list[History]) -> int:
    return -abs(2 * len(history.moves) - 5 * len(path) // 4)


def pages(tell: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """The name and the text of each page and picture. ``tell`` is told what is computed."""
    games = describe_games()
    with ThreadPoolExecutor(max_workers=2) as several:
        found = list(several.map(lambda game: _computed(game, tell), games))
    for game, computed in zip(games, found, strict=True):
        yield f"{game.name}.md", _page(game, computed)
        for player, text in enumerate(computed["drawn"]):
            yield f"{game.name}-{player}.svg", text
    yield "index.md", _index(games)


def _computed(game: GameDescription, tell: Callable[[str], None]) -> dict[str, Any]:
    names = variants(game)
    file = kept_under("game", Path(__file__).read_text(encoding="utf-8"), *names)
    if not file.exists():
        tell(f"computing the sizes of {game.name}")
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        command = [sys.executable, "-m", "docs.site.games", str(new), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode:
            raise ExampleError(f"{game.name}:\n{done.stderr}")
        new.replace(file)
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def _page(game: GameDescription, computed: dict[str, Any]) -> str:
    names = variants(game)
    instance = load_game(names[0])
    parts = list(parts_of(inspect.getdoc(type(instance)) or ""))
    rules = "\n\n".join(filter(None, (in_markdown(part, _is_head) for part in parts)))
    general = general_class(game.name)
    more = list(parts_of(inspect.getdoc(general) or "")) if general else []
    summary = inline(game.summary)
    lines = [f"# {game.name}", ""]
    lines += [] if summary in " ".join(rules.split()) else [summary, ""]
    short = ", ".join(f"`{name}`" for name in game.short_forms)
    called = f"`{game.name}`" + (f", and variants in short as {short}" if short else "")
    lines += [rules, "", f"`load_game` and all commands know it as {called}.", ""]
    lines += _parameters(game, dict(pair for part in (*more, *parts) for pair in part.meanings))
    if more:
        told = "\n\n".join(filter(None, (in_markdown(part, _is_head) for part in more)))
        lines += ["## The general form", "", told, ""]
    lines += ["## In the middle of a play", "", f"`{names[0]}`:", ""]
    lines += [*_pictures(game.name, computed), "", "## Sizes and values", ""]
    lines += ["Computed by the rules, with moves in turns.", *_values_said(game, computed), ""]
    lines += [*_table(computed["figures"]), "", "## Where the rules come from", ""]
    lines += [as_markdown(inspect.getdoc(inspect.getmodule(type(instance))) or ""), ""]
    lines += [f"The rules are in `{_file(instance)}`.", ""]
    return "\n".join(lines)


def _pictures(name: str, computed: dict[str, Any]) -> list[str]:
    """What each player sees, drawn where the game draws it, else in words."""
    if not computed["drawn"]:
        return ["```text", computed["words"], "```"]
    return [
        f"What player {player} sees:\n\n![What player {player} sees]({name}-{player}.svg)\n"
        for player in range(len(computed["drawn"]))
    ]


def _is_head(name: str) -> bool:
    """Whether the docstring means a heading, such as "Actions", and no parameter."""
    return name[:1].isupper()


def _values_said(game: GameDescription, computed: dict[str, Any]) -> list[str]:
    if not any("value for player 0" in found for found in computed["figures"].values()):
        return []
    return [
        "Values are those of exact equilibria, found by linear programming.",
        *_known(game, computed),
    ]


def _known(game: GameDescription, computed: dict[str, Any]) -> Iterator[str]:
    """What others found. Raises ExampleError if it is something else."""
    for known in _about(game).known:
        found = computed["figures"][known.game]["value for player 0"]
        if abs(float(found) - known.value) > _ROUNDED:
            raise ExampleError(f"{known.game} is worth {found}, not {known.written}")
        yield f"The value of `{known.game}` is known to be {known.written}: {known.source}."


def _file(game: Game) -> str:
    module = sys.modules[type(game).__module__]
    return str(Path(str(module.__file__)).relative_to(ROOT / "src"))


def _parameters(game: GameDescription, meanings: Mapping[str, str]) -> list[str]:
    """A table of what the game is made with."""
    if not game.parameters:
        return []
    lines = ["| parameter | default | meaning |", "| --- | --- | --- |"]
    for parameter in game.parameters:
        name, given, default = parameter.partition("=")
        said = f"`{default or repr(default)}`" if given else "must be given"
        meaning = inline(meanings.get(name, "")).replace("|", "\\|")
        lines.append(f"| `{name}` | {said} | {meaning} |")
    return [*lines, ""]


def _table(figures_of: dict[str, dict[str, str]]) -> list[str]:
    """A column for each variant."""
    rows = list(dict.fromkeys(name for found in figures_of.values() for name in found))
    lines = ["| | " + " | ".join(f"`{name}`" for name in figures_of) + " |"]
    lines.append("| --- |" + " ---: |" * len(figures_of))
    for row in rows:
        cells = " | ".join(found.get(row, "") for found in figures_of.values())
        lines.append(f"| {row} | {cells} |")
    return lines


def _index(games: list[GameDescription]) -> str:
    lines = ["# Games", "", "Each game with its rules, sizes and sources.", ""]
    lines += ["| game | in short | what it is |", "| --- | --- | --- |"]
    for game in games:
        short = ", ".join(f"`{name}`" for name in game.short_forms)
        lines.append(f"| [{game.name}]({game.name}.md) | {short} | {inline(game.summary)} |")
    names = "\n".join(game.name for game in games)
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", names, "```", ""])


if __name__ == "__main__":
    _result, *_names = sys.argv[1:]
    _shown = in_the_middle(_names[0])
    _computed_now = {
        "figures": {name: figures(name) for name in _names},
        "words": in_words(_shown),
        "drawn": drawn(_shown),
    }
    Path(_result).write_text(json.dumps(_computed_now), encoding="utf-8")
