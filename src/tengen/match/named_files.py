"""What stood in the files that players name: results of another content are another player's."""

from collections.abc import Iterable, Mapping
from typing import Any

from tengen.engine.named_files import file_digests
from tengen.match.factory import is_in_process, settings_of

FILES = "files"


def named_files(specs: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return, as an entry of an identity, a digest of each file that players here name.

    There is no such entry if they name none. Programs are not looked into.
    """
    found: dict[str, str] = {}
    for spec in filter(is_in_process, specs):
        found |= file_digests(settings_of(spec))
    return {FILES: found} if found else {}


def changed_files(stored: object, wanted: Mapping[str, Any]) -> str:
    """Tell by which files alone two identities differ, and what to do but to begin anew.

    Nothing if there is more. What was stored before such files were looked at differs in all.
    """
    if not isinstance(stored, Mapping):
        return ""
    if any(stored.get(key) != wanted.get(key) for key in {*stored, *wanted} - {FILES}):
        return ""
    before, now = stored.get(FILES, {}), wanted.get(FILES, {})
    changed = ", ".join(path for path in now if now[path] != before.get(path))
    if changed and not before:
        return f"what stood in {changed} was not noted then; "
    return f"what stands in {changed} has changed; put it back, or " if changed else ""
