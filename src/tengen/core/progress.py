"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time


class CompileProgress:
    """Shows which kernels are compiled at a first start.

    Kernels compile their callees, so starts and ends nest; plain lines name the outermost only.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._done = 0
        self._began_s = 0.0
        self._live = sys.stderr.isatty()

    def start(self, name: str) -> None:
        """Tell that compiling `name` begins."""
        if self._depth == 0:
            self._began_s = time.monotonic()
            if not self._live:
                self._say(f"tengen: compiling {name} (first start only)\n")
        self._depth += 1
        if self._live:
            bar = "█" * min(self._done // 2, 40)
            self._say(f"\r\x1b[Ktengen: first start, compiling {bar} {name}")

    def end(self) -> None:
        """Tell that the kernel started last is compiled."""
        self._depth -= 1
        self._done += 1
        if self._depth == 0:
            took_s = time.monotonic() - self._began_s
            self._say("\r\x1b[K" if self._live else f"tengen: compiled in {took_s:.1f} s\n")

    def _say(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
