"""Board symmetries of feature planes and network outputs (numbered as in `board.symmetry`)."""

from collections.abc import Iterable, Sequence

import numpy as np

from tengen.nets.evaluation import Floats, Outputs


def symmetry_count(rows: int, columns: int) -> int:
    """Return the number of symmetries of a board: eight if it is square, else four."""
    return 8 if rows == columns else 4


def transform(planes: Floats, symmetry: int) -> Floats:
    """Apply a symmetry to the last two axes, rows and columns.

    Bit 0 flips top and bottom, bit 1 left and right, then bit 2 transposes.
    """
    if symmetry & 1:
        planes = planes[..., ::-1, :]
    if symmetry & 2:
        planes = planes[..., ::-1]
    if symmetry & 4:
        planes = planes.swapaxes(-1, -2)
    return planes


def inverse_transform(planes: Floats, symmetry: int) -> Floats:
    """Undo `transform`."""
    if symmetry & 4:
        planes = planes.swapaxes(-1, -2)
    return transform(planes, symmetry & 3)


def random_symmetries(hashes: Iterable[int], count: int) -> list[int]:
    """Return one of `count` symmetries for each board, determined by its hash."""
    return [int(number) % count for number in hashes]


def transform_each(planes: Floats, symmetries: Sequence[int]) -> Floats:
    """Return a batch with one symmetry applied to each board."""
    if not any(symmetries):
        return planes
    return np.stack([transform(b, each) for b, each in zip(planes, symmetries, strict=True)])


def inverse_transform_outputs(
    outputs: Outputs, symmetries: Sequence[int], rows: int, columns: int
) -> Outputs:
    """Return the outputs of a batch of `transform_each` in the original orientation."""
    if not any(symmetries):
        return outputs
    policy, ownership = outputs.policy.copy(), outputs.ownership.copy()
    moves = policy[:, :-1].reshape(-1, rows, columns)
    for index, symmetry in enumerate(symmetries):
        # Copy first: source and destination share memory.
        policy[index, :-1] = inverse_transform(moves[index].copy(), symmetry).reshape(-1)
        ownership[index] = inverse_transform(ownership[index].copy(), symmetry)
    return outputs._replace(policy=policy, ownership=ownership)
