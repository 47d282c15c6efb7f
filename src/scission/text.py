"""Documents in one UTF-8 buffer, the form that every kernel reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import TextError

#: A document: a string, or its UTF-8 bytes.
Text: TypeAlias = str | bytes

#: Kernels count the bytes of one buffer in int32.
MAX_BUFFER_BYTES = 2**31 - 2


@dataclass(frozen=True, eq=False)
class TextBuffer:
    """A group of documents, end to end in one UTF-8 buffer.

    Attributes
    ----------
    data : uint8[n]
        The UTF-8 bytes of all documents, read-only. A lone surrogate takes three bytes.
    documents : int32[D + 1]
        Byte offsets; document ``j`` is ``data[documents[j]:documents[j + 1]]``.
    metadata : sequence of mappings or None
        What was given for each document; strategies that depend on the kind of document look there.
    """

    data: NDArray[np.uint8]
    documents: NDArray[np.int32]
    _strings: tuple[str, ...] | None = field(default=None, repr=False)
    metadata: Sequence[Mapping[str, Any]] | None = field(default=None, repr=False)

    @classmethod
    def from_texts(cls, texts: Sequence[Text], first: int = 0) -> TextBuffer:
        """Encode documents into one buffer; messages count them from `first`.

        Raises
        ------
        TextError
            A document is not ``str`` or ``bytes``, its bytes are not UTF-8, or all exceed 2 GiB.
        """
        pairs = [_encode(text, index) for index, text in enumerate(texts, first)]
        documents = np.zeros(len(pairs) + 1, np.int64)
        np.cumsum([len(data) for _, data in pairs], out=documents[1:])
        _check_size(int(documents[-1]))
        joined = pairs[0][1] if len(pairs) == 1 else b"".join(data for _, data in pairs)
        strings = tuple(string for string, _ in pairs)
        return cls(np.frombuffer(joined, np.uint8), documents.astype(np.int32), strings)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The documents as strings; decoded on first use when they came as an Arrow column."""
        if self._strings is not None:
            return self._strings
        raw = self.data.tobytes()
        ends = self.documents.tolist()
        return tuple(raw[a:b].decode("utf-8") for a, b in zip(ends, ends[1:], strict=False))

    def __len__(self) -> int:
        return len(self.documents) - 1


def buffers(texts: Iterable[Text], group_bytes: int) -> Iterator[TextBuffer]:
    """Gather documents into buffers of about `group_bytes`, in order; a larger one stands alone.

    An Arrow column (``pyarrow.Array`` or ``ChunkedArray`` of strings) is read where it lies.
    """
    if isinstance(texts, str | bytes | bytearray):
        raise TextError(
            f"texts must be an iterable of documents, got one {type(texts).__name__}: "
            "call chunk(text), or put it in a list"
        )
    if type(texts).__module__.split(".")[0] == "pyarrow":
        yield from _arrow_buffers(texts, group_bytes)
        return
    group: list[Text] = []
    first = held = 0
    for text in texts:
        length = len(text) if isinstance(text, str | bytes | bytearray) else 0
        if group and held + length > group_bytes:
            yield TextBuffer.from_texts(group, first)
            first += len(group)
            group, held = [], 0
        group.append(text)
        held += length
    if group:
        yield TextBuffer.from_texts(group, first)


def _encode(text: Text, index: int) -> tuple[str, bytes]:
    if isinstance(text, str):
        # Lone surrogates (from broken JSON escapes) are kept: offsets stay exact, nothing is lost.
        return text, text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes | bytearray | memoryview):
        data = bytes(text)
        try:
            return data.decode("utf-8"), data
        except UnicodeDecodeError as error:
            raise TextError(
                f"document {index} must be UTF-8, got byte {data[error.start]:#04x} at offset "
                f"{error.start} ({error.reason}): decode it with its own encoding first"
            ) from None
    raise TextError(f"document {index} must be str or bytes, got {type(text).__name__}")


def _check_size(size: int) -> None:
    if size > MAX_BUFFER_BYTES:
        raise TextError(
            f"a document must stay under {MAX_BUFFER_BYTES} bytes of UTF-8, got {size}: "
            "split it before chunking it"
        )


def _arrow_buffers(column: Any, group_bytes: int) -> Iterator[TextBuffer]:
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    for chunk in chunks:
        kind = str(chunk.type)
        if kind not in ("string", "large_string"):
            raise TextError(f"an Arrow column of texts must be string or large_string, got {kind}")
        if chunk.null_count:
            raise TextError(
                f"an Arrow column of texts must not hold nulls, got {chunk.null_count}: "
                "use column.drop_null() or fill_null('')"
            )
        width = np.int64 if kind == "large_string" else np.int32
        _, offset_buffer, data_buffer = chunk.buffers()
        offsets = np.frombuffer(offset_buffer, width)[chunk.offset : chunk.offset + len(chunk) + 1]
        data = np.frombuffer(data_buffer if data_buffer is not None else b"", np.uint8)
        yield from _slices(data, offsets.astype(np.int64), group_bytes)


def _slices(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], group_bytes: int
) -> Iterator[TextBuffer]:
    first = 0
    while first < len(offsets) - 1:
        limit = offsets[first] + group_bytes
        last = max(first + 1, int(np.searchsorted(offsets, limit, side="right")) - 1)
        documents = offsets[first : last + 1]
        _check_size(int(documents[-1] - documents[0]))
        view = data[documents[0] : documents[-1]]
        view.flags.writeable = False
        yield TextBuffer(view, (documents - documents[0]).astype(np.int32))
        first = last
