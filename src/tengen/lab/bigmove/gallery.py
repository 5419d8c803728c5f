"""Modes and suggested moves on fuseki positions: figures 15 to 19 of the thesis, on real games.

A, B and C are the thesis's moves under p1, p2 and p3. Where all three choose the centre (figure
19), more lines are given a potential until the biggest move lies on the fifth line or lower.
"""

import argparse
import itertools
from collections import Counter

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tengen.board.colour import Colour
from tengen.board.points import column_of, row_of
from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.knowledge.bigmove import BigMove, biggest_points
from tengen.knowledge.dirichlet import Dirichlet
from tengen.knowledge.eigen import mode_by
from tengen.lab.bigmove.gallery_positions import Found, line_of, look_for
from tengen.lab.bigmove.predict import even_games
from tengen.lab.bigmove.scorers import Grid
from tengen.lab.progress import track
from tengen.lab.study import Study, Table

THESIS = {"A": "p1", "B": "p2", "C": "p3"}
CURES = (
    "6:1/7:1/8:1",
    "6:1/7:1/8:1/9:1/10:1",
    "5:1/6:1/7:1/8:1/9:1/10:1",
    "5:2/6:2/7:2/8:2/9:2/10:2",
)
"""Potentials to try in turn where the centre calls."""
CURED_LINE = 5


def run(arguments: argparse.Namespace) -> int:
    """Find the positions, compute their modes, draw them."""
    settings = {
        name: str(getattr(arguments, name))
        for name in ("records", "games", "positions", "late", "method")
    }
    study = Study(arguments.output, "The big move: a gallery", settings)
    found = _positions(study, arguments)
    moves = study.table("moves", ("position", "letter", "variant", "biggest", "line", "experts"))
    for place, position in enumerate(track(found, "boards")):
        _draw(study, place, position, moves, arguments.method)
    study.show(moves, "suggested moves, and what experts played there")
    study.write_report()
    print(study.folder / "report.html")
    return 0


def _positions(study: Study, arguments: argparse.Namespace) -> list[Found]:
    """Return the positions of an earlier run, or look for them; raise TengenError for none."""
    kept = study.table("positions", ("name", "diagram", "to_play", "played"))
    if not kept.rows:
        games = itertools.islice(even_games(arguments.records), arguments.games)
        listed = track(games, "games", arguments.games)
        kept.add_all(
            {
                "name": found.name,
                "diagram": found.diagram.replace("\n", "/"),
                "to_play": int(found.to_play),
                "played": " ".join(f"{v}:{n}" for v, n in found.played.most_common()),
            }
            for found in look_for(listed, arguments.positions, arguments.late)
        )
    if not kept.rows:
        raise TengenError(f"no game on 19x19 without handicap in {arguments.records}")
    return [_read(row) for row in kept.rows]


def _read(row: dict[str, str]) -> Found:
    played: Counter[str] = Counter()
    for word in row["played"].split():
        vertex, _, count = word.partition(":")
        played[vertex] = int(count)
    diagram = row["diagram"].replace("/", "\n")
    return Found(row["name"], diagram, Colour(int(row["to_play"])), played)


def mode_grid(position: Position, variant: str, method: str) -> Grid:
    """Return the mode of a position under a variant, by a method."""
    return mode_by(Dirichlet(BigMove(variants=variant).diagonal(position)), method)


def cure(position: Position, method: str) -> str | None:
    """Return the first of the cures that leads away from the centre, if one does."""
    for variant in CURES:
        biggest = biggest_points(position, mode_grid(position, variant, method))
        if line_of(position, biggest[0]) <= CURED_LINE:
            return variant
    return None


def _draw(study: Study, place: int, found: Found, moves: Table, method: str) -> None:
    position = found.position()
    variants = dict(THESIS)
    if found.name.startswith("end"):
        cured = cure(position, method)
        if cured is not None:
            variants["D"] = cured
    modes = {letter: mode_grid(position, variant, method) for letter, variant in variants.items()}
    for letter, grid in modes.items():
        biggest = biggest_points(position, grid)
        if not moves.has(position=found.name, letter=letter):
            moves.add(
                position=found.name,
                letter=letter,
                variant=variants[letter],
                biggest=" ".join(position.vertex(point) for point in biggest),
                line=line_of(position, biggest[0]),
                experts=found.experts(),
            )
    caption = f"{found.name}; experts played {found.experts()} (squares)"
    size = (3.2 * len(modes), 3.6)
    with study.figure(f"board-{place}", caption, size) as figure:
        for column, (letter, grid) in enumerate(modes.items(), start=1):
            axes = figure.add_subplot(1, len(modes), column)
            axes.set_title(f"{letter}: {variants[letter]}", fontsize="small")
            draw_board(axes, position, grid, letter, list(found.played))
    with study.figure(f"surface-{place}", f"{found.name}, as it vibrates", size) as figure:
        _draw_surfaces(figure, modes)


def draw_board(axes: Axes, position: Position, grid: Grid, letter: str, experts: list[str]) -> None:
    """Draw a heat map with the stones, the biggest moves and what experts played."""
    axes.imshow(grid, cmap="viridis")
    axes.set_xticks([])
    axes.set_yticks([])
    for point in position.points():
        colour = position.colour(point)
        if colour:
            face = "black" if colour == 1 else "white"
            axes.plot(column_of(point), row_of(point), "o", color=face, markersize=6)
        elif position.vertex(point) in experts:
            axes.plot(column_of(point), row_of(point), "s", mfc="none", color="red", markersize=7)
    for place, point in enumerate(biggest_points(position, grid)):
        text = letter if place == 0 else letter.lower()
        axes.text(column_of(point), row_of(point), text, ha="center", va="center", fontsize="small")


def _draw_surfaces(figure: Figure, modes: dict[str, Grid]) -> None:
    """Draw the vibrating surfaces, with the rigid edge around them."""
    for column, (letter, grid) in enumerate(modes.items(), start=1):
        axes = figure.add_subplot(1, len(modes), column, projection="3d")
        padded = np.pad(grid, 1)
        rows, columns = np.mgrid[: padded.shape[0], : padded.shape[1]]
        axes.plot_surface(columns, rows, padded, cmap="viridis", rcount=21, ccount=21)
        axes.set_title(letter, fontsize="small")
        axes.set_axis_off()
