"""From a text to a player: the one place that decides what kind of player it is.

- `tengen playouts=5000 seed=1`, or the path of a TOML file: Tengen in this process.
- Anything else, `tengen gtp ...` too: the command line of a GTP program.
"""

from tengen.engine.settings_file import settings_words
from tengen.match.player import GtpPlayer, Player, split_command


def settings_file(spec: str) -> str | None:
    """Return the path of the TOML file that a player's text names, None if it names none."""
    words = split_command(spec)
    return words[0] if len(words) == 1 and words[0].endswith(".toml") else None


def is_in_process(spec: str) -> bool:
    """Tell whether a player's text means Tengen in this process."""
    words = split_command(spec)
    return settings_file(spec) is not None or (words[0] == "tengen" and words[1:2] != ["gtp"])


def settings_of(spec: str) -> list[str]:
    """Return the settings of a player in this process as `name=value`; raise TengenError."""
    path = settings_file(spec)
    return split_command(spec)[1:] if path is None else settings_words(path)


def make_player(spec: str) -> Player:
    """Return the player that a text names; raise TengenError if it is none.

    A GTP program is not started before its first game.
    """
    if not is_in_process(spec):
        return GtpPlayer(spec)
    # Only here: a match of GTP programs need not load the engine.
    from tengen.match.tengen_player import tengen_player

    return tengen_player(spec)
