"""UTF-8 by way of Python's own codec, and grapheme clusters rule by rule from UAX #29."""

import regex


def validate(data, start, end, surrogates):
    try:
        bytes(data[start:end]).decode("utf-8", "surrogatepass" if surrogates else "strict")
    except UnicodeDecodeError as error:
        return start + error.start
    return -1


def count_code_points(data, start, end):
    return sum(1 for byte in bytes(data[start:end]) if not 0x80 <= byte < 0xC0)


def code_point_offsets(data, base, byte_offsets, out):
    for i, offset in enumerate(byte_offsets):
        out[i] = count_code_points(data, base, int(offset))


def byte_offsets(data, base, offsets, out):
    starts = [i for i in range(base, len(data)) if not 0x80 <= data[i] < 0xC0]
    starts.append(len(data))
    for i, offset in enumerate(offsets):
        out[i] = starts[offset]


# The grapheme classes of tools/build_character_tables.py, as one letter each.
_LETTERS = "xrnceKZRPSLVTvtpCNk"


def _classes(text, blocks, records):
    return "".join(_LETTERS[records[blocks[ord(c) >> 6] + (ord(c) & 63)] & 31] for c in text)


_RULES = regex.compile(
    r"""
      (?<=r)(?=n)                                   # GB3
    | (?<=L)(?=[LVvt])                              # GB6
    | (?<=[vV])(?=[VT])                             # GB7
    | (?<=[tT])(?=T)                                # GB8
    | (?=[eKZNS])                                   # GB9, GB9a
    | (?<=P)                                        # GB9b
    | (?<=[Kk][eZ]*)(?=C)                             # GB9c of Unicode 18
    | (?<=p[eKN]*Z)(?=p)                            # GB11
    | (?<=(?:^|[^R])(?:RR)*R)(?=R)                  # GB12, GB13
    """,
    regex.VERBOSE,
)


def _boundaries(text, blocks, records):
    """Yield the code point index of every boundary of `text`, its ends included."""
    classes = _classes(text, blocks, records)
    yield 0
    for i in range(1, len(text)):
        before, after = classes[i - 1], classes[i]
        if before == "r" and after == "n":
            continue
        if before in "rnc" or after in "rnc" or not _RULES.match(classes, i):
            yield i
    if text:
        yield len(text)


def _byte_boundaries(data, start, end, blocks, records):
    text = bytes(data[start:end]).decode("utf-8", "surrogatepass")
    for i in _boundaries(text, blocks, records):
        yield start + len(text[:i].encode("utf-8", "surrogatepass"))


def next_grapheme_boundary(data, position, end, blocks, records):
    return next(b for b in _byte_boundaries(data, position, end, blocks, records) if b > position)


def last_grapheme_boundary(data, start, limit, end, blocks, records):
    return max(b for b in _byte_boundaries(data, start, end, blocks, records) if b <= limit)


def interiors(data, documents, blocks, records, inside):
    for begin, end in zip(documents, documents[1:], strict=False):
        boundaries = set(_byte_boundaries(data, begin, end, blocks, records))
        for i in range(begin, end):
            if i not in boundaries:
                inside[i] = 2 if 0x80 <= data[i] < 0xC0 else 1
    return int(max(data, default=0) < 0x80)
