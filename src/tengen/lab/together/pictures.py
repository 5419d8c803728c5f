"""How players stand to each other, in one picture."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from tengen.lab.together.ideas import ALL, NONE
from tengen.match.stats import Z_95

ALONE, TOGETHER = "tab:blue", "tab:orange"


def title_of(name: str) -> str:
    """Return what to call a player in a picture: `-net` is all but the net."""
    if name.startswith("-"):
        return f"all but {name[1:]}"
    return "nothing" if name == NONE else name


def plot_differences(
    axes: Axes, differences: Mapping[str, tuple[float, float]], meaning: str
) -> None:
    """Draw each player's difference to one of them, with its standard error; the best on top."""
    order = sorted(differences, key=lambda name: differences[name][0])
    for place, name in enumerate(order):
        value, error = differences[name]
        colour = TOGETHER if name == ALL or name.startswith("-") else ALONE
        axes.errorbar([value], [place], xerr=[Z_95 * error], fmt="o", capsize=3, color=colour)
    axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(range(len(order)), [title_of(name) for name in order])
    axes.set_xlabel(f"{meaning} (95 % intervals)")
    axes.grid(axis="x", alpha=0.3)
