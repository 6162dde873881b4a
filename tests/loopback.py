"""An HTTP server on this machine that answers POSTs of JSON."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], Any]


@dataclass
class Loopback:
    """`answer` makes the content of an answer from a request's body; `script` holds `(status, headers, content)` that
    are given out first. `asked` are the bodies, `paths` and `keys` what came with them."""

    answer: Callable[[dict[str, Any]], Any]
    url: str = ""
    script: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Any]) -> Iterator[Loopback]:
    """A running server. Content of type bytes is sent as it is, a tuple is a whole answer."""
    state, lock = Loopback(answer), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                state.asked.append(body)
                state.paths.append(self.path)
                state.keys.append(self.headers.get("Authorization"))
                scripted = state.script.pop(0) if state.script else None
            found = scripted or state.answer(body)
            status, headers, content = found if isinstance(found, tuple) else (200, {}, found)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()


@contextmanager
def dripping(head: bytes) -> Iterator[str]:
    """The address of a server that sends `head` and then one blank every 0.1 s, as long as anyone listens."""
    listener, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                connection.sendall(head)
                while not over.wait(0.1):
                    connection.sendall(b" ")
            except OSError:
                pass

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=drip, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        listener.close()


DRIPS = {
    "body": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
    "headers": b"HTTP/1.1 200 OK\r\nX-Slow:",
}
