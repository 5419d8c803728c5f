"""Questions with the answer yes or open: does a side reach a score?

The search of `kernels.proof_number` only proves. "At least" questions prove lower bounds of a value
and "at most" questions, in which White is the prover, upper bounds.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tengen.board import BLACK, WHITE, Color, Position, Scoring
from tengen.board.kernels import layout
from tengen.solver.boards import Geometry, board_of
from tengen.solver.kernels import memory, proof_memory
from tengen.solver.kernels.proof_moves import final_answer, static_answer
from tengen.solver.kernels.proof_number import begin_proof, search_proof
from tengen.solver.kernels.proof_table import find_state, proof_number, state_key
from tengen.solver.settings import ProofSettings
from tengen.util import TengenError

BATCH_NODES = 20_000
"""Nodes between two calls of `poll`."""


class Answer(Enum):
    """Result of a search for a proof."""

    PROVED = "proved"
    NOT_PROVED = "not proved"
    """No proof exists in which the other side may repeat positions, or the search missed it."""
    OPEN = "open"
    """The search was stopped."""


@dataclass(frozen=True)
class Question:
    """Whether a side reaches a score."""

    prover: Color
    target: int
    """Least score of the prover, from its own point of view."""

    @classmethod
    def at_least(cls, score: int) -> "Question":
        """Return the question whether Black gets at least a score."""
        return cls(BLACK, score)

    @classmethod
    def at_most(cls, score: int) -> "Question":
        """Return the question whether White holds Black to at most a score."""
        return cls(WHITE, -score)

    def __str__(self) -> str:
        is_black = self.prover == BLACK
        return f">= {self.target:+d}" if is_black else f"<= {-self.target:+d}"


@dataclass
class Progress:
    """Registers of a running search."""

    nodes: int = 0
    depth: int = 0
    """Largest depth so far."""
    pn: int = 1
    """Proof number of the root: a lower bound of the number of states still to prove."""
    dn: int = 1
    cpu_s: float = 0.0

    def __str__(self) -> str:
        rate = self.nodes / max(self.cpu_s, 1e-9) / 1e6
        return (
            f"{self.nodes:,d} nodes  depth {self.depth}  proof number {self.pn:,d}  "
            f"disproof number {self.dn:,d}  {self.cpu_s:.0f} CPU s  {rate:.2f} M/s"
        )


class ProofSearcher:
    """Answers questions about positions of one board size; the table is kept between positions."""

    def __init__(self, rows: int, columns: int, settings: ProofSettings | None = None):
        self.settings = settings or ProofSettings()
        self.geometry = Geometry(rows, columns)
        self.state = proof_memory.new_proof_state(self.settings.table_bits)
        self.geometry.write_to(self.state.geometry[0])
        self._registers = self.state.question[0]
        self._registers["points"] = self.geometry.points
        self._registers["slack"] = self.settings.slack
        names = ("weak", "ordering", "life", "interior", "symmetry", "refresh", "replacement")
        for name in names:
            self._registers[f"use_{name}"] = getattr(self.settings, name)
        self.question: Question | None = None
        self.progress = Progress()
        self.poll: Callable[[], None] = lambda: None
        """Called regularly during searches; may raise to stop them."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.geometry.rows, self.geometry.columns

    def set_question(self, question: Question) -> None:
        """Set the question; the table of another target is discarded."""
        if self.question is not None and self.question.target != question.target:
            self.state.table.fill(0)
        self.question = question
        self._registers["target"] = question.target

    def answer(self, position: Position, question: Question) -> Answer:
        """Search for a proof; `poll` may stop it by an exception, and the table is kept."""
        self.set_question(question)
        self.progress = Progress()
        root = self._write_root(position)
        decided = self._decide(root)
        if decided != 0:
            return Answer.PROVED if decided > 0 else Answer.NOT_PROVED
        start_s, nodes_before = time.process_time(), int(self._registers["nodes"])
        self._registers["deepest"] = 0
        begin_proof(self.state)
        while self._registers["is_running"]:
            search_proof(self.state, BATCH_NODES)
            self.progress = Progress(
                int(self._registers["nodes"]) - nodes_before,
                int(self._registers["deepest"]),
                int(root["pn"]),
                int(root["dn"]),
                time.process_time() - start_s,
            )
            self.poll()
        return Answer.PROVED if root["pn"] == 0 else Answer.NOT_PROVED

    def _decide(self, root: np.void) -> int:
        """Return 1 or -1 if the root is decided without a search, else 0."""
        situation = (np.uint64(root["board"]), int(root["side"]), int(root["passes"]))
        answer = int(final_answer(self.state, *situation))
        if answer == 0 and self.settings.life:
            answer = int(static_answer(self.state, *situation))
        return answer

    def is_decided(self, position: Position) -> bool:
        """Return whether a position is proved without a search."""
        return self._decide(self._write_root(position)) > 0

    def is_stored(self, position: Position) -> bool:
        """Return whether the table or unconditional life proves a position."""
        return self.proof_work(position) is not None

    def proof_work(self, position: Position) -> int | None:
        """Return the logarithm of the nodes searched for a stored proof, or None without one."""
        root = self._write_root(position)
        if self._decide(root) > 0:
            return 0
        table, bits = self.state.table, self.settings.table_bits
        data = find_state(table, bits, np.uint64(root["key"]))
        return int(data) >> 48 if data != 0 and proof_number(data) == 0 else None

    def _write_root(self, position: Position) -> np.void:
        """Write a position to the root frame; raise TengenError if it is not supported."""
        if (position.rows, position.columns) != self.shape:
            raise TengenError(
                f"the position is {position.columns}x{position.rows}, "
                f"the solver was created for {self.shape[1]}x{self.shape[0]}"
            )
        rules = position.rules
        if rules.scoring is not Scoring.AREA or rules.suicide:
            raise TengenError(
                "the solver requires area scoring and no suicide: use the chinese rules"
            )
        assert self.question is not None
        board = np.uint64(_prover_first(board_of(position), self.question.prover == WHITE))
        root: np.void = self.state.frames[0]
        side = int(position.to_play != self.question.prover)
        passes = min(int(position.block[layout.PASSES]), 2)
        images = self.geometry.all_symmetries(int(board))
        self.state.images[0, : len(images)] = images
        ko = np.uint64(self._ko_point(position))
        root["board"], root["ko"] = board, ko
        root["side"], root["passes"] = side, passes
        root["key"] = state_key(self.state, 0, board, ko, side, passes % 2)
        return root

    @staticmethod
    def _ko_point(position: Position) -> int:
        """Return the point that simple ko bans, as a set."""
        ko = int(position.block[layout.KO])
        return 0 if ko == layout.NOWHERE else 1 << position.points().index(ko)


def _prover_first(board: int, is_white: bool) -> int:
    """Return a board with the prover's stones in the low half."""
    half = memory.HALF_BITS
    return (board >> half) | (board & int(memory.LOW_HALF)) << half if is_white else board
