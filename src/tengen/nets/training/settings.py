"""Training settings."""

import importlib.util
from dataclasses import dataclass

from tengen.nets.tengen_net import MAX_PLAYOUTS
from tengen.util import TengenError, check, install_command, parameter

INSTALL = install_command("train")


@dataclass(frozen=True)
class TrainSettings:
    """Settings of one training run; only a few may change when it is resumed."""

    blocks: int = parameter(4, "residual blocks", low=1, high=40)
    channels: int = parameter(32, "channels of each block", low=4, high=512)
    input_playouts: int = parameter(
        0,
        "playouts for an ownership input plane, in training and in play; 0 for none",
        low=0,
        high=MAX_PLAYOUTS,
        origin="paper 001, section 2.2.4",
    )
    start: str = parameter(
        "", "initial network (`default` or a file), with no more blocks and channels"
    )
    steps: int = parameter(20_000, "length of the learning-rate schedule, in steps", low=1)
    positions: int = parameter(
        0,
        "length of the schedule in positions, instead of `steps`; 0 for none",
        low=0,
    )
    decay_share: float = parameter(
        1.0,
        "share of the schedule, at its end, in which the learning rate falls to 0;"
        " with 0 it stays constant",
        low=0,
        high=1,
    )
    hours: float = parameter(
        0.0, "stop after this much wall-clock time in all; 0 for no limit", low=0, high=10_000
    )
    cpu_hours: float = parameter(
        0.0, "stop after this much CPU time in all; 0 for no limit", low=0, high=10_000
    )
    size_weights: str = parameter(
        "",
        "relative frequencies of board sizes, such as 9=2,19=1; without it, the square root of the"
        " number of positions",
    )
    batch: int = parameter(64, "batch size, in positions", low=1, high=4096)
    rate: float = parameter(0.01, "maximum learning rate", low=0, high=1)
    decay: float = parameter(0.0001, "weight decay of AdamW", low=0)
    averaging: float = parameter(
        0.999, "decay of the exponential moving average of the weights", low=0, high=1
    )
    held_out: int = parameter(20, "hold out one game in this many", low=2)
    check_minutes: float = parameter(4.0, "minutes between measurements and checkpoints", low=0.001)
    precision: str = parameter(
        "float32",
        "precision of the tower; bfloat16 is faster on CPUs with AMX",
        choices=("float32", "bfloat16"),
    )
    threads: int = parameter(1, "PyTorch threads", low=1, high=256)
    seed: int = parameter(1, "random seed", low=0)

    def __post_init__(self) -> None:
        check(self)

    @property
    def total_steps(self) -> int:
        """Length of the schedule, in steps."""
        return max(1, -(-self.positions // self.batch)) if self.positions else self.steps


def require_torch() -> None:
    """Raise TengenError if PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        raise TengenError(f"training needs PyTorch: {INSTALL}")
