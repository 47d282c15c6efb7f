"""Slow twin of ``scission.kernels.gaps``."""

import numpy as np


def gap_factors(data, token_ends, unit_tokens, gaps, document_units, table, kinds, out):
    line, blank, after_heading, start = kinds.tolist()
    raw = data.tobytes()
    for begin, end in zip(document_units[:-1], document_units[1:], strict=True):
        own = []
        for i in range(begin, end):
            tokens_before = token_ends[: unit_tokens[i]]
            leads = len(tokens_before) > 0 and raw[: tokens_before[-1]].endswith(b":")
            own.append(after_heading if leads and gaps[i] in (line, blank) else gaps[i])
        costs = [table[kind] for kind in own]
        counted = [c for c, kind in zip(costs, own, strict=True) if c >= 0 and kind != start]
        mean = np.mean(counted) if counted and sum(counted) > 0 else 1.0
        out[begin:end] = [cost if cost < 0 else cost / mean for cost in costs]
