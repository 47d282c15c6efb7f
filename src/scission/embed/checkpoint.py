"""A checkpoint folder of the BERT family: what its files say, and its weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtra, ModelError

Floats = NDArray[np.float32]

#: The files without which a folder is no checkpoint.
FILES = ("config.json", "model.safetensors", "tokenizer.json")


class BertConfig(NamedTuple):
    """What `config.json` says about the shape of the network."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    intermediate: int
    positions: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The files of a sentence encoder, as ``sentence-transformers`` lays them out.

    Attributes
    ----------
    folder : Path
        Holds ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
    config : BertConfig
        Shape of the network.
    pooling : {"mean", "cls"}
        How token vectors become one: what ``1_Pooling/config.json`` says, else the mean.
    max_tokens : int
        Longest input, special tokens included: what ``sentence_bert_config.json`` says, else what the
        table of positions allows.
    """

    folder: Path
    config: BertConfig
    pooling: str
    max_tokens: int

    @classmethod
    def open(cls, folder: str | Path) -> Checkpoint:
        """Read the small files of a folder; the weights wait until they are asked for.

        Raises
        ------
        ModelError
            A file is missing or damaged, or describes another kind of network or pooling.
        """
        path = Path(folder)
        config = _read_config(path)
        return cls(path, config, _pooling(path), _max_tokens(path, config))

    @cached_property
    def weights(self) -> dict[str, Floats]:
        """Weights by their name without the "bert." prefix; matrices transposed, q, k and v side by side.

        Raises
        ------
        ModelError
            The file is missing, or lacks a tensor.
        MissingExtra
            safetensors is not installed.
        """
        return _read_weights(self.folder, self.config)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the weights and all that decides how they are used, in hexadecimal."""
        settings = [*self.config, self.pooling, self.max_tokens]
        joined = hashlib.sha256(json.dumps(settings).encode())
        path = self.folder / "model.safetensors"
        try:
            with path.open("rb") as file:
                while part := file.read(1 << 20):
                    joined.update(part)
        except FileNotFoundError:
            raise ModelError(f"{path} is missing; a checkpoint folder needs it") from None
        return joined.hexdigest()


def is_checkpoint(folder: Path) -> bool:
    """Whether a folder holds the weights of a transformer."""
    return (folder / "model.safetensors").is_file() and (folder / "config.json").is_file()


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object of a checkpoint folder."""
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; a checkpoint folder needs it") from None
    except ValueError as problem:
        raise ModelError(f"{path} is not valid JSON: {problem}") from None
    return found


def special_ids(folder: Path) -> tuple[int, int]:
    """Ids of [CLS] and [SEP] in a BERT vocabulary."""
    path = folder / "tokenizer.json"
    vocabulary = read_json(path).get("model", {}).get("vocab", {})
    try:
        return int(vocabulary["[CLS]"]), int(vocabulary["[SEP]"])
    except (KeyError, TypeError) as missing:
        raise ModelError(
            f"{path} has no token {missing}; only BERT vocabularies are supported"
        ) from None


def _read_config(folder: Path) -> BertConfig:
    path = folder / "config.json"
    raw = read_json(path)
    for key, wanted in (
        ("model_type", "bert"),
        ("hidden_act", "gelu"),
        ("position_embedding_type", "absolute"),
    ):
        if raw.get(key, wanted) != wanted:
            raise ModelError(
                f"{path}: {key} must be {wanted!r}, got {raw[key]!r}; only plain BERT encoders are supported"
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
        raise ModelError(f"{path} lacks {missing}") from None


def _pooling(folder: Path) -> str:
    path = folder / "1_Pooling" / "config.json"
    modes = read_json(path) if path.is_file() else {"pooling_mode_mean_tokens": True}
    used = sorted(key for key, value in modes.items() if key.startswith("pooling_mode") and value)
    if used == ["pooling_mode_cls_token"]:
        return "cls"
    if used in ([], ["pooling_mode_mean_tokens"]):
        return "mean"
    raise ModelError(
        f"{path}: pooling must be pooling_mode_mean_tokens or pooling_mode_cls_token, got {', '.join(used)}"
    )


def _max_tokens(folder: Path, config: BertConfig) -> int:
    path = folder / "sentence_bert_config.json"
    limit = read_json(path).get("max_seq_length") if path.is_file() else None
    return min(int(limit or config.positions), config.positions)


def _read_weights(folder: Path, config: BertConfig) -> dict[str, Floats]:
    try:
        import safetensors.numpy
    except ImportError:
        raise MissingExtra(
            "Reading a checkpoint needs 'safetensors', which is not installed. Install it with "
            "`pip install scission[cpu]` to run a model or `pip install scission[distill]` to distill one."
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
