"""An OpenAI-compatible chat server on this machine that misbehaves on demand: HTTP/1.1, JSON and server-sent events."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55}


@dataclass(frozen=True)
class Act:
    """One answer. `body` None: a good reply. `pieces`: events sent one by one (with `stream`), `pause` seconds before
    each; `done` ends them as the protocol says; `cut` closes the connection before the last chunk."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    content: str | None = None
    reasoning: str | None = None
    pause: float = 0.0
    done: bool = True
    cut: bool = False


Script = Callable[[int, dict[str, Any]], Act]


@dataclass
class ChatServer:
    """`script` decides on the answer to a request from its number, from 0, and its body; `say` what a good reply says.
    `asked` are the bodies, `keys` the authorisations."""

    say: Callable[[dict[str, Any]], str]
    script: Script = lambda n, body: Act()
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


def error(status: int, message: str, code: str | None = None, **headers: str) -> Act:
    """A refusal in the form of the protocol."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Act(status, named, {"error": {"message": message, "type": "invalid_request_error", "code": code}})


def events(text: str, reasoning: str | None, size: int = 7) -> Sequence[dict[str, Any]]:
    """The chunks of a streamed reply: role, thoughts, text in pieces, the finish, usage."""
    first: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
    thought = [{"delta": {"reasoning_content": reasoning}}] if reasoning else []
    parts = [{"delta": {"content": text[at : at + size]}} for at in range(0, len(text), size)]
    choices = [*first, *thought, *parts, {"delta": {}, "finish_reason": "stop"}]
    chunks: list[dict[str, Any]] = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "finish_reason": None, **one}], "usage": None}
        for one in choices
    ]
    return [*chunks, {"object": "chat.completion.chunk", "choices": [], "usage": USAGE}]


@contextmanager
def chatting(say: Callable[[dict[str, Any]], str], script: Script | None = None) -> Iterator[ChatServer]:
    """A running server."""
    state, lock = ChatServer(say), threading.Lock()
    if script is not None:
        state.script = script

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                number = len(state.asked)
                state.asked.append(body)
                state.keys.append(self.headers.get("Authorization"))
            act = state.script(number, body)
            text = state.say(body) if act.content is None else act.content
            try:
                if act.status == 200 and act.body is None and body.get("stream"):
                    self._stream(act, text)
                else:
                    self._whole(act, text)
            except OSError:
                self.close_connection = True

        def _whole(self, act: Act, text: str) -> None:
            message = {"role": "assistant", "content": text}
            if act.reasoning:
                message["reasoning_content"] = act.reasoning
            good = {
                "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": USAGE,
            }
            content = good if act.body is None else act.body
            data = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
            self.send_response(act.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data) + (10 if act.cut else 0)))
            for name, value in act.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for at in range(0, len(data), 20 if act.pause else len(data) or 1):
                time.sleep(act.pause)
                self.wfile.write(data[at : at + (20 if act.pause else len(data))])
            if act.cut:
                self.close_connection = True

        def _stream(self, act: Act, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            for name, value in act.headers.items():
                self.send_header(name, value)
            self.end_headers()
            lines = [f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in events(text, act.reasoning)]
            lines.insert(1, ": keep-alive\n\n")
            lines = [
                *(lines[: len(lines) // 2] if act.cut else lines),
                *(["data: [DONE]\n\n"] if act.done and not act.cut else []),
            ]
            for line in lines:
                time.sleep(act.pause)
                data = line.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()
            if act.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, daemon=True).start()
    state.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
