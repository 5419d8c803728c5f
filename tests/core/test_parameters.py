"""Parameters that explain themselves: ranges, choices, reading, describing."""

from dataclasses import dataclass, field, fields

import pytest

from tengen.core.errors import TengenError
from tengen.core.parameters import check, describe, parameter, parse_value, with_values
from tengen.engine.settings import EngineSettings, PlaySettings, PriorSettings
from tengen.playout.policy import Policy
from tengen.search.settings import SearchSettings


@dataclass(frozen=True)
class Example:
    """One field of every kind."""

    depth: int = parameter(4, "how deep to look", low=1, high=9, origin="a guess")
    weight: float = parameter(0.5, "how much it counts", low=0)
    margin: float = parameter(0.0, "how far below", high=0)
    kind: str = parameter("near", "which one", choices=["near", "far"])
    eager: bool = parameter(False, "whether to hurry")
    plain: int = field(default=3)

    def __post_init__(self) -> None:
        check(self)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"depth": 0}, "depth must be from 1 to 9, not 0"),
        ({"depth": 10}, "depth must be from 1 to 9, not 10"),
        ({"weight": -0.1}, "weight must be at least 0, not -0.1"),
        ({"weight": float("nan")}, "weight must be a finite number, not nan"),
        ({"weight": float("inf")}, "weight must be a finite number, not inf"),
        ({"margin": 0.1}, "margin must be at most 0, not 0.1"),
        ({"kind": "middle"}, "kind is one of near, far, not 'middle'"),
    ],
)
def test_values_out_of_range(changes, message):
    with pytest.raises(TengenError) as caught:
        Example(**changes)
    assert str(caught.value) == message


def test_the_ends_of_a_range_belong_to_it():
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
def test_values_from_text(texts, changes):
    assert with_values(Example(), texts) == Example(**changes)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"depth": "7.5"}, "depth wants a whole number, not '7.5'"),
        ({"depth": ""}, "depth wants a whole number, not ''"),
        ({"depth": "1" * 5000}, "depth wants a whole number"),
        ({"weight": "much"}, "weight wants a number, not 'much'"),
        ({"eager": "perhaps"}, "eager wants yes or no, not 'perhaps'"),
        ({"depth": "12"}, "depth must be from 1 to 9, not 12"),
        ({"kind": "middle"}, "kind is one of near, far, not 'middle'"),
        ({"colour": "red"}, "unknown parameter 'colour': there are depth, weight, "),
    ],
)
def test_bad_text(texts, message):
    with pytest.raises(TengenError) as caught:
        with_values(Example(), texts)
    assert str(caught.value).startswith(message)


def test_describe():
    assert describe(Example) == [
        ("depth", 4, "how deep to look; from 1 to 9; a guess"),
        ("weight", 0.5, "how much it counts; at least 0"),
        ("margin", 0.0, "how far below; at most 0"),
        ("kind", "near", "which one; one of near, far"),
        ("eager", False, "whether to hurry"),
        ("plain", 3, ""),
    ]


@pytest.mark.parametrize("kind", [PlaySettings, PriorSettings, SearchSettings, Policy])
def test_every_setting_of_the_engine_has_a_meaning_and_reads_itself_back(kind):
    settings = kind()
    for item in fields(settings):
        assert item.metadata.get("meaning"), item.name
        value = getattr(settings, item.name)
        assert parse_value(item, str(value)) == value


def test_settings_by_word():
    settings = EngineSettings().with_words(["playouts=5", "search.kind=uct", " seed = 3 "])
    assert (settings.play.playouts, settings.search.kind, settings.play.seed) == (5, "uct", 3)
    for word in ("playouts", "=5", "search.playouts=5", "nowhere.kind=uct", "kind=", "a.b.c=1"):
        with pytest.raises(TengenError):
            EngineSettings().with_words([word])
