"""From what a user calls a model to the model."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from ..errors import MissingExtra, ModelError, OptionError
from ..options import choice
from .catalogue import CATALOGUE
from .checkpoint import is_checkpoint
from .protocol import UnitEmbedder
from .static import EMBEDDED, StaticEmbedder, embedded
from .texts import TextEmbedder

#: Before the name of a model that is behind a network.
_REMOTE = "openai:"


def resolve(
    model: Any,
    *,
    precision: str | None = None,
    device: str | None = None,
    threads: int | None = None,
    fallback: str | None = None,
) -> UnitEmbedder:
    """Find or wrap a model.

    Parameters
    ----------
    model : str, path, callable, Embedder or LangChain Embeddings
        The name of an embedded model, or of a known transformer (`catalogue`), which is downloaded when it is not there
        yet; a folder that ``scission models distill`` wrote, or with the checkpoint of a BERT-family transformer;
        ``openai:`` and the name of a model behind an OpenAI-compatible service; a function from a list of texts
        to an (n, d) array; an object with ``embed_documents`` (LangChain), ``embed`` (`OpenAIEmbedder`) or ``encode``
        (sentence-transformers, model2vec).
    precision, device, threads
        Options of a transformer, see `scission.embed.onnx.OnnxEmbedder`; None for its defaults.
    fallback : str, optional
        The name of an embedded model to take, with a warning, when a model given by name or folder cannot be had.

    Raises
    ------
    OptionError
        It is none of these, or an option was given to a model that has none.
    ModelError
        The folder does not hold a model, or the transformer cannot be had.
    MissingExtra
        It needs packages that are not installed.

    Warns
    -----
    RuntimeWarning
        The fallback was taken.
    """
    if fallback is not None:
        choice("fallback", fallback, EMBEDDED)
        if not isinstance(model, str | os.PathLike):
            raise OptionError(
                f"fallback goes with a model given by name or folder, got {type(model).__name__}"
            )
    try:
        return _resolved(model, precision=precision, device=device, threads=threads)
    except (ModelError, MissingExtra) as error:
        if fallback is None:
            raise
        warnings.warn(
            f"model={fallback!r} is used, as asked: {error}", RuntimeWarning, stacklevel=3
        )
        return embedded(fallback)


def _resolved(
    model: Any, *, precision: str | None, device: str | None, threads: int | None
) -> UnitEmbedder:
    options = {"precision": precision, "device": device, "threads": threads}
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(model, str | os.PathLike):
        name = os.fspath(model)
        if name in CATALOGUE:
            return _known(name, **given)
        if name not in EMBEDDED and is_checkpoint(Path(name)):
            return _transformer(Path(name), **given)
    found = _without_options(model)
    for name, value in given.items():
        raise OptionError(
            f"{name} is an option of transformers, got {name}={value!r} for a model that is none: leave it out"
        )
    return found


def _without_options(model: Any) -> UnitEmbedder:
    if hasattr(model, "embed_units"):  # one of ours, opened before
        found: UnitEmbedder = model
        return found
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
        f"model must be one of {', '.join((*EMBEDDED, *CATALOGUE))} or an existing folder, got {name!r}: "
        "'scission models list' shows what is there, 'scission models distill' makes one"
    )


def _known(name: str, **options: Any) -> UnitEmbedder:
    from .download import checkpoint

    return _transformer(checkpoint(name), name=name, **options)


def _transformer(folder: Path, **options: Any) -> UnitEmbedder:
    from .onnx import OnnxEmbedder

    return OnnxEmbedder(folder, **options)
