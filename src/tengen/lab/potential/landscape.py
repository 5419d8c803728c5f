"""Potential and slope of a position and the moves each filter keeps (paper 002, tables 2 and 3)."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from tengen.board import BLACK, Position, point_at
from tengen.lab.study import CsvTable, Study
from tengen.records import read_games
from tengen.sources import FILTERS, Potential, Survey, survey
from tengen.util import TengenError

COLUMNS = ("filter", "vertex", "potential", "slope", "rank", "kept")

TABLES = (
    ("table-2", ("random", "pf1", "pf2", "pf3", "pf4"), "Table 2: filters by potential"),
    ("table-3", ("pf5", "pf6", "pf7", "pf8", "pf9"), "Table 3: filters by slope"),
)
MIDPOINT_RANKS = {"pf5": 77, "pf6": 55, "pf7": 33, "pf8": 11, "pf9": 5}
"""Ranks in the paper's figure; its position is not given."""

USUAL = """
.........
.........
.........
.........
.X.....O.
.........
.........
.........
.........
"""
"""One black and one white stone, as in the paper's text on their midpoint."""


def position_from(record: Path | None, move: int | None) -> Position:
    """Return the default position or a position of a game; raise TengenError."""
    if record is None:
        if move is not None:
            raise TengenError("--move needs a game record: name FILE")
        return Position.from_diagram(USUAL, BLACK)
    game = next(iter(read_games(record)), None)
    if game is None:
        raise TengenError(f"no games in {record}")
    return game.position(len(game.moves) if move is None else move - 1)


def run(arguments: argparse.Namespace) -> int:
    """Draw a position for every filter and print the path of the report."""
    position = position_from(arguments.record, arguments.move)
    stencil, switch = arguments.stencil, arguments.switch
    parameters = {name: Potential(filter=name, stencil=stencil, switch=switch) for name in FILTERS}
    settings = {"position": position.diagram(), "stencil": stencil, "switch": switch}
    settings["to_play"] = position.to_play.name.lower()
    study = Study(arguments.output, "Potential filters: landscape", settings)
    seen = {name: survey(position, parameters[name]) for name in FILTERS}
    _keep(study.table("points", COLUMNS), position, seen)
    for file, names, caption in TABLES:
        with study.figure(file, caption, (2.6 * len(names), 5.2)) as figure:
            _draw(figure, position, {name: seen[name] for name in names})
    study.add_table(
        [_midpoint_row(name, seen[name]) for name in MIDPOINT_RANKS],
        "Rank of the board's center by slope; the position of the paper's figure is not given.",
    )
    print(study.write_report())
    return 0


def _keep(table: CsvTable, position: Position, seen: dict[str, Survey]) -> None:
    """Store every point for every filter, once."""
    for name, found in seen.items():
        if not table.has(filter=name):
            table.add_all(
                {
                    "filter": name,
                    "vertex": position.vertex(point_at(*place)),
                    "potential": found.potential[place],
                    "slope": found.slope[place],
                    "rank": found.rank[place],
                    "kept": int(found.kept[place]),
                }
                for place in np.ndindex(position.rows, position.columns)
            )


def _midpoint_row(name: str, found: Survey) -> dict[str, object]:
    rows, columns = found.rank.shape
    return {
        "filter": name,
        "rank of center": int(found.rank[rows // 2, columns // 2]),
        "paper's figure": MIDPOINT_RANKS[name],
    }


def ranked_values(name: str, found: Survey) -> Any:
    """Return the values by which a filter ranks: potential, slope, or random numbers."""
    ranking = FILTERS[name].ranking
    if ranking == "random":
        return found.values
    return found.potential if ranking == "potential" else found.slope


def _draw(figure: Figure, position: Position, seen: dict[str, Survey]) -> None:
    for place, (name, found) in enumerate(seen.items(), start=1):
        values = ranked_values(name, found)
        overhead = figure.add_subplot(2, len(seen), place)
        _draw_overhead(overhead, position, found, values)
        overhead.set_title(f"{name}, m = {FILTERS[name].m:g}" if name != "random" else name)
        landscape: Any = figure.add_subplot(2, len(seen), len(seen) + place, projection="3d")
        columns, rows = np.meshgrid(range(position.columns), range(position.rows))
        landscape.plot_surface(columns, rows, np.nan_to_num(values), cmap="terrain", linewidth=0)
        landscape.view_init(elev=40, azim=-60)
        landscape.set_axis_off()


def _draw_overhead(axes: Any, position: Position, found: Survey, values: Any) -> None:
    """Draw values as colors, kept moves as dots, pruned moves as crosses, and stones."""
    axes.imshow(values, cmap="terrain")
    board = position.board()
    pruned = (found.rank > 0) & ~found.kept
    for where, style in (
        (found.kept, {"marker": ".", "color": "black", "s": 9}),
        (pruned, {"marker": "x", "color": "red", "s": 9, "linewidths": 0.6}),
        (board == 1, {"marker": "o", "color": "black", "s": 50}),
        (board == 2, {"marker": "o", "color": "white", "edgecolors": "black", "s": 50}),
    ):
        rows, columns = np.nonzero(where)
        axes.scatter(columns, rows, **style)
    axes.set_xticks([])
    axes.set_yticks([])
