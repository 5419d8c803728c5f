"""All that is known of a match, as reports and plots want it."""

from dataclasses import dataclass

from tengen.match.plan import Entrant
from tengen.match.store import GameRow


@dataclass(frozen=True)
class Results:
    """What a report is made of."""

    title: str
    players: list[Entrant]
    rows: list[GameRow]
    terms: str = ""
    """Board, rules and clock of all games in a line, if known."""
    handicap: int = 0
    """Stones that Black got in every game."""

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Who has played whom, the lower number first."""
        met = {(min(row.black, row.white), max(row.black, row.white)) for row in self.rows}
        return sorted(pairing for pairing in met if pairing[0] != pairing[1])

    def label(self, player: int) -> str:
        """Return what a player is called."""
        return self.players[player].label
