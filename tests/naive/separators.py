"""Chunks under a limit, every candidate cut looked at."""

from bisect import bisect_left

WEIGHTS, CODE_POINTS, BYTES = 0, 1, 2


def cut_ranges(
    data, inside, begins, stops, limits, most, overlap, fill, unit, places, sums, glued, bytes_per_weight,
    levels, bounds, patterns, shifts, listed, occurrences, starts, ends, tails, firsts,
):  # fmt: skip
    data, inside, places = bytes(data), list(inside), [int(p) for p in places]
    glued_at = {p for p, flag in zip(places, glued, strict=False) if flag}

    def size(a, b):
        if unit == BYTES:
            return b - a
        if unit == CODE_POINTS:
            return sum(inside[i] != 2 for i in range(a, b))
        return int(sums[bisect_left(places, b)]) - int(sums[bisect_left(places, a)])

    def fits(a, b, limit):
        return size(a, b) <= limit and (
            unit or not bytes_per_weight or b - a <= limit * bytes_per_weight
        )

    def cuts_of(s, begin, stop):
        """(cut, bytes of the separator before it), wherever the separator lies in the text."""
        literal = bytes(patterns[bounds[s] : bounds[s + 1]])
        if literal:
            found = [
                m for m in range(begin, stop) if data[m : min(m + len(literal), stop)] == literal
            ]
            return [(m + int(shifts[s]), int(shifts[s])) for m in found]
        rows = [list(map(int, row)) for row in occurrences[listed[s] : listed[s + 1]]]
        return [(cut, cut - m) for m, cut, close in rows if begin <= m and close <= stop]

    def best(begin, stop, low, high):
        """The last cut in [low, high] of the first level that has one."""
        for level in range(len(levels) - 1):
            found = [
                pair
                for s in range(levels[level], levels[level + 1])
                for pair in cuts_of(s, begin, stop)
                if low <= pair[0] <= high and inside[pair[0]] == 0
            ]
            if found:
                last = max(cut for cut, _ in found)
                return next(pair for pair in found if pair[0] == last)
        return None

    def forced(begin, stop, reach, largest):
        words = [p for p in places if begin < p <= reach and p not in glued_at]
        for last in (max(words) if len(glued) and words else reach, reach):
            whole = [p for p in range(begin + 1, last + 1) if inside[p] == 0]
            if whole:
                return whole[-1]
        cluster = next(p for p in range(begin + 1, stop + 1) if p == stop or inside[p] == 0)
        if fits(begin, cluster, largest) and inside[cluster] == 0:
            return cluster
        points = [p for p in range(begin + 1, reach + 1) if inside[p] != 2]
        if points:
            return points[-1]
        return next(p for p in range(begin + 1, stop + 1) if p == stop or inside[p] != 2)

    def back(begin, end):
        if unit == WEIGHTS:
            options = [
                p
                for p in places
                if begin <= p < end and p not in glued_at and size(p, end) <= overlap
            ]
            position = min(options, default=end)
        else:
            options = [p for p in range(begin, end) if inside[p] != 2 and size(p, end) <= overlap]
            position = min(options, default=end)
        position = next(p for p in range(position, end + 1) if p == end or inside[p] == 0)
        if position <= begin or position == end:
            return end
        found = best(position, end, position, position + (end - position) // 2)
        return found[0] if found else position

    count = 0
    firsts[0] = 0
    for r in range(len(begins)):
        begin = reached = int(begins[r])
        stop, limit = int(stops[r]), int(limits[r])
        while reached < stop:
            reach = max(q for q in range(begin, stop + 1) if fits(begin, q, limit))
            end, tail = stop, 0
            if reach < stop:
                enough = max(reached, begin + int((reach - begin) * fill)) + 1
                end, tail = (
                    best(begin, stop, enough, reach)
                    or best(begin, stop, reached + 1, reach)
                    or (-1, 0)
                )
                if end < 0:
                    end = forced(begin, stop, reach, int(most[r]))
                    if end <= reached:
                        begin = reached
                        continue
            if count >= len(starts):
                return -1
            starts[count], ends[count], tails[count] = begin, end, tail
            count += 1
            reached = end
            begin = back(begin, end) if overlap and end < stop else end
        firsts[r + 1] = count
    return count
