"""Quality of the moves of players, judged by a strong network.

`choices` compares the combinations of ideas at equal CPU time. A few hundred positions separate
players that would need hundreds of games. Each player gets the number of simulations that it
performs in the given CPU time at that phase of the game, so the load of the machine has no effect.
With `--visits`, all players get the same number of simulations.

`losses` counts the points lost by the moves of any players. It accepts other programs, each with
the search effort of its own command line, and positions from any games. A player gets all previous
moves of the game but has no tree from them.
"""

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from tengen.board import Position
from tengen.engine import Engine, EngineSettings, create_engine, net_path
from tengen.lab.labels import JudgedPosition, judged_positions
from tengen.lab.matches import check_player, parse_named
from tengen.lab.options import board_sizes
from tengen.lab.study import CsvTable, Row, Study, progress
from tengen.lab.together.compare import COMMON, identity_of, own_players
from tengen.lab.together.ideas import (
    COLUMNS as COST_COLUMNS,
    PHASES,
    ideas,
    measure_costs,
    phase_of,
    plot_differences,
    title_of,
)
from tengen.match import RESIGN, Z_95, MatchSettings, Player, make_player
from tengen.nets import Net, NetSettings, load_net
from tengen.nets.training import plain_games, positions_at
from tengen.search import SearchLimit
from tengen.util import TengenError

CHOICES_TITLE = "Together: quality of the chosen moves"
CHOICES = ("size", "player", "number", "phase", "simulations", "quality")

Qualities = npt.NDArray[np.float64]


def run_choices(arguments: argparse.Namespace) -> int:
    """Let every player choose a move in every position and write the report."""
    sizes = board_sizes(arguments.size)
    pace = f"seconds={arguments.seconds:g}"
    players = own_players(arguments, pace)
    if arguments.player:
        given = parse_named(arguments.player, "NAME:SETTINGS")
        players = {name: f"tengen {pace} {COMMON} {words}" for name, words in given.items()}
    names = ("labels", "positions", "before", "all_games", "seconds", "visits", "seed")
    identity = {name: str(getattr(arguments, name)) for name in names}
    drawn = arguments.positions, arguments.seed, arguments.before, arguments.all_games
    judged = {size: judged_positions(arguments.labels, size, *drawn) for size in sizes}
    study = Study(arguments.output, CHOICES_TITLE, identity | identity_of(players))
    costs, choices = study.table("costs", COST_COLUMNS), study.table("choices", CHOICES)
    with progress() as shown:
        for size in sizes:
            task = shown.add_task(f"{size}x{size}", total=len(players))
            if not arguments.visits:
                measure_costs(costs, size, players, arguments.cost_seconds)
            for name, text in players.items():
                own = _Pace(costs, size, name, arguments.seconds, arguments.visits)
                _choose(choices, own, text, judged[size])
                shown.advance(task)
    about = [{"player": name, "what": text} for name, text in players.items()]
    if not arguments.player:
        about = [{"idea": name, "what": idea.about} for name, idea in ideas(arguments.net).items()]
    print(write_choices_report(study, list(players), sizes, about))
    return 0


class _Pace(NamedTuple):
    """The simulations per position of one player: `visits` if not 0, or by its costs."""

    costs: CsvTable
    size: int
    name: str
    seconds: float
    visits: int

    def simulations(self, phase: str) -> int:
        """Return the simulations for a position in a phase of the game."""
        if self.visits:
            return self.visits
        rows = (row for row in self.costs.rows if _is_of(row, self.size, self.name))
        row = next(row for row in rows if row["phase"] == phase)
        return max(1, round(self.seconds * float(row["simulations_per_cpu_s"])))


def _choose(choices: CsvTable, pace: _Pace, text: str, judged: Sequence[JudgedPosition]) -> None:
    """Add the missing choices of one player."""
    size, name = pace.size, pace.name
    have = {int(row["number"]) for row in choices.rows if _is_of(row, size, name)}
    if len(have) == len(judged):
        return
    engine = create_engine(
        EngineSettings().with_overrides([*text.split()[1:], "threads=1", "seed=1"])
    )
    for number, entry in enumerate(judged):
        if number not in have:
            phase = phase_of(entry.position)
            simulations = pace.simulations(phase)
            quality = choice_quality(engine, entry, simulations)
            choices.add(
                size=size,
                player=name,
                number=number,
                phase=phase,
                simulations=simulations,
                quality=round(quality, 4),
            )


def choice_quality(engine: Engine, entry: JudgedPosition, simulations: int) -> float:
    """Return the quality of the move that an engine chooses from a fresh tree.

    Raise TengenError if its network or a source fails.
    """
    engine.restart(1)
    report = engine.analyze(entry.position, SearchLimit(simulations=simulations))
    if engine.problems:
        raise TengenError(engine.problems[0])
    return entry.quality_of(report.candidates[0].move)


def _is_of(row: dict[str, str], size: int, name: str) -> bool:
    return row["size"] == str(size) and row["player"] == name


def move_qualities(choices: CsvTable, size: int, name: str) -> Qualities:
    """Return the move qualities of a player in the order of positions."""
    rows = [row for row in choices.rows if _is_of(row, size, name)]
    rows.sort(key=lambda row: int(row["number"]))
    return np.array([float(row["quality"]) for row in rows])


def choice_rows(choices: CsvTable, names: Sequence[str], size: int) -> list[dict[str, object]]:
    """Return a row per player, best first, with differences to the first of `names`."""
    base = move_qualities(choices, size, names[0])
    found: list[dict[str, object]] = []
    for name in sorted(names, key=lambda name: -move_qualities(choices, size, name).mean()):
        own = move_qualities(choices, size, name)
        difference, error = paired(own, base)
        rows = [row for row in choices.rows if _is_of(row, size, name)]
        found.append(
            {
                "player": name,
                "quality": f"{own.mean():.3f}",
                f"vs. {names[0]}": f"{difference:+.3f} ± {Z_95 * error:.3f}",
                "first choices": f"{100 * (own == 1).mean():.0f}%",
                "simulations": f"{np.mean([float(row['simulations']) for row in rows]):.0f}",
            }
        )
    return found


def paired(own: Qualities, base: Qualities) -> tuple[float, float]:
    """Return the mean difference on the same positions and its standard error."""
    difference = own - base
    return float(difference.mean()), float(difference.std(ddof=1) / len(difference) ** 0.5)


def plot_choices(axes: Axes, choices: CsvTable, names: Sequence[str], size: int) -> None:
    """Plot the difference of each player to the first of `names`, with its interval."""
    base = move_qualities(choices, size, names[0])
    differences = {name: paired(move_qualities(choices, size, name), base) for name in names}
    plot_differences(axes, differences, f"move quality minus {title_of(names[0])}")


def write_choices_report(
    study: Study, names: Sequence[str], sizes: Sequence[int], about: Sequence[Row]
) -> Path:
    """Write the report; return its path."""
    choices = study.table("choices", CHOICES)
    study.add_table(about, "Ideas alone, together (all), and all but one (-name).")
    for size in sizes:
        study.add_section(
            f"{size}x{size}",
            "Quality: the network's probability of the move divided by that of its first choice.",
        )
        study.add_table(
            choice_rows(choices, names, size),
            "On the same positions; 95% confidence intervals.",
            name=f"choices-{size}",
        )
        with study.figure(f"quality-{size}", f"{size}x{size}") as figure:
            plot_choices(figure.add_subplot(), choices, names, size)
    if (costs := study.table("costs", COST_COLUMNS)).rows:
        about_costs = "Simulations and nodes per CPU second, one thread, by phase of the game."
        study.add_section("Costs", about_costs)
        study.add_table(costs, "Costs.", name="costs")
    return study.write_report()


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
