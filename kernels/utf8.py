"""UTF-8: validation, code point counting and grapheme cluster boundaries.

`data` is uint8[n], read-only; positions are byte offsets into it. `blocks` and `records` are the two-stage
table of `scission.tables.character_tables()`; the low five bits of a record are the grapheme class.
"""

import numpy as np
from scission.kernels._jit import kernel

# Equality chains, not `in (...)`: numba compiles a tuple membership test far more slowly.
# ruff: noqa: SIM109

# Grapheme classes, as tools/build_character_tables.py numbers them.
_CR, _LF, _CONTROL, _EXTEND, _LINKER, _ZWJ = 1, 2, 3, 4, 5, 6
_REGIONAL, _PREPEND, _SPACING = 7, 8, 9
_L, _V, _T, _LV, _LVT = 10, 11, 12, 13, 14
_PICTOGRAPHIC, _CONSONANT, _NONJOINER, _LOOSE_LINKER = 15, 16, 17, 18

# What stands before a position, beyond the class of the last character; bits, as several may hold.
_ODD_FLAG, _PICTURE, _PICTURE_ZWJ, _LINKED = 1, 2, 4, 8

# Characters that a search for a context-free boundary walks back before it gives up.
_LOOK_BACK = 32


@kernel
def _sequence_length(data, position, end, surrogates):
    """Return the length of the well-formed sequence at `position`, or 0 (Unicode 15, table 3-7)."""
    lead = np.intp(data[position])
    if lead < 0x80:
        return 1
    low, high, length = 0x80, 0xBF, 0
    if 0xC2 <= lead <= 0xDF:
        length = 2
    elif 0xE0 <= lead <= 0xEF:
        length = 3
        if lead == 0xE0:
            low = 0xA0
        elif lead == 0xED and surrogates == 0:
            high = 0x9F
    elif 0xF0 <= lead <= 0xF4:
        length = 4
        if lead == 0xF0:
            low = 0x90
        elif lead == 0xF4:
            high = 0x8F
    if length == 0 or position + length > end:
        return 0
    second = np.intp(data[position + 1])
    if second < low or second > high:
        return 0
    for i in range(position + 2, position + length):
        if np.intp(data[i]) & 0xC0 != 0x80:
            return 0
    return length


@kernel
def validate(data, start, end, surrogates):
    """Return the offset of the first ill-formed sequence of data[start:end], or -1.

    The offset is where Python's ``bytes.decode`` says the error starts. With `surrogates` 1, lone surrogates
    as three bytes are let through ("surrogatepass"), with 0 they are errors.
    """
    position = start
    while position < end:
        # 64 bytes under one OR fill vector registers: 2.7 GB/s on ASCII, 0.66 GB/s on Chinese (one of two
        # busy cores), against 1.6 GB/s on ASCII where the OR was widened to 64 bits.
        while position + 64 <= end:
            union = np.uint8(0)
            for i in range(position, position + 64):
                union = np.uint8(union | data[i])
            if union >= 0x80:
                break
            position += 64
        stop = min(position + 64, end)
        while position < stop:
            length = _sequence_length(data, position, end, surrogates)
            if length == 0:
                return position
            position += length
    return -1


@kernel
def count_code_points(data, start, end):
    """Return how many code points begin in data[start:end]."""
    count = 0
    for i in range(start, end):
        count += np.intp(data[i]) & 0xC0 != 0x80
    return count


@kernel
def code_point_offsets(data, base, byte_offsets, out):
    """Write to out[i] how many code points begin in data[base:byte_offsets[i]].

    `byte_offsets` (int32) ascends from `base` on; `out` is int32 of the same length. One pass.
    """
    position = np.intp(base)
    count = 0
    for i in range(byte_offsets.size):
        offset = np.intp(byte_offsets[i])
        count += count_code_points(data, position, offset)
        position = offset
        out[i] = count


@kernel
def byte_offsets(data, base, offsets, out):
    """Write to out[i] where the code point number offsets[i] after `base` begins: the inverse.

    `offsets` (int32) ascends and does not pass the end of the text; `out` is int32 of the same length.
    """
    position = np.intp(base)
    count = 0
    for i in range(offsets.size):
        missing = np.intp(offsets[i]) - count
        count += missing
        while missing > 0:
            # `missing` code points take at least as many bytes, so this never oversteps.
            reached = position + missing
            missing -= count_code_points(data, position, reached)
            position = reached
        while position < data.size and np.intp(data[position]) & 0xC0 == 0x80:
            position += 1
        out[i] = position


@kernel
def _character_length(lead):
    """Return the length of the sequence that the byte `lead` begins."""
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@kernel
def _grapheme_class(data, position, end, blocks, records):
    """Return the grapheme class of the character at `position` (Other where it is cut off)."""
    lead = np.intp(data[position])
    length = _character_length(lead)
    if position + length > end:
        return 0
    if length == 1:
        code = lead
    else:
        code = lead & (0x7F >> length)
        for i in range(position + 1, position + length):
            code = code << 6 | np.intp(data[i]) & 0x3F
    return np.intp(records[np.intp(blocks[code >> 6]) + (code & 63)]) & 31


@kernel
def _joins(before, after, context):
    """Return whether no boundary lies between two characters (UAX #29, GB3 to GB999)."""
    if before == _CR and after == _LF:
        return True
    if _CR <= before <= _CONTROL or _CR <= after <= _CONTROL:
        return False
    if _EXTEND <= after <= _ZWJ or after == _SPACING or after == _NONJOINER:
        return True
    if before == _PREPEND:
        return True
    if before == _L:
        return after == _L or after == _V or after == _LV or after == _LVT
    if before == _LV or before == _V:
        return after == _V or after == _T
    if before == _LVT or before == _T:
        return after == _T
    if after == _PICTOGRAPHIC:
        return context & _PICTURE_ZWJ != 0
    if after == _CONSONANT:
        return context & _LINKED != 0
    return after == _REGIONAL and context & _ODD_FLAG != 0


@kernel
def _next_context(context, after):
    """Return the context after one more character.

    GB11 looks for a pictograph, extenders and one joiner; GB9c of Unicode 18 for a linker and extenders; GB12
    for an odd number of regional indicators.
    """
    if after == _REGIONAL:
        return _ODD_FLAG - (context & _ODD_FLAG)
    if after == _PICTOGRAPHIC:
        return _PICTURE
    if after == _LOOSE_LINKER:
        return _LINKED
    if after == _LINKER:
        return context & _PICTURE | _LINKED
    if after == _EXTEND:
        return context & (_PICTURE | _LINKED)
    if after == _NONJOINER:
        return context & _PICTURE
    if after == _ZWJ:
        return (context & _PICTURE) * 2 | context & _LINKED
    return 0


@kernel
def next_grapheme_boundary(data, position, end, blocks, records):
    """Return the end of the extended grapheme cluster that begins at `position` < `end`.

    `position` must be a boundary. The cost is the length of the cluster.
    """
    before = _grapheme_class(data, position, end, blocks, records)
    context = _next_context(0, before)
    position = min(position + _character_length(np.intp(data[position])), end)
    while position < end:
        after = _grapheme_class(data, position, end, blocks, records)
        if not _joins(before, after, context):
            break
        context = _next_context(context, after)
        before = after
        position = min(position + _character_length(np.intp(data[position])), end)
    return position


@kernel
def _certain_boundary(data, start, limit, end, blocks, records):
    """Return a boundary at or before `limit` that needs no context, or `start` after a short search."""
    position = limit
    for _ in range(_LOOK_BACK):
        while position > start and np.intp(data[position]) & 0xC0 == 0x80:
            position -= 1
        if position <= start:
            return start
        after = _grapheme_class(data, position, end, blocks, records)
        previous = position - 1
        while previous > start and np.intp(data[previous]) & 0xC0 == 0x80:
            previous -= 1
        before = _grapheme_class(data, previous, end, blocks, records)
        # Assume whatever context could join the two; where even that does not, the boundary is certain.
        context = 0
        if before == _REGIONAL:
            context = _ODD_FLAG
        elif before == _ZWJ:
            context = _PICTURE_ZWJ | _LINKED
        elif before == _EXTEND or before == _LINKER or before == _LOOSE_LINKER:
            context = _LINKED
        if not _joins(before, after, context):
            return position
        position = previous
    return start


@kernel
def last_grapheme_boundary(data, start, limit, end, blocks, records):
    """Return the last extended grapheme cluster boundary of data[start:end] at or before `limit`.

    Parameters
    ----------
    start : int
        A known boundary, at or before `limit`.
    limit, end : int
        Offsets, start <= limit <= end; `limit` may lie inside a character.

    Returns
    -------
    int
        A boundary; `start` where the cluster that begins there reaches past `limit`.

    Notes
    -----
    Most calls look at two or three characters. Only where 32 characters before `limit` all hang together (a
    row of flags, stacked marks) is the text read forward from `start`, so cutting a text piece by piece
    stays linear.
    """
    if limit >= end:
        return end
    position = _certain_boundary(data, start, limit, end, blocks, records)
    while position < limit:
        following = next_grapheme_boundary(data, position, end, blocks, records)
        if following > limit:
            break
        position = following
    return position


@kernel
def interiors(data, documents, blocks, records, inside):
    """Mark the bytes at which no text should be cut.

    Parameters
    ----------
    data, documents
        The group, see CONTRIBUTING.md.
    blocks, records
        The table of characters, see the module.
    inside : uint8[n + 1]
        Zeros on entry. Written: 1 where a code point continues the grapheme cluster before it, 2 inside a code
        point; 0 stays at cluster boundaries.

    Returns
    -------
    int
        1 when every byte is ASCII, else 0.
    """
    ascii_only = 1
    for j in range(documents.size - 1):
        position = np.intp(documents[j])
        end = np.intp(documents[j + 1])
        boundary = position  # the end of the last cluster that was read
        while position < end:
            # ASCII without a carriage return has no cluster of two characters: 64 bytes at a time.
            while position + 64 <= end:
                odd = np.uint8(0)
                for i in range(position, position + 64):
                    byte = data[np.uintp(i)]
                    odd = np.uint8(odd | (byte >= 0x80) | (byte == 13))
                if odd != 0:
                    break
                position += 64
            stop = min(position + 64, end)
            while position < stop:
                lead = np.intp(data[position])
                if lead == 13:
                    inside[position + 1] = position + 1 < end and np.intp(data[position + 1]) == 10
                    position += 1
                elif lead < 0x80:
                    position += 1
                else:
                    ascii_only = 0
                    # The character before may carry this one; anything before that cannot.
                    base = position - 1 if position > boundary else position
                    position = next_grapheme_boundary(data, base, end, blocks, records)
                    for i in range(base + 1, position):
                        inside[i] = 2 if np.intp(data[i]) & 0xC0 == 0x80 else 1
                    boundary = position
    return ascii_only
