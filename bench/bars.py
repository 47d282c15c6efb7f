"""The bars that the project holds itself to, measured.

    python -m bench.bars [NAME ...] [-o bench/results.json]

Each prints its figures and whether they clear the bar. Speeds are CPU time, single thread, interleaved with
what they are compared with, as the median of ratios: absolute figures belong to the machine of the day.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench import golden, limited, parity, segmentation, structure, transformer
from bench.data import megabytes, prose
from bench.reference import hugging_face
from bench.rows import Row, row
from bench.timing import interleaved, per_byte, ratio, run_python


def static() -> list[Row]:
    """Text in, ChunkBatch out, with the embedded model."""
    from scission import SemanticChunker

    texts = prose()
    few = texts[::10]
    chunker, reference = SemanticChunker(), hugging_face()

    def encode() -> None:
        for text in few:
            reference.encode(text)

    works: dict[str, Callable[[], object]] = {
        "scission": lambda: chunker.chunk_batch(texts, threads=1),
        "with vectors": lambda: chunker.chunk_batch(texts, threads=1, embeddings=True),
        "HF encode": encode,
    }
    share = megabytes(texts) / megabytes(few)
    peers = chonkie_peers(few)
    works.update(peers)
    times = interleaved(works)
    speed = megabytes(texts) / min(times["scission"])
    rows = [
        row(
            "semantic chunks, embedded model, one core",
            speed,
            ">= 50 on a quiet machine",
            speed >= 50,
            "MB/s",
        ),
        row(
            "the same with chunk vectors",
            megabytes(texts) / min(times["with vectors"]),
            "",
            True,
            "MB/s",
        ),
        row("documents", len(texts) / min(times["scission"]), "", True, "docs/s"),
    ]
    times_faster = share * ratio(times, "HF encode", "scission")
    rows.append(
        row("against HF tokenizers' encode alone", times_faster, ">= 10", times_faster >= 10, "x")
    )
    for name in peers:
        times_faster = share * ratio(times, name, "scission")
        bar = ">= 15" if name.endswith("free") else ""
        rows.append(row(f"against {name}", times_faster, bar, not bar or times_faster >= 15, "x"))
    return rows


def chonkie_peers(texts: list[str]) -> dict[str, Callable[[], object]]:
    """Chonkie's semantic chunker with an embedder that costs nothing; none where it is not installed.

    It counts sizes with its model's tokenizer; the second peer counts characters instead, which costs
    nothing either.
    """
    try:
        title = f"chonkie {version('chonkie')} SemanticChunker, embedder free"
    except PackageNotFoundError:
        return {}
    return {
        title: _chonkie(texts, hugging_face(), 512),
        f"{title}, counting characters": _chonkie(texts, len, 2300),
    }


def _chonkie(texts: list[str], tokenizer: Any, size: int) -> Callable[[], object]:
    from chonkie import SemanticChunker as Peer
    from chonkie.embeddings import BaseEmbeddings

    table = np.random.default_rng(0).normal(size=(1024, 128)).astype(np.float32)

    class Free(BaseEmbeddings):  # type: ignore[misc]
        @property
        def dimension(self) -> int:
            return 128

        def embed(self, text: str) -> Any:
            return table[len(text) % 1024]

        def embed_batch(self, texts: list[str]) -> Any:
            return [table[len(text) % 1024] for text in texts]

        def similarity(self, u: Any, v: Any) -> Any:
            return np.float32(u @ v / np.sqrt((u @ u) * (v @ v)))

        def get_tokenizer(self) -> Any:
            return tokenizer

        @classmethod
        def is_available(cls) -> bool:
            return True

        def __repr__(self) -> str:
            return "Free()"

    peer = Peer(embedding_model=Free(), chunk_size=size)

    def work() -> None:
        for text in texts:
            peer.chunk(text)

    return work


def tokenizer() -> list[Row]:
    """Time the WordPiece kernel against HF tokenizers; that both agree is a test."""
    from scission.text import TextBuffer
    from scission.tokens import default_vocabulary, tokenize
    from scission.units import find_units

    texts = prose()
    few = texts[::10]
    buffer = TextBuffer.from_texts(texts)
    units = find_units(buffer)
    reference = hugging_face()

    def encode() -> None:
        for text in few:
            reference.encode(text)

    times = interleaved(
        {"kernel": lambda: tokenize(buffer, units, default_vocabulary()), "HF": encode}, rounds=7
    )
    faster = megabytes(texts) / megabytes(few) * ratio(times, "HF", "kernel")
    speed = megabytes(texts) / min(times["kernel"])
    return [
        row("WordPiece kernel, ids and spans, one core", speed, "", True, "MB/s"),
        row(f"against HF tokenizers {version('tokenizers')}", faster, ">= 25", faster >= 25, "x"),
    ]


def start() -> list[Row]:
    """Import and first chunk, in fresh interpreters."""
    bare = median(run_python("pass")[0] for _ in range(7))
    # A millisecond is less than what the machine's mood adds to either.
    imported = max(0.0, median(run_python("import scission")[0] for _ in range(7)) - bare)
    first = "import scission; scission.chunk('One thing. Another thing. A third thing.')"
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "NUMBA_CACHE_DIR": cache}
        cold = run_python(first, env)[0] - bare
        warm = median(run_python(first, env)[0] for _ in range(5)) - bare
    return [
        row("import scission, beyond Python", 1000 * imported, "< 60", imported < 0.06, "ms"),
        row("first chunk, kernels in the cache", warm, "<= 1.5", warm <= 1.5, "s"),
        row("first chunk, fresh install", cold, "<= 15", cold <= 15, "s"),
    ]


def memory() -> list[Row]:
    """Peak memory of a process that streams a gigabyte."""
    program = (
        "from bench.data import prose\n"
        "from scission import SemanticChunker\n"
        "texts = prose()\n"
        "size = sum(len(t.encode()) for t in texts)\n"
        "def documents():\n"
        "    seen = 0\n"
        "    while seen < 1e9:\n"
        "        for text in texts:\n"
        "            yield text[:-1] + 'x'\n"
        "        seen += size\n"
        "n = sum(len(batch) for batch in SemanticChunker().stream(documents()))\n"
    )
    _, peak = run_python(program)
    return [row("streaming 1 GB of text, peak memory", peak / 1e6, "< 400", peak < 400e6, "MB")]


def linear() -> list[Row]:
    """User CPU time per byte of one document, at 1 MB and at 100 MB."""
    from scission import SemanticChunker

    chunker = SemanticChunker()
    joined = "\n\n".join(prose())
    kinds = {
        "prose": lambda size: (joined * (size // len(joined) + 1))[:size],
        "one line": lambda size: (joined.replace("\n", " ") * (size // len(joined) + 1))[:size],
        "one line without blanks": lambda size: ("abcdefghij0123456789/" * (size // 21 + 1))[:size],
        "one word": lambda size: "a" * size,
    }
    rows = []
    for kind, make in kinds.items():
        short = per_byte(chunker, make(1_000_000), 20)
        growth = per_byte(chunker, make(100_000_000), 2) / short
        label = f"{kind}: time per byte at 100 MB against 1 MB"
        rows.append(row(label, growth, "linear: < 2", growth < 2, "x"))
    return rows


def sentences() -> list[Row]:
    """Golden rules, and F1 in running text."""
    kept, total, failed = golden.golden_rules()
    print("  not kept:", "; ".join(failed) or "none")
    rows = [row(f"English golden rules kept, of {total}", kept, ">= 46", kept >= 46)]
    for name in ("ud_en_ewt_dev", "ud_zh_gsd_test", "ud_ja_gsd_test", "ud_hi_pud_test"):
        rows.append(row(f"sentence ends, F1, {name}", golden.boundary_f1(name), "", True, "%"))
    return rows


def pk() -> list[Row]:
    """Pk of the default at gold sentences, sizes not limited."""
    from scission import SemanticChunker

    chunker = SemanticChunker(max_tokens=None)
    rows = []
    for name, bar in segmentation.BARS.items():
        found = segmentation.score(name, {"static": chunker.breakpoints})
        for label, key in (("static", "static"), ("no cuts", "none"), ("uniform", "uniform")):
            figure = 100 * found[key].pk
            limit = f"<= {bar:g}" if key == "static" else ""
            rows.append(row(f"Pk, {label}, {name}", figure, limit, not limit or figure <= bar, "%"))
    return rows


MEASURES: dict[str, Callable[[], list[Row]]] = {
    "static": static,
    "tokenizer": tokenizer,
    "start": start,
    "memory": memory,
    "linear": linear,
    "sentences": sentences,
    "pk": pk,
    "characters": limited.characters,
    "tokens": limited.tokens,
    "limited_linear": limited.linear,
    "parity": parity.rows,
    "structure": structure.speed,
    **transformer.MEASURES,
}


def measured(names: list[str]) -> Iterator[tuple[str, list[Row]]]:
    """Run the measures, printing as they come."""
    for name in names:
        print(name)
        rows = MEASURES[name]()
        for entry in rows:
            verdict = (
                ""
                if not entry["bar"]
                else f"   {entry['bar']}: {'yes' if entry['cleared'] else 'NO'}"
            )
            print(f"  {entry['what']:<64}{entry['figure']:>10,.2f} {entry['unit']:<7}{verdict}")
        yield name, rows


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", choices=[*MEASURES, []], help="by default all that need no model"
    )
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    plain = [name for name in MEASURES if name not in transformer.MEASURES]
    results = dict(measured(options.names or plain))
    if options.output:
        known = json.loads(options.output.read_text()) if options.output.exists() else {}
        known.update(results)
        known["machine"] = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "processor": platform.machine(),
            "numpy": version("numpy"),
            "numba": version("numba"),
        }
        options.output.write_text(
            json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
