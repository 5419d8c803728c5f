"""`tengen report`: show the results of a match."""

import argparse
from pathlib import Path

from tengen.match.report import write_report
from tengen.match.store import Store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Tell argparse what the command takes."""
    parser.add_argument("file", metavar="FILE", type=Path, help="what `tengen match` has written")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, help="default: beside the file"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return the exit code."""
    store = Store(arguments.file, create=False)
    try:
        for path in write_report(store, arguments.output or arguments.file.parent):
            print(path)
    finally:
        store.close()
    return 0
