"""The training loop: draws, learns, measures, keeps what it has, and goes on where it was."""

import copy
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tengen.core.errors import TengenError
from tengen.core.whole_file import whole_file
from tengen.network.folder import find_net
from tengen.network.training.loss import loss_of, to_targets
from tengen.network.training.measure import Figures, measure
from tengen.network.training.model import OwnModel
from tengen.network.training.muon import Muon
from tengen.network.training.pool import Material, Source
from tengen.network.training.precision import require_short_numbers
from tengen.network.training.settings import TrainSettings
from tengen.network.training.start import begin_with

WARM_UP = 0.02
"""The share of the time in which the learning rate rises."""
LARGEST_GRADIENT = 2.0
LOSS_MEMORY = 0.99
RATE_SHARES = (1.0, 0.3)
"""Of the learning rate: for the weights that Muon moves, and for those of Adam."""


@dataclass
class Progress:
    """How far a training is."""

    elapsed_s: float = 0.0
    steps: int = 0
    positions: int = 0
    loss: float = math.nan
    """A running mean."""


class Trainer:
    """One training. `checkpoint` holds all of it; with the same file it goes on."""

    def __init__(self, settings: TrainSettings, checkpoint: Path) -> None:
        """Begin, or go on where the checkpoint was; raise TengenError if it is of another net.

        So it does if the net to begin with does not fit, or the precision cannot be had.
        """
        torch.set_num_threads(settings.threads)
        torch.manual_seed(settings.seed)
        self.settings = settings
        self.progress = Progress()
        self._checkpoint = checkpoint
        self._random = np.random.default_rng(settings.seed)
        self._model = OwnModel(settings.blocks, settings.channels, settings.input_playouts)
        if settings.start and not checkpoint.exists():
            begin_with(self._model, find_net(settings.start), settings.seed)
        self._model.has_short_tower = settings.precision == "bfloat16"
        if self._model.has_short_tower:
            require_short_numbers()
        self._model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self._model).requires_grad_(False)
        self._optimizers = make_optimizers(self._model, settings)
        if checkpoint.exists():
            self._load()

    @property
    def done(self) -> float:
        """The share of the training that is over, 0 to 1: by time, or by steps."""
        by_time = self.progress.elapsed_s / (self.settings.hours * 3600)
        by_steps = self.progress.steps / self.settings.steps if self.settings.steps else 0.0
        return min(1.0, max(by_time, by_steps))

    @property
    def is_over(self) -> bool:
        """Whether the time is used up, or the steps."""
        return self.done >= 1

    def run(
        self, material: Material, watch: Callable[[Progress], None], stop: Callable[[], bool]
    ) -> list[Figures]:
        """Train until the next measurement, measure, save; return the figures."""
        self._model.train()
        until_s = self.progress.elapsed_s + self.settings.check_minutes * 60
        while not (self.is_over or stop() or self.progress.elapsed_s >= until_s):
            began_s = time.monotonic()
            self._step(material.sources)
            self.progress.elapsed_s += time.monotonic() - began_s
            watch(self.progress)
        figures = measure(self.average, material.held_out)
        self._save()
        return figures

    def _step(self, sources: Sequence[Source]) -> None:
        """Learn from one batch; the sources take turns."""
        source = sources[self.progress.steps % len(sources)]
        targets = to_targets(source.draw(self.settings.batch, self._random))
        loss = loss_of(self._model(targets.planes, targets.numbers), targets)
        self._model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), LARGEST_GRADIENT)
        now = self.settings.rate * pace(self.done)
        for optimizer, share in zip(self._optimizers, RATE_SHARES, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = share * now
            optimizer.step()
        self._follow()
        self._count(float(loss.detach()))

    def _follow(self) -> None:
        """Move the average towards the weights; in the beginning it forgets faster."""
        stays = min(self.settings.averaging, (1 + self.progress.steps) / (10 + self.progress.steps))
        with torch.no_grad():
            torch._foreach_lerp_(
                list(self.average.parameters()), list(self._model.parameters()), 1 - stays
            )

    def _count(self, loss: float) -> None:
        if math.isnan(loss):
            raise TengenError(
                "the training went astray (loss is no number): begin again with a lower rate,"
                " in another folder"
            )
        before = loss if math.isnan(self.progress.loss) else self.progress.loss
        self.progress.loss = LOSS_MEMORY * before + (1 - LOSS_MEMORY) * loss
        self.progress.steps += 1
        self.progress.positions += self.settings.batch

    def _save(self) -> None:
        """Write the checkpoint; a killed process leaves the one before whole."""
        state = {
            "blocks": self.settings.blocks,
            "channels": self.settings.channels,
            "input_playouts": self.settings.input_playouts,
            "progress": asdict(self.progress),
            "model": self._model.state_dict(),
            "average": self.average.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self._optimizers],
        }
        with whole_file(self._checkpoint) as file:
            torch.save(state, file)

    def _load(self) -> None:
        state = read_checkpoint(self._checkpoint)
        playouts = state.get("input_playouts", 0)  # an older version had none
        shape = (state["blocks"], state["channels"], playouts)
        asked = self.settings
        if shape != (asked.blocks, asked.channels, asked.input_playouts):
            raise TengenError(
                f"{self._checkpoint} is of {shape[0]} blocks of {shape[1]} channels and"
                f" {playouts} input playouts: ask for the same, or give another folder"
            )
        self._model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        for optimizer, known in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(known)
        self.progress = Progress(**state["progress"])
        self._random = np.random.default_rng([self.settings.seed, self.progress.steps])


def make_optimizers(model: OwnModel, settings: TrainSettings) -> list[torch.optim.Optimizer]:
    """Return Muon for the weights of the tower, and Adam for biases and heads."""
    tower = [model.entry.weight, *(w for w in model.tower.parameters() if w.ndim > 1)]
    others = {id(weights) for weights in tower}
    rest = [weights for weights in model.parameters() if id(weights) not in others]
    return [
        Muon(tower),
        torch.optim.AdamW(rest, betas=(0.9, 0.99), weight_decay=settings.decay),
    ]


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Return what a checkpoint holds; raise TengenError if it is damaged or of another kind."""
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        if {"blocks", "channels", "average", "progress"} <= set(state):
            return state
    except Exception as error:  # torch raises many kinds for damaged files
        raise TengenError(f"{path} is damaged: {str(error).splitlines()[0]}") from None
    raise TengenError(f"{path} is no checkpoint of a training")


def pace(done: float) -> float:
    """Return the share of the highest learning rate: a short rise, then half a cosine down."""
    if done < WARM_UP:
        return (done + 0.001) / (WARM_UP + 0.001)
    return 0.5 * (1 + math.cos(math.pi * (done - WARM_UP) / (1 - WARM_UP)))
