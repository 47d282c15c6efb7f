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
def centre(vectors, begin, end, weights, out):
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
def first_starts(tokens, factors, begin, end, max_tokens, max_units, out):
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
def segment_costs(centred, weights, starts, out):
    """Within-segment sum of squares of every allowed segment.

    Parameters
    ----------
    centred : float32[m, d]
        Centred unit vectors of one document.
    weights : float32[m]
        Weight of each unit, 0 for those without tokens.
    starts : int64[m]
        From `first_starts`.
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
def add_size_costs(tokens, begin, starts, min_tokens, target_tokens, size_weight, costs):
    """Add to each segment's cost what its size costs.

    Parameters
    ----------
    tokens : int32[M]
        Tokens of each unit.
    begin : int64
        The document's first unit.
    starts : int64[m]
        From `first_starts`.
    min_tokens : int64
        Segments below it cost more than any evidence can outweigh.
    target_tokens : float64
        The wanted size; 0 for none.
    size_weight : float64
        Cost of a segment that is off by its whole target, in the unit of the costs.
    costs : float32[pairs]
        From `segment_costs`, added to in place.
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
def count_segments(previous):
    """Count the segments of the partition that `solve` left in `previous`."""
    segments = 0
    i = previous.shape[0] - 1
    while i >= 0:
        segments += 1
        i = previous[i] - 1
    return segments


@kernel
def solve(costs, starts, penalties, opened, previous):
    """Find the cheapest partition, and return its number of segments.

    Parameters
    ----------
    costs : float32[pairs]
        Cost of each allowed segment, see `segment_costs`.
    starts : int64[m]
        From `first_starts`.
    penalties : float64[m]
        Cost of a cut before each unit; that of the first unit is not read.
    opened : float64[m]
        Working space: the cost of the best partition of what comes before each unit, with the cut.
    previous : int64[m]
        Filled with the start of the segment that ends with each unit, in the best partition up to there.
        Of equal partitions the one with the longer last segment is taken.
    """
    m = starts.shape[0]
    offset = 0
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
            opened[i + 1] = best + penalties[i + 1]
        offset += i - starts[i] + 1
    return count_segments(previous)


@kernel
def mark_starts(previous, begin, cuts):
    """Write the partition in `previous` to the document's part of `cuts`: 1 where a segment starts."""
    m = previous.shape[0]
    for i in range(m):
        cuts[begin + i] = 0
    i = m - 1
    while i >= 0:
        cuts[begin + previous[i]] = 1
        i = previous[i] - 1


@kernel
def bounded_starts(tokens, factors, begin, end, max_tokens, max_pairs, starts):
    """As `first_starts`, with segments held to so many units that the pairs stay near `max_pairs`."""
    m = end - begin
    pairs = first_starts(tokens, factors, begin, end, max_tokens, m, starts)
    if pairs > max_pairs:
        longest = max(64, max_pairs // m)
        pairs = first_starts(tokens, factors, begin, end, max_tokens, longest, starts)
    return pairs


@kernel
def solve_for_count(costs, starts, factors, unit, wanted, penalties, opened, previous):
    """Bisect the penalty until the partition has `wanted` segments, or comes closest from above.

    Parameters
    ----------
    costs, starts, opened, previous
        As in `solve`.
    factors : float64[m]
        Penalty factor of each gap.
    unit : float64
        What a penalty of 1 stands for: the variance of the centred vectors.
    wanted : int64
        Number of segments.
    penalties : float64[m]
        Filled with the penalties of the solution.

    Returns
    -------
    float64
        The penalty found, in multiples of `unit`.
    """
    m = starts.shape[0]
    low = 0.0
    high = 64.0  # one cut for 64 units' worth of variance: hardly any document is cut at all
    penalty = 1.0
    best_penalty = 0.0
    best_miss = np.int64(m + 1)
    # 24 halvings leave 4e-6 of the range; most documents are done after six.
    for _ in range(24):
        for i in range(m):
            penalties[i] = penalty * unit * max(factors[i], 0.0)
        segments = solve(costs, starts, penalties, opened, previous)
        miss = abs(segments - wanted)
        if miss < best_miss:
            best_miss = miss
            best_penalty = penalty
        if miss == 0:
            break
        if segments > wanted:
            low = penalty
        else:
            high = penalty
        # Penalties spread over orders of magnitude: halve the ratio while there is one.
        penalty = np.sqrt(low * high) if low > 0.0 else high / 4.0
    if best_miss > 0:
        for i in range(m):
            penalties[i] = best_penalty * unit * max(factors[i], 0.0)
        solve(costs, starts, penalties, opened, previous)
    return best_penalty


@kernel
def split_cheapest(costs, starts, offsets, previous):
    """Split the segment whose split lowers the cost most; return 0 when none can be split.

    `previous` describes the partition as `solve` leaves it and is changed in place. `offsets[i]` is
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
def merge_cheapest(costs, starts, offsets, previous):
    """Merge the two neighbours whose merger raises the cost least; return 0 when none may be merged.

    Arguments as in `split_cheapest`.
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
def meet_count(costs, starts, number, previous):
    """Split and merge segments, cheapest first, until there are `number`, or the limits forbid more."""
    m = starts.shape[0]
    offsets = np.empty(m, np.int64)
    offset = np.int64(0)
    for i in range(m):
        offsets[i] = offset
        offset += i - starts[i] + 1
    segments = count_segments(previous)
    while segments < number and split_cheapest(costs, starts, offsets, previous) == 1:
        segments += 1
    while segments > number and merge_cheapest(costs, starts, offsets, previous) == 1:
        segments -= 1


@kernel
def partition(
    vectors,
    tokens,
    factors,
    document_units,
    min_tokens,
    max_tokens,
    max_pairs,
    target_tokens,
    size_weight,
    penalty,
    base,
    growth,
    number,
    cuts,
):
    """Partition every document of a group.

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
    min_tokens, max_tokens : int64
        Limits of a segment; the maximum wins where they conflict. A single unit above the maximum
        makes a segment of its own.
    max_pairs : int64
        Bound of the table of costs, and so of memory: where a document has more allowed segments,
        segments are held to ``max(64, max_pairs / m)`` units.
    target_tokens : float64
        Wanted mean size of the segments; 0 for none.
    size_weight : float64
        Weight of the size term.
    penalty : float64
        Penalty of a cut inside a document of more than two units; negative to find, for each
        document, the one that gives the wanted mean size.
    base, growth : float64
        A document of ``m`` units has the penalty ``base + growth * ln(m)`` where that is larger: chance finds
        better cuts among many.
    number : int64
        Wanted number of segments of each document, or 0; met unless the limits forbid it.
    cuts : uint8[M]
        Filled with 1 where a segment starts.
    """
    for j in range(document_units.shape[0] - 1):
        begin = np.int64(document_units[j])
        end = np.int64(document_units[j + 1])
        m = end - begin
        if m == 0:
            continue
        centred = np.empty((m, vectors.shape[1]), np.float32)
        weights = np.empty(m, np.float32)
        unit = centre(vectors, begin, end, weights, centred)
        starts = np.empty(m, np.int64)
        pairs = bounded_starts(tokens, factors, begin, end, max_tokens, max_pairs, starts)
        costs = np.empty(pairs, np.float32)
        segment_costs(centred, weights, starts, costs)
        scaled = unit if unit > 0.0 else 1.0
        add_size_costs(
            tokens, begin, starts, min_tokens, target_tokens, size_weight * scaled, costs
        )
        opened = np.empty(m, np.float64)
        previous = np.empty(m, np.int64)
        penalties = np.empty(m, np.float64)
        wanted = number
        if number == 0 and penalty < 0.0 and target_tokens > 0.0 and m > 2:
            held = np.int64(0)
            for i in range(begin, end):
                held += tokens[i]
            wanted = max(1, np.int64(np.round(held / target_tokens)))
        if wanted > 0:
            solve_for_count(
                costs, starts, factors[begin:end], scaled, wanted, penalties, opened, previous
            )
        else:
            strength = scaled * max(penalty, base + growth * np.log(m))
            if m <= 2:
                strength = _SHORT  # two sentences are no evidence of two topics
            for i in range(m):
                penalties[i] = strength * max(factors[begin + i], 0.0)
            solve(costs, starts, penalties, opened, previous)
        if number > 0:
            meet_count(costs, starts, number, previous)
        mark_starts(previous, begin, cuts)


@kernel
def limit_cuts(
    suggested, distances, tokens, factors, document_units, min_tokens, max_tokens, max_pairs, cuts
):
    """Change suggested cuts as little as the limits allow.

    Every suggested cut stays unless a segment would fall below the minimum; cuts are added only where
    a segment exceeds the maximum, as few as possible and where the distance is largest.

    Parameters
    ----------
    suggested : uint8[M]
        1 where a threshold wants a segment to start.
    distances : float64[M]
        Distance across the gap before each unit.
    tokens, factors, document_units, min_tokens, max_tokens, max_pairs
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
        pairs = bounded_starts(tokens, factors, begin, end, max_tokens, max_pairs, starts)
        costs = np.empty(pairs, np.float32)
        penalties = np.empty(m, np.float64)
        offset = np.int64(0)
        for i in range(m):
            # An added cut costs 1 to 1.5: one always beats two, and a larger distance a smaller one.
            penalties[i] = 0.0 if suggested[begin + i] else 1.5 - 0.25 * distances[begin + i]
            lost = 0.0
            for start in range(i, starts[i] - 1, -1):
                costs[offset + start - starts[i]] = np.float32(lost)
                if suggested[begin + start]:
                    lost += 4.0 + distances[begin + start]
            offset += i - starts[i] + 1
        add_size_costs(tokens, begin, starts, min_tokens, 0.0, 0.0, costs)
        opened = np.empty(m, np.float64)
        previous = np.empty(m, np.int64)
        solve(costs, starts, penalties, opened, previous)
        mark_starts(previous, begin, cuts)
