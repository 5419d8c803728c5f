"""Positions that show what goes on inside a net, from games that it plays with itself.

Eight bits are fitted to them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx

from tengen.board.position import Position
from tengen.board.rules import NAMED_RULES
from tengen.network.evaluation import Floats
from tengen.network.graph import save_model
from tengen.network.net import Net
from tengen.network.onnx import load_net
from tengen.network.quantise import check_in_floats, quantise
from tengen.network.self_play import play_round

SIZES = (9, 13, 19)
EVERY = 12
"""One position of so many is taken."""


def self_play(net: Net, games: int, seed: int, sizes: Sequence[int] = SIZES) -> list[Position]:
    """Return positions of games on boards of several sizes; moves are drawn from the policy."""
    random = np.random.default_rng(seed)
    rules = list(NAMED_RULES.values())
    taken: list[Position] = []
    for size in sizes:
        going = [Position(size, rules=rules[number % len(rules)]) for number in range(games)]
        for number in range(size * size):
            going = [position for position in going if not position.is_over]
            drawn = random.integers(EVERY, size=len(going)) == number % EVERY
            taken += [going[index].copy() for index in np.flatnonzero(drawn)]
            play_round(net, going, random)
    return taken


def batches(net: Net, positions: Sequence[Position]) -> Iterator[dict[str, Floats]]:
    """Yield the positions as a model takes them in, boards of one size together."""
    for size in sorted({position.rows for position in positions}):
        alike = [position for position in positions if position.rows == size]
        for begin in range(0, len(alike), net.settings.batch):
            planes, numbers = net.encode(alike[begin : begin + net.settings.batch])
            yield {"planes": planes, "numbers": numbers}


def write_in_eight_bits(source: Path, target: Path, games: int, seed: int, bits: int = 7) -> int:
    """Write a net in eight bits, fitted to games with itself; return to how many positions.

    Raise TengenError, before it plays, if the net has nothing to round.
    """
    net = load_net(source)
    model = onnx.load(str(source))
    check_in_floats(model)
    positions = self_play(net, games, seed)
    save_model(quantise(model, list(batches(net, positions)), bits), target)
    return len(positions)
