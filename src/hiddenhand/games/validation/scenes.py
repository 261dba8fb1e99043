"""Whether scenes show nothing that their observer does not know, and place only legal actions."""

from hiddenhand.games.base import ALL_SEEING, SIMULTANEOUS, SPECTATOR, Game, all_shown, seat_of
from hiddenhand.games.history import History, Move
from hiddenhand.games.scene import Scene
from hiddenhand.games.validation.instrumented_rules import Asking
from hiddenhand.games.validation.laws import KNOWN_SCENE, SCENES, broken
from hiddenhand.games.validation.rule_errors import describe_history, explained


def scene_of(history: History, observer: int) -> Scene | None:
    """The scene of a history for an observer; None if the game draws none. Raises RuleError if
    `Game.picture` fails, and ConformanceError for what is no scene.
    """
    with explained(history):
        scene = history.game.picture(history.state, observer)
    _verify_scene(history, observer, scene)
    return scene


def _verify_scene(history: History, observer: int, scene: object) -> None:
    if not (scene is None or isinstance(scene, Scene)):
        what = f"picture is {scene!r} for observer {observer}"
        raise broken(history.game, SCENES, history, what, cure="return a Scene, or None")


class SceneInspector(Asking):
    """Looks at `Game.picture` and `Game.hidden` of one game, and raises ConformanceError where they
    break a law.

    game: the game.
    most: the number of histories to look at, the first ones. Scenes take longer to make than
        answers of rules.
    """

    def __init__(self, game: Game, most: int) -> None:
        super().__init__(game)
        self._left = most
        self._looked: set[tuple[Move, ...]] = set()
        self._seen: dict[tuple[int, int], tuple[Scene | None, History]] = {}

    def look(self, history: History) -> None:
        """Look at the scenes of one history for all observers, unless that was done before."""
        if self._left == 0 or history.moves in self._looked:
            return
        self._looked.add(history.moves)
        self._left -= 1
        players = range(self.game.num_players)
        for observer in (*players, SPECTATOR, ALL_SEEING):
            self._look_at_hidden(history, observer)
        for observer in (*players, SPECTATOR, ALL_SEEING, *map(all_shown, players)):
            state = history.state.copy()
            scene = self.game.picture(state, observer)
            self.verify_unchanged(history, "picture", state)
            _verify_scene(history, observer, scene)
            if scene is not None:
                self._look_at_scene(history, observer, scene)

    def _look_at_hidden(self, history: History, observer: int) -> None:
        state = history.state.copy()
        said = self.game.hidden(state, observer)
        self.verify_unchanged(history, "hidden", state)
        if said is not None and not isinstance(said, str):
            what = f"hidden says {said!r} to observer {observer}"
            self.fail(SCENES, history, what, rule="hidden")

    def _look_at_scene(self, history: History, observer: int, scene: Scene) -> None:
        seat = seat_of(observer)
        own_turn = seat >= 0 and history.player in (seat, SIMULTANEOUS)
        legal = set(history.legal_actions(seat)) if own_turn else set()
        if not scene.actions <= legal:
            self.fail(
                SCENES,
                history,
                f"picture places the actions {sorted(scene.actions)} for observer {observer}, who "
                f"has {sorted(legal) if legal else 'none'}",
            )
        if observer == ALL_SEEING:
            return
        key = history.public_key if observer == SPECTATOR else history.key(observer)
        before, where = self._seen.setdefault((observer, key), (scene, history))
        if before != scene:
            self.fail(
                KNOWN_SCENE,
                history,
                f"the scene of observer {observer} differs from that {describe_history(where)}:",
                _difference(scene, before),
                cure="show less there, or return None",
            )


def _difference(scene: Scene, other: Scene | None) -> str:
    """The first item in which two scenes differ."""
    others = () if other is None else other.items
    for item, before in zip(scene.items, others, strict=False):
        if item != before:
            return f"{item}, instead of {before}"
    return f"it has {len(scene.items)} items, instead of {len(others)}"
