"""The key is in no message, log, repr, cache, page or output, however a service behaves."""

import logging
import os
import traceback

import pytest

from scission import AgenticChunker, OpenAIChat, OpenAIEmbedder, OptionError, ScissionError
from scission.cli import main
from tests.remote.conftest import KEY
from tests.remote.test_agentic import TEXT, every

pytest.importorskip("openai")

ECHO = f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}"
FAULTS = [
    ("status", 401, {}, ECHO),
    ("status", 403, {}, ECHO),
    ("status", 400, {}, ECHO),
    ("status", 429, {"Retry-After-Ms": "5"}, ECHO),
    ("status", 500, {"Retry-After-Ms": "5"}, ECHO),
    ("body", ECHO.encode()),
    "cut",
    ("slow", 0.5),
]


def everything(error):
    """All that a traceback, and whoever walks the chain of causes, would show."""
    shown = [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error))]
    while error is not None:
        shown += [str(error), repr(error.args)]
        error = error.__cause__ or error.__context__
    return "\n".join(shown)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_no_failure_tells_the_key(server, fault, caplog):
    caplog.set_level(logging.DEBUG)
    chat = OpenAIChat(base_url=server.url, max_retries=1, timeout=0.2)
    model = OpenAIEmbedder(base_url=server.url, max_retries=1, timeout=0.2)
    for run in (lambda: AgenticChunker(model=chat).chunk(TEXT), lambda: model.embed(["a"])):
        server.faults.extend([fault] * 2)
        with pytest.raises(ScissionError) as found:
            run()
        assert KEY not in everything(found.value)
        server.faults.clear()
    assert KEY not in repr([chat, model, chat._service, AgenticChunker(model=chat)])
    for record in caplog.records:
        assert KEY not in record.getMessage()
        assert KEY not in repr(record.args)


def test_a_fallback_reason_does_not_tell_the_key(server):
    server.faults.append(("status", 401, {}, ECHO))
    chat = OpenAIChat(base_url=server.url, max_retries=0)
    explanation = AgenticChunker(model=chat, on_error="fallback", cache=None).explain(TEXT)
    assert "[key]" in explanation.chunks[0].metadata["fallback_reason"]
    for shown in (explanation.to_html(), explanation.to_text(), repr(explanation)):
        assert KEY not in shown


def test_nothing_on_disk_holds_the_key(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.chdir(tmp_path)
    server.chat = every(6)
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    options = ["-s", "agentic", "--model", "gpt-4o-mini", "-o", "out.jsonl", "--max-cost", "1"]
    assert main(["chunk", "a.txt", *options]) == 0
    captured = capsys.readouterr()
    counts = (
        "requests: 1, answers from the cache: 0, tokens sent: 100, received: 20, cost: 0.0000 USD"
    )
    assert counts in captured.err
    assert main(["explain", "a.txt", "-s", "agentic", "-o", "out.html"]) == 0
    OpenAIEmbedder(cache=True).embed(["a", "b"])
    files = [os.path.join(folder, name) for folder, _, names in os.walk(tmp_path) for name in names]
    assert any("answers.sqlite3" in name for name in files)
    for name in files:
        with open(name, "rb") as file:
            assert KEY.encode() not in file.read(), name
    assert len(server.paid) == 2  # the page's answer came from the cache
    assert KEY not in captured.out + captured.err


def test_other_keys_are_struck_out_too(server):
    server.faults.append(
        ("status", 400, {}, "upstream said: bad key hf_ABCDEFGHIJ, bearer eyJhbGciOi")
    )
    with pytest.raises(ScissionError) as found:
        OpenAIEmbedder(base_url=server.url, max_retries=0).embed(["a"])
    assert "hf_ABC" not in str(found.value)
    assert "eyJ" not in str(found.value)


def test_a_key_of_another_name(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "another-secret-value")
    OpenAIEmbedder(base_url=server.url, api_key_env="MY_KEY").embed(["a"])
    assert server.headers[0]["authorization"] == "Bearer another-secret-value"
    server.faults.append(("status", 401, {}, "no: another-secret-value"))
    with pytest.raises(ScissionError, match=r"no: \[key\].*check the key in MY_KEY") as found:
        OpenAIEmbedder(base_url=server.url, api_key_env="MY_KEY").embed(["a"])
    assert "another-secret-value" not in everything(found.value)


def test_a_stand_in_for_a_key_does_not_garble_messages(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    server.faults.append(("status", 400, {}, "context exceeded; key x refused"))
    with pytest.raises(ScissionError, match=r"context exceeded; key \[key\] refused"):
        OpenAIEmbedder(base_url=server.url).embed(["a"])


def test_a_key_is_no_option():
    with pytest.raises((OptionError, TypeError)):
        OpenAIEmbedder(api_key=KEY)
