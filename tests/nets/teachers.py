"""A teacher with known answers, and games for it."""

import numpy as np
from random_records import random_sgf

from tengen.nets.evaluation import Outputs
from tengen.nets.net import Net
from tengen.nets.tengen_net import TengenFeatures


class Corner:
    """A teacher that prefers the top left corner and predicts a win."""

    def run(self, planes, numbers):
        n, _, rows, columns = planes.shape
        logits = -np.arange(rows * columns + 1, dtype=np.float32)
        return Outputs(
            policy=np.tile(logits, (n, 1)),
            win=np.full(n, 0.75, dtype=np.float32),
            lead=np.full(n, 2.0, dtype=np.float32),
            ownership=planes[:, 1] - planes[:, 2],
        )


def corner():
    return Net("corner", TengenFeatures(), Corner())


def sgf_of(seed):
    return random_sgf(np.random.default_rng(seed), 30, 9, "KM[6.5]RE[B+3]")
