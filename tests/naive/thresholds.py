"""Slow twins of ``scission.kernels.thresholds``."""

import numpy as np


def select(values, rank):
    return sorted(values)[rank]


def percentile(values, percent, scratch):
    return float(np.percentile(values, percent))


def mean_plus_deviations(values, count):
    return float(np.mean(values) + count * np.std(values))


def mean_plus_interquartile(values, count, scratch):
    low, high = np.percentile(values, [25, 75])
    return float(np.mean(values) + count * (high - low))


def rises(values, out):
    mirrored = np.concatenate([values[1:2] if len(values) > 1 else [0.0], values])
    out[:] = mirrored[1:] - mirrored[:-1]


def prominences(values, out):
    n = len(values)
    for i in range(n):
        drops = []
        # To the left an equal value is higher ground: only a plateau's first place is a peak.
        for side, higher in (
            (range(i - 1, -1, -1), np.greater_equal),
            (range(i + 1, n), np.greater),
        ):
            lowest, walled = values[i], False
            for j in side:
                if higher(values[j], values[i]):
                    walled = True
                    break
                lowest = min(lowest, values[j])
            if walled or lowest < values[i]:
                drops.append(values[i] - lowest)
        out[i] = min(drops, default=0.0)
