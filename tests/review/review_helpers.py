"""A scripted engine, so that losses can be computed by hand."""

import numpy as np

from tengen.board.points import PASS, parse_vertex
from tengen.engine.settings import EngineSettings
from tengen.records.reader import read_bytes
from tengen.search.report import Candidate, SearchReport

SIMULATIONS = 10_000
"""Enough that no additional playouts are needed for the score."""


class ScriptedReport:
    """Report of one position: Black's win rate and area difference, and a variation."""

    def __init__(self, winrate, balance, line, visits=SIMULATIONS):
        self.winrate, self.balance, self.line, self.visits = winrate, balance, line, visits


class ScriptedEngine:
    """Returns scripted reports by move number and records its searches; it has no network."""

    settings = EngineSettings()

    def __init__(self, script):
        self.script = script
        self.searched = []

    def analyze(self, position, limit, progress=None):
        number = len(position.moves)
        self.searched.append(number)
        entry = self.script[number]
        value = entry.winrate if position.to_play.letter == "B" else 1 - entry.winrate
        owned = np.zeros((position.rows, position.columns))
        owned[0, 0] = entry.balance
        moves = [
            PASS if v == "pass" else parse_vertex(v, position.rows, position.columns)
            for v in entry.line.split()
        ]
        best = Candidate(moves[0], entry.visits, value, 0.0, 0.0, 0, 0.0, 0.0, moves)
        report = SearchReport([best], SIMULATIONS, SIMULATIONS, value, owned, 1, 1.0)
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
    """Return an engine for FOUR_MOVES: Black loses 20% with move 3, White nothing."""
    return ScriptedEngine(
        [
            ScriptedReport(0.50, 1.0, "C3"),
            ScriptedReport(0.50, 1.0, "D2"),
            ScriptedReport(0.48, 0.5, "D4 D2"),
            ScriptedReport(0.28, -3.5, "D2"),
            ScriptedReport(0.27, -3.0, "E5"),
        ]
    )
