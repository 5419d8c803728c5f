"""`tengen games search` and `show`: ask the database what was played in a position."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from tengen.cli.games_import import add_database
from tengen.cli.moment import Moment, add_moment, read_moment
from tengen.core.counts import positive_int
from tengen.core.errors import TengenError
from tengen.core.words import sentence

if TYPE_CHECKING:
    from tengen.database.answer import Answer
    from tengen.database.packing import GameInfo
    from tengen.database.pattern import Pattern

SHOWN = 10


def add_actions(actions: Any) -> None:
    """Add the sub-commands."""
    summary = "what was played in a position, how often, with what result"
    search = actions.add_parser(
        "search",
        help=summary,
        description=f"{sentence(summary)} On the whole board, or in a region of it, under "
        "all symmetries and with colours swapped.",
    )
    add_moment(search)
    where = search.add_mutually_exclusive_group()
    where.add_argument("--region", metavar="Q10:T19", help="only between these two corners")
    where.add_argument(
        "--around",
        type=positive_int,
        metavar="SIDE",
        help="only in the square of this odd side around the move that was played",
    )
    search.add_argument("--player", default="", metavar="NAME", help="only in games of a player")
    search.add_argument(
        "--top", type=positive_int, default=SHOWN, help=f"moves and games to show (default {SHOWN})"
    )
    search.add_argument("--json", action="store_true", help="print one JSON object, all moves")
    add_database(search)
    search.set_defaults(action=run_search)

    summary = "print a game of the database as SGF"
    show = actions.add_parser("show", help=summary, description=sentence(summary))
    show.add_argument("number", type=positive_int, metavar="NUMBER", help="as search tells it")
    add_database(show)
    show.set_defaults(action=run_show)


def run_show(arguments: argparse.Namespace) -> int:
    """Print a game."""
    from tengen.database.database import GameDatabase
    from tengen.records.writer import sgf_bytes

    database = GameDatabase(arguments.database)
    sys.stdout.write(sgf_bytes(database.game(arguments.number)).decode())
    return 0


def run_search(arguments: argparse.Namespace) -> int:
    """Search and print."""
    from tengen.database.database import GameDatabase

    moment = read_moment(arguments)
    pattern = _pattern(arguments, moment)
    database = GameDatabase(arguments.database)
    answer = database.search(pattern, arguments.top, arguments.player)
    infos = database.infos([occurrence.game for occurrence in answer.occurrences])
    if arguments.json:
        print(json.dumps(as_json(answer, infos, moment), ensure_ascii=False))
    else:
        _print(answer, infos, moment, arguments.top)
    return 0


def _pattern(arguments: argparse.Namespace, moment: Moment) -> "Pattern":
    from tengen.board.points import PASS
    from tengen.database.pattern import Pattern, Region

    position = moment.position
    size = position.rows, position.columns
    if arguments.region:
        return Pattern.local(position, Region.parse(arguments.region, *size))
    if arguments.around is None:
        return Pattern.whole(position)
    if moment.played is None or moment.played == PASS:
        raise TengenError("--around needs a move on the board to look around: name one by --move")
    return Pattern.local(position, Region.around(moment.played, arguments.around, *size))


def as_json(answer: "Answer", infos: "dict[int, GameInfo]", moment: Moment) -> dict[str, Any]:
    """Return what `--json` prints."""
    vertex = moment.position.vertex
    return {
        "move": moment.number,
        "to_play": moment.position.to_play.name.lower(),
        "played": None if moment.played is None else vertex(moment.played),
        "searched": answer.searched,
        "games": answer.games,
        "swapped": answer.swapped,
        "unanswered": answer.unanswered,
        "continuations": [
            {
                "move": vertex(one.move),
                "colour": one.colour.name.lower(),
                "games": one.games,
                "wins": one.wins,
                "losses": one.losses,
            }
            for one in answer.continuations
        ],
        "found_in": [
            {
                "game": one.game,
                "after_move": one.after_move,
                "answer": None if one.answer is None else vertex(one.answer),
                **infos[one.game]._asdict(),
            }
            for one in answer.occurrences
        ],
        "elapsed_s": answer.elapsed_s,
    }


def _print(answer: "Answer", infos: "dict[int, GameInfo]", moment: Moment, top: int) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    position = moment.position
    console.print(str(position), markup=False)
    where = "in the region" if answer.pattern.region else "on the whole board"
    swapped = f", {answer.swapped:,} of them with colours swapped" if answer.swapped else ""
    console.print(
        f"Before move {moment.number}, {position.to_play.name.capitalize()} to play, {where}: "
        f"found in {answer.games:,} of {answer.searched:,} games{swapped} "
        f"({1000 * answer.elapsed_s:.1f} ms)"
    )
    if answer.games:
        console.print(_moves_table(answer, moment, top))
        console.print(_games_table(answer, infos, moment))


def _moves_table(answer: "Answer", moment: Moment, top: int) -> Any:
    from rich.table import Table

    table = Table(
        box=None, pad_edge=False, caption="* was played in this game, or is the same by symmetry"
    )
    for title in ("answer", "by"):
        table.add_column(title)
    for title in ("games", "share", "won by it"):
        table.add_column(title, justify="right")
    for one in answer.continuations[:top]:
        played, colour = moment.played, moment.position.to_play
        is_played = played is not None and answer.is_of(one, played, colour)
        table.add_row(
            moment.position.vertex(one.move) + ("*" if is_played else ""),
            one.colour.name.capitalize(),
            f"{one.games:,}",
            f"{one.games / answer.games:.1%}",
            "-" if one.rate is None else f"{one.rate:.1%}",
        )
    rest = sum(one.games for one in answer.continuations[top:])
    if rest:
        table.add_row("others", "", f"{rest:,}", f"{rest / answer.games:.1%}", "")
    if answer.unanswered:
        share = f"{answer.unanswered / answer.games:.1%}"
        table.add_row("none", "", f"{answer.unanswered:,}", share, "")
    return table


def _games_table(answer: "Answer", infos: "dict[int, GameInfo]", moment: Moment) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("game", "Black", "White", "date", "result", "answered after"):
        table.add_column(title, overflow="fold")
    for one in answer.occurrences:
        info = infos[one.game]
        names = (
            f"{name} {rank}".strip()
            for name, rank in ((info.black, info.black_rank), (info.white, info.white_rank))
        )
        answered = "" if one.answer is None else f": {moment.position.vertex(one.answer)}"
        texts = (*names, info.date, info.result)
        table.add_row(str(one.game), *map(escape, texts), f"{one.after_move}{answered}")
    return table
