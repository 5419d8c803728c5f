from .color import BLACK as BLACK, EMPTY as EMPTY, WHITE as WHITE, Color as Color
from .diagram import (
    BLACK_STONE as BLACK_STONE,
    SHADOW as SHADOW,
    WHITE_STONE as WHITE_STONE,
    WOOD as WOOD,
    BoardFrame as BoardFrame,
    board_drawing as board_drawing,
    coordinates as coordinates,
    draw_diagram as draw_diagram,
    lines as lines,
    parse_diagram as parse_diagram,
    stones as stones,
    wood as wood,
)
from .points import (
    HANDICAP_KOMI as HANDICAP_KOMI,
    LETTERS as LETTERS,
    MAX_SIZE as MAX_SIZE,
    NEIGHBOR_OFFSETS as NEIGHBOR_OFFSETS,
    PASS as PASS,
    STRIDE as STRIDE,
    board_points as board_points,
    check_size as check_size,
    column_of as column_of,
    fixed_handicap_points as fixed_handicap_points,
    free_handicap_points as free_handicap_points,
    parse_size as parse_size,
    parse_vertex as parse_vertex,
    point_at as point_at,
    row_of as row_of,
    star_points as star_points,
    vertex as vertex,
)
from .position import (
    Block as Block,
    IllegalMoveError as IllegalMoveError,
    Move as Move,
    Position as Position,
)
from .rules import (
    ALIASES as ALIASES,
    BONUS_NAMES as BONUS_NAMES,
    NAMED_RULES as NAMED_RULES,
    Compensation as Compensation,
    Ko as Ko,
    Rules as Rules,
    Scoring as Scoring,
    check_komi as check_komi,
    rules_from_katago as rules_from_katago,
    rules_named as rules_named,
    rules_to_katago as rules_to_katago,
)
from .symmetry import (
    eight_symmetries as eight_symmetries,
    inverse_symmetries as inverse_symmetries,
    symmetries as symmetries,
)
