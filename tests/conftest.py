"""What all tests share."""

import sys
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

for _folder in ("board", "cli", "database", "knowledge", "review", "web"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with games and suites beside the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"needs {SHARED}, which is not part of the repository")
    return SHARED
