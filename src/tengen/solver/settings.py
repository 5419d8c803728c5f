"""Solver settings."""

from dataclasses import dataclass

from tengen.util import check, parameter

REPETITIONS = ("positional", "situational", "draw")
"""Rules for repetitions, in the order of the kernels' numbers."""


@dataclass(frozen=True)
class SolverSettings:
    """Settings of the solver; each enhancement can be switched off (paper 003, table 8)."""

    power: int = parameter(
        1, "evaluation to solve for: 1 is E1 (area scoring), 2 is E2, 3 is E3",
        low=1, high=3, origin="paper 003, formula 10",
    )  # fmt: skip
    repetition: str = parameter(
        "positional",
        "rule for repetitions: positional or situational superko, or simple ko and a draw (0 "
        "points) when a position repeats with the same side to move",
        choices=REPETITIONS,
    )
    proof: bool = parameter(True, "prove bounds; if off, only deepen the search with evaluations")
    table_bits: int = parameter(
        22, "log2 of the number of 32-byte entries in the transposition table", low=4, high=28
    )
    table: bool = parameter(True, "use the transposition table")
    deepening: bool = parameter(True, "use iterative deepening; if off, search to the end at once")
    history: bool = parameter(
        False, "order moves by the history heuristic", origin="paper 003, table 8"
    )
    null_move: bool = parameter(False, "try a pass first, at a depth reduced by two")
    mtdf: bool = parameter(False, "find the value with MTD(f) instead of a full window")
    life: bool = parameter(True, "cut off by unconditional life")
    symmetry: bool = parameter(True, "share table entries between symmetric positions")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class ProofSettings:
    """Settings of the proof-number search; each enhancement can be switched off."""

    table_bits: int = parameter(
        24, "log2 of the number of 16-byte entries in the table", low=4, high=28
    )
    slack: int = parameter(
        25, "percentage by which a child may exceed the runner-up before the search leaves it",
        low=0, high=1000, origin="Pawlewicz and Lew 2007",
    )  # fmt: skip
    weak: bool = parameter(
        False, "combine numbers by their maximum instead of their sum", origin="Ueda et al. 2008"
    )
    ordering: bool = parameter(True, "initial numbers by liberties, eye space, influence, stones")
    life: bool = parameter(True, "decide states by unconditional life")
    interior: bool = parameter(True, "count regions in which the other side cannot live as secure")
    symmetry: bool = parameter(True, "share table entries between symmetric states")
    refresh: bool = parameter(True, "reread the table entries of all children after each search")
    replacement: bool = parameter(True, "replace the entry with the least work of a bucket")

    def __post_init__(self) -> None:
        check(self)
