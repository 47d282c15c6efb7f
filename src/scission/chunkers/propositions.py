"""Self-contained statements instead of pieces of text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..chunks import ChunkBatch
from ..errors import BudgetError, OptionError, RemoteError
from ..llm.answers import AnswerError
from ..llm.asker import Asker
from ..llm.callables import resolve_chat
from ..llm.statements import find_statements
from ..remote.ledger import Usage
from ..remote.parallel import in_parallel
from ..remote.prices import PriceTable
from ..text import TextBuffer
from ..tokens import default_vocabulary, whole_counts, whole_sizes
from ..units import split_sentences
from .base import Chunker
from .semantic import SemanticChunker


class PropositionChunker(Chunker):
    """Let a language model rewrite a document as statements that each stand by themselves.

    The document is cut into passages (by `SemanticChunker`); each becomes statements, every one of which names the
    sentences that it is drawn from. Those are checked; whether a statement says what they say is not, so
    that its source stays beside it.

    A chunk's ``text`` is the statement, ``start`` and ``end`` are the span from its first source sentence to its last;
    ``text`` is not ``document[start:end]``. Its metadata has ``rewritten`` (True), ``source_text`` (that span,
    verbatim), ``source_spans`` (the (start, end) of each source sentence) and ``passage`` (its number in the
    document). Sentences that no statement is drawn from are in no chunk.

    A passage without a usable answer is given back verbatim, in chunks within `max_tokens`, with ``rewritten`` False
    and ``fallback_reason``.

    Parameters
    ----------
    model : str, OpenAIChat or callable, default "gpt-4o-mini"
        As for `AgenticChunker`.
    max_tokens : int, default 128
        No statement is longer. At least 4.
    passage_tokens : int, default 400
        No passage is longer.
    attempts, concurrency, cache, model_name, max_cost, prices, on_error
        As for `AgenticChunker`.

    Raises
    ------
    OptionError
        An option is out of its range, or two do not go together.
    RemoteError
        While chunking: the service failed for good.
    BudgetError
        While chunking: the next request could exceed `max_cost`.

    Notes
    -----
    Propositions as units of retrieval: Chen et al., "Dense X Retrieval", EMNLP 2024.
    """

    paid = True

    def __init__(
        self,
        *,
        model: Any = "gpt-4o-mini",
        max_tokens: int = 128,
        passage_tokens: int = 400,
        attempts: int = 3,
        concurrency: int = 4,
        cache: bool | str | os.PathLike[str] | None = True,
        model_name: str | None = None,
        max_cost: float | None = None,
        prices: PriceTable | None = None,
        on_error: str = "raise",
    ) -> None:
        self._max_tokens = options.integer("max_tokens", max_tokens, 4)
        self._passages = SemanticChunker(
            max_tokens=options.integer("passage_tokens", passage_tokens, 4)
        )
        self._verbatim = SemanticChunker(max_tokens=self._max_tokens)
        self._concurrency = options.integer("concurrency", concurrency, 1)
        errors = options.choice("on_error", on_error, ("raise", "fallback"))
        self._keep_going = errors == "fallback"
        self._asker = Asker(
            resolve_chat(model, model_name),
            cache=cache,
            attempts=attempts,
            concurrency=self._concurrency,
            max_cost=max_cost,
            prices=prices,
        )

    @property
    def usage(self) -> Usage:
        """Requests, tokens and cost so far."""
        return self._asker.usage

    @property
    def _parallel(self) -> bool:
        return False  # requests are: `concurrency`

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        if embeddings:
            raise OptionError(
                "embeddings must be False for a PropositionChunker, got True: statements are new text, embed them"
            )
        batch = self._passages._chunk_group(buffer, False)
        passages = [
            _Passage(int(document), int(start), int(index), batch.text(i))
            for i, (document, start, index) in enumerate(
                zip(batch.document, batch.start, batch.index, strict=True)
            )
        ]
        pieces = in_parallel(self._rewritten, passages, self._concurrency)
        return _batch(buffer, [piece for part in pieces for piece in part])

    def _rewritten(self, passage: _Passage) -> list[_Piece]:
        """Return the statements of a passage, or the passage itself."""
        spans = split_sentences(passage.text)
        if not spans:  # white space alone says nothing
            return []
        sentences = [passage.text[start:end] for start, end in spans]
        try:
            found = find_statements(self._asker, sentences, _token_counts, self._max_tokens)
        except BudgetError:
            raise
        except AnswerError as error:
            return self._kept(passage, f"no usable answer: {error}")
        except RemoteError as error:
            if self._keep_going:
                return self._kept(passage, str(error))
            raise
        pieces = []
        for statement in found:
            sources = [spans[i] for i in statement.sentences]
            notes = {
                "rewritten": True,
                "source_text": passage.text[sources[0][0] : sources[-1][1]],
                "source_spans": [[passage.start + a, passage.start + b] for a, b in sources],
                "passage": passage.index,
            }
            pieces.append(passage.piece(statement.text, sources[0][0], sources[-1][1], notes))
        return sorted(pieces, key=lambda piece: (piece.start, piece.end))

    def _kept(self, passage: _Passage, reason: str) -> list[_Piece]:
        """Return a passage verbatim."""
        notes = {"rewritten": False, "passage": passage.index, "fallback_reason": reason}
        return [
            passage.piece(chunk.text, chunk.start, chunk.end, notes)
            for chunk in self._verbatim.chunk(passage.text)
        ]


@dataclass(frozen=True)
class _Piece:
    """A chunk to be: its text, and the span that it stands for."""

    text: str
    document: int
    start: int
    end: int
    notes: dict[str, Any]


@dataclass(frozen=True)
class _Passage:
    """A passage of a document of the group, from `start` on, the `index`-th there."""

    document: int
    start: int
    index: int
    text: str

    def piece(self, text: str, start: int, end: int, notes: dict[str, Any]) -> _Piece:
        """Return a piece of this passage; offsets count in it."""
        return _Piece(text, self.document, self.start + start, self.start + end, notes)


def _token_counts(texts: Sequence[str]) -> list[int]:
    """Count tokens of each text, as sizes are counted everywhere."""
    counts: list[int] = whole_sizes(TextBuffer.from_texts(texts), default_vocabulary()).tolist()
    return counts


def _batch(buffer: TextBuffer, pieces: Sequence[_Piece]) -> ChunkBatch:
    def column(name: str) -> NDArray[np.int64]:
        return np.array([getattr(piece, name) for piece in pieces], np.int64)

    texts = [piece.text for piece in pieces]
    counts = np.zeros(0, np.int32)
    if texts:
        counts = whole_counts(TextBuffer.from_texts(texts), default_vocabulary())
    return ChunkBatch(
        texts=buffer.texts,
        document=column("document"),
        start=column("start"),
        end=column("end"),
        token_count=counts,
        distance=np.full(len(pieces), np.nan, np.float32),
        chunk_metadata=[piece.notes for piece in pieces],
        contents=texts,
    )
