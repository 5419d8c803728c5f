from .collection import (
    Document as Document,
    ProgressHandler as ProgressHandler,
    disk_size as disk_size,
    find_documents as find_documents,
    ignore_progress as ignore_progress,
    split_documents as split_documents,
)
from .game import (
    GameRecord as GameRecord,
    SetupStone as SetupStone,
    lenient_rules as lenient_rules,
    unplayable_reason as unplayable_reason,
)
from .library import (
    GameOrigin as GameOrigin,
    Library as Library,
    LibraryCollection as LibraryCollection,
    LibraryGame as LibraryGame,
    OpenedGame as OpenedGame,
    ReadCounts as ReadCounts,
    default_library_path as default_library_path,
    read_collection as read_collection,
)
from .moves import MoveSequences as MoveSequences, read_moves as read_moves
from .reader import (
    map_batches as map_batches,
    new_stop as new_stop,
    read_bytes as read_bytes,
    read_document as read_document,
    read_documents as read_documents,
    read_games as read_games,
)
from .result import EndReason as EndReason, GameResult as GameResult
from .statistics import GameCounts as GameCounts, count_games as count_games
from .tree import (
    Node as Node,
    escaped_text as escaped_text,
    mask_points as mask_points,
    parse_color as parse_color,
    parse_komi as parse_komi,
    parse_move as parse_move,
    parse_points as parse_points,
    plain_text as plain_text,
    point_mask as point_mask,
    point_text as point_text,
)
from .warning import (
    INCOMPLETE_KINDS as INCOMPLETE_KINDS,
    RecordWarning as RecordWarning,
    WarningKind as WarningKind,
    ignore_warning as ignore_warning,
    log_unreadable as log_unreadable,
    log_warning as log_warning,
)
from .writer import (
    record_from_position as record_from_position,
    sgf_bytes as sgf_bytes,
    write_games as write_games,
)
