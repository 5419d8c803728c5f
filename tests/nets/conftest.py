"""Game records for labeling and training."""

import pytest
from teachers import sgf_of


@pytest.fixture
def games(tmp_path):
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(sgf_of(seed) for seed in range(40)))
    return path
