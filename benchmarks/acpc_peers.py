"""Our client and our dealer beside the code of the poker competition's server.

OpenSpiel, the extra `peers`, brings the competition's rules, deals and lines along as C++ (game.cc,
net.cc, rng.cc). Two small programs around them are compiled here: a dealer, and a player at random.

- Our players sit at their dealer. The server would have warned of an answer that is not legal, or
  that answers nothing.
- Our dealer and theirs deal the same matches to players who always do the same in the same place.
  Their logs must be equal, letter by letter.
- Their players sit at our dealer, and must understand every line.

``python -m benchmarks.acpc_peers`` takes some minutes, and keeps results/acpc.json. It needs a C++
compiler.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.kept import Kept
from benchmarks.measuring import RESULTS
from hiddenhand.games.poker.definition import DEFINITIONS

KEPT: Final = Kept(RESULTS.path.with_name("acpc.json"))
SOURCES: Final = Path(__file__).parent / "acpc"
THEIRS: Final = ("game.cc", "net.cc", "rng.cc", "game.h", "net.h", "rng.h", "evalHandTables")
TWO, THREE = DEFINITIONS
RANDOM: Final = "their random player"
HIDDENHAND: Final = str(Path(sys.executable).with_name("hiddenhand"))

# game, hands, seed, who sits where
AT_THEIR_DEALER: Final = (
    (TWO, 2000, 1, (RANDOM, "random")),
    (TWO, 2000, 2, ("pot-odds", RANDOM)),
    (THREE, 1000, 3, (RANDOM, "random", "pot-odds")),
    (TWO, 50, 4, ("ismcts(iterations=100)", RANDOM)),
)
AT_BOTH_DEALERS: Final = (
    (TWO, 2000, 12345, ("call", "raise")),
    (TWO, 2000, 0, ("raise", "raise")),
    (THREE, 1000, 4294967295, ("call", "raise", "call")),
)
AT_OUR_DEALER: Final = ((TWO, 2000, 5, (RANDOM,) * 2), (THREE, 2000, 6, (RANDOM,) * 3))


@dataclass(frozen=True)
class Outcome:
    """A match.

    dealer: whose dealer dealt it.
    players: who sat where.
    hands: how many hands it had.
    warnings: what the dealer warned of.
    equal_logs: whether both dealers wrote the same log, if both dealt the match.
    """

    dealer: str
    game: str
    seed: int
    players: tuple[str, ...]
    hands: int
    warnings: int
    equal_logs: bool | None = None


class Programs:
    """The competition's code, compiled in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = importlib.util.find_spec("open_spiel")
        if found is None or not found.submodule_search_locations:
            raise SystemExit("OpenSpiel is missing; install the extra `peers`")
        server = Path(found.submodule_search_locations[0]) / "games/universal_poker/acpc"
        for name in THEIRS:
            shutil.copy(server / "project_acpc_server" / name, folder / name)
        header = folder / "net.h"  # in which a namespace ends behind the end of the header
        text = header.read_text().replace("#endif", "", 1)
        header.write_text(f"{text}\n#endif\n")
        for name, definition in DEFINITIONS.items():
            (folder / name).write_text(definition)
        compiler = next(
            (path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), ""
        )
        if not compiler:
            raise SystemExit("no C++ compiler was found; install g++")
        for name in ("dealer", "player"):
            sources = [str(SOURCES / f"{name}.cc"), *(str(folder / part) for part in THEIRS[:3])]
            flags = ["-O2", "-w", "-D__STDC_FORMAT_MACROS=1", f"-I{folder}"]
            subprocess.run([compiler, *flags, "-o", str(folder / name), *sources], check=True)

    def match(
        self, dealer: str, game: str, hands: int, seed: int, players: Sequence[str]
    ) -> tuple[str, str]:
        """The log of a match without its comments, and what the dealer said on standard error."""
        log = self.folder / "match.log"
        names = ",".join(f"p{seat + 1}" for seat in range(len(players)))
        if dealer == "theirs":
            command = [str(self.folder / "dealer"), str(self.folder / game), str(hands), str(seed)]
        else:
            ours = ["acpc", "deal", "--game", game, "--hands", str(hands), "--seed", str(seed)]
            command = [HIDDENHAND, *ours, "--names", names, "--log", str(log)]

        def sit(player: str, port: str, seat: int) -> None:
            done = subprocess.run(
                self._player(player, game, port, seat), capture_output=True, check=False
            )
            if done.returncode:
                dealing.kill()

        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as dealing:
            assert dealing.stdout is not None
            ports = dealing.stdout.readline().split()
            seats = [
                threading.Thread(target=sit, args=(player, port, seat))
                for seat, (player, port) in enumerate(zip(players, ports, strict=True))
            ]
            for thread in seats:
                thread.start()
            out, err = dealing.communicate()
            for thread in seats:
                thread.join()
        if dealing.returncode:
            raise SystemExit(f"a program failed in {dealer} {game} {players}: {err}")
        text = out if dealer == "theirs" else log.read_text()
        return "".join(line for line in text.splitlines(True) if not line.startswith("#")), err

    def _player(self, player: str, game: str, port: str, seat: int) -> list[str]:
        if player == RANDOM:
            program, definition = str(self.folder / "player"), str(self.folder / game)
            return [program, definition, "127.0.0.1", port, str(seat)]
        words = ["acpc", "connect", "127.0.0.1", port, "--player", player, "--game", game]
        return [HIDDENHAND, *words, "--seed", str(seat), "--iterations", "100", "--json"]


def outcomes(programs: Programs, share: float) -> list[Outcome]:
    """All matches, with a share of their hands."""
    found = []
    for dealer, matches in (("theirs", AT_THEIR_DEALER), ("ours", AT_OUR_DEALER)):
        for game, most, seed, players in matches:
            hands = max(1, round(share * most))
            log, said = programs.match(dealer, game, hands, seed, players)
            assert log.count("STATE:") == hands
            found.append(Outcome(dealer, game, seed, players, hands, said.count("WARNING")))
            print(found[-1], flush=True)
    for game, most, seed, players in AT_BOTH_DEALERS:
        hands = max(1, round(share * most))
        theirs, said = programs.match("theirs", game, hands, seed, players)
        ours, _ = programs.match("ours", game, hands, seed, players)
        warnings = said.count("WARNING")
        found.append(Outcome("both", game, seed, players, hands, warnings, theirs == ours))
        print(found[-1], flush=True)
    return found


def main() -> None:
    """Play all matches, keep the outcomes, and fail if one is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="a twentieth of the hands; keeps nothing"
    )
    quick = parser.parse_args().quick
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    with tempfile.TemporaryDirectory() as folder:
        found = outcomes(Programs(Path(folder)), 0.05 if quick else 1.0)
    if not quick:
        KEPT.write([asdict(outcome) for outcome in found])
    if any(outcome.warnings or outcome.equal_logs is False for outcome in found):
        raise SystemExit("some matches are not as they must be")


if __name__ == "__main__":
    main()
