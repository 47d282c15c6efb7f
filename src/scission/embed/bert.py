"""Forward pass of BERT-family sentence encoders in plain NumPy: the reference every faster path is held to.

Computes in float32 what a checkpoint (`scission.embed.checkpoint`) defines, nothing approximated. Sentences of
one length share a batch, so there is no padding, no attention mask, and no sentence whose vector depends on
its neighbours through either.
"""

import pathlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from scission.errors import OptionError

from .checkpoint import Checkpoint, Floats, special_ids

Ints = npt.NDArray[np.int32]

#: Called with the name and the float32[n, k] input of each dense layer.
Tap = Callable[[str, Floats], None]


class BertEncoder:
    """A BERT checkpoint that turns token ids into unit sentence vectors.

    Parameters
    ----------
    folder
        Holds ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
    pooling
        ``"mean"`` over all tokens, ``"cls"`` for the first one; ``None`` reads
        ``1_Pooling/config.json`` and falls back on the mean.
    max_tokens
        Longer sentences are cut there, special tokens included; ``None`` takes
        ``sentence_bert_config.json`` and else what the position table allows.
    """

    def __init__(
        self,
        folder: str | pathlib.Path,
        *,
        pooling: str | None = None,
        max_tokens: int | None = None,
    ) -> None:
        checkpoint = Checkpoint.open(folder)
        self.config = checkpoint.config
        self.pooling = checkpoint.pooling if pooling is None else pooling
        if self.pooling not in ("mean", "cls"):
            raise OptionError(f"pooling must be 'mean' or 'cls', got {self.pooling!r}")
        self.max_tokens = checkpoint.max_tokens if max_tokens is None else max_tokens
        if not 3 <= self.max_tokens <= self.config.positions:
            raise OptionError(
                f"max_tokens must lie between 3 and {self.config.positions}, the length of the position"
                f" table of {folder}, got {self.max_tokens}"
            )
        self.cls, self.sep = special_ids(checkpoint.folder)
        self._network = Network(checkpoint)

    @property
    def dimensions(self) -> int:
        """Length of a sentence vector."""
        return self.config.hidden

    def encode(
        self,
        tokens: Ints,
        offsets: Ints,
        *,
        normalize: bool = True,
        tokens_per_batch: int = 4096,
        threads: int = 1,
    ) -> Floats:
        """Vectors of sentences given by their token ids, without special tokens.

        Parameters
        ----------
        tokens
            int32[T], the ids of all sentences end to end.
        offsets
            int32[n + 1]; sentence i is ``tokens[offsets[i]:offsets[i + 1]]``.
        normalize
            Scale every vector to length one.
        tokens_per_batch
            How many tokens, special ones included, go through the network at once. 4,096 keep the
            widest activation of MiniLM (25 MB) near the caches; more is not faster.
        threads
            Batches computed side by side. The BLAS library has threads of its own: with
            ``threads > 1`` set ``OPENBLAS_NUM_THREADS=1`` before Python starts.

        Returns
        -------
        float32[n, hidden]
        """
        lengths = np.minimum(np.diff(offsets), self.max_tokens - 2)
        vectors = np.empty((len(lengths), self.config.hidden), np.float32)

        def fill(rows: npt.NDArray[np.intp]) -> None:
            ids = self._with_specials(tokens, offsets[rows], int(lengths[rows[0]]))
            pooled = self._pool(self.hidden_states(ids))
            vectors[rows] = _unit(pooled) if normalize else pooled

        batches = equal_length_batches(lengths, tokens_per_batch, extra=2)
        if threads == 1:
            for rows in batches:
                fill(rows)
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(fill, batches))
        return vectors

    def hidden_states(self, ids: Ints) -> Floats:
        """Last layer for token ids int32[B, L], special tokens included: float32[B, L, hidden]."""
        return self._network.hidden_states(ids)

    def _with_specials(self, tokens: Ints, starts: Ints, length: int) -> Ints:
        ids = np.empty((len(starts), length + 2), np.int32)
        ids[:, 0], ids[:, -1] = self.cls, self.sep
        ids[:, 1:-1] = tokens[starts[:, None] + np.arange(length)]
        return ids

    def _pool(self, states: Floats) -> Floats:
        if self.pooling == "cls":
            return np.ascontiguousarray(states[:, 0])
        return np.asarray(states.mean(axis=1, dtype=np.float32))


class Network:
    """The layers of a checkpoint, one call each.

    Parameters
    ----------
    checkpoint
        Whose weights are read.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.config = checkpoint.config
        self.weights = checkpoint.weights

    def hidden_states(self, ids: Ints) -> Floats:
        """Last layer for token ids int32[B, L], special tokens included: float32[B, L, hidden]."""
        batch, length = ids.shape
        x = self.embed(ids)
        for number in range(self.config.layers):
            x = self.layer(x, number, batch)
        return x.reshape(batch, length, self.config.hidden)

    def embed(self, ids: Ints) -> Floats:
        """Input of the first layer for token ids int32[B, L]: float32[B * L, hidden]."""
        w, c = self.weights, self.config
        batch, length = ids.shape
        x = w["embeddings.word_embeddings.weight"][ids]
        x += w["embeddings.position_embeddings.weight"][:length]
        x += w["embeddings.token_type_embeddings.weight"][0]
        return _layer_norm(
            x.reshape(batch * length, c.hidden), w, "embeddings.LayerNorm", c.epsilon
        )

    def layer(self, x: Floats, number: int, batch: int, tap: Tap | None = None) -> Floats:
        """Output of layer `number` for its input float32[B * L, hidden], which stays as it is.

        `tap` sees what goes into each dense layer, under the name of the weights.
        """
        w, c = self.weights, self.config
        name = f"encoder.layer.{number}."
        mixed = self._attention(x, name, batch, tap)
        attended = _linear(mixed, w, name + "attention.output.dense", tap)
        attended += x
        x = _layer_norm(attended, w, name + "attention.output.LayerNorm", c.epsilon)
        inner = gelu(_linear(x, w, name + "intermediate.dense", tap))
        outer = _linear(inner, w, name + "output.dense", tap)
        outer += x
        return _layer_norm(outer, w, name + "output.LayerNorm", c.epsilon)

    def _attention(self, x: Floats, name: str, batch: int, tap: Tap | None) -> Floats:
        heads, hidden = self.config.heads, self.config.hidden
        mixed = _linear(x, self.weights, name + "attention.self.qkv", tap)
        shaped = mixed.reshape(batch, -1, 3, heads, hidden // heads)
        q, k, v = np.ascontiguousarray(shaped.transpose(2, 0, 3, 1, 4))
        scores = q @ k.swapaxes(-1, -2)
        scores *= np.float32((hidden // heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return np.ascontiguousarray((scores @ v).swapaxes(1, 2)).reshape(x.shape)


def equal_length_batches(
    lengths: npt.NDArray[Any], tokens_per_batch: int, *, extra: int = 0
) -> Iterator[npt.NDArray[np.intp]]:
    """Row numbers of sentences of one length, as many at once as the token budget allows.

    Long sentences come first, so that running out of memory shows at once.
    """
    order = np.argsort(-lengths, kind="stable")
    edges = np.flatnonzero(np.diff(lengths[order], prepend=-1, append=-1))
    for start, stop in zip(edges[:-1], edges[1:], strict=True):
        step = max(1, tokens_per_batch // (int(lengths[order[start]]) + extra))
        for first in range(start, stop, step):
            yield order[first : min(first + step, stop)]


# erf(x) = x P(x²) / Q(x²) on [-4, 4], beyond which float32 knows only ±1: the coefficients of Eigen's
# generic_fast_erf_float. NumPy has no erf of its own, and this keeps SciPy out of the forward pass.
_ERF_P = (
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
)
_ERF_Q = (
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
)
_GELU_BLOCK = 1 << 14  # floats: 64 kB, so that the forty passes stay in the second-level cache


def gelu(x: Floats) -> Floats:
    """X Φ(x) with the exact normal distribution function, in place; returns `x`."""
    flat = x.reshape(-1)
    for start in range(0, len(flat), _GELU_BLOCK):
        block = flat[start : start + _GELU_BLOCK]
        e = erf(block * np.float32(0.5**0.5))
        e += np.float32(1)
        e *= np.float32(0.5)
        block *= e
    return x


def erf(x: Floats) -> Floats:
    """Error function in float32, largest absolute error 4e-7."""
    x = np.clip(x, np.float32(-4), np.float32(4))
    square = x * x
    x *= _polynomial(_ERF_P, square)
    x /= _polynomial(_ERF_Q, square)
    return x


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value *= x
        value += np.float32(coefficient)
    return value


def _linear(x: Floats, weights: dict[str, Floats], name: str, tap: Tap | None) -> Floats:
    if tap is not None:
        tap(name, x)
    y: Floats = x @ weights[name + ".weight"]
    y += weights[name + ".bias"]
    return y


def _layer_norm(x: Floats, weights: dict[str, Floats], name: str, epsilon: float) -> Floats:
    x -= x.mean(axis=-1, keepdims=True)
    scale = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[-1])
    x /= np.sqrt(scale + np.float32(epsilon))
    x *= weights[name + ".weight"]
    x += weights[name + ".bias"]
    return x


def _unit(x: Floats) -> Floats:
    norms = np.sqrt(np.einsum("ij,ij->i", x, x))[:, None]
    return np.asarray(x / np.where(norms > 0, norms, np.float32(1)), np.float32)
