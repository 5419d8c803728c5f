"""The first start: two processes compile the kernels, so that two cores share the work.

Compiled kernels are shared through the kernel cache. This process compiles the search; the helper
compiles the sources, the features of networks and the assessment of finished boards.
"""

import contextlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tengen.board import Position
from tengen.engine.endgame import assess_endgame
from tengen.engine.nets import DEFAULT, NONE, evaluate_with_net
from tengen.engine.settings import EngineSettings
from tengen.nets import MIN_BOARD_SIZE
from tengen.search import EvaluatorSet, Searcher, SearchLimit
from tengen.sources import source_table

STAMP = "helper-was-started"
"""File in the kernel cache: its kernels are compiled already, or being compiled."""
HELPER = "from tengen.engine.first_start import compile_others; compile_others({has_net})"


def compile_on_two_cores(settings: EngineSettings) -> None:
    """On the first start, compile the search here and the rest in a helper process."""
    if _is_first_start() and start_helper(settings.play.net != NONE):
        compile_search(settings)


def _is_first_start() -> bool:
    """Return whether this process is the first one that uses the kernel cache."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder is None or (os.cpu_count() or 1) < 2:
        return False
    try:
        (Path(folder) / STAMP).touch(exist_ok=False)
    except OSError:
        return False  # it exists, or the disk is full
    return True


def start_helper(has_net: bool) -> bool:
    """Start the helper; return whether that was possible."""
    null = subprocess.DEVNULL
    command = [sys.executable, "-c", HELPER.format(has_net=has_net)]
    try:
        subprocess.Popen(command, stdin=null, stdout=null, stderr=null)
    except OSError:
        return False
    return True


def compile_search(settings: EngineSettings) -> None:
    """Compile the kernels of a search without sources."""
    search = replace(settings.search, threads=1, memory_mib=1)
    searcher = Searcher(search, settings.policy, EvaluatorSet(source_table([])))
    searcher.set_position(Position(2))
    searcher.run(SearchLimit(simulations=2))


def compile_others(has_net: bool) -> None:
    """Compile the other kernels of the engine in the order of use: the helper process."""
    with contextlib.suppress(KeyboardInterrupt):
        steps = [_compile_net, _compile_endgame, _compile_sources]
        for step in steps if has_net else reversed(steps):
            step()


def _compile_net() -> None:
    evaluate_with_net(DEFAULT, Position(MIN_BOARD_SIZE))


def _compile_endgame() -> None:
    assess_endgame(Position(2))


def _compile_sources() -> None:
    source_table(EngineSettings().compiled_sources())
