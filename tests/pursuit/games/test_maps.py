"""Maps: the readers, the generators, lines of sight against a slow twin, sets of nodes as bits."""

import json
import random
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from naive.pursuit import Board
from typing_commands import Typed

from hiddenhand.errors import GameError, ParameterError
from hiddenhand.pursuit.games.map_files import read_map
from hiddenhand.pursuit.games.maps import load_map, map_names, open_map
from hiddenhand.pursuit.games.places import MapError, Places, column_name, rows_of
from hiddenhand.pursuit.games.sight import crossed, is_blocked
from hiddenhand.pursuit.games.terrain import nodes_of, terrain_of


def random_rows(rng: random.Random) -> str:
    """A random grid in one piece: the cells that a random walk has come to."""
    rows, columns = rng.randint(2, 6), rng.randint(2, 6)
    here, free = (0, 0), {(0, 0)}
    for _ in range(rows * columns):
        r, c = here
        step = rng.choice([(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)])
        if step[0] in range(rows) and step[1] in range(columns):
            here = step
            free.add(here)
    return "/".join("".join(".#"[(r, c) not in free] for c in range(columns)) for r in range(rows))


def cell_of(places: Places, node: int) -> tuple[int, int]:
    return places.cells[node]


# --- lines of sight ---


@pytest.mark.parametrize("seed", range(12))
def test_sight_against_clipping(seed: int) -> None:
    rng = random.Random(seed)
    rows, sight = random_rows(rng), rng.choice([1.0, 2.5, 4.0, 99.0])
    places, board = load_map(rows), Board(rows, sight)
    sees = places.sees(sight)
    assert (sees == sees.T).all()
    for node in range(len(places.names)):
        seen = {cell_of(places, int(other)) for other in np.flatnonzero(sees[node])}
        assert seen == board.v(frozenset([cell_of(places, node)])), (rows, places.names[node])


def test_corners() -> None:
    """The corner of a single wall does not block, two walls that meet in it do."""
    alone = load_map(".#./.../...")
    assert alone.sees(9.0)[alone.number["a1"], alone.number["b2"]]
    assert crossed(1, 1) == ([(0, 0), (1, 1)], [((0, 1), (1, 0))])
    assert crossed(0, -2) == ([(0, 0), (0, -1), (0, -2)], [])
    around = load_map(".#../..#./....")
    sees = around.sees(9.0)
    assert not sees[around.number["b2"], around.number["c1"]]
    assert sees[around.number["a1"], around.number["b2"]]


SQUARE = [(2, 2), (4, 2), (4, 4), (2, 4)]


@pytest.mark.parametrize(
    ("p", "q", "blocked"),
    [
        ((0, 3), (6, 3), True),  # straight through
        ((0, 0), (6, 6), True),  # through two corners
        ((0, 2), (6, 2), False),  # along a wall
        ((0, 4), (4, 0), False),  # touches a corner
        ((1, 3), (2, 3), False),  # ends at a wall
        ((1, 3), (3, 3), True),  # ends inside
        ((0, 1), (6, 1), False),
        ((2, 2), (4, 4), True),  # from corner to corner
        ((2, 2), (2, 4), False),
    ],
)
def test_buildings_block(p: tuple[int, int], q: tuple[int, int], blocked: bool) -> None:
    for one, other in ((p, q), (q, p)):
        assert is_blocked(one, other, SQUARE) == blocked
        assert is_blocked(one, other, SQUARE[::-1]) == blocked


# --- sets of nodes ---


def wide_rows() -> str:
    """Rows that take more than one word each."""
    rng = random.Random(3)
    row = "".join(rng.choice("..#") for _ in range(130))
    return "/".join(["." * 130, row, "." * 130, row[::-1], "." * 130])


@pytest.mark.parametrize("text", ["block5", "wide6x7", "town465", "maze50x49_3", wide_rows(), "."])
@pytest.mark.parametrize("stay", [False, True])
def test_spreading_by_bits_is_spreading_by_neighbours(text: str, stay: bool) -> None:
    places = load_map(text)
    terrain = terrain_of(text, 3.0, stay)
    rng = random.Random(1)
    for size in (1, 3, len(places.names) // 2):
        nodes = set(rng.sample(range(len(places.names)), max(min(size, len(places.names)), 1)))
        words, into = (np.zeros(terrain.num_words, np.int64) for _ in range(2))
        for node in nodes:
            words[terrain.bit[node] // 62] |= 1 << (terrain.bit[node] % 62)
        into[:] = -1  # what was there before does not matter
        assert nodes_of(terrain, words) == sorted(nodes)
        assert terrain.size(words) == len(nodes)
        terrain.spread(words, into)
        reached = {other for node in nodes for other in places.beside[node]}
        stays = stay or len(places.names) == 1
        assert set(nodes_of(terrain, into)) == (reached | nodes if stays else reached)


def test_distances_and_exits() -> None:
    terrain, places = terrain_of("wide6x7", 9.0, True), load_map("wide6x7")
    a1, g1, b4 = (places.number[name] for name in ("a1", "g1", "b4"))
    assert terrain.distance[a1, g1] == 6
    assert terrain.eccentricity[a1] == 11
    assert [places.way_name(b4, n) for n in terrain.exits[b4, 1:4]] == ["right", "left", "stay"]


# --- maps by name ---

DIGESTS = {"maze50x49_4": "47b6fcd58a4a981e", "town465_4": "a8f97fd1b0061c34"}


def test_generated_maps_stay_the_same() -> None:
    """Of programs' own output: maps that experiments name must not change."""
    for name, digest in DIGESTS.items():
        assert terrain_of(name, load_map(name).sight, True).contents == digest, name


def test_generated_maps_have_their_sizes() -> None:
    for name in map_names():
        places = load_map(name)
        assert len(places.names) == len(set(places.names)) == len(places.points)
        if name.startswith("town"):
            assert len(places.names) == 465
            ends = places.points[np.array(places.links)]
            lengths = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
            assert 4000 < lengths.min() <= lengths.max() < 6500  # millimetres
        elif name.startswith("maze"):
            assert places.walls is not None
            assert places.walls.shape == (49, 50)
            assert max(map(len, places.beside)) == 4


@pytest.mark.parametrize(
    ("column", "name"), [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (701, "zz")]
)
def test_columns_are_named_as_in_spreadsheets(column: int, name: str) -> None:
    assert column_name(column) == name


# --- files ---

MOVING_AI = "type octile\nheight 2\nwidth 3\nmap\n.G.\n@.T\n"
GRAPH = {
    "nodes": [{"x": 0, "y": 0}, {"x": 1.5, "y": 0, "name": "bend"}, {"x": 3, "y": 1}],
    "edges": [[0, "bend"], ["bend", 2]],
    "buildings": [[[1, -1], [2, -1], [1.5, -0.001]]],
    "sight": 2,
}


def test_readers(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("...\n#.#\n")
    (tmp_path / "a.map").write_text(MOVING_AI)
    (tmp_path / "plain.pgm").write_text("P2 # a picture\n3 2\n255\n254 254 254\n0 205 0\n")
    (tmp_path / "a.pgm").write_bytes(b"P5\n3 2\n255\n" + bytes([254, 254, 254, 0, 254, 100]))
    yaml = (
        "image: {}\nresolution: 0.05 # metres\norigin: [0, 0, 0]\nfree_thresh: 0.196\nnegate: 0\n"
    )
    (tmp_path / "a.yaml").write_text(yaml.format("a.pgm"))
    (tmp_path / "plain.yml").write_text(yaml.format("plain.pgm").replace("0.196", "0.2"))
    for name in ("a.txt", "a.map", "a.yaml", "plain.yml"):
        assert rows_of(read_map(tmp_path / name)) == ["...", "#.#"], name
    (tmp_path / "a.json").write_text(json.dumps(GRAPH))
    graph = load_map(str(tmp_path / "a.json"))
    assert graph.names == ("n0", "bend", "n2")
    assert graph.beside == ((1,), (0, 2), (1,))
    assert graph.sight == 2
    assert graph.sees(2.0).tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 1]]


BAD = [
    ("a.txt", "...\n....\n", "ragged: line 2 has 4 cells, and line 1 has 3"),
    ("a.txt", "##\n##\n", "has no free cell"),
    ("a.txt", "", "has no rows"),
    ("a.txt", "..x\n", "line 1 has a cell 'x'; use only"),
    ("a.txt", ".#.\n", "has 2 parts that no way joins: a1 and c1"),
    ("a.map", MOVING_AI.replace("height 2", "height 3"), "says height 3 and width 3, and has 2"),
    ("a.map", "type octile\n", "is no MovingAI map"),
    ("a.map", MOVING_AI + "....\n", "is ragged: line 7 has 4 cells, and line 5 has 3"),
    ("a.yaml", "image: a.pgm\n", "does not say free_thresh"),
    ("a.yaml", "image: a.pgm\nfree_thresh: much\n", "must be numbers"),
    ("a.yaml", "image: none.pgm\nfree_thresh: 0.2\n", "none.pgm cannot be read: No such file"),
    ("a.json", "{", "is no JSON"),
    ("a.json", "[]", "is no graph; give an object with nodes and edges"),
    ("a.json", '{"nodes": [], "edges": []}', "nodes must be a list of 1 to 5000"),
    ("a.json", '{"nodes": [{"x": 0}], "edges": []}', "node n0 has the coordinates (0, None)"),
    ("a.json", '{"nodes": [{"x": 0, "y": 0}], "edges": [[0, 0]]}', "[0, 0] is no edge"),
    ("a.json", '{"nodes": [{"x": 0, "y": 0, "name": "a b"}], "edges": []}', "is called 'a b'"),
    ("a.json", json.dumps(GRAPH | {"sight": 0}), "sight=0 is not allowed"),
    ("a.json", json.dumps(GRAPH | {"buildings": [[[0, 0]]]}), "a building has 1 corners"),
    ("a.json", json.dumps(GRAPH | {"edges": [[0, 1]]}), "2 parts that no way joins: n0 and n2"),
    ("a.gif", "", "is no kind of map file"),
]


def test_bad_files(tmp_path: Path) -> None:
    for name, contents, says in BAD:
        (tmp_path / name).write_text(contents)
        with pytest.raises(MapError) as refused:
            read_map(tmp_path / name)
        assert says in str(refused.value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("c.map", MOVING_AI.replace("2", "2" * 5000)),
        ("d.yaml", "image: large.pgm\nfree_thresh: 0.2\n"),
        ("e.json", json.dumps(GRAPH | {"sight": 10**400})),
    ],
)
def test_numbers_that_cannot_be_used(
    name: str, contents: str, tmp_path: Path, typed: Typed
) -> None:
    (tmp_path / name).write_text(contents)
    (tmp_path / "large.pgm").write_text("P2 " + "9" * 5000)
    with pytest.raises(MapError, match="has numbers that cannot be used"):
        open_map(str(tmp_path / name))
    status, _, err = typed("maps", str(tmp_path / name))
    assert status == 2
    assert "correct them" in err


def test_a_map_of_too_many_nodes_is_refused() -> None:
    with pytest.raises(GameError, match="has 5100 nodes; give a map of at most 5000"):
        load_map("/".join(["." * 100] * 51))
    with pytest.raises(GameError, match="cannot be read"):
        load_map("\0.txt")


def test_the_command(typed: Typed, tmp_path: Path) -> None:
    maps = typed.json("maps")["maps"]
    assert [entry["name"] for entry in maps] == map_names()
    assert len(maps) == 12
    status, out, _ = typed("maps", "block5")
    assert status == 0
    assert out.splitlines()[1:6] == [
        f"{n} {row}" for n, row in enumerate([".....", ".###.", ".###.", ".###.", "....."], 1)
    ]
    assert typed("maps", "nowhere")[0] == 2
    assert (
        typed("maps", "--picture", "x.svg")[0] == typed("maps", "block5", "--picture", "x")[0] == 2
    )
    for name in ("block5", "town465"):
        typed("maps", name, "--picture", str(tmp_path / "x.svg"))
        assert ElementTree.parse(tmp_path / "x.svg").getroot().tag.endswith("svg")
    assert typed.json("maps", "wide6x7") == {
        "map": "wide6x7",
        "nodes": 30,
        "links": 33,
        "sight": None,
    }


# --- headers of public files, and maps in several parts ---

HEADERS = (
    "height 2\nwidth 3\nmap\n",  # without a type
    "type\ttile\nheight\t2\nwidth\t3\nmap\n",
    "type octile\r\nheight 2\r\nwidth 3\r\nmap\r\n",
    "\n\nTYPE octile\nWidth 3\nHeight 2\n\nMAP\n",
    "\ufefftype octile\nheight 2\nwidth 3\nmap\n",
)


@pytest.mark.parametrize("header", HEADERS, ids=range(len(HEADERS)))
def test_headers_of_moving_ai_as_public_files_have_them(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.map").write_bytes(f"{header}.G.\n@.T\n".encode())
    assert rows_of(read_map(tmp_path / "a.map")) == ["...", "#.#"]


@pytest.mark.parametrize(
    "header",
    [
        "height 2\nmap\n",
        "height\nwidth 3\nmap\n",
        "height x\nwidth 3\nmap\n",
        "height ²\nwidth 3\nmap\n",
        "width 3\nheight 2\n",
    ],
)
def test_a_header_without_sizes_is_refused(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.map").write_text(f"{header}.G.\n@.T\n")
    with pytest.raises(MapError, match="must have the lines height H and width W"):
        read_map(tmp_path / "a.map")


def test_the_largest_part_of_a_grid(tmp_path: Path) -> None:
    """The other part becomes walls; of two equal parts the first is kept."""
    (tmp_path / "a.map").write_text("height 3\nwidth 4\nmap\n.@..\n@@..\n.@@@\n")
    with pytest.raises(MapError, match=r"3 parts that no way joins.*on the largest one with part"):
        load_map(str(tmp_path / "a.map"))
    found = load_map(f"largest:{tmp_path / 'a.map'}")
    assert rows_of(found) == ["##..", "##..", "####"]
    assert found.names == ("c1", "d1", "c2", "d2")
    assert found.beside[0] == (1, 2)
    assert load_map("largest: .#.").names == ("a1",)
    assert load_map("largest:block5").names == load_map("block5").names


def test_the_largest_part_of_a_graph(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(GRAPH | {"edges": [["bend", 2]]}))
    found = load_map(f"largest:{tmp_path / 'a.json'}")
    assert found.names == ("bend", "n2")
    assert found.links == ((0, 1),)


def test_a_large_map_with_a_small_part_can_be_played_on(tmp_path: Path) -> None:
    """Cells alone, more than a game may have, beside a corridor."""
    rows = [".@" * 80, "@" * 160] * 80
    rows[1] = "." * 160
    (tmp_path / "a.map").write_text("height 160\nwidth 160\nmap\n" + "\n".join(rows) + "\n")
    with pytest.raises(MapError, match="has 6560 nodes; give a map of at most 5000"):
        load_map(str(tmp_path / "a.map"))
    assert len(load_map(f"largest:{tmp_path / 'a.map'}").names) == 320


def test_a_game_on_the_largest_part_is_named_and_loaded_again(tmp_path: Path) -> None:
    from hiddenhand.games.registry import game_spec, load_game

    (tmp_path / "a.txt").write_text("...#.\n.#.##\n....#\n")
    game = load_game(f"VP(map='{tmp_path / 'a.txt'}',pursuers=1,moves=2,part=largest)")
    assert load_game(game_spec(game)) == game
    with pytest.raises(ParameterError, match="part='some' is not allowed"):
        load_game(f"VP(map='{tmp_path / 'a.txt'}',part=some)")
