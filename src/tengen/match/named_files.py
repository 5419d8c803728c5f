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


def changed_files(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the files by which alone two identities differ; nothing if it is not they.

    One that was stored before such files were looked at may differ in all of them.
    """
    if any(stored.get(key) != wanted.get(key) for key in {*stored, *wanted} - {FILES}):
        return ""
    before, now = stored.get(FILES, {}), wanted.get(FILES, {})
    return ", ".join(path for path in now if now[path] != before.get(path))
