from .database import (
    GameDatabase as GameDatabase,
    ImportCounts as ImportCounts,
    default_database_path as default_database_path,
    import_games as import_games,
)
from .packing import (
    GameHeaders as GameHeaders,
    SkipReason as SkipReason,
    decode_moves as decode_moves,
    skip_reason as skip_reason,
)
from .pattern import Pattern as Pattern, Region as Region
from .search import (
    Continuation as Continuation,
    GameIndex as GameIndex,
    PatternStatistics as PatternStatistics,
)
from .store import GameStore as GameStore
