"""`tengen net`: import, quantize, evaluate and train neural networks."""

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli import net_eval, net_label, net_train
from tengen.cli.options import NET_HELP, add_json, work_bar
from tengen.cli.parser import INTERRUPTED, add_action, run_action
from tengen.nets import NET_SUFFIX, available_nets, find_net, net_folder
from tengen.util import TengenError, finite_float, positive_float, positive_int

if TYPE_CHECKING:
    from tengen.board import Position
    from tengen.nets import Net

CALIBRATION_GAMES = 4
"""Self-play games per board size that calibrate a quantized network."""
SELF_PLAY_BATCH = 64
"""Self-play games in one batch."""
PLAY_EXAMPLE = """

  tengen net play default -o selfplay.sgf --games 1000 --size 19 --temperature 0.8
  tengen net distill --teacher b15c192 selfplay.sgf -o mynet \\
      --start default --blocks 6 --channels 64 --rate 0.0015"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    _add_list(actions)
    _add_info(actions)
    _add_import(actions)
    _add_get(actions)
    _add_quantize(actions)
    net_eval.add_eval(actions)
    _add_play(actions)
    net_label.add_label(actions)
    net_train.add_training(actions)


run = run_action


# list and info


def _add_list(actions: Any) -> None:
    summary = "list installed and downloadable networks"
    add_json(add_action(actions, "list", summary, run_list))


def run_list(arguments: argparse.Namespace) -> int:
    """Print installed networks and the names for `tengen net get`."""
    from tengen.nets import DOWNLOADABLE_NETS

    nets = available_nets()
    if arguments.json:
        print(
            json.dumps(
                {"nets": {n: str(p) for n, p in nets.items()}, "to_get": [*DOWNLOADABLE_NETS]}
            )
        )
        return 0
    print(f"Networks in {net_folder()} and bundled networks:")
    for name, path in nets.items():
        print(f"  {name}  ({path.stat().st_size / 1e6:.1f} MB)  {path}")
    if not nets:
        print("  none")
    print("Available with `tengen net get NAME`:")
    for name, net in DOWNLOADABLE_NETS.items():
        print(f"  {name}  {net.meaning}")
    return 0


def _add_info(actions: Any) -> None:
    parser = add_action(actions, "info", "print the metadata of a network", run_info)
    parser.add_argument("net", metavar="NET", help=NET_HELP)
    add_json(parser)


def run_info(arguments: argparse.Namespace) -> int:
    """Print the metadata of a network."""
    from tengen.nets import OnnxModel

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


# import and get


def _add_import(actions: Any) -> None:
    parser = add_action(actions, "import", "import a KataGo network (.bin.gz)", run_import)
    parser.add_argument("model", metavar="MODEL", type=Path, help="KataGo network file")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"{NET_SUFFIX} file to write (default: NAME in the network folder)",
    )


def _target(given: Path | None, default: Path) -> Path:
    """Return the path to write; raise TengenError if it is not a network file name."""
    if given is None:
        return default
    if given.is_dir():
        raise TengenError(f"{given} is a folder: name a file, for example {given / default.name}")
    if given.suffix != NET_SUFFIX:
        raise TengenError(f"a network file must end in {NET_SUFFIX}: use -o {given}{NET_SUFFIX}")
    return given


def run_import(arguments: argparse.Namespace) -> int:
    """Import a KataGo network file."""
    name = arguments.model.name.removesuffix(".gz").removesuffix(".bin")
    _import(arguments.model, _target(arguments.output, net_folder() / f"{name}{NET_SUFFIX}"))
    return 0


def _import(source: Path, target: Path) -> None:
    from tengen.nets.katago import import_net

    model = import_net(source, target)
    size = f"{len(model.trunk.blocks)} blocks of {model.channels} channels"
    print(f"{model.name}: {size}, KataGo format {model.version}, written to {target}")


def _add_get(actions: Any) -> None:
    from tengen.nets import DOWNLOADABLE_NETS

    summary = "download and import a KataGo network from the Python package index"
    parser = add_action(actions, "get", summary, run_get)
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(DOWNLOADABLE_NETS)}")
    _add_output(parser)
    parser.add_argument(
        "--floats",
        action="store_true",
        help="skip the quantized network NAME-int8, which is more than twice as fast",
    )
    parser.add_argument("--json", action="store_true", help="print the progress as JSON lines")


def run_get(arguments: argparse.Namespace) -> int:
    """Download a network with pip, verify, import and quantize it."""
    from tengen.nets import install_net

    target = _target(arguments.output, net_folder() / f"{arguments.name}{NET_SUFFIX}")
    if arguments.json:
        written = install_net(arguments.name, target, _print_stage, not arguments.floats)
        print(json.dumps({"file": str(written)}))
        return 0
    with _stages() as show:
        written = install_net(arguments.name, target, show, not arguments.floats)
    print(f"{arguments.name} written to {target}")
    if written != target:
        print(f"{written.stem}, its faster version, written to {written}")
    return 0


def _print_stage(stage: str, share: float) -> None:
    print(json.dumps({"stage": stage, "share": round(min(share, 1.0), 3)}), flush=True)


@contextmanager
def _stages() -> Iterator[Callable[[str, float], None]]:
    """Yield a function that shows the progress of stages, if stderr is a terminal."""
    from rich.progress import Progress

    from tengen.util import Console

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        tasks: dict[str, Any] = {}

        def show(stage: str, share: float) -> None:
            if stage not in tasks:
                tasks[stage] = progress.add_task(stage, total=1)
            progress.update(tasks[stage], completed=share)

        yield show


# quantize


def _add_quantize(actions: Any) -> None:
    parser = add_action(
        actions,
        "quantize",
        "write an int8 or a float16 version of a network",
        run_quantize,
        "int8 is faster and slightly less accurate. float16 halves the file size and computes "
        "in float32.",
    )
    parser.add_argument("net", metavar="NET", help=NET_HELP)
    _add_output(parser)
    parser.add_argument(
        "--bits",
        type=int,
        choices=[7, 8, 16],
        default=7,
        help="bits per weight: 7 is exact on every CPU, 8 is more accurate with VNNI, 16 is "
        "float16",
    )
    parser.add_argument(
        "--games",
        type=positive_int,
        default=CALIBRATION_GAMES,
        help="calibration games per board size",
    )
    parser.add_argument("--seed", type=positive_int, default=1, help="random seed of the games")


def run_quantize(arguments: argparse.Namespace) -> int:
    """Write the int8 version of a network, calibrated by self-play, or its float16 version."""
    from tengen.nets import int8_path, save_half_precision

    source = find_net(arguments.net)
    if arguments.bits == 16:
        target = _target(arguments.output, net_folder() / f"{source.stem}-fp16{NET_SUFFIX}")
        save_half_precision(source, target)
        print(f"{source.stem} stored in float16, written to {target}")
        return 0
    target = _target(arguments.output, int8_path(net_folder() / source.name))
    _quantize(source, target, arguments.games, arguments.seed, arguments.bits)
    return 0


def _quantize(
    source: Path, target: Path, games: int = CALIBRATION_GAMES, seed: int = 1, bits: int = 7
) -> None:
    from tengen.nets import quantize_net

    with _bar(1, "quantizing") as show:
        count = quantize_net(source, target, games, seed, bits, show)
    print(f"{source.stem} quantized with {count} calibration positions, written to {target}")


@contextmanager
def _bar(total: int, what: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that shows progress, if stderr is a terminal."""
    from rich.progress import Progress

    from tengen.util import Console

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


# play


def _add_play(actions: Any) -> None:
    parser = add_action(
        actions,
        "play",
        "generate self-play games of a network without search",
        run_play,
        "Moves are sampled from the policy. The games contain positions that games of strong "
        f"players lack; `tengen net distill` learns from them.{PLAY_EXAMPLE}",
    )
    add = parser.add_argument
    add("net", metavar="NET", help=NET_HELP)
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="SGF collection to write")
    add("--games", type=positive_int, default=100, help="number of games")
    add("--size", type=positive_int, default=19, help="board size")
    add("--komi", type=finite_float, default=7.5, help="komi")
    add(
        "--temperature",
        type=positive_float,
        default=1.0,
        help="policy temperature; lower values favor likely moves",
    )
    add("--seed", type=positive_int, default=1, help="random seed")


def run_play(arguments: argparse.Namespace) -> int:
    """Play and write the games; after Ctrl-C, the finished ones."""
    from tengen.nets import load_net_named
    from tengen.records import record_from_position, write_games

    if not arguments.output.parent.is_dir():
        raise TengenError(f"no such folder: {arguments.output.parent}")
    if arguments.output.is_dir():
        raise TengenError(f"{arguments.output} is a folder: name a file")
    net = load_net_named(arguments.net)
    games: list[Position] = []
    is_interrupted = False
    try:
        _play(net, arguments, games)
    except KeyboardInterrupt:
        is_interrupted = True
    if not games:  # keep an existing file
        print("interrupted: no finished game, nothing written")
        return INTERRUPTED
    write_games(arguments.output, (record_from_position(p, net.name, net.name) for p in games))
    print(f"{len(games)} games in {arguments.output}")
    return INTERRUPTED if is_interrupted else 0


def _play(net: "Net", arguments: argparse.Namespace, games: "list[Position]") -> None:
    """Add games to the list in batches, with a progress bar."""
    import numpy as np

    from tengen.board import Position, rules_named
    from tengen.nets import play_out

    rng = np.random.default_rng(arguments.seed)
    rules = rules_named("chinese").with_komi(arguments.komi)
    with work_bar() as bar:
        task = bar.add_task("playing", total=arguments.games)
        while len(games) < arguments.games:
            count = min(SELF_PLAY_BATCH, arguments.games - len(games))
            batch = [Position(arguments.size, rules=rules) for _ in range(count)]
            done = len(games)
            try:
                play_out(
                    net,
                    batch,
                    rng,
                    arguments.temperature,
                    on_progress=lambda over: bar.update(task, completed=done + over),  # noqa: B023
                )
            except KeyboardInterrupt:
                games += [position for position in batch if position.is_over]
                raise
            games += batch
