"""Signals in a test run: Ctrl-C reaches child processes, and a time limit ends one test only."""

import signal
import threading

import pytest
import pytest_timeout

REPEAT_S = 10
"""The alarm is repeated, since cleanup code may wait for the process that hangs."""
GRACE_S = 60
"""A signal cannot end a loop inside a kernel: after this extra time, the run ends with stacks."""


def restore_interrupts():
    """Accept SIGINT if it is ignored, as under `nohup`, in the background or from cron.

    Child processes inherit an ignored signal; a handled one is reset to its default.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_timeout_set_timer(item, settings):
    """Fail the test at its time limit; end the run only if the test cannot be interrupted."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGALRM"):
        return None  # the timer of pytest-timeout, which ends the run

    def fail(_number, _frame):
        __tracebackhide__ = True
        pytest_timeout.timeout_sigalrm(item, settings)

    exit_s = settings.timeout + GRACE_S
    last_resort = threading.Timer(exit_s, pytest_timeout.timeout_timer, (item, settings))
    last_resort.daemon = True

    def cancel():
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        last_resort.cancel()
        last_resort.join()

    item.cancel_timeout = cancel
    item.time_limit = settings
    signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, REPEAT_S)
    last_resort.start()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """Limit the cleanup after a failed test, for which pytest-timeout cancels the timer."""
    settings = getattr(item, "time_limit", None)
    if settings is not None and not item.config.getoption("usepdb"):
        item.cancel_timeout()
        pytest_timeout_set_timer(item, settings)
    return (yield)
