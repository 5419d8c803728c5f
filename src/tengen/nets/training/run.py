"""Training runs: the dataset, the training folder and its files.

settings.json   settings of the run
checkpoint.pt   state for resuming
progress.csv    held-out metrics, every few minutes
curves.png/svg  the same as plots
net.onnx        the current network
"""

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from tengen.nets.onnx_model import OnnxModel
from tengen.nets.training.dataset import (
    Dataset,
    GameStream,
    held_out_keys,
    is_held_out,
    split_labels,
)
from tengen.nets.training.labels import ProgressCallback, is_label_folder, read_labels
from tengen.nets.training.loss import HeldOutMetrics
from tengen.nets.training.onnx_export import export
from tengen.nets.training.settings import TrainSettings
from tengen.nets.training.trainer import Trainer, TrainingProgress
from tengen.util.errors import TengenError
from tengen.util.files import atomic_write_text, lock_folder

matplotlib.use("Agg")  # no display needed

COLUMNS = ("hours", "steps", "positions", "loss", *HeldOutMetrics._fields)
MAY_CHANGE = {"hours", "steps", "threads", "precision", "check_minutes"}
"""Settings that may change when a run is resumed."""
PANELS = (
    ("top_1", "top-1 accuracy"),
    ("top_5", "top-5 accuracy"),
    ("win_error", "error of the winning probability"),
)


def draw_curves(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """Plot the metrics of `progress.csv` as PNG and SVG."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    for axes, (column, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for name in dict.fromkeys(map(_name, rows)):
            of_name = [row for row in rows if _name(row) == name]
            positions = [float(row["positions"]) for row in of_name]
            axes.plot(positions, [float(row[column]) for row in of_name], marker=".", label=name)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("training positions")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    for suffix in (".png", ".svg"):
        figure.savefig(path.with_suffix(suffix))


def _name(row: Mapping[str, str]) -> str:
    """Return the board size and the name of the games, which old files lack."""
    return f"{row['size']} {row.get('games') or ''}".strip()


def load_dataset(
    paths: Sequence[Path], settings: TrainSettings, on_progress: ProgressCallback, steps: int = 0
) -> Dataset:
    """Return the dataset from label folders and game archives, after `steps` of training."""
    folders = [path for path in paths if is_label_folder(path)]
    archives = [str(path) for path in paths if not is_label_folder(path)]
    one_in = settings.held_out
    labeled = [read_labels(folder, on_progress, settings.input_playouts) for folder in folders]
    # A game may be in several places: if one holds it out, no other may learn from it.
    held_out = frozenset[int]().union(*(held_out_keys(of_folder, one_in) for of_folder in labeled))
    known = frozenset(int(key) for of_folder in labeled for part in of_folder for key in part.key)
    streamed = frozenset(key for key in known if archives and is_held_out(key, one_in))
    parts = [
        # The folders of `tengen net distill` are all called `labels`.
        split_labels(of_folder, one_in, "/".join(folder.parts[-2:]), held_out | streamed)
        for folder, of_folder in zip(folders, labeled, strict=True)
    ]
    if archives:
        parts.append(GameStream(archives, settings, steps, held_out).dataset())
    dataset = Dataset(
        [source for part in parts for source in part.sources],
        [held_out for part in parts for held_out in part.held_out],
    )
    if not dataset.sources or not dataset.held_out:
        raise TengenError("too few games: some must be held out")
    return dataset


class TrainingFolder:
    """The files of one training run."""

    def __init__(self, folder: Path, settings: TrainSettings) -> None:
        """Create the folder, or check its settings; raise TengenError if another run uses it."""
        self.path = folder
        folder.mkdir(parents=True, exist_ok=True)
        lock_folder(folder)
        if self.checkpoint.exists() and self._settings.exists():
            self._check(settings)
        atomic_write_text(self._settings, json.dumps(asdict(settings), indent=2) + "\n")

    @property
    def checkpoint(self) -> Path:
        """State for resuming."""
        return self.path / "checkpoint.pt"

    @property
    def net(self) -> Path:
        """The current network."""
        return self.path / "net.onnx"

    @property
    def _settings(self) -> Path:
        return self.path / "settings.json"

    def add(self, trainer: Trainer, figures: Sequence[HeldOutMetrics]) -> None:
        """Write the network and the metrics of the current checkpoint."""
        self._write_net(trainer, figures)
        self._add_rows(trainer.progress, figures)
        draw_curves(self.rows(), self.path / "curves")

    def catch_up(self, trainer: Trainer) -> None:
        """Write the network of the checkpoint if a process was killed between the two."""
        steps = trainer.progress.steps
        if steps and self._steps_of_net() != str(steps):
            self._write_net(trainer, [])

    def _write_net(self, trainer: Trainer, figures: Sequence[HeldOutMetrics]) -> None:
        notes = {
            "steps": str(trainer.progress.steps),
            "positions": str(trainer.progress.positions),
            "top_1": ", ".join(f"{found.size} {found.top_1:.3f}" for found in figures),
        }
        export(trainer.average, self.net, self.path.name, notes)

    def _steps_of_net(self) -> str | None:
        """Return the steps at which the network was written, None if there is no network."""
        try:
            return OnnxModel(self.net).metadata.get("steps")
        except TengenError:
            return None

    def rows(self) -> list[dict[str, str]]:
        """Return the metrics so far."""
        with (self.path / "progress.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def _add_rows(self, progress: TrainingProgress, figures: Sequence[HeldOutMetrics]) -> None:
        path = self.path / "progress.csv"
        begins = not self._whole_lines(path)
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if begins:
                writer.writerow(COLUMNS)
            for found in figures:
                means = (f"{value:.5f}" for value in found[1:-1])
                hours = f"{progress.elapsed_s / 3600:.4f}"
                counted = (hours, progress.steps, progress.positions, f"{progress.loss:.4f}")
                writer.writerow([*counted, found.size, *means, found.games])

    def _whole_lines(self, path: Path) -> str:
        """Return the text of a table, dropping an incomplete last line."""
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            atomic_write_text(path, whole)
        return whole

    def _check(self, settings: TrainSettings) -> None:
        """Raise TengenError if the folder belongs to a run with other settings."""
        new = asdict(settings)
        old = asdict(TrainSettings()) | self._known()  # old files have fewer settings
        changed = [n for n in new if old[n] != new[n] and n not in MAY_CHANGE]
        if changed:
            raise TengenError(
                f"{self.path} belongs to a run with other settings ({', '.join(changed)}):"
                " use the same settings or another folder"
            )

    def _known(self) -> dict[str, Any]:
        """Return the stored settings."""
        try:
            return dict(json.loads(self._settings.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise TengenError(
                f"{self._settings} is damaged: delete it or use another folder"
            ) from None


def train(
    folder: TrainingFolder,
    trainer: Trainer,
    dataset: Dataset,
    on_progress: Callable[[TrainingProgress], None],
    stop: Callable[[], bool] = lambda: False,
    on_metrics: Callable[[Sequence[HeldOutMetrics]], None] = lambda figures: None,
) -> None:
    """Train until the time is over or `stop` returns True; results are in the folder."""
    while not (trainer.is_over or stop()):
        figures = trainer.run(dataset, on_progress, stop)
        if not math.isnan(trainer.progress.loss):
            folder.add(trainer, figures)
            on_metrics(figures)
