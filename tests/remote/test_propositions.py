"""Statements instead of text: their sources are checked and stay beside them."""

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import ChunkBatch, OpenAIChat, OptionError, PropositionChunker
from scission.errors import BudgetError, RemoteError
from tests.remote.test_agentic import ANSWERS, JSON
from tests.test_invariants import count, texts

TEXT = (
    "The ship left the harbour at dawn. It sailed north. The captain watched the sea.\n\n"
    "The baker kneads the dough. He lets it rise for 3 hours."
)
SENTENCES = [
    "The ship left the harbour at dawn.", "It sailed north.", "The captain watched the sea.",
    "The baker kneads the dough.", "He lets it rise for 3 hours.",
]  # fmt: skip


def answer(*statements):
    return json.dumps(
        {"propositions": [{"text": text, "sentences": ids} for text, ids in statements]}
    )


def rewriting(messages):
    """A model that repeats each sentence in other words."""
    lines = re.findall(r"(?m)^\[(\d+)\] (.*)$", messages[1]["content"])
    return answer(*[(f"It is said: {text}", [int(number)]) for number, text in lines])


def propositions(model, **options):
    return PropositionChunker(model=model, **{"cache": None, "passage_tokens": 40, **options})


def test_statements_keep_their_sources():
    chunks = propositions(rewriting).chunk(TEXT, metadata={"source": "a.txt"})
    assert [chunk.text for chunk in chunks] == [f"It is said: {sentence}" for sentence in SENTENCES]
    for chunk, sentence in zip(chunks, SENTENCES, strict=True):
        assert TEXT[chunk.start : chunk.end] == sentence == chunk.metadata["source_text"]
        assert chunk.metadata["rewritten"] is True
        assert chunk.metadata["source"] == "a.txt"
        assert chunk.metadata["source_spans"] == [[chunk.start, chunk.end]]
        assert chunk.token_count == count(chunk.text)
    assert [chunk.metadata["passage"] for chunk in chunks] == [0, 0, 0, 1, 1]
    assert [chunk.index for chunk in chunks] == [0, 1, 2, 3, 4]
    assert len({chunk.id for chunk in chunks}) == 5


def test_a_statement_may_have_several_sources():
    said = answer(("The ship sailed north at dawn.", [2, 1]), ("A captain watched.", [3]))

    def chat(messages):
        return said if "ship" in messages[1]["content"] else rewriting(messages)

    first, second, *_ = propositions(chat).chunk(TEXT)
    assert TEXT[first.start : first.end] == "The ship left the harbour at dawn. It sailed north."
    assert first.metadata["source_spans"] == [[0, 34], [35, 51]]
    assert second.text == "A captain watched."


def test_a_batch_is_written_with_its_own_texts():
    batch = propositions(rewriting).chunk_batch([TEXT, TEXT[:34]])
    assert batch.text(0) == batch[0].text == "It is said: The ship left the harbour at dawn."
    assert [chunk.text for chunk in batch] == [batch.text(i) for i in range(len(batch))]
    joined = ChunkBatch.concatenate([batch, propositions(rewriting).chunk_batch([TEXT])])
    assert joined.text(len(batch)) == batch.text(0)
    file = io.StringIO()
    batch.to_jsonl(file)
    rows = [json.loads(line) for line in file.getvalue().splitlines()]
    assert rows[5]["document"] == 1
    assert rows[5]["text"].startswith("It is said")
    assert rows[5]["metadata"]["source_text"] == SENTENCES[0]
    assert batch.take(batch.document.nonzero()[0])[0].text == rows[5]["text"]
    arrow = pytest.importorskip("pyarrow") and batch.to_arrow()
    assert arrow["text"].to_pylist() == [row["text"] for row in rows]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("no", "one JSON object"),
        ('{"propositions": []}', "at least one proposition"),
        (answer(("", [1])), '"text" and "sentences", numbers from 1 to 3'),
        (answer(("Fine.", [])), '"text" and "sentences"'),
        (answer(("Fine.", [9, -1, 0])), '"text" and "sentences"'),
        ('{"propositions": [{"text": "Fine.", "sentences": 1}]}', '"text" and "sentences"'),
        (answer(("word " * 50, [1])), "No statement may have more than"),
    ],
)
def test_answers_that_are_asked_for_again(said, complaint):
    calls = []

    def model(messages):
        calls.append(messages)
        return said if len(calls) == 1 else rewriting(messages)

    chunks = propositions(model, max_tokens=20, concurrency=1).chunk(TEXT)
    assert len(calls) == 3
    assert complaint in calls[1][3]["content"]
    assert all(chunk.metadata["rewritten"] for chunk in chunks)


def test_answers_that_are_repaired():
    def model(messages):
        if "ship" not in messages[1]["content"]:
            return rewriting(messages)
        return answer(("Same.", ["2", 77, 1.0]), ("Same.", [3]), ("Other.", ["[3]"]))

    chunks = propositions(model).chunk(TEXT)
    assert [chunk.text for chunk in chunks[:2]] == ["Same.", "Other."]
    assert TEXT[chunks[0].start : chunks[0].end] == " ".join(SENTENCES[:2])


def test_what_is_good_is_kept_at_the_last_try():
    said = answer(("Good.", [1]), ("", [2]), ("word " * 50, [2]))
    chunks = propositions(lambda messages: said, max_tokens=20).chunk(TEXT)
    assert [chunk.text for chunk in chunks] == ["Good.", "Good."]


def test_a_passage_without_an_answer_comes_back_verbatim():
    chunks = propositions(lambda messages: "no", max_tokens=8).chunk(TEXT)
    assert "".join(chunk.text for chunk in chunks) == TEXT
    for chunk in chunks:
        assert chunk.text == TEXT[chunk.start : chunk.end]
        assert chunk.metadata["rewritten"] is False
        assert chunk.metadata["fallback_reason"].startswith("no usable answer: The answer must be")
        assert chunk.token_count <= 8


PROPOSITIONS = st.builds(
    lambda rows: json.dumps({"propositions": rows}),
    st.lists(
        st.fixed_dictionaries(
            {
                "text": st.one_of(st.text(max_size=30), JSON),
                "sentences": st.lists(st.integers(-2, 9), max_size=4),
            }
        ),
        max_size=6,
    ),
)


@given(texts, st.lists(st.one_of(PROPOSITIONS, ANSWERS), min_size=1, max_size=3))
def test_whatever_is_answered_sources_are_real_and_sizes_hold(text, answers):
    turn = iter(range(10_000))

    def model(messages):
        return answers[next(turn) % len(answers)]

    chunks = propositions(model, max_tokens=16, attempts=2, concurrency=1).chunk(text)
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)
    for chunk in chunks:
        assert 0 <= chunk.start < chunk.end <= len(text)
        assert chunk.token_count == count(chunk.text) <= 16
        if chunk.metadata["rewritten"]:
            assert chunk.metadata["source_text"] == text[chunk.start : chunk.end]
            assert chunk.text.strip()
            for start, end in chunk.metadata["source_spans"]:
                assert chunk.start <= start < end <= chunk.end
        else:
            assert chunk.text == text[chunk.start : chunk.end]


def test_white_space_and_nothing_say_nothing():
    asked = []
    chunker = propositions(lambda messages: asked.append(1) or "no")
    assert chunker.chunk("") == []
    assert chunker.chunk(" \n\n ") == []
    assert asked == []


def test_the_real_client_with_a_budget_and_a_cache(server, tmp_path):
    server.chat = rewriting

    def chunk(**options):
        chat = OpenAIChat("gpt-4o-mini", base_url=server.url, max_retries=0)
        chunker = PropositionChunker(model=chat, cache=tmp_path, passage_tokens=40, **options)
        return chunker.chunk(TEXT), chunker.usage

    first, usage = chunk()
    again, saved = chunk()
    assert first == again
    assert (usage.requests, saved.requests, saved.cached) == (2, 0, 2)
    assert server.paid[0]["response_format"]["json_schema"]["name"] == "propositions"
    with pytest.raises(BudgetError):
        PropositionChunker(
            model=OpenAIChat("gpt-4o-mini", base_url=server.url), cache=None, max_cost=0.0
        ).chunk(TEXT)
    server.faults.extend([("status", 500, {}, "oops")] * 2)
    with pytest.raises(RemoteError):
        propositions(OpenAIChat("m", base_url=server.url, max_retries=0)).chunk(TEXT)
    server.faults.extend([("status", 500, {}, "oops")] * 2)
    kept = propositions(
        OpenAIChat("m", base_url=server.url, max_retries=0), on_error="fallback"
    ).chunk(TEXT)
    assert "".join(chunk.text for chunk in kept) == TEXT


def test_the_page_shows_every_statement_beside_its_source():
    def model(messages):
        return answer(("All of it.", [1, 2, 3]), ("Only <this>.", [2]))

    ships = TEXT.partition("\n")[0]
    html = propositions(model).explain(ships).to_html()
    assert html.count('class="label') == 1
    assert "<i>All of it.</i>" in html
    assert "<i>Only &lt;this&gt;.</i>" in html
    assert "".join(re.findall(r'class="u">([^<]*)<', html)) == ships


def test_vectors_are_refused():
    with pytest.raises(OptionError, match="embeddings must be False for a PropositionChunker"):
        propositions(rewriting).chunk_batch([TEXT], embeddings=True)
