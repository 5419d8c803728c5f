"""The moves of plain SGF games, straight from the bytes.

Most records of a large collection are plain: one line of play, a move in a node, nothing set up.
Their moves can be read without building a tree, a hundred times faster. What is not plain is told
apart here and left to the full reader: a game with anything unusual in it is *odd*; where even
its end cannot be told for certain, the whole text is *lost*.
"""

import numpy as np

from tengen.core.compiler import inline_kernel, kernel

POINT_MASK, COLOUR_SHIFT = np.uintp(511), np.uintp(9)
SETUP = np.uintp(1 << 11)
"""A move as one number: its point (0 for a pass), the colour from bit 9 on, and one more bit for
a stone that was put there before the game."""

# What a scan tells of a game.
PLAIN, ODD, LOST = np.uintp(0), np.uintp(1), np.uintp(2)

# The cells of the state of a scan.
AT, WORDS, KIND, DEPTH, ROWS, MOVES_OF_NODE, NODES = (np.uintp(n) for n in range(7))
STATE_CELLS = 7
"""The next byte; words written; PLAIN, ODD or LOST; open parentheses; the board's size, 0 for not
said; moves in this node; nodes of this game."""

ONE, TWO = np.uintp(1), np.uintp(2)
_OPEN, _CLOSE, _NODE = np.uintp(ord("(")), np.uintp(ord(")")), np.uintp(ord(";"))
_VALUE, _VALUE_END, _ESCAPE = np.uintp(ord("[")), np.uintp(ord("]")), np.uintp(ord("\\"))
_CAPITAL_A, _CAPITAL_Z, _SMALL_A = np.uintp(ord("A")), np.uintp(ord("Z")), np.uintp(ord("a"))
_ZERO = np.uintp(ord("0"))
_SMALL_T = np.uintp(ord("t"))
_USUAL_SIZE, _LARGEST_SIZE = np.uintp(19), np.uintp(19)
_STRIDE = np.uintp(20)
_BLACK, _WHITE = np.uintp(1), np.uintp(2)


def _name(text):
    """Return the number of a property's name: its letters in base 256."""
    return np.uintp(int.from_bytes(text.encode(), "big"))


_B, _W, _SZ, _GM = _name("B"), _name("W"), _name("SZ"), _name("GM")
_FF, _CA = _name("FF"), _name("CA")
_AB, _AW, _AE, _PL = _name("AB"), _name("AW"), _name("AE"), _name("PL")


@inline_kernel
def _skip_blanks(text, at):
    while at < len(text) and (text[at] == 32 or (text[at] >= 9 and text[at] <= 13)):
        at += ONE
    return at


@inline_kernel
def _letter(text, at):
    """Return the byte at a place, 0 beyond the end."""
    return np.uintp(text[at]) if at < len(text) else np.uintp(0)


@inline_kernel
def _value_end(text, at):
    """Return where the value that opens at `at` closes, or the end of the text if nowhere."""
    at += ONE
    while at < len(text) and text[at] != _VALUE_END:
        at += TWO if text[at] == _ESCAPE else ONE
    return min(at, np.uintp(len(text)))


@inline_kernel
def _move_word(text, start, length, size):
    """Return the point of a move's text, 0 for a pass; POINT_MASK if it is nothing plain."""
    if length == np.uintp(0):
        return np.uintp(0)
    if length != TWO:
        return POINT_MASK
    column, row = np.uintp(text[start]), np.uintp(text[start + ONE])
    if column == _SMALL_T and row == _SMALL_T:
        return np.uintp(0)
    if column < _SMALL_A or row < _SMALL_A:
        return POINT_MASK
    column -= _SMALL_A
    row -= _SMALL_A
    if column >= size or row >= size:
        return POINT_MASK
    return (row + ONE) * _STRIDE + column + ONE


@kernel
def _take_move(text, start, length, colour, words, state):
    """Write down a move, the first of its node."""
    size = np.uintp(state[ROWS]) if state[ROWS] else _USUAL_SIZE
    point = _move_word(text, start, length, size)
    if length > TWO:
        # A bracket may be missing: where the value ends is for the full reader to find.
        state[KIND] = LOST
    elif point == POINT_MASK or state[MOVES_OF_NODE]:
        state[KIND] = max(np.uintp(state[KIND]), ODD)
    else:
        words[state[WORDS]] = point | (colour << COLOUR_SHIFT)
        state[WORDS] += ONE
        state[MOVES_OF_NODE] += ONE


@kernel
def _take_size(text, start, length, state, has_moves):
    """Note the size of a square board, said once, in the root, before the moves."""
    size = np.uintp(0)
    for at in range(start, start + length):
        digit = np.uintp(text[at]) - _ZERO
        size = size * np.uintp(10) + digit if digit < 10 and size < 100 else np.uintp(999)
    is_plain = size >= ONE and size <= _LARGEST_SIZE and state[ROWS] == 0
    if is_plain and not has_moves and state[NODES] == ONE:
        state[ROWS] = size
    else:
        state[KIND] = max(np.uintp(state[KIND]), ODD)


@inline_kernel
def _is_odd(text, name, start, length):
    """Tell whether a property makes a game odd: stones are set up, or it is not Go."""
    if name == _GM:
        return length != ONE or text[start] != _ZERO + ONE
    return name == _AB or name == _AW or name == _AE or name == _PL


@kernel
def _take_property(text, name, start, length, first_word, words, state):
    """Look at the first value of a property."""
    if name == _B:
        _take_move(text, start, length, _BLACK, words, state)
    elif name == _W:
        _take_move(text, start, length, _WHITE, words, state)
    elif name == _SZ:
        _take_size(text, start, length, state, state[WORDS] > first_word)
    elif _is_odd(text, name, start, length):
        state[KIND] = max(np.uintp(state[KIND]), ODD)
    if state[DEPTH] > ONE and (name == _SZ or name == _GM or name == _FF or name == _CA):
        # A game that was not closed: another one begins inside it.
        state[KIND] = LOST


@kernel
def _read_property(text, first_word, words, state):
    """Read a property with all its values."""
    at = np.uintp(state[AT])
    name = np.uintp(0)
    while _letter(text, at) >= _CAPITAL_A and _letter(text, at) <= _CAPITAL_Z:
        name = (name << np.uintp(8)) | np.uintp(text[at])
        at += ONE
    at = _skip_blanks(text, at)
    is_first = True
    while _letter(text, at) == _VALUE:
        end = _value_end(text, at)
        if end == len(text):
            break
        if is_first:
            _take_property(text, name, at + ONE, end - at - ONE, first_word, words, state)
        elif name == _B or name == _W or name == _SZ or name == _GM:
            state[KIND] = max(np.uintp(state[KIND]), ODD)
        is_first = False
        state[AT] = end + ONE
        at = _skip_blanks(text, end + ONE)
    if is_first or _letter(text, at) == _VALUE:
        state[KIND] = LOST


@kernel
def _read_game(text, words, state):
    """Read one game from its opening parenthesis to its closing one."""
    first_word = np.uintp(state[WORDS])
    state[KIND], state[DEPTH], state[ROWS], state[NODES] = PLAIN, np.uintp(0), 0, 0
    state[MOVES_OF_NODE] = 0
    is_open = False
    while state[KIND] != LOST:
        state[AT] = _skip_blanks(text, np.uintp(state[AT]))
        letter = _letter(text, np.uintp(state[AT]))
        if letter == _NODE and state[DEPTH]:
            state[NODES] += ONE
            state[MOVES_OF_NODE] = 0
            state[AT] += ONE
            is_open = True
        elif letter == _OPEN:
            state[DEPTH] += ONE
            state[AT] += ONE
            if state[DEPTH] > ONE:
                state[KIND] = ODD
            if _letter(text, _skip_blanks(text, np.uintp(state[AT]))) != _NODE:
                state[KIND] = LOST
        elif letter == _CLOSE:
            state[DEPTH] -= ONE
            state[AT] += ONE
            is_open = False
            if state[DEPTH] == 0:
                # What follows may belong to the game, if it was closed too early.
                following = _skip_blanks(text, np.uintp(state[AT]))
                if following < len(text) and text[following] != _OPEN:
                    state[KIND] = LOST
                break
        elif letter >= _CAPITAL_A and letter <= _CAPITAL_Z and is_open:
            _read_property(text, first_word, words, state)
        else:
            state[KIND] = LOST
    if state[KIND] != PLAIN:
        state[WORDS] = first_word


@kernel
def scan_games(text, state, words, word_ends, ends, kinds, sizes):
    """Read the games of a text until its end, or until one is LOST; return how many were read.

    For each game: where its moves end in `words` (odd games have none there), where it ends in
    the text, PLAIN or ODD, and the board's size. `state` is scratch memory. What lies behind the
    last game that was read, if it is more than blanks, is lost.
    """
    state[AT] = state[WORDS] = 0
    count = np.uintp(0)
    while _skip_blanks(text, np.uintp(state[AT])) < len(text):
        _read_game(text, words, state)
        if state[KIND] == LOST:
            break
        word_ends[count] = state[WORDS]
        ends[count] = state[AT]
        kinds[count] = state[KIND]
        sizes[count] = state[ROWS] if state[ROWS] else _USUAL_SIZE
        count += ONE
    return count
