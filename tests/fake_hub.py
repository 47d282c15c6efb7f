"""A hub on 127.0.0.1 that speaks as much of the Hugging Face hub's protocol as a download needs."""

import hashlib
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from scission.embed.catalogue import KnownModel

REVISION = "0123456789abcdef0123456789abcdef01234567"
NAME = "tiny-model"
CONTENT = {
    "config.json": b'{"model_type": "bert"}',
    "tokenizer.json": b'{"model": {}}' * 100,
    "model.safetensors": bytes(range(256)) * 4096,
}


def row(content=CONTENT, **changes):
    """A catalogue's row for files of this content."""
    entries = {
        "name": NAME,
        "repo": f"somebody/{NAME}",
        "revision": REVISION,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in content.items()},
        "megabytes": 1,
        "layers": 1,
        "dimensions": 8,
        "pooling": "cls",
        "max_tokens": 64,
        "licence": "MIT",
    }
    return KnownModel(**(entries | changes))


class Hub:
    """What the server serves and has been asked.

    Attributes
    ----------
    content : dict
        Files.
    cuts : dict
        How often a file's transfer still breaks off half-way.
    wait : threading.Event or None
        Weights are not sent before it is set.
    asked : list of (str, str, str or None)
        Method, file and range of each request.
    """

    def __init__(self):
        self.content = dict(CONTENT)
        self.cuts = {}
        self.wait = None
        self.asked = []

    def sent(self, name):
        """How often the file was asked for."""
        return sum(method == "GET" and file == name for method, file, _ in self.asked)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._answer(body=False)

    def do_GET(self):
        self._answer(body=True)

    def _answer(self, body):
        hub = self.server.hub
        found = re.fullmatch(rf"/somebody/{NAME}/resolve/{REVISION}/(.+)", self.path)
        name = found.group(1) if found else self.path
        asked = self.headers.get("Range")
        hub.asked.append((self.command, name, asked))
        data = hub.content.get(name)
        if data is None:
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        begin = int(re.match(r"bytes=(\d+)-", asked).group(1)) if asked else 0
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if body:
            self._send(hub, name, data[begin:])

    def _send(self, hub, name, data):
        if hub.wait is not None and name == "model.safetensors":
            assert hub.wait.wait(60)
        if hub.cuts.get(name, 0) > 0:
            hub.cuts[name] -= 1
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
            return
        self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that went away is part of the game."""


@contextmanager
def running_hub():
    """Serve; yields the hub and its address."""
    hub = Hub()
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.hub = hub
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub, f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
