"""From a model's answers about sentences to what is wanted of units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..llm.sections import Found, Section, Window
from .measure import Measured
from .sentences import Sentences


@dataclass(frozen=True, eq=False)
class Placed:
    """What the model, or in its stead the semantic chunker, wants.

    Attributes
    ----------
    begins : uint8[M]
        1 where a section or, in a stretch without an answer, a semantic chunk starts.
    sections : list of Section or None
        The section that each unit is in, where it is known.
    failures : list of str
        Why the stretch of each unit has no answer; "" where it has one.
    starts : set of int
        The units at which the model wants a section to begin.
    documents : frozenset of int
        The first unit of each document.
    """

    begins: NDArray[np.uint8]
    sections: list[Section | None]
    failures: list[str]
    starts: set[int]
    documents: frozenset[int]

    def origin(self, unit: int) -> str:
        """Return how a unit came to begin a chunk, if it does: a word, and an explanation after a colon."""
        section, failure = self.sections[unit], self.failures[unit]
        if unit in self.starts and section is not None:
            return f"model: a section begins here: {section.title or 'without a title'}"
        if failure:
            return f"fallback: the topic changes ({failure})"
        if section is None and unit in self.documents:
            return "start: the document begins, and the model named no section"
        return "max_tokens: the section goes on"

    def note(self, first: int, last: int) -> dict[str, Any]:
        """Return the metadata of the chunk of the units ``first <= i < last``."""
        notes: dict[str, Any] = {"boundary": self.origin(first).partition(":")[0]}
        section = self.sections[first]
        if section is not None and section.title:
            notes["title"] = section.title
        if section is not None and section.summary:
            notes["summary"] = section.summary
        reasons = [reason for reason in self.failures[first:last] if reason]
        if reasons:
            notes["fallback_reason"] = reasons[0]
        return notes


def place(
    measured: Measured,
    fallback: NDArray[np.uint8],
    sentences: Sentences,
    answers: Sequence[tuple[Window, Found]],
) -> Placed:
    """Turn answers about sentences into what is wanted of units.

    Parameters
    ----------
    measured : Measured
        The group.
    fallback : uint8[M]
        The semantic chunker's cuts, for stretches without an answer.
    sentences : Sentences
        Its sentences.
    answers : sequence of (Window, Found)
        In the order of the text.
    """
    count = len(measured.vectors)
    begins = np.zeros(count, np.uint8)
    documents = measured.document_units[:-1][np.diff(measured.document_units) > 0].tolist()
    begins[documents] = 1
    begins[measured.factors < 0.0] = 1  # inside a word: always cut
    sections: list[Section | None] = [None] * count
    failures = [""] * count
    starts: set[int] = set()
    current: Section | None = None
    for window, found in answers:
        before = int(sentences.document_sentences[window.document])
        first, last = (int(sentences.starts[before + i]) for i in (window.first, window.last))
        if window.first == 0:
            current = None
        if found.failure:
            begins[first:last] |= fallback[first:last]
            failures[first:last] = [found.failure] * (last - first)
            current = None
            continue
        named = {int(sentences.starts[before + s.start]): s for s in found.sections}
        begins[list(named)] = 1
        starts.update(named)
        for unit in range(first, last):
            current = named.get(unit, current)
            sections[unit] = current
    return Placed(begins, sections, failures, starts, frozenset(documents))
