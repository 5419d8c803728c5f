"""A board with numbered stones, drawn into a figure."""

from typing import Any

from matplotlib.patches import Circle


def draw_board(axes: Any, size: int, stones: list[tuple[int, int, int, str]]) -> None:
    """Draw a board with stones of (row, column, colour, label); row 0 is at the top."""
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color="black", linewidth=0.5, zorder=1)
        axes.plot([line, line], [0, size - 1], color="black", linewidth=0.5, zorder=1)
    for row, column, colour, label in stones:
        face, text = ("black", "white") if colour == 1 else ("white", "black")
        axes.add_patch(Circle((column, row), 0.46, facecolor=face, edgecolor="black", zorder=2))
        axes.annotate(label, (column, row), color=text, ha="center", va="center", fontsize=7)
    axes.set_xlim(-1, size)
    axes.set_ylim(size, -1)
    axes.set_aspect("equal")
    axes.set_axis_off()
