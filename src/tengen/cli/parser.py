"""The argument parser shared by all commands: help format, one-line errors, exit codes."""

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from tengen.util import finite_float, positive_float, positive_int, sentence

MAX_USAGE_OPTIONS = 6
"""Optional arguments listed in a usage line; more are shortened to `[options]`."""

BAD_INPUT = 2
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the signal number, as in shells."""

_INVALID_INTEGER = re.compile(r"invalid int value: ('.*')")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Names integers N and other numbers X, shows defaults, and keeps the lines of lists."""

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        numbers = {int: "N", positive_int: "N", finite_float: "X", float: "X", positive_float: "X"}
        return numbers.get(action.type) or super()._get_default_metavar_for_optional(action)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        """Return the help of an option followed by its default, unless the help states it."""
        default = f"{action.default:g}" if isinstance(action.default, float) else action.default
        is_shown = isinstance(default, str | int) and not isinstance(default, bool)
        if (
            not is_shown
            or default in ("", argparse.SUPPRESS)
            or "(default: " in (action.help or "")
        ):
            return action.help
        return f"{action.help} (default: {default})"

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the indented names of sub-commands, which argparse does not count."""
        super().add_argument(action)
        for subaction in self._iter_indented_subactions(action):
            width = self._current_indent + len(self._format_action_invocation(subaction))
            self._action_max_length = max(self._action_max_length, width)

    def _format_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any) -> str:
        """List required arguments; shorten many optional ones to `[options]`."""
        optional = [action for action in actions if action.option_strings and not action.required]
        if usage or len(optional) <= MAX_USAGE_OPTIONS:
            return super()._format_usage(usage, actions, groups, prefix)
        listed = [action for action in actions if action not in optional]
        text = super()._format_usage(usage, listed, [], prefix)
        return text.replace(self._prog, f"{self._prog} [options]", 1)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts = text.split("\n\n")
        return "\n\n".join(self._fill_paragraph(part, width, indent) for part in parts)

    def _fill_paragraph(self, text: str, width: int, indent: str) -> str:
        """Fill a paragraph; one with indented lines is a list and keeps its lines."""
        if any(line.startswith(" ") for line in text.splitlines()):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class CommandParser(argparse.ArgumentParser):
    """A parser that reports errors in one line, without the usage."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **{"formatter_class": HelpFormatter, **options})

    def error(self, message: str) -> NoReturn:
        """Print the message and exit with code 2."""
        message = _INVALID_INTEGER.sub(r"\1 is not an integer", message)
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see `{self.prog} --help`)\n")


def run_action(arguments: argparse.Namespace) -> int:
    """Run the chosen sub-command, stored as `action`; return the exit code."""
    action: Callable[[argparse.Namespace], int] = arguments.action
    return action(arguments)


def add_action(
    actions: Any,
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], int],
    details: str = "",
) -> argparse.ArgumentParser:
    """Add a sub-command that `run_action` runs; `details` follow the summary in its help."""
    description = f"{sentence(summary)} {details}".strip()
    parser: argparse.ArgumentParser
    parser = actions.add_parser(name, help=summary, description=description)
    parser.set_defaults(action=run)
    return parser
