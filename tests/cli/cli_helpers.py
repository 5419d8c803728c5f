"""Runs the `tengen` command as a user does."""

import os
import subprocess
import sys
from typing import NamedTuple

COMMAND = [sys.executable, "-m", "tengen"]
PATIENCE_S = 120


class Outcome(NamedTuple):
    """The result of a command, without the compiler's messages."""

    code: int
    output: str
    errors: str


def tengen(*words, typed="", **environment) -> Outcome:
    """Run a command with the given text as input."""
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        input=typed if isinstance(typed, bytes) else typed.encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environ, **environment},
    )
    lines = done.stderr.decode().splitlines()
    errors = [line for line in lines if not line.startswith("tengen: compil")]
    return Outcome(done.returncode, done.stdout.decode(), "\n".join(errors))
