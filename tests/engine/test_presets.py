"""Presets: each is a set of settings that an engine takes."""

import pytest

from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.presets import PRESETS, preset_named
from tengen.engine.settings import EngineSettings


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_a_word_of_the_settings(preset):
    settings = EngineSettings().with_words([f"preset={preset.name}"])
    assert settings == EngineSettings().with_words(preset.words)


def test_a_preset_can_be_changed_afterwards():
    settings = EngineSettings().with_words(["preset=fast", "seconds=3"])
    assert settings.play.seconds == 3


def test_the_default_is_a_preset():
    assert EngineSettings().with_words(["preset=laptop"]) == EngineSettings()
    assert EngineSettings().with_words(["preset=classic"]).play.net == "none"


def test_papers_has_all_of_them():
    settings = EngineSettings().with_words(["preset=papers"])
    names = {source.name for source in settings.compiled_sources()}
    assert {"bigmove", "potential", "metric", "shape"} < names
    assert settings.play.net == "default"
    assert settings.net.net_cap == 0.25


def test_an_unknown_preset_is_told_with_those_there_are():
    with pytest.raises(TengenError, match="there are laptop, classic, "):
        preset_named("desktop")


def test_the_list(capsys):
    assert main(["presets"]) == 0
    said = capsys.readouterr().out
    assert all(preset.name in said for preset in PRESETS)
    assert "25k" in said
