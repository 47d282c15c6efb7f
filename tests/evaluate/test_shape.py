"""The shape of chunks, by hand."""

import math

import pytest

from scission.evaluate import Corpus, Question, Reference, Spans, measure_shape, sentence_spans
from scission.evaluate.shape import HISTOGRAM_EDGES

TEXT = "One two three. Four five six. Seven eight."
QUESTION = Question("q", "?", (Reference(0, 4, 7), Reference(0, 10, 20)), {0: 1})
CORPUS = Corpus(["a", "b"], [TEXT, "Nine ten."], [QUESTION])


def shape(*spans):
    return measure_shape(CORPUS, Spans.of(*zip(*spans, strict=True)))


def test_whole_sentences():
    found = shape((0, 0, 15), (0, 15, 42), (1, 0, 9))
    assert found.chunks == 3
    assert found.tokens_stored == 14
    assert found.overlap_cost == 1.0
    assert found.mean_tokens == pytest.approx(14 / 3)
    variance = (4**2 + 7**2 + 3**2) / 3 - (14 / 3) ** 2
    assert found.cv_tokens == pytest.approx(math.sqrt(variance) / (14 / 3))
    assert found.truncated_sentences == 0.0
    assert found.clean_endings == 1.0
    assert found.cut_references == 0.5  # [10, 20] lies across the cut at 15
    assert sum(found.histogram) == 3
    assert found.histogram[HISTOGRAM_EDGES.index(4)] == 1


def test_cut_sentences_and_overlap():
    found = shape((0, 0, 20), (0, 20, 42), (1, 0, 9))
    assert found.truncated_sentences == pytest.approx(1 / 4)
    assert found.clean_endings == pytest.approx(2 / 3)
    assert found.cut_references == 0.0
    # The overlapping chunk holds the sentence that the others cut.
    repaired = shape((0, 0, 20), (0, 15, 42), (1, 0, 9))
    assert repaired.truncated_sentences == 0.0
    assert repaired.overlap_cost == pytest.approx(15 / 14)
    # Order does not matter, nor does white space at the end of a chunk.
    assert shape((1, 0, 9), (0, 15, 42), (0, 0, 20)) == repaired


def test_a_chunk_of_another_document_holds_nothing():
    found = shape((0, 0, 42))
    assert found.truncated_sentences == pytest.approx(1 / 4)


def test_no_chunks_and_no_references():
    found = measure_shape(Corpus(["a"], ["One."], []), Spans.of([], [], []))
    assert (found.chunks, found.mean_tokens, found.truncated_sentences) == (0, 0.0, 1.0)
    assert math.isnan(found.cut_references)


def test_sentences():
    spans = sentence_spans([TEXT, "", "Nine ten."])
    assert spans.document.tolist() == [0, 0, 0, 2]
    assert TEXT[spans.start[0] : spans.end[0]] == "One two three."
