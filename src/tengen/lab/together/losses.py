"""How many points the moves of any players lose, by a strong net's word.

Unlike in `choices`, other programs may take part, each at the pace of its own command line; the
positions are those of any games; and what is told is what Go players count. A player sees a
position as in a game, all moves before it told, but with no tree from the move before.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board.position import Position
from tengen.core.errors import TengenError
from tengen.engine.net import net_path
from tengen.lab.opponents import check_program, named
from tengen.lab.progress import progress
from tengen.lab.study import Study, Table
from tengen.lab.together.choices import paired
from tengen.lab.together.compare import identity_of
from tengen.lab.together.costs import PHASES, phase_of
from tengen.lab.together.pictures import plot_differences
from tengen.match.factory import make_player
from tengen.match.player import RESIGN, Player
from tengen.match.setting import GameSetting
from tengen.match.stats import Z_95
from tengen.network.net import Net, NetSettings
from tengen.network.onnx import load_net
from tengen.network.training.distill import plain_games, positions_at

TITLE = "Together: the points that moves lose"
COLUMNS = ("player", "number", "turn", "phase", "move", "points_lost", "win_lost", "seconds")
GAVE_UP = "resign"
"""Stands for the move of a player that resigned: such a position is left out for all."""
LONGEST_S = 600.0
"""A player that has not moved after so long counts as hung."""

Rows = Sequence[Mapping[str, str]]
Numbers = npt.NDArray[np.float64]


def run(arguments: argparse.Namespace) -> int:
    """Let every player move on every position, from where it was; write the report."""
    players = named(arguments.player, "NAME:PLAYER")
    for name, spec in players.items():
        check_program(name, spec)
    judge = load_net(net_path(arguments.judge), NetSettings(symmetry="average"))
    positions = draw_positions(arguments)
    names = ("games", "judge", "size", "positions", "each", "first", "last", "seed")
    identity = {name: str(getattr(arguments, name)) for name in names}
    study = Study(arguments.output, TITLE, identity | identity_of(players))
    table = study.table("losses", COLUMNS)
    with progress() as shown:
        for name, spec in players.items():
            task = shown.add_task(name, total=len(positions))
            for number in add_losses(table, name, spec, positions, judge):
                shown.update(task, completed=number + 1)
    print(write_report(study, table, list(players)))
    return 0


def draw_positions(arguments: argparse.Namespace) -> list[Position]:
    """Return positions drawn from games, a few of each; raise TengenError if there are too few."""
    count, first = arguments.positions, arguments.first
    if count < 2:
        raise TengenError(f"{count} positions to judge by: at least two are needed")
    random = np.random.default_rng(arguments.seed)
    found: list[Position] = []
    for record in plain_games(arguments.games):
        end = min(arguments.last or len(record.moves), len(record.moves))
        if record.rows == arguments.size and first < end:
            found += positions_at(
                record, random.permutation(np.arange(first, end))[: arguments.each]
            )
        if len(found) >= count:
            return found[:count]
    raise TengenError(f"the games have {len(found)} such positions of size {arguments.size}")


# Moving and judging


def add_losses(
    table: Table, name: str, spec: str, positions: Sequence[Position], judge: Net
) -> Iterator[int]:
    """Add what is missing of one player; yield the number of each position when it is done."""
    missing = [n for n in range(len(positions)) if not table.has(player=name, number=n)]
    if not missing:
        return
    player = make_player(spec)
    try:
        for number in missing:
            move, took_s = move_of(player, positions[number])
            row = judged_row(judge, positions[number], move)
            table.add(player=name, number=number, seconds=round(took_s, 3), **row)
            yield number
    except TengenError as error:
        raise TengenError(f"{name}, after move {len(positions[number].moves)}: {error}") from None
    finally:
        player.close()


def move_of(player: Player, position: Position) -> tuple[int, float]:
    """Return the move, or RESIGN, of a player that is told the game so far, and its time."""
    player.new_game(GameSetting(position.rows, position.columns, position.rules), seed=1)
    for colour, move in position.moves:
        player.play(colour, move)
    began_s = time.monotonic()
    move = player.genmove(position.to_play, LONGEST_S)
    return move, time.monotonic() - began_s


def judged_row(judge: Net, position: Position, move: int) -> dict[str, object]:
    """Return what a move loses by the judge's word; less than 0 if it is better than expected."""
    common = {"turn": len(position.moves), "phase": phase_of(position)}
    if move == RESIGN:
        return {**common, "move": GAVE_UP, "points_lost": "", "win_lost": ""}
    after = position.copy()
    after.play(move)
    before, then = judge.evaluate([position, after])
    return {
        **common,
        "move": position.vertex(move),
        # The judge speaks for the side to move, which is the opponent after the move.
        "points_lost": round(before.lead_to_play + then.lead_to_play, 3),
        "win_lost": round(before.win_to_play + then.win_to_play - 1, 4),
    }


# The report


def comparable(rows: Rows) -> Rows:
    """Leave out the positions in which some player resigned: the others have no partner there."""
    given_up = {row["number"] for row in rows if row["move"] == GAVE_UP}
    return [row for row in rows if row["number"] not in given_up]


def column(rows: Rows, player: str, name: str) -> Numbers:
    """Return a column of one player's rows, by the position's number."""
    own = sorted((r for r in rows if r["player"] == player), key=lambda r: int(r["number"]))
    return np.array([float(row[name]) for row in own])


def loss_rows(rows: Rows, names: Sequence[str]) -> list[dict[str, object]]:
    """Return a line for each player, the best first; differences to the first of `names`."""
    found: list[dict[str, object]] = []
    for name in sorted(names, key=lambda name: column(rows, name, "points_lost").mean()):
        lost, win_lost = column(rows, name, "points_lost"), column(rows, name, "win_lost")
        found.append(
            {
                "player": name,
                "positions": len(lost),
                "points lost": f"{lost.mean():.2f}",
                f"more than {names[0]}": _more(rows, name, names[0], "points_lost", 1),
                "win lost, %": f"{100 * win_lost.mean():.1f}",
                f"% more than {names[0]}": _more(rows, name, names[0], "win_lost", 100),
                "seconds": f"{column(rows, name, 'seconds').mean():.2f}",
            }
        )
    return found


def _more(rows: Rows, name: str, base: str, what: str, unit: float) -> str:
    """Return by how much a player's column is above another's, with its interval."""
    difference, error = paired(column(rows, name, what), column(rows, base, what))
    return f"{unit * difference:+.2f} ± {unit * Z_95 * error:.2f}"


def write_report(study: Study, table: Table, names: Sequence[str]) -> Path:
    """Write the page: all positions, then by phase of the game; return its path."""
    rows = comparable(table.rows)
    left_out = len({row["number"] for row in table.rows}) - len({row["number"] for row in rows})
    study.text("All positions", f"{left_out} left out where some player resigned.")
    study.show(loss_rows(rows, names), "On the same positions; intervals of 95 %.")
    base = column(rows, names[0], "points_lost")
    differences = {name: paired(column(rows, name, "points_lost"), base) for name in names}
    with study.figure("losses", "To the left is better.") as figure:
        meaning = f"points lost a move, more than {names[0]}"
        plot_differences(figure.add_subplot(), differences, meaning)
    for phase in PHASES:
        some = [row for row in rows if row["phase"] == phase]
        if len({row["number"] for row in some}) > 1:
            study.text(phase.capitalize())
            study.show(loss_rows(some, names), "As above.")
    return study.write_report()
