"""A transformer on a GPU: is it right, how fast is it, and where does the time go. One script, nothing to prepare.

pip install 'scission[gpu]' && python -m bench.gpu
python -m bench.gpu --model bge-small-en-v1.5            # real weights: fetched, or there
python -m bench.gpu --device cpu --precision int8 --layers 2 --documents 16 --budgets 512 4096

Without ``--model`` it makes a checkpoint of bge-small's exact shape (12 layers, 384, 12 heads, 1536, CLS) with seeded
random weights: as fast as the real one, and right or wrong in the same way. Documents come from the evaluation data
where it is, else they are made up.

- Right: vectors against those of float32 on the CPU. Cosines are taken after the mean vector has been taken off, since
  what all vectors share would hide a difference.
- Fast: documents and tokens per second of `SemanticChunker.chunk_batch`, for several budgets of tokens in a batch, and
  the share of padding among what the model was given.
- Where: sentences and tokens (the kernels that take text apart), the model (``session.run``, copies included), and the
  rest (distances, partition, chunk vectors, Python). One worker, so that they add up.
- Latency: one document a call, after a warm-up.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.service import sample
from scission import SemanticChunker
from scission.embed import providers
from scission.embed.catalogue import CATALOGUE
from scission.embed.download import checkpoint
from scission.embed.onnx import OnnxEmbedder
from scission.text import TextBuffer
from scission.tokens import default_vocabulary

HIDDEN, HEADS, INNER, POSITIONS = 384, 12, 1536, 512


def write_random_checkpoint(folder: Path, layers: int, seed: int = 0) -> Path:
    """Write a checkpoint of bge-small's shape; the weights are normal, wide enough for vectors to differ."""
    from safetensors.numpy import save_file

    words = default_vocabulary().tokens
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "num_hidden_layers": layers,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
    }
    random = np.random.default_rng(seed)
    weights = {
        name: random.normal(float(name.endswith("Norm.weight")), 0.05, shape).astype(np.float32)
        for name, shape in _shapes(len(words), layers).items()
    }
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(words)))
    save_file(weights, folder / "model.safetensors")
    return folder


def _shapes(vocabulary: int, layers: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (vocabulary, HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
    }
    dense = {f"attention.self.{part}": (HIDDEN, HIDDEN) for part in ("query", "key", "value")}
    dense["attention.output.dense"] = (HIDDEN, HIDDEN)
    dense["intermediate.dense"] = (INNER, HIDDEN)
    dense["output.dense"] = (HIDDEN, INNER)
    norms = ["embeddings.LayerNorm"]
    for number in range(layers):
        layer = f"encoder.layer.{number}."
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
        for name, shape in dense.items():
            shapes[f"{layer}{name}.weight"] = shape
            shapes[f"{layer}{name}.bias"] = shape[:1]
    for name in norms:
        shapes[f"{name}.weight"] = shapes[f"{name}.bias"] = (HIDDEN,)
    return shapes


def _tokenizer(words: list[str]) -> dict[str, Any]:
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {
        "added_tokens": [
            {"id": words.index(word), "content": word, "special": True, **flags} for word in special
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(words)},
        },
    }


class Watched:
    """A session that keeps count of what it was given and how long it took."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.seconds, self.tokens, self.padded, self.runs = 0.0, 0, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def run(self, outputs: list[str], feeds: dict[str, Any]) -> Any:
        """Run the graph."""
        began = time.perf_counter()
        result = self._session.run(outputs, feeds)
        self.seconds += time.perf_counter() - began
        self.tokens += int(feeds["lengths"].sum())
        self.padded += feeds["ids"].size
        self.runs += 1
        return result


def opened(folder: Path, options: argparse.Namespace, budget: int | None = None) -> Any:
    """Open the model, with its session watched."""
    model = OnnxEmbedder(
        folder,
        precision=options.precision,
        device=options.device,
        threads=1,
        batch_tokens=budget,
    )
    watched = Watched(model._session)
    model._session = watched
    return model, watched


def correctness(folder: Path, options: argparse.Namespace, texts: list[str]) -> dict[str, float]:
    """Compare with float32 on the CPU."""
    wanted = OnnxEmbedder(folder, precision="fp32", device="cpu").embed(texts)
    found = opened(folder, options)[0].embed(texts)
    middle = wanted.mean(axis=0)
    cosines = np.sum(_unit(wanted - middle) * _unit(found - middle), axis=1)
    return {
        "texts": len(texts),
        "mean_cosine": float(cosines.mean()),
        "lowest_cosine": float(cosines.min()),
        "largest_difference": float(np.abs(wanted - found).max()),
    }


def _unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def throughput(
    folder: Path, options: argparse.Namespace, texts: list[str], budget: int
) -> dict[str, float]:
    """Chunk all documents; the best of the rounds, after one to warm up."""
    model, watched = opened(folder, options, budget)
    chunker = SemanticChunker(model=model)
    chunker.chunk_batch(texts, threads=1)
    best: dict[str, float] = {}
    for _ in range(options.rounds):
        watched.seconds, watched.tokens, watched.padded, watched.runs = 0.0, 0, 0, 0
        began = time.perf_counter()
        batch = chunker.chunk_batch(texts, threads=1)
        seconds = time.perf_counter() - began
        if best and seconds >= best["seconds"]:
            continue
        apart = _seconds_taken_apart(chunker, texts)
        best = {
            "batch_tokens": budget,
            "seconds": seconds,
            "documents_per_s": len(texts) / seconds,
            "tokens_per_s": watched.tokens / seconds,
            "model_tokens_per_text_token": watched.padded / int(batch.token_count.sum()),
            "padding": 1 - watched.tokens / watched.padded,
            "runs": watched.runs,
            "share_model": watched.seconds / seconds,
            "share_sentences_and_tokens": apart / seconds,
            "share_rest": max(0.0, 1 - (watched.seconds + apart) / seconds),
        }
    return best


def _seconds_taken_apart(chunker: SemanticChunker, texts: list[str]) -> float:
    """Time of finding sentences and tokens alone."""
    began = time.perf_counter()
    for text in texts:
        chunker._group(TextBuffer.from_texts([text]))
    return time.perf_counter() - began


def latency(folder: Path, options: argparse.Namespace, texts: list[str]) -> dict[str, float]:
    """One document a call."""
    chunker = SemanticChunker(model=opened(folder, options)[0]).warmup()
    for text in texts[:3]:
        chunker.chunk(text)
    seconds = []
    for text in texts:
        began = time.perf_counter()
        chunker.chunk(text)
        seconds.append(time.perf_counter() - began)
    middle, late = np.percentile(seconds, [50, 99])
    return {"documents": len(texts), "p50_ms": middle * 1e3, "p99_ms": late * 1e3}


def machine(options: argparse.Namespace) -> dict[str, str]:
    """Name what is measured on."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        gpu = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        gpu = "none"
    choice = providers.choose(options.device)
    return {
        "gpu": gpu,
        "machine": providers.machine(),
        "runtime": providers.describe(),
        "provider": choice.provider,
        "precision": options.precision or choice.precision,
    }


def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure everything, printing as it goes."""
    texts = sample(options.documents, options.characters)
    results: dict[str, Any] = {"machine": machine(options)}
    print("  ".join(f"{key}: {value}" for key, value in results["machine"].items()))
    sentences = [s.strip() for t in texts for s in t.split(". ") if s.strip()][: options.sentences]
    results["correctness"] = right = correctness(folder, options, sentences)
    print(
        f"right: cosine to float32 on the CPU {right['mean_cosine']:.5f} (lowest {right['lowest_cosine']:.5f}) over "
        f"{right['texts']} sentences, mean vector taken off; largest difference {right['largest_difference']:.1e}"
    )
    print("| batch budget | docs/s | tokens/s | padding | model | sentences, tokens | rest |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    results["throughput"] = []
    for budget in options.budgets:
        row = throughput(folder, options, texts, budget)
        results["throughput"].append(row)
        print(
            f"| {budget:,} | {row['documents_per_s']:,.1f} | {row['tokens_per_s']:,.0f} | {row['padding']:.1%} | "
            f"{row['share_model']:.1%} | {row['share_sentences_and_tokens']:.1%} | {row['share_rest']:.1%} |"
        )
    results["latency"] = one = latency(folder, options, texts[:200])
    print(f"latency of one document: p50 {one['p50_ms']:.2f} ms, p99 {one['p99_ms']:.2f} ms")
    return results


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Parse, measure, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a name of 'scission models list', or a folder")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--precision", help="by default what suits the device: fp16 on CUDA")
    parser.add_argument("--layers", type=int, default=12, help="of the random model")
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--characters", type=int, default=6000, help="of a document, at most")
    parser.add_argument("--sentences", type=int, default=500, help="compared with the CPU")
    parser.add_argument("--budgets", type=int, nargs="+", default=[4096, 16384, 65536, 262144])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, help="write the figures there as JSON")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        if options.model is None:
            folder = write_random_checkpoint(Path(scratch) / "random", options.layers)
        else:
            known = options.model in CATALOGUE
            folder = checkpoint(options.model) if known else Path(options.model)
        results = run(folder, options)
    if options.output is not None:
        options.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return results


if __name__ == "__main__":
    main()
