"""Fixtures and import paths that all tests share."""

import os
import sys
from pathlib import Path

import pytest

from signals import (  # noqa: F401  (hooks of pytest)
    pytest_runtest_teardown,
    pytest_timeout_set_timer,
    restore_interrupts,
)

restore_interrupts()
TEST_DATA = os.environ.get("TENGEN_TEST_DATA", "")

for _folder in ("board", "cli", "match", "records/database", "sources", "review", "web"):
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.fixture(scope="session")
def reference_data() -> Path:
    """Return the folder of game records and test suites that TENGEN_TEST_DATA names."""
    if not TEST_DATA:
        pytest.skip("needs game records: set TENGEN_TEST_DATA to their folder")
    folder = Path(TEST_DATA)
    if not folder.is_dir():
        pytest.fail(f"TENGEN_TEST_DATA is not a folder: {folder}")
    return folder
