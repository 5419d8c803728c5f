"""A board seen from another side: the symmetries of `tengen.board.symmetry` for whole arrays."""

from collections.abc import Iterable, Sequence

import numpy as np

from tengen.network.evaluation import Floats, Outputs


def symmetry_count(rows: int, columns: int) -> int:
    """Return how many symmetries a board has: eight if it is square, else four."""
    return 8 if rows == columns else 4


def turn(planes: Floats, symmetry: int) -> Floats:
    """Apply a symmetry to the last two axes, rows and columns.

    It mirrors top and bottom if bit 0 is set, left and right if bit 1 is, then swaps rows and
    columns if bit 2 is.
    """
    if symmetry & 1:
        planes = planes[..., ::-1, :]
    if symmetry & 2:
        planes = planes[..., ::-1]
    if symmetry & 4:
        planes = planes.swapaxes(-1, -2)
    return planes


def turn_back(planes: Floats, symmetry: int) -> Floats:
    """Undo `turn`."""
    if symmetry & 4:
        planes = planes.swapaxes(-1, -2)
    return turn(planes, symmetry & 3)


def drawn_symmetries(hashes: Iterable[int], count: int) -> list[int]:
    """Return one of `count` symmetries for each board, by its hash: chance, but the same again."""
    return [int(number) % count for number in hashes]


def turn_each(planes: Floats, symmetries: Sequence[int]) -> Floats:
    """Return a batch with each board turned by a symmetry of its own; oblong ones know four."""
    if not any(symmetries):
        return planes
    return np.stack([turn(b, symmetry) for b, symmetry in zip(planes, symmetries, strict=True)])


def turn_outputs_back(
    outputs: Outputs, symmetries: Sequence[int], rows: int, columns: int
) -> Outputs:
    """Return the outputs of a batch turned by `turn_each` as if it had not been turned."""
    if not any(symmetries):
        return outputs
    policy, ownership = outputs.policy.copy(), outputs.ownership.copy()
    moves = policy[:, :-1].reshape(-1, rows, columns)
    for index, symmetry in enumerate(symmetries):
        # A copy, since what is turned and where it is written are the same memory.
        policy[index, :-1] = turn_back(moves[index].copy(), symmetry).reshape(-1)
        ownership[index] = turn_back(ownership[index].copy(), symmetry)
    return outputs._replace(policy=policy, ownership=ownership)
