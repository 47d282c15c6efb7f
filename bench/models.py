"""Models for the measurements: whatever a chunker accepts, or a checkpoint through the slow reference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scission.embed.registry import resolve
from scission.errors import ModelError


class ReferenceModel:
    """A BERT checkpoint run by the reference forward pass, in NumPy."""

    def __init__(self, folder: str) -> None:
        from scission.embed.bert import BertEncoder

        self._encoder = BertEncoder(folder)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, cut where the checkpoint says."""
        from scission.tokens import default_vocabulary, tokenize
        from scission.units import from_sentences

        buffer, units = from_sentences(list(texts))
        tokens = tokenize(buffer, units, default_vocabulary())
        return self._encoder.encode(tokens.ids, tokens.unit_tokens)


def load(name: str) -> Any:
    """Return the model, or where it is a checkpoint that no chunker can open, its reference."""
    try:
        return resolve(name)
    except ModelError:
        if not (Path(name) / "model.safetensors").is_file():
            raise
        return ReferenceModel(name)
