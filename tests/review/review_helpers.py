"""A scripted engine, so that losses can be computed by hand."""

import numpy as np

from tengen.board import PASS, parse_vertex
from tengen.engine import EngineSettings
from tengen.records import read_bytes
from tengen.search import Candidate, SearchReport, ValueEstimate

VISITS = 1000
ERROR = 0.5
"""Standard error of every lead, in points."""


class ScriptedReport:
    """Report of one position: Black's win rate and lead, and a variation.

    The best move leads to the same win rate and lead.
    """

    def __init__(self, winrate, lead, line, error=ERROR):
        self.winrate, self.lead, self.line, self.error = winrate, lead, line, error


class ScriptedEngine:
    """Returns scripted reports by move number and records its searches."""

    settings = EngineSettings()

    def __init__(self, script):
        self.script = script
        self.searched = []
        """Move numbers in order; twice where the move before is not the best one."""

    def analyze(self, position, limit, progress=None, allowed=None):
        number = len(position.moves)
        self.searched.append(number)
        entry, sign = self.script[number], position.to_play.sign
        value = entry.winrate if sign > 0 else 1 - entry.winrate
        estimate = ValueEstimate(value, sign * entry.lead, entry.error)
        moves = [
            PASS if v == "pass" else parse_vertex(v, position.rows, position.columns)
            for v in entry.line.split()
        ]
        visits = int(min(limit.visits, VISITS))
        best = Candidate(moves[0], visits, value, 0.0, 0.0, 0, 0.0, 0.0, moves, estimate=estimate)
        owned = np.zeros((position.rows, position.columns))
        report = SearchReport([best], visits, visits, value, owned, 1, 1.0, estimate=estimate)
        if progress is not None:
            progress(lambda: report)
        return report

    def stop(self):
        """Record the call."""
        self.was_stopped = True


def game_of(text, source="game.sgf"):
    """Return the first game of an SGF text."""
    return next(iter(read_bytes(text.encode(), source)))


FOUR_MOVES = "(;SZ[5]KM[0.5]PB[Ann]PW[Bob]RE[B+1.5];B[cc]C[Well met.];W[bb];B[bc];W[dd])"
"""C3, B4, B3, D2."""


def four_move_engine():
    """Return an engine for FOUR_MOVES: Black loses 4 points with move 3, White nothing."""
    return ScriptedEngine(
        [
            ScriptedReport(0.50, 0.5, "C3"),
            ScriptedReport(0.50, 0.5, "D2"),
            ScriptedReport(0.48, 0.0, "D4 D2"),
            ScriptedReport(0.28, -4.0, "D2"),
            ScriptedReport(0.27, -3.5, "E5"),
        ]
    )
