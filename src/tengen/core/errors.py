"""Errors that are the user's to mend."""


class TengenError(Exception):
    """Something the user asked for cannot be done.

    The message is one line, says what is wrong and, where it can, what to do. The command line
    prints it without a traceback and exits with 2; GTP answers it behind a `?`.
    """
