"""Remote embedders: the real client against a server that does what real ones do, and worse."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import numpy as np
import pytest

from scission import EmbeddingError, OptionError, SemanticChunker
from scission.embed.registry import resolve
from scission.embed.remote import OpenAIEmbedder
from scission.errors import BudgetError, MissingExtra, RemoteError
from tests.helpers import assert_tiles, hashed_words
from tests.remote.conftest import KEY

pytest.importorskip("openai")

TEXTS = [f"Sentence number {i} of the ship." + " More." * (i % 5) for i in range(40)]


def embedder(server, **options):
    return OpenAIEmbedder(base_url=server.url, **{"max_retries": 2, **options})


def expected(texts):
    return np.array([[len(text), 1.0, 0.5] for text in texts], np.float32)


def test_vectors_come_in_order_in_batches_by_items(server):
    server.rows = lambda rows: rows[::-1]
    model = embedder(server, batch_items=7)
    np.testing.assert_array_equal(model.embed(TEXTS), expected(TEXTS))
    assert sorted(len(request["input"]) for request in server.paid) == [5, 7, 7, 7, 7, 7]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert model.usage.requests == 6
    assert model.usage.input_tokens == sum(len(text.split()) for text in TEXTS)
    assert model.usage.cost == pytest.approx(model.usage.input_tokens * 0.02 / 1e6)


def test_batches_by_tokens(server):
    model = embedder(server, batch_tokens=20, concurrency=1)
    texts = [
        "one two three four five six seven eight",
        "a b c d e f g h i j k l",
        "x " * 50,
        "y",
        "z",
    ]
    model.embed(texts)
    assert [len(request["input"]) for request in server.paid] == [2, 1, 2]


def test_floats_where_base64_is_not_known_and_no_usage(server):
    server.rows = lambda rows: [
        {**row, "index": None, "embedding": [1.0, float(i)]} for i, row in enumerate(rows)
    ]
    server.usage = False
    model = embedder(server)
    np.testing.assert_array_equal(model.embed(["a", "b"]), [[1, 0], [1, 1]])
    assert model.usage.input_tokens == 2  # the bound: bytes


def test_concurrency_is_bounded(server):
    server.delay = 0.15
    model = embedder(server, batch_items=2, concurrency=3)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(model.embed, [TEXTS[:20], TEXTS[20:]]))
    assert server.most_running == 3


def test_dimensions_are_asked_for_and_checked(server):
    model = embedder(server, dimensions=3)
    model.embed(["a"])
    assert server.paid[0]["dimensions"] == 3
    server.vector = lambda text: [1.0, 2.0]
    with pytest.raises(EmbeddingError, match=r"vectors of length 3, got shape \(1, 2\)"):
        model.embed(["b"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (lambda rows: rows[:-1], "one vector for each of 3 texts, got 2"),
        (lambda rows: [rows[0], *rows[:2]], "number its vectors from 0 to 2"),
        (lambda rows: [{**row, "index": 7} for row in rows], "number its vectors"),
        (lambda rows: [{**rows[0], "embedding": [1.0]}, *rows[1:]], "vectors of one length"),
        (lambda rows: [{**rows[0], "embedding": [float("nan")] * 3}, *rows[1:]], "finite values"),
        (lambda rows: [{**rows[0], "embedding": [1e39] * 3}, *rows[1:]], "finite values"),
        (
            lambda rows: [{**rows[0], "embedding": ["x", "y", "z"]}, *rows[1:]],
            "vectors of one length",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_malformed_answers(server, rows, message):
    server.rows = rows
    with pytest.raises(EmbeddingError, match=message):
        embedder(server).embed(["a", "bb", "ccc"])


def test_lengths_must_agree_across_requests(server):
    server.vector = lambda text: [1.0] * len(text)
    with pytest.raises(EmbeddingError, match=r"vectors of one length, got \[1, 2\]"):
        embedder(server, batch_items=1).embed(["a", "bb"])


@pytest.mark.parametrize(
    "fault",
    [
        ("status", 429, {"Retry-After-Ms": "5"}, "slow down"),
        ("status", 500, {"Retry-After-Ms": "5"}, "oops"),
        ("status", 503, {"Retry-After-Ms": "5"}, "busy"),
        "cut",
        "half",
    ],
)
def test_passing_faults_are_passed_over(server, fault):
    server.faults.extend([fault])
    model = embedder(server)
    np.testing.assert_array_equal(model.embed(TEXTS), expected(TEXTS))
    assert len(server.requests) == 2
    assert model.usage.requests == len(server.paid) == 1


def test_retry_after_is_honoured(server):
    server.faults.append(("status", 429, {"Retry-After": "1.2"}, "slow down"))
    embedder(server).embed(["a"])
    first, second = server.times
    assert second - first >= 1.2  # the client's own back-off would be at most half a second


def test_a_long_retry_after_is_told_and_not_waited_for(server):
    server.faults.extend([("status", 429, {"Retry-After": "3600"}, "come back later")] * 2)
    with pytest.raises(
        RemoteError, match=r"come back later.*a wait of 3600 s: run again after that"
    ):
        embedder(server, max_retries=1).embed(["a"])
    assert server.times[-1] - server.times[0] < 60


def test_a_date_in_retry_after_is_understood(server):
    moment = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=3)
    date = format_datetime(moment, usegmt=True)
    server.faults.append(("status", 503, {"Retry-After": date}, "busy"))
    embedder(server).embed(["a"])
    assert len(server.times) == 2
    assert time.time() - time.monotonic() + server.times[1] >= moment.timestamp() - 0.1
    server.faults.extend([("status", 503, {"Retry-After": date}, "busy")] * 2)
    with pytest.raises(RemoteError, match=r"busy.*try again later"):
        embedder(server, max_retries=0).embed(["b"])


def test_a_slow_answer_times_out_and_is_asked_for_again(server):
    server.faults.append(("slow", 3.0))
    np.testing.assert_array_equal(embedder(server, timeout=1.5).embed(["a"]), expected(["a"]))
    assert len(server.requests) == 2
    server.faults.append(("slow", 1.0))
    with pytest.raises(
        RemoteError, match=r"did not answer within 0\.3 s, at the only try: raise timeout"
    ):
        embedder(server, timeout=0.3, max_retries=0).embed(["a"])


@pytest.mark.parametrize(
    ("fault", "message", "status"),
    [
        (
            ("status", 429, {"Retry-After-Ms": "5"}, "slow down"),
            r"slow down.*after 3 tries; lower concurrency",
            429,
        ),
        (
            ("status", 500, {"Retry-After-Ms": "5"}, "oops"),
            r"oops.*after 3 tries; try again later",
            500,
        ),
        (("status", 401, {}, "wrong key"), "wrong key.*check the key in OPENAI_API_KEY", 401),
        (("status", 404, {}, "no such model"), "no such model.*check model and options", 404),
        ("cut", "could not be reached, or cut the connection, after 3 tries", None),
        (("body", b"<html>"), "something else than JSON", None),
        (("body", b'{"data": []}'), None, None),
    ],
)
def test_lasting_faults(server, fault, message, status):
    server.faults.extend([fault] * 3)
    with pytest.raises((RemoteError, EmbeddingError), match=message) as found:
        embedder(server).embed(["a"])
    assert getattr(found.value, "status", None) == status
    assert found.value.__cause__ is None
    assert found.value.__context__ is None


def test_nobody_there():
    model = OpenAIEmbedder(base_url="http://127.0.0.1:9", max_retries=0)
    with pytest.raises(RemoteError, match="could not be reached"):
        model.embed(["a"])


def test_partial_failure_resumes(server):
    model = embedder(server, batch_items=5, concurrency=1, max_retries=0)
    server.faults.extend([None, None, ("status", 400, {}, "bad")])
    with pytest.raises(RemoteError, match="bad"):
        model.embed(TEXTS)
    assert len(server.paid) == 2
    np.testing.assert_array_equal(model.embed(TEXTS), expected(TEXTS))
    assert len(server.paid) == 8
    assert sum(len(request["input"]) for request in server.paid) == len(TEXTS)


def test_what_others_got_is_kept_when_one_fails(server):
    server.delay = 0.05
    server.faults.extend([None, ("status", 400, {}, "bad"), None])
    model = embedder(server, batch_items=2, concurrency=3, max_retries=0)
    with pytest.raises(RemoteError):
        model.embed(TEXTS[:6])
    model.embed(TEXTS[:6])
    assert sorted(text for request in server.paid for text in request["input"]) == sorted(TEXTS[:6])


def test_the_cache_on_disk(server, tmp_path):
    folder = tmp_path / "vectors"
    embedder(server, cache=folder).embed(TEXTS[:10])
    model = embedder(server, cache=folder)
    np.testing.assert_array_equal(model.embed(TEXTS[:12]), expected(TEXTS[:12]))
    assert [len(request["input"]) for request in server.paid] == [10, 2]
    assert model.usage.cached == 10
    embedder(server, cache=folder, dimensions=3).embed(TEXTS[:1])
    embedder(server, cache=folder, model="other").embed(TEXTS[:1])
    assert len(server.paid) == 4


def test_texts_are_sent_once_and_blank_ones_never(server):
    model = embedder(server)
    vectors = model.embed(["a", "", "a", " \n", "b", "\ud800"])
    assert server.paid[0]["input"] == ["a", "b", "?"]
    assert not vectors[[1, 3]].any()
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert model.embed([]).shape == (0, 1)
    assert model.embed(["", " "]).shape == (2, 1)


def test_max_cost_stops_before_the_request(server):
    model = embedder(
        server, batch_items=1, concurrency=1, max_cost=1e-6, prices={"text-embedding-3-small": 1.0}
    )
    with pytest.raises(BudgetError, match="was not sent"):
        model.embed(["a b", "c d", "e"])
    assert len(server.paid) == 0
    model = embedder(
        server, batch_items=1, concurrency=1, max_cost=5e-6, prices={"text-embedding-3-small": 1.0}
    )
    with pytest.raises(BudgetError):
        model.embed(["a b", "c d", "e f", "g h"])
    assert len(server.paid) == 2
    assert model.usage.cost <= 5e-6
    with pytest.raises(OptionError, match="max_cost needs the price of 'nameless'"):
        embedder(server, model="nameless", max_cost=1.0)


def test_it_plugs_into_a_chunker(server):
    server.vector = lambda text: hashed_words([text])[0].tolist()
    text = "The ship sails. The sea is wide.\n\nBread rises. The oven is hot. Yeast is alive."
    chunker = SemanticChunker(model=embedder(server), number_of_chunks=2)
    assert_tiles(text, chunker.chunk(text))
    assert len(server.paid) == 1
    assert server.paid[0]["input"][0] == "The ship sails."
    same = SemanticChunker(model=hashed_words, number_of_chunks=2)
    assert chunker.chunk(text) == same.chunk(text)


def test_a_name_is_enough(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    text = "The ship sails. The sea is wide. Bread rises."
    assert_tiles(text, SemanticChunker(model="openai:nomic-embed").chunk(text))
    assert server.paid[0]["model"] == "nomic-embed"


class Encoder:
    """As sentence-transformers and model2vec have it."""

    def encode(self, sentences, batch_size=32, show_progress_bar=None):
        assert isinstance(sentences, list)
        return hashed_words(sentences)


def test_objects_with_encode_plug_in():
    text = "The ship sails. The sea is wide. Bread rises."
    assert SemanticChunker(model=Encoder()).chunk(text) == SemanticChunker(
        model=hashed_words
    ).chunk(text)
    assert resolve(Encoder()).name == "Encoder"


def test_a_model2vec_model_plugs_in():
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    words = {word: i for i, word in enumerate(["[UNK]", "ship", "sea", "bread", "oven"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, "[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.array([[0.1, 0.1], [1, 0], [1, 0.1], [0, 1], [0.1, 1]], np.float32)
    model = model2vec.StaticModel(vectors, tokenizer)
    text = "ship sea. sea ship. ship ship. bread oven. oven bread. bread bread."
    chunks = SemanticChunker(model=model, number_of_chunks=2).chunk(text)
    assert [chunk.text for chunk in chunks] == [
        "ship sea. sea ship. ship ship. ",
        "bread oven. oven bread. bread bread.",
    ]


def test_options_and_a_missing_client(monkeypatch):
    with pytest.raises(OptionError, match="base_url must begin with http"):
        OpenAIEmbedder(base_url="localhost:80")
    with pytest.raises(OptionError, match="must hold no user, password"):
        OpenAIEmbedder(base_url="http://user:secret@host/v1")
    with pytest.raises(OptionError, match="name of an environment variable, not a key") as found:
        OpenAIEmbedder(api_key_env=KEY)
    assert KEY not in str(found.value)
    with pytest.raises(OptionError, match="model must be a string"):
        OpenAIEmbedder("")
    with pytest.raises(OptionError, match="cache must be"):
        OpenAIEmbedder(cache=3)
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(
        OptionError, match=r"OPENAI_API_KEY must hold the key for https://api\.openai\.com"
    ):
        OpenAIEmbedder().embed(["a"])
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"scission\[llm\]"):
        OpenAIEmbedder(base_url="http://127.0.0.1:9").embed(["a"])
