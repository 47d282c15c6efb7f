"""The partition of a document into segments that costs least, by dynamic programming.

Kernel change-point detection (Arlot, Celisse & Harchaoui, JMLR 20, 2019) with a linear kernel, extended by
structure and size. With unit vectors ``u`` centred on the document mean and ``v`` their variance, the
partition minimises, over segments,

    sum |u - mean(u)|^2  +  v * (penalty * factor(gap) + size_weight * ((T - target) / target)^2)

where ``T`` is the number of tokens of the segment and ``factor(gap)`` depends on what lies before
it in the text. O(M w d) for the costs and O(M w) per solution, with ``w`` the units that fit in a segment.
"""

import numpy as np

from ._jit import kernel

# What a segment below the minimum costs, plus a little per token that it lacks: far above what the evidence
# around one segment adds up to, so that the minimum is kept wherever it can be; finite, so that a
# document shorter than the minimum still has a solution; small enough for float32 to keep the rest.
_SHORT = 1.0e4
_LACKING = 10.0


@kernel
def _centre(vectors, begin, end, weights, out):
    """Centre the non-zero rows of one document on their mean, and return their variance.

    The unbiased variance, sum of squared lengths / (n - 1): by the mean of squares, three unrelated
    sentences would look like two topics (a cut gains n / (n - 1) times the mean of squares from noise alone).
    Rows of zeros (units without tokens) stay zeros and are left out.

    Parameters
    ----------
    vectors : float32[M, d]
        Rows of length 1 or 0.
    begin, end : int64
        The document's rows.
    weights : float32[end - begin]
        Filled with 1, and 0 for rows of zeros.
    out : float32[end - begin, d]
        Filled with the centred rows.
    """
    dimensions = vectors.shape[1]
    mean = np.zeros(dimensions, np.float64)
    count = 0
    for i in range(begin, end):
        filled = False
        for k in range(dimensions):
            mean[k] += np.float64(vectors[i, k])
            filled = filled or vectors[i, k] != 0.0
        weights[i - begin] = np.float32(filled)
        count += filled
    for k in range(dimensions):
        mean[k] /= max(count, 1)
    total = 0.0
    for i in range(begin, end):
        for k in range(dimensions):
            value = np.float64(vectors[i, k]) - mean[k] if weights[i - begin] > 0.0 else 0.0
            out[i - begin, k] = np.float32(value)
            total += value * value
    return total / max(count - 1, 1)


@kernel
def _first_starts(tokens, factors, begin, end, max_tokens, max_units, out):
    """Find the first unit at which a segment that ends with each unit may start.

    Parameters
    ----------
    tokens : int32[M]
        Tokens of each unit.
    factors : float64[M]
        Penalty factor of the gap before each unit; a negative one is a gap that must be cut.
    begin, end : int64
        The document's units.
    max_tokens, max_units : int64
        Limits of a segment. A unit above the limit makes a segment of its own.
    out : int64[end - begin]
        Filled with the first starts, relative to `begin`.

    Returns
    -------
    int64
        The number of (start, end) pairs allowed.
    """
    low = begin
    held = 0
    pairs = 0
    for i in range(begin, end):
        held += tokens[i]
        if i > begin and factors[i] < 0.0:
            low = i
            held = np.int64(tokens[i])
        while low < i and (held > max_tokens or i - low >= max_units):
            held -= tokens[low]
            low += 1
        out[i - begin] = low - begin
        pairs += i - low + 1
    return pairs


@kernel
def _segment_costs(centred, weights, starts, out):
    """Within-segment sum of squares of every allowed segment.

    Parameters
    ----------
    centred : float32[m, d]
        Centred unit vectors of one document.
    weights : float32[m]
        Weight of each unit, 0 for those without tokens.
    starts : int64[m]
        From `_first_starts`.
    out : float32[pairs]
        Filled with the costs, for each end ``i`` those of the starts ``starts[i] … i`` in order.
    """
    dimensions = centred.shape[1]
    total = np.empty(dimensions, np.float32)
    offset = 0
    for i in range(centred.shape[0]):
        total[:] = np.float32(0.0)
        squares = np.float32(0.0)
        weight = np.float32(0.0)
        # Sums grow backwards from the end: no prefix sums, so nothing cancels in long documents.
        for start in range(i, starts[i] - 1, -1):
            share = weights[start]
            length = np.float32(0.0)
            square = np.float32(0.0)
            for k in range(dimensions):
                value = centred[start, k]
                length += value * value
                total[k] += share * value
                square += total[k] * total[k]
            squares += share * length
            weight += share
            cost = squares - square / weight if weight > 0.0 else np.float32(0.0)
            out[offset + start - starts[i]] = max(cost, np.float32(0.0))
        offset += i - starts[i] + 1


@kernel
def _add_size_costs(tokens, begin, starts, min_tokens, target_tokens, size_weight, costs):
    """Add to each segment's cost what its size costs.

    Parameters
    ----------
    tokens : int32[M]
        Tokens of each unit.
    begin : int64
        The document's first unit.
    starts : int64[m]
        From `_first_starts`.
    min_tokens : int64
        Segments below it cost more than any evidence can outweigh.
    target_tokens : float64
        The wanted size; 0 for none.
    size_weight : float64
        Cost of a segment that is off by its whole target, in the unit of the costs.
    costs : float32[pairs]
        From `_segment_costs`, added to in place.
    """
    offset = 0
    for i in range(starts.shape[0]):
        held = 0
        for start in range(i, starts[i] - 1, -1):
            held += tokens[begin + start]
            extra = 0.0
            if held < min_tokens:
                extra += _SHORT + _LACKING * (min_tokens - held)
            if target_tokens > 0.0:
                off = (held - target_tokens) / target_tokens
                extra += size_weight * off * off
            costs[offset + start - starts[i]] += np.float32(extra)
        offset += i - starts[i] + 1


@kernel
def _count_segments(previous):
    """Count the segments of the partition that `_solve` left in `previous`."""
    segments = 0
    i = previous.shape[0] - 1
    while i >= 0:
        segments += 1
        i = previous[i] - 1
    return segments


@kernel
def _solve(costs, starts, factors, penalty, opened, previous):
    """Find the cheapest partition, and return its number of segments.

    Parameters
    ----------
    costs : float32[pairs]
        Cost of each allowed segment, see `_segment_costs`.
    starts : int64[m]
        From `_first_starts`.
    factors : float64[m]
        A cut before unit ``i`` costs ``penalty * factors[i]``, nothing where that is negative.
    penalty : float64
        In the unit of the costs.
    opened : float64[m]
        Working space: the cost of the best partition of what comes before each unit, with the cut.
    previous : int64[m]
        Filled with the start of the segment that ends with each unit, in the best partition up to there.
        Of equal partitions the one with the longer last segment is taken.
    """
    m = starts.shape[0]
    offset = np.int64(0)
    opened[0] = 0.0
    for i in range(m):
        best = np.inf
        chosen = starts[i]
        row = offset - starts[i]
        for start in range(starts[i], i + 1):
            value = opened[start] + np.float64(costs[row + start])
            if value < best:
                best = value
                chosen = start
        previous[i] = chosen
        if i + 1 < m:
            opened[i + 1] = best + max(penalty * factors[i + 1], 0.0)
        offset += i - starts[i] + 1
    return _count_segments(previous)


@kernel
def _mark_starts(previous, begin, cuts):
    """Write the partition in `previous` to the document's part of `cuts`: 1 where a segment starts."""
    m = previous.shape[0]
    for i in range(m):
        cuts[begin + i] = 0
    i = m - 1
    while i >= 0:
        cuts[begin + previous[i]] = 1
        i = previous[i] - 1


@kernel
def _bounded_starts(tokens, factors, begin, end, max_tokens, max_pairs, starts):
    """As `_first_starts`, with segments held to so many units that the pairs stay near `max_pairs`."""
    m = end - begin
    pairs = _first_starts(tokens, factors, begin, end, max_tokens, m, starts)
    if pairs > max_pairs:
        longest = max(64, max_pairs // m)
        pairs = _first_starts(tokens, factors, begin, end, max_tokens, longest, starts)
    return pairs


@kernel
def _solve_for_count(costs, starts, factors, variance, wanted, opened, previous):
    """Bisect the penalty until the partition has `wanted` segments, or comes closest.

    Arguments as in `_solve`; a penalty of 1 stands for `variance`. Returns the penalty found.
    """
    low = 0.0
    high = 64.0  # one cut for 64 units' worth of variance: hardly any document is cut at all
    penalty = 1.0
    best = 0.0
    best_miss = starts.shape[0] + 1
    # Most documents are done after six halvings.
    for _ in range(24):
        segments = _solve(costs, starts, factors, penalty * variance, opened, previous)
        miss = abs(segments - wanted)
        if miss < best_miss:
            best_miss = miss
            best = penalty
        if miss == 0:
            return best
        if segments > wanted:
            low = penalty
        else:
            high = penalty
        # Penalties spread over orders of magnitude: halve the ratio while there is one.
        penalty = np.sqrt(low * high) if low > 0.0 else high / 4.0
    _solve(costs, starts, factors, best * variance, opened, previous)
    return best


@kernel
def _split_cheapest(costs, starts, offsets, previous):
    """Split the segment whose split lowers the cost most; return 0 when none can be split.

    `previous` describes the partition as `_solve` leaves it and is changed in place. `offsets[i]` is
    where the costs of segments that end with unit ``i`` begin.
    """
    best = np.inf
    best_end = -1
    best_split = -1
    end = starts.shape[0] - 1
    while end >= 0:
        start = previous[end]
        whole = np.float64(costs[offsets[end] + start - starts[end]])
        for split in range(start + 1, end + 1):
            left = np.float64(costs[offsets[split - 1] + start - starts[split - 1]])
            right = np.float64(costs[offsets[end] + split - starts[end]])
            change = left + right - whole
            if change < best:
                best = change
                best_end = end
                best_split = split
        end = start - 1
    if best_end < 0:
        return 0
    previous[best_split - 1] = previous[best_end]
    previous[best_end] = best_split
    return 1


@kernel
def _merge_cheapest(costs, starts, offsets, previous):
    """Merge the two neighbours whose merger raises the cost least; return 0 when none may be merged.

    Arguments as in `_split_cheapest`.
    """
    best = np.inf
    best_end = -1
    end = starts.shape[0] - 1
    while previous[end] > 0:
        start = previous[end]
        before = previous[start - 1]
        if before >= starts[end]:
            change = (
                np.float64(costs[offsets[end] + before - starts[end]])
                - np.float64(costs[offsets[end] + start - starts[end]])
                - np.float64(costs[offsets[start - 1] + before - starts[start - 1]])
            )
            if change < best:
                best = change
                best_end = end
        end = start - 1
    if best_end < 0:
        return 0
    previous[best_end] = previous[previous[best_end] - 1]
    return 1


@kernel
def _meet_count(costs, starts, number, previous):
    """Split and merge segments, cheapest first, until there are `number`, or the limits forbid more."""
    m = starts.shape[0]
    offsets = np.empty(m, np.int64)
    offset = np.int64(0)
    for i in range(m):
        offsets[i] = offset
        offset += i - starts[i] + 1
    segments = _count_segments(previous)
    while segments < number and _split_cheapest(costs, starts, offsets, previous) == 1:
        segments += 1
    while segments > number and _merge_cheapest(costs, starts, offsets, previous) == 1:
        segments -= 1


@kernel
def _prepare(vectors, tokens, factors, begin, end, limits, target, size_weight, starts):
    """Fill `starts` for one document, and return its variance and the costs of its segments.

    `limits` holds the minimum, the maximum and the bound of the number of pairs.
    """
    m = end - begin
    centred = np.empty((m, vectors.shape[1]), np.float32)
    weights = np.empty(m, np.float32)
    variance = _centre(vectors, begin, end, weights, centred)
    if variance == 0.0:
        variance = 1.0
    pairs = _bounded_starts(tokens, factors, begin, end, limits[1], limits[2], starts)
    costs = np.empty(pairs, np.float32)
    _segment_costs(centred, weights, starts, costs)
    _add_size_costs(tokens, begin, starts, limits[0], target, size_weight * variance, costs)
    return variance, costs


@kernel
def partition(
    vectors, tokens, factors, document_units, limits, target, size_weight, penalties, used, cuts
):
    """Partition every document of a group, with a given penalty of a cut.

    Parameters
    ----------
    vectors : float32[M, d]
        One row of length 1 (or 0) per unit.
    tokens : int32[M]
        Size of each unit.
    factors : float64[M]
        Penalty factor of the gap before each unit; negative where a cut is a must.
    document_units : int32[D + 1]
        Units of each document.
    limits : int64[3]
        Minimum and maximum of a segment's tokens, of which the maximum wins where they conflict (a single
        unit above it makes a segment of its own); and a bound of the table of costs, and so of memory:
        where a document has more allowed segments, they are held to ``max(64, bound / m)`` units.
    target : float64
        Wanted size of a segment; 0 for none.
    size_weight : float64
        Weight of the size term.
    penalties : float64[3]
        A document of ``m`` units has the penalty ``max(p[0], p[1] + p[2] * ln(m))``: chance finds better
        cuts among many. One of two units is cut only where a limit wants it.
    used : float64[D]
        Filled with the penalty of each document, in units of its variance; 0 for an empty one.
    cuts : uint8[M]
        Filled with 1 where a segment starts.
    """
    for j in range(document_units.shape[0] - 1):
        begin = np.int64(document_units[j])
        end = np.int64(document_units[j + 1])
        m = end - begin
        used[j] = 0.0
        if m == 0:
            continue
        starts = np.empty(m, np.int64)
        variance, costs = _prepare(
            vectors, tokens, factors, begin, end, limits, target, size_weight, starts
        )
        penalty = max(penalties[0], penalties[1] + penalties[2] * np.log(m))
        if m <= 2:
            penalty = _SHORT  # two sentences are no evidence of two topics
        used[j] = penalty
        opened = np.empty(m, np.float64)
        previous = np.empty(m, np.int64)
        _solve(costs, starts, factors[begin:end], penalty * variance, opened, previous)
        _mark_starts(previous, begin, cuts)


@kernel
def partition_into(
    vectors,
    tokens,
    factors,
    document_units,
    limits,
    target,
    size_weight,
    numbers,
    exact,
    used,
    cuts,
):
    """Partition every document of a group into a wanted number of segments.

    Parameters
    ----------
    vectors, tokens, factors, document_units, limits, target, size_weight, used, cuts
        As in `partition`; the penalty is the one found.
    numbers : int64[D]
        Wanted number of segments of each document.
    exact : bool
        Whether to split and merge segments where no penalty gives that number.
    """
    for j in range(document_units.shape[0] - 1):
        begin = np.int64(document_units[j])
        end = np.int64(document_units[j + 1])
        m = end - begin
        used[j] = 0.0
        if m == 0:
            continue
        starts = np.empty(m, np.int64)
        variance, costs = _prepare(
            vectors, tokens, factors, begin, end, limits, target, size_weight, starts
        )
        opened = np.empty(m, np.float64)
        previous = np.empty(m, np.int64)
        used[j] = _solve_for_count(
            costs, starts, factors[begin:end], variance, numbers[j], opened, previous
        )
        if exact:
            _meet_count(costs, starts, numbers[j], previous)
        _mark_starts(previous, begin, cuts)


@kernel
def _scatter(centred, weights, first, last):
    """Sum of squares within the segment ``first … last``, as `_segment_costs` finds those of allowed ones."""
    dimensions = centred.shape[1]
    total = np.zeros(dimensions, np.float64)
    squares = 0.0
    weight = 0.0
    for i in range(first, last + 1):
        share = np.float64(weights[i])
        weight += share
        for k in range(dimensions):
            value = np.float64(centred[i, k])
            total[k] += share * value
            squares += share * value * value
    for k in range(dimensions):
        squares -= total[k] * total[k] / max(weight, 1.0)
    return squares


@kernel
def _split_gain(costs, starts, offsets, first, split, last):
    """Return what the segment ``first … last`` costs more than its two parts; infinite when not allowed.

    Parameters as in `_split_cheapest`; the second part begins with unit `split`.
    """
    if first < starts[last]:
        return np.inf
    whole = np.float64(costs[offsets[last] + first - starts[last]])
    left = np.float64(costs[offsets[split - 1] + first - starts[split - 1]])
    right = np.float64(costs[offsets[last] + split - starts[last]])
    return whole - left - right


@kernel
def _sides(cuts, begin, end, firsts, lasts):
    """Find, for each unit, the segment that a cut before it divides, or would divide.

    Parameters
    ----------
    cuts : uint8[M]
        1 where a segment starts.
    begin, end : int64
        The document's units.
    firsts, lasts : int64[end - begin]
        Filled with the first and the last unit, relative to `begin`: of the two segments around a cut, of the one
        segment around any other gap.
    """
    m = end - begin
    before = np.int64(0)
    first = np.int64(0)
    for i in range(m):
        if cuts[begin + i] != 0:
            before = first
            first = i
        firsts[i] = before if cuts[begin + i] != 0 else first
    last = m - 1
    for i in range(m - 1, -1, -1):
        lasts[i] = last
        if cuts[begin + i] != 0:
            last = i - 1


@kernel
def gains(
    vectors, tokens, factors, document_units, limits, target, size_weight, cuts, scatter, size
):
    """Weigh a cut at each gap: what it saves, penalty aside, in units of the document's variance.

    At a gap that is cut: what its two segments would cost more as one. At any other: what the segment around it
    costs more than its two parts. In a cheapest partition, the savings less the penalty of a cut are
    not below 0 at cuts and not above 0 elsewhere.

    Parameters
    ----------
    vectors, tokens, factors, document_units, limits, target, size_weight
        As in `partition`.
    cuts : uint8[M]
        1 where a segment starts, from `partition` or `partition_into`.
    scatter : float64[M]
        Filled, for the gap before each unit, with the drop of the sum of squares within segments; NaN
        before a document.
    size : float64[M]
        Filled likewise with the drop of what sizes cost; infinite where both sides may not be one segment.
    """
    for j in range(document_units.shape[0] - 1):
        begin = np.int64(document_units[j])
        end = np.int64(document_units[j + 1])
        m = end - begin
        if m == 0:
            continue
        centred = np.empty((m, vectors.shape[1]), np.float32)
        weights = np.empty(m, np.float32)
        _centre(vectors, begin, end, weights, centred)
        firsts = np.empty(m, np.int64)
        lasts = np.empty(m, np.int64)
        _sides(cuts, begin, end, firsts, lasts)
        starts = np.empty(m, np.int64)
        variance, costs = _prepare(
            vectors, tokens, factors, begin, end, limits, target, size_weight, starts
        )
        offsets = np.empty(m, np.int64)
        offset = np.int64(0)
        for i in range(m):
            offsets[i] = offset
            offset += i - starts[i] + 1
        scatter[begin] = np.nan
        size[begin] = np.nan
        for i in range(1, m):
            first = firsts[i]
            last = lasts[i]
            saved = _scatter(centred, weights, first, last)
            saved -= _scatter(centred, weights, first, i - 1)
            saved -= _scatter(centred, weights, i, last)
            scatter[begin + i] = saved / variance
            gain = _split_gain(costs, starts, offsets, first, i, last)
            size[begin + i] = gain / variance - scatter[begin + i]


@kernel
def limit_cuts(suggested, distances, tokens, factors, document_units, limits, cuts):
    """Change suggested cuts as little as the limits allow.

    Every suggested cut stays unless a segment would fall below the minimum; cuts are added only where
    a segment exceeds the maximum, as few as possible and where the distance is largest.

    Parameters
    ----------
    suggested : uint8[M]
        1 where a threshold wants a segment to start.
    distances : float64[M]
        Distance across the gap before each unit.
    tokens, factors, document_units, limits
        As in `partition`.
    cuts : uint8[M]
        Filled with 1 where a segment starts.
    """
    for j in range(document_units.shape[0] - 1):
        begin = np.int64(document_units[j])
        end = np.int64(document_units[j + 1])
        m = end - begin
        if m == 0:
            continue
        starts = np.empty(m, np.int64)
        pairs = _bounded_starts(tokens, factors, begin, end, limits[1], limits[2], starts)
        costs = np.empty(pairs, np.float32)
        prices = np.empty(m, np.float64)
        offset = np.int64(0)
        for i in range(m):
            # An added cut costs 1 to 1.5: one always beats two, and a larger distance a smaller one.
            prices[i] = 0.0 if suggested[begin + i] else 1.5 - 0.25 * distances[begin + i]
            lost = 0.0
            for start in range(i, starts[i] - 1, -1):
                costs[offset + start - starts[i]] = np.float32(lost)
                if suggested[begin + start]:
                    lost += 4.0 + distances[begin + start]
            offset += i - starts[i] + 1
        _add_size_costs(tokens, begin, starts, limits[0], 0.0, 0.0, costs)
        opened = np.empty(m, np.float64)
        previous = np.empty(m, np.int64)
        _solve(costs, starts, prices, 1.0, opened, previous)
        _mark_starts(previous, begin, cuts)
