"""Build the character and abbreviation tables under src/scission/data/characters.

Run it when the `regex` package moves to a new Unicode version or when abbreviations.txt changes::

    python tools/build_character_tables.py

The result is committed: at run time neither `regex` nor the text file is read.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import regex

DATA = Path(__file__).resolve().parent.parent / "src" / "scission" / "data"
OUTPUT = DATA / "characters"
BLOCK = 64  # code points per block: one lead and second byte of a three-byte sequence

# Grapheme classes, the low five bits of a record (UAX #29, table 2, split where GB9c asks for it).
GRAPHEME = {
    "Other": 0, "CR": 1, "LF": 2, "Control": 3, "Extend": 4, "Linker": 5, "ZWJ": 6,
    "Regional_Indicator": 7, "Prepend": 8, "SpacingMark": 9, "L": 10, "V": 11, "T": 12, "LV": 13,
    "LVT": 14, "Pictographic": 15, "Consonant": 16, "Nonjoiner": 17, "Loose_Linker": 18,
}  # fmt: skip

# Sentence classes, the bits above. Their order matters: kernels/sentences.py compares them.
SENTENCE = {
    "Other": 0, "Upper": 1, "Lower": 2, "Letter": 3, "Digit": 4, "Space": 5, "Continuation": 6, "Extend": 7,
    "Comma": 8, "Open": 9, "Quote": 10, "Close": 11, "Parenthesis": 12, "Colon": 13, "Title": 14, "Bullet": 15,
    "Stop": 16, "Terminator": 17, "Full": 18, "Break": 19, "End": 20, "Lead": 21,
}  # fmt: skip

BREAKS = "\n\v\f\r\x85\u2028\u2029"
SPACES = "\t\x1c\x1d\x1e\x1f"
STOPS = ".\u2024\uff0e\ufe52"
# Terminators that end a sentence only before white space, as "!" and "?" do, and the ellipsis.
SPACED = "!?\u203c\u203d\u2047\u2048\u2049\u2026"
# Tibetan shad and its kin end a clause as a danda does; Unicode leaves them out of STerm.
MORE_FULL = "\u0f0d\u0f0e\u0f0f\u0f10\u0f11"
QUOTES = "\"'`"
BULLETS = (
    "\u2022\u2023\u2043\u2219\u25aa\u25ab\u25cb\u25cf\u25a0\u25a1\u25b6\u25b8\u25ba\u25e6\u2605\u2606"
    "\u2794\u27a2\u27a4\u2713\u2714\u2610\u2611\u2612\u204c\u204d\uf0b7\u30fb\u00b7"
)

ABBREVIATION_FLAGS = {
    "NAMING": 1, "REFERENCE": 2, "GENERAL": 3, "FINAL": 4, "INNER": 5, "MONTH": 6, "TIME": 7,
    "MEASURE": 8, "LABEL": 9, "PLACE": 10,
}  # fmt: skip
STARTER = 16


def members(name: str) -> set[int]:
    """Return the code points that have the Unicode property `name`."""
    pattern = regex.compile(rf"\p{{{name}}}")
    return {code for code in range(0x110000) if pattern.match(chr(code))}


def grapheme_classes() -> np.ndarray:
    """Return the grapheme class of every code point."""
    classes = np.zeros(0x110000, np.uint16)
    for name in (
        "Control",
        "Extend",
        "ZWJ",
        "Prepend",
        "SpacingMark",
        "L",
        "V",
        "T",
        "LV",
        "LVT",
        "CR",
        "LF",
    ):
        classes[sorted(members(f"GCB={name}"))] = GRAPHEME[name]
    classes[sorted(members("GCB=Regional_Indicator"))] = GRAPHEME["Regional_Indicator"]
    extend, linkers = members("GCB=Extend"), members("InCB=Linker")
    classes[sorted(extend - linkers - members("InCB=Extend"))] = GRAPHEME["Nonjoiner"]
    classes[sorted(linkers & extend)] = GRAPHEME["Linker"]
    classes[sorted(linkers - extend)] = GRAPHEME["Loose_Linker"]
    classes[sorted(members("InCB=Consonant"))] = GRAPHEME["Consonant"]
    classes[sorted(members("Extended_Pictographic"))] = GRAPHEME["Pictographic"]
    return classes


def sentence_classes() -> np.ndarray:
    """Return the sentence class of every code point; later lines win."""
    classes = np.zeros(0x110000, np.uint16)

    def put(name: str, codes: set[int] | str) -> None:
        codes = {ord(c) for c in codes} if isinstance(codes, str) else codes
        classes[sorted(codes)] = SENTENCE[name]

    put("Letter", members("Alphabetic") | members("SB=OLetter"))
    put("Lower", members("SB=Lower"))
    put("Upper", members("SB=Upper"))
    put("Digit", members("Nd"))
    put("Extend", members("M") | members("Cf") | members("SB=Extend") | members("SB=Format"))
    # No unit begins inside a grapheme cluster: with a vowel of Thai, say, or after an Arabic number sign.
    put("Extend", members("GCB=SpacingMark"))
    put("Letter", members("GCB=Prepend"))
    put("Comma", members("SB=SContinue"))
    put("Close", members("Pe") | members("Pf"))
    put("Open", members("Ps") | members("Pi") | {0xA1, 0xBF})
    put("Quote", QUOTES)
    put("Space", members("Zs"))
    put("Space", SPACES)
    put("Break", BREAKS)
    put("Full", (members("Sentence_Terminal") | {ord(c) for c in MORE_FULL}))
    put("Terminator", SPACED)
    put("Stop", STOPS)
    put("Bullet", BULLETS)
    put("Colon", ":;")
    put("Parenthesis", ")")
    put("Title", "\u300a\u300b")
    return classes


def two_stage(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (offsets of the block of each 64 code points, the distinct blocks end to end)."""
    blocks = records.reshape(-1, BLOCK)
    distinct, index = np.unique(blocks, axis=0, return_inverse=True)
    return (index.reshape(-1) * BLOCK).astype(np.uint16), distinct.reshape(-1)


def byte_classes(sentence: np.ndarray) -> np.ndarray:
    """Return the sentence class of each byte: of the ASCII character, or where it stands in a sequence."""
    classes = np.zeros(256, np.uint8)
    classes[:0x80] = sentence[:0x80]
    classes[0x80:0xC2] = SENTENCE["Continuation"]
    classes[0xC2:0xF5] = SENTENCE["Lead"]
    return classes


def word_hash(word: bytes) -> int:
    """Return the 53-bit polynomial hash that the sentence kernel computes."""
    value = 1
    for byte in word:
        value = (value * 131 + byte) & ((1 << 53) - 1)
    return value


def read_abbreviations(path: Path) -> dict[str, int]:
    """Return word -> flags. Sections are `[NAME]`, words are separated by white space."""
    words: dict[str, int] = {}
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[]")
            continue
        for word in text.split():
            if section == "STARTER":
                words[word] = words.get(word, 0) | STARTER
            else:
                if words.get(word, 0) & 15:
                    raise SystemExit(f"{path.name}: {word!r} stands in two sections; keep one")
                words[word] = words.get(word, 0) | ABBREVIATION_FLAGS[section]
    return words


def variants(word: str) -> set[bytes]:
    """Return the spellings to store: the kernel lowers ASCII only."""
    cases = {word, word.lower(), word.upper(), word[:1].upper() + word[1:]}
    return {
        "".join(
            c.lower() if c.isascii() else c for c in unicodedata.normalize("NFC", case)
        ).encode()
        for case in cases
    }


def word_table(words: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return (hashes, flags), an open-addressed table that is at most a quarter full."""
    entries: dict[int, tuple[bytes, int]] = {}
    for word, flags in words.items():
        for spelling in variants(word):
            key = word_hash(spelling)
            seen, old = entries.get(key, (spelling, 0))
            if seen != spelling:
                raise SystemExit(f"{seen!r} and {spelling!r} have one hash; change the multiplier")
            entries[key] = (spelling, (old | flags) & STARTER | (flags & 15 or old & 15))
    size = 1 << (4 * len(entries) - 1).bit_length()
    hashes, flags_of = np.zeros(size, np.int64), np.zeros(size, np.uint8)
    for key, (_, flags) in entries.items():
        slot = (key ^ key >> 20) & size - 1
        while hashes[slot]:
            slot = slot + 1 & size - 1
        hashes[slot], flags_of[slot] = key, flags
    return hashes, flags_of


def main() -> None:
    """Write every table."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    sentence = sentence_classes()
    blocks, records = two_stage(grapheme_classes() | sentence << 5)
    hashes, flags = word_table(read_abbreviations(DATA / "abbreviations.txt"))
    tables = {
        "blocks": blocks, "records": records, "byte_classes": byte_classes(sentence),
        "word_hashes": hashes, "word_flags": flags,
    }  # fmt: skip
    for name, table in tables.items():
        np.save(OUTPUT / f"{name}.npy", table)
        print(f"{name}: {table.dtype}[{table.size}], {table.nbytes:,} bytes")


if __name__ == "__main__":
    main()
