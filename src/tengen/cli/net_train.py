"""`tengen net label`, `train` and `distill`: train your own networks."""

import argparse
import dataclasses
import hashlib
import math
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import (
    add_engine_options,
    default_playouts,
    engine_description,
    engine_settings,
    split_paths_and_settings,
)
from tengen.cli.options import PATHS_HELP, add_paths, work_bar
from tengen.cli.parser import INTERRUPTED, add_action
from tengen.nets.training.settings import INSTALL, TrainSettings, require_torch
from tengen.util.argtypes import positive_int
from tengen.util.errors import TengenError
from tengen.util.parameters import describe, with_values
from tengen.util.processes import stop_on_interrupt
from tengen.util.text import sentence

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from tengen.nets.net import Net
    from tengen.nets.training.dataset import Dataset
    from tengen.nets.training.distillation import LabelFolder, Teacher
    from tengen.nets.training.loss import HeldOutMetrics
    from tengen.nets.training.run import TrainingFolder
    from tengen.nets.training.trainer import Trainer, TrainingProgress


LABEL_PLAYOUTS = 400
LABEL_POSITIONS = 20_000
LABEL_DETAILS = """\
The policy target is the share of visits of each move; the value targets are the win rate, the lead
and the ownership of the search (paper 001, section 2.2.4). `tengen net train` learns from FOLDER.
Run the same command again to resume.

  tengen net label GAMES -o labels --playouts 400 --positions 20000
  tengen net train labels -o mynet --hours 1
  tengen play net=mynet/net.onnx"""


# label


def add_label(actions: Any) -> None:
    """Add the sub-command `label`."""
    summary = "label positions of games by a search, for distillation"
    parser = add_action(actions, "label", summary, run_label)
    add_paths(parser)
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="folder of the labels"
    )
    parser.add_argument(
        "--positions",
        type=positive_int,
        default=LABEL_POSITIONS,
        help=f"number of positions to label (default: {LABEL_POSITIONS})",
    )
    add_engine_options(parser, f"simulations per position (default: {LABEL_PLAYOUTS})")
    parser.description = f"{sentence(summary)} {LABEL_DETAILS}"


def run_label(arguments: argparse.Namespace) -> int:
    """Label positions by a search."""
    from tengen.engine.teacher import SearchTeacher
    from tengen.nets.training.distillation import LabelFolder
    from tengen.records.collection import find_documents

    split_paths_and_settings(arguments)
    settings = engine_settings(arguments, default_playouts(arguments, LABEL_PLAYOUTS))
    for path in arguments.paths:
        find_documents(path)  # report missing files before starting
    teacher = SearchTeacher(settings, settings.play.limit)
    folder = LabelFolder(arguments.output, engine_description(settings, arguments))
    is_done = label(teacher, arguments.paths, folder, arguments.positions)
    print(f"{len(folder)} labeled positions in {arguments.output}")
    return 0 if is_done else INTERRUPTED


def label(teacher: "Teacher", paths: Sequence[str], folder: "LabelFolder", positions: int) -> bool:
    """Label positions with a progress bar; return False if interrupted.

    Raise TengenError if there is nothing to label.
    """
    from tengen.nets.training.distillation import label_games

    stop = threading.Event()
    with work_bar() as bar, stop_on_interrupt(stop):
        task = bar.add_task("labeling", total=positions)
        label_games(
            teacher,
            paths,
            folder,
            positions,
            on_progress=lambda done: bar.update(task, completed=done),
            stop=stop.is_set,
        )
    if not (len(folder) or stop.is_set()):
        raise TengenError(
            f"no usable game in {', '.join(paths)}: games must be without handicap, on square"
            " boards of at least 7x7"
        )
    return not stop.is_set()


# train and distill


def add_training(actions: Any) -> None:
    """Add the sub-commands `train` and `distill`."""
    train = add_action(
        actions,
        "train",
        "train a network on games, or on positions labeled by a network or a search",
        run_train,
        "Run the same command again to resume, with more hours if needed. Requires PyTorch: "
        f"{INSTALL}.",
    )
    train.add_argument(
        "paths",
        metavar="GAMES",
        nargs="+",
        type=Path,
        help=f"{PATHS_HELP}; or a folder of labels (see docs/nets.md)",
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
    distill.add_argument("paths", metavar="GAMES", nargs="+", type=Path, help=PATHS_HELP)
    distill.add_argument(
        "--teacher", metavar="NET", required=True, help="name or file of the teacher"
    )
    distill.add_argument(
        "--label-positions",
        type=positive_int,
        default=LABEL_POSITIONS,
        help=f"number of positions to label (default: {LABEL_POSITIONS})",
    )
    _add_training_options(distill)


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="output folder"
    )
    for name, default, meaning in describe(TrainSettings):
        option = "--" + name.replace("_", "-")
        shown = "none" if name == "start" else default
        text = f"{meaning} (default: {shown})".replace("%", "%%")
        metavar = {"start": "NET", "precision": "KIND"}.get(name, "N")
        parser.add_argument(option, dest=name, metavar=metavar, help=text)


def training_settings(arguments: argparse.Namespace) -> TrainSettings:
    """Return the training settings of the options; raise TengenError."""
    names = [field.name for field in dataclasses.fields(TrainSettings)]
    given = {name: getattr(arguments, name) for name in names}
    return with_values(TrainSettings(), {n: text for n, text in given.items() if text is not None})


def run_train(arguments: argparse.Namespace) -> int:
    """Train a network."""
    folder, trainer = _prepare(arguments)
    return _train(folder, trainer, arguments.paths)


def run_distill(arguments: argparse.Namespace) -> int:
    """Label positions with the teacher, then train the student."""
    from tengen.nets.files import find_net
    from tengen.nets.onnx_model import load_net

    file = find_net(arguments.teacher)
    teacher = load_net(file)
    folder, trainer = _prepare(arguments)
    labels = folder.path / "labels"
    # The name is not enough: a quantized network has the name of the original.
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    if not _label_games(arguments, teacher, f"network {teacher.name} ({digest})", labels):
        return INTERRUPTED
    return _train(folder, trainer, [labels])


def _prepare(arguments: argparse.Namespace) -> "tuple[TrainingFolder, Trainer]":
    """Return folder and trainer; raise TengenError for anything wrong before the work starts."""
    settings = training_settings(arguments)
    require_torch()
    from tengen.nets.training.run import TrainingFolder
    from tengen.nets.training.trainer import Trainer
    from tengen.records.collection import find_documents

    for path in arguments.paths:
        find_documents(path)
    folder = TrainingFolder(arguments.output, settings)
    return folder, Trainer(settings, folder.checkpoint)


def _label_games(
    arguments: argparse.Namespace, teacher: "Net", teacher_name: str, labels: Path
) -> bool:
    """Label positions with the teacher; return False if interrupted."""
    from tengen.nets.training.distillation import LabelFolder

    paths = [str(path) for path in arguments.paths]
    return label(teacher, paths, LabelFolder(labels, teacher_name), arguments.label_positions)


def _train(folder: "TrainingFolder", trainer: "Trainer", paths: Sequence[Path]) -> int:
    """Train for the remaining time and print the path of the network."""
    stop = threading.Event()
    folder.catch_up(trainer)
    if trainer.is_over:
        message = (
            f"the training in {folder.path} is complete: to continue, raise --hours or --steps"
        )
        print(message, file=sys.stderr)
    else:
        with work_bar() as bar:
            dataset = _read_games(trainer, paths, bar)
            with stop_on_interrupt(stop):
                _learn(folder, trainer, dataset, bar, stop)
    if folder.net.exists():
        print(folder.net)
    return INTERRUPTED if stop.is_set() else 0


def _read_games(trainer: "Trainer", paths: Sequence[Path], bar: "Bar") -> "Dataset":
    """Read the training data; Ctrl-C ends it at once."""
    from tengen.nets.training.run import load_dataset

    task = bar.add_task("reading", total=None)

    def show(done: int, planned: int) -> None:
        bar.update(task, completed=done, total=planned)

    dataset = load_dataset(paths, trainer.settings, show, trainer.progress.steps)
    bar.update(task, visible=False)
    return dataset


def _learn(
    folder: "TrainingFolder",
    trainer: "Trainer",
    dataset: "Dataset",
    bar: "Bar",
    stop: threading.Event,
) -> None:
    from tengen.nets.training.run import train

    task = bar.add_task("training", total=trainer.settings.hours * 3600)

    def show(progress: "TrainingProgress") -> None:
        text = f"step {progress.steps:,}, loss {progress.loss:.3f}"
        bar.update(task, completed=progress.elapsed_s, description=text)

    def report(metrics: "Sequence[HeldOutMetrics]") -> None:
        for item in metrics:
            bar.console.print(_line(item), highlight=False, markup=False, soft_wrap=True)

    train(folder, trainer, dataset, show, stop.is_set, report)


def _line(metrics: "HeldOutMetrics") -> str:
    return (
        f"{metrics.size:>6}  top 1 {metrics.top_1:6.1%}  top 5 {metrics.top_5:6.1%}"
        f"  log loss {metrics.policy_loss:.3f}  win error {_error_text(metrics.win_error, 3)}"
        f"  lead error {_error_text(metrics.lead_error, 1)}  {metrics.games}"
    )


def _error_text(value: float, digits: int) -> str:
    return "unknown" if math.isnan(value) else f"{value:.{digits}f}"
