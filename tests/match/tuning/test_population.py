import pytest
from hypothesis import given, strategies as st
from tune_helpers import NoisyHill, tune

from tengen.match.tuning import (
    DuelResult,
    IntervalChange,
    Parameter,
    ParameterInterval,
    Population,
    PopulationSettings,
)
from tengen.match.tuning.population import PAIRINGS, PLACES, PROGRAMS
from tengen.util import TengenError

QUICK = PopulationSettings(window=6, longest_period=25, era_periods=5)


def play_tournament(population, fight):
    """Play one whole tournament; return its duels."""
    duels = []
    while (duel := population.next_duel()) is not None:
        duels.append(duel)
    for duel in duels:
        population.take(duel.number, fight(duel))
    return duels


def test_tournament_has_56_games():
    population = Population([[Parameter("a", 0, 16)]], QUICK, seed=1)
    duels = play_tournament(population, lambda duel: DuelResult(0.5))
    assert len(duels) == len(PAIRINGS) == 28
    assert sum(DuelResult(0.5).games for _ in duels) == 56
    assert population.tournaments == 1


def test_weights_have_seventeen_values():
    population = Population([[Parameter("a", 0, 16), Parameter("b", 0, 4)]], QUICK, seed=1)
    for duel in play_tournament(population, lambda duel: DuelResult(0.5)):
        assert duel.first["a"] == int(duel.first["a"])
        assert 4 * duel.first["b"] == int(4 * duel.first["b"])
    assert PLACES == 17


def test_next_generation():
    population = Population([[Parameter("a", 0, 16), Parameter("b", 0, 16)]], QUICK, seed=2)
    hill = NoisyHill({"a": 8, "b": 8}, {"a": 1, "b": 1})

    def strict(duel):
        """The stronger wins both games; equals share them."""
        one, other = hill.elo(duel.first), hill.elo(duel.second)
        return DuelResult(0.5 + 0.5 * ((one > other) - (one < other)))

    before = sorted(population._now.programs, key=lambda p: -hill.elo(population.values(p)))
    play_tournament(population, strict)
    after = population._now.programs
    assert len(after) == PROGRAMS
    strengths = [hill.elo(population.values(program)) for program in after[:6]]
    assert strengths == [hill.elo(population.values(program)) for program in before[:6]]
    changes = [abs(x - y) for x, y in zip(after[6], after[0], strict=True)]
    assert sorted(changes) == [0, 1]


def test_equal_points_are_ranked_by_margin():
    population = Population([[Parameter("a", 0, 16)]], QUICK, seed=1)
    for _ in range(len(PAIRINGS) - 1):
        duel = population.next_duel()
        one, other = PAIRINGS[duel.number]
        population.take(duel.number, DuelResult(0.5, margin=float(other - one)))
    assert population.ranking()[0] == 0


def test_spsa_finds_the_optimum_of_a_noisy_function():
    hill = NoisyHill({"a": 11, "b": 4}, {"a": 4, "b": 4}, height=400)
    population = Population([[Parameter("a", 0, 16), Parameter("b", 0, 16)]], QUICK, seed=1)
    tune(population, hill)
    found = population.recommend()
    assert population.done
    assert hill.elo(found) > -60
    assert population.eras[0].tournaments == population.tournaments


def test_interval_at_its_boundary_is_doubled():
    """As b4 of the paper: from [0, 16] toward 64."""
    hill = NoisyHill({"b": 24}, {"b": 4}, height=400)
    population = Population([[Parameter("b", 0, 16, most=64)]], QUICK, seed=1)
    tune(population, hill, most=28 * QUICK.longest_period)
    tops = [interval.high for era in population.eras for interval in era.intervals]
    tops += [interval.high for interval in population.intervals]
    assert max(tops) > 16 or population.recommend()["b"] > 16


def test_weight_without_effect_is_noisy_and_keeps_its_interval():
    hill = NoisyHill({"a": 8}, {"a": 2}, height=400)
    settings = PopulationSettings(window=6, longest_period=12, era_periods=2)
    first = [Parameter("a", 0, 16), Parameter("idle", 0, 16)]
    population = Population([first, [Parameter("new", 0, 1)]], settings, seed=5)
    tune(population, hill, most=28 * 24)
    era = population.eras[0]
    assert {i.parameter.name for i in era.intervals} == {"a", "idle"}
    assert "new" in {i.parameter.name for i in population.intervals}
    idle = next(i for i in era.intervals if i.parameter.name == "idle")
    assert idle.change in (IntervalChange.NOISY, IntervalChange.NARROWED)


def test_replaying_a_log_restores_the_state():
    hill = NoisyHill({"a": 11}, {"a": 4})
    whole = Population([[Parameter("a", 0, 16)]], QUICK, seed=1)
    log = tune(whole, hill, most=28 * 10 + 5)
    resumed = Population([[Parameter("a", 0, 16)]], QUICK, seed=1)
    for number, result in log:
        resumed.take(number, result)
    assert resumed.means == whole.means
    assert resumed.next_duel() == whole.next_duel()


def test_integer_weights_stay_integers():
    population = Population([[Parameter("depth", 1, 6, whole=True)]], QUICK, seed=1)
    for duel in play_tournament(population, lambda duel: DuelResult(0.5)):
        assert duel.first["depth"] in range(1, 7)


def test_end_era_takes_effect_after_the_current_tournament():
    eras = [[Parameter("a", 0, 16)], [Parameter("b", 0, 16)]]
    population = Population(eras, QUICK, seed=1)
    play_tournament(population, lambda duel: DuelResult(0.5))
    population.end_era()
    assert len(population.eras) == 0
    play_tournament(population, lambda duel: DuelResult(0.5))
    assert len(population.eras) == 1
    assert population.eras[0].tournaments == 2
    assert "b" in {interval.parameter.name for interval in population.intervals}
    play_tournament(population, lambda duel: DuelResult(0.5))
    assert len(population.eras) == 1, "the wish is spent"


def test_eras_have_the_given_length():
    settings = PopulationSettings(window=2, longest_period=3, era_tournaments=(7, 4))
    population = Population([[Parameter("a", 0, 16)], [Parameter("b", 0, 16)]], settings, seed=1)
    while not population.done:
        play_tournament(population, lambda duel: DuelResult(0.5))
    assert [era.tournaments for era in population.eras] == [7, 4]
    assert population.progress == (11 * 28, 11 * 28)


def test_rejects_missing_era_lengths():
    with pytest.raises(TengenError, match="1 entries for 2 eras"):
        Population(
            [[Parameter("a", 0, 16)], [Parameter("b", 0, 16)]],
            PopulationSettings(era_tournaments=(5,)),
            seed=1,
        )


@given(
    st.floats(0, 0.9),
    st.floats(0.1, 1),
    st.floats(0, PLACES - 1),
    st.floats(0, (PLACES - 1) / 2),
)
def test_interval_is_narrowed_by_at_most_half(low, size, mean, deviation):
    parameter = Parameter("a", 0, 1)
    interval = ParameterInterval(parameter, low, min(low + size, 1.0))
    population = Population([[parameter]], QUICK, seed=1)
    after = population._narrowed(interval, mean, deviation)
    assert 0 <= after.low < after.high <= 1
    assert after.high - after.low > 0.499 * (interval.high - interval.low)
