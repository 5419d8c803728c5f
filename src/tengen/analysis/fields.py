"""The fields of a question: each read with its type, so that errors name the field."""

from collections.abc import Mapping
from typing import Any


class FieldError(Exception):
    """A field that makes no sense."""

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field


class Fields:
    """The fields of a question, and which of them were looked at."""

    def __init__(self, given: Mapping[str, Any]):
        self._given = given
        self._used: set[str] = set()
        self.warnings: list[tuple[str, str]] = []
        """(field, message) of what was not taken as it stands."""

    def take(self, name: str) -> Any:
        """Return a field, whatever it is; None if it is not there."""
        self._used.add(name)
        return self._given.get(name)

    def unused(self) -> list[str]:
        """Return the fields that nobody asked for."""
        return [name for name in self._given if name not in self._used]

    def need(self, name: str) -> Any:
        """Return a field that must be there."""
        value = self.take(name)
        if value is None:
            raise FieldError(name, f"the field {name!r} is missing")
        return value

    def text(self, name: str) -> str:
        """Return a text that must be there."""
        value = self.need(name)
        if not isinstance(value, str):
            raise FieldError(name, f"{name} must be a string")
        return value

    def flag(self, name: str) -> bool:
        """Return a switch; it is off if it is not there."""
        value = self.take(name)
        if value is not None and not isinstance(value, bool):
            raise FieldError(name, f"{name} must be true or false")
        return bool(value)

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Return a whole number in a range, or None if it is not there."""
        value = self.take(name)
        return None if value is None else whole(name, value, low, high)

    def number(self, name: str, low: float, high: float) -> float | None:
        """Return a number in a range, or None if it is not there."""
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise FieldError(name, f"{name} must be a number")
        if not low <= value <= high:
            raise FieldError(name, f"{name} must be from {low:g} to {high:g}")
        return float(value)

    def items(self, name: str) -> list[Any]:
        """Return a list; it is empty if it is not there."""
        value = self.take(name)
        if value is not None and not isinstance(value, list):
            raise FieldError(name, f"{name} must be a list")
        return value or []

    def table(self, name: str) -> dict[str, Any]:
        """Return an object; it is empty if it is not there."""
        value = self.take(name)
        if value is not None and not isinstance(value, dict):
            raise FieldError(name, f"{name} must be an object")
        return value or {}


def whole(name: str, value: Any, low: int, high: int) -> int:
    """Return a whole number in a range; raise FieldError if it is none. 500.0 will do."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and not value.is_integer()):
        raise FieldError(name, f"{name} must be a whole number")
    if not low <= value <= high:
        raise FieldError(name, f"{name} must be from {low} to {high}")
    return int(value)
