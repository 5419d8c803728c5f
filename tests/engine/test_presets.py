"""Presets: each is a set of settings that an engine takes."""

import argparse
from pathlib import Path

import pytest

from tengen.cli.engine_options import add_engine_options, engine_settings, words_for_players
from tengen.cli.main import main
from tengen.core.errors import TengenError
from tengen.engine.presets import PRESETS, preset_named
from tengen.engine.settings import EngineSettings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_is_a_word_of_the_settings(preset):
    settings = EngineSettings().with_words([f"preset={preset.name}"])
    assert settings == EngineSettings().with_words(preset.words)


def test_a_preset_can_be_changed_afterwards():
    settings = EngineSettings().with_words(["preset=fast", "seconds=3"])
    assert settings.play.seconds == 3


def test_the_default_is_a_preset():
    assert EngineSettings().with_words(["preset=classic"]) == EngineSettings()
    assert EngineSettings().with_words(["preset=laptop"]).play.net == "default"


@pytest.mark.parametrize(
    ("words", "net"),
    [
        ([], "default"),
        (["net=none"], "none"),
        (["kind=uct"], "none"),
        (["prior=bigmove@20"], "none"),
        (["--prior", f"{EXAMPLES / 'corner_lover.py'}:corner_lover"], "none"),
        (["--level", "10k"], "none"),
    ],
)
def test_players_get_the_net_unless_they_ask_for_something_else(words, net):
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    arguments = parser.parse_args(words)
    settings = engine_settings(arguments, words_for_players(arguments))
    assert settings.play.net == net


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
