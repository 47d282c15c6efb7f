"""Chunkers are shared by threads, and warmed up."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from scission import SemanticChunker
from tests.helpers import PLAIN, hashed_words

TEXTS = [
    f"# Title {i}\n\n"
    + "Ships sail. The sea is wide. " * (i + 1)
    + "\n\nBread rises. The oven is hot."
    for i in range(8 if PLAIN else 24)
]

CHUNKERS = {
    "default": SemanticChunker,
    "sizes": lambda: SemanticChunker(max_tokens=16, overlap_sentences=1),
    "threshold": lambda: SemanticChunker(breakpoints="percentile", distances="windows"),
    "target": lambda: SemanticChunker(target_tokens=40),
    "callable": lambda: SemanticChunker(model=hashed_words),
    "splitter": lambda: SemanticChunker(splitter=lambda text: text.splitlines(keepends=True)),
}


@pytest.mark.parametrize("kind", CHUNKERS)
def test_threads_share_a_chunker(kind):
    chunker = CHUNKERS[kind]()
    alone = [chunker.chunk_batch([text], embeddings=True) for text in TEXTS]
    barrier = Barrier(6)

    def work(shift):
        barrier.wait(60)
        order = np.roll(np.arange(len(TEXTS)), shift)
        return {i: chunker.chunk_batch([TEXTS[i]], embeddings=True) for i in order.tolist()}

    with ThreadPoolExecutor(6) as pool:
        for results in pool.map(work, range(6)):
            for i, batch in results.items():
                assert list(batch) == list(alone[i])
                np.testing.assert_array_equal(batch.vectors, alone[i].vectors)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled under NUMBA_DISABLE_JIT=1")
def test_the_first_calls_may_come_from_several_threads():
    """Lazy parts (models, vocabularies, kernels) are made once or twice, never half."""
    program = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Barrier\n"
        "import scission\n"
        "barrier = Barrier(4)\n"
        "def work(i):\n"
        "    barrier.wait()\n"
        "    return scission.SemanticChunker().chunk('Ships sail. The sea is wide. Bread rises.')\n"
        "with ThreadPoolExecutor(4) as pool: results = list(pool.map(work, range(4)))\n"
        "assert all(chunks == results[0] for chunks in results)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled under NUMBA_DISABLE_JIT=1")
def test_warmup_leaves_nothing_to_compile():
    program = (
        "import importlib, pkgutil, scission, scission.kernels\n"
        "names = [n for _, n, _ in pkgutil.iter_modules(scission.kernels.__path__) if n != '_jit']\n"
        "def compiled():\n"
        "    found = {}\n"
        "    for name in names:\n"
        "        module = importlib.import_module('scission.kernels.' + name)\n"
        "        for key, value in vars(module).items():\n"
        "            if getattr(value, 'signatures', None) and not key.startswith('_'):\n"
        "                found[name + '.' + key] = len(value.signatures)\n"
        "    return found\n"
        "chunker = scission.SemanticChunker(max_tokens=64)\n"
        "assert chunker.warmup() is chunker\n"
        "before = compiled()\n"
        "assert before\n"
        "text = open('README.md', encoding='utf-8').read()\n"
        "chunker.chunk_batch([text, 'x' * 5000, 'No end ' * 500, '', 'One. Two.'], embeddings=True)\n"
        "assert compiled() == before, (before, compiled())\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
