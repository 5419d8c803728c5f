"""Starting every player once before the first game, so that mistakes show at once."""

from collections.abc import Sequence

from tengen.core.errors import TengenError
from tengen.match.factory import make_player
from tengen.match.plan import Entrant, distinct_labels
from tengen.match.setting import GameSetting


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
        player.new_game(setting, seed=1)
        return Entrant("", spec, player.name, player.version)
    except TengenError as error:
        raise TengenError(f"player {spec!r}: {error}") from None
    finally:
        player.close()
