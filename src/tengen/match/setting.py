"""What every game of a match has in common."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tengen.board.handicap import fixed_handicap_points
from tengen.board.position import Position
from tengen.board.rules import Rules
from tengen.match.clock import TimeControl


@dataclass(frozen=True)
class GameSetting:
    """Board, rules and limits of a game; the same for both sides."""

    rows: int = 9
    columns: int = 9
    rules: Rules = field(default_factory=Rules)
    control: TimeControl | None = None
    """The time control; None for no limit."""
    lag_s: float = 0.2
    """How far a clock may be overdrawn before the flag falls: pipes and schedulers take time."""
    grace_s: float = 5.0
    """How long after its flag fell an engine may still answer before it counts as hung."""
    move_timeout_s: float = 300.0
    """How long a move may take where there is no time control."""
    command_timeout_s: float = 20.0
    """How long any other command may take."""
    start_timeout_s: float = 180.0
    """How long each command may take before a program's first game: it may load or compile."""
    handicap: int = 0
    """Stones that Black gets where GTP's `fixed_handicap` puts them; 0 for an even game."""

    def __post_init__(self) -> None:
        """Raise TengenError if the board does not take so many handicap stones."""
        _ = self.handicap_points

    @property
    def handicap_points(self) -> list[int]:
        """Where the handicap stones lie."""
        if not self.handicap:
            return []
        return fixed_handicap_points(self.rows, self.columns, self.handicap)

    def start(self) -> Position:
        """Return the position before the first move: White's, if Black has a handicap."""
        position = Position(self.rows, self.columns, self.rules)
        if self.handicap:
            position.place_handicap(self.handicap_points)
        return position

    @property
    def longest_game(self) -> int:
        """The number of moves after which a game is stopped and scored as it stands."""
        return 4 * self.rows * self.columns + 20

    @property
    def size_text(self) -> str:
        """The size as people write it: `9`, or `7x9` for 7 columns and 9 rows."""
        square = self.rows == self.columns
        return str(self.rows) if square else f"{self.columns}x{self.rows}"

    @property
    def text(self) -> str:
        """What a reader of the results wants to know, in a line."""
        parts = [
            f"{self.columns}x{self.rows}",
            f"{self.rules.name} rules",
            f"komi {self.rules.komi:g}",
            f"handicap {self.handicap}" if self.handicap else "",
            f"{self.control.text if self.control else 'no'} clock",
        ]
        return ", ".join(filter(None, parts))


def completed(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting out of a match file, with the defaults of what its version did not know."""
    return _with_defaults(stored, asdict(GameSetting(control=TimeControl())))


def _with_defaults(stored: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    inner = {
        name: _with_defaults(stored[name], default)
        for name, default in defaults.items()
        if isinstance(default, Mapping) and isinstance(stored.get(name), Mapping)
    }
    return {**defaults, **stored, **inner}
