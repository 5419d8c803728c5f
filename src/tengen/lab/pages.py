"""Tables and plots in documentation pages, generated from results files.

A page marks a generated table with

    <!-- results: PAPER/NAME.csv columns=a,b where=size=9,player=x -->
    <!-- end -->

and a generated plot with

    <!-- plot: PAPER/NAME.csv file=img/NAME.svg x=a y=b series=c low=d high=e kind=line -->
    <!-- end -->

Paths are relative to the results folder, `file` is relative to the page. `columns` (default: all)
selects columns and `where` the rows that meet all conditions; words with spaces are quoted:
`"x=switching point"`. Plots use the first number of a cell; error bars come from the columns `low`
and `high` or from intervals such as `55% (45 to 65)` and `0.5 ± 0.1`. `python -m tengen.lab.pages`
rewrites the text between the markers; with `--check` it only reports differences.
"""

import argparse
import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tengen.util import Results, TengenError, read_results

BLOCK = re.compile(r"(<!-- (results|plot): (\S+)(.*?) -->\n)(.*?)(<!-- end -->)", re.S)
DIGEST = "<!-- data: {} -->\n"
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*")
INTERVAL = re.compile(r"\(([-+]?[\d.]+)%? (?:to|-|–|…) ([-+]?[\d.]+)")
ERROR = re.compile(r"± ([\d.]+)")

TABLE_OPTIONS = {"columns", "where"}
PLOT_OPTIONS = {"file", "x", "y", "series", "low", "high", "kind", "where", "xscale", "yscale"}


@dataclass(frozen=True)
class Block:
    """A marked block of a page."""

    page: Path
    results: Path
    options: dict[str, str]

    def read(self) -> Results:
        """Return the results file with the rows that `where` selects."""
        found = read_results(self.results)
        if "where" not in self.options:
            return found
        conditions = [text.partition("=")[::2] for text in self.options["where"].split(",")]
        _check_columns(self.results, found, [column for column, _ in conditions])
        rows = [row for row in found.rows if all(row[name] == value for name, value in conditions)]
        return Results(rows, found.columns, found.properties)


def _check_columns(path: Path, results: Results, names: Sequence[str]) -> None:
    if unknown := [name for name in names if name not in results.columns]:
        known = ", ".join(results.columns)
        raise TengenError(f"{path} has no column {unknown[0]!r}; its columns are {known}")


def _parse_options(page: Path, text: str, known: set[str]) -> dict[str, str]:
    """Parse `name=value` words; raise TengenError for an unknown name."""
    options = {}
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise TengenError(f"{page}: unknown option {word!r}; use {', '.join(sorted(known))}")
        options[name] = value
    return options


# Tables


def markdown_table(results: Results, columns: Sequence[str]) -> str:
    """Return rows as a Markdown table; columns of numbers are aligned to the right."""
    cells = [[row[name].replace("|", "\\|") for name in columns] for row in results.rows]
    rules = ["---:" if _is_numeric(row[i] for row in cells) else "---" for i in range(len(columns))]
    lines = [list(columns), rules, *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _is_numeric(cells: Iterator[str]) -> bool:
    return all(re.match(r"[-+±]?[\d.]|$", cell) for cell in cells)


def _table_text(block: Block) -> str:
    results = block.read()
    wanted = block.options.get("columns")
    columns = wanted.split(",") if wanted else results.columns
    _check_columns(block.results, results, columns)
    return f"\n{markdown_table(results, columns)}\n{_source_line(block, results)}\n"


def _source_line(block: Block, results: Results) -> str:
    """Return the line below a block: the results file and the command that made it."""
    path = Path(os.path.relpath(block.results, block.page.parent)).as_posix()
    return f"Data: [{block.results.name}]({path}), made by `{results.command}`.\n"


# Plots


def _plot_text(block: Block) -> str:
    """Return the text of a plot block; write the picture if its data or options have changed."""
    results, options = block.read(), block.options
    for name in ("file", "x", "y"):
        if name not in options:
            raise TengenError(f"{block.page}: a plot needs the option {name}=")
    names = [options[name] for name in ("x", "y", "series", "low", "high") if name in options]
    _check_columns(block.results, results, names)
    title = f"{options['y']} by {options['x']}"
    return f"\n![{title}]({options['file']})\n\n{_source_line(block, results)}\n"


def _picture_digest(block: Block) -> str:
    results = block.read()
    text = repr((results.rows, sorted(block.options.items())))
    return DIGEST.format(hashlib.sha256(text.encode()).hexdigest()[:16])


def is_picture_current(block: Block) -> bool:
    """Return whether the picture of a plot was made from the current data and options."""
    path = block.page.parent / block.options["file"]
    return path.exists() and _picture_digest(block) in path.read_text(encoding="utf-8")


def write_picture(block: Block) -> None:
    """Draw a plot as an SVG file that contains a digest of its data and options."""
    import matplotlib

    matplotlib.use("Agg")  # works without a display
    from matplotlib.figure import Figure

    from tengen.view import figure_svg

    results, options = block.read(), block.options
    figure = Figure(figsize=(7, 3.8), layout="constrained")
    axes = figure.add_subplot()
    series = options.get("series")
    groups = dict.fromkeys(row[series] for row in results.rows) if series else {"": None}
    for name in groups:
        rows = [row for row in results.rows if series is None or row[series] == name]
        y = [_number(row[options["y"]]) for row in rows]
        errors = _errors(rows, y, options)
        if options.get("kind") == "bar":
            axes.barh([row[options["x"]] for row in rows], y, xerr=errors, label=name, capsize=2)
        else:
            x = [_number(row[options["x"]]) for row in rows]
            axes.errorbar(x, y, yerr=errors, label=name, marker="o", markersize=3, capsize=2)
    _label(axes, options)
    if len(groups) > 1:
        axes.legend(fontsize="small")
    path = block.page.parent / options["file"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(figure_svg(figure) + _picture_digest(block), encoding="utf-8")


def _errors(
    rows: Sequence[Mapping[str, str]], y: Sequence[float], options: Mapping[str, str]
) -> tuple[list[float], list[float]] | None:
    """Return the distances from y to the ends of the intervals, or None."""
    if "low" in options:
        ends = [(_number(row[options["low"]]), _number(row[options["high"]])) for row in rows]
    else:
        ends = [_interval(row[options["y"]]) for row in rows]
    low = [value - end for value, (end, _) in zip(y, ends, strict=True)]
    high = [end - value for value, (_, end) in zip(y, ends, strict=True)]
    return (low, high) if any(low) or any(high) else None


def _number(cell: str) -> float:
    """Return the first number of a cell."""
    match = NUMBER.search(cell)
    if match is None:
        raise TengenError(f"no number in {cell!r}")
    return float(match[0].replace(",", ""))


def _interval(cell: str) -> tuple[float, float]:
    """Return the interval of a cell, or its number twice."""
    if match := INTERVAL.search(cell):
        return float(match[1]), float(match[2])
    value = _number(cell)
    error = float(match[1]) if (match := ERROR.search(cell)) else 0.0
    return value - error, value + error


def _label(axes: Any, options: Mapping[str, str]) -> None:
    if options.get("kind") == "bar":
        axes.invert_yaxis()
        axes.set_xlabel(options["y"])
        axes.set_xscale(options.get("yscale", "linear"))
    else:
        axes.set_xlabel(options["x"])
        axes.set_ylabel(options["y"])
        axes.set_xscale(options.get("xscale", "linear"))
        axes.set_yscale(options.get("yscale", "linear"))
    axes.grid(alpha=0.3)


# Pages


def blocks_of(page: Path, results: Path) -> Iterator[tuple[str, Block]]:
    """Yield kind and block for every marker of a page."""
    for _, kind, path, text, _, _ in BLOCK.findall(page.read_text(encoding="utf-8")):
        known = TABLE_OPTIONS if kind == "results" else PLOT_OPTIONS
        yield kind, Block(page, results / path, _parse_options(page, text, known))


def generated(page: Path, results: Path) -> str:
    """Return the text of a page with all tables and plots regenerated."""
    blocks = blocks_of(page, results)

    def replace(match: re.Match[str]) -> str:
        kind, block = next(blocks)
        body = _table_text(block) if kind == "results" else _plot_text(block)
        return match[1] + body + match[6]

    return BLOCK.sub(replace, page.read_text(encoding="utf-8"))


def is_current(page: Path, results: Path) -> bool:
    """Return whether the tables and plots of a page match the results files."""
    plots = [block for kind, block in blocks_of(page, results) if kind == "plot"]
    return page.read_text(encoding="utf-8") == generated(page, results) and all(
        map(is_picture_current, plots)
    )


def update(page: Path, results: Path) -> None:
    """Rewrite the tables and plots of a page."""
    text = generated(page, results)
    for kind, block in blocks_of(page, results):
        if kind == "plot" and not is_picture_current(block):
            write_picture(block)
    page.write_text(text, encoding="utf-8")


def main() -> int:
    """Update all pages, or check them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tengen.lab.pages", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("docs", type=Path, nargs="?", default=Path("docs"), help="folder of pages")
    parser.add_argument("results", type=Path, nargs="?", default=Path("results"))
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if outdated")
    arguments = parser.parse_args()
    outdated = 0
    for page in sorted(arguments.docs.rglob("*.md")):
        if not is_current(page, arguments.results):
            outdated += 1
            print(f"{'outdated' if arguments.check else 'updated'}: {page}")
            if not arguments.check:
                update(page, arguments.results)
    return int(arguments.check and outdated > 0)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TengenError as error:
        sys.exit(f"tengen: {error}")
