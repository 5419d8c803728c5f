"""Scanner that reads the moves of plain SGF games directly from bytes.

Most games of a large collection are plain: one line of play, one move per node, no setup. Their
moves are read without building a tree, about a hundred times faster. A game with anything else is
IRREGULAR and left to the full reader; if even its end is uncertain, the scan is LOST.
"""

import numpy as np

from tengen.util.compiler import inline_kernel, kernel

POINT_MASK, COLOR_SHIFT = np.uintp(511), np.uintp(9)
SETUP = np.uintp(1 << 11)
"""A move code has the point (0 for a pass), the color from bit 9 on, and the SETUP bit for stones
placed before the first move."""

PLAIN, IRREGULAR, LOST = np.uintp(0), np.uintp(1), np.uintp(2)
"""What a scan finds of a game."""

SCAN_STATE = np.dtype(
    [
        ("at", np.uintp),  # the next byte
        ("codes", np.uintp),  # move codes written
        ("kind", np.uintp),  # PLAIN, IRREGULAR or LOST
        ("depth", np.uintp),  # open parentheses
        ("size", np.uintp),  # of the board; 0 if there is no SZ
        ("node_moves", np.uintp),  # moves in the current node
        ("nodes", np.uintp),  # nodes of the current game
    ]
)

_ZERO, _ONE, _TWO = np.uintp(0), np.uintp(1), np.uintp(2)
_OPEN, _CLOSE, _SEMICOLON = np.uintp(ord("(")), np.uintp(ord(")")), np.uintp(ord(";"))
_VALUE, _VALUE_END, _ESCAPE = np.uintp(ord("[")), np.uintp(ord("]")), np.uintp(ord("\\"))
_CAPITAL_A, _CAPITAL_Z, _SMALL_A = np.uintp(ord("A")), np.uintp(ord("Z")), np.uintp(ord("a"))
_SMALL_T, _DIGIT_0 = np.uintp(ord("t")), np.uintp(ord("0"))
_DEFAULT_SIZE, _MAX_SIZE = np.uintp(19), np.uintp(19)
_STRIDE = np.uintp(20)
_BLACK, _WHITE = np.uintp(1), np.uintp(2)


def _name(text):
    """Return the number of a property name: its letters in base 256."""
    return np.uintp(int.from_bytes(text.encode(), "big"))


_B, _W, _SZ, _GM = _name("B"), _name("W"), _name("SZ"), _name("GM")
_FF, _CA = _name("FF"), _name("CA")
_AB, _AW, _AE, _PL = _name("AB"), _name("AW"), _name("AE"), _name("PL")


@inline_kernel
def _skip_blanks(text, at):
    while at < len(text) and (text[at] == 32 or (text[at] >= 9 and text[at] <= 13)):
        at += _ONE
    return at


@inline_kernel
def _byte(text, at):
    """Return the byte at an index, 0 beyond the end."""
    return np.uintp(text[at]) if at < len(text) else _ZERO


@inline_kernel
def _value_end(text, at):
    """Return the index of the bracket that closes the value at `at`, or the length of the text."""
    at += _ONE
    while at < len(text) and text[at] != _VALUE_END:
        at += _TWO if text[at] == _ESCAPE else _ONE
    return min(at, np.uintp(len(text)))


@inline_kernel
def _move_point(text, start, length, size):
    """Return the point of a move, 0 for a pass, POINT_MASK if it is not plain."""
    if length == _ZERO:
        return _ZERO
    if length != _TWO:
        return POINT_MASK
    column, row = np.uintp(text[start]), np.uintp(text[start + _ONE])
    if column == _SMALL_T and row == _SMALL_T:
        return _ZERO
    if column < _SMALL_A or row < _SMALL_A:
        return POINT_MASK
    column -= _SMALL_A
    row -= _SMALL_A
    if column >= size or row >= size:
        return POINT_MASK
    return (row + _ONE) * _STRIDE + column + _ONE


@inline_kernel
def _mark_irregular(state):
    state.kind = max(state.kind, IRREGULAR)


@kernel
def _read_move(text, start, length, color, codes, state):
    """Write the code of a move, which must be the only one of its node."""
    size = state.size if state.size else _DEFAULT_SIZE
    point = _move_point(text, start, length, size)
    if length > _TWO:
        # A bracket may be missing: only the full reader can find the end of the value.
        state.kind = LOST
    elif point == POINT_MASK or state.node_moves:
        _mark_irregular(state)
    else:
        codes[state.codes] = point | (color << COLOR_SHIFT)
        state.codes += _ONE
        state.node_moves += _ONE


@kernel
def _read_size(text, start, length, state, has_moves):
    """Set the size of a square board, given once, in the root, before the moves."""
    size = _ZERO
    for at in range(start, start + length):
        digit = np.uintp(text[at]) - _DIGIT_0
        size = size * np.uintp(10) + digit if digit < 10 and size < 100 else np.uintp(999)
    is_plain = size >= _ONE and size <= _MAX_SIZE and state.size == _ZERO
    if is_plain and not has_moves and state.nodes == _ONE:
        state.size = size
    else:
        _mark_irregular(state)


@inline_kernel
def _is_irregular(text, name, start, length):
    """Return whether a property makes a game irregular: it sets up stones or is not Go."""
    if name == _GM:
        return length != _ONE or text[start] != _DIGIT_0 + _ONE
    return name == _AB or name == _AW or name == _AE or name == _PL


@kernel
def _read_first_value(text, name, start, length, first_code, codes, state):
    """Process the first value of a property."""
    if name == _B:
        _read_move(text, start, length, _BLACK, codes, state)
    elif name == _W:
        _read_move(text, start, length, _WHITE, codes, state)
    elif name == _SZ:
        _read_size(text, start, length, state, state.codes > first_code)
    elif _is_irregular(text, name, start, length):
        _mark_irregular(state)
    if state.depth > _ONE and (name == _SZ or name == _GM or name == _FF or name == _CA):
        # The game was not closed: another one begins inside it.
        state.kind = LOST


@kernel
def _read_property(text, first_code, codes, state):
    """Read a property with all its values."""
    at = state.at
    name = _ZERO
    while _byte(text, at) >= _CAPITAL_A and _byte(text, at) <= _CAPITAL_Z:
        name = (name << np.uintp(8)) | np.uintp(text[at])
        at += _ONE
    at = _skip_blanks(text, at)
    is_first = True
    while _byte(text, at) == _VALUE:
        end = _value_end(text, at)
        if end == len(text):
            break
        if is_first:
            _read_first_value(text, name, at + _ONE, end - at - _ONE, first_code, codes, state)
        elif name == _B or name == _W or name == _SZ or name == _GM:
            _mark_irregular(state)
        is_first = False
        state.at = end + _ONE
        at = _skip_blanks(text, end + _ONE)
    if is_first or _byte(text, at) == _VALUE:
        state.kind = LOST


@kernel
def _read_game(text, codes, state):
    """Read one game from its opening to its closing parenthesis."""
    first_code = state.codes
    state.kind, state.depth, state.size, state.nodes = PLAIN, _ZERO, _ZERO, _ZERO
    state.node_moves = _ZERO
    is_node_open = False
    while state.kind != LOST:
        state.at = _skip_blanks(text, state.at)
        byte = _byte(text, state.at)
        if byte == _SEMICOLON and state.depth:
            state.nodes += _ONE
            state.node_moves = _ZERO
            state.at += _ONE
            is_node_open = True
        elif byte == _OPEN:
            state.depth += _ONE
            state.at += _ONE
            if state.depth > _ONE:
                state.kind = IRREGULAR
            if _byte(text, _skip_blanks(text, state.at)) != _SEMICOLON:
                state.kind = LOST
        elif byte == _CLOSE:
            state.depth -= _ONE
            state.at += _ONE
            is_node_open = False
            if state.depth == _ZERO:
                # Text other than a new game may belong to this one, if it was closed too early.
                next_at = _skip_blanks(text, state.at)
                if next_at < len(text) and text[next_at] != _OPEN:
                    state.kind = LOST
                break
        elif byte >= _CAPITAL_A and byte <= _CAPITAL_Z and is_node_open:
            _read_property(text, first_code, codes, state)
        else:
            state.kind = LOST
    if state.kind != PLAIN:
        state.codes = first_code


@kernel
def scan_games(text, state, codes, code_ends, ends, kinds, sizes):
    """Read games until the end of the text or the first LOST one; return their number.

    For each game, write the end of its moves in `codes` (irregular games have none), its end in
    the text, PLAIN or IRREGULAR, and the board size. `state` is a SCAN_STATE record for scratch.
    Non-blank text after the last game belongs to a LOST one.
    """
    state.at = _ZERO
    state.codes = _ZERO
    count = _ZERO
    while _skip_blanks(text, state.at) < len(text):
        _read_game(text, codes, state)
        if state.kind == LOST:
            break
        code_ends[count] = state.codes
        ends[count] = state.at
        kinds[count] = state.kind
        sizes[count] = state.size if state.size else _DEFAULT_SIZE
        count += _ONE
    return count
