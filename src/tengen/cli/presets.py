"""`tengen presets`: settings and levels that have a name."""

import argparse

from tengen.engine.levels import LEVELS
from tengen.engine.presets import PRESETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options: there are none."""
    parser.epilog = "Use one wherever settings are given: `tengen gtp preset=papers`, `level=10k`."


def run(arguments: argparse.Namespace) -> int:
    """Print them all."""
    from rich.console import Console
    from rich.table import Table

    presets = Table("preset", "what it is", "settings", "measured strength", box=None)
    for preset in PRESETS:
        presets.add_row(preset.name, preset.meaning, " ".join(preset.words), preset.measured)
    levels = Table("level", "what it is", "settings", "wins against the one below", box=None)
    for level in LEVELS:
        levels.add_row(level.name, level.meaning, " ".join(level.words), level.measured)
    console = Console(highlight=False)
    console.print(presets)
    console.print()
    console.print(levels)
    return 0
