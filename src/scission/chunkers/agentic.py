"""Chunks that a language model finds: sections with a title and a summary."""

from __future__ import annotations

import os
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..chunks import ChunkBatch
from ..llm.asker import Asker
from ..llm.callables import resolve_chat
from ..llm.sections import Found, Window, find_sections, windows
from ..remote.ledger import Usage
from ..remote.parallel import in_parallel
from ..remote.prices import PriceTable
from ..text import Text, TextBuffer
from .assemble import spans_of, trimmed
from .base import Chunker
from .limits import Limits, default_minimum
from .measure import distances
from .placing import Placed, place
from .semantic import SemanticChunker
from .sentences import Sentences, whole_sentences
from .threshold import keep_limits
from .verdict import Decided, ThresholdVerdict

if TYPE_CHECKING:
    from ..explain import Explanation

#: Units in the blocks whose distances say where a section that is too long is cut.
_BLOCK = 3


class AgenticChunker(Chunker):
    """Let a language model say where sections begin, within hard limits of size.

    The model sees numbered sentences and answers with the numbers at which sections begin, a title and a summary
    of each; it is never asked for positions or for text. Whatever it answers, chunks are verbatim, tile the
    document and keep the limits: text in a document that gives the model orders can at worst move a
    boundary or word a title. Long documents go in windows with context on both sides.

    An answer that is out of order, repeats numbers or names some that do not exist is repaired; one that cannot
    be read is asked for again, and when `attempts` are used up, that stretch is cut as `SemanticChunker` would.

    Every chunk's metadata has ``boundary``, how it came to begin where it does: ``model``, ``fallback`` (with
    ``fallback_reason``), ``max_tokens``, or ``start`` (of the document, where the model named no section);
    and ``title`` and ``summary`` of the section that it begins in.

    Parameters
    ----------
    model : str, OpenAIChat or callable, default "gpt-4o-mini"
        A model's name at OpenAI (or ``OPENAI_BASE_URL``); an `OpenAIChat` for any other service; or a function,
        sync or async, from a list of messages (``{"role": …, "content": …}``) to the answer.
    min_tokens : int, optional
        No chunk is smaller, wherever `max_tokens` and the document allow it. By default 16, but at most an eighth of
        `max_tokens`.
    max_tokens : int, default 512
        No chunk is larger, ever. At least 4. A longer section is cut where the distance is largest.
    window_tokens : int, default 3000
        Tokens of the sentences that one request is about.
    context_sentences : int, default 5
        Sentences shown before and after them.
    attempts : int, default 3
        Times that a question is asked, at most.
    concurrency : int, default 4
        Requests at a time, however many threads ask.
    cache : bool or folder, default True
        Where answers are kept on disk, so that nothing is paid for twice and a run that was interrupted goes on where
        it was: the user's cache folder (or ``SCISSION_CACHE``), another, or None. By model, prompt and sentences.
    model_name : str, optional
        What a function is called in the cache; without it the answers of a function are not kept.
    max_cost : float, optional
        USD that all requests may cost; one that could exceed it is not sent, and `BudgetError` raised. A
        request that fails is not counted, even if the service should bill it.
    prices : mapping, optional
        Own prices: model to USD per million tokens (input, output).
    on_error : {"raise", "fallback"}, default "raise"
        What happens when the service fails for good.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the document.

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
    Sizes are counted in tokens of bert-base-uncased. The same answers give the same chunks; whether a model gives
    the same answer twice is its own affair, the cache does.
    """

    paid = True

    def __init__(
        self,
        *,
        model: Any = "gpt-4o-mini",
        min_tokens: int | None = None,
        max_tokens: int = 512,
        window_tokens: int = 3000,
        context_sentences: int = 5,
        attempts: int = 3,
        concurrency: int = 4,
        cache: bool | str | os.PathLike[str] | None = True,
        model_name: str | None = None,
        max_cost: float | None = None,
        prices: PriceTable | None = None,
        on_error: str = "raise",
        trim: bool = False,
    ) -> None:
        maximum = options.integer("max_tokens", max_tokens, 4)
        minimum = options.optional_integer("min_tokens", min_tokens, 0)
        if minimum is None:
            minimum = default_minimum(maximum, None)
        self._semantic = SemanticChunker(min_tokens=minimum, max_tokens=maximum)
        self._limits = Limits(minimum, maximum)
        self._window_tokens = options.integer("window_tokens", window_tokens, 1)
        self._context = options.integer("context_sentences", context_sentences, 0)
        self._concurrency = options.integer("concurrency", concurrency, 1)
        errors = options.choice("on_error", on_error, ("raise", "fallback"))
        self._keep_going = errors == "fallback"
        self._trim = options.flag("trim", trim)
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

    @property
    def _limit(self) -> int:
        return self._limits.max_tokens

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        return self._semantic._vectors(buffer)

    def explain(self, text: Text) -> Explanation:
        """Cut one document and say why: what the model said, what the limits made of it, distances and time.

        Parameters
        ----------
        text : str or bytes
            The document; bytes must be UTF-8.

        Returns
        -------
        Explanation
            The chunks that `chunk` returns, with why each gap between units was cut or not.
        """
        from ..explain.semantic import explain_agentic

        work, verdict, placed = self._decide(TextBuffer.from_texts([text]))
        chunks = list(self._assemble(work, verdict, placed, False))
        origins = [placed.origin(unit) for unit in range(len(verdict.cuts))]
        return explain_agentic(repr(self), work, chunks, self._limits, verdict, origins)

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        return self._assemble(*self._decide(buffer), embeddings)

    def _decide(self, buffer: TextBuffer) -> tuple[Decided, ThresholdVerdict, Placed]:
        work = self._semantic._decide(buffer)
        measured, fallback = work.measured, work.verdict.cuts
        began = perf_counter()
        sentences = whole_sentences(measured.group)
        parts = [
            window
            for document in range(len(buffer))
            for window in self._windows(sentences, document)
        ]
        found = in_parallel(lambda window: self._ask(window, sentences), parts, self._concurrency)
        asked = perf_counter()
        placed = place(measured, fallback, sentences, list(zip(parts, found, strict=True)))
        before = np.roll(distances(measured, "blocks", _BLOCK, False), 1)
        cuts = keep_limits(self._limits, measured, placed.begins, before)
        verdict = ThresholdVerdict(cuts, work.verdict.thresholds, before, before, placed.begins)
        seconds = {**work.seconds, "ask": asked - began, "limit": perf_counter() - asked}
        return replace(work, seconds=seconds), verdict, placed

    def _assemble(
        self, work: Decided, verdict: ThresholdVerdict, placed: Placed, embeddings: bool
    ) -> ChunkBatch:
        batch = self._semantic._assemble(replace(work, verdict=verdict), embeddings)
        spans = spans_of(verdict.cuts, work.measured.document_units)
        notes = [placed.note(int(a), int(b)) for a, b in zip(spans.first, spans.last, strict=True)]
        batch = replace(batch, chunk_metadata=notes)
        return trimmed(batch) if self._trim else batch

    def _windows(self, sentences: Sentences, document: int) -> list[Window]:
        first, last = sentences.document_sentences[document : document + 2]
        tokens = sentences.tokens[first:last].tolist()
        return windows(document, tokens, self._window_tokens, self._context)

    def _ask(self, window: Window, sentences: Sentences) -> Found:
        first, last = sentences.document_sentences[window.document : window.document + 2]
        return find_sections(self._asker, window, sentences.texts[first:last], self._keep_going)
