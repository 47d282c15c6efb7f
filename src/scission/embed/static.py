"""Static models: a vector per token, a sentence is their sum."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import EmbeddingError, ModelError
from ..group import Group
from ..tokens import Tokens, default_vocabulary, tokenize
from ..units import from_sentences
from .penalties import STATIC, Penalties
from .vocabulary import Vocabulary

#: The models inside the package.
EMBEDDED = ("minilm-static",)

#: The format of a static model's folder that this version reads.
FORMAT = 1

_MODELS = Path(__file__).resolve().parent.parent / "models"


@dataclass(frozen=True, eq=False)
class StaticEmbedder:
    """A table of token vectors, memory-mapped.

    Attributes
    ----------
    name : str
        The model's name or folder.
    rows : int8[V, d]
        Token ``v`` has the vector ``scales[v] * rows[v]``.
    scales : float32[V]
        One scale for each row.
    axes : float32[h + 1, d]
        The map from the teacher's vectors, see `project`.
    vocabulary : Vocabulary
        The WordPiece vocabulary that the rows belong to.
    recipe : dict
        How the model was made.
    """

    name: str
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]
    axes: NDArray[np.float32]
    vocabulary: Vocabulary
    recipe: dict[str, Any]
    parallel: bool = True
    penalties: Penalties = STATIC

    @classmethod
    def load(cls, folder: str | Path, name: str | None = None) -> StaticEmbedder:
        """Open a model folder as `distill` writes it.

        Raises
        ------
        ModelError
            A file is missing, of another format, or does not fit the others.
        """
        path = Path(folder)
        recipe = _read_recipe(path)
        rows = _open(path / "rows.npy", np.int8, 2)
        scales = _open(path / "scales.npy", np.float32, 1)
        axes = _open(path / "axes.npy", np.float32, 2)
        vocabulary = _load_vocabulary(path, recipe)
        if not len(rows) == len(scales) == len(vocabulary):
            raise ModelError(
                f"the tables of {path} must have one row for each token: the vocabulary has "
                f"{len(vocabulary)}, rows.npy {len(rows)}, scales.npy {len(scales)}; "
                "copy or distill the model again"
            )
        return cls(name or str(path), rows, scales, axes, vocabulary, recipe)

    @classmethod
    def load_embedded(cls) -> StaticEmbedder:
        """Open ``minilm-static``, the model inside the package."""
        return embedded("minilm-static")

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel to another process as a name: 4 MB of tables are there already."""
        if self.name in EMBEDDED:
            return embedded, (self.name,)
        return type(self).load, (self.name,)

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return int(self.rows.shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed texts of any length.

        Parameters
        ----------
        texts : sequence of str
            Queries, sentences, chunks.

        Returns
        -------
        float32[n, d]
            Vectors of length 1; zeros for a text without tokens.
        """
        buffer, units = from_sentences(list(texts))
        tokens = tokenize(buffer, units, self.vocabulary)
        return self._sums(tokens, len(units), unit_length=True)

    def project(self, vectors: ArrayLike) -> NDArray[np.float32]:
        """Bring vectors of the teacher among those of this model.

        A query that the teacher embedded finds chunk vectors of this model better than one that this model
        embedded.

        Parameters
        ----------
        vectors : float[n, h]
            Vectors of length 1, from the model that this one was fitted to.

        Returns
        -------
        float32[n, d]
            Vectors of length 1.

        Raises
        ------
        EmbeddingError
            They are not of the teacher's dimensions.
        """
        from ..kernels import pooling

        given = np.ascontiguousarray(vectors, np.float32)
        if given.ndim != 2 or given.shape[1] != len(self.axes) - 1:
            raise EmbeddingError(
                f"vectors must have the shape (n, {len(self.axes) - 1}) of the teacher's, "
                f"got {given.shape}"
            )
        mapped: NDArray[np.float32] = given @ self.axes[1:] - self.axes[0]
        out = np.empty_like(mapped)
        pooling.normalise_rows(mapped, out)
        return out

    def embed_units(self, group: Group) -> NDArray[np.float32]:
        """Sum the rows of each unit's tokens."""
        return self._sums(group.tokens, len(group.units), unit_length=True)

    def embed_spans(
        self, group: Group, first: NDArray[Any], last: NDArray[Any]
    ) -> NDArray[np.float32]:
        """Sum the rows over each run of units."""
        return self.embed(group.span_texts(first, last))

    def embed_windows(self, group: Group, radius: int) -> NDArray[np.float32]:
        """Sum the rows over each window: the same as embedding its joined text."""
        from ..kernels import pooling, windows

        sums = self._sums(group.tokens, len(group.units), unit_length=False)
        pooled, out = np.empty_like(sums), np.empty_like(sums)
        windows.window_sums(sums, group.units.document_units, radius, pooled)
        pooling.normalise_rows(pooled, out)
        return out

    def _sums(self, tokens: Tokens, count: int, *, unit_length: bool) -> NDArray[np.float32]:
        from ..kernels import pooling

        out = np.empty((count, self.dimensions), np.float32)
        pooling.sum_rows(tokens.ids, tokens.unit_tokens, self.rows, self.scales, unit_length, out)
        return out


@cache
def embedded(name: str) -> StaticEmbedder:
    """Open a model of the package; once a process."""
    return StaticEmbedder.load(_MODELS / name, name)


def _read_recipe(folder: Path) -> dict[str, Any]:
    path = folder / "recipe.json"
    try:
        recipe: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{folder} must be a static model's folder, but recipe.json cannot be read ({error}): "
            "give the folder that 'scission models distill' wrote"
        ) from None
    if recipe.get("format") != FORMAT:
        raise ModelError(
            f"{path} must have format {FORMAT}, got {recipe.get('format')!r}: "
            "distill the model again with this version of scission"
        )
    return recipe


def _load_vocabulary(folder: Path, recipe: dict[str, Any]) -> Vocabulary:
    if recipe.get("vocabulary") == "bert-uncased":
        return default_vocabulary()
    return Vocabulary.load(folder / "vocabulary")


def _open(path: Path, dtype: type[np.generic], dimensions: int) -> NDArray[Any]:
    try:
        table = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{path} cannot be read ({error}): copy or distill the model again"
        ) from None
    if table.dtype != dtype or table.ndim != dimensions:
        raise ModelError(
            f"{path} must hold {np.dtype(dtype).name} in {dimensions} dimensions, "
            f"got {table.dtype.name} in {table.ndim}: copy or distill the model again"
        )
    return table
