import numpy as np
import pytest
from tune_helpers import NoisyHill, tune

from tengen.match.tuning import DuelResult, Parameter, Spsa, SpsaSettings, fill_template
from tengen.match.tuning.tuner import check_parameters
from tengen.util import TengenError

PARAMETERS = [Parameter("a", 0, 10, start=1), Parameter("b", -4, 4, start=3)]
HILL = NoisyHill({"a": 7, "b": -1}, {"a": 4, "b": 3})


def test_spsa_finds_the_optimum_of_a_noisy_function():
    spsa = Spsa(PARAMETERS, SpsaSettings(2000, step=0.3), seed=1)
    tune(spsa, HILL)
    found = spsa.recommend()
    assert found["a"] == pytest.approx(7, abs=0.8)
    assert found["b"] == pytest.approx(-1, abs=0.6)
    assert HILL.elo(found) > -15 > HILL.elo({"a": 1, "b": 3})


def test_single_step():
    """Equation 3.2 with the sign of a score: a_k y / (2 c_k) in the direction of the winner."""
    spsa = Spsa([Parameter("a", 0, 10, start=5, spread=0.5)], SpsaSettings(100), seed=3)
    duel = spsa.next_duel()
    c_0 = 0.5 * 100**0.101
    a_0 = 0.3 * 0.5**2 * (110 / 11) ** 0.602
    sign = 1 if duel.first["a"] > 5 else -1
    assert abs(duel.first["a"] - 5) == pytest.approx(c_0)
    assert duel.second["a"] == pytest.approx(10 - duel.first["a"])
    spsa.take(duel.number, DuelResult(0.75))
    assert spsa.theta[0] == pytest.approx(5 + sign * a_0 * 0.5 / (2 * c_0))


def test_final_gains():
    spsa = Spsa([Parameter("a", 0, 10, spread=0.5)], SpsaSettings(1000, step=0.1), seed=1)
    assert spsa.spread_at(999)[0] == pytest.approx(0.5)
    assert spsa.gain_at(999)[0] == pytest.approx(0.1 * 0.25)


def test_replaying_a_log_restores_the_state():
    whole = Spsa(PARAMETERS, SpsaSettings(200), seed=1)
    log = tune(whole, HILL)
    resumed = Spsa(PARAMETERS, SpsaSettings(200), seed=1)
    for number, result in log[:120]:
        resumed.take(number, result)
    assert resumed.next_duel().number == 120
    for number, result in log[120:]:
        resumed.take(number, result)
    np.testing.assert_array_equal(resumed.theta, whole.theta)
    assert resumed.done


def test_results_in_any_order_count_once():
    spsa = Spsa(PARAMETERS, SpsaSettings(10), seed=1)
    duels = [spsa.next_duel() for _ in range(10)]
    assert spsa.next_duel() is None
    for duel in reversed(duels):
        spsa.take(duel.number, DuelResult(1))
        spsa.take(duel.number, DuelResult(1))
    assert len(spsa.history) == 11


def test_theta_stays_in_range():
    spsa = Spsa([Parameter("a", 0, 1, start=1)], SpsaSettings(50, step=50), seed=1)
    while (duel := spsa.next_duel()) is not None:
        assert 0 <= duel.second["a"] <= 1
        spsa.take(duel.number, DuelResult(1.0 if duel.first["a"] > duel.second["a"] else 0.0))
        assert 0 <= spsa.theta[0] <= 1


def test_integer_parameters_round_equally_and_differ():
    spsa = Spsa([Parameter("n", 0, 100, whole=True, spread=0.1)], SpsaSettings(50), seed=1)
    while (duel := spsa.next_duel()) is not None:
        assert duel.first["n"] == int(duel.first["n"])
        assert duel.first["n"] != duel.second["n"]
    assert spsa.recommend() == {"n": 50}


@pytest.mark.parametrize(
    ("low", "high", "options"),
    [(1, 1, {}), (0, 1, {"start": 2}), (0, 1, {"spread": 0}), (float("nan"), 1, {})],
)
def test_rejects_invalid_parameters(low, high, options):
    with pytest.raises(TengenError, match="parameter p"):
        Parameter("p", low, high, **options)


def test_rejects_repeated_parameters():
    with pytest.raises(TengenError, match="twice"):
        check_parameters([PARAMETERS[0], PARAMETERS[0]])
    with pytest.raises(TengenError, match="no parameters"):
        check_parameters([])


def test_fill_template():
    assert fill_template("engine --a={a} x", {"a": 0.5}) == "engine --a=0.5 x"
    assert fill_template("tengen playouts=9", {"a": 2.0, "b": 3}) == "tengen playouts=9 a=2 b=3"
    with pytest.raises(TengenError, match="no {a} in the player"):
        fill_template("engine", {"a": 1})


@pytest.mark.parametrize(
    ("value", "text"), [(1.5e6, "1500000"), (2.0, "2"), (-3, "-3"), (0.1234567, "0.123457")]
)
def test_number_text(value, text):
    assert fill_template("tengen", {"playouts": value}) == f"tengen playouts={text}"
