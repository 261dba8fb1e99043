"""Writes docs/algorithms.md: ``python -m docs.site.algorithm_list > docs/algorithms.md``."""

import sys
import textwrap
from typing import Final

from hiddenhand.cli.algorithms import KINDS, facts, rows
from hiddenhand.search.algorithm_entry import Algorithm
from hiddenhand.search.algorithms import algorithms

_INTRODUCTION: Final = """\
# Algorithms

`python -m docs.site.algorithm_list` writes this page from the registry of algorithms
(`src/hiddenhand/search/algorithms.py`), which everything that names an algorithm reads. In the
terminal:

```console
$ hiddenhand algorithms
$ hiddenhand algorithms oos
$ hiddenhand algorithms --json
```

An algorithm is named with its parameters in parentheses, such as `oos(targeting=ist,delta=0.5)`.
Case, hyphens and underscores of names make no difference: `sm-mcts`, `SM_MCTS` and `smmcts` are
one. `hiddenhand search` and `hiddenhand solve` also take parameters as options, so that these two
mean the same:

```console
$ hiddenhand search kuhn_poker "oos(epsilon=0.4)" --iterations 100
$ hiddenhand search kuhn_poker oos --param epsilon=0.4 --iterations 100
```

In Python, `make_search(game, "oos(epsilon=0.4)")` makes a search, and `solve(game, "cfr+")` solves
a game. Memory is given in bytes there, and as `--memory` in MiB."""


def page() -> str:
    """Return the page, from the registry."""
    parts = [_INTRODUCTION]
    for kind, (title, used) in KINDS.items():
        parts.append(f"## {title}\n\n{used[0].upper()}{used[1:]}.")
        parts += [_section(entry) for entry in algorithms(kind)]
    return "\n\n".join(parts) + "\n"


def _section(entry: Algorithm) -> str:
    known = [_wrapped(f"- {title}: {fact}", "  ") for title, fact in facts(entry).items()]
    parts = [f"### {entry.name}", _wrapped(entry.summary), "\n".join(known)]
    if entry.parameters:
        head = "| parameter | default | type | meaning |\n| --- | --- | --- | --- |"
        table = "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in rows(entry))
        parts.append(f"{head}\n{table}")
    return "\n\n".join(parts)


def _wrapped(text: str, indent: str = "") -> str:
    """Return ``text`` in lines of at most 100 columns, with all lines but the first indented."""
    return textwrap.fill(text, 100, subsequent_indent=indent, break_on_hyphens=False)


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(page())
