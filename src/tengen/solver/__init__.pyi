from .boards import Geometry as Geometry, board_of as board_of
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
