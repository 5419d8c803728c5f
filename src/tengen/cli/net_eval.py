"""`tengen net eval`: measure how well a net knows games it has not seen."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from tengen.cli.reading import INTERRUPTED
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import sentence
from tengen.network.folder import find_net

WHERE = "its name (see `tengen net list`) or a file"


def add_action(actions: Any) -> None:
    """Add the sub-command; it sets `action`, which takes the arguments."""
    summary = "measure how well a net knows games it has not seen"
    parser = actions.add_parser("eval", help=summary, description=sentence(summary))
    parser.set_defaults(action=run_eval)
    parser.add_argument("net", metavar="NET", help=WHERE)
    parser.add_argument(
        "games", metavar="GAMES", nargs="+", help="records: file, folder, .zip or .tar.*"
    )
    parser.add_argument(
        "--positions", type=positive_int, default=2000, help="how many to look at (default 2000)"
    )
    parser.add_argument(
        "--each", type=positive_int, default=10, help="positions of a game (default 10)"
    )
    parser.add_argument("--seed", type=positive_int, default=1, help="of the draw (default 1)")
    parser.add_argument(
        "--symmetry",
        default="none",
        choices=["none", "draw", "average"],
        help="see the board as it is, from a side that is drawn, or the mean of all (default none)",
    )
    parser.add_argument("--threads", type=positive_int, default=1, help="default 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_eval(arguments: argparse.Namespace) -> int:
    """Measure and print; after Ctrl-C print what was counted so far, and say so."""
    from tengen.network.accuracy import Accuracy, examples, measure
    from tengen.network.net import NetSettings
    from tengen.network.onnx import load_net
    from tengen.records.source import documents

    for path in arguments.games:
        documents(path)  # what is not there is told at once, before anything is begun
    settings = NetSettings(symmetry=arguments.symmetry, threads=arguments.threads, cache_mib=0)
    net = load_net(find_net(arguments.net), settings)
    drawn = islice(examples(arguments.games, arguments.each, arguments.seed), arguments.positions)
    counts, is_partial = Accuracy(), False
    try:
        with _bar(arguments.positions) as show:
            for counts in measure(net, drawn):
                show(counts.positions)
    except KeyboardInterrupt:
        is_partial = True
    if not (counts.positions or is_partial):
        raise TengenError(
            f"no position to look at in {', '.join(arguments.games)}: it wants games on boards"
            " from 7x7 on"
        )
    _print_accuracy(net.name, counts.as_json(), is_partial, arguments.json)
    return INTERRUPTED if is_partial else 0


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that shows how many are done, on a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("evaluating", total=total)
        yield lambda done: progress.update(task, completed=done)


def _print_accuracy(name: str, figures: dict[str, Any], is_partial: bool, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"net": name, "partial": is_partial, **figures}))
        return
    if is_partial:
        print("Partial: interrupted before the end.")
    shares = {"top1", "top5", "winner_right"}
    for key, value in figures.items():
        if value is None:
            print(f"{key:18} not known")
        else:
            print(f"{key:18} {value:.1%}" if key in shares else f"{key:18} {value:,.4g}")
