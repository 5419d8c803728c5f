"""The training loop, with checkpoints and an averaged model."""

import copy
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tengen.nets.files import find_net
from tengen.nets.training.dataset import Dataset
from tengen.nets.training.loss import (
    HeldOutMetrics,
    LossParts,
    loss_of,
    measure_held_out,
    to_targets,
)
from tengen.nets.training.model import TengenModel
from tengen.nets.training.muon import Muon
from tengen.nets.training.settings import TrainSettings
from tengen.nets.training.warm_start import activated_blocks, load_initial_weights
from tengen.util import TengenError, atomic_write

WARM_UP = 0.02
"""Share of the schedule during which the learning rate rises."""
MAX_WARM_UP_STEPS = 1000
MAX_GRADIENT_NORM = 2.0
MAX_SKIPPED_IN_A_ROW = 20
"""Steps with a non-finite loss or gradient after which training stops."""
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
    """Progress of a training run; losses are running means, NaN at first."""

    elapsed_s: float = 0.0
    """Wall-clock time of the training steps."""
    cpu_s: float = 0.0
    """CPU time of the training steps."""
    steps: int = 0
    positions: int = 0
    loss: float = math.nan
    policy_loss: float = math.nan
    win_loss: float = math.nan
    lead_loss: float = math.nan
    ownership_loss: float = math.nan
    skipped: int = 0
    """Steps skipped because the loss or the gradient was not finite."""
    skipped_in_a_row: int = 0
    speed: float = math.nan
    """Positions per CPU second since the previous checkpoint."""


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
        self.data_state: Mapping[str, Any] | None = None
        """The order of the data in the checkpoint, for `load_dataset`."""
        self._model = make_model(settings, checkpoint)
        self._model.uses_bfloat16 = settings.precision == "bfloat16"
        if self._model.uses_bfloat16:
            require_bfloat16()
        self._model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self._model).requires_grad_(False)
        self._optimizers = make_optimizers(self._model, settings)
        if checkpoint.exists():
            self._load()

    @property
    def is_over(self) -> bool:
        """Whether the schedule is complete."""
        return self.progress.steps >= self.settings.total_steps

    @property
    def is_out_of_time(self) -> bool:
        """Whether the time limits of the settings are used up."""
        spent = (self.progress.elapsed_s, self.progress.cpu_s)
        limits = (self.settings.hours, self.settings.cpu_hours)
        return any(0 < hours * 3600 <= s for s, hours in zip(spent, limits, strict=True))

    def run(
        self,
        dataset: Dataset,
        on_progress: Callable[[TrainingProgress], None],
        stop: Callable[[], bool],
    ) -> list[HeldOutMetrics]:
        """Train until the next measurement; return the held-out metrics and save a checkpoint.

        Label shards that were added are read first.
        """
        dataset.refresh(self._random)
        self._model.train()
        progress = self.progress
        before = (progress.positions, progress.cpu_s)
        until_s = progress.elapsed_s + self.settings.check_minutes * 60
        while not (self.is_over or self.is_out_of_time or stop() or progress.elapsed_s >= until_s):
            began_s, began_cpu_s = time.monotonic(), time.process_time()
            self._step(dataset)
            progress.elapsed_s += time.monotonic() - began_s
            progress.cpu_s += time.process_time() - began_cpu_s
            if progress.cpu_s > before[1]:
                progress.speed = (progress.positions - before[0]) / (progress.cpu_s - before[1])
            on_progress(progress)
        figures = measure_held_out(self.average, dataset.held_out)
        self._save(dataset)
        return figures

    def _step(self, dataset: Dataset) -> None:
        """Learn from one batch; skip it if the loss or the gradient is not finite."""
        targets = to_targets(dataset.draw(self.settings.batch, self._random))
        parts = loss_of(self._model(targets.planes, targets.numbers), targets)
        loss = parts.total
        self._model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(self._model.parameters(), MAX_GRADIENT_NORM)
        if bool(torch.isfinite(loss) & torch.isfinite(norm)):
            self._update()
            self._count(parts)
        else:
            self._skip()
        self.progress.steps += 1
        self.progress.positions += self.settings.batch

    def _update(self) -> None:
        """Update the weights and their average."""
        settings = self.settings
        now = settings.rate * learning_rate_schedule(
            self.progress.steps, settings.total_steps, settings.decay_share
        )
        for optimizer, share in zip(self._optimizers, RATE_SHARES, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = share * now
            optimizer.step()
        self._update_average()

    def _update_average(self) -> None:
        """Update the exponential moving average; its decay is lower at the start."""
        steps = self.progress.steps
        decay = min(self.settings.averaging, (1 + steps) / (10 + steps))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.parameters()), list(self._model.parameters()), 1 - decay
            )

    def _count(self, parts: LossParts) -> None:
        """Add the losses of a step to the running means."""
        progress = self.progress
        progress.skipped_in_a_row = 0
        found = {f"{name}_loss": value for name, value in parts._asdict().items()}
        for name, value in {**found, "loss": parts.total}.items():
            now, before = float(value.detach()), getattr(progress, name)
            mean = now if math.isnan(before) else LOSS_MEMORY * before + (1 - LOSS_MEMORY) * now
            setattr(progress, name, mean)

    def _skip(self) -> None:
        """Count a skipped step; raise TengenError if there were many in a row."""
        self.progress.skipped += 1
        self.progress.skipped_in_a_row += 1
        if self.progress.skipped_in_a_row >= MAX_SKIPPED_IN_A_ROW:
            raise TengenError(
                f"training diverged: the loss was not finite in {MAX_SKIPPED_IN_A_ROW} steps in a"
                " row; run the same command with a lower --rate to resume from the last checkpoint"
            )

    def _save(self, dataset: Dataset) -> None:
        """Write the checkpoint atomically."""
        self.data_state = dataset.state()
        state = {
            "blocks": self.settings.blocks,
            "channels": self.settings.channels,
            "input_playouts": self.settings.input_playouts,
            "activated": self._model.activated,
            "progress": asdict(self.progress),
            "model": self._model.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
            "random": json.dumps(self._random.bit_generator.state),
            "data": _with_tensors(self.data_state),
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
        names = {field.name for field in fields(TrainingProgress)}
        known = {name: value for name, value in state["progress"].items() if name in names}
        self.progress = TrainingProgress(**known)
        if "data" in state:
            self._random.bit_generator.state = json.loads(state["random"])
            self.data_state = _with_arrays(state["data"])
        else:  # an old checkpoint
            self._random = np.random.default_rng([self.settings.seed, self.progress.steps])


def _with_tensors(state: Any) -> Any:
    """Replace the arrays in nested dictionaries by tensors, which `torch.load` accepts."""
    if isinstance(state, Mapping):
        return {name: _with_tensors(value) for name, value in state.items()}
    return torch.from_numpy(state) if isinstance(state, np.ndarray) else state


def _with_arrays(state: Any) -> Any:
    """Undo `_with_tensors`."""
    if isinstance(state, Mapping):
        return {name: _with_arrays(value) for name, value in state.items()}
    return state.numpy() if isinstance(state, torch.Tensor) else state


def make_model(settings: TrainSettings, checkpoint: Path) -> TengenModel:
    """Return the model of a checkpoint or, if there is none, a new one; `start` is loaded.

    The weights of a checkpoint are loaded later.
    """
    start = None if checkpoint.exists() or not settings.start else find_net(settings.start)
    activated = 0
    if checkpoint.exists():
        state = read_checkpoint(checkpoint)
        activated = state.get("activated", state["blocks"])  # missing in old checkpoints
    elif start is not None:
        activated = activated_blocks(start)
    model = TengenModel(settings.blocks, settings.channels, settings.input_playouts, activated)
    if start is not None:
        load_initial_weights(model, start, settings.seed)
    return model


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


def learning_rate_schedule(step: int, steps: int, decay_share: float = 1.0) -> float:
    """Return the share of the maximum learning rate at a step of a schedule.

    After a linear warm-up the rate is constant; in the last `decay_share` of the steps it falls to
    0 as a half cosine.
    """
    warm_up = min(WARM_UP * steps, MAX_WARM_UP_STEPS)
    if step < warm_up:
        return (step + 1) / (warm_up + 1)
    decay_begin = max(warm_up, (1 - decay_share) * steps)
    if step < decay_begin or decay_begin >= steps:
        return 1.0
    done = (step - decay_begin) / (steps - decay_begin)
    return 0.5 * (1 + math.cos(math.pi * min(done, 1.0)))
