"""The verbs about the papers: ``experiment list``, ``run``, ``work``, ``status``, ``report``,
``export``, ``import``.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hiddenhand.cli.common import AsJson, print_json, print_table, print_text, tell, work
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.errors import FileError, OptionError

if TYPE_CHECKING:
    from hiddenhand_papers.experiment import Experiment, Scale
    from hiddenhand_papers.report.scoreboard import Score
    from hiddenhand_papers.store import Store

experiment_app = typer.Typer(
    help="Reproduce the figures and tables of the papers, and compare them with the print.",
    no_args_is_help=True,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...",
        help="Experiments, such as oos/fig4b, or papers, such as oos; by default all.",
        show_default=False,
    ),
]
Everything = Annotated[bool, typer.Option("--all", help="All experiments.")]
ScaleText = Annotated[
    str,
    typer.Option(
        "--scale",
        help="Size of the experiments: quick (less than an hour for all, on two cores), evening "
        "(about two hours), paper (the paper's numbers of matches and seeds), or a factor of "
        "these numbers.",
    ),
]
BudgetText = Annotated[
    str,
    typer.Option(
        "--budget",
        help="Unit of the search budgets: iterations (as many as the paper's machine made in the "
        "printed times) or seconds (the printed times, on this machine).",
    ),
]
StoreFile = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="SQLite file of results, by default in the user's data folder. To look at results, "
        "also a .csv or .csv.gz file that experiment export wrote, or a folder of them; in a copy "
        "of the repository, by default docs/papers/data if nothing was run.",
        show_default=False,
    ),
]


@experiment_app.command("list")
def experiment_list(names: Names = None, as_json: AsJson = False) -> None:
    """List the experiments: their names, and the figure or table that each reproduces."""
    from hiddenhand_papers.catalogue import chosen
    from hiddenhand_papers.printed import printed_item

    rows = []
    for experiment in chosen(names or []):
        item = printed_item(experiment.name)
        rows.append([experiment.name, item.printed_as if item else "", experiment.title])
    if as_json:
        keys = ("name", "printed_as", "title")
        print_json({"experiments": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        print_table(["experiment", "printed as", "what it shows"], rows)


@experiment_app.command("run")
def experiment_run(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Experiments, such as oos/fig4b, or papers, such as oos, or the word all.",
            show_default=False,
        ),
    ] = None,
    everything: Everything = False,
    scale: ScaleText = "quick",
    jobs: Annotated[
        int,
        typer.Option(help="Number of processes that share the work; -1: one for each processor."),
    ] = 1,
    backend: Annotated[
        str,
        typer.Option(
            help="Backend of the processes: loky (on this machine), ray or dask (on the cluster "
            "that RAY_ADDRESS or DASK_SCHEDULER_ADDRESS names, by default on this machine)."
        ),
    ] = "loky",
    budget: BudgetText = "iterations",
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Run the parts of experiments that have no results yet. Each result is kept at once, so the
    same command continues after Ctrl-C or a crash. Two runs at the same time share the work.
    """
    from hiddenhand_papers.experiment import read_scale
    from hiddenhand_papers.runner import run

    if not names and not everything:
        raise OptionError("nothing is named to run; name experiments or papers, or use --all")
    read, experiments = read_scale(scale, budget), _chosen(names, everything)
    with _opened(store, to_write=True) as opened, work("Running") as progress:
        try:
            done = run(experiments, read, opened, jobs=jobs, backend=backend, progress=progress)
        except KeyboardInterrupt:
            tell("Interrupted. Finished results are kept; the same command continues.")
            sys.exit(INTERRUPTED)
    if as_json:
        print_json({"units": done.wanted, "made": done.made, "elsewhere": done.elsewhere})
        return
    print_text(f"{done.made:,} of {done.wanted:,} units were run now; the others were finished.")
    if done.elsewhere:
        print_text(f"Another run is working on {done.elsewhere:,} more units.")


@experiment_app.command("work")
def experiment_work(
    names: Names = None,
    everything: Everything = False,
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            help="Largest size of the experiments: paper (the paper's numbers of matches and "
            "seeds), or a factor of these numbers. An undecided item grows to it in steps.",
        ),
    ] = "paper",
    minutes: Annotated[float, typer.Option(help="Time limit in minutes.", min=0.01)] = 60.0,
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Run the parts of experiments that have no results yet, beside other work: in one process of
    the lowest priority, until a deadline. Units that soon decide an item come first. Units that
    measure times are left out. You can kill the command at any moment; finished results are kept.
    """
    from hiddenhand_papers import work as quiet
    from hiddenhand_papers.experiment import read_scale

    read, experiments = read_scale(scale), _chosen(names, everything)
    quiet.lower_priority()
    with _opened(store, to_write=True) as opened, work("Working") as progress:
        try:
            done = quiet.work(experiments, read, opened, seconds=60.0 * minutes, progress=progress)
        except KeyboardInterrupt:
            tell("Interrupted. Finished results are kept; the same command continues.")
            sys.exit(INTERRUPTED)
    if as_json:
        print_json(vars(done))
        return
    print_text(
        f"{done.made:,} units were run; {done.open:,} are missing, which take about "
        f"{done.seconds / 3600:.1f} hours of one processor."
    )


@experiment_app.command("import")
def experiment_import(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Files that experiment export wrote: .csv or .csv.gz."
        ),
    ],
    store: StoreFile = None,
) -> None:
    """Add exported results to a store. Results that are already there stay as they are."""
    from hiddenhand_papers.store import read_csv

    rows = [row for file in files for row in read_csv(file)]
    with _opened(store, to_write=True) as opened:
        before = len(opened.keys())
        for row in rows:
            opened.add(row)
        added = len(opened.keys()) - before
    print_text(f"{added:,} of {len(rows):,} results were added")


@experiment_app.command("status")
def experiment_status(
    names: Names = None,
    everything: Everything = False,
    scale: ScaleText = "quick",
    budget: BudgetText = "iterations",
    store: StoreFile = None,
    as_json: AsJson = False,
) -> None:
    """Show the progress of experiments: their units, and how many of them are done. Results are
    stale if rules or searches have changed since. minutes is the time that the stored results took;
    all units is an estimate of the minutes that all units take on one processor.
    """
    from hiddenhand_papers.experiment import read_scale
    from hiddenhand_papers.runner import Status, status

    read, experiments = read_scale(scale, budget), _chosen(names, everything)
    with _opened(store) as opened:
        rows = opened.rows()
    found = [status(experiment, read, rows) for experiment in experiments]
    if as_json:
        print_json({"scale": str(read), "experiments": [vars(one) for one in found]})
        return
    total = Status(
        "together",
        *(sum(getattr(one, name) for one in found) for name in ("units", "done", "stale")),
        *(sum(getattr(one, name) for one in found) for name in ("seconds", "processor")),
    )
    print_table(
        ["experiment", "units", "done", "stale", "minutes", "all units"],
        [
            [
                one.name,
                f"{one.units:,}",
                f"{one.done:,}",
                f"{one.stale:,}",
                f"{one.seconds / 60:.1f}",
                f"{one.processor / 60:.1f}",
            ]
            for one in (*found, *([total] if len(found) > 1 else []))
        ],
    )


@experiment_app.command("report")
def experiment_report(
    names: Names = None,
    everything: Everything = False,
    scale: ScaleText = "paper",
    store: StoreFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the pages of the papers, with pictures, into this folder; by default, the "
            "text is printed.",
            show_default=False,
        ),
    ] = None,
    stale: Annotated[
        bool,
        typer.Option(
            "--stale",
            help="Also show results of other rules or older code, if no newer ones exist.",
        ),
    ] = False,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary",
            help="Print one line for each item: its verdict, the results that it rests on, and how "
            "long it takes to get to its next step. With --out, write the scoreboard in README.md "
            "of that folder.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show stored results beside the printed ones. Results of the scales quick and evening count
    together with those of --scale.
    """
    from hiddenhand_papers.catalogue import chosen
    from hiddenhand_papers.experiment import read_scale
    from hiddenhand_papers.report.as_json import json_of
    from hiddenhand_papers.report.pages import section, write_page
    from hiddenhand_papers.report.scoreboard import scores
    from hiddenhand_papers.report.shown import shown

    read, experiments = read_scale(scale), _chosen(names, everything)
    with _opened(store) as opened:
        if summary:
            _summarise(scores(experiments, read, opened), read, out, as_json)
            return
        if as_json:
            found = [json_of(one) for one in shown(experiments, read, opened, stale=stale)]
            print_json({"experiments": found})
            return
        if out is None:
            for one in shown(experiments, read, opened, stale=stale):
                print_text("\n".join([*section(one), ""]))
            return
        verify_folder(out)
        for paper in dict.fromkeys(experiment.paper for experiment in experiments):
            items = shown(chosen([paper]), read, opened, stale=stale)
            kept = f" --store {store}" if store is not None else ""
            command = f"hiddenhand experiment report {paper} --out {out}{kept}"
            for path in write_page(paper, items, out, command):
                print_text(str(path))


@experiment_app.command("export")
def experiment_export(
    out: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="File to write: .csv, .csv.gz or .parquet."),
    ],
    names: Names = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(help="Scale of the results, by default paper; may be given several times."),
    ] = None,
    store: StoreFile = None,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="Also write stale results of units that have no newer ones."),
    ] = False,
) -> None:
    """Write stored results to a file that other programs, and experiment report --store, read."""
    from hiddenhand_papers.catalogue import chosen
    from hiddenhand_papers.experiment import read_scale
    from hiddenhand_papers.report.shown import stored_units
    from hiddenhand_papers.store import rows_of, write_rows

    scales, experiments = [read_scale(one) for one in scale or ["paper"]], chosen(names or [])
    with _opened(store) as opened:
        units = [unit for one in experiments for of in scales for unit in stored_units(one, of)]
        rows = list(rows_of(opened, list(dict.fromkeys(units)), stale=stale))
        write_rows(out, rows)
    print_text(f"{out}: {len(rows):,} results")


def _summarise(found: "list[Score]", scale: "Scale", out: Path | None, as_json: bool) -> None:
    from hiddenhand_papers.report.scoreboard import counted, reason, write_scoreboard
    from hiddenhand_papers.report.verdicts import EXPLAINED

    if out is not None:
        verify_folder(out)
        for path in write_scoreboard(found, out, scale):
            print_text(str(path))
        return
    if as_json:
        print_json({"items": [vars(one) | {"reason": reason(one)} for one in found]})
        return
    print_table(
        ["item", "verdict", "agree", "differ", "undecided", "hours", "next"],
        [
            [
                *(one.name, "explained" if one.verdict == EXPLAINED else one.verdict),
                *(str(one.agree), str(one.differ), str(one.undecided), f"{one.hours:.1f}"),
                f"{one.missing:.1f}" if one.step else "",
            ]
            for one in found
        ],
        whole=2,
    )
    print_text("Hours are of one processor: of what is stored, and to the next step of an item.")
    for one in found:
        if why := reason(one):
            print_text(f"{one.name}: {why}.")
    print_text(counted(found))


def _chosen(names: list[str] | None, everything: bool) -> "list[Experiment]":
    """Return the named experiments, by default all. Raises OptionError for names and ``--all``."""
    from hiddenhand_papers.catalogue import chosen

    if names and everything:
        raise OptionError(f"--all and {' '.join(names)} do not go together; leave one of them out")
    return chosen([] if names == ["all"] else names or [])


def verify_folder(folder: Path) -> None:
    """Raise FileError for a path that is not a folder, so that pages cannot be written into it."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is no folder; name one for the pages")


def _opened(path: Path | None, *, to_write: bool = False) -> "Store":
    """Return the store in the named file. Raises FileError if there are no results to look at, and
    OptionError if results cannot be added.
    """
    from hiddenhand_papers.store import Store, default_store, is_exported, stored_in_repository

    chosen = path or default_store()
    if to_write and is_exported(chosen):
        raise OptionError(f"--store {chosen} is exported; name an SQLite file to run into")
    if path is None and not to_write and not chosen.exists():
        chosen = stored_in_repository() or chosen
    if not to_write and not chosen.exists():
        raise FileError(
            f"{chosen} does not exist, because no experiment was run yet; use hiddenhand "
            "experiment run, or name a file with --store"
        )
    return Store(chosen)
