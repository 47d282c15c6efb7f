"""From what a user calls a model to the model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..errors import ModelError, OptionError
from .protocol import UnitEmbedder
from .static import EMBEDDED, StaticEmbedder, embedded
from .texts import TextEmbedder

#: Before the name of a model that is behind a network.
_REMOTE = "openai:"


def resolve(model: Any) -> UnitEmbedder:
    """Find or wrap a model.

    Parameters
    ----------
    model : str, path, callable, Embedder or LangChain Embeddings
        The name of an embedded model; a folder that ``scission models distill`` wrote; ``openai:`` and the name of
        a model behind an OpenAI-compatible service; a function from a list of texts to an (n, d) array; an object
        with ``embed_documents`` (LangChain), ``embed`` (`OpenAIEmbedder`) or ``encode`` (sentence-transformers,
        model2vec).

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
    for method in ("embed_documents", "embed", "encode"):
        if callable(getattr(model, method, None)):
            return TextEmbedder(name, getattr(model, method))
    if callable(model):
        return TextEmbedder(name, model)
    raise OptionError(
        "model must be a name, a folder, a callable, or an object with embed, embed_documents or encode, "
        f"got {type(model).__name__}"
    )


def _by_name(name: str) -> UnitEmbedder:
    if name in EMBEDDED:
        return embedded(name)
    if name.startswith(_REMOTE):
        from .remote import OpenAIEmbedder

        return TextEmbedder(name, OpenAIEmbedder(name.removeprefix(_REMOTE)).embed)
    if Path(name).is_dir():
        return StaticEmbedder.load(name)
    raise ModelError(
        f"model must be one of {', '.join(EMBEDDED)} or an existing folder, got {name!r}: "
        "'scission models list' shows what is there, 'scission models distill' makes one"
    )
