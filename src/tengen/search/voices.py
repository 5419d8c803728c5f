"""Who is heard in a search: the net, compiled sources, sources in Python. It goes by the board."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.knowledge.kernels.registry import TO_DEPTH, Sources
from tengen.knowledge.source import ALWAYS, PythonSource
from tengen.playout.kernels.heavy import NO_ODDS
from tengen.search.net import Evaluator, NetSide
from tengen.search.net_use import NetUse
from tengen.search.python_sources import PythonSources
from tengen.search.settings import SearchSettings


class Knowledge(NamedTuple):
    """What the search asks about moves."""

    compiled: Sources
    """The table of compiled sources."""
    python: Sequence[PythonSource] = ()
    net: Evaluator | None = None
    net_use: NetUse = NetUse()
    beside_net: Sources | None = None
    """What is asked instead of `compiled` beside a net whose policy is all there is."""
    odds: npt.NDArray[np.uint32] = NO_ODDS
    """Of 3x3 patterns, for the playouts' rule SHAPE."""


class Voices:
    """Those who are heard on the board of the present search, out of all there are.

    A net is heard on boards of a size that it knows; one whose policy is all there is silences the
    sources, but for what is asked beside it.
    """

    def __init__(self, knowledge: Knowledge, settings: SearchSettings):
        self._settings = settings
        self._is_net_alone = knowledge.net_use.is_alone
        self._all_sources = self._beside_net = knowledge.compiled
        self._all_python = PythonSources(knowledge.python)
        self._given_net: NetSide | None = None
        self._net_problem: str | None = None
        self.memory_cells = int(knowledge.compiled.memory_starts[-1])
        """What compiled sources keep, for each worker."""
        if knowledge.beside_net is not None and self._is_net_alone:
            # In memory of its own, since tables may change while threads are at work.
            starts = self.memory_cells + knowledge.beside_net.memory_starts
            self._beside_net = knowledge.beside_net._replace(memory_starts=starts)
            self.memory_cells = int(starts[-1])
        if knowledge.net is not None and not knowledge.net_use.is_silent:
            kind = settings.formula(has_net=True).kind
            self._given_net = NetSide(knowledge.net, knowledge.net_use, kind)
        self.hear_all()

    def hear_all(self) -> None:
        """Give those who failed another chance, as at the beginning of a game."""
        self._whole_net, self._net_problem = self._given_net, None
        self._all_python.hear_all()
        self.choose(0)

    def choose(self, size: int, is_wide: bool = False) -> None:
        """Choose who is heard on a board of so many rows or columns, the smaller of both.

        A wide search looks at more moves at the root than one that is to play, if settings say so.
        """
        net = self._whole_net
        self.net = net if net is not None and size >= net.smallest_board else None
        weight = self.net.mixing.lead_weight if self.net else 0.0
        formula = self._settings.formula(self.net is not None)
        wide_root = self._settings.wide_root if is_wide else 0.0
        self.formula = formula._replace(lead_weight=weight, wide_root=wide_root)
        self.table = self._all_sources if self.net is None else self._beside_net
        self.python = PythonSources(()) if self._is_python_silent else self._all_python

    def drop_net(self, error: Exception) -> None:
        """Hear a net that failed no more, and tell of it."""
        self._net_problem = f"the net failed: {error!r}"
        self._whole_net = None
        self.choose(0)

    @property
    def deepest_limit(self) -> int:
        """How deep those sources look that do not look everywhere; -1 if there are none."""
        limits = [*self.table.limits[:, TO_DEPTH], *self.python.depths]
        return max((int(depth) for depth in limits if depth < ALWAYS), default=-1)

    @property
    def must_ask_anew(self) -> bool:
        """Whether a move brings nodes within reach of sources whose word cannot be added later.

        Beside a net, whose part is in the numbers and cannot be told from theirs any more.
        """
        return self.net is not None and self.deepest_limit >= 0

    @property
    def _is_python_silent(self) -> bool:
        """Whether there are Python sources, and a net beside which nobody else is heard."""
        return self.net is not None and self._is_net_alone and bool(self._all_python.names)

    @property
    def problems(self) -> list[str]:
        """What Python sources or the net raised, and who is not heard for another reason."""
        found = [*self._all_python.problems]
        if self._net_problem:
            found.append(self._net_problem)
        if self._is_python_silent:
            names = ", ".join(self._all_python.names)
            found.append(
                f"source {names} is not asked, for the net's policy is all the knowledge:"
                " give net=none, or net_weight=0.5"
            )
        return found
