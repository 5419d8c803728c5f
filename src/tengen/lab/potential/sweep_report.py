"""The report of a sweep: curves, and tables like the paper's Fig. 3 and 4, ours beside theirs."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from tengen.board.colour import BLACK
from tengen.lab.potential.bands import Games, band_rows, games_by_trunk
from tengen.lab.potential.border import Border
from tengen.lab.potential.no_worse import NoWorse, no_worse
from tengen.lab.potential.paper import BORDERS, PLAIN, PLAYOUTS, playouts_by_formula
from tengen.lab.potential.sweep import Curve, Sweep
from tengen.lab.study import Study
from tengen.match.stats import Interval, wilson

PANELS = (("random", "pf1", "pf2", "pf3", "pf4"), ("pf5", "pf6", "pf7", "pf8", "pf9"))
"""The filters of Fig. 3 and of Fig. 4."""

Row = dict[str, object]


def write_sweep_report(study: Study, sweep: Sweep) -> Path:
    """Write the report with everything played so far; return its path."""
    counted = _counted(sweep)
    for size in sorted({curve.size for curve in sweep.curves.values() if curve.cells}):
        curves = [curve for curve in sweep.curves.values() if curve.size == size and curve.cells]
        study.text(f"{size}x{size}", _plain_text(sweep, size))
        _draw_curves(study, sweep, curves, size)
        _draw_playouts(study, sweep, size, counted)
        study.show(
            [_border_row(sweep, curve, counted) for curve in curves if curve.filter != PLAIN],
            "Borders, ours as intervals. Playouts a game of the side that filters: by the paper's "
            "formula at the upper end of ours and at the paper's, and counted at the upper end.",
        )
        games = games_by_trunk(sweep.rows, size, sweep.rules.colour is BLACK)
        _show_no_worse(study, sweep, curves, games)
        study.show(
            band_rows(games, size),
            f"{_side(sweep)}'s wins with neighbouring switching points put together, with 95% "
            "intervals, and how much more than plain play that is. Games with one beginning count "
            "once; in brackets, how many beginnings.",
        )
        study.show(
            [row for curve in curves for row in _cell_rows(sweep, curve, counted)],
            "Every switching point that was tried. Games of one filter share their beginnings.",
        )
    _draw_scaled(study, sweep)
    return study.write_report()


def _counted(sweep: Sweep) -> dict[tuple[str, int, int], float]:
    """Return the mean of the filtering side's playouts a game by filter, size and switch."""
    column = f"counted_{sweep.rules.colour.name.lower()}"
    groups: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    for row in sweep.rows:
        groups[row["filter"], int(row["size"]), int(row["switch"])].append(int(row[column]))
    return {key: fmean(values) for key, values in groups.items()}


def plain_rate(sweep: Sweep, size: int) -> Interval:
    """Return the win rate of the filtering colour between two plain players."""
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
    """Return who filters."""
    return sweep.rules.colour.name.capitalize()


def _percent(rate: Interval) -> str:
    return f"{rate.value:.1%} ({100 * rate.low:.0f} to {100 * rate.high:.0f})"


def _cell_rows(
    sweep: Sweep, curve: Curve, counted: dict[tuple[str, int, int], float]
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


def _border_row(sweep: Sweep, curve: Curve, counted: dict[tuple[str, int, int], float]) -> Row:
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
        "paper, by formula": f"{theirs.total:,}",
        "paper saved": f"{theirs.reduction:.1%}",
    }


def _show_no_worse(study: Study, sweep: Sweep, curves: Iterable[Curve], games: Games) -> None:
    """Show how far down each filter is no worse than plain play, as a table and as a picture."""
    size = next(iter(curves)).size
    found = {
        name: place
        for name in (*PANELS[0], *PANELS[1])
        if (place := no_worse(games, name, size, sweep.effort.margin))
    }
    if not found:
        return
    caption = (
        f"By a smooth curve through all games of a filter: the lowest switching point at which "
        f"{_side(sweep)} wins at most {100 * sweep.effort.margin:.0f} points less than plain "
        "play, with its 95% interval, "
    )
    study.show(
        [
            {
                "filter": name,
                "no worse down to": str(place),
                "paper's border": BORDERS[name].get(size) or "-",
                "saved": f"{playouts_by_formula(size * size, place.best).reduction:.1%}",
            }
            for name, place in found.items()
        ],
        caption + "and the playouts that this saves by the formula.",
    )
    with study.figure(
        f"no-worse-{size}", caption + "and the paper's border (x).", (6, 3)
    ) as figure:
        _draw_no_worse(figure.subplots(), found, size)


def _draw_no_worse(axes: Any, found: dict[str, NoWorse], size: int) -> None:
    """Draw an interval for each filter; at the right end it is worse wherever it is on."""
    whole = size * size
    for height, (name, place) in enumerate(found.items()):
        best, low, high = (whole if at is None else at for at in place[:3])
        axes.plot((low, high), (height, height), color="C0", linewidth=3, alpha=0.4)
        axes.plot(best, height, "o", color="C0")
        axes.plot(BORDERS[name].get(size) or whole, height, "x", color="C3")
    axes.set_yticks(range(len(found)), found)
    axes.invert_yaxis()
    axes.set_xlabel("switching point")


def _counted_text(curve: Curve, border: Border, counted: dict[tuple[str, int, int], float]) -> str:
    plain = [
        value for (name, size, _), value in counted.items() if (name, size) == (PLAIN, curve.size)
    ]
    if border.high is None or not plain:
        return "-"
    here = counted[curve.filter, curve.size, border.high]
    return f"{here:,.0f} of {plain[0]:,.0f}, {1 - here / plain[0]:.1%} saved"


def _draw_curves(study: Study, sweep: Sweep, curves: list[Curve], size: int) -> None:
    caption = (
        f"{_side(sweep)}'s win rate on {size}x{size} by switching point, with 95% intervals. "
        "Grey: plain against plain."
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
    """Draw what a game costs the side that filters: counted, and by the paper's formula."""
    caption = (
        f"Playouts a game on {size}x{size} of the side that filters: counted (a dot for each "
        "filter; at the right without one), and by the paper's formula."
    )
    points, playouts = size * size, sweep.rules.playouts
    with study.figure(f"playouts-{size}", caption, (5, 3.4)) as figure:
        axes = figure.subplots()
        here = {key: mean for key, mean in counted.items() if key[1] == size}
        axes.scatter([key[2] for key in here], list(here.values()), s=8, label="counted")
        switches = range(points % 2 + 2, points + 1, 2)
        totals = [playouts_by_formula(points, switch, playouts).total for switch in switches]
        axes.plot(switches, totals, color="0.5", label="by the paper's formula")
        axes.set_xlabel("switching point")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")


def _draw_plain(axes: Any, rate: Interval) -> None:
    axes.axhspan(rate.low, rate.high, color="0.9")
    axes.axhline(rate.value, color="0.6", linewidth=1)


def drawn_switches(curve: Curve) -> list[int]:
    """Return the switching points of a curve; those just begun would hide the others."""
    most = max(cell.games for cell in curve.cells.values())
    return [switch for switch in sorted(curve.cells) if 10 * curve.cells[switch].games >= most]


def _draw_curve(axes: Any, curve: Curve, width: float, shift: float = 0.0) -> None:
    """Draw a curve with its switching points divided by `width`, moved a little to be seen."""
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
    """Draw the filters that were tried on several boards, scaled to the same width."""
    by_filter: dict[str, list[Curve]] = defaultdict(list)
    for curve in sweep.curves.values():
        if curve.cells and curve.filter != PLAIN:
            by_filter[curve.filter].append(curve)
    several = {name: curves for name, curves in by_filter.items() if len(curves) > 1}
    if not several:
        return
    study.text("The same width", "Does the effect depend only on the share of legal moves?")
    caption = f"{_side(sweep)}'s win rate by switching point, divided by the points of the board."
    with study.figure("scaled", caption, (4.5 * len(several), 3.8)) as figure:
        panels = figure.subplots(1, len(several), sharey=True, squeeze=False)[0]
        for panel, (name, curves) in zip(panels, several.items(), strict=True):
            for curve in curves:
                _draw_curve(panel, curve, float(curve.size * curve.size))
            panel.set_title(name)
            panel.set_xlabel("switching point / points")
            panel.legend(fontsize="small")
