"""Searches that prove that stones are captured, or that they are saved."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tengen.board import EMPTY, NEIGHBOR_OFFSETS, PASS, STRIDE, Color, Position
from tengen.board.kernels import layout
from tengen.solver.kernels import life_memory
from tengen.solver.kernels.life_memory import ATTACKER, DEFENDER, PASS_INDEX, UNLIMITED
from tengen.solver.kernels.life_search import begin_life, search_life
from tengen.solver.life_region import LifeQuestion, Points, neighbors

BATCH_NODES = 5_000
"""Nodes between two checks of the limits."""
TABLE_BITS = 20
"""An entry takes 16 bytes."""
SLACK = 25
WEIGHTS = (1, 8, 4, 1, 2, 4, 1, 2)
"""Weights of liberties, missing room for eyes, eyes, room, ataris and three kinds of distant moves
in the first numbers of a state (`estimate_life`)."""
_DIAGONALS = (-STRIDE - 1, -STRIDE + 1, STRIDE - 1, STRIDE + 1)


class Found(IntEnum):
    """Result of a search."""

    REFUTED = -1
    """No proof exists in which the opponent may repeat states, or the search missed it."""
    OPEN = 0
    """The search was stopped."""
    PROVED = 1


@dataclass(frozen=True)
class Claim:
    """What a side wants to prove about a question.

    The prover has a number of ko threats, `UNLIMITED` to ignore bans by ko. The opponent has none
    or unlimited ones.
    """

    prover: int
    """ATTACKER or DEFENDER."""
    whole: bool
    """Whether the attacker must capture all stones at stake, and the defender save one of them;
    otherwise the attacker must capture a stone of the core and the defender save the whole core."""
    threats: int = 0
    opponent_threats: int = UNLIMITED
    needs_eyes: bool = False
    """Whether the defender must reach unconditional life."""

    @property
    def is_ko(self) -> bool:
        """Whether the claim depends on ko threats."""
        return self.opponent_threats != UNLIMITED


class LifeSearcher:
    """Proves claims about one question; the table is kept between them."""

    def __init__(self, question: LifeQuestion, table_bits: int = TABLE_BITS):
        self.question = question
        self.sides = (question.attacker, question.attacker.opponent)
        """The colors of attacker and defender."""
        self.points = sorted(question.region)
        self._index = {point: number for number, point in enumerate(self.points)}
        self.state = life_memory.new_life_state(table_bits)
        self._registers = self.state.question[0]
        self._registers["slack"] = SLACK
        self._registers["weights"] = WEIGHTS
        self._salts: dict[tuple[object, ...], int] = {}
        self.poll: Callable[[], None] = lambda: None
        """Called regularly during searches; may raise to stop them."""
        self._write_region()

    @property
    def nodes(self) -> int:
        """Nodes searched so far."""
        return int(self._registers["nodes"])

    def at_stake(self, claim: Claim) -> Points:
        """Return the stones that a claim is about."""
        return self.question.target if claim.whole else self.question.core

    def _bits(self, points: Iterable[int]) -> np.uint64:
        return np.uint64(sum(1 << self._index[p] for p in points if p in self._index))

    def _write_region(self) -> None:
        position, region = self.question.position, self.state.region[0]
        safe: tuple[set[int], set[int]] = (set(), set())
        border = set()
        for number, point in enumerate(self.points):
            around = neighbors(position, point)
            near = [point + offset for offset in (*NEIGHBOR_OFFSETS, *_DIAGONALS)]
            region["around"][number], region["near"][number] = self._bits(around), self._bits(near)
            for outside in set(around) - self.question.region:
                color = position.color(outside)
                for side in (ATTACKER, DEFENDER):
                    if color in (EMPTY, self.sides[side]):
                        safe[side].add(point)
                if color != self.sides[DEFENDER]:
                    border.add(point)
        region["full"], region["border"] = self._bits(self.points), self._bits(border)
        region["safe"] = [self._bits(points) for points in safe]

    def _write_root(self, position: Position, claim: Claim) -> np.void:
        registers = self._registers
        root: np.void = self.state.frames[0]
        kind = (claim.prover, claim.whole, claim.opponent_threats, claim.needs_eyes)
        salt = self._salts.setdefault(kind, len(self._salts) + 1)
        registers["salt"] = np.uint64(salt * 0x9E3779B97F4A7C15 & (1 << 64) - 1)
        registers["prover"], registers["needs_all"] = claim.prover, claim.whole
        registers["target"] = self._bits(self.at_stake(claim))
        registers["opponent_threats"] = claim.opponent_threats
        registers["needs_eyes"] = claim.needs_eyes
        colors = position.block[layout.COLOR : layout.COLOR + layout.POINTS][self.points]
        for side in (ATTACKER, DEFENDER):
            here = np.flatnonzero(colors == self.sides[side]).tolist()
            root["stones"][side] = np.uint64(sum(1 << number for number in here))
        root["ko"] = self._bits([int(position.block[layout.KO])])
        root["mover"] = self.sides.index(position.to_play)
        root["threats"] = claim.threats
        return root

    def search(
        self,
        position: Position,
        claim: Claim,
        until_s: float | None = None,
        nodes: int | None = None,
    ) -> Found:
        """Search for a proof up to a thread time or a number of nodes."""
        root = self._write_root(position, claim)
        begin_life(self.state)
        start = self.nodes
        while self._registers["is_running"]:
            search_life(self.state, min(nodes or BATCH_NODES, BATCH_NODES))
            self.poll()
            is_late = until_s is not None and time.thread_time() > until_s
            is_late |= nodes is not None and self.nodes - start >= nodes
            if self._registers["is_running"] and is_late:
                return Found.OPEN
        return Found.PROVED if root["pn"] == 0 else Found.REFUTED

    def root_numbers(self) -> dict[int, tuple[int, int]]:
        """Return proof and disproof number of the moves at the root of the last search."""
        root = self.state.frames[0]
        count = max(int(root["count"]), 0)
        rows = zip(root["moves"][:count], root["pns"][:count], root["dns"][:count], strict=True)
        return {
            PASS if move == PASS_INDEX else self.points[int(move)]: (int(pn), int(dn))
            for move, pn, dn in rows
        }

    def role(self, color: Color) -> int:
        """Return the role of a color."""
        return self.sides.index(color)
