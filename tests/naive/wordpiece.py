"""BERT's uncased tokeniser as its paper's code defines it, one character at a time.

Unicode properties come from this Python. The reference inside ``tokenizers`` uses older versions, so
the two are compared on characters that have not changed since (see `STABLE`).
"""

import unicodedata
from functools import cache

import numpy as np

_LONGEST = 100


def is_stable(character: str) -> bool:
    """Whether Unicode 3.2 and today's say the same of a character."""
    old, new = unicodedata.ucd_3_2_0, unicodedata
    return all(
        getattr(old, name)(character) == getattr(new, name)(character)
        for name in ("category", "combining", "decomposition")
    )


@cache
def stable() -> str:
    """All assigned characters that have not changed."""
    # Beyond are ideographs and private use; a few of them stand for all.
    points = [*range(0xD800), *range(0xE000, 0x1E000), 0x20000, 0x2A6D6, 0x2F800, 0x2FA1D, 0x10FFFD]
    every = map(chr, points)
    return "".join(c for c in every if unicodedata.category(c) != "Cn" and is_stable(c))


def _is_control(character: str) -> bool:
    return character not in "\t\n\r" and unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs")


def _is_white(character: str) -> bool:
    return character in "\t\n\r" or unicodedata.category(character) in ("Zs", "Zl", "Zp")


def _is_chinese(character: str) -> bool:
    point = ord(character)
    return (
        0x4E00 <= point <= 0x9FFF
        or 0x3400 <= point <= 0x4DBF
        or 0x20000 <= point <= 0x2CEAF
        or 0xF900 <= point <= 0xFAFF
        or 0x2F800 <= point <= 0x2FA1F
    ) and not 0x2B81E < point < 0x2B820


def _is_punctuation(character: str) -> bool:
    ascii_mark = 33 <= ord(character) < 127 and not character.isalnum()
    return ascii_mark or unicodedata.category(character).startswith("P")


def _clean(text: str) -> list[tuple[str, int]]:
    """Characters with the index of the one they stand for."""
    cleaned = []
    for i, character in enumerate(text):
        if character in "\0\ufffd" or _is_control(character):
            continue
        if _is_white(character):
            cleaned.append((" ", i))
        elif _is_chinese(character):
            cleaned.extend([(" ", i), (character, i), (" ", i)])
        else:
            cleaned.append((character, i))
    return cleaned


def _decompose(cleaned: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """NFD. Canonical order moves the characters of a run of marks, and leaves their places."""
    parts = [
        (part, k, i) for c, i in cleaned for k, part in enumerate(unicodedata.normalize("NFD", c))
    ]
    out: list[tuple[str, int]] = []
    at = 0
    while at < len(parts):
        end = at + 1
        while end < len(parts) and unicodedata.combining(parts[end][0]):
            end += 1
        run = parts[at:end]
        places = iter([i for _, k, i in run if k == 0])
        first = unicodedata.combining(run[0][0]) == 0
        ordered = run[:first] + sorted(run[first:], key=lambda p: unicodedata.combining(p[0]))
        place = run[0][2]
        for part, k, _ in ordered:
            place = next(places) if k == 0 else place
            out.append((part, place))
        at = end
    return out


def normalize(text: str) -> list[tuple[str, int]]:
    """Normalised characters, each with the index of the character it stands for."""
    kept = [(c, i) for c, i in _decompose(_clean(text)) if unicodedata.category(c) != "Mn"]
    return [(lower, i) for c, i in kept for lower in c.lower()]


def _words(normalized: list[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    words: list[list[tuple[str, int]]] = [[]]
    for character, i in normalized:
        if _is_white(character):
            words.append([])
        elif _is_punctuation(character):
            words.extend([[(character, i)], []])
        else:
            words[-1].append((character, i))
    return [word for word in words if word]


def _pieces(word: list[tuple[str, int]], ids: dict[str, int]) -> list[tuple[int, int, int]]:
    text = "".join(character for character, _ in word)
    unknown = [(ids["[UNK]"], word[0][1], word[-1][1])]
    if len(text) > _LONGEST:
        return unknown
    pieces = []
    start = 0
    while start < len(text):
        for end in range(len(text), start, -1):
            piece = ("##" if start else "") + text[start:end]
            if piece in ids:
                pieces.append((ids[piece], word[start][1], word[end - 1][1]))
                start = end
                break
        else:
            return unknown
    return pieces


def tokenize(
    text: str, ids: dict[str, int], special: tuple[str, ...] = ()
) -> list[tuple[int, int, int]]:
    """Ids with the byte spans that they stand for, of one unit."""
    for token in special:
        before, found, after = text.partition(token)
        if found:
            start = len(before.encode())
            end = start + len(token)
            later = tokenize(after, ids, special)
            return [
                *tokenize(before, ids, special),
                (ids[token], start, end),
                *((i, a + end, b + end) for i, a, b in later),
            ]
    sizes = np.cumsum([0] + [len(c.encode()) for c in text])
    return [
        (i, int(sizes[first]), int(sizes[last + 1]))
        for word in _words(normalize(text))
        for i, first, last in _pieces(word, ids)
    ]


def joined_words(units: list[str]) -> list[int]:
    """Of one document: 1 for the units whose first word began in a unit before it."""
    owners = [unit for unit, text in enumerate(units) for _ in text]
    words = _words(normalize("".join(units)))
    joined = [0] * len(units)
    for word in words:
        present = [owners[i] for _, i in word]
        for unit in {
            after for before, after in zip(present, present[1:], strict=False) if after > before
        }:
            joined[unit] = 1
    return joined
