"""BERT's uncased WordPiece tokeniser over UTF-8 bytes: ids and the exact bytes each of them stands for.

The normalised text is never built. An ASCII word of up to eight letters and digits is packed, six bits
a character, into one integer and looked up whole (nine of ten words of English prose end there); any
other word is normalised into a buffer of at most 100 characters that remembers where each byte came
from, and a walk of a double-array trie cuts it into the longest known pieces.

Tables, in the order in which every kernel takes them (``embed/vocabulary.py`` builds them):

=========== =============================== =========================================================
``letters`` uint8[256]                      class of an ASCII byte, or 4 + the rank of the lower-cased
                                            letter or digit in ``0-9a-z``
``pages``   uint16[0x1100]                  page of ``entries`` for each 256 code points
``entries`` int32[pages * 256]              class | length << 4 | offset in ``pool`` << 8
``pool``    uint8[]                         normalised bytes; for a mark, first its combining class
``nodes``   int64[]                         label | (id + 1) << 8 | base << 32
``words``   int64[2 ** k]                   packed word << 15 | id, open addressing, 0 is empty
``marks``   int32[256]                      id of an isolated ASCII byte
=========== =============================== =========================================================

``nodes`` has three roots: 0 for the start of a word (its id is the unknown token), 1 for the rest of a
word, 2 for special tokens written out in the text. The child of a node under byte b is node
``base + b``, if its label is b. Bases are unique and nodes 3 to 255 stay empty, so that a leaf, with
base 0, has no child without a test for it.
"""

import numpy as np

from scission.kernels._jit import kernel

# Classes of characters, in ``letters`` and ``entries``.
_REMOVED = (
    0  # control and format characters, NUL, U+FFFD, private use: gone before anything is looked at
)
_WHITE = 1
_ISOLATED = 2  # punctuation and CJK: a word of its own
_OTHER = 3  # in `letters`: see `entries`; there: part of a word, as it stands
_MAPPED = 4  # part of a word, replaced by bytes of the pool
_MARK = 5  # has a combining class: canonical order may move it; normalised length 0 when stripped
_COMPOSITE = 6  # replaced by a base and kept marks of four bytes each, which may move as well
_STRIPPED = 7  # an accent without a combining class: goes, but ends a run of marks
_LETTER = 4  # in `letters`, from here on: ASCII letters and digits

_LONGEST = 100  # characters; a longer word is one unknown token
_BUFFER = 4 * _LONGEST + 8  # bytes; eight more for stems taken back from a word that is too long
_PACKED = 8  # characters of six bits that fit beside a 15-bit id in one int64

# Combining class of the marks in a _COMPOSITE: all are musical stems and flags.
_STEM = 216


@kernel
def _decode(data, i, end):
    """Code point at i and where the next one starts; -1 for a broken or truncated sequence."""
    lead = np.intp(data[i])
    if lead < 0x80:
        return lead, i + 1
    if lead < 0xC2 or lead > 0xF4:
        return -1, i + 1
    size = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    if i + size > end:
        return -1, end
    point = lead & (0x7F >> size)
    for k in range(i + 1, i + size):
        point = point << 6 | (np.intp(data[k]) & 0x3F)
    if point > 0x10FFFF:
        point = -1
    return point, i + size


@kernel
def _entry(pages, entries, point):
    if point < 0:
        return np.intp(_REMOVED)
    return np.intp(entries[np.intp(pages[point >> 8]) << 8 | (point & 0xFF)])


@kernel
def _push(source, offset, size, start, end, word, starts, ends, state):
    """Append normalised bytes that stand for data[start:end] to the word.

    `state` holds the word's bytes, its characters, and its start and end in the text. Nothing is stored
    once the word is too long: only its extent still matters.
    """
    length = state[0]
    if state[1] == 0:
        state[2] = start
    state[3] = end
    for k in range(offset, offset + size):
        byte = source[k]
        state[1] += (np.intp(byte) & 0xC0) != 0x80
        if state[1] <= _LONGEST:
            word[length] = byte
            starts[length] = start
            ends[length] = end
            length += 1
    state[0] = length


@kernel
def _run(data, i, end, pages, entries):
    """Marks from i on: where they end, how many they are, how many of them are kept."""
    marks = 0
    kept = 0
    while i < end:
        point, following = _decode(data, i, end)
        entry = _entry(pages, entries, point)
        kind = entry & 15
        if kind == _MARK:
            marks += 1
            kept += (entry >> 4 & 15) > 0
        elif kind != _REMOVED:
            break
        i = following
    return i, marks, kept


@kernel
def _push_run(
    data, i, end, marks, pages, entries, pool, base, stem, stems, word, starts, ends, state
):
    """Append a run of marks data[i:end] in canonical order.

    The reference reorders the characters but not their places: the n-th mark of the ordered run stands
    for the n-th mark of the text. Stems split off a composite take the place of what they follow.
    """
    found = np.empty((marks, 4), dtype=np.int64)
    counts = np.zeros(257, dtype=np.int64)
    n = 0
    while i < end:
        point, following = _decode(data, i, end)
        entry = _entry(pages, entries, point)
        if entry & 15 == _MARK:
            order = np.intp(pool[entry >> 8])
            found[n, 0] = order
            found[n, 1] = entry
            found[n, 2] = i
            found[n, 3] = following
            counts[order + 1] += 1
            n += 1
        i = following
    for order in range(256):
        counts[order + 1] += counts[order]
    ranked = np.empty(marks, dtype=np.int64)
    for k in range(marks):
        order = found[k, 0]
        ranked[counts[order]] = k
        counts[order] += 1

    # Take the stems back, to put them where they belong: they count as one character each, four bytes.
    start = base
    stop = state[3]
    state[1] -= stems // 4
    if state[1] + stems // 4 <= _LONGEST:
        state[0] -= stems
    for n in range(marks):
        k = ranked[n]
        if stems > 0 and found[k, 0] >= _STEM:
            _push(pool, stem, stems, start, stop, word, starts, ends, state)
            stems = 0
        entry = found[k, 1]
        start = found[n, 2]
        stop = found[n, 3]
        size = entry >> 4 & 15
        if size > 0:
            _push(pool, (entry >> 8) + 1, size, start, stop, word, starts, ends, state)
    if stems > 0:
        _push(pool, stem, stems, start, stop, word, starts, ends, state)


@kernel
def _normalize(data, i, end, letters, pages, entries, pool, word, starts, ends, state):
    """Normalise the word that starts at i into the buffer; where it stops."""
    state[:] = 0
    base = i
    stem = 0
    stems = 0
    while i < end:
        letter = np.intp(letters[data[i]])
        if letter >= _LETTER:
            # 4 to 13 are digits, the rest lower-case letters; see `pool` for why this is a table too.
            _push(pool, letter - _LETTER, 1, i, i + 1, word, starts, ends, state)
            stems = 0
            i += 1
            continue
        if letter == _WHITE or letter == _ISOLATED:
            break
        if letter == _REMOVED:
            i += 1
            continue
        point, following = _decode(data, i, end)
        entry = _entry(pages, entries, point)
        kind = entry & 15
        if kind == _WHITE or kind == _ISOLATED:
            break
        size = entry >> 4 & 15
        if kind == _OTHER:
            _push(data, i, following - i, i, following, word, starts, ends, state)
            stems = 0
        elif kind == _MAPPED or kind == _COMPOSITE:
            _push(pool, entry >> 8, size, i, following, word, starts, ends, state)
            base = i
            stem = (entry >> 8) + 4
            stems = size - 4 if kind == _COMPOSITE else 0
        elif kind == _MARK:
            following, marks, kept = _run(data, i, end, pages, entries)
            if kept + stems > 0:
                _push_run(
                    data,
                    i,
                    following,
                    marks,
                    pages,
                    entries,
                    pool,
                    base,
                    stem,
                    stems,
                    word,
                    starts,
                    ends,
                    state,
                )
            stems = 0
        elif kind == _STRIPPED:
            stems = 0
        i = following
    return i


@kernel
def _pieces(word, length, firsts, lasts, nodes, tokens, starts, ends, t):
    """Cut the word in the buffer into the longest known pieces; the number of tokens after it.

    A word with a part that no piece covers is one unknown token, as a whole. Tokens beyond the capacity
    are counted and not written.
    """
    begin = t
    at = 0
    root = 0
    while at < length:
        node = nodes[root]
        found = np.int64(0)
        stop = at
        k = at
        while k < length:
            byte = np.int64(word[k])
            node = nodes[(node >> 32) + byte]
            if node & 0xFF != byte:
                break
            k += 1
            if node & 0xFFFFFF00:
                found = node
                stop = k
        if found == 0:
            return _emit(
                nodes[0] >> 8 & 0xFFFFFF, firsts[0], lasts[length - 1], tokens, starts, ends, begin
            )
        t = _emit(found >> 8 & 0xFFFFFF, firsts[at], lasts[stop - 1], tokens, starts, ends, t)
        at = stop
        root = 1
    return t


@kernel
def _emit(value, start, end, tokens, starts, ends, t):
    if t < tokens.size:
        tokens[t] = value - 1
        starts[t] = start
        ends[t] = end
    return t + 1


@kernel
def _special(data, i, end, nodes):
    """Id + 1 of the special token written out at i, or 0, and where it ends."""
    node = nodes[2]
    k = i
    found = np.int64(0)
    stop = i
    while k < end:
        byte = np.int64(data[k])
        node = nodes[(node >> 32) + byte]
        if byte == 0 or node & 0xFF != byte:
            break
        k += 1
        if node & 0xFFFFFF00:
            found = node >> 8 & 0xFFFFFF
            stop = k
    return found, stop


@kernel
def _word(
    data,
    i,
    end,
    letters,
    pages,
    entries,
    pool,
    nodes,
    word,
    firsts,
    lasts,
    state,
    tokens,
    starts,
    ends,
    t,
):
    """Tokenise the word at i the general way: the number of tokens after it, and where it stops."""
    stop = _normalize(data, i, end, letters, pages, entries, pool, word, firsts, lasts, state)
    if state[1] > _LONGEST:
        value = nodes[0] >> 8 & 0xFFFFFF
        t = _emit(value, state[2], state[3], tokens, starts, ends, t)
    elif state[0] > 0:
        t = _pieces(word, state[0], firsts, lasts, nodes, tokens, starts, ends, t)
    return t, stop


@kernel
def _isolated(data, i, stop, entry, pool, nodes):
    """Id + 1 of an isolated character beyond ASCII."""
    size = entry >> 4 & 15
    node = nodes[0]
    unknown = node >> 8 & 0xFFFFFF
    for k in range(size if size > 0 else stop - i):
        byte = np.int64(pool[(entry >> 8) + k]) if size > 0 else np.int64(data[i + k])
        node = nodes[(node >> 32) + byte]
        if node & 0xFF != byte:
            return unknown
    value = node >> 8 & 0xFFFFFF
    return value if value > 0 else unknown


@kernel
def _unit(
    data,
    i,
    end,
    letters,
    pages,
    entries,
    pool,
    nodes,
    words,
    marks,
    word,
    firsts,
    lasts,
    state,
    tokens,
    starts,
    ends,
    t,
):
    """Tokenise data[i:end]: the number of tokens after it, beyond the capacity as well."""
    mask = words.size - 1
    while i < end:
        letter = np.intp(letters[data[i]])
        if letter >= _LETTER:
            packed = np.int64(0)
            k = i
            bound = min(end, i + _PACKED)
            while k < bound:
                letter = np.int64(letters[data[k]])
                if letter < _LETTER:
                    break
                packed = packed << 6 | letter
                k += 1
            else:
                letter = np.int64(letters[data[k]]) if k < end else np.int64(_WHITE)
            if letter == _WHITE or letter == _ISOLATED:
                slot = ((packed & 0xFFFFFF) * 0x9E3779B1 + (packed >> 24) * 0x85EBCA77) >> 20 & mask
                while words[slot] != 0 and words[slot] >> 15 != packed:
                    slot = (slot + 1) & mask
                if words[slot] != 0:
                    t = _emit((words[slot] & 0x7FFF) + 1, i, k, tokens, starts, ends, t)
                    i = k
                    continue
            t, i = _word(
                data,
                i,
                end,
                letters,
                pages,
                entries,
                pool,
                nodes,
                word,
                firsts,
                lasts,
                state,
                tokens,
                starts,
                ends,
                t,
            )
        elif letter == _ISOLATED:
            value, stop = _special(data, i, end, nodes)
            if value == 0:
                value = np.int64(marks[data[i]]) + 1
                stop = i + 1
            t = _emit(value, i, stop, tokens, starts, ends, t)
            i = stop
        elif letter == _OTHER:
            point, stop = _decode(data, i, end)
            entry = _entry(pages, entries, point)
            kind = entry & 15
            if kind == _ISOLATED:
                value = _isolated(data, i, stop, entry, pool, nodes)
                t = _emit(value, i, stop, tokens, starts, ends, t)
                i = stop
            elif kind == _WHITE or kind == _REMOVED or kind == _STRIPPED:
                i = stop
            else:
                t, i = _word(
                    data,
                    i,
                    end,
                    letters,
                    pages,
                    entries,
                    pool,
                    nodes,
                    word,
                    firsts,
                    lasts,
                    state,
                    tokens,
                    starts,
                    ends,
                    t,
                )
        else:
            i += 1
    return t


@kernel
def tokenize(
    data,
    units,
    letters,
    pages,
    entries,
    pool,
    nodes,
    words,
    marks,
    tokens,
    starts,
    ends,
    unit_tokens,
):
    """Tokenise every unit on its own.

    Parameters
    ----------
    data : uint8[n]
        UTF-8. A lone surrogate, written as three bytes, is passed over like a control character.
    units : int32[M + 1]
        Unit i is ``data[units[i]:units[i + 1]]``; no token reaches over its end.
    letters, pages, entries, pool, nodes, words, marks
        ``Vocabulary.tables``; see the module.
    tokens, starts, ends : int32[capacity]
        Written: ids, and the bytes ``data[start:end]`` that each stands for. A capacity of n is enough
        for any text: no character has more normalised characters than bytes.
    unit_tokens : int32[M + 1]
        Written: the tokens of unit i are ``tokens[unit_tokens[i]:unit_tokens[i + 1]]``.

    Returns
    -------
    int
        The number of tokens, or -1 when there are more than the capacity.
    """
    word = np.empty(_BUFFER, dtype=np.uint8)
    firsts = np.empty(_BUFFER, dtype=np.int32)
    lasts = np.empty(_BUFFER, dtype=np.int32)
    state = np.zeros(4, dtype=np.int64)
    unit_tokens[0] = 0
    t = 0
    for i in range(units.size - 1):
        t = _unit(
            data,
            np.intp(units[i]),
            np.intp(units[i + 1]),
            letters,
            pages,
            entries,
            pool,
            nodes,
            words,
            marks,
            word,
            firsts,
            lasts,
            state,
            tokens,
            starts,
            ends,
            t,
        )
        if t > tokens.size:
            return -1
        unit_tokens[i + 1] = t
    return t
