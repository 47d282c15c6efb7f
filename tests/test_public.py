"""The public surface: names, docstrings, what an import costs, and how kernels are compiled."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest
import scission.kernels

import scission
from tests import naive
from tests.helpers import PLAIN

KERNELS = [name for _, name, _ in pkgutil.iter_modules(scission.kernels.__path__) if name != "_jit"]


def compiled(module):
    """The public kernels of a module."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and getattr(value, "__module__", None) == module.__name__
    }


def test_all_is_sorted_and_every_name_exists():
    assert scission.__all__ == sorted(scission.__all__)
    for name in scission.__all__:
        assert getattr(scission, name) is not None
        assert name in dir(scission)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scission.nothing


def test_public_names_are_documented():
    for name in scission.__all__:
        value = getattr(scission, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
        if inspect.isclass(value):
            for member, method in vars(value).items():
                if not member.startswith("_") and callable(method):
                    assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"


def test_import_loads_neither_numba_nor_a_runtime():
    program = (
        "import sys, scission; "
        "heavy = {'numba', 'llvmlite', 'onnxruntime', 'pyarrow', 'numpy', 'tqdm'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_has_a_twin_of_the_same_name(name):
    module = importlib.import_module(f"scission.kernels.{name}")
    twins = vars(getattr(naive, name))
    # Into a number of segments: what it promises is a test of its own, no second way to find it.
    missing = [kernel for kernel in compiled(module) if kernel not in {*twins, "partition_into"}]
    assert not missing


def test_kernels_import_numpy_and_numba_only():
    program = (
        "import sys; before = set(sys.modules); import numpy, numba; base = set(sys.modules)\n"
        "import importlib\n"
        f"for name in {KERNELS!r}: importlib.import_module('scission.kernels.' + name)\n"
        "new = {m.split('.')[0] for m in set(sys.modules) - base} - {'scission'}\n"
        "assert not new - set(sys.stdlib_module_names), new"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled under NUMBA_DISABLE_JIT=1")
def test_every_kernel_has_one_compiled_signature_after_the_main_job():
    """Two signatures mean that some caller passes another dtype or layout, and pays for another compilation."""
    program = (
        "import importlib\n"
        "from scission.warmup import warmup\n"
        "import scission, pyarrow\n"
        "warmup()\n"
        "scission.SemanticChunker().chunk_batch(pyarrow.array(['One. Two.', 'Three.']), embeddings=True)\n"
        "scission.SemanticChunker().breakpoints(['One.', 'Two.', 'Three.'])\n"
        "scission.SemanticChunker(model=lambda t: [[1.0, 2.0]] * len(t)).chunk('One. Two. Three.')\n"
        "import re\n"
        "for chunker in (scission.FixedChunker(overlap=2), scission.RecursiveChunker(max_characters=9),\n"
        "                scission.RecursiveChunker(tokenizer=len, separators=[re.compile(' ')], fill=0)):\n"
        "    chunker.chunk_batch(pyarrow.array(['One. Two.', 'Éins.']))\n"
        "    chunker.chunk('One. Two.')\n"
        "bad = {}\n"
        f"for name in {KERNELS!r}:\n"
        "    module = importlib.import_module('scission.kernels.' + name)\n"
        "    for key, value in vars(module).items():\n"
        "        signatures = getattr(value, 'signatures', None)\n"
        "        if signatures is not None and value.py_func.__module__ == module.__name__ and len(signatures) > 1:\n"
        "            bad[name + '.' + key] = signatures\n"
        "assert not bad, bad\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
