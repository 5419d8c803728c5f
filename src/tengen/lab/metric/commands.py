"""Command line of `tengen lab metric` (paper 003)."""

import argparse
import importlib
from dataclasses import fields
from functools import partial
from typing import Any

from tengen.lab.metric import settings
from tengen.lab.options import Experiment, add_experiments
from tengen.util import describe

EXPERIMENTS: dict[str, tuple[str, Any, str]] = {
    "tables": (
        "recompute tables 1 to 7 and check the remarks",
        settings.TablesSettings,
        "tables.run",
    ),
    "enhancements": (
        "count the nodes saved by search enhancements on the optimal 4x4 game (table 8, figure 9)",
        settings.EnhancementsSettings,
        "enhancements.run",
    ),
    "questions": (
        "prove bounds of small boards and count the nodes that each enhancement saves",
        settings.QuestionsSettings,
        "enhancements.run_questions",
    ),
    "evolve": (
        "evolve a population of evaluation weights over three eras (tables 9 to 11)",
        settings.EvolveSettings,
        "evolve.run",
    ),
    "scale": (
        "test the evaluations on larger boards, with depth-one search and as priors",
        settings.ScaleSettings,
        "scale.run",
    ),
}
"""Summary and settings of each experiment, and the module and function that run it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the experiments; each parameter of the settings becomes an option."""
    experiments = {
        name: Experiment(summary, partial(_add_settings, kind))
        for name, (summary, kind, _) in EXPERIMENTS.items()
    }
    add_experiments("metric", experiments, parser)


def _add_settings(kind: Any, parser: argparse.ArgumentParser) -> None:
    for field, default, meaning in describe(kind):
        parser.add_argument(
            f"--{field.replace('_', '-')}", type=type(default), default=default, help=meaning
        )


def run(arguments: argparse.Namespace) -> int:
    """Run the selected experiment and print the path of its report."""
    _, kind, runner = EXPERIMENTS[arguments.experiment]
    chosen = kind(**{field.name: getattr(arguments, field.name) for field in fields(kind)})
    module, _, function = runner.partition(".")
    experiment = getattr(importlib.import_module(f"tengen.lab.metric.{module}"), function)
    print(experiment(arguments.output, chosen))
    return 0
