"""A service under load: latency and throughput with 1, 8 and 64 concurrent callers, batched or one call at a time.

python -m bench.service                                  # the embedded model
python -m bench.service --model all-MiniLM-L6-v2 --documents 128

Every caller sends the next document when it has the chunks of the last. The ways are measured in turn, several rounds,
on wall time, since waiting is what a caller feels; read them against each other and not as absolute figures.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.data import DATA, prose
from scission import SemanticChunker
from scission.aio import Batcher

Ask = Callable[[str], Awaitable[Any]]
Way = Callable[[SemanticChunker], AbstractAsyncContextManager[Ask]]


@asynccontextmanager
async def one_at_a_time(chunker: SemanticChunker) -> Any:
    """Give each call to the same single thread: what a service does without batching."""
    with ThreadPoolExecutor(1) as pool:

        async def ask(text: str) -> Any:
            return await asyncio.get_running_loop().run_in_executor(pool, chunker.chunk, text)

        yield ask


def batched(deadline: float, max_batch: int) -> Way:
    """Merge calls that arrive within `deadline` seconds."""

    @asynccontextmanager
    async def way(chunker: SemanticChunker) -> Any:
        async with Batcher(chunker, deadline=deadline, max_batch=max_batch) as batcher:
            yield batcher.chunk

    return way


async def load(ask: Ask, texts: list[str], callers: int) -> dict[str, float]:
    """Send every text once, from so many callers at a time."""
    waiting = iter(texts)
    seconds: list[float] = []

    async def caller() -> None:
        for text in waiting:
            began = time.perf_counter()
            await ask(text)
            seconds.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    took = time.perf_counter() - began
    middle, late = np.percentile(seconds, [50, 99])
    return {"p50_ms": middle * 1e3, "p99_ms": late * 1e3, "documents_per_s": len(texts) / took}


async def measure(
    chunker: SemanticChunker,
    ways: dict[str, Way],
    texts: list[str],
    callers: int,
    rounds: int,
) -> dict[str, dict[str, float]]:
    """Run the ways in turn; medians over the rounds."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            async with way(chunker) as ask:
                found[name].append(await load(ask, texts, callers))
    return {
        name: {key: median(run[key] for run in runs) for key in runs[0]}
        for name, runs in found.items()
    }


def sample(documents: int, characters: int) -> list[str]:
    """Prose of the evaluation data where it is, else made-up sentences; each text another one."""
    if DATA.is_dir():
        texts = prose(documents)
    else:
        from bench.cases import text

        texts = [f"Document {i}. {text(60)}" for i in range(documents)]
    return [text[:characters] for text in texts]


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="minilm-static")
    parser.add_argument("--device")
    parser.add_argument("--precision")
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--documents", type=int, default=1024, help="in each round")
    parser.add_argument("--characters", type=int, default=4000, help="of a document, at most")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-batch", type=int, default=64)
    parser.add_argument("-o", "--output", type=Path, help="write the figures there as JSON")
    options = parser.parse_args(arguments)
    chunker = SemanticChunker(
        model=options.model, device=options.device, precision=options.precision
    ).warmup()
    texts = sample(options.documents, options.characters)
    ways: dict[str, Way] = {
        "one at a time": one_at_a_time,
        "batched, 2 ms": batched(0.002, options.max_batch),
        "batched, 0 ms": batched(0.0, options.max_batch),
    }
    results: dict[str, Any] = {"model": options.model, "documents": len(texts), "callers": {}}
    print(f"| {options.model} | callers | p50 ms | p99 ms | docs/s | against one at a time |")
    print("|---|---:|---:|---:|---:|---:|")
    for callers in options.callers:
        found = asyncio.run(measure(chunker, ways, texts, callers, options.rounds))
        results["callers"][callers] = found
        alone = found["one at a time"]["documents_per_s"]
        for name, run in found.items():
            print(
                f"| {name} | {callers} | {run['p50_ms']:.2f} | {run['p99_ms']:.2f} | "
                f"{run['documents_per_s']:,.0f} | {run['documents_per_s'] / alone:.2f} x |"
            )
    if options.output is not None:
        options.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return results


if __name__ == "__main__":
    main()
