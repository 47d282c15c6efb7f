"""BERT's uncased WordPiece tokeniser over UTF-8 bytes: ids, and the exact bytes each stands for.

The normalised text is never built. An ASCII word of up to ten letters and digits is packed, six bits
a character, into one integer and looked up whole, which settles 90 % of the words of English prose.
Any other word is normalised into a buffer of at most 100 characters that remembers where each byte
came from, and a walk of a double-array trie cuts it into the longest known pieces.

Tables, in the order in which the kernel takes them (``embed/vocabulary.py`` builds them):

``letters``, uint8[256]
    Class of an ASCII byte, or 4 + the rank of the letter or digit in ``0-9a-z``, lower case.
``points``, int32[]
    For each 256 code points the index of their page further on; then the pages. An entry is
    class | length << 4 | offset in ``pool`` << 8.
``pool``, uint8[]
    Normalised bytes. Those of a mark come after its combining class.
``nodes``, int64[]
    The trie: label | (id + 1) << 8 | base << 32. The child under byte b of a node is node
    ``base + b``, if its label is b. There are three roots: node 0 for the start of a word (its id is
    that of the unknown token), 1 for the rest of a word, 2 for special tokens written out in the text.
    Bases are unique and nodes 3 to 255 are empty, so that a leaf, whose base is 0, has no child.
``words``, int64[2 * 2 ** k]
    Pairs of a packed word and its id + 1, open addressing, 0 is empty.

Constants that go to another kernel are int64 on purpose: numba compiles a kernel once more for a
literal argument, which doubled the compile time of this file.
"""

import numpy as np
from scission.kernels._jit import kernel

# Classes of characters, in ``letters`` and ``points``.
_REMOVED = 0  # control and format characters, NUL, U+FFFD, private use: gone before all else
_WHITE = 1
_ISOLATED = 2  # punctuation and CJK: a word of its own
_OTHER = 3  # in `letters`: see `points`; there: part of a word, as it stands
_MAPPED = 4  # part of a word, replaced by bytes of the pool
_COMPOSITE = 5  # replaced by a base and kept marks (stems) of four bytes each, which may move
_MARK = 6  # has a combining class: canonical order may move it; of length 0 when stripped
_STRIPPED = 7  # an accent without a combining class: goes, but ends a run of marks
_LETTER = 4  # in `letters`, from here on: ASCII letters and digits

_PACKED = 10  # characters of six bits in an int64
_LONGEST = 100  # characters; a longer word is one unknown token
_BUFFER = 4 * _LONGEST + 8  # bytes; eight for stems taken back from a word that is too long
_HEAD = _BUFFER  # row of the buffer for the word as a whole
_ORDERS = 256  # more than the last combining class
_STEM = 216  # combining class of the marks in a _COMPOSITE: stems and flags of musical notes


@kernel
def _character(data, i, end, points):
    """Entry of the character at i, and where the next one starts.

    A broken or truncated sequence is _REMOVED and never read beyond the end.
    """
    point = np.int64(data[i])
    stop = i + 1
    if point >= 0x80:
        size = 1 + (point >= 0xC2) + (point >= 0xE0) + (point >= 0xF0)
        if size == 1 or i + size > end:
            return np.int64(_REMOVED), stop
        point &= 0x7F >> size
        stop = i + size
        for k in range(i + 1, stop):
            point = point << 6 | (np.int64(data[k]) & 0x3F)
        if point > 0x10FFFF:
            return np.int64(_REMOVED), stop
    return np.int64(points[np.int64(points[point >> 8]) + (point & 0xFF)]), stop


@kernel
def _push(source, offset, size, start, end, buffer, length):
    """Append normalised bytes that stand for data[start:end]; the number of bytes after it.

    The last row of the buffer holds the word's characters, its start and its end. Nothing is stored once
    the word is too long: only its extent still matters.
    """
    if buffer[_HEAD, 0] == 0:
        buffer[_HEAD, 1] = start
    buffer[_HEAD, 2] = end
    for k in range(offset, offset + size):
        byte = np.int64(source[k])
        buffer[_HEAD, 0] += (byte & 0xC0) != 0x80
        if buffer[_HEAD, 0] <= _LONGEST:
            buffer[length, 0] = byte
            buffer[length, 1] = start
            buffer[length, 2] = end
            length += 1
    return length


@kernel
def _push_run(data, i, end, points, pool, base, composite, buffer, length):
    """Append the run of marks from i on in canonical order: bytes after it, where the run ends.

    The reference moves the characters of a run and not their places: the n-th mark of the ordered
    run stands for the n-th mark of the text. `composite` is the entry of a composite at `base` just
    before the run, or 0: its stems take part, in the place of what they come to follow. The run is
    read once for each combining class in it, of which there are 55; it may be of any length.
    """
    stems = np.int64(0)
    start = base
    last = np.int64(buffer[_HEAD, 2])
    if composite > 0:  # take its stems back, to put them where they belong
        stems = (composite >> 4 & 15) - 4
        length -= stems if buffer[_HEAD, 0] <= _LONGEST else 0
        buffer[_HEAD, 0] -= stems // 4
    kept = stems
    place = i
    order = np.int64(0)
    while True:
        if stems > 0 and order >= _STEM:
            length = _push(pool, (composite >> 8) + 4, stems, start, last, buffer, length)
            stems = np.int64(0)
        if order == _ORDERS:
            return length, end
        nearest = np.int64(_ORDERS)
        k = i
        while k < end:
            mark, following = _character(data, k, end, points)
            if mark & 15 == _MARK:
                size = mark >> 4 & 15
                kept += size
                found = np.int64(pool[mark >> 8])
                if found > order:
                    nearest = min(nearest, found)
                elif found == order:
                    other = np.int64(_REMOVED)
                    while other & 15 != _MARK:
                        start = place
                        other, place = _character(data, place, end, points)
                    last = place
                    if size > 0:
                        offset = (mark >> 8) + 1
                        length = _push(pool, offset, size, start, last, buffer, length)
            elif mark & 15 != _REMOVED:
                break
            k = following
        end = k
        # Accents and vowel points alone: nothing of the run is left.
        order = nearest if kept > 0 else np.int64(_ORDERS)


@kernel
def _normalize(data, i, end, points, pool, buffer):
    """Normalise the word that starts at i into the buffer: its bytes, and where to go on."""
    buffer[_HEAD, 0] = 0
    length = np.int64(0)
    composite = np.int64(0)
    base = i
    begin = i
    while i < end:
        entry, following = _character(data, i, end, points)
        kind = entry & 15
        size = entry >> 4 & 15
        if kind == _WHITE or (kind == _ISOLATED and i > begin):
            i = following if i == begin else i
            break
        if kind == _MARK:
            length, following = _push_run(
                data, i, end, points, pool, base, composite, buffer, length
            )
        elif size > 0:
            length = _push(pool, entry >> 8, size, i, following, buffer, length)
        elif _ISOLATED <= kind <= _OTHER:
            length = _push(data, i, following - i, i, following, buffer, length)
        if kind == _ISOLATED:
            i = following
            break
        if kind != _REMOVED:
            composite = entry if kind == _COMPOSITE else np.int64(0)
            base = i
        i = following
    return length, i


@kernel
def _pieces(buffer, length, shift, nodes, tokens, starts, ends, t):
    """Cut the word in the buffer into the longest known pieces: the number of tokens after it.

    -1 where no piece fits. Tokens beyond the capacity are counted and not written. In a word of ASCII
    byte k of the buffer stands for data[shift + k]; the shift of any other word is -1.
    """
    at = np.int64(0)
    node = nodes[0]
    while at < length:
        found = np.int64(0)
        stop = at
        k = at
        while k < length:
            byte = np.int64(buffer[np.uintp(k), 0])
            node = nodes[np.uintp((node >> 32) + byte)]
            if node & 0xFF != byte:
                break
            k += 1
            if node & 0xFFFFFF00 != 0:
                found = node
                stop = k
        if found == 0:
            return np.int64(-1)
        if t < tokens.size:
            tokens[t] = (found >> 8 & 0xFFFFFF) - 1
            starts[t] = shift + at if shift >= 0 else buffer[at, 1]
            ends[t] = shift + stop if shift >= 0 else buffer[stop - 1, 2]
        t += 1
        at = stop
        node = nodes[1]
    return t


@kernel
def _special(data, i, end, nodes):
    """Id + 1 of the special token written out at i, or 0, and where it ends."""
    node = nodes[2]
    value = np.int64(0)
    stop = i
    while i < end:
        byte = np.int64(data[i])
        node = nodes[(node >> 32) + byte]
        if node & 0xFF != byte or byte == 0:
            break
        i += 1
        if node & 0xFFFFFF00 != 0:
            value = node >> 8 & 0xFFFFFF
            stop = i
    return value, stop


@kernel
def tokenize(data, units, letters, points, pool, nodes, words, tokens, starts, ends, unit_tokens):
    """Tokenise every unit on its own.

    Parameters
    ----------
    data : uint8[n]
        UTF-8. A lone surrogate, written as three bytes, is passed over like a control character.
    units : int32[M + 1]
        Unit i is ``data[units[i]:units[i + 1]]``; no token reaches over its end.
    letters, points, pool, nodes, words
        ``Vocabulary.tables``; see the module.
    tokens, starts, ends : int32[capacity]
        Written: ids, and the bytes ``data[start:end]`` that each stands for. A capacity of n is
        enough for any text: no character has more normalised characters than bytes.
    unit_tokens : int32[M + 1]
        Written: the tokens of unit i are ``tokens[unit_tokens[i]:unit_tokens[i + 1]]``.

    Returns
    -------
    int
        The number of tokens, or -1 when there are more than the capacity.
    """
    buffer = np.empty((_BUFFER + 1, 3), dtype=np.int32)
    unknown = nodes[0] >> 8 & 0xFFFFFF
    mask = words.size - 2
    unit_tokens[0] = 0
    t = np.int64(0)
    for unit in range(units.size - 1):
        i = np.int64(units[unit])
        end = np.int64(units[unit + 1])
        while i < end:
            # Unsigned indices: numba then leaves out the test for a negative one (24 % faster).
            letter = np.int64(letters[data[np.uintp(i)]])
            if letter <= _WHITE:
                i += 1
                continue
            start = i
            last = i + 1
            value = np.int64(0)
            length = np.int64(0)
            if letter >= _LETTER:
                packed = letter
                bound = min(end, i + _PACKED)
                while last < bound:
                    letter = np.int64(letters[data[np.uintp(last)]])
                    if letter < _LETTER:
                        break
                    packed = packed << 6 | letter
                    last += 1
                while letter >= _LETTER and last < end:
                    letter = np.int64(letters[data[np.uintp(last)]])
                    last += letter >= _LETTER
                if letter != _REMOVED and letter != _OTHER:  # a word of ASCII alone
                    length = last - i
                    if length <= _PACKED:
                        slot = (packed & 0x3FFFFFFF) * 0x9E3779B1 + (packed >> 30) * 0x85EBCA77
                        slot = slot >> 24 & mask
                        while words[np.uintp(slot)] != packed and words[np.uintp(slot)] != 0:
                            slot = slot + 2 & mask
                        value = words[np.uintp(slot + 1)]
                    elif length > _LONGEST:
                        value = unknown
            elif letter == _ISOLATED:
                value, last = _special(data, i, end, nodes)
                if value == 0:
                    last = i + 1
                    byte = np.int64(data[i])
                    node = nodes[(nodes[0] >> 32) + byte]
                    value = node >> 8 & 0xFFFFFF if node & 0xFF == byte else value
                    value = value if value > 0 else unknown
            stop = last
            if value == 0:
                if length > 0:
                    shift = i
                    buffer[_HEAD, 0] = length
                    for k in range(length):
                        letter = np.int64(letters[data[np.uintp(i + k)]])
                        buffer[k, 0] = pool[letter - _LETTER]
                else:
                    shift = np.int64(-1)
                    length, stop = _normalize(data, i, end, points, pool, buffer)
                    if length == 0:
                        i = stop
                        continue
                    start = np.int64(buffer[_HEAD, 1])
                    last = np.int64(buffer[_HEAD, 2])
                total = np.int64(-1)
                if buffer[_HEAD, 0] <= _LONGEST:
                    total = _pieces(buffer, length, shift, nodes, tokens, starts, ends, t)
                if total >= 0:
                    t = total
                    i = stop
                    continue
                value = unknown
            if t < tokens.size:
                tokens[t] = value - 1
                starts[t] = start
                ends[t] = last
            t += 1
            i = stop
        if t > tokens.size:
            return -1
        unit_tokens[unit + 1] = t
    return t


@kernel
def joined_words(data, document_units, unit_tokens, starts, ends, points, joined):
    """Mark the units that begin inside a word, as BERT sees words.

    A line end need not be white space to BERT: form feeds and other controls are removed, and the word before
    then runs on into the word after. The tokens of such a pair are not those of its halves.

    Parameters
    ----------
    data, document_units, unit_tokens, starts, ends
        The group and its tokens, see CONTRIBUTING.md.
    points
        The table of characters, see the module.
    joined : uint8[M]
        Filled with 1 where the first token of a unit belongs to the word of the token before it.
    """
    for j in range(document_units.size - 1):
        first = np.int64(unit_tokens[document_units[j]])
        for unit in range(document_units[j], document_units[j + 1]):
            joined[unit] = 0
            token = np.int64(unit_tokens[unit])
            if token == first or token == unit_tokens[unit + 1]:
                continue
            word = True
            i = np.int64(ends[token - 1])
            stop = np.int64(starts[token])
            while word and i < stop:
                entry, i = _character(data, i, stop, points)
                word = entry & 15 != _WHITE
            if word:
                i = np.int64(ends[token - 1]) - 1
                while data[i] & 0xC0 == 0x80:
                    i -= 1
                before, _ = _character(data, i, np.int64(ends[token - 1]), points)
                after, _ = _character(data, stop, np.int64(ends[token]), points)
                joined[unit] = before & 15 != _ISOLATED and after & 15 != _ISOLATED
