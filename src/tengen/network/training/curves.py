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
        for name in dict.fromkeys(map(_name, rows)):
            of_name = [row for row in rows if _name(row) == name]
            positions = [float(row["positions"]) for row in of_name]
            axes.plot(positions, [float(row[column]) for row in of_name], marker=".", label=name)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("positions learned from")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    for suffix in (".png", ".svg"):
        figure.savefig(path.with_suffix(suffix))


def _name(row: Mapping[str, str]) -> str:
    """Return the board size and where the games are from; an older version did not tell that."""
    return f"{row['size']} {row.get('games') or ''}".strip()
