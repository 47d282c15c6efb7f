"""A server on 127.0.0.1 that speaks OpenAI's protocol, well or badly, as a test wants it."""

import base64
import json
import threading
import time
from collections import deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np


class Server:
    """What is asked of it, and how it answers.

    `faults` are taken in turn before requests are answered at all: ("status", code, headers, message), "cut",
    ("slow", seconds), ("body", bytes), ("headers then cut",). `chat` maps messages to a string or a whole
    choice; `vector` maps a text to a vector.
    """

    def __init__(self):
        self.faults = deque()
        self.requests = []
        self.paid = []
        self.headers = []
        self.times = []
        self.running = self.most_running = 0
        self.chat = lambda messages: "{}"
        self.vector = lambda text: [float(len(text)), 1.0, 0.5]
        self.rows = lambda rows: rows
        self.refuse = lambda body: None
        self.usage = True
        self.delay = 0.0
        self.lock = threading.Lock()

    def answer(self, path, body):
        if path.endswith("/embeddings"):
            return self._embeddings(body)
        answer = self.chat(body["messages"])
        choice = (
            answer
            if isinstance(answer, dict)
            else {"message": {"role": "assistant", "content": answer}}
        )
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return {
            "id": "x", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop", **choice}],
            **({"usage": usage} if self.usage else {}),
        }  # fmt: skip

    def _embeddings(self, body):
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        rows = []
        for index, text in enumerate(texts):
            vector = self.vector(text)
            if body.get("encoding_format") == "base64":
                vector = base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode()
            rows.append({"object": "embedding", "index": index, "embedding": vector})
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {
            "object": "list", "model": body["model"], "data": self.rows(rows),
            **({"usage": usage} if self.usage else {}),
        }  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        state = self.server.state
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with state.lock:
            state.requests.append(body)
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            state.times.append(time.monotonic())
            state.running += 1
            state.most_running = max(state.most_running, state.running)
            fault = state.faults.popleft() if state.faults else None
        try:
            time.sleep(state.delay)
            self._respond(state, body, fault)
        finally:
            with state.lock:
                state.running -= 1

    def _respond(self, state, body, fault):
        if fault == "cut":
            self.close_connection = True
            self.connection.close()
            return
        if fault == "half":
            self._send(200, b"{" * 50, length=1000)
            self.close_connection = True
            self.wfile.flush()
            self.connection.close()
            return
        kind = fault[0] if fault else None
        if kind == "slow":
            time.sleep(fault[1])
        if kind == "body":
            self._send(200, fault[1])
            return
        if kind == "status":
            _, code, headers, message = fault
            self._send(code, json.dumps({"error": {"message": message}}).encode(), headers)
            return
        refusal = state.refuse(body)
        if refusal is not None:
            self._send(400, json.dumps({"error": refusal}).encode())
            return
        answer = json.dumps(state.answer(self.path, body)).encode()
        with state.lock:
            state.paid.append(body)
        self._send(200, answer)

    def _send(self, code, content, headers=(), length=None):
        try:
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content) if length is None else length))
            for name, value in dict(headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that gave up

    def log_message(self, *arguments):
        pass


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # connections that a test cut


@contextmanager
def running():
    """Run a server, and yield its state; `url` is its address."""
    http = QuietServer(("127.0.0.1", 0), Handler)
    http.state = Server()
    http.state.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(
        target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield http.state
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
