"""The comparison with other libraries judges fairly: these are its judges, not the libraries."""

import pytest
from bench.peers import table
from bench.peers.case import Piece, batch
from bench.peers.checks import Quality, quality
from bench.peers.quality import boundaries

import scission


def test_boundaries_count_for_the_nearest_end_of_a_sentence():
    sentences = ["one two.", "three.", "four five six."]
    assert boundaries(sentences, ["one two. three.", "four five six."]) == [1]
    assert boundaries(sentences, ["one two. thr", "ee. four five six."]) == [1]
    assert boundaries(sentences, ["one two. t", "hree. four five six."]) == [0]
    assert boundaries(sentences, [sentence + " " for sentence in sentences]) == [0, 1]
    assert boundaries(sentences, ["one two. three. four five six."]) == []
    assert boundaries(sentences, ["one two. three. four five six", "."]) == []


def test_quality_sees_what_is_lost_misplaced_or_too_large():
    texts = ["abc def", "ghi jkl"]
    good = [[Piece("abc ", 0), Piece("def", 4)], [Piece("ghi jkl", 0)]]
    found = quality(texts, good, 4, len)
    assert found == Quality(
        lossless=1.0, kept=1.0, exact=1.0, over=1 / 3, mean_size=14 / 3, chunks=3
    )
    bad = [[Piece("abc", 1), Piece("def", 4)], [Piece("ghi", 0)]]
    found = quality(texts, bad, None, len)
    assert (found.lossless, found.kept, found.over) == (0.0, 0.5, 0.0)
    assert found.exact == pytest.approx(2 / 3)
    assert quality(texts, [[Piece("abc def")], [Piece("ghi jkl")]], None, len).exact is None


def test_faults_name_what_makes_speeds_incomparable():
    reference = Quality(1.0, 1.0, 1.0, 0.0, 100.0, 10)
    assert reference.faults(reference) == []
    worse = Quality(0.0, 0.5, None, 0.2, 300.0, 10)
    assert worse.faults(reference) == [
        "loses or repeats text in 50% of documents",
        "20% of chunks above the limit",
        "mean size 300 against 100",
    ]


def test_batches_are_read_document_by_document():
    texts = ["One. Two.", "", "Three."]
    found = batch(scission.SemanticChunker().chunk_batch(texts))
    assert ["".join(piece.text for piece in pieces) for pieces in found] == texts


def test_tables_keep_the_rows_that_scission_loses():
    row = {
        "name": "other", "version": "1", "speed": 123.4, "times_slower": 0.5, "mean_size": 10.0,
        "lossless": 0.5, "exact": None, "over": 0.0, "faults": ["mean size 10 against 30"],
    }  # fmt: skip
    text = table.tables({"python": "3", "tasks": [{"title": "split", "rows": [row]}]})
    assert "| other 1 | 123 | 0.50 x | 10 | 50% | none | 0% | mean size 10 against 30 |" in text
    rows = [{"name": "a", "version": "2", "pk": {"x": 10.04}, "cuts_per_gold": {"x": 1.0}}]
    assert "| a 2 | 10.0 (1.00) |" in table.quality_table({"model": "m", "rows": rows})
