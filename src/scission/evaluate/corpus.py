"""Documents with questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

from .tokenspans import TokenSpans


@dataclass(frozen=True)
class Reference:
    """A span of text that answers a question.

    Attributes
    ----------
    document : int
        The document's number in its corpus.
    start, end : int
        Code point offsets into it.
    copies : tuple of (int, int)
        Other spans of the same document that say the same.
    """

    document: int
    start: int
    end: int
    copies: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Question:
    """A question and where its answer is.

    Attributes
    ----------
    id : str
        Unlike that of any other question of the corpus.
    text : str
        The question.
    references : tuple of Reference
        The spans that answer it; may be empty when `relevant` is not.
    relevant : mapping of int to int
        Grades of the documents that answer it, above 0; those of the references are among them.
    """

    id: str
    text: str
    references: tuple[Reference, ...] = ()
    relevant: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with questions about them.

    Attributes
    ----------
    ids : list of str
        Name of each document.
    texts : list of str
        The documents.
    questions : list of Question
        The questions.
    """

    ids: list[str]
    texts: list[str]
    questions: list[Question]

    @cached_property
    def token_spans(self) -> TokenSpans:
        """The tokens of the documents."""
        return TokenSpans.of(self.texts)

    @cached_property
    def has_references(self) -> bool:
        """Whether any question says which spans answer it."""
        return any(question.references for question in self.questions)

    @cached_property
    def has_copies(self) -> bool:
        """Whether any reference occurs at several places."""
        return any(r.copies for question in self.questions for r in question.references)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of documents and questions."""
        content = blake2b(digest_size=16)
        for part in (*self.ids, *self.texts):
            encoded = part.encode("utf-8", "surrogatepass")
            content.update(len(encoded).to_bytes(8, "little") + encoded)
        for question in self.questions:
            relevant = sorted(question.relevant.items())
            content.update(
                repr((question.id, question.text, question.references, relevant)).encode()
            )
        return content.hexdigest()
