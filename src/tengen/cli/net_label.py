"""`tengen net label`: label positions of games by a search or a network."""

import argparse
import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.engine_options import (
    add_engine_options,
    default_playouts,
    engine_description,
    engine_settings,
    given_overrides,
    split_paths_and_settings,
)
from tengen.cli.options import add_paths, work_bar
from tengen.cli.parser import INTERRUPTED, add_action
from tengen.util import TengenError, positive_int, sentence, stop_on_interrupt

if TYPE_CHECKING:
    from tengen.nets.training import LabelFolder, LabelPlan, Teacher

LABEL_PLAYOUTS = 400
LABEL_POSITIONS = 20_000
EACH = 16
LABEL_DETAILS = """\
The teacher is a network (--teacher) or a search. A search provides the share of visits of each move
as the policy target, and win rate, lead and ownership as the other targets (paper 001, section
2.2.4). Games are drawn uniformly from all archives. `tengen net train` can learn from FOLDER while
labels are added. Run the same command again to resume.

  tengen net label GAMES -o labels --teacher b15c192-int8 --positions 100000
  tengen net label GAMES -o labels --playouts 400 --positions 20000
  tengen net train labels -o mynet --steps 20000
  tengen play net=mynet/net.onnx

Several processes may add labels to one folder. Give each its share of the games:

  tengen net label GAMES -o labels --teacher b15c192-int8 --positions 100000 --share 1/2
  tengen net label GAMES -o labels --teacher b15c192-int8 --positions 100000 --share 2/2"""


def parse_share(text: str) -> tuple[int, int]:
    """Parse a share such as 1/2; raise ArgumentTypeError."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"a share is I/N with I from 1 to N, got {text!r}")
    return int(number), int(count)


def add_label(actions: Any) -> None:
    """Add the sub-command `label`."""
    summary = "label positions of games by a network or a search, for distillation"
    parser = add_action(actions, "label", summary, run_label)
    add_paths(parser)
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", type=Path, required=True, help="folder of the labels"
    )
    parser.add_argument(
        "--positions",
        type=positive_int,
        default=LABEL_POSITIONS,
        help="number of labels in the folder at the end",
    )
    parser.add_argument("--teacher", metavar="NET", help="network that labels, by name or file")
    parser.add_argument(
        "--share",
        type=parse_share,
        default=(1, 1),
        metavar="I/N",
        help="label only share I of N of the games, for N processes (default: 1/1)",
    )
    add_label_options(parser)
    add_engine_options(parser, f"simulations per position (default: {LABEL_PLAYOUTS})")
    parser.description = f"{sentence(summary)} {LABEL_DETAILS}"


def add_label_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select positions of a game."""
    parser.add_argument("--each", type=positive_int, default=EACH, help="positions per game")
    parser.add_argument(
        "--both-sides",
        action=argparse.BooleanOptionalAction,
        help="label each position also with the opponent to move; it counts twice (default: yes"
        " if the teacher is a network)",
    )


def run_label(arguments: argparse.Namespace) -> int:
    """Label positions by a network or a search."""
    from tengen.nets.training import LabelFolder
    from tengen.records import find_documents

    split_paths_and_settings(arguments)
    make = _network_teacher if arguments.teacher else _search_teacher
    teacher, name = make(arguments)
    for path in arguments.paths:
        find_documents(path)  # report missing files before starting
    folder = LabelFolder(arguments.output, name)
    is_done = label(teacher, arguments.paths, folder, _plan(arguments))
    print(f"{len(folder)} labeled positions in {arguments.output}")
    return 0 if is_done else INTERRUPTED


def _plan(arguments: argparse.Namespace) -> "LabelPlan":
    plan = label_plan(arguments, arguments.positions, is_net=bool(arguments.teacher))
    return plan._replace(share=arguments.share, seed=arguments.seed or plan.seed)


def label_plan(arguments: argparse.Namespace, positions: int, is_net: bool) -> "LabelPlan":
    """Return the plan of the options of `add_label_options`."""
    from tengen.nets.training import LabelPlan

    given = arguments.both_sides
    both_sides = is_net if given is None else given
    plan = LabelPlan(positions, arguments.each, both_sides)
    # A search takes long for each position: report and save after every game.
    return plan if is_net else plan._replace(batch=1)


def _search_teacher(arguments: argparse.Namespace) -> "tuple[Teacher, str]":
    from tengen.engine import SearchTeacher

    settings = engine_settings(arguments, default_playouts(arguments, LABEL_PLAYOUTS))
    teacher = SearchTeacher(settings, settings.play.limit)
    return teacher, engine_description(settings, arguments)


def _network_teacher(arguments: argparse.Namespace) -> "tuple[Teacher, str]":
    given = [word for word in given_overrides(arguments) if word.partition("=")[0] != "seed"]
    if given or arguments.prior:
        raise TengenError(
            f"--teacher labels without a search: omit {given[0] if given else '--prior'}, or search"
            f" with net={arguments.teacher}"
        )
    return net_teacher(arguments.teacher)


def net_teacher(name: str) -> "tuple[Teacher, str]":
    """Load a network as a teacher; return it and its description for `teacher.txt`."""
    from tengen.nets import NetSettings, find_net, load_net

    file = find_net(name)
    teacher = load_net(file, NetSettings(cache_mib=0))
    # The name is not enough: a quantized network has the name of the original.
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
    return teacher, f"network {teacher.name} ({digest})"


def label(
    teacher: "Teacher", paths: Sequence[str], folder: "LabelFolder", plan: "LabelPlan"
) -> bool:
    """Label positions with a progress bar; return False if interrupted.

    Raise TengenError if there is nothing to label.
    """
    from tengen.nets.training import label_games

    stop = threading.Event()
    with work_bar() as bar, stop_on_interrupt(stop):
        task = bar.add_task("labeling", total=plan.positions, completed=len(folder))

        def show(done: int) -> None:
            bar.update(task, completed=done, description="labeling")

        def show_reading(games: int) -> None:
            if games % 100 == 0:
                bar.update(task, description=f"reading, {games:,} games")

        label_games(
            teacher, paths, folder, plan, on_progress=show, stop=stop.is_set, on_read=show_reading
        )
    if not (len(folder) or stop.is_set()):
        raise TengenError(
            f"no usable game in {', '.join(paths)}: games must be without handicap, on square"
            " boards of at least 7x7"
        )
    return not stop.is_set()
