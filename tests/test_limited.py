"""Fixed and recursive chunkers: sizes, separators, overlap, tokenizers, and what they refuse."""

import pytest

import scission
from scission import FixedChunker, OptionError, RecursiveChunker


def pieces(chunker, text):
    return [chunk.text for chunk in chunker.chunk(text)]


def test_a_section_survives_under_a_limit_that_holds_it_and_is_cut_under_one_that_does_not():
    section = ("The ship left the harbour. " * 48)[:1276] + "\n"
    text = f"{section}\n{section}\n{section}"
    for limit in (1300, 1500):
        assert pieces(RecursiveChunker(max_characters=limit), text) == [section + "\n", section + "\n", section]
    cut = pieces(RecursiveChunker(max_characters=700), text)
    assert max(map(len, cut)) <= 700
    assert section not in "".join(cut[:1])
    assert len(cut) > 3
