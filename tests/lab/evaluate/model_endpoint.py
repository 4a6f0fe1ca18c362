"""A scripted stand-in for a language model, behind an endpoint on the loopback interface."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from liarsdice_lab.evaluate.language_model import ChatMessage

Script = Callable[[int, list[ChatMessage]], "str | Raw | Hang | Drip"]
"""What the model does at the n-th request, from 0, with the messages of a chat."""


class Raw(msgspec.Struct, frozen=True):
    """A response that is no completion."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = {}


class Hang(msgspec.Struct, frozen=True):
    """No response until the endpoint is closed."""


class Drip(msgspec.Struct, frozen=True):
    """A response that arrives byte by byte until the endpoint is closed."""


class Request(msgspec.Struct, frozen=True):
    """A request that the endpoint received."""

    path: str
    authorization: str | None
    body: dict[str, Any]


class Endpoint:
    """A running endpoint: its address, and the requests so far."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.requests: list[Request] = []


@contextmanager
def running_endpoint(script: Script) -> Iterator[Endpoint]:
    """Serve a script on a free port until the block ends."""
    closing = threading.Event()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = msgspec.json.decode(self.rfile.read(int(self.headers["Content-Length"])), type=dict[str, Any])
            with lock:
                number = len(endpoint.requests)
                endpoint.requests.append(Request(self.path, self.headers["Authorization"], body))
            answer = script(number, msgspec.convert(body["messages"], list[ChatMessage]))
            match answer:
                case Hang():
                    closing.wait()
                    self.close_connection = True
                case Drip():
                    self.drip()
                case Raw(status, content, headers):
                    self.respond(status, content, headers)
                case _:
                    usage = {"prompt_tokens": 100, "completion_tokens": 7}
                    content = msgspec.json.encode({"choices": [{"message": {"content": answer}}], "usage": usage})
                    self.respond(200, content, {})

        def respond(self, status: int, content: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def drip(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.close_connection = True
            try:
                while not closing.wait(0.01):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            except OSError:  # the client has gone
                pass

        def log_message(self, *_: object) -> None:
            """Keep the output of the tests clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield endpoint
    finally:
        closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
