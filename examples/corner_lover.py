"""A Python source: tengen gtp --prior examples/corner_lover.py:corner_lover."""

import numpy as np


def corner_lover(position):
    """Prefer the four corners, with no opinion on other points."""
    values = np.full((position.rows, position.columns), np.nan)
    for row in (0, -1):
        for column in (0, -1):
            values[row, column] = 1.0
    return values
