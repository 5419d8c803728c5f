"""Presets: valid settings, and defaults of commands."""

import argparse
from pathlib import Path

import pytest

from tengen.cli.engine_options import (
    add_engine_options,
    default_playouts,
    engine_settings,
    given_overrides,
    player_defaults,
)
from tengen.cli.main import main
from tengen.cli.play import initial_level
from tengen.engine import LEVELS, PRESETS, EngineSettings, preset_named
from tengen.util import TengenError, read_results

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
RESULTS = ROOT / "results" / "strength" / "matches.csv"


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_preset_is_a_setting(preset):
    settings = EngineSettings().with_overrides([f"preset={preset.name}"])
    assert settings == EngineSettings().with_overrides(preset.overrides)


def test_later_settings_override_a_preset():
    settings = EngineSettings().with_overrides(["preset=fast", "seconds=3"])
    assert settings.play.seconds == 3


def test_default_is_a_preset():
    assert EngineSettings().with_overrides(["preset=classic"]) == EngineSettings()
    assert EngineSettings().with_overrides(["preset=laptop"]).play.net == "default"


@pytest.mark.parametrize(
    ("words", "net"),
    [
        ([], "default"),
        (["net=none"], "none"),
        (["preset=fast"], "default"),
        (["preset=classic"], "none"),
        (["algorithm=uct"], "none"),
        (["prior=bigmove@20"], "none"),
        (["--prior", f"{EXAMPLES / 'corner_lover.py'}:corner_lover"], "none"),
        (["--level", "10k"], "default"),
        (["--config", "kind.toml"], "none"),
        (["--config", "resign.toml"], "default"),
    ],
)
def test_player_defaults_use_the_bundled_net(words, net, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kind.toml").write_text('[search]\nalgorithm = "uct"')
    Path("resign.toml").write_text("resign = 0")
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    arguments = parser.parse_args(words)
    settings = engine_settings(arguments, player_defaults(arguments))
    assert settings.play.net == net


def test_papers_preset_contains_all_sources():
    settings = EngineSettings().with_overrides(["preset=papers"])
    names = {source.name for source in settings.compiled_sources()}
    assert {"bigmove", "potential", "metric", "shape"} < names
    assert settings.play.net == "default"
    assert settings.net.net_max_weight == 0.25


def test_unknown_preset_lists_the_known_ones():
    with pytest.raises(TengenError, match="use one of laptop, classic, "):
        preset_named("desktop")


def test_presets_command(capsys):
    assert main(["presets"]) == 0
    output = capsys.readouterr().out
    assert all(preset.name in output for preset in PRESETS)
    assert all(level.name in output for level in LEVELS)


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ([], "10k"),
        (["--level", "2k"], "2k"),
        (["level=2K"], "2k"),
        (["--threads", "1", "resign=0"], "10k"),
        (["--playouts", "5000"], "strongest"),
        (["net=none"], "strongest"),
        (["preset=strong", "--level", "5k"], "5k"),
    ],
)
def test_initial_level_keeps_the_given_settings(words, level):
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    assert initial_level(given_overrides(parser.parse_args(words))) == level


@pytest.mark.parametrize(
    ("words", "playouts"),
    [
        ([], 1000),
        (["playouts=50"], 50),
        (["--playouts", "60"], 60),
        (["seconds=2"], 0),
        (["preset=fast"], 0),
    ],
)
def test_given_limits_replace_the_default_playouts(words, playouts):
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    arguments = parser.parse_args(words)
    settings = engine_settings(arguments, default_playouts(arguments, 1000))
    assert settings.play.playouts == playouts


@pytest.mark.parametrize("words", [["net=default"], ["preset=strong"], ["preset=papers"]])
def test_explicit_net_has_no_other_defaults(words):
    parser = argparse.ArgumentParser()
    add_engine_options(parser)
    arguments = parser.parse_args(words)
    assert engine_settings(arguments, player_defaults(arguments)) == engine_settings(arguments)


def test_strength_figures_are_results():
    rows = read_results(RESULTS).rows
    for preset in PRESETS:
        found = [row for row in rows if row["player"] == preset.name]
        expected = {f"{row['score']} of {row['games']} games" for row in found}
        assert all(text in preset.strength for text in expected)
        assert bool(expected) == bool(preset.strength)
