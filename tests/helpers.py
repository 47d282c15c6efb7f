"""What several test files share."""

import os
from pathlib import Path

import numba
import numpy as np
import pytest

#: Whether the kernels run as plain Python, a hundred times slower.
PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"

#: The evaluation data, beside the project's folder unless told otherwise.
DATA = Path(
    os.environ.get("SCISSION_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the evaluation data is not at {DATA}")


def wild_files():
    """The awkward real files, by name."""
    folder = DATA / "wild"
    return (
        sorted(path.name for path in folder.iterdir() if path.suffix != ".tsv")
        if folder.is_dir()
        else []
    )


def wild_text(name, most=None):
    """One of them as text; those that are not UTF-8 are read as what they are."""
    data = (DATA / "wild" / name).read_bytes()
    for encoding in ("utf-8", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text if most is None else text[:most]
    raise AssertionError(name)


def hashed_words(texts, dimensions=16):
    """A toy model: each word adds one to a component that its letters choose."""
    out = np.zeros((len(texts), dimensions), np.float32)
    for i, text in enumerate(texts):
        for word in text.lower().split():
            out[i, sum(map(ord, word)) % dimensions] += 1
        out[i, 0] += 0.01
    return out


def exposed(kernel):
    """A kernel that only other kernels call, made callable from Python."""
    if PLAIN:
        return kernel
    return numba.njit(lambda *arguments: kernel(*arguments))


def assert_tiles(text, chunks):
    """Chunks are verbatim, in order, and leave nothing out."""
    assert "".join(chunk.text for chunk in chunks) == text
    position = 0
    for index, chunk in enumerate(chunks):
        assert chunk.start == position
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text
        assert chunk.index == index
        position = chunk.end
    assert position == len(text)
