"""The parser of command lines: help in one voice, faults in one line."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from tengen.board.rules import NAMED_RULES
from tengen.core.counts import any_float, positive_float, positive_int

RULES = ", ".join(NAMED_RULES)
FEW_OPTIONS = 6

INTERRUPTED = 130
"""The exit code after Ctrl-C: 128 and the number of the signal, as shells give it."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help in one voice: numbers are called N and X, lists keep their lines."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        numbers = {int: "N", positive_int: "N", any_float: "X", float: "X", positive_float: "X"}
        return numbers.get(action.type) or super()._get_default_metavar_for_optional(action)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """Name the few options that must be given; many that may be are `[options]`."""
        optional = [action for action in actions if action.option_strings and not action.required]
        if usage or len(optional) <= FEW_OPTIONS:
            return super()._format_usage(usage, actions, groups, prefix)
        told = [action for action in actions if action not in optional]
        text = super()._format_usage(usage, told, [], prefix)
        return text.replace(self._prog, f"{self._prog} [options]", 1)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = text.split("\n\n")
        return "\n\n".join(self._fill_paragraph(part, width, indent) for part in parts)

    def _fill_paragraph(self, text: str, width: int, indent: str) -> str:
        """Fill a paragraph; one with an indented line is a list, and keeps its lines."""
        if any(line.startswith(" ") for line in text.splitlines()):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class LineParser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and leaves the usage to `--help`."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **{"formatter_class": HelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """Tell and exit with 2."""
        self.exit(2, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def run_action(arguments: argparse.Namespace) -> int:
    """Run the sub-command that was chosen, which is `action`; return the exit code."""
    action: Callable[[argparse.Namespace], int] = arguments.action
    return action(arguments)
