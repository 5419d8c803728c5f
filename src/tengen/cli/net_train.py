"""`tengen net train` and `tengen net distill`: nets of one's own."""

import argparse
import dataclasses
import hashlib
import math
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.arguments import INTERRUPTED
from tengen.cli.net_label import label
from tengen.cli.reading import work_bar
from tengen.core.counts import positive_int
from tengen.core.interrupt import stopping_at_interrupt
from tengen.core.parameters import describe, with_values
from tengen.core.words import sentence
from tengen.network.training.settings import INSTALL, TrainSettings, require_torch

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from tengen.network.net import Net
    from tengen.network.training.measure import Figures
    from tengen.network.training.pool import Material
    from tengen.network.training.session import TrainingFolder
    from tengen.network.training.trainer import Progress, Trainer


def add_actions(actions: Any) -> None:
    """Add both sub-commands; each sets `action`, which takes the arguments."""
    _add_train(actions)
    _add_distill(actions)


def _add_train(actions: Any) -> None:
    summary = "train a net from games, or from positions labelled by a net or a search"
    parser = actions.add_parser(
        "train",
        help=summary,
        description=f"{sentence(summary)} A training that was stopped goes on when it is run "
        f"again with the same folder; more hours may be given then. Needs PyTorch: {INSTALL}.",
    )
    parser.add_argument(
        "paths",
        metavar="GAMES",
        nargs="+",
        type=Path,
        help="file, folder, .zip or .tar.* of games, or a folder of labels (see docs/nets.md)",
    )
    _add_training_options(parser)
    parser.set_defaults(action=run_train)


def _add_distill(actions: Any) -> None:
    summary = "train a small net to say what a large one says of the positions of games"
    parser = actions.add_parser(
        "distill",
        help=summary,
        description=f"{sentence(summary)} First the teacher labels positions, then the small "
        "net is trained on them; both go on where they were when run again.",
    )
    parser.add_argument(
        "paths", metavar="GAMES", nargs="+", type=Path, help="file, folder, .zip or .tar.* of games"
    )
    parser.add_argument("--teacher", metavar="NET", required=True, help="its name or a file")
    parser.add_argument(
        "--label-positions",
        type=positive_int,
        default=20_000,
        help="to be labelled (default 20000)",
    )
    _add_training_options(parser)
    parser.set_defaults(action=run_distill)


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="for all of it"
    )
    for name, default, meaning in describe(TrainSettings):
        option = "--" + name.replace("_", "-")
        usual = "default: from nothing" if name == "start" else f"default {default}"
        text = f"{meaning} ({usual})".replace("%", "%%")
        metavar = {"start": "NET", "precision": "KIND"}.get(name, "N")
        parser.add_argument(option, dest=name, metavar=metavar, help=text)


def training_settings(arguments: argparse.Namespace) -> TrainSettings:
    """Return the settings that the options give; raise TengenError for what is wrong."""
    names = [field.name for field in dataclasses.fields(TrainSettings)]
    given = {name: getattr(arguments, name) for name in names}
    return with_values(TrainSettings(), {n: text for n, text in given.items() if text is not None})


def run_train(arguments: argparse.Namespace) -> int:
    """Train; return the exit code."""
    folder, trainer = _begin(arguments)
    return _train(folder, trainer, arguments.paths)


def run_distill(arguments: argparse.Namespace) -> int:
    """Label, then train; return the exit code."""
    from tengen.network.folder import find_net
    from tengen.network.onnx import load_net

    file = find_net(arguments.teacher)
    teacher = load_net(file)
    folder, trainer = _begin(arguments)
    labels = folder.path / "labels"
    # Its name is not enough: a net in eight bits has that of the net in floats.
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    if not _label(arguments, teacher, f"the net {teacher.name} ({digest})", labels):
        return INTERRUPTED
    return _train(folder, trainer, [labels])


def _begin(arguments: argparse.Namespace) -> "tuple[TrainingFolder, Trainer]":
    """Return the training; what is wrong is told (TengenError) before hours of work are begun."""
    settings = training_settings(arguments)
    require_torch()
    from tengen.network.training.session import TrainingFolder
    from tengen.network.training.trainer import Trainer
    from tengen.records.source import documents

    for path in arguments.paths:
        documents(path)
    folder = TrainingFolder(arguments.output, settings)
    return folder, Trainer(settings, folder.checkpoint)


def _label(arguments: argparse.Namespace, teacher: "Net", made_by: str, labels: Path) -> bool:
    """Let the teacher label positions; tell whether all are done."""
    from tengen.network.training.distill import LabelFolder

    paths = [str(path) for path in arguments.paths]
    return label(teacher, paths, LabelFolder(labels, made_by), arguments.label_positions)


def _train(folder: "TrainingFolder", trainer: "Trainer", paths: Sequence[Path]) -> int:
    """Train for what is left of the time; print where the net is."""
    stop = threading.Event()
    folder.catch_up(trainer)
    if trainer.is_over:
        told = f"the training in {folder.path} is over: to go on, give more --hours (or --steps)"
        print(told, file=sys.stderr)
    else:
        with work_bar() as bar:
            material = _read(trainer, paths, bar)
            with stopping_at_interrupt(stop):
                _learn(folder, trainer, material, bar, stop)
    if folder.net.exists():
        print(folder.net)
    return INTERRUPTED if stop.is_set() else 0


def _read(trainer: "Trainer", paths: Sequence[Path], bar: "Bar") -> "Material":
    """Read what is to be learned from; Ctrl-C ends it at once, since nothing is lost."""
    from tengen.network.training.session import gather

    task = bar.add_task("reading", total=None)

    def show(done: int, planned: int) -> None:
        bar.update(task, completed=done, total=planned)

    material = gather(paths, trainer.settings, show, trainer.progress.steps)
    bar.update(task, visible=False)
    return material


def _learn(
    folder: "TrainingFolder",
    trainer: "Trainer",
    material: "Material",
    bar: "Bar",
    stop: threading.Event,
) -> None:
    from tengen.network.training.session import train

    task = bar.add_task("training", total=trainer.settings.hours * 3600)

    def show(progress: "Progress") -> None:
        text = f"step {progress.steps:,}, loss {progress.loss:.3f}"
        bar.update(task, completed=progress.elapsed_s, description=text)

    def tell(figures: "Sequence[Figures]") -> None:
        for found in figures:
            bar.console.print(_line(found), highlight=False, markup=False, soft_wrap=True)

    train(folder, trainer, material, show, stop.is_set, tell)


def _line(found: "Figures") -> str:
    return (
        f"{found.size:>6}  top 1 {found.top_1:6.1%}  top 5 {found.top_5:6.1%}"
        f"  log loss {found.policy_loss:.3f}  win off by {_distance(found.win_error, 3)}"
        f"  lead by {_distance(found.lead_error, 1)}  {found.games}"
    )


def _distance(value: float, digits: int) -> str:
    return "(not known)" if math.isnan(value) else f"{value:.{digits}f}"
