"""Learning curves: how the figures on games kept apart change with the time."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no display is needed, and none may be opened
from matplotlib.figure import Figure

PANELS = (
    ("top_1", "first choice is the wanted move"),
    ("top_5", "wanted move among the first five"),
    ("win_error", "distance of the win probability"),
)


def draw_curves(rows: Sequence[Mapping[str, str]], path: Path) -> None:
    """Draw the figures of `progress.csv` into a PNG and an SVG of that name."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    for axes, (column, title) in zip(figure.subplots(1, len(PANELS)), PANELS, strict=True):
        for size in dict.fromkeys(row["size"] for row in rows):
            of_size = [row for row in rows if row["size"] == size]
            positions = [float(row["positions"]) for row in of_size]
            axes.plot(positions, [float(row[column]) for row in of_size], marker=".", label=size)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("positions learned from")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    for suffix in (".png", ".svg"):
        figure.savefig(path.with_suffix(suffix))
