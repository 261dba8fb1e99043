"""Pictures of games: what observers are shown, and that the browser and the writer of SVG files
draw the same.
"""

import json
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
from naive.small_games import small, variants_of_all

import hiddenhand
from hiddenhand.games import load_game
from hiddenhand.games.base import ALL_SEEING, CHANCE, SIMULTANEOUS, SPECTATOR, Game, all_shown
from hiddenhand.games.drawing.film import film
from hiddenhand.games.drawing.layout import step_chip, steps_of
from hiddenhand.games.drawing.squares import trails_of
from hiddenhand.games.drawing.svg import drawn, svg
from hiddenhand.games.grid import STEPS
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.rule_digests import rules_of
from hiddenhand.games.scene import Arrow, Card, Die, Rect, Scene, Text, shape_of
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import TurnBased, as_sequential

STATIC = Path(hiddenhand.__file__).parent / "web" / "static"

MORE = """
battleship(2,3,'2',shots=2)|dark_hex(3,abrupt=true)|dark_hex(rows=2,columns=3)|GP(3,3,2,2)
first_sealed_auction(players=3,max_value=2)|goofspiel(num_cards=3,imp_info=true,points_order=random)
goofspiel(num_cards=3,players=3,imp_info=true)|goofspiel(num_cards=2,players=4,ties=carry)
liars_dice(players=3,faces=3,bidding_rule=reset_quantity)|LD(2,1,8)|limit_holdem(players=3)
matrix_game([[1,2],[3,4]],payoffs_1=[[0,1],[1,0]])|matrix_tree(2,1,[0,0.5,1,0.25])
random_game(actions=2,depth=2,payoffs=leaves)|tricks(2,3,3,2)|turn_based(IIGS(3))
tricks(suits=3,ranks=4,players=2,hand=3,trumps=true,margin=true)|turn_based(BRPS(10))
VP(map=block5,pursuers=2,moves=2,apart=1,evader_sees=all)
VP(map=block5,pursuers=1,moves=2,start='a1 a3')"""
WRITTEN_OUT = "written out: "
GAMES = (
    *variants_of_all(),
    *re.split(r"[|\n]", MORE.strip()),
    *(WRITTEN_OUT + name for name in ("coordination_game", "Kuhn")),
)
OBSERVERS = (SPECTATOR, ALL_SEEING)
each_game = pytest.mark.parametrize("game", GAMES, indirect=True)


@cache
def game_named(name: str) -> Game:
    is_written = name.startswith(WRITTEN_OUT)
    return small(name.removeprefix(WRITTEN_OUT)) if is_written else load_game(name)


@pytest.fixture
def game(request: pytest.FixtureRequest) -> Game:
    return game_named(request.param)


def plays(game: Game, count: int) -> list[History]:
    """The histories along some random plays."""
    rng = random.Random(7)
    found = []
    for _ in range(count):
        history = History(game)
        found.append(history)
        while not history.is_terminal:
            moves = history.legal_moves() if history.player != CHANCE else history.legal_actions()
            history = history.child(rng.choice(moves))
            found.append(history)
    return found


def observers(game: Game) -> list[int]:
    return [*range(game.num_players), *OBSERVERS]


@each_game
def test_pictures_show_what_their_observer_noticed_and_lie_on_their_sheet(game: Game) -> None:
    """That pictures are equal where an observer noticed the same is a law of `check`, which looks
    at more plays; here end positions, which are few in random plays, are looked at as well.
    """
    seen: dict[tuple[int, int], Scene] = {}
    for history in plays(game, 6):
        for observer in observers(game):
            scene = game.picture(history.state, observer)
            assert scene is not None
            said = game.hidden(history.state, observer)
            assert said == "" if observer == ALL_SEEING else isinstance(said, str)
            json.dumps(scene.to_json(), allow_nan=False)
            assert_on_sheet(scene)
            own = observer >= 0 and history.player in (observer, SIMULTANEOUS)
            assert scene.actions <= (set(history.legal_actions(observer)) if own else set())
            if observer != ALL_SEEING:
                key = history.public_key if observer == SPECTATOR else history.key(observer)
                assert seen.setdefault((observer, key), scene) == scene


@each_game
def test_all_shown_is_the_picture_of_the_seat_and_what_it_does_not_see(game: Game) -> None:
    """Items are compared without their style."""
    game = as_sequential(game)
    for history in plays(game, 4):
        for seat in range(game.num_players) if not history.is_terminal else ():
            own = game.picture(history.state, seat)
            every = game.picture(history.state, all_shown(seat))
            assert own is not None
            assert every is not None
            assert every.actions == own.actions
            seen, shown = ({shape_of(item) for item in scene.items} for scene in (own, every))
            if game.hidden(history.state, seat) == "":
                assert shown <= seen
            mine = {shape_of(item) for item in own.items if "mine" in item.role.split()}
            faces = {shape_of(item) for item in own.items if getattr(item, "rank", "")}
            assert mine | faces <= shown


def assert_on_sheet(scene: Scene) -> None:
    """All corners lie on the sheet, and nothing that can be clicked is without words."""
    for item in scene.items:
        assert (item.action is None and item.choices is None) or item.label
        if isinstance(item, Rect):
            corners = [(item.x, item.y), (item.x + item.width, item.y + item.height)]
        elif isinstance(item, Card):
            corners = [(item.x, item.y), (item.x + item.width, item.y + 1.4 * item.width)]
        elif isinstance(item, Die):
            corners = [(item.x, item.y), (item.x + item.size, item.y + item.size)]
        else:
            corners = list(getattr(item, "points", ())) or [(item.x, item.y)]  # type: ignore[attr-defined]
        for x, y in corners:
            assert 0 <= x <= scene.width, item
            assert 0 <= y <= scene.height, item


@pytest.mark.parametrize(
    "text",
    [
        "PTTT",
        "dark_hex(2)",
        "LD(1,1,3)",
        "GS(3)",
        "OZ(5,1,2)",
        "tron(rows=3,columns=4)",
        "tricks(2,3,3,2)",
        "battleship(3,3,'2,1')",
        "BRPS(10)",
        "random(2,2)",
        "coordination_game",
        "pursuit_evasion",
        "VP(map=block5,pursuers=2,moves=4,apart=3)",
    ],
)
def test_every_action_can_be_clicked(text: str) -> None:
    game = load_game(text)
    for history in plays(game, 2):
        for player in range(game.num_players):
            if history.player in (player, SIMULTANEOUS):
                scene = game.picture(history.state, player)
                assert scene is not None
                assert scene.actions == set(history.legal_actions(player))


@pytest.mark.parametrize(
    ("text", "moves", "observer", "said"),
    [
        ("LD(1,2,6)", [0, 4, 2], 0, "they have 3 5"),
        ("LD(1,2,6)", [0, 4, 2], SPECTATOR, "player 1 has 1, player 2 has 3 5"),
        ("Leduc", [0, 2], 1, "they hold J"),
        ("Leduc", [0, 2], ALL_SEEING, ""),
        ("PTTT", [4, 0, 8], 1, "x on b2 c3"),
        ("GS(3)", [(0, 1)], 0, ""),
        ("IIGS(3)", [(0, 1)], 0, "they hold 1 3"),
        ("turn_based(IIGS(3))", [2], 1, "they hold 1 2 3; chosen: 3"),
        ("turn_based(IIGS(3))", [2], 0, "they hold 1 2 3"),
        ("coordination_game", [1, 0], 1, "chance chose right, they chose left"),
        ("coordinated_mp", [1, 0, 0], 1, "they chose tails"),
        ("coordinated_mp", [1, 0, 0], 0, "they chose heads"),
        ("battleship(3,3,'2')", [0, 9], 0, "they have ships on a1-a2"),
        ("VP(map=block5,pursuers=1,moves=2,start='a1 e3')", [], 1, ""),
    ],
)
def test_what_is_hidden(text: str, moves: list, observer: int, said: str) -> None:
    history = History(load_game(text))
    for move in moves:
        history = history.child(move)
    assert history.game.hidden(history.state, observer) == said


def test_a_tree_does_not_say_whose_turn_it_is_to_those_who_do_not_know() -> None:
    """In Phantom Tic-Tac-Toe nobody hears how many attempts the other made. Here a player is told
    nothing at all, so that the picture must be the same all along.
    """
    game = TreeGame(
        player=[0, 0, -4, -4, -4],
        first_child=[1, 3, 5, 5, 5],
        num_children=[2, 2, 0, 0, 0],
        probability=[1.0] * 5,
        information_set=[0, 1, -1, -1, -1],
        utilities=[[0.0, 0.0]] * 2 + [[1.0, -1.0]] * 3,
        public_token=[0] * 5,
    )
    pictures = {game.picture(history.state, 1) for history in all_histories(game)}
    assert len(pictures) == 1


def test_games_without_pictures_say_none() -> None:
    @dataclass(frozen=True)
    class Silent(KuhnPoker):
        _presentation = ""

    game = Silent()
    start = History(game)
    assert game.picture(start.state, 0) is None
    assert game.hidden(start.state, 0) is None
    assert game.tell(start.state, 0, start.child(0).state, 0) is None


def test_pictures_decide_nothing_of_what_the_rules_are(tmp_path: Path, monkeypatch) -> None:
    """A game of one's own whose picture is edited is still the same game."""
    source = (
        "from dataclasses import dataclass\n"
        "from hiddenhand.games.poker.kuhn import KuhnPoker\n"
        "@dataclass(frozen=True)\n"
        "class Own(KuhnPoker):\n"
        "    def picture(self, state, player):\n"
        "        return {}\n"
    )
    found = set()
    for number, returned in enumerate(("None", "KuhnPoker.picture(self, state, player)")):
        (tmp_path / f"own_{number}.py").write_text(source.replace("{}", returned))
        game = load_game(f"{tmp_path / f'own_{number}.py'}:Own")
        found.add(rules_of(game))
        assert (game.picture(History(game).state, 0) is None) == (returned == "None")
    assert len(found) == 1


def test_a_wrapped_picture_has_only_actions_of_the_outer_game() -> None:
    game = TurnBased(MatrixGame([[1, 2], [3, 4]]))
    root = History(game)
    first, second = (game.picture(root.state, player) for player in range(2))
    assert first is not None
    assert second is not None
    assert (first.actions, second.actions) == ({0, 1}, set())
    chosen = root.child(1)
    after = [game.picture(chosen.state, player) for player in (0, 1, SPECTATOR, ALL_SEEING)]
    words = [scene.items[-1].text for scene in after if isinstance(scene.items[-1], Text)]  # type: ignore[union-attr]
    assert words == ["you have chosen 1", *["1 of 2 have chosen"] * 2, "chosen: 1"]


# --- drawing ---


def test_a_scene_as_data() -> None:
    scene = Scene(20.0, 10.5, (Card(1.004, 2, 30, "K", action=1, label="a king"),), "cards")
    assert scene.to_json() == {
        "width": 20,
        "height": 10.5,
        "label": "cards",
        "items": [
            {"kind": "card", "x": 1, "y": 2, "width": 30, "rank": "K", "action": 1}
            | {"label": "a king"}
        ],
    }
    assert scene.limited_to({1}) is scene
    assert scene.limited_to({0}).actions == set()


def test_clicks_on_several_items_mean_one_action() -> None:
    steps = steps_of({3: "up,left", 4: "up,right", 7: "down,left"})
    assert steps == [{"up": (3, 4), "down": (7,)}, {"left": (3, 7), "right": (4,)}]
    chips = tuple(
        step_chip(9, 9, 5, unit, name, actions)
        for unit, named in enumerate(steps, 1)
        for name, actions in named.items()
    )
    scene = Scene(20.0, 20.0, chips)
    assert scene.actions == {3, 4, 7}
    assert scene.to_json()["items"][0]["choices"] == [3, 4]
    assert [chip.choices for chip in scene.limited_to({3, 7}).items] == [(3,), (7,), (3, 7), None]


def test_an_svg_file_is_well_formed_and_has_no_colours_of_its_own() -> None:
    history = plays(load_game("limit_holdem"), 1)[-1]
    scene = history.game.picture(history.state, 0)
    assert scene is not None
    text = svg(scene)
    root = ElementTree.fromstring(text)
    assert root.get("viewBox") == f"0 0 360 {root.get('height')}"
    assert "fill=" not in text.replace(text[text.index("<style>") : text.index("</style>")], "")


def test_every_role_is_in_the_style_sheet() -> None:
    """Roles that no rule of the style sheet knows would be drawn as cells."""
    known = set(re.findall(r"\.([a-z][a-z-]*)", (STATIC / "scene.css").read_text()))
    used = {
        role
        for game in map(game_named, GAMES)
        for history in plays(game, 1)
        for observer in (*observers(game), *map(all_shown, range(game.num_players)))
        for item in game.picture(history.state, observer).items  # type: ignore[union-attr]
        for role in item.role.split()
    }
    assert used <= known
    assert {"mine", "theirs", "cell", "hidden", "highlight"} <= used


ODD = Scene(
    100.0,
    50.0,
    (
        Arrow(((1.005, 2.0), (1.005, 2.0)), 3.3, role="mine", action=7),
        Arrow(((0.0, 0.0), (-3.125, 4.375)), label='"<&>"'),
        Card(1, 2, 33.33, "10", "x", label="10 of x"),
        Card(1, 2, 33.33, "Q♥", "", role="mine"),
        *(Die(3.3, 4.4, 17.7, face) for face in range(9)),
        Text(1, 2, "a < b & c", 11.5, "end", role="title"),
    ),
)


def test_the_browser_draws_what_the_writer_draws() -> None:
    """Both make the same elements of the same scenes. The functions of ``scene.js`` that need no
    browser are run by Node, where it is there.
    """
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not installed")
    scenes = [ODD.to_json()]
    for game in map(game_named, GAMES):
        history = plays(game, 1)[-2]
        scenes += [game.picture(history.state, o).to_json() for o in observers(game)]  # type: ignore[union-attr]
    program = (
        f"import {{ drawn }} from {json.dumps((STATIC / 'scene.js').as_uri())};\n"
        "import { readFileSync } from 'node:fs';\n"
        "const scenes = JSON.parse(readFileSync(0, 'utf8'));\n"
        "process.stdout.write(JSON.stringify(scenes.map(drawn)));\n"
    )
    done = subprocess.run(
        [node, "--input-type=module", "--no-warnings", "-e", program],
        input=json.dumps(scenes),
        capture_output=True,
        text=True,
        check=True,
    )
    for scene, root in zip(scenes, json.loads(done.stdout), strict=True):
        assert root == plain(drawn(scene))


def plain(node) -> dict:
    return {
        "tag": node.tag,
        "attributes": node.attributes,
        "children": [plain(child) for child in node.children],
        "text": node.text,
    }


def test_coloured_trails_are_those_of_the_riders() -> None:
    """A state of Tron does not hold whose walls are whose. What the picture says must be so."""
    coloured = 0
    for history in plays(load_game("tron(4,5)"), 8):
        ways: list[list[tuple[int, int]]] = [[(0, 0)], [(3, 4)]]
        for move in history.moves:
            for way, direction in zip(ways, move, strict=True):  # type: ignore[arg-type]
                down, right = STEPS[direction]
                way.append((way[-1][0] + down, way[-1][1] + right))
        told = history.game.told(history.state)  # type: ignore[attr-defined]
        trails = trails_of(told.trails, told.starts, told.riders)
        for trail, way in zip(trails, ways, strict=True):
            assert trail <= set(way)
            coloured += len(trail)
        assert {ways[0][-1], ways[1][-1]} == set(told.riders)
    assert coloured > 100


def test_a_film_shows_each_picture_in_its_turn() -> None:
    small, large = Scene(20.0, 10.0, ()), Scene(40.0, 30.0, (Card(1, 2, 5, "K"),))
    text = film([(small, ""), (large, "player 1 <folds>")], seconds=2.0)
    root = ElementTree.fromstring(text)
    frames = [element for element in root if element.get("class") == "frame"]
    assert [frame.get("style") for frame in frames] == [
        "animation-delay: 0s",
        "animation-delay: 2s",
    ]
    assert frames[0].get("transform") == "translate(10 0)"
    assert list(frames[1].itertext())[-1] == "player 1 <folds>"
    assert "frame 4s step-end infinite" in text
    assert "50.000000% { visibility: hidden; }" in text
    assert root.get("viewBox") == "0 0 40 75"
    assert ".frame:nth-last-child(1) { visibility: visible; }" in text
    first = film([(small, ""), (large, "player 1 <folds>")], seconds=2.0, still=0)
    assert ".frame:nth-last-child(2) { visibility: visible; }" in first
