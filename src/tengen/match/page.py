"""A page of HTML that needs nothing beside it, and its tables."""

import html
from collections.abc import Iterable, Sequence

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; display: block; overflow-x: auto; }
th, td { padding: 0.25rem 0.6rem; text-align: left; border-bottom: 1px solid #ddd;
  vertical-align: top; }
th { vertical-align: bottom; }
p { max-width: 62rem; }
td.words { overflow-wrap: break-word; min-width: 9rem; max-width: 44rem; }
.number { text-align: right; }
td.number { white-space: nowrap; }
svg { max-width: 100%; height: auto; }
.note { color: #666; }
"""


def html_frame(title: str, parts: Iterable[str]) -> str:
    """Return a page of parts that are HTML."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    body = "\n".join(parts)
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>\n"


def html_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, without the columns that nobody filled; every cell is escaped.

    Numbers stand on the right and in one line, words on the left. Without headings it has none.
    """
    texts = [[_shown(cell) for cell in row] for row in rows]
    columns = [list(column) for column in zip(*texts, strict=True)]
    filled = [index for index, column in enumerate(columns) if any(column)]
    kept = filled if columns else range(len(headings))
    kinds = {index: _kind(columns[index]) for index in filled}
    lines = [_line("th", headings, kept, kinds)] if headings else []
    lines += [_line("td", row, kept, kinds) for row in texts]
    return f"<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Sequence[str], kept: Iterable[int], kinds: dict[int, str]) -> str:
    parts = (f"<{tag}{kinds.get(i, '')}>{html.escape(cells[i])}</{tag}>" for i in kept)
    return f"<tr>{''.join(parts)}</tr>"


def _kind(column: Sequence[str]) -> str:
    """Return the class of a column's cells: numbers, names, or words that want some room."""
    if not any(text[:1].isalpha() for text in column):
        return " class=number"
    return " class=words" if any(" " in text for text in column) else ""


def _shown(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
