"""Settings that apply to every game of a match."""

from dataclasses import dataclass, field

from tengen.board import Position, Rules, fixed_handicap_points
from tengen.engine import UNLIMITED, TimeControl


@dataclass(frozen=True)
class MatchSettings:
    """Board, rules and time limits, the same for both sides."""

    rows: int = 9
    columns: int = 9
    rules: Rules = field(default_factory=Rules)
    time_control: TimeControl = UNLIMITED
    lag_s: float = 0.2
    """Tolerated overrun of the clock, for pipe and scheduling delays."""
    grace_s: float = 5.0
    """Time after which an engine that has lost on time counts as hung."""
    move_timeout_s: float = 300.0
    """Time limit of a move without a time control."""
    command_timeout_s: float = 20.0
    """Time limit of any other command."""
    start_timeout_s: float = 180.0
    """Time limit of commands before an engine's first game, while it may load or compile."""
    handicap: int = 0
    """Number of Black's handicap stones, on the points of GTP's `fixed_handicap`."""

    def __post_init__(self) -> None:
        """Raise TengenError if the board does not allow this handicap."""
        _ = self.handicap_points

    @property
    def handicap_points(self) -> list[int]:
        """Points of the handicap stones."""
        if not self.handicap:
            return []
        return fixed_handicap_points(self.rows, self.columns, self.handicap)

    def start_position(self) -> Position:
        """Return the position before the first move; White moves first in handicap games."""
        position = Position(self.rows, self.columns, self.rules)
        if self.handicap:
            position.place_handicap(self.handicap_points)
        return position

    @property
    def max_moves(self) -> int:
        """Number of moves after which a game is stopped and scored."""
        return 4 * self.rows * self.columns + 20

    @property
    def size_text(self) -> str:
        """The board size: `9`, or `7x9` for 7 columns and 9 rows."""
        is_square = self.rows == self.columns
        return str(self.rows) if is_square else f"{self.columns}x{self.rows}"

    @property
    def summary(self) -> str:
        """Board, rules, komi, handicap and clock in one line."""
        parts = [
            f"{self.columns}x{self.rows}",
            f"{self.rules.name} rules",
            f"komi {self.rules.komi:g}",
            f"handicap {self.handicap}" if self.handicap else "",
            f"{'no' if self.time_control.is_unlimited else self.time_control} clock",
        ]
        return ", ".join(filter(None, parts))
