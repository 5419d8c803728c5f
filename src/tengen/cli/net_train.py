"""`tengen net train` and `distill`: train your own networks."""

import argparse
import dataclasses
import math
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.net_label import LABEL_POSITIONS, add_label_options, label, label_plan, net_teacher
from tengen.cli.options import PATHS_HELP, add_parameters, read_parameters, work_bar
from tengen.cli.parser import INTERRUPTED, add_action
from tengen.nets.training import INSTALL, TrainSettings, require_torch
from tengen.util import (
    TengenError,
    atomic_write_text,
    positive_int,
    stop_on_interrupt,
)

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from tengen.nets.training import (
        Dataset,
        HeldOutMetrics,
        Trainer,
        TrainingFolder,
        TrainingProgress,
    )

Weights = dict[str, float]


def add_training(actions: Any) -> None:
    """Add the sub-commands `train` and `distill`."""
    train = add_action(
        actions,
        "train",
        "train a network on games, or on positions labeled by a network or a search",
        run_train,
        "The learning rate follows a schedule of --steps steps. Run the same command again to "
        "resume, with more steps if needed. Label folders may grow while training runs. Requires "
        f"PyTorch: {INSTALL}.",
    )
    train.add_argument(
        "paths",
        metavar="GAMES",
        nargs="+",
        help=f"{PATHS_HELP}; or a folder of labels (see docs/nets.md); PATH=WEIGHT sets how often"
        " it is drawn",
    )
    _add_training_options(train)
    distill = add_action(
        actions,
        "distill",
        "train a small network on the outputs of a large one",
        run_distill,
        "The teacher labels positions of the games, then the student is trained on them. Run the "
        "same command again to resume.",
    )
    distill.add_argument("paths", metavar="GAMES", nargs="+", help=PATHS_HELP)
    distill.add_argument(
        "--teacher", metavar="NET", required=True, help="name or file of the teacher"
    )
    distill.add_argument(
        "--label-positions", type=positive_int, default=LABEL_POSITIONS, help="number of labels"
    )
    add_label_options(distill)
    _add_training_options(distill)


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="output folder"
    )
    metavars = {"start": "NET", "precision": "KIND", "size_weights": "WEIGHTS"}
    add_parameters(parser, TrainSettings, metavars)


def parse_weights(words: Sequence[str]) -> tuple[list[Path], Weights]:
    """Split PATH=WEIGHT into paths and weights; raise TengenError for an invalid weight.

    A word that is an existing path has no weight.
    """
    paths, weights = [], {}
    for word in words:
        path, separator, number = word.rpartition("=")
        if os.path.exists(word) or not separator:
            path = word
        else:
            try:
                weights[str(Path(path))] = float(number)
            except ValueError:
                weights[str(Path(path))] = -1.0
            if not 0 <= weights[str(Path(path))] < math.inf:
                raise TengenError(
                    f"the weight of {path} must be a number of at least 0, got {number!r}"
                )
        paths.append(Path(path))
    return paths, weights


def run_train(arguments: argparse.Namespace) -> int:
    """Train a network."""
    paths, weights = parse_weights(arguments.paths)
    folder, trainer = _prepare(arguments, paths)
    return _train(folder, trainer, paths, weights)


def run_distill(arguments: argparse.Namespace) -> int:
    """Label positions with the teacher, then train the student."""
    from tengen.nets.training import LabelFolder

    teacher, name = net_teacher(arguments.teacher)
    folder, trainer = _prepare(arguments, [Path(path) for path in arguments.paths])
    labels = folder.path / "labels"
    plan = label_plan(arguments, arguments.label_positions, is_net=True)
    if not label(teacher, arguments.paths, LabelFolder(labels, name), plan):
        return INTERRUPTED
    return _train(folder, trainer, [labels], {})


def _prepare(
    arguments: argparse.Namespace, paths: Sequence[Path]
) -> "tuple[TrainingFolder, Trainer]":
    """Return folder and trainer; raise TengenError for anything wrong before the work starts."""
    settings = read_parameters(arguments, TrainSettings())
    require_torch()
    from tengen.nets.training import Trainer, TrainingFolder, parse_size_weights
    from tengen.records import find_documents

    parse_size_weights(settings.size_weights)
    for path in paths:
        find_documents(path)
    folder = TrainingFolder(arguments.output, settings)
    return folder, Trainer(settings, folder.checkpoint)


def _train(
    folder: "TrainingFolder", trainer: "Trainer", paths: Sequence[Path], weights: Weights
) -> int:
    """Train for the remaining steps and print the path of the network."""
    stop = threading.Event()
    folder.catch_up(trainer)
    if not (trainer.is_over or trainer.is_out_of_time):
        with work_bar() as bar:
            dataset = _read_games(trainer, paths, weights, bar)
            with stop_on_interrupt(stop):
                _learn(folder, trainer, dataset, bar, stop)
    _print_end(folder, trainer)
    if folder.net.exists():
        print(folder.net)
    return INTERRUPTED if stop.is_set() else 0


def _print_end(folder: "TrainingFolder", trainer: "Trainer") -> None:
    """Print how to continue a run that ended."""
    steps = f"{trainer.progress.steps:,} of {trainer.settings.total_steps:,} steps"
    if trainer.is_over:
        print(
            f"the training in {folder.path} is complete ({steps}): to continue, raise --steps",
            file=sys.stderr,
        )
    elif trainer.is_out_of_time:
        print(
            f"the time limit of the training in {folder.path} is reached ({steps}): to continue,"
            " raise --hours or --cpu-hours",
            file=sys.stderr,
        )


def _read_games(
    trainer: "Trainer", paths: Sequence[Path], weights: Mapping[str, float], bar: "Bar"
) -> "Dataset":
    """Read the training data; Ctrl-C ends it at once."""
    from tengen.nets.training import load_dataset

    task = bar.add_task("reading", total=None)

    def show(done: int, planned: int) -> None:
        bar.update(task, completed=done, total=planned or None)

    dataset = load_dataset(paths, trainer.settings, show, trainer.data_state, weights)
    bar.update(task, visible=False)
    for name, size, positions, share in dataset.shares():
        text = f"{size:>6}  {positions:>10,} positions  {share:5.1%} of the steps  {name}"
        bar.console.print(text, highlight=False, markup=False, soft_wrap=True)
    return dataset


def _learn(
    folder: "TrainingFolder",
    trainer: "Trainer",
    dataset: "Dataset",
    bar: "Bar",
    stop: threading.Event,
) -> None:
    from tengen.nets.training import train
    from tengen.view import render_training_page

    task = bar.add_task("training", total=trainer.settings.total_steps)

    def show(progress: "TrainingProgress") -> None:
        bar.update(task, completed=progress.steps, description=_speed_text(progress))

    def report(metrics: "Sequence[HeldOutMetrics]") -> None:
        lines = [
            f"step {trainer.progress.steps:,}: {_speed_text(trainer.progress)}",
            *map(_line, metrics),
        ]
        for line in lines:
            bar.console.print(line, highlight=False, markup=False, soft_wrap=True)
        page = render_training_page(
            folder.path.resolve().name,
            dataclasses.asdict(trainer.settings),
            folder.rows(),
            dataset.shares(),
        )
        atomic_write_text(folder.path / "report.html", page)

    train(folder, trainer, dataset, show, stop.is_set, report)


def _speed_text(progress: "TrainingProgress") -> str:
    skipped = f", {progress.skipped} steps skipped" if progress.skipped else ""
    return f"loss {progress.loss:.3f}, {progress.speed:.0f} positions per CPU second{skipped}"


def _line(metrics: "HeldOutMetrics") -> str:
    return (
        f"{metrics.size:>6}  top 1 {metrics.top_1:6.1%}  top 5 {metrics.top_5:6.1%}"
        f"  log loss {metrics.policy_loss:.3f}  win error {_error_text(metrics.win_error, 3)}"
        f"  lead error {_error_text(metrics.lead_error, 1)}"
        f"  ownership error {_error_text(metrics.ownership_error, 3)}  {metrics.games}"
    )


def _error_text(value: float, digits: int) -> str:
    return "unknown" if math.isnan(value) else f"{value:.{digits}f}"
