from .boards import Geometry as Geometry, board_of as board_of
from .kernels.life_memory import (
    ATTACKER as ATTACKER,
    DEFENDER as DEFENDER,
    UNLIMITED as UNLIMITED,
)
from .life import Claim as Claim, Found as Found, LifeSearcher as LifeSearcher
from .life_region import (
    Group as Group,
    LifeQuestion as LifeQuestion,
    distances as distances,
    find_groups as find_groups,
    group_with as group_with,
    groups_at_stake as groups_at_stake,
    is_enclosed as is_enclosed,
    neighbors as neighbors,
    question_about as question_about,
)
from .life_tree import add_move as add_move, solution_tree as solution_tree
from .life_verification import (
    LifeGame as LifeGame,
    state_of as state_of,
    verify_life as verify_life,
)
from .proof_store import load_states as load_states, save_states as save_states
from .question import Answer as Answer, ProofSearcher as ProofSearcher, Question as Question
from .settings import ProofSettings as ProofSettings, SolverSettings as SolverSettings
from .solver import (
    Iteration as Iteration,
    Solution as Solution,
    Solver as Solver,
    SolverPlayer as SolverPlayer,
    best_line as best_line,
)
from .store import (
    check_writable as check_writable,
    load_table as load_table,
    save_table as save_table,
)
from .verification import play_games as play_games, verify_proof as verify_proof
