"""`tengen net play`: games of a net with itself, quick ones, to learn from."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cli.arguments import INTERRUPTED
from tengen.cli.reading import work_bar
from tengen.core.counts import any_float, positive_float, positive_int
from tengen.core.errors import TengenError
from tengen.network.folder import find_net

if TYPE_CHECKING:
    from tengen.board.position import Position
    from tengen.network.net import Net

AT_ONCE = 64
"""Games in one batch."""
SUMMARY = "let a net play games with itself without search, moves drawn from its policy"
DESCRIPTION = f"""\
{SUMMARY[0].upper()}{SUMMARY[1:]}. Such
games take a fraction of a second each and go where games of strong players never go: groups die in
them. A stronger net that labels their positions (`tengen net distill`) shows a net its mistakes.

  tengen net play default -o own.sgf --games 1000 --size 19 --temperature 0.8
  tengen net distill --teacher b15c192 own.sgf -o mynet \\
      --start default --blocks 6 --channels 64 --rate 0.0015"""


def add_action(actions: Any) -> None:
    """Add the sub-command; it sets `action`, which takes the arguments."""
    parser = actions.add_parser("play", help=SUMMARY)
    parser.add_argument("net", metavar="NET", help="its name (see `tengen net list`) or a file")
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", type=Path, required=True, help="an SGF collection")
    add("--games", type=positive_int, default=100, help="how many (default 100)")
    add("--size", type=positive_int, default=19, help="of the board (default 19)")
    add("--komi", type=any_float, default=7.5, help="for White (default 7.5)")
    add(
        "--temperature",
        type=positive_float,
        default=1.0,
        help="below 1 likely moves become likelier (default 1)",
    )
    add("--seed", type=positive_int, default=1, help="of the draw (default 1)")
    parser.description = DESCRIPTION
    parser.set_defaults(action=run_play)


def run_play(arguments: argparse.Namespace) -> int:
    """Play, and write the games; after Ctrl-C those that were over."""
    from tengen.network.onnx import load_net
    from tengen.records.writer import record_from_position, write_games

    if not arguments.output.parent.is_dir():
        raise TengenError(f"there is no folder {str(arguments.output.parent)!r} to write to")
    if arguments.output.is_dir():
        raise TengenError(f"{str(arguments.output)!r} is a folder: name a file to write to")
    net = load_net(find_net(arguments.net))
    games: list[Position] = []
    is_interrupted = False
    try:
        _play(net, arguments, games)
    except KeyboardInterrupt:
        is_interrupted = True
    if not games:  # an older file is worth more than an empty one
        print("stopped: no game was over, nothing is written")
        return INTERRUPTED
    write_games(arguments.output, (record_from_position(p, net.name, net.name) for p in games))
    print(f"{len(games)} games in {arguments.output}")
    return INTERRUPTED if is_interrupted else 0


def _play(net: "Net", arguments: argparse.Namespace, games: "list[Position]") -> None:
    """Add the games that were asked for to the list, batch after batch, with a bar."""
    import numpy as np

    from tengen.board.position import Position
    from tengen.board.rules import rules_named
    from tengen.network.self_play import play_out

    random = np.random.default_rng(arguments.seed)
    rules = rules_named("chinese").with_komi(arguments.komi)
    with work_bar() as bar:
        task = bar.add_task("playing", total=arguments.games)
        while len(games) < arguments.games:
            count = min(AT_ONCE, arguments.games - len(games))
            batch = [Position(arguments.size, rules=rules) for _ in range(count)]
            done = len(games)
            try:
                play_out(
                    net,
                    batch,
                    random,
                    arguments.temperature,
                    watch=lambda over: bar.update(task, completed=done + over),  # noqa: B023
                )
            except KeyboardInterrupt:
                games += [position for position in batch if position.is_over]
                raise
            games += batch
