from .check import Batch as Batch, Check as Check, Outcome as Outcome, run_checks as run_checks
from .oracle import OracleBoard as OracleBoard
from .peers import compare_rules as compare_rules
from .record_damage import (
    SEEDS as SEEDS,
    check_survival as check_survival,
    mutate as mutate,
    random_case as random_case,
)
from .registry import CHECKS as CHECKS
from .soak import SoakSample as SoakSample, soak as soak
