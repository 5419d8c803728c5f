"""`tengen presets`: list presets and levels."""

import argparse

from tengen.engine import LEVELS, PRESETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the help; there are no options."""
    parser.epilog = (
        "Presets and levels are settings: `tengen gtp preset=papers`, `tengen play level=10k`."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print presets and levels as tables."""
    from rich.table import Table

    from tengen.util import Console

    presets = Table("preset", "description", "settings", "measured strength", box=None)
    for preset in PRESETS:
        presets.add_row(
            preset.name, preset.description, " ".join(preset.overrides), preset.strength
        )
    levels = Table("level", "description", "measured on", box=None)
    for level in LEVELS:
        levels.add_row(level.name, level.description, level.strength)
    console = Console(highlight=False)
    console.print(presets)
    console.print()
    console.print(levels)
    return 0
