"""Solver settings."""

from dataclasses import dataclass

from tengen.util.parameters import check, parameter


@dataclass(frozen=True)
class SolverSettings:
    """Settings of the solver; each enhancement can be switched off (paper 003, table 8)."""

    power: int = parameter(
        1, "evaluation to solve for: 1 is E1 (area scoring), 2 is E2, 3 is E3",
        low=1, high=3, origin="paper 003, formula 10",
    )  # fmt: skip
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
