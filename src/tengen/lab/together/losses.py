"""Points lost by the moves of any players, judged by a strong network.

Unlike `choices`, this experiment accepts other programs, each with the search effort of its own
command line, and positions from any games. A player gets all previous moves of the game but has no
tree from them.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tengen.board import Position
from tengen.engine import net_path
from tengen.lab.matches import check_player, parse_named
from tengen.lab.study import CsvTable, Study, progress
from tengen.lab.together.choices import paired
from tengen.lab.together.compare import identity_of
from tengen.lab.together.ideas import PHASES, phase_of, plot_differences
from tengen.match import RESIGN, Z_95, MatchSettings, Player, make_player
from tengen.nets import Net, NetSettings, load_net
from tengen.nets.training import plain_games, positions_at
from tengen.util import TengenError

TITLE = "Together: points lost per move"
COLUMNS = ("player", "number", "turn", "phase", "move", "points_lost", "win_lost", "seconds")
GAVE_UP = "resign"
"""Recorded as the move of a player that resigned; such positions are omitted for all players."""
LONGEST_S = 600.0
"""Seconds after which a player counts as hung."""

Rows = Sequence[Mapping[str, str]]
Numbers = npt.NDArray[np.float64]


def run(arguments: argparse.Namespace) -> int:
    """Let every player move in every position and write the report."""
    players = parse_named(arguments.player, "NAME:PLAYER")
    for name, spec in players.items():
        check_player(name, spec)
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
    """Return positions drawn from games; raise TengenError if there are too few."""
    count, first = arguments.positions, arguments.first
    if count < 2:
        raise TengenError(f"at least 2 positions are needed, got {count}")
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
    raise TengenError(
        f"the games have only {len(found)} suitable positions of size {arguments.size}"
    )


def add_losses(
    table: CsvTable, name: str, spec: str, positions: Sequence[Position], judge: Net
) -> Iterator[int]:
    """Add the missing rows of one player; yield the number of each finished position."""
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
    """Return a player's move, or RESIGN, and its time in seconds."""
    player.new_game(MatchSettings(position.rows, position.columns, position.rules), seed=1)
    for color, move in position.moves:
        player.play(color, move)
    began_s = time.monotonic()
    move = player.genmove(position.to_play, LONGEST_S)
    return move, time.monotonic() - began_s


def judged_row(judge: Net, position: Position, move: int) -> dict[str, object]:
    """Return the loss of a move according to the judge; negative if it is better than expected."""
    common = {"turn": len(position.moves), "phase": phase_of(position)}
    if move == RESIGN:
        return {**common, "move": GAVE_UP, "points_lost": "", "win_lost": ""}
    after = position.copy()
    after.play(move)
    before, then = judge.evaluate([position, after])
    return {
        **common,
        "move": position.vertex(move),
        # The judge evaluates for the side to move: after the move, the opponent.
        "points_lost": round(before.lead_to_play + then.lead_to_play, 3),
        "win_lost": round(before.win_to_play + then.win_to_play - 1, 4),
    }


def comparable(rows: Rows) -> Rows:
    """Omit positions in which a player resigned, to keep the comparison paired."""
    given_up = {row["number"] for row in rows if row["move"] == GAVE_UP}
    return [row for row in rows if row["number"] not in given_up]


def column(rows: Rows, player: str, name: str) -> Numbers:
    """Return a column of one player's rows in the order of positions."""
    own = sorted((r for r in rows if r["player"] == player), key=lambda r: int(r["number"]))
    return np.array([float(row[name]) for row in own])


def loss_rows(rows: Rows, names: Sequence[str]) -> list[dict[str, object]]:
    """Return a row per player, best first, with differences to the first of `names`."""
    found: list[dict[str, object]] = []
    for name in sorted(names, key=lambda name: column(rows, name, "points_lost").mean()):
        lost, win_lost = column(rows, name, "points_lost"), column(rows, name, "win_lost")
        found.append(
            {
                "player": name,
                "positions": len(lost),
                "points lost": f"{lost.mean():.2f}",
                f"vs. {names[0]}": _more(rows, name, names[0], "points_lost", 1),
                "win rate lost, %": f"{100 * win_lost.mean():.1f}",
                f"% vs. {names[0]}": _more(rows, name, names[0], "win_lost", 100),
                "seconds": f"{column(rows, name, 'seconds').mean():.2f}",
            }
        )
    return found


def _more(rows: Rows, name: str, base: str, what: str, unit: float) -> str:
    """Return the difference of a column between two players, with its interval."""
    difference, error = paired(column(rows, name, what), column(rows, base, what))
    return f"{unit * difference:+.2f} ± {unit * Z_95 * error:.2f}"


def write_report(study: Study, table: CsvTable, names: Sequence[str]) -> Path:
    """Write the report for all positions and by phase; return its path."""
    rows = comparable(table.rows)
    left_out = len({row["number"] for row in table.rows}) - len({row["number"] for row in rows})
    study.add_section("All positions", f"{left_out} positions omitted because a player resigned.")
    study.add_table(
        loss_rows(rows, names), "On the same positions; 95% confidence intervals.", name="losses"
    )
    base = column(rows, names[0], "points_lost")
    differences = {name: paired(column(rows, name, "points_lost"), base) for name in names}
    with study.figure("losses", "Smaller is better.") as figure:
        meaning = f"points lost per move minus {names[0]}"
        plot_differences(figure.add_subplot(), differences, meaning)
    for phase in PHASES:
        some = [row for row in rows if row["phase"] == phase]
        if len({row["number"] for row in some}) > 1:
            study.add_section(phase.capitalize())
            study.add_table(
                loss_rows(some, names), "On the same positions; 95% confidence intervals."
            )
    return study.write_report()
