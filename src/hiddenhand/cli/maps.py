"""The verb about maps: ``maps`` lists them, or draws one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text
from hiddenhand.errors import OptionError
from hiddenhand.files import write_file

if TYPE_CHECKING:
    from hiddenhand.pursuit.games.places import Places


def maps(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[MAP]",
            help="A map to draw: one of the list, a file, or rows such as '.../.#./...'.",
            show_default=False,
        ),
    ] = "",
    picture: Annotated[Path | None, typer.Option(help="Draw the map into this file: .svg.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the maps of pursuit with limited sight, or draw one."""
    from hiddenhand.pursuit.games.maps import describe_maps, load_map, open_map
    from hiddenhand.pursuit.games.pictures import draw_places

    if picture is not None and (not name or picture.suffix.lower() != ".svg"):
        raise OptionError(
            f"--picture {picture} is not allowed; name a map, and a file that ends with .svg"
        )
    if name:
        places = open_map(name)
        if picture is not None:
            from hiddenhand.games.drawing.svg import svg
            from hiddenhand.pursuit.games.drawing import map_scene

            write_file(picture, svg(map_scene(places)).encode())
        figures = _figures(places)
        if as_json:
            print_json({"map": name, **figures})
        else:
            print_text(draw_places(places, {}))
            print_text(_in_words(figures))
        return
    listed = [(described, _figures(load_map(described.name))) for described in describe_maps()]
    if as_json:
        print_json({"maps": [vars(described) | figures for described, figures in listed]})
        return
    for described, figures in listed:
        print_text(f"{described.name}   {_in_words(figures)}")
        print_text(f"    {described.summary}")


def _figures(places: "Places") -> dict[str, Any]:
    """Return the size and the sight of a map; the sight is None where it has no limit."""
    from math import isfinite

    return {
        "nodes": len(places.names),
        "links": len(places.links),
        "sight": places.sight if isfinite(places.sight) else None,
    }


def _in_words(figures: dict[str, Any]) -> str:
    sight = "without limit" if figures["sight"] is None else f"{figures['sight']:g}"
    return f"{figures['nodes']} nodes, {figures['links']} links, sight {sight}"
