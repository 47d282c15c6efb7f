"""Forward pass of BERT-family sentence encoders in plain NumPy: the reference every faster path is held to.

Reads ``config.json`` and ``model.safetensors`` of a checkpoint folder and computes in float32 what the
checkpoint defines, nothing approximated. Sentences of one length share a batch, so there is no
padding, no attention mask, and no sentence whose vector depends on its neighbours through either.
"""

import json
import pathlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scission.errors import MissingExtra, ModelError, OptionError

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


class BertConfig(NamedTuple):
    """What `config.json` says about the shape of the network."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    intermediate: int
    positions: int
    epsilon: float


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
        folder = pathlib.Path(folder)
        self.config = _read_config(folder)
        self.pooling = _pooling(folder) if pooling is None else pooling
        if self.pooling not in ("mean", "cls"):
            raise OptionError(f"pooling must be 'mean' or 'cls', got {self.pooling!r}")
        self.max_tokens = _max_tokens(folder, self.config) if max_tokens is None else max_tokens
        if not 3 <= self.max_tokens <= self.config.positions:
            raise OptionError(
                f"max_tokens must lie between 3 and {self.config.positions}, the length of the position"
                f" table of {folder}, got {self.max_tokens}"
            )
        self.cls, self.sep = _special_ids(folder)
        self._weights = _read_weights(folder, self.config)

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
        w, c = self._weights, self.config
        batch, length = ids.shape
        x = w["embeddings.word_embeddings.weight"][ids]
        x += w["embeddings.position_embeddings.weight"][:length]
        x += w["embeddings.token_type_embeddings.weight"][0]
        x = _layer_norm(x.reshape(batch * length, c.hidden), w, "embeddings.LayerNorm", c.epsilon)
        for number in range(c.layers):
            x = self._layer(x, f"encoder.layer.{number}.", batch)
        return x.reshape(batch, length, c.hidden)

    def _layer(self, x: Floats, name: str, batch: int) -> Floats:
        w, c = self._weights, self.config
        attended = _linear(self._attention(x, name, batch), w, name + "attention.output.dense")
        attended += x
        x = _layer_norm(attended, w, name + "attention.output.LayerNorm", c.epsilon)
        inner = gelu(_linear(x, w, name + "intermediate.dense"))
        outer = _linear(inner, w, name + "output.dense")
        outer += x
        return _layer_norm(outer, w, name + "output.LayerNorm", c.epsilon)

    def _attention(self, x: Floats, name: str, batch: int) -> Floats:
        heads, hidden = self.config.heads, self.config.hidden
        mixed = _linear(x, self._weights, name + "attention.self.qkv")
        shaped = mixed.reshape(batch, -1, 3, heads, hidden // heads)
        q, k, v = np.ascontiguousarray(shaped.transpose(2, 0, 3, 1, 4))
        scores = q @ k.swapaxes(-1, -2)
        scores *= np.float32((hidden // heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return np.ascontiguousarray((scores @ v).swapaxes(1, 2)).reshape(x.shape)

    def _with_specials(self, tokens: Ints, starts: Ints, length: int) -> Ints:
        ids = np.empty((len(starts), length + 2), np.int32)
        ids[:, 0], ids[:, -1] = self.cls, self.sep
        ids[:, 1:-1] = tokens[starts[:, None] + np.arange(length)]
        return ids

    def _pool(self, states: Floats) -> Floats:
        if self.pooling == "cls":
            return np.ascontiguousarray(states[:, 0])
        return np.asarray(states.mean(axis=1, dtype=np.float32))


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


def _linear(x: Floats, weights: dict[str, Floats], name: str) -> Floats:
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


def _read_json(path: pathlib.Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; a checkpoint folder needs it") from None
    except ValueError as problem:
        raise ModelError(f"{path} is not valid JSON: {problem}") from None
    return found


def _read_config(folder: pathlib.Path) -> BertConfig:
    raw = _read_json(folder / "config.json")
    for key, wanted in (
        ("model_type", "bert"),
        ("hidden_act", "gelu"),
        ("position_embedding_type", "absolute"),
    ):
        if raw.get(key, wanted) != wanted:
            raise ModelError(
                f"{folder / 'config.json'}: {key} must be {wanted!r}, got {raw[key]!r};"
                " only plain BERT encoders are supported"
            )
    try:
        return BertConfig(
            vocabulary=raw["vocab_size"],
            hidden=raw["hidden_size"],
            layers=raw["num_hidden_layers"],
            heads=raw["num_attention_heads"],
            intermediate=raw["intermediate_size"],
            positions=raw["max_position_embeddings"],
            epsilon=raw.get("layer_norm_eps", 1e-12),
        )
    except KeyError as missing:
        raise ModelError(f"{folder / 'config.json'} lacks {missing}") from None


def _pooling(folder: pathlib.Path) -> str:
    path = folder / "1_Pooling" / "config.json"
    if path.is_file() and _read_json(path).get("pooling_mode_cls_token", False):
        return "cls"
    return "mean"


def _max_tokens(folder: pathlib.Path, config: BertConfig) -> int:
    path = folder / "sentence_bert_config.json"
    limit = _read_json(path).get("max_seq_length") if path.is_file() else None
    return min(int(limit or config.positions), config.positions)


def _special_ids(folder: pathlib.Path) -> tuple[int, int]:
    path = folder / "tokenizer.json"
    vocabulary = _read_json(path).get("model", {}).get("vocab", {})
    try:
        return int(vocabulary["[CLS]"]), int(vocabulary["[SEP]"])
    except KeyError as missing:
        raise ModelError(
            f"{path} has no token {missing}; only BERT vocabularies are supported"
        ) from None


def _read_weights(folder: pathlib.Path, config: BertConfig) -> dict[str, Floats]:
    """Weights by their name without the "bert." prefix; matrices transposed, q, k and v side by side."""
    try:
        import safetensors.numpy
    except ImportError:
        raise MissingExtra(
            "Reading a checkpoint needs 'safetensors', which is not installed. "
            "Install it with `pip install scission[distill]`."
        ) from None
    path = folder / "model.safetensors"
    if not path.is_file():
        raise ModelError(f"{path} is missing; a checkpoint folder needs it")
    raw = {k.removeprefix("bert."): v for k, v in safetensors.numpy.load_file(path).items()}
    try:
        return {
            name: np.ascontiguousarray(matrix, np.float32)
            for name, matrix in _arranged(raw, config)
        }
    except KeyError as missing:
        raise ModelError(f"{path} lacks the tensor {missing}") from None


def _arranged(raw: dict[str, Floats], config: BertConfig) -> Iterator[tuple[str, Floats]]:
    for name in ("word", "position", "token_type"):
        yield f"embeddings.{name}_embeddings.weight", raw[f"embeddings.{name}_embeddings.weight"]
    for part in ("weight", "bias"):
        yield f"embeddings.LayerNorm.{part}", raw[f"embeddings.LayerNorm.{part}"]
    for number in range(config.layers):
        layer = f"encoder.layer.{number}."
        for part in ("weight", "bias"):
            qkv = [raw[f"{layer}attention.self.{x}.{part}"] for x in ("query", "key", "value")]
            yield f"{layer}attention.self.qkv.{part}", np.concatenate(qkv).T
            for dense in ("attention.output.dense", "intermediate.dense", "output.dense"):
                yield f"{layer}{dense}.{part}", raw[f"{layer}{dense}.{part}"].T
            for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
                yield f"{layer}{norm}.{part}", raw[f"{layer}{norm}.{part}"]
