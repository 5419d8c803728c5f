"""The exception for errors that the user can fix."""


class TengenError(Exception):
    """A request cannot be carried out.

    The message is one line: what is wrong and, where possible, how to fix it. The command line
    prints it without a traceback and exits with status 2; GTP returns it as a failure response.

    Examples
    --------
    >>> from tengen.api import Position
    >>> Position(9).after("E5 E5")
    Traceback (most recent call last):
    tengen.board.position.IllegalMoveError: illegal move W E5
    """
