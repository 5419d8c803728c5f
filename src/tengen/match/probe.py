"""Starting every player once before the first game, so that mistakes show at once."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tengen.core.errors import TengenError
from tengen.match.factory import make_player
from tengen.match.plan import Entrant, distinct_labels
from tengen.match.setting import GameSetting

QUIET_S = 10.0
"""How long a player may take to start before that is told."""


def probe_players(
    specs: Sequence[str], labels: Sequence[str | None], setting: GameSetting
) -> tuple[Entrant, ...]:
    """Start each player, set up the board and ask its name; raise TengenError if that fails."""
    found = [_probe(spec, setting) for spec in specs]
    own = [" ".join(filter(None, (entrant.name, entrant.version))) for entrant in found]
    chosen = [
        label or (name if own.count(name) == 1 else spec)
        for label, name, spec in zip(labels, own, specs, strict=True)
    ]
    numbered = [
        f"{label} ({chosen[:place].count(label) + 1})" if label in chosen[:place] else label
        for place, label in enumerate(chosen)
    ]
    distinct_labels(numbered)
    return tuple(
        Entrant(label, spec, entrant.name, entrant.version)
        for label, spec, entrant in zip(numbered, specs, found, strict=True)
    )


def _probe(spec: str, setting: GameSetting) -> Entrant:
    player = make_player(spec)
    try:
        with _telling_of(spec, setting.start_timeout_s):
            player.new_game(setting, seed=1)
        return Entrant("", spec, player.name, player.version)
    except TengenError as error:
        raise TengenError(f"player {spec!r}: {error}") from None
    finally:
        player.close()


@contextmanager
def _telling_of(spec: str, limit_s: float) -> Iterator[None]:
    """Tell whom we wait for if it takes long: a net that loads, or a program that never answers."""
    text = f"tengen: waiting for {spec!r} to start, {limit_s:.0f} s for each answer at the most"
    timer = threading.Timer(QUIET_S, print, [text], {"file": sys.stderr, "flush": True})
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
