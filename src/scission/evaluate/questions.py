"""Checking questions against the documents they are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .corpus import Question, Reference
from .records import Record


class Builder:
    """Gathers documents, then questions, and refuses what does not fit together."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.texts: list[str] = []
        self.questions: list[Question] = []
        self._numbers: dict[str, int] = {}
        self._asked: set[str] = set()

    def add_document(self, name: str, text: str, record: Record | None = None) -> None:
        """Take a document; `record` is where it comes from when it is one line of many."""
        if name in self._numbers and record is not None:
            raise record.error(f"document {name!r} is there twice")
        self._numbers[name] = len(self.ids)
        self.ids.append(name)
        self.texts.append(text)

    def number(self, record: Record, name: str) -> int:
        """Return the number of a document."""
        if name not in self._numbers:
            raise record.error(
                f"there is no document {name!r} among the {len(self.ids):,} of the corpus"
            )
        return self._numbers[name]

    def add_question(
        self,
        record: Record,
        name: str,
        text: str,
        references: Sequence[Reference],
        relevant: dict[int, int],
    ) -> None:
        """Take a question that has an answer."""
        if name in self._asked:
            raise record.error(f"question {name!r} is there twice")
        self._asked.add(name)
        grades = {document: grade for document, grade in relevant.items() if grade > 0}
        for reference in references:
            grades.setdefault(reference.document, 1)
        if not grades:
            raise record.error(
                f"question {name!r} has no reference and no relevant document: nothing can be measured by it; "
                'remove the line, or mark it "impossible": true'
            )
        self.questions.append(Question(name, text, tuple(references), grades))

    def reference(
        self, record: Record, document: int, start: Any, end: Any, text: Any, copies: Sequence[Any]
    ) -> Reference:
        """Check a span against its document, or find it by its text."""
        if start is None and end is None and isinstance(text, str) and text.strip():
            return self._found(record, document, text)
        first, last = self._span(record, document, (start, end))
        if isinstance(text, str) and self.texts[document][first:last] != text:
            raise record.error(
                f"a reference's text must be document[{first}:{last}] of {self.ids[document]!r}, which is "
                f"{self.texts[document][first:last]!r:.60}, got {text!r:.60}: offsets count code points"
            )
        spans = tuple(self._span(record, document, copy) for copy in copies)
        return Reference(document, first, last, tuple(s for s in spans if s != (first, last)))

    def _found(self, record: Record, document: int, text: str) -> Reference:
        """Find a reference that came without offsets; further occurrences are copies."""
        whole = self.texts[document]
        places = []
        at = whole.find(text)
        while at >= 0:
            places.append((at, at + len(text)))
            at = whole.find(text, at + len(text))
        if not places:
            raise record.error(
                f"a reference must occur verbatim in {self.ids[document]!r}, got {text!r:.80}"
            )
        return Reference(document, *places[0], tuple(places[1:]))

    def _span(self, record: Record, document: int, span: Any) -> tuple[int, int]:
        length = len(self.texts[document])
        if not isinstance(span, list | tuple) or len(span) != 2:
            raise record.error(f"a span must be [start, end], got {span!r:.80}")
        start, end = span
        if not (type(start) is int and type(end) is int and 0 <= start < end <= length):
            raise record.error(
                f"a reference's span must lie in [0, {length}] of {self.ids[document]!r} and not be empty, "
                f"got [{start!r}, {end!r}]"
            )
        if not self.texts[document][start:end].strip():
            raise record.error(
                f"a reference must not be blank, got [{start}, {end}] of {self.ids[document]!r}"
            )
        return start, end
