"""An engine that says what it is told, so that losses can be computed by hand."""

import numpy as np

from tengen.board.points import PASS, parse_vertex
from tengen.engine.settings import EngineSettings
from tengen.records.reader import read_bytes
from tengen.search.report import Candidate, SearchReport

SIMULATIONS = 10_000
"""Enough for the score: nothing more is played for it."""


class Said:
    """What the engine says of one position: Black's win rate and area balance, and a line."""

    def __init__(self, winrate, balance, line, visits=SIMULATIONS):
        self.winrate, self.balance, self.line, self.visits = winrate, balance, line, visits


class ScriptedEngine:
    """Says one `Said` after the other; counts its searches. It has no net."""

    settings = EngineSettings()

    def __init__(self, script):
        self.script = script
        self.asked = []

    def analyse(self, position, limit, progress=None):
        number = len(position.moves)
        self.asked.append(number)
        said = self.script[number]
        value = said.winrate if position.to_play.letter == "B" else 1 - said.winrate
        owned = np.zeros((position.rows, position.columns))
        owned[0, 0] = said.balance
        moves = [
            PASS if v == "pass" else parse_vertex(v, position.rows, position.columns)
            for v in said.line.split()
        ]
        best = Candidate(moves[0], said.visits, value, 0.0, 0.0, 0, 0.0, 0.0, moves)
        report = SearchReport([best], SIMULATIONS, SIMULATIONS, value, owned, 1, 1.0)
        if progress is not None:
            progress(lambda: report)
        return report

    def stop(self):
        """Note it."""
        self.was_stopped = True


def game_of(text, source="game.sgf"):
    """Return the first game of an SGF text."""
    return next(iter(read_bytes(text.encode(), source)))


FOUR_MOVES = "(;SZ[5]KM[0.5]PB[Ann]PW[Bob]RE[B+1.5];B[cc]C[Well met.];W[bb];B[bc];W[dd])"
"""C3, B4, B3, D2."""


def four_outlooks():
    """Return an engine for FOUR_MOVES: Black loses 20% with move 3, White nothing."""
    return ScriptedEngine(
        [
            Said(0.50, 1.0, "C3"),
            Said(0.50, 1.0, "D2"),
            Said(0.48, 0.5, "D4 D2"),
            Said(0.28, -3.5, "D2"),
            Said(0.27, -3.0, "E5"),
        ]
    )
