"""Documents cut under a limit: what fixed and recursive chunkers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..chunks import ChunkBatch
from ..errors import TextError
from ..tables import character_tables
from ..text import TextBuffer
from ..tokenizers import Tokenizer, Weights
from .assemble import trimmed
from .hierarchy import Hierarchy
from .sizes import Size

_NO_WEIGHTS = Weights.of_tokens(np.zeros(0, np.int32))


class Cuts(NamedTuple):
    """Chunks of a group as spans of bytes.

    Attributes
    ----------
    starts, ends : int32[N]
        Bytes of the buffer.
    document : int64[N]
        The document of each.
    counts : int32[N]
        Tokens of each text on its own; zeros when sizes are counted in characters.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    document: NDArray[np.int64]
    counts: NDArray[np.int32]

    def kept(self, which: NDArray[Any]) -> Cuts:
        """Return the chunks that a mask or a list of numbers chooses."""
        return Cuts(self.starts[which], self.ends[which], self.document[which], self.counts[which])

    def and_then(self, more: Cuts) -> Cuts:
        """Return these chunks and then more."""
        return Cuts(
            np.concatenate([self.starts, more.starts]),
            np.concatenate([self.ends, more.ends]),
            np.concatenate([self.document, more.document]),
            np.concatenate([self.counts, more.counts]),
        )


@dataclass(frozen=True, eq=False)
class Cutter:
    """Cuts the documents of a group, each chunk as long as its limit and the separators allow.

    Attributes
    ----------
    size : Size
        Limit and overlap.
    hierarchy : Hierarchy
        Where chunks should end; no levels for anywhere.
    tokenizer : Tokenizer
        What counts tokens.
    trim : bool
        Whether chunks lose the white space at their ends.
    fill : float
        Share of what its limit lets it hold that a chunk should not fall short of.
    """

    size: Size
    hierarchy: Hierarchy
    tokenizer: Tokenizer
    trim: bool = False
    fill: float = 0.0

    def batch(self, buffer: TextBuffer) -> ChunkBatch:
        """Cut a group into chunks."""
        cuts = self._cut(buffer)
        start, end = _code_points(buffer, cuts)
        batch = ChunkBatch(
            texts=buffer.texts,
            document=cuts.document,
            start=start,
            end=end,
            token_count=self.tokenizer.count if self.size.characters else cuts.counts,  # type: ignore[arg-type]
            distance=np.full(len(start), np.nan, np.float32),
        )
        return trimmed(batch) if self.trim else batch

    def sizes(self, buffer: TextBuffer) -> NDArray[np.int32]:
        """int32[D]: what each document counts for against the limit."""
        if self.size.characters:
            return np.asarray([len(text) for text in buffer.texts], np.int32)
        counts = self.tokenizer.count(buffer.texts)
        per_token = self.tokenizer.bytes_per_token
        if per_token:
            counts = np.maximum(counts, -(-np.diff(buffer.documents) // per_token))
        return np.asarray(counts, np.int32)

    def _cut(self, buffer: TextBuffer) -> Cuts:
        from ..kernels import separators

        limits = np.full(len(buffer), self.size.limit, np.int64)
        inside, ascii_only = _interiors(buffer)
        if self.size.characters:
            unit = separators.BYTES if ascii_only else separators.CODE_POINTS
            return self._spans(buffer, inside, limits, limits, unit, _NO_WEIGHTS)
        weights = self.tokenizer.weigh(buffer)
        cuts = self._spans(buffer, inside, limits, limits, separators.WEIGHTS, weights)
        return self._within_limit(buffer, weights, cuts)

    def _spans(
        self,
        buffer: TextBuffer,
        inside: NDArray[np.uint8],
        limits: NDArray[np.int64],
        most: NDArray[np.int64],
        unit: int,
        weights: Weights,
    ) -> Cuts:
        """Run the kernel over every document, each with a limit of its own."""
        from ..kernels import separators

        documents = buffer.documents
        firsts = np.empty(len(documents), np.int32)
        tables = self.hierarchy.tables(buffer)
        capacity = 2 * (len(buffer) + len(buffer.data) // self.size.limit) + 64
        while True:
            starts, ends, tails = (np.empty(capacity, np.int32) for _ in range(3))
            count = separators.cut_ranges(
                buffer.data,
                inside,
                documents[:-1],
                documents[1:],
                limits,
                most,
                self.size.overlap,
                self.fill,
                unit,
                weights.places,
                weights.sums,
                weights.glued,
                self.tokenizer.bytes_per_token,
                *tables,
                starts,
                ends,
                tails,
                firsts,
            )
            if count >= 0:
                break
            capacity *= 4
        starts, ends = starts[:count], ends[:count]
        document = np.repeat(np.arange(len(buffer)), np.diff(firsts))
        if self.hierarchy.keep != "none":
            return Cuts(starts, ends, document, weights.between(starts, ends))
        ends = ends - tails[:count]
        cuts = Cuts(starts, ends, document, weights.between(starts, ends))
        return cuts.kept(ends > starts)

    def _within_limit(self, buffer: TextBuffer, weights: Weights, cuts: Cuts) -> Cuts:
        """Count again what may not add up, and cut again what turns out to be too long."""
        doubtful = np.flatnonzero(self.tokenizer.doubtful(buffer, weights, cuts.starts, cuts.ends))
        if len(doubtful) == 0:
            return cuts
        texts = _texts(buffer, cuts.kept(doubtful))
        if self.trim:
            texts = [text.strip() for text in texts]
        cuts.counts[doubtful] = self.tokenizer.count(texts)
        over = np.flatnonzero(cuts.counts > self.size.limit)
        if len(over) == 0:
            return cuts
        again = self._again(buffer, cuts.kept(over))
        source = over[again.document]  # the chunk that each part is of
        parts = Cuts(
            again.starts + cuts.starts[source],
            again.ends + cuts.starts[source],
            cuts.document[source],
            again.counts,
        )
        rest = np.flatnonzero(cuts.counts <= self.size.limit)
        order = np.argsort(np.concatenate([rest, source]), kind="stable")
        return _advancing(cuts.kept(rest).and_then(parts).kept(order))

    def _again(self, buffer: TextBuffer, cuts: Cuts) -> Cuts:
        """Cut chunks above the limit, each by the tokens of its own text; spans and documents count from it."""
        from ..kernels import separators

        texts = _texts(buffer, cuts)
        for text, count in zip(texts, cuts.counts, strict=True):
            if len(text) == 1:
                raise TextError(
                    f"no chunk of max_tokens={self.size.limit} can hold the character {text!a}, "
                    f"which takes {count} tokens: raise max_tokens"
                )
        inner = TextBuffer.from_texts(texts)
        inside, _ = _interiors(inner)
        weights = self.tokenizer.weigh(inner)
        limits = np.full(len(inner), self.size.limit, np.int64)
        again = self._spans(inner, inside, limits, limits, separators.WEIGHTS, weights)
        adds_up = weights.between(inner.documents[:-1], inner.documents[1:]) > limits
        if not adds_up.all():
            # These weigh more than their words: shorten them in proportion, each apart from the others.
            lengths = np.array([len(text) for text in texts], np.int64)
            shorter = np.maximum(lengths * limits // cuts.counts, 1)
            unit = separators.CODE_POINTS
            rest = self._spans(inner, inside, shorter, lengths - 1, unit, _NO_WEIGHTS)
            again = again.kept(adds_up[again.document])
            again = again.and_then(rest.kept(~adds_up[rest.document]))
            again = again.kept(np.argsort(again.document, kind="stable"))
        again = self._within_limit(inner, weights, again)
        base = inner.documents[again.document]
        return again._replace(starts=again.starts - base, ends=again.ends - base)


def _advancing(cuts: Cuts) -> Cuts:
    """Drop the chunks that lie within another: with an overlap, a part of a chunk may hold nothing new."""
    # Documents follow each other in the buffer, so that neither comparison reaches into the next.
    before = np.maximum.accumulate(cuts.ends)[:-1]
    cuts = cuts.kept(np.concatenate([[True], cuts.ends[1:] > before]))
    after = np.minimum.accumulate(cuts.starts[::-1])[::-1][1:]
    return cuts.kept(np.concatenate([cuts.starts[:-1] < after, [True]]))


def _interiors(buffer: TextBuffer) -> tuple[NDArray[np.uint8], bool]:
    """Return where not to cut, see `kernels.utf8.interiors`, and whether all is ASCII."""
    from ..kernels import utf8

    inside = np.zeros(len(buffer.data) + 1, np.uint8)
    flag = utf8.interiors(buffer.data, buffer.documents, *character_tables(), inside)
    return inside, bool(flag)


def _texts(buffer: TextBuffer, cuts: Cuts) -> list[str]:
    raw = buffer.data
    return [
        raw[start:end].tobytes().decode("utf-8", "surrogatepass")
        for start, end in zip(cuts.starts.tolist(), cuts.ends.tolist(), strict=True)
    ]


def _code_points(buffer: TextBuffer, cuts: Cuts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the spans in code points of their documents."""
    from ..kernels import spans

    document = cuts.document.astype(np.int32)
    end = np.empty(len(document), np.int64)
    spans.document_offsets(buffer.data, buffer.documents, document, cuts.ends, end)
    first = np.diff(document, prepend=-1) > 0
    before = np.where(first, buffer.documents[document], np.roll(cuts.ends, 1))
    if np.array_equal(cuts.starts, before):  # each begins where the one before it ends
        return np.where(first, 0, np.roll(end, 1)), end
    start = np.empty(len(document), np.int64)
    spans.document_offsets(buffer.data, buffer.documents, document, cuts.starts, start)
    return start, end
