"""From what a user calls a tokenizer to the tokenizer."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import ModelError, OptionError
from .counter import Counter
from .huggingface import HuggingFace
from .openai import Tiktoken
from .protocol import Tokenizer
from .wordpiece import WordPiece

_PREFIX = "tiktoken:"


def resolve(tokenizer: Any) -> Tokenizer:
    """Find or wrap a tokenizer.

    Parameters
    ----------
    tokenizer : str, path, object or callable
        ``"wordpiece"``, the built-in one; ``"tiktoken:NAME"``; the path of a ``tokenizer.json``, or of the folder that
        holds it; a ``tokenizers.Tokenizer``, a fast tokenizer of transformers, a ``tiktoken.Encoding``; a
        function from a text to its number of tokens.

    Raises
    ------
    OptionError
        It is none of these.
    ModelError
        The file or encoding cannot be read.
    MissingExtra
        The library it needs is not installed.
    """
    if isinstance(tokenizer, WordPiece | HuggingFace | Tiktoken | Counter):
        return tokenizer
    if isinstance(tokenizer, str | os.PathLike):
        return _by_name(os.fspath(tokenizer))
    inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
    home = type(inner).__module__.split(".")[0]
    if home == "tokenizers" and hasattr(inner, "encode_batch"):
        return HuggingFace(getattr(inner, "_tokenizer", inner), type(tokenizer).__name__)
    if home == "tiktoken" and hasattr(inner, "encode_ordinary"):
        return Tiktoken(inner)
    if callable(tokenizer):
        return Counter(tokenizer)
    raise OptionError(
        "tokenizer must be 'wordpiece', 'tiktoken:NAME', the path of a tokenizer.json, an object of tokenizers or "
        f"tiktoken, or a function from a text to a number, got {type(tokenizer).__name__}"
    )


@cache
def wordpiece() -> WordPiece:
    """Return the built-in tokenizer."""
    return WordPiece()


def _by_name(name: str) -> Tokenizer:
    if name == WordPiece.name:
        return wordpiece()
    if name.startswith(_PREFIX):
        return Tiktoken.load(name[len(_PREFIX) :])
    path = Path(name)
    if path.is_dir():
        path /= "tokenizer.json"
    if path.is_file():
        return HuggingFace.load(path)
    raise ModelError(
        f"tokenizer must be 'wordpiece', 'tiktoken:NAME' or an existing tokenizer.json, got {name!r}"
    )
