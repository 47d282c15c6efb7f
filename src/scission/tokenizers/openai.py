"""Encodings of the ``tiktoken`` library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtra, ModelError, OptionError
from ..text import TextBuffer
from .protocol import CountedAgain, Weights

_SURROGATES = re.compile("[\ud800-\udfff]")


class Tiktoken(CountedAgain):
    """A ``tiktoken.Encoding``; special tokens written out in a text are read as ordinary text.

    Its tokens are bytes, end to end, so that their lengths say where each begins: nothing is decoded. A token may
    end inside a character; a chunk never does. How many tokens the text of a chunk has on its own depends on
    how it begins and ends (a space belongs to the word after it), so every chunk is counted again.
    """

    bytes_per_token = 0
    parallel = False

    def __init__(self, encoding: Any) -> None:
        self.name = f"tiktoken {encoding.name}"
        self._encoding = encoding
        self._lengths: dict[int, int] = {}

    @classmethod
    def load(cls, name: str) -> Tiktoken:
        """Open an encoding by its name.

        Raises
        ------
        MissingExtra
            ``tiktoken`` is not installed.
        OptionError
            It knows no such encoding.
        ModelError
            The encoding's file cannot be had.
        """
        try:
            import tiktoken
        except ImportError:
            raise MissingExtra(
                f"the encoding {name!r} needs tiktoken, which is not installed: "
                "pip install 'scission[tiktoken]'"
            ) from None
        known = tiktoken.list_encoding_names()
        if name not in known:
            raise OptionError(f"tiktoken encodings are {', '.join(sorted(known))}, got {name!r}")
        try:
            return cls(tiktoken.get_encoding(name))
        except Exception as error:  # whatever its HTTP client raises
            raise ModelError(
                f"tiktoken cannot fetch the encoding {name!r} ({type(error).__name__}): connect to the network once, "
                "or put its file into the folder that TIKTOKEN_CACHE_DIR names"
            ) from error

    def weigh(self, buffer: TextBuffer) -> Weights:
        """Tokenise every document, without special tokens."""
        parts = [np.zeros(0, np.int32)]
        for number, text in enumerate(buffer.texts):
            lengths = self._token_lengths(self._encode(text))
            base = int(buffer.documents[number])
            places = base + np.cumsum(lengths) - lengths
            parts.append(places.astype(np.int32))
        return Weights.of_tokens(np.concatenate(parts))

    def count(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """int32[N]: the tokens of each text on its own."""
        return np.array([len(self._encode(text)) for text in texts], np.int32)

    def _encode(self, text: str) -> list[int]:
        # A lone surrogate is no text to it; a replacement character takes three bytes as well.
        found: list[int] = self._encoding.encode_ordinary(_SURROGATES.sub("\ufffd", text))
        return found

    def _token_lengths(self, ids: list[int]) -> NDArray[np.int64]:
        distinct, inverse = np.unique(np.asarray(ids, np.int64), return_inverse=True)
        for token in distinct.tolist():
            if token not in self._lengths:
                self._lengths[token] = len(self._encoding.decode_single_token_bytes(token))
        lengths = np.array([self._lengths[token] for token in distinct.tolist()], np.int64)
        return lengths[inverse]
