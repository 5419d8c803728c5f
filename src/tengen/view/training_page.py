"""The page of a training run: settings, sources, held-out metrics and curves."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup
from matplotlib.figure import Figure

from tengen.nets.training import PANELS, metrics_figure
from tengen.view.html import Section, figure_svg, html_table, inline_svg, render_report

Rows = Sequence[Mapping[str, str]]
Shares = Sequence[tuple[str, str, int, float]]
"""Path, board size, positions and share of the steps of each source."""

LOSS_PANELS = (
    ("loss", "loss"),
    ("train_policy", "policy"),
    ("train_win", "win"),
    ("train_lead", "lead"),
    ("train_ownership", "ownership"),
)
MORE_PANELS = (
    ("policy_loss", "policy loss"),
    ("lead_error", "error of the lead, in points"),
    ("ownership_error", "error of the ownership"),
)
METRICS = (
    ("games", "games"),
    ("size", "board"),
    ("top_1", "top 1"),
    ("top_5", "top 5"),
    ("policy_loss", "policy loss"),
    ("win_error", "win error"),
    ("lead_error", "lead error"),
    ("ownership_error", "ownership error"),
)


def render_training_page(
    name: str, settings: Mapping[str, object], rows: Rows, shares: Shares
) -> str:
    """Return the page of a run from the rows of `progress.csv`."""
    last = rows[-1] if rows else {}
    sections = [
        Section(
            "Held-out metrics",
            content=_metrics_table([row for row in rows if row["steps"] == last.get("steps")]),
            note="Errors are mean absolute errors. The lead is in points.",
        ),
        Section("Held-out accuracy by training positions", content=_plot(rows, PANELS)),
        Section(content=_plot(rows, MORE_PANELS)),
        Section(
            "Training loss",
            content=_inline(loss_figure(rows)),
            note="Running means of the training batches, which change with the learning rate.",
        ),
        Section(
            "Sources",
            content=html_table(
                ["path", "board", "positions", "share of the steps"],
                [(path, size, count, f"{share:.1%}") for path, size, count, share in shares],
            ),
        ),
        Section("Settings", content=html_table(["setting", "value"], list(settings.items()))),
    ]
    return render_report(f"Training of {name}", sections, _summary(last))


def _summary(last: Mapping[str, str]) -> str:
    if not last:
        return "No checkpoint yet."
    skipped = f" {last['skipped']} steps skipped." if last["skipped"] not in ("", "0") else ""
    return (
        f"{int(last['steps']):,} steps, {int(last['positions']):,} positions,"
        f" {last['cpu_hours'] or '?'} CPU hours, {last['hours']} hours;"
        f" {last['positions_per_cpu_s'] or '?'} positions per CPU second.{skipped}"
    )


def _metrics_table(rows: Rows) -> Markup:
    return html_table(
        [heading for _, heading in METRICS],
        [[_cell(name, row[name]) for name, _ in METRICS] for row in rows],
    )


def _cell(name: str, text: str) -> str:
    if text in ("", "nan"):
        return "unknown"
    return text if name in ("games", "size") else f"{float(text):.3f}"


def loss_figure(rows: Rows) -> Figure:
    """Plot the training loss and its parts."""
    checkpoints = {row["steps"]: {**row, "size": "training", "games": ""} for row in rows}
    return metrics_figure(list(checkpoints.values()), LOSS_PANELS)


def _plot(rows: Rows, panels: Sequence[tuple[str, str]]) -> Markup:
    return _inline(metrics_figure(rows, panels))


def _inline(figure: Figure) -> Markup:
    return inline_svg(figure_svg(figure))
