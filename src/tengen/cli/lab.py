"""`tengen lab`: run the experiments of the papers and the calibration of the levels."""

import argparse
import importlib

from tengen.util import sentence

PAPERS: dict[str, str] = {
    "adaptive": "paper 001: adaptive weight of a neural policy in the tree",
    "bigmove": "paper 000: big moves as modes of a vibrating board",
    "potential": "paper 002: pruning by potential filters",
    "shape": "paper 004: statistical pattern tables (SHAPE)",
    "metric": "paper 003: metric and dimensional evaluation, solved small boards",
    "levels": "calibration of the levels by matches",
    "together": "all papers: combinations of the ideas in one engine",
}
"""Each is a package of `tengen.lab` (`_` for `-`) whose module `commands` defines `add_arguments`
and `run`, and imports the experiments only when they run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands of each paper."""
    papers = parser.add_subparsers(metavar="PAPER", dest="paper", required=True)
    for name, summary in PAPERS.items():
        paper = papers.add_parser(name, help=summary, description=sentence(summary))
        commands = importlib.import_module(f"tengen.lab.{name.replace('-', '_')}.commands")
        commands.add_arguments(paper)
        paper.set_defaults(run_paper=commands.run)


def run(arguments: argparse.Namespace) -> int:
    """Run an experiment."""
    return int(arguments.run_paper(arguments) or 0)
