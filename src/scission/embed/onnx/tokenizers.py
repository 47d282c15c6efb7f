"""From texts and runs of units to token ids: by the kernel for BERT vocabularies, by HF ``tokenizers`` for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingExtra, ModelError
from ...group import Group
from ...tokens import continuations, default_vocabulary, tokenize
from ...units import from_sentences
from ..checkpoint import read_json
from ..vocabulary import SPECIAL, Vocabulary, check_tokenizer


@dataclass(frozen=True, eq=False)
class Sequences:
    """Token ids of texts, without special tokens; texts may share tokens.

    Attributes
    ----------
    ids : int32[T]
        Token ids.
    glued : uint8[T]
        1 for a token that continues a word.
    starts, ends : int64[n]
        Text ``i`` has the tokens ``ids[starts[i]:ends[i]]``.
    """

    ids: NDArray[np.int32]
    glued: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def chosen(self, rows: NDArray[np.intp]) -> Sequences:
        """Take some of the texts."""
        return Sequences(self.ids, self.glued, self.starts[rows], self.ends[rows])

    def split(self, limit: int) -> tuple[Sequences, NDArray[np.intp]]:
        """Split what is longer than `limit` tokens into even pieces, between words where that can be.

        Returns
        -------
        Sequences
            The pieces, in order.
        intp[n']
            The text that each piece belongs to.
        """
        lengths = self.ends - self.starts
        if len(lengths) == 0 or lengths.max() <= limit:
            return self, np.arange(len(lengths))
        starts, ends, owners = [], [], []
        for i, (begin, end) in enumerate(
            zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        ):
            cuts = self._cuts(begin, end, limit)
            starts += [begin, *cuts]
            ends += [*cuts, end]
            owners += [i] * (len(cuts) + 1)
        pieces = Sequences(self.ids, self.glued, np.asarray(starts), np.asarray(ends))
        return pieces, np.asarray(owners, np.intp)

    def _cuts(self, begin: int, end: int, limit: int) -> list[int]:
        cuts = []
        while end - begin > limit:
            pieces = -(-(end - begin) // limit)
            cut = begin + -(-(end - begin) // pieces)
            word = cut
            while word > begin and self.glued[word]:
                word -= 1
            begin = word if word > begin else cut
            cuts.append(begin)
        return cuts


class ModelTokenizer(Protocol):
    """What turns text into the ids that a model reads."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that sizes of chunks are counted in."""
        ...

    @property
    def special(self) -> tuple[int, int]:
        """Ids of the tokens that open and close an input."""
        ...

    def texts(self, texts: Sequence[str]) -> Sequences:
        """Tokenise texts."""
        ...

    def spans(self, group: Group, first: NDArray[Any], last: NDArray[Any]) -> Sequences:
        """Tokens of runs of units: text ``i`` is the units ``first[i] <= j < last[i]``."""
        ...


def open_tokenizer(path: Path) -> ModelTokenizer:
    """Open a ``tokenizer.json``; its truncation and padding are left aside.

    Raises
    ------
    ModelError
        The file is missing or damaged, or does not put one token before and one after a text.
    MissingExtra
        It is not BERT's uncased WordPiece, and tokenizers is not installed.
    """
    content = read_json(path)
    try:
        return KernelTokenizer(_vocabulary(content))
    except ModelError:
        return HubTokenizer(path)


def _vocabulary(content: dict[str, Any]) -> Vocabulary:
    """Take the tables that ship with the package where they are the same: building some takes a second."""
    shipped = default_vocabulary()
    check_tokenizer(content)
    added = {token["content"] for token in content.get("added_tokens") or ()}
    same = content["model"]["vocab"] == {token: i for i, token in enumerate(shipped.tokens)}
    return shipped if same and added == set(SPECIAL) else Vocabulary.from_tokenizer(content)


class KernelTokenizer:
    """BERT's uncased WordPiece, by ``scission.kernels.wordpiece``: tokens that sizes were counted in are used again."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        if vocabulary.cls_id < 0 or vocabulary.sep_id < 0:
            raise ModelError("a BERT vocabulary must hold [CLS] and [SEP]; this one does not")
        self.vocabulary = vocabulary
        self.special = vocabulary.cls_id, vocabulary.sep_id

    def texts(self, texts: Sequence[str]) -> Sequences:
        """Tokenise texts."""
        buffer, units = from_sentences(list(texts))
        tokens = tokenize(buffer, units, self.vocabulary)
        return self._sequences(tokens.ids, tokens.unit_tokens[:-1], tokens.unit_tokens[1:])

    def spans(self, group: Group, first: NDArray[Any], last: NDArray[Any]) -> Sequences:
        """Take the tokens of the units: those of a joined text are its parts' end to end."""
        limits = group.tokens.unit_tokens
        return self._sequences(group.tokens.ids, limits[first], limits[last])

    def _sequences(
        self, ids: NDArray[np.int32], starts: NDArray[Any], ends: NDArray[Any]
    ) -> Sequences:
        glued = continuations(self.vocabulary)[ids]
        return Sequences(ids, glued, starts.astype(np.int64), ends.astype(np.int64))


class HubTokenizer:
    """Any other ``tokenizer.json``, by HF ``tokenizers``; chunks are sized in bert-base-uncased tokens."""

    def __init__(self, path: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra(
                f"{path} is not BERT's uncased WordPiece and needs 'tokenizers', which is not installed. "
                "Install it with `pip install scission[cpu]`."
            ) from None
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as problem:  # tokenizers raises nothing more precise
            raise ModelError(
                f"{path} is not a tokenizer that 'tokenizers' reads: {problem}"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        around = self._tokenizer.encode("").ids
        if len(around) != 2:
            raise ModelError(
                f"{path} must put one special token before and one after a text, got {len(around)} in all: "
                "only BERT-family models are supported"
            )
        self.special = int(around[0]), int(around[1])

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that sizes of chunks are counted in."""
        return default_vocabulary()

    def texts(self, texts: Sequence[str]) -> Sequences:
        """Tokenise texts; a lone surrogate, which ``tokenizers`` refuses, is read as U+FFFD."""
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        found = self._tokenizer.encode_batch(clean, add_special_tokens=False)
        limits = np.cumsum([0, *(len(encoding.ids) for encoding in found)])
        ids = np.fromiter((i for encoding in found for i in encoding.ids), np.int32, limits[-1])
        glued = np.zeros(len(ids), np.uint8)
        for encoding, begin in zip(found, limits.tolist(), strict=False):
            words = encoding.word_ids
            glued[begin + 1 : begin + len(words)] = [
                a is not None and a == b for a, b in zip(words, words[1:], strict=False)
            ]
        return Sequences(ids, glued, limits[:-1], limits[1:])

    def spans(self, group: Group, first: NDArray[Any], last: NDArray[Any]) -> Sequences:
        """Tokenise the text of each run of units."""
        return self.texts(group.span_texts(first, last))
