"""Tuning reports: a self-contained HTML page, a CSV table and plots of the parameter values."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from tengen.match.tuning.population import EraRecord, Population
from tengen.match.tuning.spsa import Spsa
from tengen.match.tuning.tuner import Tuner, number_text
from tengen.view import Section, figure_svg, html_table, inline_svg, render_report

matplotlib.use("Agg")

_PLOT_TITLES = {
    Spsa: "Parameters by iteration",
    Population: "Mean of the surviving programs by tournament",
}


def write_tune_report(tuner: Tuner, folder: Path) -> list[Path]:
    """Write `report.html`, `path.csv`, `path.png` and `path.svg`; return their paths."""
    path = tuner_path(tuner)
    figure = path_figure(path)
    page, table, *images = (
        folder / name for name in ("report.html", "path.csv", "path.png", "path.svg")
    )
    for image in images:
        figure.savefig(image)
    table.write_text(path_csv(path), encoding="utf-8")
    page.write_text(html_page(tuner, figure), encoding="utf-8")
    return [page, table, *images]


def tuner_path(tuner: Tuner) -> list[dict[str, float]]:
    """Return the parameter values after each step."""
    if isinstance(tuner, Population):
        return tuner.means
    if isinstance(tuner, Spsa):
        names = [parameter.name for parameter in tuner.parameters]
        return [dict(zip(names, theta.tolist(), strict=True)) for theta in tuner.history]
    return []


def path_csv(path: Sequence[Mapping[str, float]]) -> str:
    """Return one line per step, with empty cells before a parameter is admitted."""
    names = sorted({name for step in path for name in step})
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["step", *names])
    for number, step in enumerate(path):
        writer.writerow([number, *(step.get(name, "") for name in names)])
    return text.getvalue()


def path_figure(path: Sequence[Mapping[str, float]]) -> Figure:
    """Plot one panel per parameter (paper 001, figures 4.5 and 4.6)."""
    names = sorted({name for step in path for name in step})
    figure = Figure(figsize=(8, 1 + 2 * max(len(names), 1)), layout="constrained")
    for place, name in enumerate(names):
        axes = figure.add_subplot(len(names), 1, place + 1)
        steps = [(number, step[name]) for number, step in enumerate(path) if name in step]
        axes.plot([number for number, _ in steps], [value for _, value in steps])
        axes.set_ylabel(name)
        axes.set_xlabel("step" if place == len(names) - 1 else "")
    return figure


def html_page(tuner: Tuner, figure: Figure) -> str:
    """Return the report page."""
    done, planned = tuner.progress
    state = "finished" if tuner.done else "not finished"
    values = [(name, number_text(value)) for name, value in sorted(tuner.recommend().items())]
    sections = [
        Section("Recommended values", content=html_table(["parameter", "value"], values)),
        *(_era_sections(tuner.eras) if isinstance(tuner, Population) else ()),
        Section(
            _PLOT_TITLES.get(type(tuner), "Parameters"), content=inline_svg(figure_svg(figure))
        ),
    ]
    return render_report("Tuning", sections, f"{done} duels of at most {planned}, {state}.")


def _era_sections(eras: Sequence[EraRecord]) -> Iterator[Section]:
    """Yield a table per era with its final intervals (paper 003, tables 9 to 11)."""
    for number, era in enumerate(eras, 1):
        names = [interval.parameter.name for interval in era.intervals]
        cells = [interval.text() for interval in era.intervals]
        changes = [interval.change.name.lower() for interval in era.intervals]
        fixed = [number_text(era.fixed[name]) if name in era.fixed else "–" for name in names]
        rows = [("interval", *cells), ("last period", *changes), ("fixed at", *fixed)]
        heading = f"Era {number}: {era.tournaments} tournaments, {era.periods} periods"
        yield Section(heading, content=html_table(["", *names], rows))
