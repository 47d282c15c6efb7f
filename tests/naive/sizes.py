"""Slow twins of ``scission.kernels.sizes``."""

import numpy as np


def unit_sizes(units, unit_tokens, bytes_per_token, out):
    out[:] = [
        max(int(tokens), int(length) // bytes_per_token)
        for tokens, length in zip(np.diff(unit_tokens), np.diff(units), strict=True)
    ]
    return max(out, default=0)


CLAUSE_ENDS = [mark.encode() for mark in ",;:)–—，、；：،"]


def soft_place(data, starts, ends, glued, first, last, limit, half, prefer_lines):
    places = [t for t in range(first + 1, last) if not glued[t] and starts[t] >= ends[t - 1]]
    within = [t for t in places if t <= limit]
    lines = [t for t in within if {10, 13} & set(data[ends[t - 1] : starts[t]].tolist())]
    clauses = [t for t in within if data[starts[t - 1] : ends[t - 1]].tobytes() in CLAUSE_ENDS]
    if lines and (prefer_lines or lines[-1] >= half):
        return lines[-1]
    if clauses and clauses[-1] >= half:
        return clauses[-1]
    if within:
        return within[-1]
    return places[0] if places else last


def split_long(
    data, units, gaps, kinds, document_units, unit_tokens, starts, ends, glued, max_tokens, max_bytes,
    forced, lines_from, new_units, new_gaps, new_kinds, new_document_units, new_unit_tokens,
):  # fmt: skip
    pieces = []
    counts = []
    for i in range(len(gaps)):
        first, last, place = int(unit_tokens[i]), int(unit_tokens[i + 1]), int(units[i])
        pieces.append((place, int(gaps[i]), int(kinds[i]), first))
        counts.append(1)
        while last - first > max_tokens or int(units[i + 1]) - place > max_bytes:
            fitting = [
                t
                for t in range(first + 1, last)
                if t - first <= max_tokens and (t == first + 1 or starts[t] - place <= max_bytes)
            ]
            limit = max(fitting, default=min(first + max_tokens, last - 1))
            half = first + (limit - first) // 2 + 1
            first = soft_place(
                data, starts, ends, glued, first, last, limit, half, kinds[i] >= lines_from
            )
            if first >= last:
                break
            place = int(starts[first])
            pieces.append((place, forced, int(kinds[i]), first))
            counts[-1] += 1
    count = len(pieces)
    if count > len(new_gaps):
        return -1
    new_units[:count], new_gaps[:count], new_kinds[:count], new_unit_tokens[:count] = zip(
        *pieces, strict=True
    )
    new_units[count], new_unit_tokens[count] = units[-1], unit_tokens[-1]
    new_document_units[:] = np.concatenate([[0], np.cumsum(counts)])[document_units]
    return count
