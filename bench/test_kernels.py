"""Time of each kernel: ``pytest bench --benchmark-enable``."""

import importlib

import numpy as np
import pytest

from bench.cases import CASES, group, text
from scission.text import TextBuffer
from scission.tokens import default_vocabulary, tokenize
from scission.units import find_units

SIZE = 20_000


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.kernel)
def test_kernel(case, benchmark):
    file, name = case.kernel.split(".")
    kernel = getattr(importlib.import_module(f"scission.kernels.{file}"), name)
    arguments, outputs = case.make(SIZE)
    benchmark(kernel, *arguments, *outputs)


def test_find_units(benchmark):
    buffer = TextBuffer.from_texts([text(SIZE)])
    benchmark.extra_info["bytes"] = len(buffer.data)
    benchmark(find_units, buffer)


def test_tokenize(benchmark):
    buffer = TextBuffer.from_texts([text(SIZE)])
    units = find_units(buffer)
    benchmark.extra_info["bytes"] = len(buffer.data)
    benchmark(tokenize, buffer, units, default_vocabulary())


@pytest.mark.parametrize("target", [0, 100], ids=["topics", "target"])
def test_partition(benchmark, target):
    from scission.chunkers.limits import Limits
    from scission.chunkers.measure import measure
    from scission.chunkers.partition import PartitionRule
    from scission.embed.static import StaticEmbedder

    measured = measure(group(SIZE), StaticEmbedder.load_embedded(), 0)
    rule = PartitionRule(Limits(max_tokens=512), target)
    assert np.count_nonzero(benchmark(rule.decide, measured).cuts) > 1
