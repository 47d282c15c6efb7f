"""Chunks that end where the topic changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import options
from ..chunks import ChunkBatch
from ..embed.protocol import UnitEmbedder
from ..embed.registry import resolve
from ..errors import OptionError
from ..group import Group
from ..text import Text, TextBuffer, buffers
from ..tokens import fit_units, tokenize, whole_counts, whole_sizes
from ..units import Splitter, check_splitter, find_units, from_sentences, split_by
from .assemble import Spans, assemble, overlapped, spans_of
from .base import GROUP_BYTES, Chunker
from .breakpoints import THRESHOLDS
from .limits import UNLIMITED, Limits, default_minimum
from .measure import Measured, measure, seams
from .partition import PartitionRule
from .threshold import ThresholdRule
from .verdict import Decided

if TYPE_CHECKING:
    from ..explain import Explanation

_PARTITION = "partition"


class SemanticChunker(Chunker):
    """Cut where the topic changes, within hard limits of size.

    The document is taken apart into sentences and blocks; each gets a vector; cuts are placed by the optimal
    partition of the document into coherent segments, or where the distance between neighbours
    exceeds a threshold.

    Parameters
    ----------
    model : str, path, callable or object, default "minilm-static"
        Where vectors come from: the model inside the package; a known transformer by name
        (``"bge-small-en-v1.5"``, ``"all-MiniLM-L6-v2"``, see ``scission models list``); the folder of a distilled
        model, or of a transformer of the BERT family (`scission.embed.onnx`); ``openai:`` and the name of a model
        behind an OpenAI-compatible service; a function from a list of texts to an (n, d) array; an object with
        ``embed`` (`OpenAIEmbedder`), ``embed_documents`` (LangChain) or ``encode`` (sentence-transformers, model2vec).
        A model of your own must give a text the same vector whatever comes with it, or the chunks depend on the batch.
    breakpoints : str, default "partition"
        How cuts are found. ``"partition"``: the partition that minimises the scatter within segments, plus a
        penalty per cut that depends on the structure of the text, plus a term for sizes when
        `target_tokens` is given (`scission.kernels.partition`). The others cut where a distance exceeds a threshold:
        ``"percentile"`` of the document's distances, ``"standard_deviation"`` (mean + amount·σ),
        ``"interquartile"`` (mean + amount·IQR), ``"gradient"`` (percentile of the rise of the distances), or
        ``"absolute"`` (where the cosine similarity falls below the amount).
    amount : float, optional
        The parameter of `breakpoints`. Of a partition, the penalty of a cut in units of the document's variance; by
        default 1.4 (transformers 1.5), more in long documents. Otherwise a percentile (90), a number of standard
        deviations (1; none of n distances lies more than √(n - 1) of them above the mean) or of interquartile
        ranges (1.5), or a similarity (0.75).
    distances : {"blocks", "windows"}, default "blocks"
        What the distance at a gap compares: the `buffer_size` units before it with those after it, or the
        overlapping windows of ±`buffer_size` units around the two neighbours. With blocks, thresholds cut at
        local maxima only.
    buffer_size : int, default 3
        Units in a block, or on each side of a window.
    embed : {"sentences", "windows"}, default "sentences"
        Whether the model reads each unit once, or the joined text of each window of ±`buffer_size`
        (``2 * buffer_size + 1`` times the work).
    min_tokens : int, optional
        No chunk is smaller, wherever `max_tokens` and the document allow it. By default 16 for a partition,
        which keeps a lonely line with its neighbours (Chroma's set, 800 retrieved tokens: recall 74.9, 74.6
        without, s.e. 1.4), but at most an eighth of `max_tokens` and a quarter of `target_tokens`; 0
        for thresholds and with `number_of_chunks`.
    max_tokens : int or None, default 512
        No chunk is larger, ever; None for no limit. At least 4. Nor does a chunk hold more than 32 bytes for each
        token of the limit (BERT counts a word of over 100 characters as a single token).
    target_tokens : int, optional
        Wanted mean size of the chunks of each document; partition only. Without it topics alone decide.
    number_of_chunks : int, optional
        Wanted number of chunks of each document; met wherever the limits allow.
    overlap_sentences : int, default 0
        Units that each chunk repeats from the one before it, as far as `max_tokens` allows.
    context_weight : float, default 0.5
        Share of the neighbourhood in chunk vectors; 0 for plain pooling.
    context_tokens : int, default 256
        Tokens of the neighbourhood, half of them on each side of the chunk.
    splitter : callable, optional
        Your own sentence splitter: from a text to its sentences, verbatim and in order, or to their
        (start, end) spans.
    chunk_vectors : {"pooled", "encoded"}, default "pooled"
        Whether a chunk's vector is pooled from its units' vectors, which costs nothing, or the model reads the
        chunk once more.
    precision : {"fp32", "fp16", "int8"}, optional
        Of a transformer's arithmetic; by default what suits the device.
    device : {"auto", "cpu", "cuda", "coreml"}, optional
        Where a transformer runs; by default on CUDA where that works, else on the CPU.
    threads : int, optional
        Cores that a transformer uses, whoever calls; by default all. The `threads` of `chunk_batch` count the
        groups of documents that are worked on at once.
    fallback : str, optional
        ``"minilm-static"``: take the model inside the package, with a warning, when `model` cannot be had.
        Without it that is an error.
    trim : bool, default False
        Whether to take white space off both ends of the chunks; they then no longer tile the document.

    Raises
    ------
    OptionError
        An option is out of its range, or two do not go together.
    ModelError
        The model cannot be found or read.

    Notes
    -----
    Sizes are counted in tokens of bert-base-uncased, without special tokens. A document of one or two units stays
    whole unless a limit or `number_of_chunks` wants otherwise.
    """

    def __init__(
        self,
        *,
        model: Any = "minilm-static",
        breakpoints: str = _PARTITION,
        amount: float | None = None,
        distances: str = "blocks",
        buffer_size: int = 3,
        embed: str = "sentences",
        min_tokens: int | None = None,
        max_tokens: int | None = 512,
        target_tokens: int | None = None,
        number_of_chunks: int | None = None,
        overlap_sentences: int = 0,
        context_weight: float = 0.5,
        context_tokens: int = 256,
        splitter: Splitter | None = None,
        chunk_vectors: str = "pooled",
        precision: str | None = None,
        device: str | None = None,
        threads: int | None = None,
        fallback: str | None = None,
        trim: bool = False,
    ) -> None:
        kind = options.choice("breakpoints", breakpoints, (_PARTITION, *THRESHOLDS))
        form = options.choice("distances", distances, ("blocks", "windows"))
        self._buffer_size = options.integer("buffer_size", buffer_size, 1)
        joined = options.choice("embed", embed, ("sentences", "windows")) == "windows"
        self._windows = self._buffer_size if joined else 0
        target = options.optional_integer("target_tokens", target_tokens, 1)
        maximum = options.optional_integer("max_tokens", max_tokens, 4)
        number = options.optional_integer("number_of_chunks", number_of_chunks, 1)
        minimum = options.optional_integer("min_tokens", min_tokens, 0)
        if minimum is None:
            alone = kind == _PARTITION and number is None
            minimum = default_minimum(maximum, target) if alone else 0
        self._limits = Limits(minimum, UNLIMITED if maximum is None else maximum, number or 0)
        _check_sizes(self._limits, target, kind)
        self._overlap = options.integer("overlap_sentences", overlap_sentences, 0)
        self._context_weight = options.number("context_weight", context_weight, 0.0)
        self._context_tokens = options.integer("context_tokens", context_tokens, 0)
        self._encoded = (
            options.choice("chunk_vectors", chunk_vectors, ("pooled", "encoded")) == "encoded"
        )
        self._splitter = check_splitter(splitter)
        self._trim = options.flag("trim", trim)
        value = _checked_amount(kind, amount)
        self._embedder: UnitEmbedder = resolve(
            model, precision=precision, device=device, threads=threads, fallback=fallback
        )
        self._rule: PartitionRule | ThresholdRule
        if value is None or kind == _PARTITION:
            penalties = self._embedder.penalties
            self._rule = PartitionRule(self._limits, target or 0, value, penalties)
        else:
            self._rule = ThresholdRule(self._limits, kind, value, form, self._buffer_size, joined)

    @classmethod
    def reference(cls, **changes: Any) -> SemanticChunker:
        """Return the textbook's chunker: joined windows of ±1 sentence, percentile 90, no limits.

        It is here to compare with. Distances of overlapping windows put most cuts one sentence off, and
        chunks without a size limit make retrieval worse than plain splitting.

        Parameters
        ----------
        **changes
            Options that replace those of the textbook.
        """
        textbook: dict[str, Any] = {
            "breakpoints": "percentile",
            "amount": 90.0,
            "distances": "windows",
            "buffer_size": 1,
            "embed": "windows",
            "max_tokens": None,
            "context_weight": 0.0,
        }
        return cls(**{**textbook, **changes})

    def fit(self, texts: Iterable[Text]) -> SemanticChunker:
        """Find the threshold, or the penalty, from a corpus instead of from each document.

        With a threshold kind, the statistic is taken over the distances of all documents. With a partition, the
        penalty is bisected until the mean size over the corpus is `target_tokens`; documents about many
        things then get more chunks than documents about one.

        Parameters
        ----------
        texts : iterable of str or bytes
            The corpus, or a sample of it.

        Returns
        -------
        SemanticChunker
            This chunker; `fitted` is the value.

        Raises
        ------
        OptionError
            A partition without `target_tokens`, a given `number_of_chunks`, or a corpus in which
            there is nothing to cut.
        """
        if self._limits.number:
            raise OptionError(
                "fit has no use for number_of_chunks, which each document meets alone"
            )
        groups = [self._measure(self._group(buffer)) for buffer in buffers(texts, GROUP_BYTES)]
        self._rule = self._rule.fitted(groups)
        return self

    @property
    def fitted(self) -> float | None:
        """The threshold or penalty that holds for every document, when it was fitted or given."""
        return self._rule.penalty if isinstance(self._rule, PartitionRule) else self._rule.threshold

    def breakpoints(self, sentences: Sequence[str]) -> list[int]:
        """Cut a list of ready-made sentences.

        Parameters
        ----------
        sentences : sequence of str
            The sentences of one document.

        Returns
        -------
        list of int
            ``i`` means: cut after sentence ``i``. The limits of size hold, but a sentence is never cut.
        """
        if isinstance(sentences, str):
            raise OptionError("sentences must be a list of strings, got one str")
        buffer, units = from_sentences(list(sentences))
        group = Group(buffer, units, tokenize(buffer, units, self._embedder.vocabulary))
        cuts = self._rule.decide(self._measure(group)).cuts
        return [int(i) - 1 for i in np.flatnonzero(cuts) if i > 0]

    @property
    def _parallel(self) -> bool:
        return self._embedder.parallel

    def explain(self, text: Text) -> Explanation:
        """Cut one document and say why: distances, threshold or gains, cuts, sizes and time.

        Parameters
        ----------
        text : str or bytes
            The document; bytes must be UTF-8.

        Returns
        -------
        Explanation
            The chunks that `chunk` returns, with what each gap between units was decided by.
        """
        from ..explain.semantic import explain

        work = self._decide(TextBuffer.from_texts([text]))
        chunks = list(self._assemble(work, False))
        return explain(repr(self), work, chunks, self._rule, self._buffer_size)

    @property
    def _limit(self) -> int:
        return self._limits.max_tokens

    @property
    def _trims(self) -> bool:
        return self._trim

    def _sizes(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return whole_sizes(buffer, self._embedder.vocabulary)

    def _counts(self, buffer: TextBuffer) -> NDArray[np.int32]:
        return whole_counts(buffer, self._embedder.vocabulary)

    def _vectors(self, buffer: TextBuffer) -> NDArray[np.float32]:
        measured = self._measure(self._group(buffer))
        units = measured.document_units
        whole = Spans(units[:-1].copy(), units[1:].copy(), np.arange(len(buffer), dtype=np.int32))
        return self._chunk_vectors(measured, whole)

    def _chunk_group(self, buffer: TextBuffer, embeddings: bool) -> ChunkBatch:
        return self._assemble(self._decide(buffer), embeddings)

    def _decide(self, buffer: TextBuffer) -> Decided:
        times = [perf_counter()]
        group = self._group(buffer)
        times.append(perf_counter())
        measured = self._measure(group)
        times.append(perf_counter())
        verdict = self._rule.decide(measured)
        times.append(perf_counter())
        split, embed, cut = (late - early for early, late in zip(times, times[1:], strict=False))
        return Decided(measured, verdict, {"split": split, "embed": embed, "cut": cut})

    def _assemble(self, work: Decided, embeddings: bool) -> ChunkBatch:
        measured, cuts = work.measured, work.verdict.cuts
        group = measured.group
        spans = spans_of(cuts, measured.document_units)
        if self._overlap:
            limit = self._limits.max_tokens
            spans = overlapped(spans, group.units, measured.sizes, self._overlap, limit)
        vectors = self._chunk_vectors(measured, spans) if embeddings else None
        return assemble(group, spans, seams(measured, cuts, self._buffer_size), vectors, self._trim)

    def _group(self, buffer: TextBuffer) -> Group:
        units = find_units(buffer) if self._splitter is None else split_by(buffer, self._splitter)
        vocabulary = self._embedder.vocabulary
        return Group(buffer, *fit_units(buffer, units, vocabulary, self._limits.max_tokens))

    def _measure(self, group: Group) -> Measured:
        return measure(group, self._embedder, self._windows)

    def _chunk_vectors(self, measured: Measured, spans: Spans) -> NDArray[np.float32]:
        from ..kernels import pooling

        out = np.empty((len(spans.first), measured.vectors.shape[1]), np.float32)
        encoded = np.empty((0, out.shape[1]), np.float32)
        if self._encoded:
            encoded = self._embedder.embed_spans(measured.group, spans.first, spans.last)
        pooling.chunk_vectors(
            measured.vectors,
            measured.group.tokens.counts,
            measured.document_units,
            spans.first,
            spans.last,
            spans.document,
            encoded,
            self._context_weight,
            self._context_tokens,
            out,
        )
        return out


def _checked_amount(kind: str, amount: float | None) -> float | None:
    """Return the parameter of a kind of breakpoints; None for the default penalty of a partition."""
    if kind == _PARTITION:
        return None if amount is None else options.number("amount", amount, 0.0)
    known = THRESHOLDS[kind]
    value = known.default if amount is None else amount
    return options.number("amount", value, known.low, known.high)


def _check_sizes(limits: Limits, target: int | None, kind: str) -> None:
    """Refuse sizes that contradict each other."""
    if limits.min_tokens > limits.max_tokens:
        raise OptionError(
            f"min_tokens must be at most max_tokens ({limits.max_tokens}), got {limits.min_tokens}"
        )
    if target is None:
        return
    if kind != _PARTITION:
        raise OptionError(
            f"target_tokens goes with breakpoints='partition' only, got {kind!r}: "
            "a threshold has no size; use number_of_chunks or max_tokens"
        )
    if limits.number:
        raise OptionError(
            "target_tokens and number_of_chunks both set the number of chunks: give one of them"
        )
    if not limits.min_tokens <= target <= limits.max_tokens:
        raise OptionError(
            f"target_tokens must lie between min_tokens ({limits.min_tokens}) and max_tokens "
            f"({limits.max_tokens}), got {target}"
        )
