from .display import elo_text as elo_text, live_table as live_table, percent as percent
from .entrants import (
    Entrant as Entrant,
    PlayerSpec as PlayerSpec,
    changed_files as changed_files,
    file_identity as file_identity,
    is_in_process as is_in_process,
    make_player as make_player,
    spec_overrides as spec_overrides,
)
from .game import SCORERS as SCORERS, play_game as play_game, scorer_named as scorer_named
from .gtp_client import GtpClient as GtpClient
from .plan import (
    MODES as MODES,
    MatchConfig as MatchConfig,
    game_seed as game_seed,
    override as override,
    parse_sprt as parse_sprt,
    read_config as read_config,
)
from .player import (
    RESIGN as RESIGN,
    Player as Player,
    parse_score as parse_score,
    split_command as split_command,
)
from .pool import (
    InProcessWorkers as InProcessWorkers,
    WorkerPool as WorkerPool,
    Workers as Workers,
    check_workers as check_workers,
    open_workers as open_workers,
)
from .problem_suite import (
    OutcomeFile as OutcomeFile,
    ProblemCase as ProblemCase,
    ProblemOutcome as ProblemOutcome,
    case_of as case_of,
    run_case as run_case,
    sample_cases as sample_cases,
    summary as summary,
)
from .regression import (
    Script as Script,
    SuiteResult as SuiteResult,
    open_suite as open_suite,
    run_script as run_script,
)
from .report import (
    PRIOR_DRAWS as PRIOR_DRAWS,
    verify_games as verify_games,
    write_report as write_report,
)
from .results import (
    MatchScore as MatchScore,
    add_summary_rows as add_summary_rows,
    black_scores as black_scores,
    component_failures as component_failures,
    duplicates as duplicates,
    pair_counts as pair_counts,
    score_of_player as score_of_player,
    time_use as time_use,
)
from .runner import (
    Observer as Observer,
    play_match as play_match,
    run_match as run_match,
    sprt_decision as sprt_decision,
)
from .settings import MatchSettings as MatchSettings, load_openings as load_openings
from .stats import (
    Z_95 as Z_95,
    Interval as Interval,
    Sprt as Sprt,
    SprtDecision as SprtDecision,
    bradley_terry as bradley_terry,
    elo_interval as elo_interval,
    pair_interval as pair_interval,
    wilson as wilson,
)
from .store import GameRow as GameRow, Store as Store
