"""Chunks under a limit that end at separators: a hierarchy of these, from the most to the least wanted.

From the beginning of a chunk, the text that its limit reaches is searched backwards for the last separator of
the first level, then of the next, and so on; where there is none, the chunk ends at the last boundary
between grapheme clusters. A separator that would leave the chunk nearly empty is passed over for a worse one further
on. Nothing but the text near the limit is read, and no byte twice for one separator.

Lengths are counted in code points, in bytes (where all is ASCII and both are the same) or in the weights of places,
as a tokenizer gives them.
"""

import numpy as np

from ._jit import kernel

# How lengths are counted.
WEIGHTS, CODE_POINTS, BYTES = 0, 1, 2


@kernel
def _index(places, t, position):
    """Return how many places lie before `position`, at least `t`; steps double, so that near is fast."""
    step = 1
    low = t
    while low < places.size and places[low] < position:
        t = low + 1
        low += step
        step *= 2
    high = min(low, places.size)
    while t < high:
        middle = (t + high) // 2
        if places[middle] < position:
            t = middle + 1
        else:
            high = middle
    return t


@kernel
def _within(sums, t, target):
    """Return the last index from `t` on whose sum does not exceed `target`."""
    step = 1
    high = t + 1
    while high < sums.size and sums[high] <= target:
        t = high
        high += step
        step *= 2
    high = min(high, sums.size)
    while high - t > 1:
        middle = (t + high) // 2
        if sums[middle] <= target:
            t = middle
        else:
            high = middle
    return t


@kernel
def _reach(inside, begin, stop, limit, unit, places, sums, t, bytes_per_weight):
    """Return the last byte that a chunk of `limit` from `begin` may reach, be it a boundary or not."""
    if stop - begin <= limit and unit != WEIGHTS:
        return stop
    if unit == BYTES:
        return begin + limit
    if unit == CODE_POINTS:
        position = begin
        missing = limit
        while missing > 0 and position < stop:
            # `missing` code points take at least as many bytes, so this never oversteps.
            reached = min(position + missing, stop)
            for i in range(position, reached):
                missing -= inside[np.uintp(i)] != 2
            position = reached
        while position < stop and inside[position] == 2:
            position += 1
        return position
    last = _within(sums, t, np.int64(sums[t]) + limit)
    position = stop
    if last < places.size:
        position = min(stop, np.int64(places[last]))
    if bytes_per_weight > 0:
        position = min(position, begin + limit * bytes_per_weight)
    return position


@kernel
def _search_back(data, low, high, patterns, begin, end):
    """Return where the literal patterns[begin:end] begins last in data[low:high), -1 if nowhere.

    Only its beginning has to lie there; the data reaches far enough for the rest.
    """
    first = patterns[begin]
    length = end - begin
    # 64 bytes under one OR fill vector registers; in most of them the literal does not begin.
    second = patterns[begin + 1] if length > 1 else np.uint8(0)
    mask = np.uint8(255) if length > 1 else np.uint8(0)
    ahead = np.int64(length > 1)
    position = high
    while position > low:
        near = max(low, position - 64)
        found = np.uint8(1)
        if position - near == 64:
            found = np.uint8(0)
            for i in range(near, position):
                found = np.uint8(
                    found
                    | (
                        (data[np.uintp(i)] == first)
                        & ((data[np.uintp(i + ahead)] & mask) == second)
                    )
                )
        if found != 0:
            for i in range(position - 1, near - 1, -1):
                if data[i] == first:
                    k = np.int64(1)
                    while k < length and data[i + k] == patterns[begin + k]:
                        k += 1
                    if k == length:
                        return i
        position = near
    return np.int64(-1)


@kernel
def _scan(data, inside, origin, floor, reach, patterns, begin, end, shift):
    """Return the last allowed cut in (floor, reach] at the literal patterns[begin:end], or -1.

    The literal must not begin before `origin`.
    """
    low = max(floor + 1 - shift, origin)
    cut = reach
    while cut > floor:
        match = _search_back(data, low, cut + 1 - shift, patterns, begin, end)
        if match < 0:
            break
        cut = match + shift
        if inside[cut] == 0:
            return cut
        cut -= 1
    return np.int64(-1)


@kernel
def _last_literal(data, inside, origin, floor, reach, stop, s, bounds, patterns, shifts, clear):
    """Return the last cut at literal `s` in (floor, reach], or -1.

    ``clear[s]`` remembers an interval that offers no cut, up to the last reach; reaches never go back.
    """
    begin, end, shift = np.int64(bounds[s]), np.int64(bounds[s + 1]), np.int64(shifts[s])
    low, high = clear[s, 0], clear[s, 1]
    reach = min(reach, stop - (end - begin) + shift)  # the literal must not run beyond the range
    found = _scan(data, inside, origin, max(floor, high), reach, patterns, begin, end, shift)
    if found < 0 and floor < low:
        found = _scan(data, inside, origin, floor, low, patterns, begin, end, shift)
    clear[s, 1] = max(reach, high)
    if found >= 0:
        clear[s, 0] = found
    elif floor < low or floor > high:
        clear[s, 0] = floor
    return found


@kernel
def _last_listed(inside, origin, floor, reach, stop, low, high, occurrences):
    """Return the last of occurrences[low:high] that is cut in (floor, reach], or -1."""
    first = low
    while low < high:
        middle = (low + high) // 2
        if occurrences[middle, 1] <= reach:
            low = middle + 1
        else:
            high = middle
    while low > first:
        low -= 1
        cut = np.int64(occurrences[low, 1])
        if cut <= floor or occurrences[low, 0] < origin:
            break
        if inside[cut] == 0 and occurrences[low, 2] <= stop:
            return low
    return np.int64(-1)


@kernel
def _last_cut(
    data,
    inside,
    origin,
    floor,
    reach,
    stop,
    levels,
    bounds,
    patterns,
    shifts,
    listed,
    occurrences,
    clear,
):
    """Return the last cut in (floor, reach] of the first level that has one, and the separator's bytes before it."""
    for level in range(levels.size - 1):
        best = floor
        tail = np.int64(0)
        for s in range(levels[level], levels[level + 1]):
            if bounds[s + 1] > bounds[s]:
                cut = _last_literal(
                    data, inside, origin, best, reach, stop, s, bounds, patterns, shifts, clear
                )
                if cut > best:
                    best = cut
                    tail = np.int64(shifts[s])
            else:
                low, high = np.int64(listed[s]), np.int64(listed[s + 1])
                k = _last_listed(inside, origin, best, reach, stop, low, high, occurrences)
                if k >= 0:
                    best = np.int64(occurrences[k, 1])
                    tail = best - np.int64(occurrences[k, 0])
        if best > floor:
            return best, tail
    return np.int64(-1), np.int64(0)


@kernel
def _word_start(glued, places, begin, t, position):
    """Return the last place in (begin, position] that starts a word; `position` where there is none."""
    if glued.size == 0:
        return position
    last = _index(places, t, position)
    if last >= places.size or places[last] != position:
        last -= 1
    while last >= t and glued[last] != 0:
        last -= 1
    return np.int64(places[last]) if last >= t and places[last] > begin else position


@kernel
def _forced_end(inside, begin, stop, reach, bound, words):
    """Return a boundary in (begin, stop]: the last up to `words`, or else up to `reach`, or what the next lines say.

    A cluster that goes on beyond `reach` stays whole while it ends by `bound`; otherwise it is cut between
    code points, and a code point is never cut.
    """
    position = words
    while position > begin and inside[position] != 0:
        position -= 1
    if position > begin:
        return position
    position = reach
    while position > begin and inside[position] != 0:
        position -= 1
    if position > begin:
        return position
    position = max(reach, begin + 1)
    while position < bound and inside[position] != 0:
        position += 1
    if position <= bound and inside[position] == 0:
        return position
    position = reach
    while position > begin and inside[position] == 2:
        position -= 1
    if position <= begin:
        position = begin + 1
        while position < stop and inside[position] == 2:
            position += 1
    return position


@kernel
def _back(inside, begin, end, overlap, unit, places, sums, glued, t):
    """Return the first boundary after `begin` that is at most `overlap` before `end`; `end` where there is none."""
    position = end
    if unit == BYTES:
        position = max(end - overlap, begin)
    elif unit == CODE_POINTS:
        missing = overlap
        while position > begin and missing > 0:
            position -= 1
            missing -= inside[position] != 2
    else:
        last = _index(places, t, end)
        first = last
        while first > t and np.int64(sums[last]) - np.int64(sums[first - 1]) <= overlap:
            first -= 1
        # Not in a word, nor among several places at one byte, the first of which are too far back.
        while first < last and (
            (first > t and places[first] == places[first - 1])
            or (glued.size > 0 and glued[first] != 0)
        ):
            first += 1
        if first < last:
            position = np.int64(places[first])
    while position < end and inside[position] != 0:
        position += 1
    return position if position > begin else end


@kernel
def _overlap_start(data, inside, begin, end, levels, bounds, patterns, shifts, listed, occurrences):
    """Return where to begin in [begin, end): at the best separator in the first half, or else at `begin`."""
    half = begin + (end - begin) // 2
    for level in range(levels.size - 1):
        best = begin - 1
        for s in range(levels[level], levels[level + 1]):
            low, high = np.int64(bounds[s]), np.int64(bounds[s + 1])
            if high > low:
                shift = np.int64(shifts[s])
                reach = min(half, end - (high - low) + shift)
                cut = _scan(data, inside, begin, best, reach, patterns, low, high, shift)
                best = max(best, cut)
            else:
                low, high = np.int64(listed[s]), np.int64(listed[s + 1])
                k = _last_listed(inside, begin, best, half, end, low, high, occurrences)
                best = max(best, np.int64(occurrences[k, 1])) if k >= 0 else best
        if best >= begin:
            return best
    return begin


@kernel
def cut_ranges(
    data, inside, begins, stops, limits, most, overlap, fill, unit, places, sums, glued, bytes_per_weight,
    levels, bounds, patterns, shifts, listed, occurrences, starts, ends, tails, firsts,
):  # fmt: skip
    """Cut every range into chunks, each up to the last separator of the first level that its limit reaches.

    Parameters
    ----------
    data : uint8[n]
        The text.
    inside : uint8[n + 1]
        Where it should not be cut: `kernels.utf8.interiors`.
    begins, stops : int32[R]
        Bytes of the ranges, ascending.
    limits : int64[R]
        Length that no chunk of a range exceeds, unless it is a single code point.
    most : int64[R]
        Length up to which a cluster stays whole although it exceeds the limit.
    overlap : int64
        Length that a chunk repeats of the one before it, at most.
    fill : float64
        Share of the bytes within reach that a chunk should hold: no separator before that is taken while there is one
        of any level after it.
    unit : int64
        `WEIGHTS`, `CODE_POINTS` or `BYTES`.
    places, sums : int32[T], int32[T + 1]
        For weights: the bytes at which something that counts begins, ascending, and the sums before each.
    glued : uint8[T] or uint8[0]
        1 at places where a cut would break a word; such a cut is made only in a word that exceeds the limit.
    bytes_per_weight : int64
        For weights: no chunk holds more bytes for each of its limit; 0 for any number.
    levels : int32[K + 1]
        Level k has the separators ``levels[k] <= s < levels[k + 1]``; K may be 0.
    bounds, patterns : int32[S + 1], uint8[]
        Separator s is the literal ``patterns[bounds[s]:bounds[s + 1]]``; listed when that is empty.
    shifts : int32[S]
        Bytes from the beginning of a literal to the cut.
    listed : int32[S + 1]
        A listed separator has ``occurrences[listed[s]:listed[s + 1]]``.
    occurrences : int32[G, 3]
        Begin, cut and end of each, ascending.
    starts, ends, tails : int32[capacity]
        Written: the chunks, and how many bytes of a separator each ends with.
    firsts : int32[R + 1]
        Written: range r has the chunks ``firsts[r] <= c < firsts[r + 1]``; without overlap they tile it.

    Returns
    -------
    int
        The number of chunks, or -1 when there are more than the capacity.
    """
    clear = np.empty((max(bounds.size, 1), 2), np.int64)
    count = np.int64(0)
    t = np.int64(0)
    firsts[0] = 0
    for r in range(begins.size):
        begin, stop = np.int64(begins[r]), np.int64(stops[r])
        limit, largest = np.int64(limits[r]), np.int64(most[r])
        reached = begin
        for s in range(clear.shape[0]):
            clear[s, 0] = begin
            clear[s, 1] = begin
        while reached < stop:
            t = _index(places, t, begin)
            reach = _reach(inside, begin, stop, limit, unit, places, sums, t, bytes_per_weight)
            end = stop
            tail = np.int64(0)
            if reach < stop:
                end = np.int64(-1)
                floor = max(reached, begin + np.int64((reach - begin) * fill))
                while end < 0 and floor >= reached:
                    end, tail = _last_cut(
                        data, inside, begin, floor, reach, stop,
                        levels, bounds, patterns, shifts, listed, occurrences, clear,
                    )  # fmt: skip
                    floor = reached if floor > reached else np.int64(-1)
                if end < 0:
                    bound = reach
                    if largest > limit:
                        bound = _reach(
                            inside, begin, stop, largest, unit, places, sums, t, bytes_per_weight
                        )
                    words = _word_start(glued, places, begin, t, reach)
                    end = _forced_end(inside, begin, stop, reach, bound, words)
                    if end <= reached and begin < reached:
                        begin = reached  # the overlap left no room for anything new
                        continue
            if count >= starts.size:
                return np.int64(-1)
            starts[count] = begin
            ends[count] = end
            tails[count] = tail
            count += 1
            reached = end
            back = end
            if overlap > 0 and end < stop:
                back = _back(inside, begin, end, overlap, unit, places, sums, glued, t)
                if back < end:
                    back = _overlap_start(
                        data,
                        inside,
                        back,
                        end,
                        levels,
                        bounds,
                        patterns,
                        shifts,
                        listed,
                        occurrences,
                    )
            begin = back
        firsts[r + 1] = count
    return count
