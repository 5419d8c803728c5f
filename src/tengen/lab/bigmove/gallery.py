"""Modes and suggested moves for opening positions (paper 000, figures 15 to 19) from real games.

A, B and C are the biggest moves under p1, p2 and p3. Where all three are in the center (figure 19),
potentials are added on more lines until the biggest move is on the fifth line or lower.
"""

import argparse
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tengen.board import BLACK, PASS, WHITE, Color, Position, column_of, row_of, symmetries
from tengen.lab.bigmove.eigen_methods import Dirichlet, mode_by
from tengen.lab.bigmove.predict import Grid, even_games
from tengen.lab.study import CsvTable, Study, track
from tengen.records import GameRecord, lenient_rules
from tengen.sources import BigMove, biggest_points
from tengen.util import TengenError

COMMON_AT = (4, 6, 8, 12)
"""Numbers of moves at which common positions are collected."""
LATE = range(40, 90, 5)
"""Numbers of moves at which late positions are searched."""
CENTER_LINE = 8
"""Lowest line of the center (figure 19)."""


@dataclass
class GalleryPosition:
    """A position and the moves experts played there, by vertex."""

    name: str
    diagram: str
    to_play: Color
    played: Counter[str] = field(default_factory=Counter)

    def position(self) -> Position:
        """Return the position without its history."""
        return Position.from_diagram(self.diagram, self.to_play)

    def experts(self) -> str:
        """Return the most frequent moves with their counts."""
        return ", ".join(f"{vertex} {count}" for vertex, count in self.played.most_common(6))


def line_of(position: Position, point: int) -> int:
    """Return the line of a point, counted from the nearest edge."""
    row, column = row_of(point), column_of(point)
    return 1 + min(row, column, position.rows - 1 - row, position.columns - 1 - column)


def collect_positions(games: Iterable[GameRecord], common: int, late: int) -> list[GalleryPosition]:
    """Return `common` frequent positions and `late` positions whose biggest moves are central."""
    seen: defaultdict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    centered: list[GalleryPosition] = []
    for game in games:
        for number, position, move in _positions_at(game, COMMON_AT):
            diagram, vertex = _canonical(position, move)
            seen[f"{number}\n{diagram}", int(position.to_play)][vertex] += 1
        if len(centered) < late:
            centered += _centered(game, len(centered) + 1)
    return [*_most_frequent(seen, common), *centered[:late]]


def _positions_at(game: GameRecord, numbers: Iterable[int]) -> Iterator[tuple[int, Position, int]]:
    """Yield (move number, position, next move) at some moves of a game."""
    position, played = game.initial_position(lenient_rules(game.rules)), 0
    for number in numbers:
        if number >= len(game.moves):
            return
        position.play_sequence(game.moves[played:number])
        played = number
        if game.moves[number].move != PASS:
            yield number, position, game.moves[number].move


def _canonical(position: Position, move: int) -> tuple[str, str]:
    """Return diagram and move under the symmetry with the smallest diagram."""
    views = []
    for table in symmetries(position.rows, position.columns):
        rows = [["."] * position.columns for _ in range(position.rows)]
        for point in position.points():
            there = int(table[point])
            rows[row_of(there)][column_of(there)] = ".XO"[position.color(point)]
        diagram = "\n".join("".join(row) for row in rows)
        views.append((diagram, position.vertex(int(table[move]))))
    return min(views)


def _most_frequent(seen: dict[tuple[str, int], Counter[str]], count: int) -> list[GalleryPosition]:
    """Return the most frequent positions, alternating between move numbers."""
    found: list[GalleryPosition] = []
    by_number: defaultdict[str, list[tuple[int, str, int]]] = defaultdict(list)
    for (key, to_play), played in seen.items():
        number, _, _ = key.partition("\n")
        by_number[number].append((sum(played.values()), key, to_play))
    for ranked in by_number.values():
        ranked.sort(key=lambda entry: (-entry[0], entry[1]))
    for place in range(count):
        numbers = [n for n in map(str, COMMON_AT) if len(by_number[n]) > place // len(COMMON_AT)]
        if not numbers:
            break
        number = numbers[place % len(numbers)]
        _, key, to_play = by_number[number][place // len(COMMON_AT)]
        diagram = key.partition("\n")[2]
        name = f"common {len(found) + 1}, after {number} moves"
        found.append(GalleryPosition(name, diagram, Color(to_play), seen[key, to_play]))
    return found


def _centered(game: GameRecord, place: int) -> list[GalleryPosition]:
    """Return the first late position of a game where p1, p2 and p3 choose the center, if any."""
    for number, position, move in _positions_at(game, LATE):
        variants = (BigMove(variants=name) for name in ("p1", "p2", "p3"))
        biggest = (source.biggest(position) for source in variants)
        if all(found and line_of(position, found[0]) >= CENTER_LINE for found in biggest):
            color = BLACK if position.to_play is BLACK else WHITE
            played = Counter([position.vertex(move)])
            name = f"end of fuseki {place}, after {number} moves"
            return [GalleryPosition(name, position.diagram(), color, played)]
    return []


THESIS = {"A": "p1", "B": "p2", "C": "p3"}
CURES = (
    "6:1/7:1/8:1",
    "6:1/7:1/8:1/9:1/10:1",
    "5:1/6:1/7:1/8:1/9:1/10:1",
    "5:2/6:2/7:2/8:2/9:2/10:2",
)
"""Potentials to try in turn where the biggest move is in the center."""
CURED_LINE = 5


def run(arguments: argparse.Namespace) -> int:
    """Find the positions, compute their modes and draw them."""
    settings = {
        name: str(getattr(arguments, name))
        for name in ("records", "games", "positions", "late", "method")
    }
    study = Study(arguments.output, "The big move: gallery", settings)
    found = _positions(study, arguments)
    moves = study.table("moves", ("position", "letter", "variant", "biggest", "line", "experts"))
    for place, position in enumerate(track(found, "boards")):
        _draw(study, place, position, moves, arguments.method)
    study.add_table(moves, "Suggested moves, and the moves experts played.")
    study.write_report()
    print(study.folder / "report.html")
    return 0


def _positions(study: Study, arguments: argparse.Namespace) -> list[GalleryPosition]:
    """Return the stored positions, or search for them; raise TengenError if there are none."""
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
            for found in collect_positions(listed, arguments.positions, arguments.late)
        )
    if not kept.rows:
        raise TengenError(f"no 19x19 games without handicap in {arguments.records}")
    return [_read(row) for row in kept.rows]


def _read(row: dict[str, str]) -> GalleryPosition:
    played: Counter[str] = Counter()
    for word in row["played"].split():
        vertex, _, count = word.partition(":")
        played[vertex] = int(count)
    diagram = row["diagram"].replace("/", "\n")
    return GalleryPosition(row["name"], diagram, Color(int(row["to_play"])), played)


def mode_grid(position: Position, variant: str, method: str) -> Grid:
    """Return the mode of a position under a variant."""
    return mode_by(Dirichlet(BigMove(variants=variant).diagonal(position)), method)


def find_potential(position: Position, method: str) -> str | None:
    """Return the first potential that moves the biggest move out of the center, if any."""
    for variant in CURES:
        biggest = biggest_points(position, mode_grid(position, variant, method))
        if line_of(position, biggest[0]) <= CURED_LINE:
            return variant
    return None


def _draw(study: Study, place: int, found: GalleryPosition, moves: CsvTable, method: str) -> None:
    position = found.position()
    variants = dict(THESIS)
    if found.name.startswith("end"):
        cured = find_potential(position, method)
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
    with study.figure(f"surface-{place}", f"{found.name}: mode as a surface", size) as figure:
        _draw_surfaces(figure, modes)


def draw_board(axes: Axes, position: Position, grid: Grid, letter: str, experts: list[str]) -> None:
    """Draw a heat map with stones, biggest moves and expert moves."""
    axes.imshow(grid, cmap="viridis")
    axes.set_xticks([])
    axes.set_yticks([])
    for point in position.points():
        color = position.color(point)
        if color:
            face = "black" if color == 1 else "white"
            axes.plot(column_of(point), row_of(point), "o", color=face, markersize=6)
        elif position.vertex(point) in experts:
            axes.plot(column_of(point), row_of(point), "s", mfc="none", color="red", markersize=7)
    for place, point in enumerate(biggest_points(position, grid)):
        text = letter if place == 0 else letter.lower()
        axes.text(column_of(point), row_of(point), text, ha="center", va="center", fontsize="small")


def _draw_surfaces(figure: Figure, modes: dict[str, Grid]) -> None:
    """Draw the modes as surfaces with the fixed edge."""
    for column, (letter, grid) in enumerate(modes.items(), start=1):
        axes = figure.add_subplot(1, len(modes), column, projection="3d")
        padded = np.pad(grid, 1)
        rows, columns = np.mgrid[: padded.shape[0], : padded.shape[1]]
        axes.plot_surface(columns, rows, padded, cmap="viridis", rcount=21, ccount=21)
        axes.set_title(letter, fontsize="small")
        axes.set_axis_off()
