"""The experiments of a paper as sub-commands: one module each, imported when it runs."""

import argparse
import importlib
from collections.abc import Callable, Mapping

from tengen.core.words import sentence
from tengen.lab.options import add_output

Describe = Callable[[argparse.ArgumentParser], None]
Experiments = Mapping[str, tuple[str, Describe]]
"""By name: what it asks, and what describes its options."""


def add_experiments(
    package: str, experiments: Experiments, parser: argparse.ArgumentParser
) -> None:
    """Describe the experiments of `tengen.lab.PACKAGE`; each gets a folder to write to."""
    listed = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, (summary, describe) in experiments.items():
        experiment = listed.add_parser(name, help=summary, description=sentence(summary))
        add_output(experiment, f"{package.replace('_', '-')}-{name}")
        describe(experiment)


def run_experiment(package: str, arguments: argparse.Namespace) -> int:
    """Run the experiment that was asked for: the `run` of its module."""
    experiment = importlib.import_module(f"tengen.lab.{package}.{arguments.experiment}")
    return int(experiment.run(arguments))
