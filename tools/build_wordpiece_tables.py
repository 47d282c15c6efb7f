"""Build the tables of BERT's uncased tokeniser that ship with the package.

How a character is normalised depends on the Unicode versions inside ``tokenizers``, which are old and
differ from part to part. So nothing is taken from this Python's Unicode: every code point is put through
the reference itself.

    python tools/build_wordpiece_tables.py tokenizer.json
"""

import argparse
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokenizers import normalizers, pre_tokenizers

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "src" / "scission" / "data"

REMOVED, WHITE, ISOLATED, OTHER, MAPPED, COMPOSITE, MARK, STRIPPED = range(
    8
)  # as in kernels/wordpiece.py
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
STEM = 216  # combining class of the marks in a COMPOSITE

NORMALIZER = normalizers.BertNormalizer()
SPLITTER = pre_tokenizers.BertPreTokenizer()
NFD = normalizers.NFD()
CLEAN = normalizers.BertNormalizer(
    clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False
)


def points() -> Iterator[int]:
    """Every Unicode scalar value."""
    yield from range(0xD800)
    yield from range(0xE000, 0x110000)


def combining_classes() -> dict[int, int]:
    """Find the combining class of every mark, as the reference orders them."""
    low, high = "\u0334", "\u0345"  # of classes 1 and 240, the first and the last

    def precedes(first: str, second: str) -> bool:
        return first != second and NFD.normalize_str(second + first)[0] == first

    def is_mark(mark: str) -> bool:
        return mark in (low, high) or precedes(mark, high) or precedes(low, mark)

    # One mark for each class, among those that the reference already knows how to order.
    known: dict[int, str] = {}
    for point in points():
        order = unicodedata.combining(chr(point))
        alone = NFD.normalize_str(chr(point)) == chr(point)
        if order and order not in known and alone and is_mark(chr(point)):
            known[order] = chr(point)
    classes = {}
    for point in points():
        mark = NFD.normalize_str(chr(point))[0]
        if is_mark(mark):
            below = [order for order, other in known.items() if precedes(other, mark)]
            above = [order for order, other in known.items() if precedes(mark, other)]
            (order,) = set(known) - set(below) - set(above)
            classes[point] = order
    return classes


def classify(point: int, classes: dict[int, int]) -> tuple[int, bytes]:
    """Class of a code point and its normalised bytes, preceded by the combining class of a mark."""
    character = chr(point)
    padded = NORMALIZER.normalize_str(character)
    normalized = padded.strip(" ")
    body = normalized.encode()
    if point in classes and CLEAN.normalize_str(character):
        assert len(normalized) <= 1, hex(point)
        return MARK, bytes([classes[point]]) + body
    if not padded:
        return STRIPPED if CLEAN.normalize_str(character) else REMOVED, b""
    if not normalized:
        return WHITE, b""
    assert len(normalized) <= len(character.encode()), "capacity of n tokens would not be enough"
    if len(SPLITTER.pre_tokenize_str(f"a{normalized}b")) == 3 or padded != normalized:
        assert len(normalized) == 1, hex(point)
        return ISOLATED, b"" if normalized == character else body
    if normalized == character:
        return OTHER, b""
    stems = [c for c in normalized[1:] if ord(c) in classes]
    if stems:
        assert list(normalized[1:]) == stems, hex(point)
        assert all(classes[ord(c)] == STEM and len(c.encode()) == 4 for c in stems), hex(point)
        assert len(normalized[0].encode()) == 4, hex(point)
        return COMPOSITE, body
    return MAPPED, body


def build_characters() -> dict[str, np.ndarray]:
    """Two-stage table over all code points, and the pool of their normalised bytes."""
    classes = combining_classes()
    pool = bytearray(LETTERS.encode())
    entries = np.zeros(0x110000, dtype=np.int32)  # surrogates stay REMOVED
    found: dict[bytes, int] = {b"": 0}
    for point in points():
        kind, body = classify(point, classes)
        if body not in found:
            found[body] = len(pool)
            pool += body
        size = len(body) - (kind == MARK)
        assert size < 16
        entries[point] = kind | size << 4 | found[body] << 8
    letters = np.full(256, OTHER, dtype=np.uint8)
    for byte in range(128):
        character = chr(byte).lower()
        kind = entries[byte] & 15
        letters[byte] = 4 + LETTERS.index(character) if character in LETTERS else kind
    rows, pages = np.unique(entries.reshape(-1, 256), axis=0, return_inverse=True)
    starts = 0x1100 + 256 * pages.reshape(-1)
    return {
        "letters": letters,
        "points": np.concatenate([starts, rows.reshape(-1)]).astype(np.int32),
        "pool": np.frombuffer(bytes(pool), dtype=np.uint8),
    }


def main(arguments: list[str]) -> None:
    """Write ``data/characters/bert_*.npy`` and ``data/bert-uncased/*.npy``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "tokenizer", help="tokenizer.json of a BERT uncased model, such as all-MiniLM-L6-v2"
    )
    parser.add_argument("--keep-characters", action="store_true", help="build the vocabulary only")
    options = parser.parse_args(arguments)
    if not options.keep_characters:
        (DATA / "characters").mkdir(parents=True, exist_ok=True)
        for name, table in build_characters().items():
            np.save(DATA / "characters" / f"bert_{name}.npy", table)

    from scission.embed.vocabulary import Vocabulary

    Vocabulary.from_tokenizer(options.tokenizer).save(DATA / "bert-uncased")


if __name__ == "__main__":
    main(sys.argv[1:])
