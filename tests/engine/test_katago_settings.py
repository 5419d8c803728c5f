"""KataGo's settings: translated, unknown and invalid ones."""

import re
from pathlib import Path

import pytest

from tengen.engine import (
    EngineSettings,
    Perspective,
    parse_overrides,
    read_config,
    read_settings_file,
    translate,
)
from tengen.engine.katago_settings import CONVERTERS, SAME_VALUE
from tengen.util import TengenError

CONFIG = """
# KataGo's own
logDir = gtp_logs    # with a remark
rules = japanese
maxVisits = 500
maxPlayouts = 300
maxTime = 10.5
numSearchThreads = 1
ponderingEnabled = true
lagBuffer = 1.0
allowResignation = true
resignThreshold = -0.90
reportAnalysisWinratesAs = SIDETOMOVE
analysisWideRootNoise = 0.0
searchRandSeed = "seven"
@include other.cfg
"""


def test_config_file(tmp_path):
    path = tmp_path / "gtp.cfg"
    path.write_text(CONFIG)
    found = translate(read_config(str(path)))
    assert found.unknown == ["logDir"], "disabled features are not listed"
    assert (found.visits, found.seconds, found.threads) == (300, 10.5, 1)
    assert found.perspective is Perspective.SIDETOMOVE
    assert found.rules is not None
    assert found.rules.name == "japanese"
    settings = EngineSettings().with_overrides(found.all_overrides())
    assert settings.play.playouts == 300
    assert settings.play.seconds == 10.5
    assert settings.play.ponder is True
    assert settings.play.lag == 1.0
    assert settings.play.resign == pytest.approx(0.05)
    assert settings.play.seed > 0


def test_translated_names_exist():
    for name, ours in SAME_VALUE.items():
        part, _, own = ours.partition(".")
        assert hasattr(getattr(EngineSettings(), part), own), name
    assert not set(SAME_VALUE) & set(CONVERTERS)


def test_overrides():
    assert parse_overrides("maxVisits=7, maxTime = 2,") == {"maxVisits": "7", "maxTime": "2"}


def test_seed_may_be_any_text():
    for text in ("7", "seven", "7" * 5000, "0", str(2**31), str(2**31 - 1)):
        assert (
            EngineSettings().with_overrides(translate({"searchRandSeed": text}).overrides).play.seed
            > 0
        )


def test_resignation_settings():
    for values in (
        {"allowResignation": "false", "resignThreshold": -0.9},
        {"allowResignation": False},
    ):
        settings = EngineSettings().with_overrides(translate(values).all_overrides())
        assert settings.play.resign == 0


@pytest.mark.parametrize(
    "values",
    [
        {"maxVisits": "many"},
        {"maxVisits": 0},
        {"maxVisits": True},
        {"maxTime": 0},
        {"maxTime": "nan"},
        {"numAnalysisThreads": -1},
        {"reportAnalysisWinratesAs": "GRAY"},
        {"rules": "bridge"},
        {"resignThreshold": "never"},
    ],
)
def test_rejects_invalid_values(values):
    with pytest.raises(TengenError) as raised:
        translate(values)
    assert "\n" not in str(raised.value)


def test_rejects_unreadable_files(tmp_path):
    with pytest.raises(TengenError, match="cannot read"):
        read_config(str(tmp_path))
    junk = tmp_path / "junk.cfg"
    junk.write_bytes(b"\xff\xfe no settings at all\n")
    with pytest.raises(TengenError, match="name=value"):
        read_config(str(junk))
    with pytest.raises(TengenError, match="name=value"):
        parse_overrides("maxVisits")


def test_settings_file_in_the_docs(tmp_path):
    page = Path(__file__).resolve().parents[2] / "docs" / "guis.md"
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text(), re.S)
    path = tmp_path / "engine.toml"
    path.write_text(text)
    settings = EngineSettings().with_overrides(read_settings_file(str(path)))
    assert (settings.play.seconds, settings.search.threads, settings.priors.shape) == (3, 2, 80)


def test_docs_list_every_translated_setting():
    page = (Path(__file__).resolve().parents[2] / "docs" / "guis.md").read_text()
    per_search = "numSearchThreadsPerAnalysisThread"
    assert not [
        name
        for name in (*CONVERTERS, *SAME_VALUE)
        if f"`{name}`" not in page and name != per_search
    ]
