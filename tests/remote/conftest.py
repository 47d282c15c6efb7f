"""A service, a key, and no cache but the test's own."""

import pytest

from tests import openai_server

#: Nothing that is ever written may hold it.
KEY = "sk-zyxwvuTHIS-IS-THE-SECRET-987654"


@pytest.fixture
def server():
    with openai_server.running() as state:
        yield state


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SCISSION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("SCISSION_PRICES", raising=False)
