"""The solver's settings."""

from dataclasses import dataclass

from tengen.core.parameters import check, parameter
from tengen.solver.kernels import memory


@dataclass(frozen=True)
class SolverSettings:
    """How to solve; every enhancement can be switched off (Bouzy's Table 8)."""

    power: int = parameter(
        1, "solve for E1 (area scoring), E2 or E3: sums of group sizes to that power",
        low=1, high=3, origin="Bouzy, formula 10",
    )  # fmt: skip
    proof: bool = parameter(
        True, "prove bounds against all at the horizon; no: deepen with evaluations only"
    )
    table_bits: int = parameter(
        22, "2 to this power entries of 32 bytes in the transposition table", low=4, high=28
    )
    table: bool = parameter(True, "use the transposition table")
    deepening: bool = parameter(True, "deepen step by step; no: search to the end at once")
    history: bool = parameter(
        False, "order moves by the history heuristic (costs nodes here)", origin="Bouzy, table 8"
    )
    null_move: bool = parameter(False, "try the pass first, at a depth less by two")
    mtdf: bool = parameter(False, "find the value by windows of no width: MTD(f)")
    life: bool = parameter(True, "let unconditional life cut the search short")
    symmetry: bool = parameter(True, "let symmetric positions share table entries")

    def __post_init__(self) -> None:
        check(self)

    @property
    def flags(self) -> int:
        """The switches as the kernels read them."""
        switches = {
            memory.USE_TABLE: self.table,
            memory.USE_HISTORY: self.history,
            memory.USE_NULL_MOVE: self.null_move,
            memory.USE_LIFE: self.life,
            memory.USE_SYMMETRY: self.symmetry,
        }
        return sum(flag for flag, is_on in switches.items() if is_on)
