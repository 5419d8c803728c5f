"""`tengen report`: write a report of a match."""

import argparse
from pathlib import Path

from tengen.match import Store, add_summary_rows, verify_games, write_report
from tengen.util import plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", type=Path, help="match file of `tengen match`")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Path,
        help="folder of the report (default: that of FILE)",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="replay every game and check it against its checksum, digest and result instead of"
        " writing a report; exit code 1 if a game is damaged",
    )
    parser.add_argument(
        "--row",
        metavar="CSV",
        type=Path,
        help="add the result of each pairing to this results file instead of writing a report",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    store = Store(arguments.file, create=False)
    try:
        if arguments.verify:
            return _verify(store)
        if arguments.row is not None:
            add_summary_rows(store, arguments.row)
            print(arguments.row)
            return 0
        for path in write_report(store, arguments.output or arguments.file.parent):
            print(path)
    finally:
        store.close()
    return 0


def _verify(store: Store) -> int:
    """Print the damaged games; return the exit code."""
    problems = verify_games(store)
    for problem in problems:
        print(problem)
    print(f"{store.path}: {plural(store.count(), 'game')}, {plural(len(problems), 'problem')}")
    return 1 if problems else 0
