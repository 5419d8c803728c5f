"""`tengen lab`: the experiments of the papers."""

import argparse
import importlib

from tengen.core.words import sentence

PAPERS: dict[str, str] = {
    "adaptive": "paper 001: a neural policy in the tree, with a weight that adapts",
    "bigmove": "paper 000: the vibrating board and its big move",
    "potential": "paper 002: potential filters that prune half the board",
    "shape": "paper 004: the sloppy hash array of patterns",
    "small-boards": "paper 003: metric and dimensional evaluations, small boards solved",
    "together": "all papers: which of the ideas make one engine stronger?",
}
"""Each is a package of `tengen.lab` (`_` for `-`) whose module `commands` has `add_arguments` and
`run`, and imports the experiments only when they run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    papers = parser.add_subparsers(metavar="PAPER", dest="paper", required=True)
    for name, summary in PAPERS.items():
        paper = papers.add_parser(name, help=summary, description=sentence(summary))
        commands = importlib.import_module(f"tengen.lab.{name.replace('-', '_')}.commands")
        commands.add_arguments(paper)
        paper.set_defaults(run_paper=commands.run)


def run(arguments: argparse.Namespace) -> int:
    """Run one experiment."""
    return int(arguments.run_paper(arguments) or 0)
