"""`tengen net`: neural nets: bring them in, look at them, measure what they know."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tengen.cli import net_eval, net_label, net_play, net_train
from tengen.cli.arguments import run_action
from tengen.cli.net_eval import WHERE
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import sentence
from tengen.network.folder import EIGHT_BITS, SUFFIX, find_net, known_nets, net_folder

GAMES = 4
"""That a net plays with itself on each board size, to be fitted to eight bits."""
GAMES_OF_LARGE = 2
"""The same for nets that take a tenth of a second for a move and more."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands; each sets `action`, which takes the arguments."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_list(actions)
    _add_info(actions)
    _add_import(actions)
    _add_get(actions)
    _add_quantise(actions)
    net_eval.add_action(actions)
    net_play.add_action(actions)
    net_label.add_action(actions)
    net_train.add_actions(actions)


run = run_action


def _add(actions: Any, name: str, summary: str, action: Callable[..., int]) -> Any:
    parser = actions.add_parser(name, help=summary, description=sentence(summary))
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


def _target(given: Path | None, usual: Path) -> Path:
    """Return where to write a net; raise TengenError where one would not be found again."""
    if given is None:
        return usual
    if given.is_dir():
        raise TengenError(f"{given} is a folder: name a file in it, like {given / usual.name}")
    if given.suffix != SUFFIX:
        raise TengenError(f"nets are {SUFFIX} files: -o {given}{SUFFIX}")
    return given


def run_import(arguments: argparse.Namespace) -> int:
    """Read a KataGo file and write a net."""
    name = arguments.model.name.removesuffix(".gz").removesuffix(".bin")
    _import(arguments.model, _target(arguments.output, net_folder() / f"{name}{SUFFIX}"))
    return 0


def _import(source: Path, target: Path) -> None:
    from tengen.network.katago.importer import import_net

    model = import_net(source, target)
    size = f"{len(model.trunk.blocks)} blocks of {model.channels} channels"
    print(f"{model.name}: {size}, KataGo's format {model.version}, now in {target}")


def _add_get(actions: Any) -> None:
    from tengen.network.katago.wheels import NETS

    parser = _add(actions, "get", "get a net of KataGo's from the Python package index", run_get)
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(NETS)}")
    _add_output(parser)
    parser.add_argument(
        "--floats",
        action="store_true",
        help="only as it is, not in eight bits (NAME-int8, more than twice as fast) as well",
    )


def run_get(arguments: argparse.Namespace) -> int:
    """Get a net with pip, check it, bring it in, and write it in eight bits too."""
    import tempfile

    from rich.console import Console

    from tengen.network.katago.wheels import get_net

    target = _target(arguments.output, net_folder() / f"{arguments.name}{SUFFIX}")
    with tempfile.TemporaryDirectory() as scratch:
        with Console(stderr=True).status("getting the net") as status:
            source = get_net(arguments.name, Path(scratch), status.update)
        _import(source, target)
    if not arguments.floats:
        _write_in_eight_bits(target, _beside(target), GAMES_OF_LARGE)
    return 0


# quantise


def _add_quantise(actions: Any) -> None:
    summary = (
        "write a net with eight-bit numbers: about half as fast again (own nets) or more than twice"
        " as fast (KataGo's), a little less exact"
    )
    parser = _add(actions, "quantise", summary, run_quantise)
    parser.add_argument("net", metavar="NET", help=WHERE)
    _add_output(parser)
    parser.add_argument(
        "--bits",
        type=int,
        choices=[7, 8],
        default=7,
        help="of a weight: 7 (default) is right on every processor, 8 is better with VNNI",
    )
    parser.add_argument(
        "--games",
        type=positive_int,
        default=GAMES,
        help=f"games a board size that the net plays with itself, to be fitted (default {GAMES})",
    )
    parser.add_argument("--seed", type=positive_int, default=1, help="of the games (default 1)")


def run_quantise(arguments: argparse.Namespace) -> int:
    """Let a net play, fit eight-bit numbers to what goes on in it, and write them."""
    source = find_net(arguments.net)
    target = _target(arguments.output, _beside(net_folder() / source.name))
    _write_in_eight_bits(source, target, arguments.games, arguments.seed, arguments.bits)
    return 0


def _beside(net: Path) -> Path:
    """Return where a net in eight bits is written unless told otherwise."""
    return net.with_name(f"{net.stem}{EIGHT_BITS}{SUFFIX}")


def _write_in_eight_bits(
    source: Path, target: Path, games: int = GAMES, seed: int = 1, bits: int = 7
) -> None:
    from rich.console import Console

    from tengen.network.calibration import write_in_eight_bits

    doing = "the net plays with itself to be fitted to eight bits; a large one takes some minutes"
    with Console(stderr=True).status(doing):
        count = write_in_eight_bits(source, target, games, seed, bits)
    print(f"{source.stem} in eight bits, fitted to {count} positions, now in {target}")
