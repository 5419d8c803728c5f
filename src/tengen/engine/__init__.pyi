from .clock import (
    MAX_CLOCK_S as MAX_CLOCK_S,
    UNLIMITED as UNLIMITED,
    Clock as Clock,
    TimeControl as TimeControl,
    TimeSystem as TimeSystem,
    parse_duration as parse_duration,
)
from .endgame import is_settled as is_settled
from .engine import (
    Engine as Engine,
    MoveDecision as MoveDecision,
    MoveReason as MoveReason,
    MoveRestrictions as MoveRestrictions,
    Progress as Progress,
)
from .estimate import (
    DEAD_OWNERSHIP as DEAD_OWNERSHIP,
    Grid as Grid,
    ScoreEstimate as ScoreEstimate,
    TerritoryEstimate as TerritoryEstimate,
    candidate_lead as candidate_lead,
    estimate_from as estimate_from,
    estimate_score as estimate_score,
    estimate_territory as estimate_territory,
    for_black as for_black,
    ownership_after as ownership_after,
)
from .factory import create_engine as create_engine
from .katago_settings import (
    MAX_VISITS as MAX_VISITS,
    Perspective as Perspective,
    TranslatedSettings as TranslatedSettings,
    katago_value as katago_value,
    parse_overrides as parse_overrides,
    read_config as read_config,
    tengen_name as tengen_name,
    translate as translate,
)
from .levels.adaptive import (
    RankEstimate as RankEstimate,
    record_result as record_result,
    stored_estimate as stored_estimate,
)
from .levels.parameters import MAX_SKILL as MAX_SKILL, MIN_SKILL as MIN_SKILL
from .levels.table import (
    AUTO as AUTO,
    LEVEL_COLUMNS as LEVEL_COLUMNS,
    LEVELS as LEVELS,
    RANKS as RANKS,
    STRONGEST as STRONGEST,
    Level as Level,
    calibration as calibration,
    level_named as level_named,
    rank_name as rank_name,
    rank_number as rank_number,
)
from .nets import (
    DEFAULT as DEFAULT,
    NONE as NONE,
    evaluate_like_humans as evaluate_like_humans,
    evaluate_with_net as evaluate_with_net,
    is_human_like as is_human_like,
    load_named_net as load_named_net,
    net_path as net_path,
    profile_overrides as profile_overrides,
)
from .presets import (
    LATE_PLAYOUTS as LATE_PLAYOUTS,
    PRESETS as PRESETS,
    preset_named as preset_named,
)
from .problem import (
    LifeStatus as LifeStatus,
    ProblemAnswer as ProblemAnswer,
    ProblemSolver as ProblemSolver,
)
from .settings import (
    PARTS as PARTS,
    EngineSettings as EngineSettings,
    PlaySettings as PlaySettings,
    PriorSettings as PriorSettings,
    parse_source as parse_source,
    setting_names as setting_names,
)
from .settings_files import (
    file_digests as file_digests,
    read_settings_file as read_settings_file,
    require_files as require_files,
)
from .solver_engine import SolverEngine as SolverEngine
from .teacher import SearchTeacher as SearchTeacher
