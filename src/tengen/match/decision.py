"""What the sequential test of a match has decided: once decided, it stays so.

Games that were under way when it decided are counted, and may take the numbers back to where
nothing would be decided: that is no reason to go on.
"""

from collections.abc import Sequence

from tengen.match.stats import Decision, Sprt
from tengen.match.store import GameRow, Store
from tengen.match.tally import pair_counts


def decision_of(store: Store, rows: Sequence[GameRow], sprt: Sprt) -> Decision:
    """Return what is stored; else what the test says of the games, from the first player's side."""
    stored = store.about(_key(sprt))
    if isinstance(stored, int):
        return Decision(stored)
    return sprt.decide(pair_counts(rows, 0))


def keep_decision(store: Store, sprt: Sprt, decision: Decision) -> None:
    """Store what was decided."""
    if decision is not Decision.OPEN:
        store.set_about(_key(sprt), int(decision))


def _key(sprt: Sprt) -> str:
    return f"decision {list(sprt)}"
