"""A server and a browser for tests of the pages. They run where HIDDENHAND_BROWSER is set, which
``make test-web`` does; nothing is installed for them.
"""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_tables import watched
from table_server import Server

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 60_000  # milliseconds: a search may have to be compiled
AXE = "axe-core@4.10.2"
TYPESCRIPT = "typescript@5.6.3"

if "HIDDENHAND_BROWSER" not in os.environ:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("tables"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="tests of pages need playwright: pip install playwright"
    )
    if not Path(CHROMIUM).exists():
        pytest.skip(f"tests of pages need {CHROMIUM}: apt-get install chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield Patient(browser)
        browser.close()


class Patient:
    """A browser whose pages wait long."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser

    def new_context(self, **options: Any) -> Any:
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context


@pytest.fixture
def page(browser: Any, server: Server) -> Iterator[Any]:
    """A page of a browser that nobody used before. An error in a script fails the test."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1280, "height": 900})
    yield watched(context.new_page())
    context.close()


@pytest.fixture
def watch() -> Callable[[Any], Any]:
    """A function that notes the errors of a page in its ``errors``, and returns it."""
    return watched


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, which is not part of the package."""
    return (fetched(AXE, tmp_path_factory.mktemp("axe")) / "axe.min.js").read_text()


@pytest.fixture(scope="session")
def tsc(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the type checker of TypeScript, which is not part of the package."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("the type checker needs node, which is not installed")
    return [node, str(fetched(TYPESCRIPT, tmp_path_factory.mktemp("tsc")) / "bin" / "tsc")]


def fetched(package: str, folder: Path) -> Path:
    """The files of a package from npm. Skips the test if they cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{package} comes from npm, which is not installed")
    packed = subprocess.run(
        [npm, "pack", package, "--silent"],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if packed.returncode != 0:
        pytest.skip(f"{package} cannot be had from npm here")
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"
