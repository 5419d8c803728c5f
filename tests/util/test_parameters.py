"""Tests of self-describing parameters: ranges, choices, parsing, descriptions."""

from dataclasses import dataclass, field, fields

import pytest

from tengen.engine import EngineSettings, PlaySettings, PriorSettings
from tengen.playout import PlayoutPolicy
from tengen.search import SearchSettings
from tengen.util import TengenError, check, describe, parameter, with_values
from tengen.util.parameters import parse_value


@dataclass(frozen=True)
class Example:
    """One field of each type."""

    depth: int = parameter(4, "search depth", low=1, high=9, origin="paper 001")
    weight: float = parameter(0.5, "weight of the term", low=0)
    margin: float = parameter(0.0, "lower margin", high=0)
    kind: str = parameter("near", "kind of search", choices=["near", "far"])
    eager: bool = parameter(False, "stop early")
    plain: int = field(default=3)

    def __post_init__(self) -> None:
        check(self)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depth": 0}, "depth must be from 1 to 9, got 0"),
        ({"depth": 10}, "depth must be from 1 to 9, got 10"),
        ({"weight": -0.1}, "weight must be at least 0, got -0.1"),
        ({"weight": float("nan")}, "weight must be a finite number, got nan"),
        ({"weight": float("inf")}, "weight must be a finite number, got inf"),
        ({"margin": 0.1}, "margin must be at most 0, got 0.1"),
        ({"kind": "middle"}, "kind must be one of near, far, got 'middle'"),
    ],
)
def test_rejects_values_out_of_range(changes, message):
    with pytest.raises(TengenError) as caught:
        Example(**changes)
    assert str(caught.value) == message


def test_range_bounds_are_inclusive():
    assert Example(depth=1, weight=0, margin=0).depth == 1
    assert Example(depth=9).depth == 9


@pytest.mark.parametrize(
    ("texts", "changes"),
    [
        ({}, {}),
        ({"depth": "7"}, {"depth": 7}),
        ({"weight": "1e3", "kind": "far"}, {"weight": 1000.0, "kind": "far"}),
        ({"eager": "YES"}, {"eager": True}),
        ({"eager": "0"}, {"eager": False}),
    ],
)
def test_parses_values(texts, changes):
    assert with_values(Example(), texts) == Example(**changes)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"depth": "7.5"}, "depth must be an integer, got '7.5'"),
        ({"depth": ""}, "depth must be an integer, got ''"),
        ({"depth": "1" * 5000}, "depth must be an integer"),
        ({"weight": "much"}, "weight must be a number, got 'much'"),
        ({"eager": "perhaps"}, "eager must be yes or no, got 'perhaps'"),
        ({"depth": "12"}, "depth must be from 1 to 9, got 12"),
        ({"kind": "middle"}, "kind must be one of near, far, got 'middle'"),
        ({"color": "red"}, "unknown parameter 'color': use one of depth, weight, "),
    ],
)
def test_rejects_invalid_text(texts, message):
    with pytest.raises(TengenError) as caught:
        with_values(Example(), texts)
    assert str(caught.value).startswith(message)


def test_describe():
    assert describe(Example) == [
        ("depth", 4, "search depth; from 1 to 9; paper 001"),
        ("weight", 0.5, "weight of the term; at least 0"),
        ("margin", 0.0, "lower margin; at most 0"),
        ("kind", "near", "kind of search; one of near, far"),
        ("eager", False, "stop early"),
        ("plain", 3, ""),
    ]


@pytest.mark.parametrize("kind", [PlaySettings, PriorSettings, SearchSettings, PlayoutPolicy])
def test_engine_settings_have_descriptions_and_round_trip(kind):
    settings = kind()
    for item in fields(settings):
        assert item.metadata.get("meaning"), item.name
        value = getattr(settings, item.name)
        assert parse_value(item, str(value)) == value


def test_engine_settings_parse_overrides():
    settings = EngineSettings().with_overrides(["playouts=5", "search.algorithm=uct", " seed = 3 "])
    assert (settings.play.playouts, settings.search.algorithm, settings.play.seed) == (5, "uct", 3)
    for word in (
        "playouts",
        "=5",
        "search.playouts=5",
        "nowhere.algorithm=uct",
        "kind=",
        "a.b.c=1",
    ):
        with pytest.raises(TengenError):
            EngineSettings().with_overrides([word])
