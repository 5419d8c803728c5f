"""The server: a free port, the address to tell, and serving until Ctrl-C."""

import errno
import socket as sockets
from types import FrameType

from starlette.applications import Starlette

from tengen.core.errors import TengenError
from tengen.web.app import LARGEST_FILE
from tengen.web.guard import Door

FIRST_PORT = 8361
PORTS_TRIED = 100


def free_socket(host: str, first: int = FIRST_PORT) -> sockets.socket:
    """Return a socket that listens on the first free port; raise TengenError if none is."""
    family = sockets.AF_INET6 if ":" in host else sockets.AF_INET
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        found = sockets.socket(family, sockets.SOCK_STREAM)
        found.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
        try:
            found.bind((host, port))
            found.listen(128)
        except OSError as error:
            found.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise TengenError(f"cannot listen on {host}: {error.strerror}") from None
            continue
        return found
    raise TengenError(f"no free port from {first} on {host}")


def address_of(listening: sockets.socket, door: Door) -> str:
    """Return the address to open in a browser."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = sockets.gethostname()
    shown = f"[{host}]" if ":" in host else host
    token = f"?token={door.token}" if door.token else ""
    return f"http://{shown}:{port}/{token}"


def serve(app: Starlette, listening: sockets.socket) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Hear the first Ctrl-C only: it ends within seconds, a second would be a traceback."""
            if not self.should_exit:
                super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app,
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FILE,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    Server(config).run(sockets=[listening])
