"""Analysis as Leela Zero, KataGo and CGOS speak it, for Sabaki, Lizzie and their like."""

import time
from functools import partial

from tengen.board.position import Position
from tengen.engine.engine import Decision
from tengen.gtp.analysis_lines import Line, Scene, cgos_line, kata_line, lz_line
from tengen.gtp.analysis_options import Options
from tengen.gtp.moves import CANCELLED, carry_out, decision_text
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


def _think(
    session: Session, options: Options, line: Line, heed: Heed, only_the_last: bool = False
) -> Decision:
    """Let the engine choose a move, telling what is thought."""
    engine, clock = session.engine, session.clocks[options.colour]
    broadcast = Broadcast(session, options, line)
    if not only_the_last:
        broadcast.watch.each(options.interval_s, broadcast.send)
    position = broadcast.position
    with session.heeding(heed):
        decision = engine.think(position, clock, broadcast, options.limits)
    broadcast.end(decision.report)
    session.report_problems()
    return decision


def _move_and_analyse(
    session: Session, arguments: list[str], line: Line, only_the_last: bool = False
) -> str:
    """Choose a move and play it, telling what is thought; only `# interrupt` cuts it short."""
    options, begun_s = Options(session, arguments), time.monotonic()
    decision = _think(session, options, line, Heed.INTERRUPT, only_the_last)
    spent_s = time.monotonic() - begun_s
    session.write(f"play {carry_out(session, options.colour, decision, spent_s)}\n")
    return ""


def _search_and_analyse(session: Session, arguments: list[str], is_cancellable: bool) -> str:
    """Choose a move and do not play it, telling what is thought; any line may cut it short."""
    heed = Heed.ANY_LINE if is_cancellable else Heed.INTERRUPT
    decision = _think(session, Options(session, arguments), kata_line, heed)
    is_cancelled = is_cancellable and session.interrupted()
    chosen = CANCELLED if is_cancelled else decision_text(session, decision)
    session.write(f"play {chosen}\n")
    return ""


WORDS: dict[str, Line] = {"lz-": lz_line, "kata-": kata_line, "": kata_line}
"""In whose words: Leela Zero's, KataGo's, and KataGo's under the name that Sabaki asks for."""

for _prefix, _line in WORDS.items():
    command(f"{_prefix}analyze")(partial(_analyse, line=_line))
    command(f"{_prefix}genmove_analyze")(partial(_move_and_analyse, line=_line))
command("kata-search_analyze")(partial(_search_and_analyse, is_cancellable=False))
command("kata-search_analyze_cancellable")(partial(_search_and_analyse, is_cancellable=True))
command("cgos-genmove_analyze")(partial(_move_and_analyse, line=cgos_line, only_the_last=True))
