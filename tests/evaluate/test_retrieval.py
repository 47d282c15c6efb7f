"""Scores of retrieved chunks, worked by hand on a corpus whose tokens can be counted by eye."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission.evaluate import ChunkRanges, Corpus, Question, Reference, TokenSpans, score_retrieval
from scission.evaluate.retrieval import merge, within_budget
from tests.helpers import DATA, PLAIN, needs_data


def corpus_of(*questions, texts=("to be or not to be that is the question", "to be or not")):
    return Corpus([str(i) for i in range(len(texts))], list(texts), list(questions))


def test_token_spans_count_words():
    texts = ["to be or", "", "Grüße, not\nto", "é 日本"]
    spans = TokenSpans.of(texts)
    assert spans.tokens[:3].tolist() == [0, 3, 3]
    first, last = spans.ranges([0, 0, 0, 0], [0, 1, 2, 4], [2, 2, 3, 8])
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == [(0, 1), (0, 1), (1, 1), (1, 3)]
    words = spans.ranges([2], [7], [10])
    assert (words[1] - words[0]).tolist() == [1]
    assert (spans.ranges([3], [2], [4])[1] - spans.ranges([3], [2], [4])[0]).tolist() == [2]
    assert len(TokenSpans.of([])) == 0


@given(st.lists(st.text(max_size=30), max_size=5), st.data())
def test_token_spans_tile(texts, data):
    """Any two neighbouring spans share at most the token that lies across the cut."""
    spans = TokenSpans.of(texts)
    assert int(spans.tokens[-1]) == len(spans)
    for number, text in enumerate(texts):
        cut = data.draw(st.integers(0, len(text)))
        first, last = spans.ranges([number, number], [0, cut], [cut, len(text)])
        whole = spans.tokens[number + 1] - spans.tokens[number]
        assert whole <= (last - first).sum() <= whole + 1


def scored(question, chunks, order, texts=None, **options):
    """Retrieve `chunks`, (document, first, last) in tokens, in the given order."""
    corpus = corpus_of(question) if texts is None else corpus_of(question, texts=texts)
    vectors = np.eye(len(chunks), dtype=np.float32)
    query = np.zeros((1, len(chunks)), np.float32)
    query[0, list(order)] = np.linspace(1, 0.5, len(order))
    columns = [np.asarray(column, np.int64) for column in zip(*chunks, strict=True)]
    found = score_retrieval(corpus, ChunkRanges(*columns), vectors, query, **options)
    return {name: float(values[0]) for name, values in found.items()}


# "be or not" of the first document: tokens 1 to 3.
QUESTION = Question("q", "?", (Reference(0, 3, 12),), {0: 1})
CHUNKS = [(0, 0, 2), (0, 2, 5), (0, 5, 10), (1, 10, 14)]


def test_at_equal_k():
    scores = scored(QUESTION, CHUNKS, [3, 1, 0, 2], k=(1, 2, 3), budgets=())
    # The first chunk is of the other document.
    assert scores["recall@1"] == 0.0
    assert scores["mrr@10"] == 0.5
    assert scores["ndcg@10"] == pytest.approx(1 / math.log2(3))
    assert (scores["document_recall@1"], scores["document_recall@2"]) == (0.0, 1.0)
    # The second holds two of the three tokens, among seven retrieved.
    assert scores["recall@2"] == pytest.approx(2 / 3)
    assert scores["precision@2"] == pytest.approx(2 / 7)
    assert scores["iou@2"] == pytest.approx(2 / (3 + 7 - 2))
    assert scores["context_recall@2"] == 0.0
    assert scores["context_precision@2"] == pytest.approx(1 / 2)
    # With the third all are there.
    assert scores["recall@3"] == 1.0
    assert scores["context_recall@3"] == 1.0
    assert scores["context_precision@3"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert scores["chunk_mrr@10"] == 0.5


def test_at_an_equal_budget():
    scores = scored(QUESTION, CHUNKS, [1, 0, 2, 3], k=(1,), budgets=(1, 3, 4, 100))
    # The first token of the first chunk is "or".
    assert scores["recall@1t"] == pytest.approx(1 / 3)
    assert scores["precision@1t"] == 1.0
    assert scores["recall@3t"] == pytest.approx(2 / 3)
    # One more token is "to", which nobody asked for.
    assert scores["recall@4t"] == pytest.approx(2 / 3)
    assert scores["precision@4t"] == pytest.approx(2 / 4)
    assert scores["recall@100t"] == 1.0
    assert scores["precision@100t"] == pytest.approx(3 / 14)


def test_repeated_tokens_are_paid_for():
    overlapping = [(0, 0, 4), (0, 1, 5), (0, 5, 10)]
    scores = scored(QUESTION, overlapping, [0, 1, 2], k=(2,), budgets=(8,), texts=None)
    assert scores["recall@2"] == 1.0
    assert scores["precision@2"] == pytest.approx(3 / 8)
    assert scores["iou@2"] == pytest.approx(3 / (3 + 8 - 3))
    assert scores["recall@8t"] == 1.0


def test_any_copy():
    # "to" occurs twice: the annotated one is the first.
    question = Question("q", "?", (Reference(0, 0, 2, ((13, 15),)),), {0: 1})
    scores = scored(question, CHUNKS, [1, 2, 3, 0], k=(1,), budgets=(100,))
    assert scores["recall@1"] == 0.0
    assert scores["recall_any@1"] == 1.0
    assert scores["recall@100t"] == scores["recall_any@100t"] == 1.0


def test_a_question_about_documents_alone():
    scores = scored(Question("q", "?", (), {1: 2}), CHUNKS, [0, 3], k=(1,), budgets=(10,))
    assert set(scores) == {"ndcg@10", "mrr@10", "document_recall@1"}


def test_a_reference_without_tokens_is_not_scored():
    texts = ("a \u200b\u200b b", "c")
    question = Question("q", "?", (Reference(0, 2, 4),), {0: 1})
    scores = scored(question, [(0, 0, 2), (1, 2, 3)], [0, 1], texts=texts, k=(1,), budgets=())
    assert "recall@1" not in scores
    assert scores["ndcg@10"] == 1.0


def test_search_goes_as_deep_as_documents_and_budget_ask():
    """Of 60 chunks, 58 belong to the first document; the others must be found all the same."""
    chunks = [(0, i % 9, i % 9 + 1) for i in range(58)] + [(1, 10, 14), (2, 14, 18)]
    texts = ("to be or not to be that is the question", "to be or not", "to be or not")
    question = Question("q", "?", (Reference(0, 0, 2),), {2: 1})
    scores = scored(question, chunks, range(60), texts=texts, k=(1,), budgets=(61,))
    assert scores["mrr@10"] == pytest.approx(1 / 3)


ranges = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 9)).map(lambda p: (p[0], p[0] + p[1]))
)


@given(ranges, st.integers(0, 60))
def test_ranges(spans, budget):
    tokens = {t for first, last in spans for t in range(first, last)}
    merged = merge([span for span in spans if span[0] < span[1]])
    assert {t for first, last in merged for t in range(first, last)} == tokens
    assert all(a[1] < b[0] for a, b in zip(merged, merged[1:], strict=False))
    paid = within_budget(spans, budget)
    assert sum(last - first for first, last in paid) == min(budget, sum(b - a for a, b in spans))


@pytest.mark.skipif(PLAIN, reason="megabytes of text, and nothing here depends on how kernels run")
@needs_data
def test_chromas_corpora_hold_their_references():
    from scission.evaluate import load_corpus

    corpus = load_corpus(DATA / "chroma")
    references = [r for question in corpus.questions for r in question.references]
    columns = zip(*((r.document, r.start, r.end) for r in references), strict=True)
    first, last = corpus.token_spans.ranges(*columns)
    assert (first < last).all()
    assert len(corpus.questions) == 472
    assert corpus.has_copies
