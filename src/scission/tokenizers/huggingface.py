"""Tokenizers of the ``tokenizers`` library: any ``tokenizer.json``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtra, ModelError, OptionError
from ..text import TextBuffer
from ..tokens import BYTES_PER_TOKEN
from .protocol import CountedAgain, Weights

_SURROGATES = re.compile("[\ud800-\udfff]")


class HuggingFace(CountedAgain):
    """A ``tokenizers.Tokenizer``, read without padding, truncation and special tokens.

    The tokens of a chunk need not add up from those of the document: in byte-level BPE the space before a word belongs
    to the word, and a chunk that begins after that space begins with another token. Of 2,721 recursive chunks of prose
    280 have another count than their share of the document's, by up to 3; of 2,300 fixed chunks, which are cut at
    tokens, none. So every chunk is counted again on its own.
    """

    parallel = False

    def __init__(self, tokenizer: Any, name: str) -> None:
        self.name = name
        self._tokenizer = _unlimited(tokenizer)
        known = type(self._tokenizer.model).__name__ == "BPE"
        self.bytes_per_token = 0 if known else BYTES_PER_TOKEN

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> HuggingFace:
        """Read a ``tokenizer.json``.

        Raises
        ------
        MissingExtra
            ``tokenizers`` is not installed.
        ModelError
            The file is not one of its tokenizers.
        """
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra(
                "a tokenizer.json needs the tokenizers library, which is not installed: "
                "pip install 'scission[tokenizers]'"
            ) from None
        try:
            return cls(Tokenizer.from_str(Path(path).read_text(encoding="utf-8")), str(path))
        except OptionError:
            raise
        except Exception as error:  # the library raises plain Exception
            raise ModelError(
                f"tokenizer must be a tokenizer.json that the tokenizers library can read, got {path}: {error}"
            ) from None

    def weigh(self, buffer: TextBuffer) -> Weights:
        """Tokenise every document, without special tokens."""
        from ..kernels import utf8

        parts = []
        for number, encoding in enumerate(self._encode(buffer.texts)):
            begins = np.array([begin for begin, _ in encoding.offsets], np.int32)
            places = np.empty(len(begins), np.int32)
            base = np.int64(buffer.documents[number])
            utf8.byte_offsets(buffer.data, base, np.maximum.accumulate(begins), places)
            parts.append(places)
        return Weights.of_tokens(np.concatenate(parts) if parts else np.zeros(0, np.int32))

    def count(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """int32[N]: the tokens of each text on its own."""
        return np.array([len(encoding.ids) for encoding in self._encode(texts)], np.int32)

    def _encode(self, texts: Sequence[str]) -> list[Any]:
        # The library takes no lone surrogates; a replacement character is as long in code points.
        readable = [_SURROGATES.sub("\ufffd", text) for text in texts]
        found: list[Any] = self._tokenizer.encode_batch(readable, add_special_tokens=False)
        return found


def _unlimited(tokenizer: Any) -> Any:
    """Return the tokenizer, or a copy of it that neither pads nor truncates nor trims offsets."""
    if tokenizer.truncation is None and tokenizer.padding is None and not tokenizer.post_processor:
        return tokenizer
    try:
        copy = type(tokenizer).from_str(tokenizer.to_str())
        copy.no_truncation()
        copy.no_padding()
        copy.post_processor = None
    except Exception as error:  # parts written in Python cannot be copied
        if tokenizer.truncation is None and tokenizer.padding is None:
            return tokenizer
        raise OptionError(
            "tokenizer must not truncate or pad, and this one cannot be copied to switch that off "
            f"({error}): call no_truncation() and no_padding() on it"
        ) from None
    return copy
