"""Selection formulas, compared with values computed by hand."""

import math

import numpy as np
import pytest
from search_helpers import chosen, family, formula

from tengen.search.kernels.selection import PUCT, RAVE, UCT, rave_mix, root_noise

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize(
    ("n", "n_rave", "equivalent", "beta"),
    [
        (0, 5, 100, 1.0),
        (7, 0, 100, 0.0),
        (10, 30, 100, 30 / (30 + 10 + 3)),
        (100, 100, 100, 100 / 300),
        (1e6, 1e6, 3500, 1e6 / (2e6 + 1e12 / 3500)),
    ],
)
def test_beta_by_hand(n, n_rave, equivalent, beta):
    """Paper 000, section 5.1: beta = n_rave / (n_rave + n + n_rave n / rave_equivalence).

    All RAVE's are won and all others lost, so the mix is beta.
    """
    mixed = rave_mix(float(n), 0.0, float(n_rave), float(n_rave), 1 / equivalent)
    assert float(mixed) == pytest.approx(beta)


def test_rave_mix_matches_the_formula():
    random = np.random.default_rng(1)
    for _ in range(200):
        n, n_rave = random.integers(1, 5000, 2).astype(float)
        q, q_rave = random.random(2)
        equivalent = float(random.integers(1, 5000))
        beta = n_rave / (n_rave + n + n_rave * n / equivalent)
        mixed = float(rave_mix(n, q * n, n_rave, q_rave * n_rave, 1 / equivalent))
        assert mixed == pytest.approx((1 - beta) * q + beta * q_rave, rel=1e-9)


def test_rave_mix_limits():
    assert float(rave_mix(0.0, 0.0, 8.0, 6.0, 0.01)) == pytest.approx(0.75)
    assert float(rave_mix(8.0, 6.0, 0.0, 0.0, 0.01)) == pytest.approx(0.75)


def test_uct_without_exploration_selects_the_best_mean():
    tree = family(100, [{"visits": 60, "wins": 36}, {"visits": 40, "wins": 25}])
    assert chosen(tree, formula(UCT)) == 1


def test_uct_by_hand():
    """0.6 + C sqrt(log 100 / 90) against 0.5 + C sqrt(log 100 / 10): equal at C = 0.2210."""
    tree = family(100, [{"visits": 90, "wins": 54}, {"visits": 10, "wins": 5}])
    log = math.log(100)
    equal = 0.1 / (math.sqrt(log / 10) - math.sqrt(log / 90))
    assert equal == pytest.approx(0.2210, abs=1e-4)
    assert chosen(tree, formula(UCT, exploration=equal * 0.99)) == 0
    assert chosen(tree, formula(UCT, exploration=equal * 1.01)) == 1


def test_priors_count_as_visits():
    """2 wins of 4, and a prior of 0.9 with 20 visits: (2 + 18) / 24 = 0.833 beats 0.8."""
    plain = {"visits": 10, "wins": 8}
    helped = {"visits": 4, "wins": 2, "prior_visits": 20, "prior_wins": 18}
    for kind in (UCT, RAVE):
        assert chosen(family(14, [plain, helped]), formula(kind)) == 1
    helped["prior_wins"] = 17  # 19 / 24 = 0.79
    for kind in (UCT, RAVE):
        assert chosen(family(14, [plain, helped]), formula(kind)) == 0


def test_unvisited_moves_have_the_fpu_value():
    tree = family(10, [{"visits": 10, "wins": 6}, {}])
    for kind in (UCT, RAVE):
        assert chosen(tree, formula(kind, fpu=0.59)) == 0
        assert chosen(tree, formula(kind, fpu=0.61)) == 1


def test_rave_by_hand():
    """n = 10, Q = 0.4; n_rave = 30, Q_RAVE = 0.8; beta = 30/43: 0.4 + 0.4 * 30/43 = 0.679."""
    known = {"visits": 10, "wins": 4, "rave_visits": 30, "rave_wins": 24}
    for value, expected in ((0.67, 0), (0.69, 1)):
        tree = family(1010, [known, {"visits": 1000, "wins": 1000 * value}])
        assert chosen(tree, formula(RAVE)) == expected


def test_unvisited_moves_use_rave_only():
    tree = family(5, [{"rave_visits": 4, "rave_wins": 3}, {"rave_visits": 40, "rave_wins": 29}])
    assert chosen(tree, formula(RAVE)) == 0


def test_prior_in_rave():
    """A prior of 0.5 with 90 visits added to a RAVE of 9/10 gives 54/100."""
    rave = {"rave_visits": 10, "rave_wins": 9, "prior_visits": 90, "prior_wins": 45}
    n, n_rave, b = 90.0, 10.0, 1 / 100
    apart = float(rave_mix(n, 45.0, n_rave, 9.0, b))
    together = float(rave_mix(n, 45.0, n_rave + 90, 54.0, b))
    assert apart > together + 0.01
    tree = family(1000, [rave, {"visits": 1e6, "wins": 1e6 * (apart + together) / 2}])
    assert chosen(tree, formula(RAVE)) == 0
    assert chosen(tree, formula(RAVE, prior_in_rave=True)) == 1


def test_rave_with_the_uct_term():
    tree = family(100, [{"visits": 90, "wins": 54}, {"visits": 9, "wins": 4.5}])
    assert chosen(tree, formula(RAVE)) == 0
    assert chosen(tree, formula(RAVE, exploration=0.5)) == 1


def test_puct_by_hand():
    """Q + C P sqrt(N) / (1 + n): 0.5 + 0.2 C * 10 / 51 against 0.4 + 0.8 C * 10 / 50."""
    children = [
        {"visits": 50, "wins": 25, "policy": 0.2},
        {"visits": 49, "wins": 19.6, "policy": 0.8},
    ]
    equal = 0.1 / (0.8 * 10 / 50 - 0.2 * 10 / 51)
    tree = family(100, children)
    assert chosen(tree, formula(PUCT, exploration=equal * 0.99)) == 0
    assert chosen(tree, formula(PUCT, exploration=equal * 1.01)) == 1


def test_puct_constant_grows_with_visits():
    """C + growth * log(1 + 100 / 50): 0.5 against 0.4, equal at C = 0.8259."""
    children = [
        {"visits": 50, "wins": 25, "policy": 0.2},
        {"visits": 49, "wins": 19.6, "policy": 0.8},
    ]
    equal = 0.1 / (0.8 * 10 / 50 - 0.2 * 10 / 51)
    growth = 0.1
    constant = equal - growth * math.log(3)
    for factor, expected in ((0.99, 0), (1.01, 1)):
        terms = {"exploration": factor * constant, "exploration_growth": factor * growth}
        by = formula(PUCT, exploration_base=50.0, **terms)
        assert chosen(family(100, children), by) == expected


@pytest.mark.parametrize("stdev", [0.0, 0.1, 0.4])
def test_puct_constant_depends_on_the_spread_of_rewards(stdev):
    """Two visits of standard deviation 0.2 are added to 100 of another one."""
    children = [
        {"visits": 50, "wins": 25, "policy": 0.2},
        {"visits": 49, "wins": 19.6, "policy": 0.8},
    ]
    mean = 0.55
    tree = family(100, children, wins=100 * mean, squares=100 * (mean**2 + stdev**2))
    moment = (2 * (mean**2 + 0.04) + 100 * (mean**2 + stdev**2)) / 101
    spread = math.sqrt(moment - mean**2)
    constant = 0.1 / (0.8 * 10 / 50 - 0.2 * 10 / 51) / (1 + 0.85 * (spread / 0.2 - 1))
    for factor, expected in ((0.99, 0), (1.01, 1)):
        by = formula(PUCT, exploration=factor * constant, exploration_spread=0.85)
        assert chosen(tree, by) == expected


@pytest.mark.parametrize(("is_root", "reduction"), [(True, 0.05), (False, 0.1)])
@pytest.mark.parametrize("by_policy", [False, True])
def test_puct_first_play_urgency(by_policy, is_root, reduction):
    """The parent's rate for its mover is 0.4, so 0.6 here; 0.36 of the policy is visited."""
    if by_policy:
        reduction *= 0.6
    for rate, expected in ((0.61 - reduction, 0), (0.59 - reduction, 1)):
        children = [{"visits": 9, "wins": 9 * rate, "policy": 0.36}, {"policy": 0.64}]
        tree = family(10, children, wins=4.0)
        by = formula(PUCT, fpu=0.1, root_fpu=0.05, fpu_by_policy=by_policy)
        assert chosen(tree, by, is_root=is_root) == expected


def test_unfinished_visits_do_not_count_in_first_play_urgency():
    """4 of 10 finished visits are lost, 10 more have no result: unvisited moves are worth 0.6."""
    for rate, expected in ((0.61, 0), (0.59, 1)):
        children = [{"visits": 9, "wins": 9 * rate, "policy": 0.5}, {"policy": 0.5}]
        tree = family(20, children, wins=4.0, results=10)
        assert chosen(tree, formula(PUCT)) == expected


@pytest.mark.parametrize(("virtual_loss", "value"), [(1.0, 0.4), (0.5, 0.48), (0.0, 0.6)])
def test_unfinished_visits_are_lost_by_their_share(virtual_loss, value):
    """6 of 10 are won, 5 more have no result: 6 / (10 + 5 virtual losses)."""
    for rival, expected in ((value - 0.01, 0), (value + 0.01, 1)):
        children = [
            {"visits": 15, "results": 10, "wins": 6},
            {"visits": 100, "wins": 100 * rival},
        ]
        by = formula(PUCT, virtual_loss=virtual_loss)
        assert chosen(family(115, children), by) == expected


def test_unfinished_visits_count_as_visits_in_the_exploration_term():
    """0.5 + C 10 0.5 / 11 against 0.5 + C 10 0.5 / 9: the other has two visits more."""
    children = [
        {"visits": 10, "results": 6, "wins": 3, "policy": 0.5},
        {"visits": 8, "wins": 4, "policy": 0.5},
    ]
    by = formula(PUCT, exploration=1.0, virtual_loss=0.0)
    assert chosen(family(100, children), by) == 1


@pytest.mark.parametrize("kind", [UCT, RAVE, PUCT])
def test_ties_go_to_the_first_in_cyclic_order(kind):
    tree = family(9, [{"visits": 3, "wins": 2}] * 3)
    assert [chosen(tree, formula(kind), start) for start in range(3)] == [0, 1, 2]


def wide_choices(wide_root_noise, is_root=True, kind=UCT):
    """Select 400 times among a best, a nearly equal and a bad move; count each."""
    rates = (0.60, 0.55, 0.10)
    tree = family(90, [{"visits": 30, "wins": 30 * rate} for rate in rates])
    random, by = np.array([7], dtype=np.uint64), formula(kind, wide_root_noise=wide_root_noise)
    found = [chosen(tree, by, random=random, is_root=is_root) for _ in range(400)]
    return np.bincount(found, minlength=3)


@pytest.mark.parametrize("kind", [UCT, RAVE, PUCT])
def test_wide_root_noise_explores_nearly_equal_moves(kind):
    best, rival, bad = wide_choices(0.05, kind=kind)
    assert best > rival > 20
    assert bad == 0
    assert wide_choices(1.0, kind=kind)[2] > 50


def test_wide_root_noise_applies_only_at_the_root():
    assert wide_choices(0.5, is_root=False).tolist() == [400, 0, 0]
    assert wide_choices(0.0).tolist() == [400, 0, 0]


def test_root_noise_is_half_normal():
    random = np.array([3], dtype=np.uint64)
    drawn = np.array([root_noise(random) for _ in range(4000)])
    assert (drawn == 0).mean() == pytest.approx(0.5, abs=0.04)
    assert np.square(drawn[drawn > 0]).mean() == pytest.approx(1.0, abs=0.1)
    assert drawn[drawn > 0].mean() == pytest.approx(math.sqrt(2 / math.pi), abs=0.04)
