"""`tengen lab small-boards`: the experiments of paper 003, and what each takes."""

import argparse
import importlib
from dataclasses import fields
from typing import Any

from tengen.core.parameters import describe
from tengen.core.words import sentence
from tengen.lab.options import add_output
from tengen.lab.small_boards import settings

EXPERIMENTS: dict[str, tuple[str, Any]] = {
    "tables": ("tables 1 to 7 and the remarks", settings.TablesSettings),
    "enhancements": (
        "table 8 and figure 9: nodes saved on the optimal 4x4 game",
        settings.EnhancementsSettings,
    ),
    "evolve": ("tables 9 to 11: a population of programs over three eras", settings.EvolveSettings),
    "scale": (
        "the evaluations on larger boards, by depth-one search and as priors",
        settings.ScaleSettings,
    ),
}
"""Each is a module of that name here, with `run(folder, settings)`, and what it takes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the experiments; each parameter of an experiment's settings is an option."""
    experiments = parser.add_subparsers(metavar="EXPERIMENT", dest="experiment", required=True)
    for name, (summary, kind) in EXPERIMENTS.items():
        experiment = experiments.add_parser(name, help=summary, description=sentence(summary))
        add_output(experiment, f"small-boards-{name}")
        for field, default, meaning in describe(kind):
            shown = f"{default:g}" if isinstance(default, float) else default
            help_text = f"{meaning} (default {shown})" if shown != "" else meaning
            experiment.add_argument(
                f"--{field}", type=type(default), default=default, help=help_text
            )


def run(arguments: argparse.Namespace) -> int:
    """Run one experiment and say where its report is."""
    _, kind = EXPERIMENTS[arguments.experiment]
    chosen = kind(**{field.name: getattr(arguments, field.name) for field in fields(kind)})
    module = importlib.import_module(f"tengen.lab.small_boards.{arguments.experiment}")
    print(f"report: {module.run(arguments.output, chosen)}")
    return 0
