"""BERT, one sentence and one head at a time, in float64 from the paper's formulas."""

import json
import math

import numpy as np
from safetensors.numpy import load_file


def hidden_states(folder, ids):
    """Last layer of one sentence whose special tokens are in `ids`: float64[L, hidden]."""
    config = json.loads((folder / "config.json").read_text())
    weights = {
        k.removeprefix("bert."): v.astype(np.float64)
        for k, v in load_file(folder / "model.safetensors").items()
    }
    rows = [
        weights["embeddings.word_embeddings.weight"][token]
        + weights["embeddings.position_embeddings.weight"][position]
        + weights["embeddings.token_type_embeddings.weight"][0]
        for position, token in enumerate(ids)
    ]
    x = norm(np.array(rows), weights, "embeddings.LayerNorm")
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}."
        mixed = attention(x, weights, layer, config["num_attention_heads"])
        x = norm(
            x + dense(mixed, weights, layer + "attention.output.dense"),
            weights,
            layer + "attention.output.LayerNorm",
        )
        inner = np.vectorize(gelu)(dense(x, weights, layer + "intermediate.dense"))
        x = norm(
            x + dense(inner, weights, layer + "output.dense"), weights, layer + "output.LayerNorm"
        )
    return x


def attention(x, weights, layer, heads):
    q, k, v = (
        dense(x, weights, f"{layer}attention.self.{name}") for name in ("query", "key", "value")
    )
    size = x.shape[1] // heads
    out = np.zeros_like(x)
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        for i in range(len(x)):
            scores = np.exp([q[i, part] @ k[j, part] / math.sqrt(size) for j in range(len(x))])
            out[i, part] = sum(s * v[j, part] for j, s in enumerate(scores / scores.sum()))
    return out


def dense(x, weights, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def norm(x, weights, name):
    out = [(row - row.mean()) / math.sqrt(row.var() + 1e-12) for row in x]
    return np.array(out) * weights[name + ".weight"] + weights[name + ".bias"]


def gelu(x):
    return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
