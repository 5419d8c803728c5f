"""The settings of an engine in words: what differs from the defaults."""

import dataclasses

from tengen.engine.settings import PARTS, EngineSettings


def changes(settings: EngineSettings) -> list[str]:
    """Return `name=value` for each setting that is not the default, and each source added."""
    usual = EngineSettings()
    words = [
        f"{field.name}={getattr(getattr(settings, part), field.name)}"
        for part in PARTS
        for field in dataclasses.fields(getattr(settings, part))
        if getattr(getattr(settings, part), field.name) != getattr(getattr(usual, part), field.name)
    ]
    return words + [
        f"prior={source.name}@{source.equivalent_visits:g}" for source in settings.sources
    ]
