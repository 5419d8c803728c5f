"""How a net is trained: its size, its time, its pace."""

import importlib.util
from dataclasses import dataclass

from tengen.core.errors import TengenError
from tengen.core.parameters import check, parameter
from tengen.network.playout_plane import MOST_PLAYOUTS

INSTALL = "pip install '.[train]' in Tengen's folder"


@dataclass(frozen=True)
class TrainSettings:
    """The settings of one training; a training goes on only with the same ones, hours apart."""

    blocks: int = parameter(4, "residual blocks", low=1, high=40)
    channels: int = parameter(32, "channels of each block", low=4, high=512)
    input_playouts: int = parameter(
        0,
        "playouts from each position whose ownership the net sees, in play as well; 0: none",
        low=0,
        high=MOST_PLAYOUTS,
        origin="paper 001, section 2.2.4",
    )
    start: str = parameter(
        "", "a net of ours to begin with (`default`, or a file): as many blocks, no more channels"
    )
    hours: float = parameter(
        1.0, "time to train; the pace slows down towards its end", low=0.0001, high=1000
    )
    steps: int = parameter(
        0, "end after so many steps, if that is before the time is over; 0: no limit", low=0
    )
    batch: int = parameter(64, "positions a step", low=1, high=4096)
    rate: float = parameter(0.01, "learning rate at its highest", low=0, high=1)
    decay: float = parameter(
        0.0001, "how much the weights that Adam moves shrink a step, times the rate", low=0
    )
    averaging: float = parameter(
        0.999, "the net is the mean of the last steps' weights: what stays a step", low=0, high=1
    )
    held_out: int = parameter(20, "one game in so many is kept apart to measure with", low=2)
    check_minutes: float = parameter(4.0, "minutes between measurements and checkpoints", low=0.001)
    precision: str = parameter(
        "float32",
        "numbers that the tower computes with; bfloat16 is up to four times as fast with AMX",
        choices=("float32", "bfloat16"),
    )
    threads: int = parameter(1, "threads to compute with", low=1, high=256)
    seed: int = parameter(1, "of all chance", low=0)

    def __post_init__(self) -> None:
        check(self)


def require_torch() -> None:
    """Raise TengenError if PyTorch is not there."""
    if importlib.util.find_spec("torch") is None:
        raise TengenError(f"training needs PyTorch: {INSTALL}")
