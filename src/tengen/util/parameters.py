"""Self-describing parameters.

Each component has one frozen dataclass of parameters. A field made with `parameter` carries its
description, range and origin, so that the command line, GTP and the tuner share one definition:

    @dataclass(frozen=True)
    class Example:
        depth: int = parameter(4, "search depth in plies", low=1, high=9)
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, TypeVar

from tengen.util.errors import TengenError

Settings = TypeVar("Settings")

_BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_TYPE_NAMES = {bool: "yes or no", int: "an integer", float: "a number"}


def parameter(
    default: Any,
    meaning: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
    origin: str = "",
) -> Any:
    """Return a dataclass field with a description, a range or choices, and a source reference."""
    about = {"meaning": meaning, "low": low, "high": high, "choices": choices, "origin": origin}
    return dataclasses.field(default=default, metadata=about)


def check(settings: object) -> None:
    """Raise TengenError if a field is out of range; call it from `__post_init__`."""
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]
        _check_value(field, getattr(settings, field.name))


def _check_value(field: dataclasses.Field[Any], value: Any) -> None:
    about = field.metadata
    if about.get("choices") and value not in about["choices"]:
        choices = ", ".join(about["choices"])
        raise TengenError(f"{field.name} must be one of {choices}, got {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise TengenError(f"{field.name} must be a finite number, got {value}")
    low, high = about.get("low"), about.get("high")
    too_low = low is not None and not value >= low
    too_high = high is not None and not value <= high
    if too_low or too_high:
        raise TengenError(f"{field.name} must be {_range_text(low, high)}, got {value}")


def _range_text(low: float | None, high: float | None) -> str:
    if high is None:
        return f"at least {_bound_text(low)}"
    if low is None:
        return f"at most {_bound_text(high)}"
    return f"from {_bound_text(low)} to {_bound_text(high)}"


def _bound_text(bound: float | None) -> str:
    return f"{bound:,.0f}" if bound == round(bound or 0) else f"{bound:g}"


def parse_value(field: dataclasses.Field[Any], text: str) -> Any:
    """Parse a value of the field's type; raise TengenError if the text is invalid."""
    kind: Any = type(field.default)
    try:
        return _BOOLEANS[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        wanted = _TYPE_NAMES.get(kind, "a word")
        raise TengenError(f"{field.name} must be {wanted}, got {text!r}") from None


def with_values(settings: Settings, texts: dict[str, str]) -> Settings:
    """Return a copy of the settings with fields parsed from text; raise TengenError."""
    fields = {field.name: field for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    for name in texts:
        if name not in fields:
            raise TengenError(f"unknown parameter {name!r}: use one of {', '.join(fields)}")
    values = {name: parse_value(fields[name], text) for name, text in texts.items()}
    return dataclasses.replace(settings, **values)  # type: ignore[type-var]


def value_text(value: object) -> str:
    """Format a value as it is written in settings: `yes`, `0.5`, `uct`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe(kind: type) -> list[tuple[str, Any, str]]:
    """Return (name, default, description with range and origin) for each parameter."""
    return [(f.name, f.default, _description(f)) for f in dataclasses.fields(kind)]


def _description(field: dataclasses.Field[Any]) -> str:
    about = field.metadata
    parts = [about.get("meaning", "")]
    low, high = about.get("low"), about.get("high")
    if about.get("choices"):
        parts.append("one of " + ", ".join(about["choices"]))
    elif low is not None or high is not None:
        parts.append(_range_text(low, high))
    if about.get("origin"):
        parts.append(about["origin"])
    return "; ".join(part for part in parts if part)
