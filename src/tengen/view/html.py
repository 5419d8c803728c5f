"""HTML pages from Jinja2 templates, with shared style, tables and inline figures.

Pages are self-contained: style and SVG figures are part of the page. Text is escaped unless it
is `Markup`.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Section:
    """One section of a report: heading, paragraphs, a table or figure, and a note below it."""

    heading: str = ""
    text: Sequence[str] = ()
    content: Markup = Markup("")  # noqa: S704
    note: str = ""


@dataclass(frozen=True)
class Column:
    """A table column: heading, CSS class and position in the rows."""

    heading: str
    kind: str
    index: int


def render(template: str, **context: object) -> Markup:
    """Return a rendered template from the `templates` folder; undefined names raise."""
    return Markup(_environment().get_template(template).render(context))


def render_report(title: str, sections: Sequence[Section], summary: str = "") -> str:
    """Return a report page: a title, a summary line and sections."""
    return str(render("report.html", title=title, summary=summary, sections=sections))


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """Return a table without its empty columns; an empty `headings` omits the header row.

    Columns of numbers are right-aligned and do not wrap.
    """
    texts = [[_cell_text(cell) for cell in row] for row in rows]
    columns = [list(column) for column in zip(*texts, strict=True)]
    names = headings or [""] * len(columns)
    kept = [
        Column(names[index], _column_class(column), index)
        for index, column in enumerate(columns)
        if any(column)
    ]
    if not columns:
        kept = [Column(heading, "", index) for index, heading in enumerate(headings)]
    return render("table.html", columns=kept, rows=texts, has_header=bool(headings))


def figure_svg(figure: "Figure") -> str:
    """Return a Matplotlib figure as an SVG document."""
    text = io.StringIO()
    figure.savefig(text, format="svg")
    return text.getvalue()


def inline_svg(document: str) -> Markup:
    """Return an SVG document without its XML header, for use inside a page."""
    return Markup(document[document.index("<svg") :])


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("tengen.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _cell_text(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _column_class(column: Sequence[str]) -> str:
    """Return the CSS class: `number`, `words` for cells with spaces, or none."""
    if not any(text[:1].isalpha() for text in column):
        return "number"
    return "words" if any(" " in text for text in column) else ""
