"""Playing a match as it is written down, into a file."""

from contextlib import AbstractContextManager
from pathlib import Path

from tengen.match.config import MatchConfig
from tengen.match.runner import Status, Watcher, run_match
from tengen.match.store import Store
from tengen.match.workers import open_workers


def play_match(
    config: MatchConfig,
    path: Path,
    workers: int,
    cluster: str | None,
    show: AbstractContextManager[Watcher],
) -> Status:
    """Play the games that are missing in the store at `path`; return where the match stands.

    It is shown from the first game on. Raise TengenError, and leave no file, if there can be no
    such match or no workers.
    """
    limits, plan = config.limits(), config.plan()
    opened = open_workers(workers, cluster)
    store = Store(path)
    try:
        with show as watch:
            return run_match(plan, store, limits, opened, watch)
    finally:
        store.close()
