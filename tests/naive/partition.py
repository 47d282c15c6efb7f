"""Slow twins of ``scission.kernels.partition``."""

import numpy as np


def centre(vectors, begin, end, weights, out):
    rows = vectors[begin:end].astype(np.float64)
    filled = rows.any(axis=1)
    weights[:] = filled
    mean = rows[filled].mean(axis=0) if filled.any() else 0
    out[:] = np.where(filled[:, None], rows - mean, 0)
    return float((out.astype(np.float64) ** 2).sum() / max(filled.sum() - 1, 1))


def first_starts(tokens, factors, begin, end, max_tokens, max_units, out):
    pairs = 0
    for i in range(begin, end):
        start = i
        while (
            start > begin
            and factors[start] >= 0
            and tokens[start - 1 : i + 1].sum() <= max_tokens
            and i - start + 2 <= max_units
        ):
            start -= 1
        out[i - begin] = start - begin
        pairs += i - start + 1
    return pairs


def segment_costs(centred, weights, starts, out):
    costs = []
    for i, low in enumerate(starts):
        for start in range(low, i + 1):
            rows = centred[start : i + 1].astype(np.float64)
            shares = weights[start : i + 1].astype(np.float64)
            if shares.sum() == 0:
                costs.append(0.0)
                continue
            mean = (shares[:, None] * rows).sum(axis=0) / shares.sum()
            costs.append(float((shares * ((rows - mean) ** 2).sum(axis=1)).sum()))
    out[:] = costs


def add_size_costs(tokens, begin, starts, min_tokens, target_tokens, size_weight, costs):
    place = 0
    for i, low in enumerate(starts):
        for start in range(low, i + 1):
            held = int(tokens[begin + start : begin + i + 1].sum())
            if held < min_tokens:
                costs[place] += 1e4 + 10.0 * (min_tokens - held)
            if target_tokens > 0:
                costs[place] += size_weight * ((held - target_tokens) / target_tokens) ** 2
            place += 1


def every_partition(m):
    """All partitions of m units, as lists of segment starts."""
    for mask in range(2 ** (m - 1)):
        yield [0] + [i + 1 for i in range(m - 1) if mask >> i & 1]


def cost_table(costs, starts):
    """The flat costs as a dictionary from (start, end)."""
    table, place = {}, 0
    for i, low in enumerate(starts):
        for start in range(low, i + 1):
            table[start, i] = float(costs[place])
            place += 1
    return table


def partition_cost(chosen, table, factors, penalty):
    """Cost of one partition; infinite when it holds a segment that is not allowed."""
    ends = [*[start - 1 for start in chosen[1:]], len(factors) - 1]
    segments = sum(table.get(pair, np.inf) for pair in zip(chosen, ends, strict=True))
    return segments + sum(max(penalty * factors[start], 0.0) for start in chosen[1:])


def solve(costs, starts, factors, penalty, opened, previous):
    """The cheapest of all partitions, as (cost, starts); by trying each."""
    table = cost_table(costs, starts)
    return min(
        (partition_cost(chosen, table, factors, penalty), chosen)
        for chosen in every_partition(len(starts))
    )


def partition(
    vectors, tokens, factors, document_units, limits, target, size_weight, penalties, used, cuts
):
    """One document: what any partition costs, and the least."""
    m = len(tokens)
    centred, weights = np.empty((m, vectors.shape[1])), np.empty(m)
    variance = centre(vectors, 0, m, weights, centred) or 1.0
    starts = np.empty(m, np.int64)
    costs = np.empty(first_starts(tokens, factors, 0, m, limits[1], m, starts))
    segment_costs(centred, weights, starts, costs)
    add_size_costs(tokens, 0, starts, limits[0], target, size_weight * variance, costs)
    penalty = variance * max(penalties[0], penalties[1] + penalties[2] * np.log(m))
    if m <= 2:
        penalty = 1e4
    table = cost_table(costs, starts)

    def cost_of(chosen):
        return partition_cost(chosen, table, factors, penalty)

    return cost_of, min(map(cost_of, every_partition(m)))


def scatter(centred, weights, first, last):
    rows = centred[first : last + 1][weights[first : last + 1] > 0]
    return float(((rows - rows.mean(axis=0)) ** 2).sum()) if len(rows) else 0.0


def sides(cuts, begin, end, firsts, lasts):
    starts = [i - begin for i in range(begin, end) if cuts[i]]
    for i in range(end - begin):
        firsts[i] = max([start for start in starts if start < i], default=0)
        lasts[i] = min([start for start in starts if start > i], default=end - begin) - 1


def gains(
    vectors, tokens, factors, document_units, limits, target, size_weight, cuts, scatter_, size
):
    """One document: what each gap's segment costs whole, less what its two parts cost."""
    m = len(tokens)
    centred, weights = np.empty((m, vectors.shape[1])), np.empty(m)
    variance = centre(vectors, 0, m, weights, centred) or 1.0
    starts = np.empty(m, np.int64)
    costs = np.empty(first_starts(tokens, factors, 0, m, limits[1], m, starts))
    segment_costs(centred, weights, starts, costs)
    add_size_costs(tokens, 0, starts, limits[0], target, size_weight * variance, costs)
    table = cost_table(costs, starts)
    firsts, lasts = np.empty(m, int), np.empty(m, int)
    sides(cuts, 0, m, firsts, lasts)
    scatter_[0] = size[0] = np.nan
    for i in range(1, m):
        first, last = int(firsts[i]), int(lasts[i])
        whole, left, right = ((first, last), (first, i - 1), (i, last))
        spread = [scatter(centred, weights, *segment) for segment in (whole, left, right)]
        scatter_[i] = (spread[0] - spread[1] - spread[2]) / variance
        size[i] = (table.get(whole, np.inf) - table[left] - table[right]) / variance - scatter_[i]


def limit_cuts(suggested, distances, tokens, factors, document_units, limits, cuts):
    """One document: the least change, by trying each partition."""
    m = len(tokens)
    min_tokens, max_tokens, _ = limits
    best = (np.inf, [])
    for chosen in every_partition(m):
        ends = [*chosen[1:], m]
        sizes = [int(tokens[a:b].sum()) for a, b in zip(chosen, ends, strict=True)]
        if any(
            size > max_tokens and b - a > 1 for size, a, b in zip(sizes, chosen, ends, strict=True)
        ):
            continue
        if any(factors[i] < 0 and i not in chosen for i in range(1, m)):
            continue
        cost = sum(1e4 + 10.0 * (min_tokens - size) for size in sizes if size < min_tokens)
        for i in range(1, m):
            if i in chosen:
                cost += 0 if suggested[i] else 1.5 - 0.25 * distances[i]
            elif suggested[i]:
                cost += 4 + distances[i]
        best = min(best, (cost, chosen))
    return best
