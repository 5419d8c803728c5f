"""What a tuner has found, as a page with plots, a picture and a CSV table."""

import csv
import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no display is needed, and none may be opened
from matplotlib.figure import Figure

from tengen.match.page import html_frame, html_table
from tengen.match.plots import inside_page, svg_text
from tengen.tune.duel import Tuner
from tengen.tune.parameter import number_text
from tengen.tune.population import EraRecord, Population
from tengen.tune.spsa import Spsa

PATH_TITLES = {Spsa: "Theta over iterations", Population: "Mean of the first six over tournaments"}


def write_tune_report(tuner: Tuner, folder: Path) -> list[Path]:
    """Write `report.html`, `path.csv`, `path.png` and `path.svg`; return their paths."""
    path = tuner_path(tuner)
    figure = path_figure(path)
    page, table, *pictures = (
        folder / name for name in ("report.html", "path.csv", "path.png", "path.svg")
    )
    for picture in pictures:
        figure.savefig(picture)
    table.write_text(path_csv(path), encoding="utf-8")
    page.write_text(html_page(tuner, figure), encoding="utf-8")
    return [page, table, *pictures]


def tuner_path(tuner: Tuner) -> list[dict[str, float]]:
    """Return where the tuner was after each step, by parameter."""
    if isinstance(tuner, Population):
        return tuner.means
    if isinstance(tuner, Spsa):
        names = [parameter.name for parameter in tuner.parameters]
        return [dict(zip(names, theta.tolist(), strict=True)) for theta in tuner.history]
    return []


def path_csv(path: Sequence[Mapping[str, float]]) -> str:
    """Return one line a step; a parameter that was not there yet has an empty cell."""
    names = sorted({name for step in path for name in step})
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["step", *names])
    for number, step in enumerate(path):
        writer.writerow([number, *(step.get(name, "") for name in names)])
    return text.getvalue()


def path_figure(path: Sequence[Mapping[str, float]]) -> Figure:
    """Draw one panel a parameter, as figures 4.5 and 4.6 of paper 001."""
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
    """Return the whole page; it needs nothing beside it."""
    done, planned = tuner.progress
    found = [(name, number_text(value)) for name, value in sorted(tuner.recommend().items())]
    parts = [
        "<h1>Tuning</h1>",
        f"<p>{done} duels of at most {planned}, {'done' if tuner.done else 'not done yet'}.</p>",
        "<h2>Recommended: the mean of the model</h2>",
        html_table(["parameter", "value"], found),
        _eras(tuner.eras) if isinstance(tuner, Population) else "",
        f"<h2>{html.escape(PATH_TITLES.get(type(tuner), 'Path'))}</h2>",
        inside_page(svg_text(figure)),
    ]
    return html_frame("Tuning", parts)


def _eras(eras: Sequence[EraRecord]) -> str:
    """Return a table an era: the intervals at its end, as tables 9 to 11 of paper 003."""
    text = ""
    for number, era in enumerate(eras, 1):
        names = [interval.parameter.name for interval in era.intervals]
        cells = [interval.text() for interval in era.intervals]
        fates = [interval.fate.name.lower() for interval in era.intervals]
        fixed = [number_text(era.fixed[name]) if name in era.fixed else "–" for name in names]
        rows = [("interval", *cells), ("last period", *fates), ("fixed at", *fixed)]
        text += f"<h2>Era {number}: {era.tournaments} tournaments, {era.periods} periods</h2>"
        text += html_table(["", *names], rows)
    return text
