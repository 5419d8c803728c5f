"""The training loop, with checkpoints and an averaged model."""

import copy
import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tengen.nets.files import find_net
from tengen.nets.training.dataset import BatchSource, Dataset
from tengen.nets.training.loss import HeldOutMetrics, loss_of, measure_held_out, to_targets
from tengen.nets.training.model import TengenModel
from tengen.nets.training.muon import Muon
from tengen.nets.training.settings import TrainSettings
from tengen.nets.training.warm_start import load_initial_weights
from tengen.util.errors import TengenError
from tengen.util.files import atomic_write

WARM_UP = 0.02
"""Share of the training during which the learning rate rises."""
MAX_GRADIENT_NORM = 2.0
LOSS_MEMORY = 0.99
RATE_SHARES = (1.0, 0.3)
"""Learning rates of Muon and Adam, relative to the setting."""
BFLOAT16_TRIAL = """
import torch
from tengen.nets.training.model import TengenModel
model = TengenModel(2, 64)
model.uses_bfloat16 = True
output = model(torch.zeros(64, model.planes, 9, 9), torch.zeros(64, 3))
output.policy.sum().backward()
"""
"""One training step that is large enough to use the bfloat16 kernels."""


@dataclass
class TrainingProgress:
    """Progress of a training run."""

    elapsed_s: float = 0.0
    steps: int = 0
    positions: int = 0
    loss: float = math.nan
    """Running mean."""


class Trainer:
    """A training run; all its state is in the file `checkpoint`."""

    def __init__(self, settings: TrainSettings, checkpoint: Path) -> None:
        """Start, or resume from the checkpoint.

        Raise TengenError if the checkpoint has another shape, the initial network does not fit, or
        the precision is not supported.
        """
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.progress = TrainingProgress()
        self._checkpoint = checkpoint
        self._random = np.random.default_rng(settings.seed)
        self._model = TengenModel(settings.blocks, settings.channels, settings.input_playouts)
        if settings.start and not checkpoint.exists():
            load_initial_weights(self._model, find_net(settings.start), settings.seed)
        self._model.uses_bfloat16 = settings.precision == "bfloat16"
        if self._model.uses_bfloat16:
            require_bfloat16()
        self._model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self._model).requires_grad_(False)
        self._optimizers = make_optimizers(self._model, settings)
        if checkpoint.exists():
            self._load()

    @property
    def done(self) -> float:
        """Share of the training that is done, 0 to 1: by time or by steps."""
        by_time = self.progress.elapsed_s / (self.settings.hours * 3600)
        by_steps = self.progress.steps / self.settings.steps if self.settings.steps else 0.0
        return min(1.0, max(by_time, by_steps))

    @property
    def is_over(self) -> bool:
        """Whether the time or the steps are used up."""
        return self.done >= 1

    def run(
        self,
        dataset: Dataset,
        on_progress: Callable[[TrainingProgress], None],
        stop: Callable[[], bool],
    ) -> list[HeldOutMetrics]:
        """Train until the next measurement; return the held-out metrics and save a checkpoint."""
        self._model.train()
        until_s = self.progress.elapsed_s + self.settings.check_minutes * 60
        while not (self.is_over or stop() or self.progress.elapsed_s >= until_s):
            began_s = time.monotonic()
            self._step(dataset.sources)
            self.progress.elapsed_s += time.monotonic() - began_s
            on_progress(self.progress)
        figures = measure_held_out(self.average, dataset.held_out)
        self._save()
        return figures

    def _step(self, sources: Sequence[BatchSource]) -> None:
        """Learn from one batch; the sources take turns."""
        source = sources[self.progress.steps % len(sources)]
        targets = to_targets(source.draw(self.settings.batch, self._random))
        loss = loss_of(self._model(targets.planes, targets.numbers), targets)
        self._model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), MAX_GRADIENT_NORM)
        now = self.settings.rate * learning_rate_schedule(self.done)
        for optimizer, share in zip(self._optimizers, RATE_SHARES, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = share * now
            optimizer.step()
        self._update_average()
        self._count(float(loss.detach()))

    def _update_average(self) -> None:
        """Update the exponential moving average; its decay is lower at the start."""
        steps = self.progress.steps
        decay = min(self.settings.averaging, (1 + steps) / (10 + steps))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.parameters()), list(self._model.parameters()), 1 - decay
            )

    def _count(self, loss: float) -> None:
        if math.isnan(loss):
            raise TengenError(
                "training diverged (loss is NaN): start again with a lower rate in another folder"
            )
        before = loss if math.isnan(self.progress.loss) else self.progress.loss
        self.progress.loss = LOSS_MEMORY * before + (1 - LOSS_MEMORY) * loss
        self.progress.steps += 1
        self.progress.positions += self.settings.batch

    def _save(self) -> None:
        """Write the checkpoint atomically."""
        state = {
            "blocks": self.settings.blocks,
            "channels": self.settings.channels,
            "input_playouts": self.settings.input_playouts,
            "progress": asdict(self.progress),
            "model": self._model.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
        }
        with atomic_write(self._checkpoint) as file:
            torch.save(state, file)

    def _load(self) -> None:
        state = read_checkpoint(self._checkpoint)
        playouts = state.get("input_playouts", 0)  # missing in old checkpoints
        shape = (state["blocks"], state["channels"], playouts)
        settings = self.settings
        if shape != (settings.blocks, settings.channels, settings.input_playouts):
            raise TengenError(
                f"{self._checkpoint} has {shape[0]} blocks of {shape[1]} channels and"
                f" {playouts} input playouts: use the same settings or another folder"
            )
        self._model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        for optimizer, known in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(known)
        self.progress = TrainingProgress(**state["progress"])
        self._random = np.random.default_rng([self.settings.seed, self.progress.steps])


def make_optimizers(model: TengenModel, settings: TrainSettings) -> list[torch.optim.Optimizer]:
    """Return Muon for the weights of the tower and AdamW for biases and heads."""
    tower = [model.entry.weight, *(w for w in model.tower.parameters() if w.ndim > 1)]
    tower_ids = {id(weights) for weights in tower}
    rest = [weights for weights in model.parameters() if id(weights) not in tower_ids]
    return [
        Muon(tower),
        torch.optim.AdamW(rest, betas=(0.9, 0.99), weight_decay=settings.decay),
    ]


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return the content of a checkpoint; raise TengenError if it is damaged or something else."""
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        if {"blocks", "channels", "average", "progress"} <= set(state):
            return state
    except Exception as error:  # torch raises various exceptions for damaged files
        raise TengenError(f"{path} is damaged: {str(error).splitlines()[0]}") from None
    raise TengenError(f"{path} is not a training checkpoint")


def require_bfloat16() -> None:
    """Raise TengenError if PyTorch cannot train in bfloat16 on this machine.

    Tried in a separate process: on virtual machines with incomplete AMX support PyTorch may crash
    instead of raising.
    """
    command = [sys.executable, "-c", BFLOAT16_TRIAL]
    tried = subprocess.run(command, capture_output=True, text=True)
    if tried.returncode != 0:
        last = tried.stderr.strip().splitlines()[-1:] or ["no message"]
        raise TengenError(
            f"bfloat16 does not work with PyTorch on this machine ({last[0][:80]}):"
            " use precision float32"
        )


def learning_rate_schedule(done: float) -> float:
    """Return the share of the maximum learning rate: a linear warm-up, then a half cosine."""
    if done < WARM_UP:
        return (done + 0.001) / (WARM_UP + 0.001)
    return 0.5 * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)))
