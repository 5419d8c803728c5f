"""Analysis as Leela Zero, KataGo and CGOS speak it, for Sabaki, Lizzie and their like."""

import time
from functools import partial

from tengen.board.position import Position
from tengen.gtp.analysis_lines import Line, Scene, cgos_line, kata_line, lz_line
from tengen.gtp.analysis_options import Options
from tengen.gtp.moves import carry_out
from tengen.gtp.session import Session, command
from tengen.gtp.state import Heed
from tengen.gtp.watch import Read, Watch
from tengen.search.limit import Limit
from tengen.search.report import SearchReport


class Broadcast:
    """Writes a line at every interval while a search runs.

    The reply begins when the search runs: what fails before that is refused in the usual way.
    """

    def __init__(self, session: Session, options: Options, line: Line):
        self._session = session
        self._line = line
        self._has_begun = False
        self.position = _position(session, options)
        self._scene = Scene(self.position, options, session.settings.play)
        self.watch = Watch(session, self.position)

    def __call__(self, read: Read) -> None:
        """Be called between batches of simulations."""
        self._begin()
        self.watch(read)

    def send(self, report: SearchReport) -> None:
        """Write the present state; nothing before any visit, since a blank line ends a reply."""
        self._begin()
        if line := self._line(report, self._scene):
            self._session.write(line + "\n")

    def end(self, report: SearchReport | None) -> None:
        """Write what was found last, if there was a search."""
        self._begin()
        if report is not None:
            self.send(report)
        self.watch.end(report)

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._session.begin_reply()


def _position(session: Session, options: Options) -> Position:
    position = session.position.copy()
    position.to_play = options.colour
    return position


def _analyse(session: Session, arguments: list[str], line: Line) -> str:
    """Search until the next input, telling again and again what is found.

    The answer has begun already, so nothing is left to say.
    """
    options = Options(session, arguments)
    engine = session.engine  # making it may take longer than the interval, which begins now
    broadcast = Broadcast(session, options, line)
    broadcast.watch.each(options.interval_s, broadcast.send)
    position = broadcast.position
    with session.heeding(Heed.ANY_LINE):
        report = engine.analyse(position, Limit(), broadcast, options.limits.moves(position))
    broadcast.end(report)
    session.report_problems()
    return ""


def _move_and_analyse(
    session: Session, arguments: list[str], line: Line, only_the_last: bool = False
) -> str:
    """Choose a move and play it, telling what is thought; only `# interrupt` cuts it short."""
    options = Options(session, arguments)
    begun_s, engine, clock = time.monotonic(), session.engine, session.clocks[options.colour]
    broadcast = Broadcast(session, options, line)
    if not only_the_last:
        broadcast.watch.each(options.interval_s, broadcast.send)
    position = broadcast.position
    with session.heeding(Heed.INTERRUPT):
        decision = engine.think(position, clock, broadcast, options.limits.moves(position))
    broadcast.end(decision.report)
    spent_s = time.monotonic() - begun_s
    session.write(f"play {carry_out(session, options.colour, decision, spent_s)}\n")
    session.report_problems()
    return ""


WORDS: dict[str, Line] = {"lz-": lz_line, "kata-": kata_line, "": kata_line}
"""In whose words: Leela Zero's, KataGo's, and KataGo's under the name that Sabaki asks for."""

for _prefix, _line in WORDS.items():
    command(f"{_prefix}analyze")(partial(_analyse, line=_line))
    command(f"{_prefix}genmove_analyze")(partial(_move_and_analyse, line=_line))
command("cgos-genmove_analyze")(partial(_move_and_analyse, line=cgos_line, only_the_last=True))
