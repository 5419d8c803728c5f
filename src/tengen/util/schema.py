"""Typed JSON messages: decode text or Python values into msgspec structures.

Errors are `SchemaError`s that name the field and what was expected.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, overload

import msgspec

from tengen.util.errors import TengenError

Json = dict[str, Any]
Kind = TypeVar("Kind")

_NAMES = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "a boolean",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}
_PATH = re.compile(r" - at `\$\.?(.*?)`$")


class SchemaError(TengenError):
    """A message that does not match its schema."""

    def __init__(self, message: str, field: str = ""):
        """Create an error; `field` is the invalid top-level field, empty for the whole message."""
        super().__init__(message)
        self.field = field


def parse_object(text: str | bytes) -> Json:
    """Parse a JSON object; raise SchemaError for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"not valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise SchemaError("a message must be a JSON object")
    return found


@overload
def decode(text: str | bytes, kind: type[Kind]) -> Kind: ...
@overload
def decode(text: str | bytes, kind: Any) -> Any: ...


def decode(text: str | bytes, kind: Any) -> Any:
    """Decode a JSON object into a structure, or into one of a tagged union of structures."""
    return convert(parse_object(text), kind)


@overload
def convert(values: Mapping[str, Any], kind: type[Kind]) -> Kind: ...
@overload
def convert(values: Mapping[str, Any], kind: Any) -> Any: ...


def convert(values: Mapping[str, Any], kind: Any) -> Any:
    """Convert a mapping into a structure; raise SchemaError where a field does not match.

    Integral floats are accepted as integers, since JSON does not distinguish them. NaN and
    infinity are rejected.
    """
    try:
        for name, value in values.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise SchemaError(f"{name} must be a finite number", name)
        return msgspec.convert(_with_integers(values), kind)
    except msgspec.ValidationError as error:
        raise _schema_error(str(error)) from None
    except UnicodeEncodeError:
        raise SchemaError("the message contains invalid Unicode") from None
    except RecursionError:
        raise SchemaError("the message is nested too deeply") from None


def field_names(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the names of a structure's fields as they are spelled in JSON."""
    return kind.__struct_encode_fields__


def _with_integers(value: Any) -> Any:
    """Replace integral floats by integers, at any depth."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _with_integers(item) for key, item in value.items()}
    return value


def _schema_error(text: str) -> SchemaError:
    """Rephrase an error of msgspec's: the path first, then the expectation."""
    found = _PATH.search(text)
    path = found[1] if found else ""
    text = text[: found.start()] if found else text
    for pattern, phrase in _PHRASES:
        if match := re.fullmatch(pattern, text):
            message, name = phrase(match, path)
            return SchemaError(message, _top_level(path) or name)
    return SchemaError(f"{path}: {text}" if path else text, _top_level(path))


def _top_level(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _type_name(text: str) -> str:
    return " or ".join(_NAMES.get(name, name) for name in text.split(" | "))


def _mismatch(match: re.Match[str], path: str) -> tuple[str, str]:
    expected, got = _type_name(match[1]), _type_name(match[2])
    return f"{path or 'the message'} must be {expected}, got {got}", ""


def _out_of_bounds(match: re.Match[str], path: str) -> tuple[str, str]:
    bound = match[3].removesuffix(".0")
    return f"{path} must be {_type_name(match[1])} {_BOUNDS[match[2]]} {bound}", ""


def _wrong_length(match: re.Match[str], path: str) -> tuple[str, str]:
    return f"{path} must be a list of length {match[1]}, got length {match[2]}", ""


def _missing(match: re.Match[str], path: str) -> tuple[str, str]:
    where = f" in {path}" if path else ""
    return f"the field {match[1]!r} is missing{where}", match[1]


def _unknown(match: re.Match[str], path: str) -> tuple[str, str]:
    where = f" in {path}" if path else ""
    return f"unknown field {match[1][:40]!r}{where}", match[1]


def _invalid_value(match: re.Match[str], path: str) -> tuple[str, str]:
    return f"unknown {path} {match[1][:40]}", ""


_PHRASES: tuple[tuple[str, Callable[[re.Match[str], str], tuple[str, str]]], ...] = (
    (r"Expected `array` of length (\d+), got (\d+)", _wrong_length),
    (r"Expected `(.+?)`, got `(.+?)`", _mismatch),
    (r"Expected `(.+?)` (>=|<=|>|<) (.+)", _out_of_bounds),
    (r"Object missing required field `(.*)`", _missing),
    (r"Object contains unknown field `(.*)`", _unknown),
    (r"Invalid (?:enum )?value (.*)", _invalid_value),
)
