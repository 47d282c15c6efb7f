"""Units that are too long for any chunk, cut where it hurts least."""

import numpy as np

from ._jit import kernel


@kernel
def unit_sizes(units, unit_tokens, bytes_per_token, out):
    """Size of each unit: its tokens, or its bytes / `bytes_per_token` when that is more.

    BERT counts a word of more than 100 characters as one unknown token; by tokens alone a page of
    base64 would be the smallest unit of all.

    Parameters
    ----------
    units : int32[M + 1]
        Byte offsets of the units.
    unit_tokens : int32[M + 1]
        Prefix sums of their token counts.
    bytes_per_token : int64
        Bytes that count as one token at least.
    out : int32[M]
        Filled with the sizes.

    Returns
    -------
    int64
        The largest size.
    """
    largest = np.int64(0)
    for i in range(out.shape[0]):
        tokens = np.int64(unit_tokens[i + 1]) - np.int64(unit_tokens[i])
        length = np.int64(units[i + 1]) - np.int64(units[i])
        size = max(tokens, length // bytes_per_token)
        out[i] = size
        largest = max(largest, size)
    return largest


@kernel
def _is_clause_end(data, start, end):
    """Tell whether a token is punctuation that ends a clause, one of ``, ; : ) – — ， 、 ； ： ،``."""
    if end - start == 1:
        byte = data[start]
        return byte == 44 or byte == 59 or byte == 58 or byte == 41
    if end - start == 2:
        return data[start] == 0xD8 and data[start + 1] == 0x8C
    if end - start != 3:
        return False
    point = (
        (np.int64(data[start]) & 15) << 12
        | (np.int64(data[start + 1]) & 63) << 6
        | (np.int64(data[start + 2]) & 63)
    )
    return (
        point == 0x2013
        or point == 0x2014
        or point == 0xFF0C
        or point == 0x3001
        or point == 0xFF1B
        or point == 0xFF1A
    )


@kernel
def soft_place(data, starts, ends, glued, first, last, limit, half, prefer_lines):
    """Find the token before which a piece that starts with token `first` is best cut.

    A cut falls between two words, just before a token. The last line end in the second half of the
    piece is best (any line end when `prefer_lines`), then the last clause end there, then the last
    word anywhere. When there is none within the limit, the first place beyond it is returned.

    Parameters
    ----------
    data : uint8[n]
        The text.
    starts, ends : int32[T]
        Byte spans of the tokens.
    glued : uint8[T]
        1 where a token continues the word of the token before it.
    first, last : int64
        The piece holds the tokens ``first <= t < last`` at most.
    limit : int64
        Cuts before tokens up to `limit` keep the piece small enough.
    half : int64
        The token at which the piece's second half begins.
    prefer_lines : bool
        Whether the unit is a fence or table, where only line ends make sense.

    Returns
    -------
    int64
        A token in ``(first, last)``, or `last` when the piece cannot be cut between words.
    """
    word = np.int64(-1)
    clause = np.int64(-1)
    line = np.int64(-1)
    t = first + 1
    while t < last and (t <= limit or word < 0):
        if glued[t] == 0 and starts[t] >= ends[t - 1]:
            word = t
            if _is_clause_end(data, starts[t - 1], ends[t - 1]):
                clause = t
            for k in range(ends[t - 1], starts[t]):
                if data[k] == 10 or data[k] == 13:
                    line = t
        t += 1
    if line > 0 and line <= limit and (prefer_lines or line >= half):
        return line
    if clause >= half and clause <= limit:
        return clause
    return word if word > 0 else last


@kernel
def split_long(
    data,
    units,
    gaps,
    kinds,
    document_units,
    unit_tokens,
    starts,
    ends,
    glued,
    max_tokens,
    max_bytes,
    forced,
    lines_from,
    new_units,
    new_gaps,
    new_kinds,
    new_document_units,
    new_unit_tokens,
):
    """Cut every unit above the limits into pieces between words, as few as a greedy fill needs.

    Two neighbouring pieces never fit into one chunk together, so no later step has a reason to choose
    these cuts: they are made only where the limit forces them. A stretch without a gap between words
    stays too long.

    Parameters
    ----------
    data, units, gaps, kinds, document_units, unit_tokens, starts, ends
        The group, see CONTRIBUTING.md.
    glued : uint8[T]
        1 where a token continues the word of the token before it.
    max_tokens, max_bytes : int64
        Limits of a unit.
    forced : int64
        The gap kind written before every piece but the first.
    lines_from : int64
        Units of this kind and above are cut at line ends first.
    new_units : int32[M' + 1]
        And the four arrays after it: the group's columns with the pieces as units.

    Returns
    -------
    int64
        The new number of units, or -1 when M' is too small.
    """
    count = np.int64(0)
    capacity = new_gaps.shape[0]
    for j in range(document_units.shape[0] - 1):
        new_document_units[j] = count
        for i in range(document_units[j], document_units[j + 1]):
            first = np.int64(unit_tokens[i])
            last = np.int64(unit_tokens[i + 1])
            place = np.int64(units[i])
            gap = np.int64(gaps[i])
            more = True
            while more:
                if count >= capacity:
                    return np.int64(-1)
                new_units[count] = place
                new_unit_tokens[count] = first
                new_gaps[count] = gap
                new_kinds[count] = kinds[i]
                count += 1
                more = False
                if last - first > max_tokens or np.int64(units[i + 1]) - place > max_bytes:
                    limit = min(first + max_tokens, last - 1)
                    while limit > first + 1 and starts[limit] - place > max_bytes:
                        limit -= 1
                    half = first + (limit - first) // 2 + 1
                    cut = soft_place(
                        data, starts, ends, glued, first, last, limit, half, kinds[i] >= lines_from
                    )
                    if cut < last:
                        first = cut
                        place = np.int64(starts[cut])
                        gap = forced
                        more = True
    new_document_units[document_units.shape[0] - 1] = count
    new_units[count] = units[units.shape[0] - 1]
    new_unit_tokens[count] = unit_tokens[unit_tokens.shape[0] - 1]
    return count
