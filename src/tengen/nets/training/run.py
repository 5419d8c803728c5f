"""Training runs: the training folder and its files.

settings.json   settings of the run
checkpoint.pt   state for resuming
progress.csv    held-out metrics, every few minutes
curves.png/svg  the same as plots
net.onnx        the current network
"""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from tengen.nets.onnx_model import OnnxModel
from tengen.nets.training.dataset import Dataset
from tengen.nets.training.loss import HeldOutMetrics
from tengen.nets.training.onnx_export import export
from tengen.nets.training.settings import TrainSettings
from tengen.nets.training.trainer import Trainer, TrainingProgress
from tengen.util import TengenError, atomic_write_text, lock_folder

matplotlib.use("Agg")  # no display needed

COLUMNS = (
    *("hours", "steps", "positions", "loss", "cpu_hours", "positions_per_cpu_s", "skipped"),
    *("train_policy", "train_win", "train_lead", "train_ownership"),
    *HeldOutMetrics._fields,
)
MAY_CHANGE = {
    *("steps", "positions", "decay_share", "hours", "cpu_hours", "rate", "size_weights"),
    *("threads", "precision", "check_minutes"),
}
"""Settings that may change when a run is resumed."""
PANELS = (
    ("top_1", "top-1 accuracy"),
    ("top_5", "top-5 accuracy"),
    ("win_error", "error of the winning probability"),
)


def draw_curves(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """Plot the metrics of `progress.csv` as PNG and SVG."""
    figure = metrics_figure(rows, PANELS)
    for suffix in (".png", ".svg"):
        figure.savefig(path.with_suffix(suffix))


def metrics_figure(rows: Sequence[Mapping[str, str]], panels: Sequence[tuple[str, str]]) -> Figure:
    """Plot columns of `progress.csv`, one panel each with one line per held-out set."""
    figure = Figure(figsize=(4 * len(panels), 3.6), layout="constrained")
    for axes, (column, title) in zip(figure.subplots(1, len(panels)), panels, strict=True):
        for name in dict.fromkeys(map(_name, rows)):
            of_name = [row for row in rows if _name(row) == name]
            of_name = [row for row in of_name if row.get(column)]
            positions = [float(row["positions"]) for row in of_name]
            axes.plot(positions, [float(row[column]) for row in of_name], marker=".", label=name)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("training positions")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    return figure


def _name(row: Mapping[str, str]) -> str:
    """Return the board size and the name of the games, which old files lack."""
    return f"{row['size']} {row.get('games') or ''}".strip()


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
        """Return the metrics so far, without an incomplete last line; old files lack columns."""
        path = self.path / "progress.csv"
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        lines = io.StringIO(text[: text.rfind("\n") + 1])
        return [{name: row.get(name) or "" for name in COLUMNS} for row in csv.DictReader(lines)]

    def _add_rows(self, progress: TrainingProgress, figures: Sequence[HeldOutMetrics]) -> None:
        counted = {
            "hours": f"{progress.elapsed_s / 3600:.4f}",
            "cpu_hours": f"{progress.cpu_s / 3600:.4f}",
            "steps": str(progress.steps),
            "positions": str(progress.positions),
            "positions_per_cpu_s": f"{progress.speed:.1f}",
            "skipped": str(progress.skipped),
            "loss": f"{progress.loss:.4f}",
            "train_policy": f"{progress.policy_loss:.4f}",
            "train_win": f"{progress.win_loss:.4f}",
            "train_lead": f"{progress.lead_loss:.4f}",
            "train_ownership": f"{progress.ownership_loss:.4f}",
        }
        added = [
            {name: f"{v:.5f}" if isinstance(v, float) else v for name, v in found._asdict().items()}
            for found in figures
        ]
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*self.rows(), *({**counted, **row} for row in added)])
        atomic_write_text(self.path / "progress.csv", text.getvalue())

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
    """Train until the schedule or the time is over or `stop` returns True.

    The results are in the folder.
    """
    while not (trainer.is_over or trainer.is_out_of_time or stop()):
        figures = trainer.run(dataset, on_progress, stop)
        if not math.isnan(trainer.progress.loss):
            folder.add(trainer, figures)
            on_metrics(figures)
