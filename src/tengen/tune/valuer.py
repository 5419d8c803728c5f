"""A GTP engine that says how likely a side wins: by `kata-` or `lz-genmove_analyze`."""

import math
import re

from tengen.board.colour import BLACK, Colour
from tengen.core.errors import TengenError
from tengen.match.player import GtpPlayer

RARELY_CS = 360_000
"""Reports in between are of no use: one hour, in hundredths of a second."""
WIN_RATE = re.compile(r"info move \S+ .*?\bwinrate (\S+)")
SURE = {"kata-genmove_analyze": 1.0, "lz-genmove_analyze": 10_000.0}
"""The win rate of a game that is won, by the command that is asked."""


class GtpValuer(GtpPlayer):
    """A player that is asked for its view of a position instead of for moves."""

    def win_rate(self, colour: Colour) -> float:
        """Return the chance of `colour`, to move, by its best move; raise TengenError if unknown.

        The engine plays that move on its board: set up the position anew before asking again.
        """
        command = next((known for known in SURE if known in self._commands), None)
        if command is None:
            raise TengenError(f"{self.name} cannot value moves: it has none of {', '.join(SURE)}")
        side = colour.letter.lower()
        limit_s = self._setting.move_timeout_s
        text = self._running().send(f"{command} {side} {RARELY_CS}", limit_s)
        # Without a report there was nothing to search: the game is over.
        if "info " not in text:
            return self._win_by_score(colour)
        return last_win_rate(text, SURE[command])

    def _win_by_score(self, colour: Colour) -> float:
        """Return 1 for a won game, 0 for a lost one."""
        lead = self.final_score()
        if lead is None:
            raise TengenError(f"{self.name} moves without a win rate, and cannot count")
        return 0.5 if lead == 0 else float((lead > 0) == (colour is BLACK))


def last_win_rate(text: str, sure: float) -> float:
    """Return the win rate of the best move in the last report, 0 to 1; raise TengenError.

    `sure` is what the engine writes for a game that is won.
    """
    reports = [line for line in text.splitlines() if line.startswith("info ")]
    found = WIN_RATE.match(reports[-1]) if reports else None
    try:
        rate = float(found[1]) / sure if found else math.nan
    except ValueError:
        rate = math.nan
    if not 0 <= rate <= 1:
        raise TengenError(f"no win rate in {text[:80]!r}")
    return rate
