"""Runs the pages of a site until told to end."""

from __future__ import annotations

import logging
import signal
import ssl
import threading
import time

import uvicorn
from veedor.monitor.errors import UsageFault
from veedor.monitor.language import text
from veedor.monitor.signals import answered_by
from veedor.web.access.accounts import Accounts
from veedor.web.access.audit import Audit, Entry
from veedor.web.access.database import AccountsFile
from veedor.web.access.sessions import Sessions
from veedor.web.access.throttle import Throttle
from veedor.web.app import AppSetting, create_app
from veedor.web.door import GuardedDoor
from veedor.web.live_server import is_ours
from veedor.web.serve_command import Listening
from veedor.web.site import Site

# Three open pages of twenty people are 120 streams; the rest are looked at and answered at once.
_AT_ONCE = 600
_LARGEST_HEAD = 32 * 1024


def guarded_door(file: AccountsFile) -> GuardedDoor:
    """The door of an accounts file."""
    return GuardedDoor(Accounts(file), Sessions(file), Audit(file), Throttle(time.monotonic))


def serve_site(site: Site, door: GuardedDoor, setting: AppSetting, listening: Listening) -> None:
    """Serve until Ctrl-C or SIGTERM. UsageFault where the address or the certificate cannot be used."""
    config = uvicorn.Config(
        create_app(site, door, setting),
        host=listening.host,
        port=listening.port,
        log_config=None,  # what it logs is a line of our log
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=listening.behind_proxy,
        forwarded_allow_ips="127.0.0.1,::1",
        ssl_certfile=None if listening.cert is None else str(listening.cert),
        ssl_keyfile=None if listening.key is None else str(listening.key),
        timeout_graceful_shutdown=1,
        limit_concurrency=_AT_ONCE,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        http="h11",
    )
    logging.getLogger("uvicorn.error").addFilter(is_ours)
    try:
        config.load()
    except (ssl.SSLError, OSError) as fault:
        raise UsageFault(f"{listening.cert}: {fault}") from None
    server = uvicorn.Server(config)
    door.audit.note(Entry("", "", "pages begin", f"{listening.host}:{listening.port}"))
    announcer = threading.Thread(target=_announce, args=(server, listening), daemon=True)
    announcer.start()
    # uvicorn raises a signal again once it has ended: by default SIGTERM would then end us in the midst.
    try:
        with answered_by(signal.default_int_handler, signal.SIGTERM):
            server.run()
    except KeyboardInterrupt:
        pass
    except SystemExit:
        # uvicorn has said why on standard error.
        raise UsageFault(
            text(
                es=f"{listening.host}:{listening.port}: no se puede usar",
                en=f"{listening.host}:{listening.port}: cannot be used",
            )
        ) from None
    finally:
        door.audit.note(Entry("", "", "pages end", f"{listening.host}:{listening.port}"))


def _announce(server: uvicorn.Server, listening: Listening) -> None:
    """One line once pages are answered, with the port that was taken where 0 was asked for."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.05)
    port = listening.port or server.servers[0].sockets[0].getsockname()[1]
    scheme = "https" if listening.cert is not None else "http"
    host = f"[{listening.host}]" if ":" in listening.host else listening.host
    address = f"{scheme}://{host}:{port}/"
    # Where the log is JSON this is a line of it.
    print(text(es=f"{address}  (Ctrl-C termina)", en=f"{address}  (Ctrl-C ends)"), flush=True)
