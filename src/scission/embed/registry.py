"""From what a user calls a model to the model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..errors import ModelError, OptionError
from .protocol import UnitEmbedder
from .static import EMBEDDED, StaticEmbedder, embedded
from .texts import TextEmbedder


def resolve(model: Any) -> UnitEmbedder:
    """Find or wrap a model.

    Parameters
    ----------
    model : str, path, callable, Embedder or LangChain Embeddings
        The name of an embedded model; a folder that ``scission models distill`` wrote; a function from a list
        of texts to an (n, d) array; an object with ``embed`` or ``embed_documents``.

    Raises
    ------
    OptionError
        It is none of these.
    ModelError
        The folder does not hold a model.
    """
    if isinstance(model, StaticEmbedder | TextEmbedder):
        return model
    if isinstance(model, str | os.PathLike):
        return _by_name(os.fspath(model))
    name = getattr(model, "__name__", type(model).__name__)
    for method in ("embed_documents", "embed"):
        if callable(getattr(model, method, None)):
            return TextEmbedder(name, getattr(model, method))
    if callable(model):
        return TextEmbedder(name, model)
    raise OptionError(
        "model must be a name, a folder, a callable, or an object with embed or embed_documents, "
        f"got {type(model).__name__}"
    )


def _by_name(name: str) -> UnitEmbedder:
    if name in EMBEDDED:
        return embedded(name)
    if Path(name).is_dir():
        return StaticEmbedder.load(name)
    raise ModelError(
        f"model must be one of {', '.join(EMBEDDED)} or an existing folder, got {name!r}: "
        "'scission models list' shows what is there, 'scission models distill' makes one"
    )
