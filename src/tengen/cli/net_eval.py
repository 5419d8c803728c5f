"""`tengen net eval`: accuracy, agreement with a teacher, and calibration of a network."""

import argparse
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.options import NET_HELP, PATHS_HELP, add_json, reading_bar, work_bar
from tengen.cli.parser import INTERRUPTED, add_action
from tengen.nets import Accuracy, find_net
from tengen.util import TengenError, current_command, positive_int, write_results

if TYPE_CHECKING:
    from rich.progress import Progress

    from tengen.nets import (
        Agreement,
        Case,
        Curve,
        ExampleSource,
        Figure,
        Net,
        NetSettings,
        PositionEvaluator,
    )

WHOLE_GAMES = 20
SPARE_GAMES = 2
"""Games kept for each one that is needed, since some are short."""
PRESET = "laptop"
"""Preset of the search with `--visits`, with its network replaced."""
DETAILS = """\
Positions are drawn from a random sample of the games, or from a folder of labeled positions, whose
labels are then the teacher.

  tengen net eval mynet/net.onnx GAMES
  tengen net eval default GAMES --teacher b15c192-int8
  tengen net eval mynet-int8.onnx GAMES --against mynet/net.onnx
  tengen net eval default GAMES --teacher b15c192-int8 --calibration -o calibration.csv"""
CURVE = ("predicted", "won")
"""Figures of the reliability curve."""
PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def add_eval(actions: Any) -> None:
    """Add `eval`."""
    summary = "measure accuracy, agreement with a teacher, and calibration of a network"
    parser = add_action(actions, "eval", summary, run_eval, f"\n\n{DETAILS}")
    add = parser.add_argument
    add("net", metavar="NET", help=NET_HELP)
    add("games", metavar="GAMES", nargs="*", help=f"{PATHS_HELP}; or a folder of labels")
    add(
        "--teacher",
        "--against",
        metavar="NET",
        help="compare with another network, for example a larger one or the float version, or "
        "with a folder of labels",
    )
    add("--positions", type=positive_int, default=2000, help="positions per board size")
    add("--each", type=positive_int, default=10, help="positions per game")
    add(
        "--held-out",
        type=positive_int,
        default=1,
        metavar="N",
        help="use only the games that training holds out with the same option (default: 1, all)",
    )
    add("--seed", type=positive_int, default=1, help="random seed of the sampling")
    add(
        "--symmetry",
        default="none",
        choices=["none", "random", "average"],
        help="evaluate the board as it is, in a random symmetry, or averaged over all symmetries ",
    )
    add("--threads", type=positive_int, default=1, help="threads")
    _add_calibration(parser)
    add_json(parser)
    add("-o", "--output", type=Path, metavar="FILE", help="also write the tables to a CSV file")


def _add_calibration(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("calibration")
    add = group.add_argument
    add(
        "--calibration",
        action="store_true",
        help="measure the bias for the side to move, steps in whole games, and reliability",
    )
    add(
        "--whole-games",
        type=positive_int,
        default=WHOLE_GAMES,
        metavar="N",
        help="whole games per board size",
    )
    add(
        "--visits",
        type=positive_int,
        help="also search the positions of the whole games (default: no search)",
    )
    add("--plot", type=Path, metavar="FILE", help="write the reliability curve as an image")


def run_eval(arguments: argparse.Namespace) -> int:
    """Measure and print; after Ctrl-C, the figures of the positions so far."""
    _check(arguments)
    net, teacher = _load_nets(arguments)
    source = _source(arguments)
    found = Measurements(arguments.calibration, net.name, getattr(teacher, "name", None))
    is_partial = False
    bar = work_bar()
    bar.disable = not bar.console.is_terminal
    try:
        with bar:
            found.measure_positions(net, teacher, source, arguments, bar)
            if arguments.calibration:
                found.measure_games(net, teacher, source, arguments, bar)
    except KeyboardInterrupt:
        is_partial = True
    _report(found, arguments, is_partial)
    return INTERRUPTED if is_partial else 0


def _check(arguments: argparse.Namespace) -> None:
    """Resolve a teacher that is a label folder; raise TengenError for unusable options."""
    from tengen.nets.training import is_label_folder
    from tengen.records import find_documents

    if arguments.teacher is not None and is_label_folder(Path(arguments.teacher)):
        if arguments.games:
            raise TengenError(
                f"{arguments.teacher} contains its own positions: leave out"
                f" {' '.join(arguments.games)}, or name a network as the teacher"
            )
        arguments.games, arguments.teacher = [arguments.teacher], None
    if not arguments.games:
        raise TengenError("no positions: name game records or a folder of labels")
    arguments.labels = any(is_label_folder(Path(path)) for path in arguments.games)
    if arguments.labels and len(arguments.games) > 1:
        raise TengenError("a folder of labels must be the only path")
    if not arguments.labels:
        for path in arguments.games:
            find_documents(path)  # report missing files before starting
    if not arguments.calibration and (arguments.visits or arguments.plot):
        raise TengenError("--visits and --plot require --calibration")
    if arguments.plot is not None and arguments.plot.suffix not in PLOT_SUFFIXES:
        raise TengenError(f"{arguments.plot}: a plot must end in {', '.join(PLOT_SUFFIXES)}")
    if arguments.plot is not None and arguments.labels:
        raise TengenError("--plot needs games with results; labels have none")
    for path in (arguments.output, arguments.plot):
        if path is not None and path.is_dir():
            raise TengenError(f"{path} is a folder: name a file")
        if path is not None and not path.parent.is_dir():
            raise TengenError(f"no such folder: {path.parent}")


def _settings(arguments: argparse.Namespace) -> "NetSettings":
    from tengen.nets import NetSettings

    return NetSettings(symmetry=arguments.symmetry, threads=arguments.threads, cache_mib=0)


def _load_nets(arguments: argparse.Namespace) -> "tuple[Net, Net | None]":
    from tengen.nets import load_net_named

    settings = _settings(arguments)
    net = load_net_named(arguments.net, settings)
    if arguments.teacher is None:
        return net, None
    return net, load_net_named(arguments.teacher, settings)


def _source(arguments: argparse.Namespace) -> "ExampleSource":
    from tengen.nets import LabelExamples, RecordExamples

    if arguments.labels:
        return LabelExamples(Path(arguments.games[0]), arguments.seed, arguments.held_out)
    needed = max(SPARE_GAMES * arguments.positions // arguments.each, arguments.whole_games) + 1
    with reading_bar([]) as (_, show):
        return RecordExamples(arguments.games, arguments.seed, arguments.held_out, needed, show)


@dataclass
class Measurements:
    """What was measured so far, by board size."""

    calibrates: bool
    net: str
    teacher: str | None
    accuracy: Accuracy = field(default_factory=Accuracy)
    agreements: "dict[str, list[Agreement]]" = field(default_factory=dict)
    cases: "dict[str, list[Case]]" = field(default_factory=dict)
    curves: "dict[str, list[Curve]]" = field(default_factory=dict)

    def measure_positions(
        self,
        net: "Net",
        teacher: "Net | None",
        source: "ExampleSource",
        arguments: argparse.Namespace,
        bar: "Progress",
    ) -> None:
        """Evaluate random positions of each board size."""
        from tengen.nets import compare, measure, to_case

        for size in source.sizes():
            task = bar.add_task(f"{size} positions", total=arguments.positions)
            drawn = source.drawn(size, arguments.positions, arguments.each)
            for batch in measure(net, teacher, drawn, swaps=self.calibrates):
                for measured in batch:
                    self.accuracy.add(measured.example, measured.net)
                    if measured.teacher is not None:
                        agreement = compare(measured.example.game, measured.net, measured.teacher)
                        self.agreements.setdefault(str(size), []).append(agreement)
                    if self.calibrates:
                        self.cases.setdefault(str(size), []).append(to_case(measured))
                bar.advance(task, len(batch))

    def measure_games(
        self,
        net: "Net",
        teacher: "Net | None",
        source: "ExampleSource",
        arguments: argparse.Namespace,
        bar: "Progress",
    ) -> None:
        """Evaluate all positions of some games of each board size."""
        from tengen.nets import NET, SEARCH, TEACHER, trace

        evaluators: dict[str, PositionEvaluator] = {NET: net}
        if teacher is not None:
            evaluators[TEACHER] = teacher
        if arguments.visits:
            evaluators[SEARCH] = _searcher(arguments)
        for size in source.sizes():
            task = bar.add_task(f"{size} games", total=arguments.whole_games)
            for game in source.whole_games(size, arguments.whole_games):
                self.curves.setdefault(str(size), []).append(trace(game, evaluators))
                bar.advance(task)

    def agreement_figures(self) -> "list[Figure]":
        """Return the agreement with the teacher."""
        from tengen.nets import agreement_figures

        return [
            figure
            for size, found in self.agreements.items()
            for figure in agreement_figures(size, found)
        ]

    def calibration_figures(self) -> "list[Figure]":
        """Return the calibration, by board size."""
        from tengen.nets import curve_figures, position_figures

        figures: list[Figure] = []
        for size, cases in self.cases.items():
            figures += position_figures(size, cases)
            figures += curve_figures(size, self.curves.get(size, []))
        return figures


def _searcher(arguments: argparse.Namespace) -> "PositionEvaluator":
    """Return a search of each position from scratch, with the settings of the default player."""
    from tengen.engine import EngineSettings, SearchTeacher

    net = find_net(arguments.net)
    overrides = [
        f"preset={PRESET}",
        f"net={net}",
        f"playouts={arguments.visits}",
        f"threads={arguments.threads}",
        f"seed={arguments.seed}",
    ]
    settings = EngineSettings().with_overrides(overrides)
    return SearchTeacher(settings, settings.play.limit)


# Output


def _report(found: Measurements, arguments: argparse.Namespace, is_partial: bool) -> None:
    agreement, calibration = found.agreement_figures(), found.calibration_figures()
    rows = [figure.as_row() for figure in (*agreement, *calibration)]
    if arguments.output is not None:
        settings = {"net": arguments.net, "teacher": arguments.teacher or arguments.games}
        settings |= {"positions": arguments.positions, "seed": arguments.seed}
        write_results(arguments.output, rows, current_command(), settings)
    if arguments.plot is not None and calibration:
        _plot(calibration, arguments.plot)
    if arguments.json:
        _print_json(found, agreement, calibration, is_partial)
        return
    if is_partial:
        print("Interrupted: the results are partial.")
    if not arguments.labels:
        _print_accuracy(found.accuracy.as_json())
    _print_figures(f"Agreement with {found.teacher or arguments.games[0]}", agreement)
    _print_figures("Calibration", calibration)
    for path in (arguments.output, arguments.plot):
        if path is not None and path.exists():
            print(f"written to {path}")


def _print_json(
    found: Measurements, agreement: "list[Figure]", calibration: "list[Figure]", is_partial: bool
) -> None:
    result: dict[str, Any] = {"net": found.net, "partial": is_partial, **found.accuracy.as_json()}
    if agreement:
        result |= {"teacher": found.teacher or "labels"}
        result |= {"agreement": [figure.as_row() for figure in agreement]}
    if found.calibrates:
        result |= {"calibration": [figure.as_row() for figure in calibration]}
    print(json.dumps(result))


def _print_accuracy(figures: dict[str, Any]) -> None:
    shares = {"top1", "top5", "winner_right"}
    for key, value in figures.items():
        if value is None:
            print(f"{key:18} unknown")
        else:
            print(f"{key:18} {value:.1%}" if key in shares else f"{key:18} {value:,.4g}")


def _print_figures(title: str, figures: "list[Figure]") -> None:
    """Print a table of figures; the reliability curve is a separate table."""
    curves = _reliability_curves(figures)
    rows = [figure for figure in figures if figure.name.rpartition("_")[2] not in CURVE]
    if rows:
        print(f"\n{title}, with 95% intervals:\n")
        print("size   part             figure               subset      value  interval")
    for size, part, name, subset, estimate in rows:
        value, interval = f"{estimate.value:9.4f}", _interval(estimate.low, estimate.high)
        print(f"{size:6} {part:16} {name:20} {subset:8}{value}  {interval}")
    for label, points in curves.items():
        print(f"\nReliability, {label}:\n\npredicted  won     interval")
        for predicted, won, low, high in points:
            print(f"{predicted:9.4f}  {won:.4f}  {_interval(low, high)}")


def _interval(low: float, high: float) -> str:
    return "unknown" if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def _plot(figures: "list[Figure]", path: Path) -> None:
    """Draw predicted against observed winning probability, by board size and evaluator."""
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")  # works without a display
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=(5.5, 5), layout="constrained")
    axes = canvas.add_subplot()
    axes.plot([0, 1], [0, 1], color="gray", linewidth=0.8)
    for label, points in _reliability_curves(figures).items():
        x, y, low, high = zip(*points, strict=True)
        # NaN is the interval of a single game.
        errors = np.abs(np.nan_to_num([np.subtract(y, low), np.subtract(high, y)]))
        axes.errorbar(x, y, yerr=errors, label=label, marker="o", markersize=3, capsize=2)
    axes.set_xlabel("predicted winning probability of the side to move")
    axes.set_ylabel("share of games won")
    axes.legend(fontsize="small")
    canvas.savefig(path)


def _reliability_curves(figures: "list[Figure]") -> dict[str, list[tuple[float, ...]]]:
    """Return (predicted, won, low, high) of each bin, by board size and evaluator."""
    values = {
        (figure.size, figure.name, figure.subset): figure.estimate
        for figure in figures
        if figure.part == "reliability"
    }
    curves: dict[str, list[tuple[float, ...]]] = {}
    for (size, name, subset), won in values.items():
        prefix, is_won, _ = name.rpartition("won")
        if is_won:
            predicted = values[size, f"{prefix}predicted", subset].value
            label = f"{size}, {'teacher' if prefix else 'network'}"
            curves.setdefault(label, []).append((predicted, *won[:3]))
    return curves
