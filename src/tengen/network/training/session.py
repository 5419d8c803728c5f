"""A training in a folder: what it was asked for, how it goes, and the net so far.

settings.json   what was asked for
checkpoint.pt   all that is needed to go on
progress.csv    the figures on games kept apart, every few minutes
curves.png/svg  the same as pictures
net.onnx        the net so far
"""

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tengen.core.errors import TengenError
from tengen.core.file_lock import hold_folder
from tengen.core.whole_file import write_whole
from tengen.network.onnx import OnnxModel
from tengen.network.training.archives import GameStream, is_held_out
from tengen.network.training.curves import draw_curves
from tengen.network.training.export import export
from tengen.network.training.labels import Watch, is_label_folder, read_labels
from tengen.network.training.measure import Figures
from tengen.network.training.pool import Material, apart_keys, split
from tengen.network.training.settings import TrainSettings
from tengen.network.training.trainer import Progress, Trainer

COLUMNS = ("hours", "steps", "positions", "loss", *Figures._fields)
MAY_CHANGE = {"hours", "steps", "threads", "precision", "check_minutes"}
"""Settings that may be others when a training goes on."""


def gather(
    paths: Sequence[Path], settings: TrainSettings, watch: Watch, steps: int = 0
) -> Material:
    """Return what is to be learned from, after `steps`: folders of labels, archives of games."""
    folders = [path for path in paths if is_label_folder(path)]
    archives = [str(path) for path in paths if not is_label_folder(path)]
    one_in = settings.held_out
    labelled = [read_labels(folder, watch, settings.input_playouts) for folder in folders]
    # The same game may stand in several of them: what one keeps apart none may learn from.
    apart = frozenset[int]().union(*(apart_keys(of_folder, one_in) for of_folder in labelled))
    known = frozenset(int(key) for of_folder in labelled for part in of_folder for key in part.key)
    streamed = frozenset(key for key in known if archives and is_held_out(key, one_in))
    parts = [
        # `distill` calls all of its folders `labels`.
        split(of_folder, one_in, "/".join(folder.parts[-2:]), apart | streamed)
        for folder, of_folder in zip(folders, labelled, strict=True)
    ]
    if archives:
        parts.append(GameStream(archives, settings, steps, apart).material())
    material = Material(
        [source for part in parts for source in part.sources],
        [apart for part in parts for apart in part.held_out],
    )
    if not material.sources or not material.held_out:
        raise TengenError("too few games: some must be left over to measure with")
    return material


class TrainingFolder:
    """The files of one training."""

    def __init__(self, folder: Path, settings: TrainSettings) -> None:
        """Make the folder, or check that it is of this training and that no other run is in it."""
        self.path = folder
        folder.mkdir(parents=True, exist_ok=True)
        hold_folder(folder)
        if self.checkpoint.exists() and self._settings.exists():
            self._check(settings)
        write_whole(self._settings, json.dumps(asdict(settings), indent=2) + "\n")

    @property
    def checkpoint(self) -> Path:
        """The file that all is kept in."""
        return self.path / "checkpoint.pt"

    @property
    def net(self) -> Path:
        """The net so far."""
        return self.path / "net.onnx"

    @property
    def _settings(self) -> Path:
        return self.path / "settings.json"

    def add(self, trainer: Trainer, figures: Sequence[Figures]) -> None:
        """Write down how far the training is, and how good; write the net."""
        self._write_net(trainer, figures)
        self._add_rows(trainer.progress, figures)
        draw_curves(self.rows(), self.path / "curves")

    def catch_up(self, trainer: Trainer) -> None:
        """Write the net of the checkpoint, if a process was killed between the two."""
        steps = trainer.progress.steps
        if steps and self._steps_of_net() != str(steps):
            self._write_net(trainer, [])

    def _write_net(self, trainer: Trainer, figures: Sequence[Figures]) -> None:
        notes = {
            "steps": str(trainer.progress.steps),
            "positions": str(trainer.progress.positions),
            "top_1": ", ".join(f"{found.size} {found.top_1:.3f}" for found in figures),
        }
        export(trainer.average, self.net, self.path.name, notes)

    def _steps_of_net(self) -> str | None:
        """Return after how many steps the net was written; None if there is none."""
        try:
            return OnnxModel(self.net).metadata.get("steps")
        except TengenError:
            return None

    def rows(self) -> list[dict[str, str]]:
        """Return the figures so far."""
        with (self.path / "progress.csv").open(encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def _add_rows(self, progress: Progress, figures: Sequence[Figures]) -> None:
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
        """Return the text of a table without a last line that a power cut left unfinished."""
        text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            write_whole(path, whole)
        return whole

    def _check(self, settings: TrainSettings) -> None:
        """Raise TengenError if the training in the folder has other settings."""
        wanted = asdict(settings)
        before = asdict(TrainSettings()) | self._known()  # an older version knew fewer settings
        changed = [n for n in wanted if before[n] != wanted[n] and n not in MAY_CHANGE]
        if changed:
            raise TengenError(
                f"{self.path} is of a training with other settings ({', '.join(changed)}):"
                " give the same, or another folder"
            )

    def _known(self) -> dict[str, Any]:
        """Return the settings that the file tells."""
        try:
            return dict(json.loads(self._settings.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise TengenError(
                f"{self._settings} is damaged: remove it, or give another folder"
            ) from None


def train(
    folder: TrainingFolder,
    trainer: Trainer,
    material: Material,
    watch: Callable[[Progress], None],
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[Sequence[Figures]], None] = lambda figures: None,
) -> None:
    """Train until the time is over or `stop` says so; what was learned is in the folder."""
    while not (trainer.is_over or stop()):
        figures = trainer.run(material, watch, stop)
        if not math.isnan(trainer.progress.loss):
            folder.add(trainer, figures)
            told(figures)
