"""Evaluations that are kept, up to a bound of memory; the one used longest ago goes first."""

import threading
from collections import OrderedDict
from collections.abc import Hashable

from tengen.network.evaluation import Evaluation


class EvaluationCache:
    """Evaluations by key, at most about `limit_bytes` of them; several threads may use it."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self.hits = 0
        self._kept: OrderedDict[Hashable, Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> Evaluation | None:
        """Return what is known under a key, and count it."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self.hits += 1
                self._kept.move_to_end(key)
            return found

    def put(self, key: Hashable, evaluation: Evaluation) -> None:
        """Keep an evaluation, and let go of old ones if they are too many."""
        with self._lock:
            self._forget(key)
            self._kept[key] = evaluation
            self.used_bytes += evaluation.bytes
            while self.used_bytes > self.limit_bytes:
                self._forget(next(iter(self._kept)))

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.used_bytes = 0

    def _forget(self, key: Hashable) -> None:
        old = self._kept.pop(key, None)
        if old is not None:
            self.used_bytes -= old.bytes
