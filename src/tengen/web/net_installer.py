"""Installation of networks from the page, in a separate process."""

import asyncio
import logging
from collections.abc import Callable

from tengen.engine import DEFAULT, NONE
from tengen.nets import DOWNLOADABLE_NETS, INT8_SUFFIX, available_nets
from tengen.util import Json, TengenError
from tengen.web.commands import run_command
from tengen.web.messages import EngineChoice, NetInstallation, NetRow

log = logging.getLogger("tengen.web")
OFFERED_NETS = ("b15c192", "b10c384")
"""Networks that the page offers to install, the faster one first."""


def ignore() -> None:
    """Do nothing."""


class NetInstaller:
    """Knows the installed networks and installs others, one at a time."""

    def __init__(self) -> None:
        self.on_change: Callable[[], object] = ignore
        """Called when the progress or the installed networks change."""
        self.installation: NetInstallation | None = None
        self._task: asyncio.Task[None] | None = None

    def installed(self) -> list[str]:
        """Return the names of the installed networks; only the faster version of each."""
        names = [name for name in available_nets() if name != DEFAULT]
        return [DEFAULT, *(n for n in names if f"{n}{INT8_SUFFIX}" not in names), NONE]

    def choice(self, net: str) -> EngineChoice:
        """Return the message with all networks, of which `net` is in use."""
        names = self.installed()
        rows = [NetRow(name, is_installed=True) for name in dict.fromkeys([*names, net])]
        for name in OFFERED_NETS:
            if name not in names and f"{name}{INT8_SUFFIX}" not in names:
                offer = DOWNLOADABLE_NETS[name]
                rows.append(NetRow(name, False, offer.meaning, offer.wheel_bytes))
        return EngineChoice(net, rows, self.installation)

    def install(
        self, name: str, on_done: Callable[[str], None], on_error: Callable[[str], None]
    ) -> None:
        """Start to install a network; raise TengenError if that is not possible.

        `on_done` is called with the name of its faster version, `on_error` with the reason of a
        failure.
        """
        if name not in DOWNLOADABLE_NETS:
            raise TengenError(f"cannot download {name[:40]!r}")
        if self._task is not None:
            raise TengenError("another network is being installed: wait, or cancel that first")
        self._show(NetInstallation(name, "downloading", 0.0))
        self._task = asyncio.get_running_loop().create_task(self._run(name, on_done, on_error))

    def cancel(self) -> None:
        """Cancel the installation."""
        if self._task is not None:
            self._task.cancel()

    def _show(self, installation: NetInstallation | None) -> None:
        self.installation = installation
        self.on_change()

    async def _run(
        self, name: str, on_done: Callable[[str], None], on_error: Callable[[str], None]
    ) -> None:
        def show(found: Json) -> None:
            if "stage" in found:
                self._show(NetInstallation(name, found["stage"], found["share"]))

        try:
            await run_command(["net", "get", name, "--json"], show)
            on_done(f"{name}{INT8_SUFFIX}")
        except TengenError as error:
            on_error(str(error))
        except Exception:
            log.exception("installing %s failed", name)
            on_error(f"installing {name} failed: see the terminal")
        finally:
            self._task = None
            self._show(None)
