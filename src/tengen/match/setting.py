"""What every game of a match has in common."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

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
        board = f"{self.columns}x{self.rows}, {self.rules.name} rules, komi {self.rules.komi:g}"
        return f"{board}, {self.control.text if self.control else 'no'} clock"


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
