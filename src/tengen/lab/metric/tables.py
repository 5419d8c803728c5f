"""Tables 1 to 7 and remarks 1 to 6 of paper 003, recomputed.

The rank of a played move is the share of the other legal moves that change an evaluation less for
its player; ties count half. Random moves have a mean rank of 0.5.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.patches import Circle

from tengen.board import BLACK, PASS, Position, column_of, row_of
from tengen.lab.metric.games import AREA, RULES, MetricSearcher
from tengen.lab.metric.sections import (
    INFINITY,
    NO_MOVE,
    OPEN,
    POSITIONS,
    BoardSection,
    NoCapture,
    OptimalLine,
    Printed,
    scaled,
)
from tengen.lab.metric.settings import TablesSettings
from tengen.lab.study import CsvTable, Study
from tengen.records import GameRecord, read_games
from tengen.sources import Changes, Map, Metric, changes
from tengen.util import TengenError


def draw_board(axes: Any, size: int, stones: list[tuple[int, int, int, str]]) -> None:
    """Draw a board with stones given as (row, column, color, label); row 0 is at the top."""
    for line in range(size):
        axes.plot([0, size - 1], [line, line], color="black", linewidth=0.5, zorder=1)
        axes.plot([line, line], [0, size - 1], color="black", linewidth=0.5, zorder=1)
    for row, column, color, label in stones:
        face, text = ("black", "white") if color == 1 else ("white", "black")
        axes.add_patch(Circle((column, row), 0.46, facecolor=face, edgecolor="black", zorder=2))
        axes.annotate(label, (column, row), color=text, ha="center", va="center", fontsize=7)
    axes.set_xlim(-1, size)
    axes.set_ylim(size, -1)
    axes.set_aspect("equal")
    axes.set_axis_off()


FIRST_MOVES = 10
PHASES = ("first ten moves", "first third", "second third", "last third")
NAMES = ("e0", "e1", "e2", "ed4", "ed8")
ALL = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=512)
FEWEST_MOVES = 30
COLUMNS = ["game", "size", "phase", "move", *NAMES]


def rank(change: Map, row: int, column: int) -> float:
    """Return the share of the other moves below a move; ties count half."""
    known = change[~np.isnan(change)]
    mine = change[row, column]
    others = known.size - 1
    below = np.count_nonzero(known < mine) + (np.count_nonzero(known == mine) - 1) / 2
    return float(below / others) if others else 0.5


def ranks(change: Map) -> Map:
    """Return the rank of every move, NaN where there is none."""
    found = np.full(change.shape, np.nan)
    for row, column in np.argwhere(~np.isnan(change)).tolist():
        found[row, column] = rank(change, row, column)
    return found


def rank_games(study: Study, path: Path, games: int, seed: int) -> CsvTable:
    """Rank one move per phase of each game, unless it is stored."""
    table = study.table("ranks", COLUMNS)
    done = {int(row["game"]) for row in table.rows}
    for number, record in enumerate(itertools.islice(_long_games(path), games)):
        if number not in done:
            rng = random.Random(f"{seed}:{number}")
            table.add_all({"game": number, **row} for row in _rank_game(record, rng))
    if not table.rows:
        raise TengenError(f"no games with at least {FEWEST_MOVES} moves in {path}")
    return table


def _long_games(path: Path) -> Iterator[GameRecord]:
    for record in read_games(path, on_warning=lambda warning: None):
        if len(record.moves) >= FEWEST_MOVES and not record.setup_changes and not record.setup:
            yield record


def _rank_game(record: GameRecord, rng: random.Random) -> Iterator[dict[str, object]]:
    """Yield the ranks of one move per phase."""
    third = len(record.moves) // 3
    starts = (0, 0, third, 2 * third)
    for phase, start, length in zip(PHASES, starts, (FIRST_MOVES, *[third] * 3), strict=True):
        move_number = start + rng.randrange(length)
        position = record.position(move_number)
        color, move = record.moves[move_number]
        position.to_play = color
        if move == PASS or not position.is_legal(move):
            continue
        yield {
            "size": record.rows,
            "phase": phase,
            "move": move_number + 1,
            **_ranks_of(position, move, changes(position, ALL)),
        }


def _ranks_of(position: Position, move: int, maps: Changes) -> dict[str, float]:
    sign = 1 if position.to_play is BLACK else -1
    place = row_of(move), column_of(move)
    return {name: round(rank(sign * getattr(maps, name), *place), 4) for name in NAMES}


class MeanRanks(NamedTuple):
    """Mean and standard error of the ranks in one phase, by evaluation."""

    size: int
    phase: str
    moves: int
    means: dict[str, tuple[float, float]]

    def row(self) -> dict[str, object]:
        """Return a report row."""
        shown = {name: f"{mean:.3f} ± {error:.3f}" for name, (mean, error) in self.means.items()}
        return {"board": self.size, "phase": self.phase, "moves": self.moves, **shown}


def summary(table: CsvTable) -> list[MeanRanks]:
    """Return the mean ranks by board size and phase."""
    found = []
    for size in sorted({int(row["size"]) for row in table.rows}):
        for phase in PHASES:
            some = [r for r in table.rows if r["phase"] == phase and int(r["size"]) == size]
            if len(some) < 2:
                continue
            means = {}
            for name in NAMES:
                all_ranks = np.array([float(row[name]) for row in some])
                error = all_ranks.std(ddof=1) / len(some) ** 0.5
                means[name] = float(all_ranks.mean()), float(error)
            found.append(MeanRanks(size, phase, len(some), means))
    return found


def draw(axes: Any, found: list[MeanRanks]) -> None:
    """Plot the mean ranks of one board size, one line per evaluation."""
    for name in NAMES:
        means, errors = zip(*(phase.means[name] for phase in found), strict=True)
        axes.errorbar(range(len(found)), means, errors, label=name, marker="o", capsize=2)
    axes.axhline(0.5, color="gray", linewidth=0.5)
    axes.set_xticks(range(len(found)), [phase.phase for phase in found])
    axes.set_title(f"{found[0].size}x{found[0].size}")
    axes.set_ylabel("mean rank of the played move")
    axes.legend(fontsize=8, ncols=len(NAMES))


PAPER = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=INFINITY)
TABLES = range(1, 7)
CHINESE = {1: 0, 2: 1, 3: 9, 4: 2}
"""Table 7, area scoring."""


def run(folder: Path, settings: TablesSettings) -> Path:
    """Recompute tables and remarks; return the path of the report."""
    study = Study(
        folder, "Metric and dimensional evaluations: tables and remarks", asdict(settings)
    )
    for number in TABLES:
        _show_table(study, number)
    _show_solutions(study, settings)
    _show_openings(study, settings.share)
    _show_remark_4(study)
    _show_maps(study)
    _show_remark_5(study, settings.seed)
    if settings.games:
        _show_ranks(study, settings)
    return study.write_report()


def _show_table(study: Study, number: int) -> None:
    positions = [printed for printed in POSITIONS if printed.table == number]
    study.add_section(f"Table {number}")
    study.add_table(
        [compared(printed) for printed in positions],
        "Recomputed values, and the paper's where they differ.",
        name=f"table-{number}",
    )


def compared(printed: Printed) -> dict[str, object]:
    """Return the values of a position, with the paper's where they differ."""
    ours = printed.piece.evaluate(PAPER)
    wrong = printed.differs(ours)
    row: dict[str, object] = {"position": printed.name, "board": printed.diagram}
    for name in ("e0", "e1", "e2", "ed4", "ed8"):
        value = f"{getattr(ours, name):+.0f}"
        row[name] = f"{value} (paper {getattr(printed, name):+.0f})" if name in wrong else value
    return row


def _show_solutions(study: Study, settings: TablesSettings) -> None:
    """Recompute table 7 with the lab's search; `tengen solve` handles larger boards."""
    study.add_section("Table 7", "Area scoring, positional superko; alpha-beta with E1.")
    table = study.table("table_7", ["board", "value", "paper", "depth", "nodes", "first_move"])
    for size in range(1, settings.solve + 1):
        if not table.has(board=size):
            position = Position(size, rules=RULES)
            found = MetricSearcher().search(position, AREA, 60, settings.nodes)
            table.add(
                board=size,
                value=found.value,
                paper=CHINESE[size],
                depth=found.depth,
                nodes=found.nodes,
                first_move=position.vertex(found.move),
            )
    study.add_table(table, "Value for Black at the deepest completed depth.", name="table-7")


def openings(share: float) -> dict[str, OptimalLine]:
    """Return the optimal lines of remarks 1 and 2 on 3x3."""
    return {
        "E0": NoCapture(3, lambda e: e.e0).line(),
        "lambda E1 + E0": NoCapture(3, lambda e: share * e.e1 + e.e0).line(),
    }


def _show_openings(study: Study, share: float) -> None:
    study.add_section(
        "Remarks 1 and 2",
        "Optimal play on 3x3 without captures, and the same moves scaled to 19x19.",
    )
    for number, (name, line) in enumerate(openings(share).items(), 1):
        with study.figure(f"remark_{number}", f"{name}: value {line.value:g}.", (8, 4.5)) as figure:
            small, large = figure.subplots(1, 2, width_ratios=[1, 3])
            draw_board(small, 3, _stones(line, 3))
            draw_board(large, 19, _stones(line, 19))


def _stones(line: OptimalLine, size: int) -> list[tuple[int, int, int, str]]:
    """Return the numbered stones of a line on the small board or scaled to a large one."""
    stones = []
    for number, move in enumerate(line.moves):
        if move != NO_MOVE:
            row, column = divmod(move, 3) if size == 3 else scaled(move, 3, size)
            stones.append((row, column, 1 + number % 2, str(number + 1)))
    return stones


CUTS = {
    "three black chains meet, 7x7": (
        "......./..O..../..OXX../.XX.OO./...XO../...X.../.......",
        (3, 3),
    ),
    "a one-point jump over a wall, 7x7": (
        "......./......./.OX.X../.OOOO../......./......./.......",
        (2, 3),
    ),
}
"""Board sections that are not from the paper, and the key point of both sides."""


def key_point(diagram: str, place: tuple[int, int], name: str) -> tuple[int, int]:
    """Return the number of points better than a key point, for Black and for White.

    Depth-one search on an open section: every empty point is tried, ignoring captures.
    """
    board = BoardSection.from_diagram(diagram).colors
    better = []
    for color, sign in ((1, 1), (2, -1)):
        values = {}
        for row, column in np.argwhere(board == 0).tolist():
            after = board.copy()
            after[row, column] = color
            values[row, column] = sign * getattr(BoardSection(after, OPEN).evaluate(PAPER), name)
        better.append(sum(value > values[place] for value in values.values()))
    return better[0], better[1]


def _show_remark_4(study: Study) -> None:
    study.add_section(
        "Remarks 4 and 6",
        "Number of points that depth-one search prefers to the key point of both sides.",
    )
    rows = []
    for title, (diagram, place) in CUTS.items():
        row: dict[str, object] = {"position": title}
        for name in ("e1", "e2", "ed4", "ed8"):
            black, white = key_point(diagram, place, name)
            row[name] = f"Black {black}, White {white}"
        rows.append(row)
    study.add_table(rows, "0 and 0: the key point is first for both sides.", name="key-points")


MIDDLE_GAME = (
    "........./..X...O../...XO..../...X.O.../..X.X.O../...O.O.../..XO...../......X../........."
)


def _show_maps(study: Study) -> None:
    """Draw depth-one search on a 9x9 middle game."""
    study.add_section(
        "Depth-one search as heat maps", "Rank of each move of Black; the best are marked."
    )
    position = Position.from_diagram(MIDDLE_GAME)
    stones = [
        (row, column, int(color), "")
        for (row, column), color in np.ndenumerate(position.board())
        if color
    ]
    maps = changes(position, PAPER)
    with study.figure("maps", "E1, E2, Ed4 and Ed8 on 9x9, Black to play.", (9, 2.6)) as figure:
        for axes, name in zip(figure.subplots(1, 4), ("e1", "e2", "ed4", "ed8"), strict=True):
            shares = ranks(getattr(maps, name))
            draw_board(axes, 9, stones)
            axes.imshow(shares, cmap="viridis", alpha=0.7, vmin=0, vmax=1)
            for row, column in np.argwhere(shares == np.nanmax(shares)):
                axes.plot(column, row, marker="x", color="red", markersize=4)
            axes.set_title(name, fontsize=9)


def _show_remark_5(study: Study, seed: int) -> None:
    """Check formula 13 on random boards without neutral points."""
    rng = np.random.default_rng(seed)
    rows = []
    for size in (4, 9, 19):
        exact = 0
        for _ in range(100):
            ours = BoardSection(rng.integers(1, 3, size=(size, size), dtype=np.uint8)).evaluate(
                PAPER
            )
            exact += ours.ed4 == INFINITY * ours.e2
        rows.append({"board": size, "positions": 100, "Ed4 = infinity E2": exact})
    study.add_section("Remark 5", "Formula 13 on random boards without neutral points.")
    study.add_table(rows, "Number of boards on which the formula is exact.")


def _show_ranks(study: Study, settings: TablesSettings) -> None:
    table = rank_games(study, Path(settings.games), settings.count, settings.seed)
    study.add_section(
        "Remarks 1, 3, 4 and 6 on real games",
        "Mean rank of the played move among all legal moves by the change of each evaluation: 0.5 "
        "is random, 1 always first.",
    )
    found = summary(table)
    study.add_table(
        [phase.row() for phase in found],
        "By phase of the game, with standard errors.",
        name="ranks",
    )
    for size in {phase.size for phase in found}:
        with study.figure(f"ranks_{size}", "0.5 is random.", (7, 3.2)) as figure:
            draw(figure.subplots(), [phase for phase in found if phase.size == size])
