"""Report of a sweep: win-rate curves and the tables of the paper's figures 3 and 4."""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tengen.board import BLACK, WHITE
from tengen.lab.options import board_sizes
from tengen.lab.potential.analysis import (
    BORDERS,
    PLAIN,
    PLAYOUTS,
    Border,
    Games,
    NoWorse,
    band_rows,
    games_by_trunk,
    no_worse,
    playouts_by_formula,
)
from tengen.lab.potential.sweep import (
    COLUMNS,
    SHARES,
    Effort,
    Sweep,
    SweepRules,
    SwitchCurve,
    run_sweep,
)
from tengen.lab.study import Study
from tengen.match import Interval, check_workers, open_workers, wilson
from tengen.sources import FILTERS, STENCILS
from tengen.util import Console, TengenError

PANELS = (("random", "pf1", "pf2", "pf3", "pf4"), ("pf5", "pf6", "pf7", "pf8", "pf9"))
"""Filters of figures 3 and 4."""

Row = dict[str, object]


def write_sweep_report(study: Study, sweep: Sweep) -> Path:
    """Write the report of the games so far; return its path."""
    counted = _counted(sweep)
    for size in sorted({curve.size for curve in sweep.curves.values() if curve.cells}):
        curves = [curve for curve in sweep.curves.values() if curve.size == size and curve.cells]
        study.add_section(f"{size}x{size}", _plain_text(sweep, size))
        _draw_curves(study, sweep, curves, size)
        _draw_playouts(study, sweep, size, counted)
        study.add_table(
            [_border_row(sweep, curve, counted) for curve in curves if curve.filter != PLAIN],
            "Borders as intervals, and playouts per game of the filtering side: by the paper's "
            "formula at the upper end of the interval and at the paper's border, and counted at "
            "the upper end.",
            name=f"borders-{size}",
        )
        games = games_by_trunk(sweep.rows, size, sweep.rules.color is BLACK)
        _show_no_worse(study, sweep, curves, games)
        study.add_table(
            band_rows(games, size),
            f"{_side(sweep)}'s win rate by band of switching points with 95% intervals, the "
            "difference to plain play, and the number of trunks in parentheses.",
            name=f"bands-{size}",
        )
        study.add_table(
            [row for curve in curves for row in _cell_rows(sweep, curve, counted)],
            "Every switching point. Games of one filter share their openings.",
            name=f"win-rates-{size}",
        )
    _draw_scaled(study, sweep)
    return study.write_report()


def _counted(sweep: Sweep) -> dict[tuple[str, int, int], float]:
    """Return the filtering side's mean playouts per game by filter, size and switching point."""
    column = f"counted_{sweep.rules.color.name.lower()}"
    groups: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for row in sweep.rows:
        groups[row["filter"], int(row["size"]), int(row["switch"])].append(int(row[column]))
    return {key: fmean(values) for key, values in groups.items()}


def plain_rate(sweep: Sweep, size: int) -> Interval:
    """Return the win rate of the filtering color between plain players."""
    cells = sweep.curves[PLAIN, size].cells.values() if (PLAIN, size) in sweep.curves else ()
    return wilson(sum(cell.wins for cell in cells), sum(cell.games for cell in cells))


def _plain_text(sweep: Sweep, size: int) -> str:
    rate = plain_rate(sweep, size)
    games = sum(cell.games for cell in sweep.curves[PLAIN, size].cells.values())
    return (
        f"{_side(sweep)} won {_percent(rate)} of {games} games between plain players with komi "
        f"{sweep.rules.komi_for(size):g}; filters are tested against "
        f"{sweep.test(size).reference:.1%}."
    )


def _side(sweep: Sweep) -> str:
    """Return the name of the filtering side."""
    return sweep.rules.color.name.capitalize()


def _percent(rate: Interval) -> str:
    return f"{rate.value:.1%} ({100 * rate.low:.0f} to {100 * rate.high:.0f})"


def _cell_rows(
    sweep: Sweep, curve: SwitchCurve, counted: dict[tuple[str, int, int], float]
) -> Iterable[Row]:
    verdicts = curve.verdicts(sweep.test(curve.size))
    for switch, cell in sorted(curve.cells.items(), reverse=True):
        yield {
            "filter": curve.filter,
            "switching point": switch,
            "games": cell.games,
            f"{_side(sweep)} wins": _percent(wilson(cell.wins, cell.games)),
            "verdict": "" if curve.filter == PLAIN else verdicts[switch].name.lower(),
            "playouts counted": f"{counted[curve.filter, curve.size, switch]:,.0f}",
        }


def _border_row(
    sweep: Sweep, curve: SwitchCurve, counted: dict[tuple[str, int, int], float]
) -> Row:
    border, size = curve.border(sweep.test(curve.size)), curve.size
    printed = BORDERS[curve.filter].get(size)
    ours = playouts_by_formula(size * size, border.high, sweep.rules.playouts)
    theirs = playouts_by_formula(size * size, printed)
    return {
        "filter": curve.filter,
        "border": str(border),
        "paper": printed or "-",
        "by formula": f"{ours.total:,}",
        "saved": f"{ours.reduction:.1%}",
        "counted": _counted_text(curve, border, counted),
        "paper, printed": f"{PLAYOUTS[curve.filter][size]:,}" if size in (9, 13, 19) else "-",
        "paper, formula": f"{theirs.total:,}",
        "paper, saved": f"{theirs.reduction:.1%}",
    }


def _show_no_worse(study: Study, sweep: Sweep, curves: Iterable[SwitchCurve], games: Games) -> None:
    """Add the switching points down to which filters are no worse than plain play."""
    size = next(iter(curves)).size
    found = {
        name: place
        for name in (*PANELS[0], *PANELS[1])
        if (place := no_worse(games, name, size, sweep.effort.margin))
    }
    if not found:
        return
    caption = (
        f"Lowest switching point at which {_side(sweep)} wins at most "
        f"{100 * sweep.effort.margin:.0f} percentage points less than plain play, from a smooth "
        "curve through all games of a filter, with its 95% interval, "
    )
    study.add_table(
        [
            {
                "filter": name,
                "no worse down to": str(place),
                "paper's border": BORDERS[name].get(size) or "-",
                "saved": f"{playouts_by_formula(size * size, place.best).reduction:.1%}",
            }
            for name, place in found.items()
        ],
        caption + "and the playouts saved by the formula.",
    )
    with study.figure(
        f"no-worse-{size}", caption + "and the paper's border (x).", (6, 3)
    ) as figure:
        _draw_no_worse(figure.subplots(), found, size)


def _draw_no_worse(axes: Any, found: dict[str, NoWorse], size: int) -> None:
    """Draw an interval per filter; at the right end the filter is worse wherever it is active."""
    whole = size * size
    for height, (name, place) in enumerate(found.items()):
        best, low, high = (whole if at is None else at for at in place[:3])
        axes.plot((low, high), (height, height), color="C0", linewidth=3, alpha=0.4)
        axes.plot(best, height, "o", color="C0")
        axes.plot(BORDERS[name].get(size) or whole, height, "x", color="C3")
    axes.set_yticks(range(len(found)), found)
    axes.invert_yaxis()
    axes.set_xlabel("switching point")


def _counted_text(
    curve: SwitchCurve, border: Border, counted: dict[tuple[str, int, int], float]
) -> str:
    plain = [
        value for (name, size, _), value in counted.items() if (name, size) == (PLAIN, curve.size)
    ]
    if border.high is None or not plain:
        return "-"
    here = counted[curve.filter, curve.size, border.high]
    return f"{here:,.0f} of {plain[0]:,.0f}, {1 - here / plain[0]:.1%} saved"


def _draw_curves(study: Study, sweep: Sweep, curves: list[SwitchCurve], size: int) -> None:
    caption = (
        f"{_side(sweep)}'s win rate on {size}x{size} by switching point, with 95% intervals. "
        "Gray: plain against plain."
    )
    with study.figure(f"curves-{size}", caption, (9, 3.8)) as figure:
        axes = figure.subplots(1, 2, sharey=True)
        for panel, names in zip(axes, PANELS, strict=True):
            _draw_plain(panel, plain_rate(sweep, size))
            chosen = [curve for name in names for curve in curves if curve.filter == name]
            for curve in chosen:
                _draw_curve(panel, curve, 1.0, (names.index(curve.filter) - 2) * size / 36)
            panel.set_xlabel("switching point")
            if chosen:
                panel.legend(fontsize="small")
        axes[0].set_ylabel(f"{_side(sweep)} wins")


def _draw_playouts(
    study: Study, sweep: Sweep, size: int, counted: dict[tuple[str, int, int], float]
) -> None:
    """Draw the playouts per game of the filtering side, counted and by the paper's formula."""
    caption = (
        f"Playouts per game of the filtering side on {size}x{size}: counted (one dot per filter; "
        "plain play at the right) and by the paper's formula."
    )
    points, playouts = size * size, sweep.rules.playouts
    with study.figure(f"playouts-{size}", caption, (5, 3.4)) as figure:
        axes = figure.subplots()
        here = {key: mean for key, mean in counted.items() if key[1] == size}
        axes.scatter([key[2] for key in here], list(here.values()), s=8, label="counted")
        switches = range(points % 2 + 2, points + 1, 2)
        totals = [playouts_by_formula(points, switch, playouts).total for switch in switches]
        axes.plot(switches, totals, color="0.5", label="paper's formula")
        axes.set_xlabel("switching point")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")


def _draw_plain(axes: Any, rate: Interval) -> None:
    axes.axhspan(rate.low, rate.high, color="0.9")
    axes.axhline(rate.value, color="0.6", linewidth=1)


def drawn_switches(curve: SwitchCurve) -> list[int]:
    """Return the switching points of a curve with at least a tenth of the most games."""
    most = max(cell.games for cell in curve.cells.values())
    return [switch for switch in sorted(curve.cells) if 10 * curve.cells[switch].games >= most]


def _draw_curve(axes: Any, curve: SwitchCurve, width: float, shift: float = 0.0) -> None:
    """Draw a curve with switching points divided by `width`, shifted to keep points apart."""
    switches = drawn_switches(curve)
    rates = [wilson(*curve.cells[switch]) for switch in switches]
    below = [rate.value - rate.low for rate in rates]
    above = [rate.high - rate.value for rate in rates]
    axes.errorbar(
        [(switch + shift) / width for switch in switches],
        [rate.value for rate in rates],
        yerr=(below, above),
        label=curve.filter if width == 1 else f"{curve.size}x{curve.size}",
        marker="o",
        markersize=3,
        linewidth=1,
        elinewidth=0.6,
    )


def _draw_scaled(study: Study, sweep: Sweep) -> None:
    """Draw the filters played on several board sizes against the share of the board."""
    by_filter: dict[str, list[SwitchCurve]] = defaultdict(list)
    for curve in sweep.curves.values():
        if curve.cells and curve.filter != PLAIN:
            by_filter[curve.filter].append(curve)
    several = {name: curves for name, curves in by_filter.items() if len(curves) > 1}
    if not several:
        return
    study.add_section("Scaling", "Whether the effect depends only on the share of legal moves.")
    caption = f"{_side(sweep)}'s win rate by switching point, as a share of the board's points."
    with study.figure("scaled", caption, (4.5 * len(several), 3.8)) as figure:
        panels = figure.subplots(1, len(several), sharey=True, squeeze=False)[0]
        for panel, (name, curves) in zip(panels, several.items(), strict=True):
            for curve in curves:
                _draw_curve(panel, curve, float(curve.size * curve.size))
            panel.set_title(name)
            panel.set_xlabel("switching point / points")
            panel.legend(fontsize="small")


def filters_named(text: str) -> tuple[str, ...]:
    """Parse comma-separated filters or `all`; raise TengenError."""
    if text == "all":
        return tuple(FILTERS)
    names = tuple(text.split(","))
    for name in names:
        if name not in FILTERS:
            raise TengenError(f"unknown filter {name!r}: use one of {', '.join(FILTERS)}")
    return names


def shares_named(text: str | None) -> tuple[float, ...]:
    """Parse comma-separated shares, SHARES for None; raise TengenError."""
    if text is None:
        return SHARES
    try:
        shares = tuple(float(word) for word in text.split(","))
    except ValueError:
        shares = ()
    if not shares or not all(0 < share < 1 for share in shares):
        raise TengenError(f"shares must be between 0 and 1, got {text!r}")
    return shares


def run(arguments: argparse.Namespace) -> int:
    """Run the sweep of a command line and print the path of its report."""
    check_workers(arguments.workers, arguments.cluster)
    rules = SweepRules(
        playouts=arguments.playouts,
        color=BLACK if arguments.color == "black" else WHITE,
        fills_eyes=arguments.fill_eyes,
        stencil=arguments.stencil,
        seed=arguments.seed,
        komi=arguments.komi,
    )
    effort = Effort(
        filters=filters_named(arguments.filters),
        sizes=tuple(board_sizes(arguments.sizes, smallest=2)),
        shares=shares_named(arguments.shares),
        least=arguments.least,
        most=arguments.games,
        margin=arguments.margin,
        minutes=arguments.minutes,
    )
    print(run_study(arguments.output, rules, effort, arguments.workers, arguments.cluster))
    return 0


def run_study(
    folder: Path, rules: SweepRules, effort: Effort, workers: int, cluster: str | None
) -> Path:
    """Start or resume a sweep; return the report, which is also written after an interruption."""
    if rules.stencil not in STENCILS:
        raise TengenError(f"unknown stencil {rules.stencil!r}: use one of {', '.join(STENCILS)}")
    settings = asdict(rules) | {"color": rules.color.name.lower()}
    study = Study(folder, "Potential filters: sweep", settings)
    sweep = Sweep(study.table("games", COLUMNS), rules, effort)
    try:
        with _progress(sweep) as watch:
            run_sweep(sweep, open_workers(workers, cluster), watch)
    finally:
        page = write_sweep_report(study, sweep)
    return page


@contextmanager
def _progress(sweep: Sweep) -> Iterator[Callable[[Sweep], None]]:
    """Yield an observer that shows the games played and left."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"))
    times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True)) as progress:
        task = progress.add_task("games", note="")

        def watch(state: Sweep) -> None:
            curves = [curve for curve in state.curves.values() if curve.filter != PLAIN]
            still_open = sum(len(state.wanted(curve)) for curve in curves)
            played, left = len(state.rows), state.games_left()
            note = f"{played:,} of {played + left:,}; {still_open} switching points open"
            progress.update(task, total=played + left, completed=played, note=note)

        watch(sweep)
        yield watch
