"""Typed JSON messages."""

from typing import Annotated

import pytest
from msgspec import Meta, Struct

from tengen.util import SchemaError, TengenError, convert, field_names, parse_object
from tengen.util.schema import decode


class Stone(Struct):
    player: str
    moves: list[str] = []


class Query(Struct, rename="camel"):
    board_size: Annotated[int, Meta(ge=1, le=19)]
    komi: float = 6.5
    moves: list[tuple[str, str]] = []
    stones: list[Stone] = []
    rules: str | dict[str, str] = ""
    is_fast: bool = False


class Hello(Struct, tag="hello", tag_field="type", forbid_unknown_fields=True):
    game: str | None = None


class Goto(Struct, tag="goto", tag_field="type", forbid_unknown_fields=True):
    node: int


def failure(values, kind=Query):
    with pytest.raises(SchemaError) as caught:
        convert(values, kind)
    assert isinstance(caught.value, TengenError)
    return caught.value.field, str(caught.value)


def test_decodes_a_structure():
    query = decode(b'{"boardSize": 9, "komi": 7, "moves": [["B", "D4"]]}', Query)
    assert query == Query(board_size=9, komi=7.0, moves=[("B", "D4")])
    assert isinstance(query.komi, float)


def test_decodes_a_tagged_union():
    assert decode('{"type": "hello"}', Hello | Goto) == Hello()
    assert decode('{"type": "goto", "node": 3}', Hello | Goto) == Goto(3)


def test_accepts_integral_floats_as_integers():
    assert convert({"boardSize": 9.0}, Query).board_size == 9


def test_lists_the_names_of_fields():
    assert field_names(Query) == ("boardSize", "komi", "moves", "stones", "rules", "isFast")


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({}, "boardSize", "the field 'boardSize' is missing"),
        ({"boardSize": "9"}, "boardSize", "boardSize must be an integer, got a string"),
        ({"boardSize": 5.5}, "boardSize", "boardSize must be an integer, got a number"),
        ({"boardSize": True}, "boardSize", "boardSize must be an integer, got a boolean"),
        ({"boardSize": 0}, "boardSize", "boardSize must be an integer of at least 1"),
        ({"boardSize": 10**400}, "boardSize", "boardSize must be an integer of at most 19"),
        ({"boardSize": 9, "komi": float("nan")}, "komi", "komi must be a finite number"),
        ({"boardSize": 9, "komi": float("inf")}, "komi", "komi must be a finite number"),
        ({"boardSize": 9, "komi": 10**401}, "komi", "komi: Number out of range"),
        ({"boardSize": 9, "isFast": 1}, "isFast", "isFast must be a boolean, got an integer"),
        (
            {"boardSize": 9, "moves": [["B"]]},
            "moves",
            "moves[0] must be a list of length 2, got length 1",
        ),
        (
            {"boardSize": 9, "moves": [["B", 7]]},
            "moves",
            "moves[0][1] must be a string, got an integer",
        ),
        (
            {"boardSize": 9, "stones": [{"moves": []}]},
            "stones",
            "the field 'player' is missing in stones[0]",
        ),
        (
            {"boardSize": 9, "rules": 7},
            "rules",
            "rules must be a string or an object, got an integer",
        ),
    ],
)
def test_errors_name_the_field(values, field, message):
    assert failure(values) == (field, message)


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({}, "type", "the field 'type' is missing"),
        ({"type": "dance"}, "type", "unknown type 'dance'"),
        ({"type": "hello", "node": 1}, "node", "unknown field 'node'"),
        ({"type": "goto"}, "node", "the field 'node' is missing"),
    ],
)
def test_errors_in_a_tagged_union(values, field, message):
    assert failure(values, Hello | Goto) == (field, message)


@pytest.mark.parametrize("text", ["nonsense", "{", "[1]", '"text"', "7", "[" * 100_000, b"\xff"])
def test_rejects_what_is_not_an_object(text):
    with pytest.raises(SchemaError) as caught:
        parse_object(text)
    assert caught.value.field == ""
    assert "\n" not in str(caught.value)
