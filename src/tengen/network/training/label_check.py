"""Whether labels can be learned from: people write them too, with programs of their own."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]
WHOLE = ("game", "turn", "policy_move")


def checked_komi(given: object) -> float:
    """Return a komi; raise ValueError or TypeError if it is none."""
    komi = float(given)  # type: ignore[arg-type]
    if not math.isfinite(komi):
        raise ValueError(f"komi {komi}")
    return komi


def checked_table(table: Arrays, size: int) -> Arrays:
    """Return the labels of one board size, moves without a share as move 0; raise ValueError.

    Such moves fill up a row, and may be any number.
    """
    if not len(table["game"]):
        return table
    _check_shapes(table, size * size)
    moves = np.where(table["policy"] > 0, table["policy_move"], 0)
    _check_numbers({**table, "policy_move": moves}, size * size)
    return {**table, "policy_move": moves}


def _check_shapes(table: Arrays, area: int) -> None:
    moves = table["policy"].shape[-1:]
    columns = {"policy": moves, "policy_move": moves, "ownership": (area,)}
    for name, values in table.items():
        if values.shape != (len(table["game"]), *columns.get(name, ())):
            raise ValueError(f"{name} has the shape {values.shape}")
        if name in WHOLE and values.dtype.kind not in "iu":
            raise ValueError(f"{name} has numbers that are not whole")


def _check_numbers(table: Arrays, area: int) -> None:
    moves, shares = table["policy_move"], table["policy"].astype(np.float32)
    is_sound = {
        "game": table["game"] >= 0,
        "turn": table["turn"] >= 0,
        "policy_move": ((moves >= 0) & (moves <= area)).all(axis=1),
        "policy": (np.isfinite(shares) & (shares >= 0)).all(axis=1) & shares.any(axis=1),
        "black_win": (table["black_win"] >= 0) & (table["black_win"] <= 1),
        "black_lead": np.isfinite(table["black_lead"]),
    }
    for name, rows in is_sound.items():
        if not rows.all():
            raise ValueError(f"{name} of row {int(rows.argmin())} cannot be")
