"""What a player of a written-out game of OpenSpiel saw, in OpenSpiel's own words."""

from collections.abc import Mapping
from dataclasses import dataclass

from hiddenhand.games.base import State
from hiddenhand.games.tree_game import TreeGame


@dataclass(frozen=True)
class Pictures:
    """Draws states of ``tree``, in place of its own `render`, which knows tokens only.

    texts: what each token stands for.
    """

    tree: TreeGame
    texts: Mapping[int, str]

    def __call__(self, state: State, player: int) -> str:
        """What ``player`` saw last, its action after that, and what all players saw since."""
        lines: list[str] = []
        public = ""
        tree = self.tree
        for node in tree._path(int(state[0])):
            if tree.player[tree._parents[node]] == player:
                lines.append(f"you chose {tree._name_of(node)}")
            if token := int(tree.public_token[node]):
                public = self.texts[token]
            if token := int(tree.private_token[node, player]):  # it says all that was before
                lines, public = [self.texts[token]], ""
        return "\n".join(line for line in [*lines, public] if line) or "nothing noticed"


def draw_with(tree: TreeGame, texts: Mapping[int, str]) -> None:
    """Let ``tree`` draw its states in the words of ``texts``."""
    object.__setattr__(tree, "render", Pictures(tree, texts))
