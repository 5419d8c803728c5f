"""A board seen from another side: the symmetries of `tengen.board.symmetry` for whole arrays."""

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


def turn_outputs_back(outputs: Outputs, symmetry: int, rows: int, columns: int) -> Outputs:
    """Return the outputs of a turned batch as if it had not been turned; sizes before turning."""
    if symmetry == 0:
        return outputs
    turned = (columns, rows) if symmetry & 4 else (rows, columns)
    moves = turn_back(outputs.policy[:, :-1].reshape(-1, *turned), symmetry)
    policy = np.concatenate(
        [moves.reshape(len(outputs.policy), -1), outputs.policy[:, -1:]], axis=1
    )
    return outputs._replace(policy=policy, ownership=turn_back(outputs.ownership, symmetry))
