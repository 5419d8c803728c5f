"""What the engine thinks of one position of a game, from Black's side."""

from collections.abc import Callable
from dataclasses import dataclass

from tengen.board.colour import BLACK, Colour
from tengen.board.position import Position
from tengen.core.interrupt import Stop
from tengen.engine.engine import Engine
from tengen.engine.opinion import net_opinion
from tengen.engine.outlook import outlook as score_of
from tengen.engine.settings import PlaySettings
from tengen.playout.judge import judge, ownership
from tengen.search.kernels.simulation import EVERY
from tengen.search.limit import Limit
from tengen.search.report import SearchReport

SCORE_PLAYOUTS = 200
"""Playouts to tell the score by. A search counts points in one of `EVERY` only; what short ones
lack is played after their best move, and so is all of it where a search counts none."""

NewLimit = Callable[[], Limit]
"""Makes the limit of one search; a moment in a limit is on the clock, so each needs its own."""


@dataclass(frozen=True)
class Outlook:
    """Black's prospects at one moment of a game, and how the engine would go on."""

    winrate: float
    """Black's, 0 lost to 1 won."""
    lead: float
    """Black's in points, komi and compensation included. With a net, what that says; without, the
    sum of who owns which point at the end of the playouts, which is nearer to 0 than it would be
    with strong play."""
    line: tuple[int, ...]
    """The principal variation; empty when the game is over."""
    visits: int
    """Simulations behind the win rate; 0 for the end of a game, which is known."""

    @property
    def variance(self) -> float:
        """How far the win rate may be off, squared, by the luck of the playouts alone."""
        return self.winrate * (1 - self.winrate) / self.visits if self.visits else 0.0

    @property
    def best(self) -> int | None:
        """The move the engine would play, or None when the game is over."""
        return self.line[0] if self.line else None


class Stopped(Exception):  # noqa: N818  (it is no error)
    """A review was asked to stop."""


def look(position: Position, engine: Engine, limit: NewLimit, stop: Stop | None = None) -> Outlook:
    """Search a position and tell what was found; a game that is over is judged instead.

    Raise Stopped, soon, when `stop` is set.
    """
    if position.is_over:
        return _final(position)

    def heed(read: Callable[[], SearchReport]) -> None:
        if stop is not None and stop.is_set():
            engine.stop()

    report = engine.analyse(position, limit(), heed)
    if stop is not None and stop.is_set():
        raise Stopped  # a search that was cut short tells too little
    best = report.candidates[0] if report.candidates else None
    value, visits = report.value, report.visits
    if best is not None and best.visits > 0:
        value, visits = best.value, best.visits
    winrate = value if position.to_play is BLACK else 1 - value
    return Outlook(
        winrate=winrate,
        lead=_lead(position, report, winrate, engine.settings.play),
        line=tuple(best.line) if best else (),
        visits=visits,
    )


def _final(position: Position) -> Outlook:
    score = judge(position).score
    return Outlook(0.5 if score == 0 else float(score > 0), score, (), 0)


def _lead(position: Position, report: SearchReport, winrate: float, play: PlaySettings) -> float:
    """Return Black's lead in points: as the net has it, moved by what the search found.

    Without a net, by the ends that the search saw, and more if they are few.
    """
    if net_opinion(play.net, position) is not None:
        return score_of(report, position, play).lead_at(winrate)
    seen = report.simulations // int(EVERY) if report.ownership.any() else 0
    lacking = max(SCORE_PLAYOUTS - seen, 0)
    balance = seen * float(report.ownership.sum())
    if lacking:
        balance += lacking * _balance(position, report, lacking)
    return balance / (seen + lacking) - position.area_bonus


def _balance(position: Position, report: SearchReport, playouts: int) -> float:
    """Return Black's points minus White's at the end of playouts after the best move."""
    after = position.copy()
    if report.candidates:
        after.play(report.candidates[0].move)
    owned, _ = ownership(after, after.to_play, playouts)
    return float(after.on_grid(owned).sum())


def for_mover(value: float, colour: Colour) -> float:
    """Return a difference in win rate or points from the side of a player."""
    return value if colour is BLACK else -value
