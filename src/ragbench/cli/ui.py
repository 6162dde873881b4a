"""`ragbench ui`: the MLflow user interface on loopback."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys

from ragbench.cli.output import note, say
from ragbench.errors import MissingExtra


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to listen; only loopback is served."""
    parser.add_argument("--port", type=int, default=5000, help="port on 127.0.0.1")


def execute(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if importlib.util.find_spec("mlflow.server") is None or importlib.util.find_spec("flask") is None:
        raise MissingExtra("mlflow", "ui", "ragbench ui")
    from ragbench.sink.mlflow_store import tracking_uri

    uri = tracking_uri()
    say(f"MLflow on http://127.0.0.1:{args.port} (store {uri}); stop with Ctrl-C")
    say("compare: open the experiment, tick two runs, press Compare")
    command = [
        sys.executable, "-m", "mlflow", "server", "--backend-store-uri", uri,
        "--host", "127.0.0.1", "--port", str(args.port), "--workers", "1",
    ]  # fmt: skip
    environment = os.environ | {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
    # A group of its own: the server's workers outlive it unless they are all told.
    with subprocess.Popen(command, env=environment, start_new_session=True) as server:
        signal.signal(signal.SIGTERM, lambda *_: _stop(server))
        try:
            return server.wait()
        except KeyboardInterrupt:
            _stop(server)
            note("stopped")
            return 0


def _stop(server: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(server.pid, signal.SIGTERM)
    except (ProcessLookupError, AttributeError):  # already gone, or a system without groups
        server.terminate()
