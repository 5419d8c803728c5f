"""The paper's tables 1 to 7 beside ours, and its remarks 1 to 6."""

from dataclasses import asdict
from pathlib import Path

import numpy as np

from tengen.board.position import Position
from tengen.knowledge.metric import Metric
from tengen.knowledge.metric_board import OPEN, Piece, changes
from tengen.lab.small_boards.board_figure import draw_board
from tengen.lab.small_boards.game import RULES
from tengen.lab.small_boards.no_capture import PASS, Line, NoCapture, scaled
from tengen.lab.small_boards.positions import INFINITY, POSITIONS, Printed
from tengen.lab.small_boards.program import AREA, Searcher
from tengen.lab.small_boards.ranks import draw, rank_games, ranks, summary
from tengen.lab.small_boards.settings import TablesSettings
from tengen.lab.study import Study

PAPER = Metric.only(a0=1, a1=1, a2=1, b4=1, b8=1, infinity=INFINITY)
TABLES = range(1, 7)
CHINESE = {1: 0, 2: 1, 3: 9, 4: 2}
"""Table 7, area scoring."""


def run(folder: Path, settings: TablesSettings) -> Path:
    """Recompute everything; return the report's path."""
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


# Tables


def _show_table(study: Study, number: int) -> None:
    positions = [printed for printed in POSITIONS if printed.table == number]
    study.text(f"Table {number}")
    study.show([compared(printed) for printed in positions], "Ours; the paper's where it differs.")


def compared(printed: Printed) -> dict[str, object]:
    """Return our values of a position, with the paper's beside those that differ."""
    ours = printed.piece.evaluate(PAPER)
    wrong = printed.differs(ours)
    row: dict[str, object] = {"position": printed.name, "board": printed.diagram}
    for name in ("e0", "e1", "e2", "ed4", "ed8"):
        value = f"{getattr(ours, name):+.0f}"
        row[name] = f"{value} (paper {getattr(printed, name):+.0f})" if name in wrong else value
    return row


def _show_solutions(study: Study, settings: TablesSettings) -> None:
    """Table 7 by the search of the lab; `tengen solve` is the tool for more."""
    study.text("Table 7", "Area scoring, positional superko; alpha-beta with E1.")
    table = study.table("table_7", ["board", "value", "paper", "depth", "nodes", "first_move"])
    for size in range(1, settings.solve + 1):
        if not table.has(board=size):
            position = Position(size, rules=RULES)
            found = Searcher().search(position, AREA, 60, settings.nodes)
            table.add(
                board=size,
                value=found.value,
                paper=CHINESE[size],
                depth=found.depth,
                nodes=found.nodes,
                first_move=position.vertex(found.move),
            )
    study.show(table, "Value for Black at the deepest depth that was searched whole.")


# Remarks


def openings(share: float) -> dict[str, Line]:
    """Return the lines of remarks 1 and 2 on 3x3."""
    return {
        "E0": NoCapture(3, lambda e: e.e0).line(),
        "lambda E1 + E0": NoCapture(3, lambda e: share * e.e1 + e.e0).line(),
    }


def _show_openings(study: Study, share: float) -> None:
    study.text(
        "Remarks 1 and 2",
        "Perfect play on 3x3 without the capture rule, and the same moves scaled to 19x19.",
    )
    for number, (name, line) in enumerate(openings(share).items(), 1):
        with study.figure(f"remark_{number}", f"{name}: value {line.value:g}.", (8, 4.5)) as figure:
            small, large = figure.subplots(1, 2, width_ratios=[1, 3])
            draw_board(small, 3, _stones(line, 3))
            draw_board(large, 19, _stones(line, 19))


def _stones(line: Line, size: int) -> list[tuple[int, int, int, str]]:
    """Return the stones of a line, numbered, on the small board or scaled to a large one."""
    stones = []
    for number, move in enumerate(line.moves):
        if move != PASS:
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
"""Positions of our own: a board piece and the point where both sides want to play."""


def key_point(diagram: str, place: tuple[int, int], name: str) -> tuple[int, int]:
    """Return how many other points are better than a place, for Black and for White.

    Depth-one search on an open piece: every empty point is tried, captures aside.
    """
    board = Piece.from_diagram(diagram).colours
    better = []
    for colour, sign in ((1, 1), (2, -1)):
        values = {}
        for row, column in np.argwhere(board == 0).tolist():
            after = board.copy()
            after[row, column] = colour
            values[row, column] = sign * getattr(Piece(after, OPEN).evaluate(PAPER), name)
        better.append(sum(value > values[place] for value in values.values()))
    return better[0], better[1]


def _show_remark_4(study: Study) -> None:
    study.text(
        "Remarks 4 and 6",
        "How many points depth-one search sets above the point where both sides want to play.",
    )
    rows = []
    for title, (diagram, place) in CUTS.items():
        row: dict[str, object] = {"position": title}
        for name in ("e1", "e2", "ed4", "ed8"):
            black, white = key_point(diagram, place, name)
            row[name] = f"Black {black}, White {white}"
        rows.append(row)
    study.show(rows, "0 and 0: the key point is first for both.")


MIDDLE_GAME = (
    "........./..X...O../...XO..../...X.O.../..X.X.O../...O.O.../..XO...../......X../........."
)


def _show_maps(study: Study) -> None:
    """Draw the depth-one search on a middle game of 9x9."""
    study.text("Depth one as heat maps", "The rank of each move of Black's; the best are marked.")
    position = Position.from_diagram(MIDDLE_GAME)
    stones = [
        (row, column, int(colour), "")
        for (row, column), colour in np.ndenumerate(position.board())
        if colour
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
    """Formula 13, and what is left of it where points are neutral."""
    dice = np.random.default_rng(seed)
    rows = []
    for size in (4, 9, 19):
        exact = 0
        for _ in range(100):
            ours = Piece(dice.integers(1, 3, size=(size, size), dtype=np.uint8)).evaluate(PAPER)
            exact += ours.ed4 == INFINITY * ours.e2
        rows.append({"board": size, "positions": 100, "Ed4 = infinity E2": exact})
    study.text("Remark 5", "Formula 13 on random boards without a neutral point.")
    study.show(rows, "In how many the formula is exact.")


def _show_ranks(study: Study, settings: TablesSettings) -> None:
    table = rank_games(study, Path(settings.games), settings.count, settings.seed)
    study.text(
        "Remarks 1, 3, 4 and 6 on real games",
        "The mean rank of the move that was played among all legal moves by the change of each "
        "evaluation: 0.5 is chance, 1 would be always first.",
    )
    found = summary(table)
    study.show([phase.row() for phase in found], "By phases of the game, with the standard error.")
    for size in {phase.size for phase in found}:
        with study.figure(f"ranks_{size}", "0.5 is chance.", (7, 3.2)) as figure:
            draw(figure.subplots(), [phase for phase in found if phase.size == size])
