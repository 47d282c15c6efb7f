"""Units: sentences, and the blocks of plain text and Markdown, found in one pass over UTF-8 bytes.

A *unit* is a sentence, a heading, a fence, a table, or a line of text that was never prose (verse, a log, code).
`find_units` reads line by line. A line is first put into its block (`_block`), then looked at for
terminators (`_scan_line`); at each terminator `_sentence_end` decides from the word before it, what closes
it and what follows. Whether line breaks mean anything is decided for 32 lines at a time from their lengths and
first characters (`_measure`). Every look-back and look-ahead is bounded, so the cost is linear.

Arrays are described in CONTRIBUTING.md, the tables in `scission.tables.SentenceTables`.
"""

import numpy as np

from scission.kernels._jit import kernel

# What lies before a unit (`gaps`).
SENTENCE, LINE, BLANK, HEADING_NEXT, AFTER_HEADING, DOCUMENT, FORCED = 0, 1, 2, 3, 4, 5, 6
# What a unit is (`kinds`).
PROSE, HEADING, LIST_ITEM, FENCE, TABLE = 0, 1, 2, 3, 4
# Kinds of line that never become the kind of a unit.
_RULE, _QUOTE, _WEAK_ITEM = 8, 9, 10

# Sentence classes of characters, as tools/build_character_tables.py numbers them.
_OTHER, _LOWER, _UPPER, _LETTER, _DIGIT, _SPACE, _BREAK, _STOP = 0, 1, 2, 3, 4, 5, 6, 7
_TERMINATOR, _FULL, _CLOSE, _OPEN, _QUOTE_MARK, _COMMA, _EXTEND, _BULLET = 8, 9, 10, 11, 12, 13, 14, 15

# Byte classes. _LEAD is a byte that may begin a character of interest.
_B_STOP, _B_MARK, _B_BREAK, _B_COLON, _B_PAREN, _B_LEAD = 1, 2, 3, 4, 5, 6

# Flags of words. A starter is a word that often begins a sentence and is rarely part of a name.
_TITLE, _REFERENCE, _GENERAL, _FINAL, _INNER, _MONTH, _TIME, _MEASURE = 1, 2, 3, 4, 5, 6, 7, 8
_STARTER = 16

# Nobody wraps prose narrower or wider than this many columns: there a line break is meant.
_NARROWEST, _WIDEST = 40, 160
_LINES_MEASURED = 32
_WORD_BYTES = 32

# Code points of the CJK title brackets.
_TITLE_OPEN, _TITLE_CLOSE = 0x300A, 0x300B


@kernel
def _length(lead):
    """Return the length of the UTF-8 sequence that the byte `lead` begins."""
    if lead < 0xC0:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@kernel
def _code(data, position, end):
    """Return the code point at `position` (0 where it is cut off)."""
    lead = np.intp(data[position])
    length = _length(lead)
    if length == 1:
        return lead
    if position + length > end:
        return 0
    code = lead & (0x7F >> length)
    for i in range(position + 1, position + length):
        code = code << 6 | np.intp(data[i]) & 0x3F
    return code


@kernel
def _class(data, position, end, blocks, records):
    """Return the sentence class of the character at `position`."""
    code = _code(data, position, end)
    return np.intp(records[np.intp(blocks[code >> 6]) + (code & 63)]) >> 5


@kernel
def _before(data, position, start):
    """Return where the character that ends at `position` > `start` begins."""
    position -= 1
    while position > start and np.intp(data[position]) & 0xC0 == 0x80:
        position -= 1
    return position


@kernel
def _line_end(data, position, end):
    """Return the offset of the next line break, or `end`."""
    while position < end:
        byte = np.intp(data[position])
        if byte <= 13:
            if byte >= 10:
                return position
        elif byte >= 0xC2:
            if byte == 0xC2 and position + 1 < end and np.intp(data[position + 1]) == 0x85:
                return position
            if byte == 0xE2 and position + 2 < end and np.intp(data[position + 1]) == 0x80:
                if (np.intp(data[position + 2]) == 0xA8 or np.intp(data[position + 2]) == 0xA9):
                    return position
        position += 1
    return end


@kernel
def _after_break(data, position, end):
    """Return the offset after the line break at `position`; CR LF and CR CR LF are one."""
    byte = np.intp(data[position])
    if byte == 13:
        following = position + 1
        while following < end and np.intp(data[following]) == 13:
            following += 1
        if following < end and np.intp(data[following]) == 10 and following - position <= 2:
            return following + 1
        return position + 1
    return position + _length(byte)


@kernel
def _skip_space(data, position, end, blocks, records):
    """Return the offset of the first character from `position` on that is not white space in a line."""
    while position < end:
        byte = np.intp(data[position])
        if byte == 32 or byte == 9:
            position += 1
        elif byte > 32 and byte < 0xC2:
            break
        elif _class(data, position, end, blocks, records) == _SPACE:
            position += _length(byte)
        else:
            break
    return position


@kernel
def _columns(data, start, end):
    """Return the number of code points of data[start:end], white space at the end left out."""
    while end > start and np.intp(data[end - 1]) <= 32:
        end -= 1
    count = 0
    for i in range(start, end):
        count += np.intp(data[i]) & 0xC0 != 0x80
    return count


@kernel
def _first_word(data, position, end):
    """Return the columns of the word at `position`; 2 where the script has no spaces, 24 at most."""
    columns = 0
    while position < end and columns < 24:
        byte = np.intp(data[position])
        if byte <= 32:
            break
        if byte >= 0xE3 and byte < 0xEE:
            return max(columns, 2)
        columns += byte & 0xC0 != 0x80
        position += 1
    return columns


@kernel
def _word_flags(data, start, end, word_hashes, word_flags):
    """Return the flags of the word data[start:end], ASCII case ignored; 0 if it is not in the table."""
    key = np.intp(0)
    for i in range(start, end):
        byte = np.intp(data[i])
        if 65 <= byte <= 90:
            byte += 32
        key = (key * 131 + byte) & 0x1FFFFFFFFFFFFF
    mask = word_hashes.size - 1
    slot = (key ^ key >> 20) & mask
    while word_hashes[slot] != 0:
        if word_hashes[slot] == key:
            return np.intp(word_flags[slot])
        slot = (slot + 1) & mask
    return np.intp(0)


@kernel
def _is_starter(data, position, end, blocks, records, word_hashes, word_flags):
    """Return whether the word at `position` is a sentence starter followed by a space or comma."""
    stop = position
    while stop < end and stop - position < _WORD_BYTES:
        byte = np.intp(data[stop])
        if byte <= 32 or (byte < 48 and byte != 39) or (byte >= 58 and byte < 65):
            break
        stop += 1
    if stop < end and (np.intp(data[stop]) == 46 or np.intp(data[stop]) == 45):
        return False
    flags = _word_flags(data, position, stop, word_hashes, word_flags)
    return flags & _STARTER != 0


@kernel
def _list_marker(data, position, end):
    """Return 0, 1 (a bullet) or 2 (a number or letter) for the list marker at `position`.

    "1. ", "12) ", "a) ", "iv) ", "(1) ", "(a) ", "1.) ", "• ", "- ", "* ", "+ ", and the "o  " of RFCs.
    """
    byte = np.intp(data[position])
    following = np.intp(data[position + 1]) if position + 1 < end else 32
    if (byte == 45 or byte == 42 or byte == 43):
        return 1 if following == 32 or following == 9 else 0
    if byte == 111 and following == 32 and position + 2 < end and np.intp(data[position + 2]) == 32:
        return 1
    stop = position
    if byte == 40:
        stop += 1
    first = stop
    digits = 0
    while stop < end and stop - first < 4:
        byte = np.intp(data[stop])
        if 48 <= byte <= 57:
            digits += 1
        elif not (65 <= byte <= 90 or 97 <= byte <= 122):
            break
        stop += 1
    size = stop - first
    if size == 0 or (digits > 0 and digits < size) or digits > 3 or stop >= end:
        return 0
    byte = np.intp(data[stop])
    if byte == 46:
        if digits == 0 or first > position:
            return 0
        if stop + 1 < end and np.intp(data[stop + 1]) == 41:
            stop += 1
    elif byte != 41:
        return 0
    elif digits == 0 and size > 1:
        for i in range(first, stop):
            if (np.intp(data[i]) | 32 != 105 and np.intp(data[i]) | 32 != 118 and np.intp(data[i]) | 32 != 120):
                return 0
    after = np.intp(data[stop + 1]) if stop + 1 < end else 32
    return 2 if after == 32 or after == 9 else 0


@kernel
def _repeats(data, position, end):
    """Return how often the byte at `position` is repeated to the end of the line, or 0 if not to the end."""
    byte = np.intp(data[position])
    stop = position
    while stop < end and np.intp(data[stop]) == byte:
        stop += 1
    count = stop - position
    while stop < end and (np.intp(data[stop]) == 32 or np.intp(data[stop]) == 9):
        stop += 1
    if stop < end and not 10 <= np.intp(data[stop]) <= 13:
        return 0
    return count


@kernel
def _fence_size(data, position, end):
    """Return the size of the code fence that opens at `position`, or 0."""
    byte = np.intp(data[position])
    stop = position
    while stop < end and np.intp(data[stop]) == byte:
        stop += 1
    size = stop - position
    if size < 3:
        return 0
    if byte == 96:
        while stop < end and (np.intp(data[stop]) != 10 and np.intp(data[stop]) != 13):
            if np.intp(data[stop]) == 96:
                return 0
            stop += 1
    return size


@kernel
def _after_fence(data, position, end, mark, size):
    """Return the offset after the line that closes a fence, or `end` (as CommonMark has it).

    `position` is in the opening line.
    """
    while position < end:
        position = _line_end(data, position, end)
        if position == end:
            break
        position = _after_break(data, position, end)
        content = position
        while content < end and (np.intp(data[content]) == 32 or np.intp(data[content]) == 9):
            content += 1
        if content < end and np.intp(data[content]) == mark:
            if _repeats(data, content, end) >= size:
                position = _line_end(data, content, end)
                return _after_break(data, position, end) if position < end else end
    return end


@kernel
def _block(data, position, end, blocks, records):
    """Return the kind of line whose first character is at `position`."""
    byte = np.intp(data[position])
    following = np.intp(data[position + 1]) if position + 1 < end else 10
    if 65 <= byte <= 90 or 97 <= byte <= 122 or byte == 40 or 48 <= byte <= 57:
        marker = _list_marker(data, position, end)
        if marker == 0:
            return PROSE
        return LIST_ITEM if marker == 1 else _WEAK_ITEM
    if byte >= 0x80:
        if byte == 0xE2 and _class(data, position, end, blocks, records) == _BULLET:
            return LIST_ITEM
        return PROSE
    if byte == 35:
        stop = position
        while stop < end and np.intp(data[stop]) == 35:
            stop += 1
        after = np.intp(data[stop]) if stop < end else 10
        if stop - position <= 6 and (after == 32 or after == 9):
            return HEADING
        return PROSE if _repeats(data, position, end) < 3 else _RULE
    if byte == 96 or byte == 126:
        return FENCE if _fence_size(data, position, end) > 0 else PROSE
    if byte == 124 or (byte == 43 and (following == 45 or following == 61)):
        return TABLE
    if byte == 62:
        return _QUOTE
    if (byte == 45 or byte == 42 or byte == 43) and (following == 32 or following == 9):
        # "* * *" and "- - -" are rules.
        stop = position
        while stop < end and (np.intp(data[stop]) == byte or np.intp(data[stop]) == 32 or np.intp(data[stop]) == 9):
            stop += 1
        if stop - position >= 5 and (stop == end or 10 <= np.intp(data[stop]) <= 13):
            return _RULE
        return LIST_ITEM
    if following == byte and _repeats(data, position, end) >= 3:
        return _RULE
    return PROSE


@kernel
def _measure(data, position, end, blocks, records, lengths, words):
    """Measure the paragraph at `position`: return (verdict, width, where the verdict ends).

    verdict 0: wrapped prose, 1: each break is judged by itself, 2: every line break is meant. Lines are counted
    to a blank line, a block or 32 lines; `lengths` and `words` (int32[32]) are scratch space.

    A filled paragraph leaves no line so short that the next word would have fitted ("fits"), and most
    of its lines begin in lower case. On shared/data that tells RFCs and mail from logs, verse, CSV and code.
    """
    lines = 0
    width = 0
    continuing = 0
    digits = 0
    while lines < _LINES_MEASURED and position < end:
        content = _skip_space(data, position, end, blocks, records)
        if content >= end:
            break
        first = _class(data, content, end, blocks, records)
        if first == _BREAK:
            break
        byte = np.intp(data[content])
        if lines > 0 and ((byte == 35 or byte == 62 or byte == 96 or byte == 124 or byte == 126) or (byte >= 128 and first == _BULLET)):
            break
        if lines > 0 and (byte == 42 or byte == 43 or byte == 45) and content + 1 < end and np.intp(data[content + 1]) <= 32:
            break
        stop = _line_end(data, content, end)
        columns = _columns(data, position, stop)
        if columns > _WIDEST:
            return 2, columns, stop
        lengths[lines] = columns
        words[lines] = _first_word(data, content, stop)
        width = max(width, columns)
        if lines > 0:
            continuing += first == _LOWER or first == _LETTER
            digits += first == _DIGIT
        lines += 1
        position = _after_break(data, stop, end) if stop < end else end
    breaks = lines - 1
    fits = 0
    for i in range(breaks):
        fits += np.intp(lengths[i]) + 1 + np.intp(words[i + 1]) <= width
    if width < _NARROWEST or (breaks >= 3 and (5 * continuing < breaks or 2 * digits > breaks)):
        return 2, width, position
    if breaks > 1 and 10 * fits >= 6 * breaks:
        return 2, width, position
    return (1 if 4 * fits >= breaks else 0), width, position


@kernel
def _skip_closers(data, position, end, blocks, records):
    """Return (offset after the terminators and closers at `position`, bits of what was seen).

    Bits: 1 a bracket or quote, 2 a full (spaceless) terminator, 4 a mark as "!", 8 two marks or more,
    16 two stops or more.
    """
    seen = 0
    stops = 0
    marks = 0
    first = position
    while position < end:
        byte = np.intp(data[position])
        kind = _class(data, position, end, blocks, records)
        if position == first and (byte == 58 or byte == 59):
            seen |= 4
        elif kind == _STOP and seen & 1 == 0:
            stops += 1
        elif kind == _TERMINATOR:
            marks += 1
            seen |= 4
        elif kind == _FULL:
            seen |= 2
        elif kind == _CLOSE or kind == _QUOTE_MARK:
            seen |= 1
        elif byte == 42 or byte == 95:
            seen |= 0
        elif byte == 91:
            stop = position + 1
            while stop < end and stop - position < 8:
                inner = np.intp(data[stop])
                if not (48 <= inner <= 57 or inner == 44 or inner == 45 or inner >= 128):
                    break
                stop += 1
            if stop == position + 1 or stop >= end or np.intp(data[stop]) != 93:
                break
            position = stop
            byte = 93
        elif byte == 60:
            if position + 1 >= end or np.intp(data[position + 1]) != 47:
                break
            stop = position + 2
            while stop < end and stop - position < 16 and (np.intp(data[stop]) != 62 and np.intp(data[stop]) != 10 and np.intp(data[stop]) != 13):
                stop += 1
            if stop >= end or np.intp(data[stop]) != 62:
                break
            position = stop
            byte = 62
        elif kind != _EXTEND:
            break
        position += _length(byte)
    if marks > 1:
        seen |= 8
    if stops > 1:
        seen |= 16
    return min(position, end), seen


@kernel
def _skip_openers(data, position, end, blocks, records):
    """Return the offset of the first character from `position` on that can tell a sentence from a clause."""
    for _ in range(4):
        if position >= end:
            break
        byte = np.intp(data[position])
        kind = _class(data, position, end, blocks, records)
        if byte == 60:
            stop = position + 1
            while stop < end and stop - position < 16 and (np.intp(data[stop]) != 62 and np.intp(data[stop]) != 10 and np.intp(data[stop]) != 13):
                stop += 1
            if stop >= end or np.intp(data[stop]) != 62:
                break
            position = stop + 1
            continue
        if byte == 96:
            break
        dash = byte == 45 or (byte == 0xE2 and kind == _COMMA)
        if not ((kind == _OPEN or kind == _CLOSE or kind == _QUOTE_MARK or kind == _EXTEND) or byte == 42 or byte == 95 or dash):
            break
        position += _length(byte)
        if dash:
            position = _skip_space(data, position, end, blocks, records)
    return min(position, end)


@kernel
def _word_before(data, position, start, blocks, records):
    """Return (begin, letters, digits, inner stops, vowels, characters) of the word that ends at `position`."""
    begin = position
    letters = 0
    digits = 0
    stops = 0
    vowels = 0
    characters = 0
    while begin > start and position - begin < _WORD_BYTES:
        byte = np.intp(data[begin - 1])
        previous = begin - 1
        if 65 <= byte <= 90 or 97 <= byte <= 122:
            letters += 1
            vowels += (byte | 32 == 97 or byte | 32 == 101 or byte | 32 == 105 or byte | 32 == 111 or byte | 32 == 117 or byte | 32 == 121)
        elif 48 <= byte <= 57:
            digits += 1
        elif byte == 46:
            stops += 1
        elif byte < 0x80:
            break
        else:
            previous = _before(data, begin, start)
            kind = _class(data, previous, position, blocks, records)
            if kind == _LOWER or kind == _UPPER or kind == _LETTER:
                letters += 1
                vowels += 1
            elif kind == _EXTEND:
                characters -= 1
            else:
                break
        characters += 1
        begin = previous
    return begin, letters, digits, stops, vowels, characters


@kernel
def _ends_with_stop(
    data, start, position, opener, following, end, seen, blocks, records, word_hashes, word_flags
):
    """Return whether the full stop at `position` ends a sentence.

    `start` is where its unit begins, `opener` what comes after the white space, `following` the first telling
    character after that.
    """
    after = _class(data, following, end, blocks, records)
    if after == _COMMA and np.intp(data[following]) != 45:
        return False
    begin, letters, digits, stops, vowels, characters = _word_before(
        data, position, start, blocks, records
    )
    at_start = begin == _skip_space(data, start, end, blocks, records)
    if letters == 0 and digits > 0:
        if at_start and stops == 0 and seen & 1 == 0:
            return False  # "1. First"
        if after == _LOWER:
            return False
        if digits <= 2 and stops == 0 and after == _UPPER:
            stop = following
            while stop < end and np.intp(data[stop]) >= 65:
                stop += 1
            month = _word_flags(data, following, stop, word_hashes, word_flags) & 15
            return month != _MONTH  # "am 12. Juni"
        return True
    if seen & 1 != 0 and after != _LOWER and letters > 1 and stops == 0:
        flags = _word_flags(data, begin, position, word_hashes, word_flags) & 15
        return flags == 0 or flags >= _GENERAL
    starter = after != _LOWER and _is_starter(
        data, following, end, blocks, records, word_hashes, word_flags
    )
    if letters == 1 and characters == 1:
        if after == _LOWER or at_start or not starter:
            return False
        return True
    flags = _word_flags(data, begin, position, word_hashes, word_flags) & 15
    if flags == 0 and stops > 0:
        # "U.S.", "J.R.R.": as many stops as letters, less one.
        if digits == 0 and letters == stops + 1:
            return starter
        last = position
        while last > begin and np.intp(data[last - 1]) != 46:
            last -= 1
        flags = _word_flags(data, last, position, word_hashes, word_flags) & 15
    if flags == 0:
        if after == _LOWER:
            # In text that does not capitalise, a stop is all there is.
            first = _skip_openers(
                data, _skip_space(data, start, end, blocks, records), end, blocks, records
            )
            lower = _class(data, first, end, blocks, records) == _LOWER
            return lower and letters > 2 and opener == following and stops == 0
        # "Blvd.", "Pvt.": no vowel, and not an acronym.
        if letters > 1 and vowels == 0 and digits == 0 and letters < 6:
            if np.intp(data[position - 1]) >= 97:
                return starter
        return True
    if after == _LOWER or flags == _INNER or flags == _TITLE:
        return False
    if flags == _REFERENCE:
        if after == _DIGIT:
            return False
        return starter
    if after == _DIGIT:
        return flags == _FINAL or flags == _MEASURE
    if flags == _FINAL or flags == _MEASURE:
        return True
    if flags == _TIME:
        # "At 5 a.m. Mr. Smith went": a sentence of three words has no room for a verb.
        spaces = 0
        for i in range(max(start, begin - 24), begin):
            spaces += np.intp(data[i]) == 32
        return starter or begin - start > 24 or spaces > 3
    return starter


@kernel
def _ends_with_mark(data, start, opener, following, end, seen, blocks, records):
    """Return whether a "!", "?" or an ellipsis that white space follows ends a sentence."""
    after = _class(data, following, end, blocks, records)
    if after == _COMMA and np.intp(data[following]) != 45:
        return False
    if after == _LOWER:
        first = _skip_openers(
            data, _skip_space(data, start, end, blocks, records), end, blocks, records
        )
        lower = _class(data, first, end, blocks, records) == _LOWER
        return seen & 5 == 4 and opener == following and (lower or seen & 8 != 0)
    return True


@kernel
def _glued(data, position, following, end, blocks, records, word_hashes, word_flags):
    """Return whether the stop at `position` lacks its space: "world.Today is", "1,000.That is"."""
    before = np.intp(data[position - 1])
    if not (97 <= before <= 122 or 48 <= before <= 57):
        return False
    after = np.intp(data[following])
    if not 65 <= after <= 90:
        return False
    begin = position
    while begin > 0 and position - begin < _WORD_BYTES and np.intp(data[begin - 1]) > 32:
        begin -= 1
        if (np.intp(data[begin]) == 46 or np.intp(data[begin]) == 47 or np.intp(data[begin]) == 58 or np.intp(data[begin]) == 64 or np.intp(data[begin]) == 95 or np.intp(data[begin]) == 40):
            return False
    stop = following
    while stop < end and 65 <= (np.intp(data[stop]) & 0xDF) <= 90:
        stop += 1
    if stop < end and np.intp(data[stop]) == 46:
        flags = _word_flags(data, following, stop, word_hashes, word_flags)
        return flags & 15 == _TITLE
    if stop < end and (np.intp(data[stop]) != 32 and np.intp(data[stop]) != 39 and np.intp(data[stop]) != 44):
        return False
    return _word_flags(data, following, stop, word_hashes, word_flags) & _STARTER != 0


@kernel
def _spaced_stops(data, position, end):
    """Return (offset after the last of the stops ". . ." at `position`, their number)."""
    count = 1
    stop = position + 1
    while stop + 1 < end and np.intp(data[stop]) == 32 and np.intp(data[stop + 1]) == 46:
        stop += 2
        count += 1
    return stop, count


@kernel
def _next_text(data, position, end, quoted, blocks, records):
    """Return (offset of the next character that is not white space, line breaks crossed).

    Stops at a second line break. In a block quote the ">" of the next line is passed over.
    """
    position = _skip_space(data, position, end, blocks, records)
    if position >= end or _class(data, position, end, blocks, records) != _BREAK:
        return position, 0
    position = _after_break(data, position, end)
    position = _skip_space(data, position, end, blocks, records)
    while quoted and position < end and np.intp(data[position]) == 62:
        position = _skip_space(data, position + 1, end, blocks, records)
    if position >= end or _class(data, position, end, blocks, records) == _BREAK:
        return position, 2
    return position, 1


@kernel
def _sentence_end(
    data, start, position, end, quoted, titled, blocks, records, word_hashes, word_flags
):
    """Judge the terminator at `position`: return (where to go on, boundary or -1, line break crossed).

    The boundary is where the next unit begins when it begins in the same line. Crossed: 0 no, 1 the
    sentence may go on in the next line, 2 it ends with the line.
    """
    first = _class(data, position, end, blocks, records)
    after_run, seen = _skip_closers(data, position, end, blocks, records)
    attached = position > start and np.intp(data[position - 1]) > 32
    if np.intp(data[position]) == 46 and after_run == position + 1:
        stop, count = _spaced_stops(data, position, end)
        if count > 1:
            following, crossed = _next_text(data, stop, end, quoted, blocks, records)
            if following >= end or crossed > 0:
                return stop, -1, 2 if crossed > 0 else 0
            kind = _class(data, following, end, blocks, records)
            if attached and count == 4 and kind != _LOWER:
                return position + 2, position + 2, 0
            if count == 4 and kind != _LOWER:
                return following, following, 0
            return stop, -1, 0
    following, crossed = _next_text(data, after_run, end, quoted, blocks, records)
    if following >= end or crossed == 2:
        return after_run, -1, 2
    if following == after_run:
        kind = _class(data, following, end, blocks, records)
        if first == _FULL and not titled:
            code = _code(data, following, end)
            hiragana = 0x3041 <= code <= 0x309F
            joined = np.intp(data[following - 1]) == 0x8D and _code(data, max(position, following - 3), end) == 0x200D
            if kind == _COMMA or joined or (seen & 1 != 0 and hiragana):
                return after_run, -1, 0
            return following, following, 0
        if first == _STOP and position > start and np.intp(data[position]) != 46:
            previous = _class(data, _before(data, position, start), end, blocks, records)
            if kind == _LETTER and previous == _LETTER:
                return following, following, 0
        if _glued(data, position, following, end, blocks, records, word_hashes, word_flags):
            return following, following, 0
        if seen & 1 == 0 and np.intp(data[position]) == 46 and kind == _DIGIT and attached:
            # A footnote number: "slow thinking (type 2).10 This".
            stop = following
            while stop < end and 48 <= np.intp(data[stop]) <= 57 and stop - following < 3:
                stop += 1
            word, letters, digits, _, _, _ = _word_before(data, position, start, blocks, records)
            plain = digits == 0 and letters > 3 and np.intp(data[word]) >= 97
            plain = plain or np.intp(data[position - 1]) == 41
            if plain and stop + 1 < end and np.intp(data[stop]) == 32:
                if 65 <= np.intp(data[stop + 1]) <= 90:
                    return stop + 1, stop + 1, 0
        return after_run, -1, 0
    opener = following
    following = _skip_openers(data, opener, end, blocks, records)
    if following >= end:
        ends = True
    elif first == _FULL:
        ends = not titled
    elif _list_marker(data, opener, end) == 2 and np.intp(data[opener]) == 40:
        ends = True
    elif first == _STOP and seen & 16 == 0 and seen & 4 == 0:
        ends = _ends_with_stop(
            data, start, position, opener, following, end, seen, blocks, records, word_hashes, word_flags
        )
    else:
        ends = _ends_with_mark(data, start, opener, following, end, seen, blocks, records)
    if _class(data, opener, end, blocks, records) == _EXTEND:
        ends = False
    if crossed == 1:
        return after_run, -1, 2 if ends else 1
    return (opener, opener, 0) if ends else (after_run, -1, 0)


@kernel
def _colon_ends(data, position, end, blocks, records):
    """Return whether ":" is an Armenian full stop or ";" a Greek question mark at `position`."""
    if np.intp(data[position - 1]) < 0x80 or position + 1 >= end:
        return False
    code = _code(data, _before(data, position, max(position - 4, 0)), end)
    if np.intp(data[position]) == 58:
        return 0x561 <= code <= 0x587
    return 0x370 <= code <= 0x3FF or 0x1F00 <= code <= 0x1FFF


@kernel
def _number_at(data, position, end):
    """Return (value, delimiter) of the list number or letter at `position`; delimiter 0 if none."""
    value = 0
    stop = position
    while stop < end and 48 <= np.intp(data[stop]) <= 57 and stop - position < 3:
        value = value * 10 + np.intp(data[stop]) - 48
        stop += 1
    if stop == position and stop < end and 97 <= np.intp(data[stop]) <= 122:
        value = np.intp(data[stop])
        stop += 1
    if stop == position or stop >= end or (np.intp(data[stop]) != 41 and np.intp(data[stop]) != 46):
        return 0, 0
    return value, np.intp(data[stop])


@kernel
def _inline_item(data, start, position, end, blocks, records):
    """Return where the list item begins whose number ends at `position`, or -1.

    A unit that begins "1)" goes on to "2)": only the next number with the same delimiter counts.
    """
    begin = position
    while begin > start and position - begin < 3:
        byte = np.intp(data[begin - 1])
        if not (48 <= byte <= 57 or 97 <= byte <= 122):
            break
        begin -= 1
    if begin == position or begin <= start or np.intp(data[begin - 1]) > 32:
        return -1
    if np.intp(data[position]) == 46 and position + 1 < end and np.intp(data[position + 1]) == 41:
        position += 1
    if position + 1 >= end or np.intp(data[position + 1]) != 32:
        return -1
    first = _skip_space(data, start, end, blocks, records)
    value, delimiter = _number_at(data, begin, end)
    before, before_delimiter = _number_at(data, first, end)
    if delimiter == 0 or delimiter != before_delimiter or value != before + 1:
        return -1
    return begin


@kernel
def _scan_line(
    data, start, position, end, quoted, byte_classes, blocks, records, word_hashes, word_flags
):
    """Find the next boundary from `position` on in a line: return (offset, state).

    state 0: `offset` begins a unit; else `offset` is the line break or the end, and the line ends 1 without
    a terminator, 2 with one after which the sentence may go on, 3 with the end of a sentence.
    `start` is where the unit begins.
    """
    title = -1
    stopped = position
    state = 1
    while position < end:
        kind = np.intp(byte_classes[data[position]])
        if kind == 0:
            position += 1
            continue
        if kind == _B_BREAK:
            break
        if kind == _B_PAREN or kind == _B_STOP:
            item = _inline_item(data, start, position, end, blocks, records)
            if item >= 0:
                return item, 0
            if kind == _B_PAREN:
                position += 1
                continue
        elif kind == _B_COLON:
            if position == start or not _colon_ends(data, position, end, blocks, records):
                position += 1
                continue
        elif kind == _B_LEAD:
            mark = _class(data, position, end, blocks, records)
            if mark == _BREAK:
                break
            if mark == _BULLET and position > start:
                first = _skip_space(data, start, end, blocks, records)
                if _code(data, first, end) == _code(data, position, end) and first < position:
                    return position, 0
            if mark == _OPEN or mark == _CLOSE:
                code = _code(data, position, end)
                if code == _TITLE_OPEN:
                    title = position
                elif code == _TITLE_CLOSE:
                    title = -1
            if (mark != _STOP and mark != _TERMINATOR and mark != _FULL):
                position += _length(np.intp(data[position]))
                continue
        titled = title >= 0 and position - title < 96
        position, boundary, crossed = _sentence_end(
            data, start, position, end, quoted, titled, blocks, records, word_hashes, word_flags
        )
        if boundary >= 0:
            return boundary, 0
        if crossed > 0:
            state = crossed + 1
            stopped = position
            position = _skip_space(data, position, end, blocks, records)
            if position < end and _class(data, position, end, blocks, records) != _BREAK:
                state = 1
    return min(position, end), state


@kernel
def _open(units, gaps, kinds, count, position, gap, kind):
    """Write a unit and return the new count, or -1 where there is no room. A heading shapes the gap after it."""
    if count >= gaps.size:
        return -1
    units[count] = position
    gaps[count] = gap
    kinds[count] = kind
    return count + 1


@kernel
def _gap(kinds, count, first_unit, kind, gap):
    """Return the gap before a new unit of `kind`, if `gap` is what the white space says."""
    if count == first_unit:
        return DOCUMENT
    if kinds[count - 1] == HEADING:
        return AFTER_HEADING
    return HEADING_NEXT if kind == HEADING else gap


@kernel
def _same_marks(data, content, position, end):
    """Return whether the lines at `content` and `position` begin with the same number of "#"."""
    while content < end and position < end and np.intp(data[content]) == 35:
        if np.intp(data[position]) != 35:
            return False
        content += 1
        position += 1
    return position < end and np.intp(data[position]) != 35


@kernel
def _is_delimiter_row(data, position, end):
    """Return whether the line at `position` is the "---|:-:" under a table's head."""
    pipes = 0
    dashes = 0
    while position < end and not 10 <= np.intp(data[position]) <= 13:
        byte = np.intp(data[position])
        if (byte != 45 and byte != 58 and byte != 124 and byte != 32 and byte != 9):
            return False
        pipes += byte == 124
        dashes += byte == 45
        position += 1
    return pipes > 0 and dashes > 1


@kernel
def _after_table(data, position, end, piped):
    """Return the offset after the rows of the table whose first row `position` is in.

    A row begins with "|" or, in a drawn box, with "+-"; with `piped` 0 it need only hold a "|".
    """
    while position < end:
        position = _line_end(data, position, end)
        if position >= end:
            break
        position = _after_break(data, position, end)
        content = position
        while content < end and (np.intp(data[content]) == 32 or np.intp(data[content]) == 9):
            content += 1
        if content >= end:
            break
        byte = np.intp(data[content])
        box = byte == 43 and content + 1 < end and (np.intp(data[content + 1]) == 45 or np.intp(data[content + 1]) == 61)
        if piped == 0 and (byte != 10 and byte != 11 and byte != 12 and byte != 13):
            stop = _line_end(data, content, end)
            for i in range(content, stop):
                if np.intp(data[i]) == 124:
                    box = True
                    break
        if byte != 124 and not box:
            break
    return position


@kernel
def _is_plain_heading(data, content, stop, end):
    """Return whether a line between blank lines is "3.2. Title", "3.  Title" or "TITLE"."""
    while stop > content and np.intp(data[stop - 1]) <= 32:
        stop -= 1
    if stop - content > 72 or (np.intp(data[stop - 1]) == 33 or np.intp(data[stop - 1]) == 44 or np.intp(data[stop - 1]) == 46 or np.intp(data[stop - 1]) == 58 or np.intp(data[stop - 1]) == 59 or np.intp(data[stop - 1]) == 63):
        return False
    position = content
    levels = 0
    while position < stop and (48 <= np.intp(data[position]) <= 57 or np.intp(data[position]) == 46):
        levels += np.intp(data[position]) == 46 and 48 <= np.intp(data[position + 1]) <= 57
        position += 1
    upper = 0
    lower = 0
    dots = 0
    for i in range(position, stop):
        byte = np.intp(data[i])
        upper += 65 <= byte <= 90
        lower += 97 <= byte <= 122 or byte >= 0x80
        dots += byte == 46 and np.intp(data[i - 1]) == 46
    if dots > 0:
        return False  # a line of a table of contents
    if position > content and position < stop and np.intp(data[position]) == 32:
        if levels > 0 or np.intp(data[position + 1]) == 32:
            while np.intp(data[position]) == 32:
                position += 1
            return 65 <= np.intp(data[position]) <= 90
    return lower == 0 and upper >= 4 and 2 * upper > stop - content


@kernel
def _document(
    data, start, end, byte_classes, blocks, records, word_hashes, word_flags, lengths, words,
    units, gaps, kinds, count,
):  # fmt: skip
    """Cut data[start:end] into units from number `count` on; return the new count or -1 (no room)."""
    first_unit = count
    position = start
    kind = PROSE
    state = 3  # how the line before ended, see _scan_line
    fresh = True  # a paragraph begins here
    gap = LINE  # what a fresh paragraph begins with
    title = -1  # the unit that is the only line so far of its paragraph
    columns = 0  # of the line before
    verdict, width, measured = 2, 0, start
    comments = False
    while position < end:
        content = _skip_space(data, position, end, blocks, records)
        if content >= end:
            break
        if _class(data, content, end, blocks, records) == _BREAK:
            position = _after_break(data, content, end)
            fresh, gap, title, comments = True, BLANK, -1, False
            continue
        begin = start if count == first_unit else position
        line = _block(data, content, end, blocks, records)
        stop = _line_end(data, content, end)
        following = _after_break(data, stop, end) if stop < end else end
        byte = np.intp(data[content])
        if byte == 35 and line == HEADING:
            same = following < end and _same_marks(data, content, following, end)
            if comments or same:
                line = PROSE
            comments = same
        else:
            comments = False
        if title >= 0:
            size = _repeats(data, content, end) if line == _RULE or line == FENCE else 0
            if size >= 3 and (byte == 61 or byte == 45 or abs(size - columns) <= 2):
                kinds[title] = HEADING
                if gaps[title] < HEADING_NEXT:
                    gaps[title] = HEADING_NEXT
                count = title + 1
                position, fresh, gap, title = following, True, LINE, -1
                continue
            if (byte == 45 or byte == 58) and _is_delimiter_row(data, content, end):
                kinds[title] = TABLE
                count = title + 1
                position = _after_table(data, content, end, 0)
                fresh, gap, title = True, LINE, -1
                continue
        if fresh and (line == PROSE or line == _WEAK_ITEM) and following < end and stop - content < 80:
            after = _skip_space(data, following, end, blocks, records)
            if after < end and _class(data, after, end, blocks, records) == _BREAK:
                if _is_plain_heading(data, content, stop, end):
                    line = HEADING
        if (line == HEADING or line == FENCE or line == TABLE or line == _RULE):
            kind = PROSE if line == _RULE else line
            before = gap if fresh else LINE
            count = _open(
                units, gaps, kinds, count, begin, _gap(kinds, count, first_unit, kind, before), kind
            )
            if count < 0:
                return -1
            if line == FENCE:
                position = _after_fence(
                    data, content, end, byte, _fence_size(data, content, end)
                )
            elif line == TABLE:
                position = _after_table(data, content, end, 1)
            else:
                position = following
            kind, fresh, gap, title = PROSE, True, LINE, -1
            continue
        quoted = line == _QUOTE
        if line == _WEAK_ITEM:
            last = stop
            if not fresh:
                last = _before(data, position, start)
                while last > start and np.intp(data[last]) <= 32:
                    last -= 1
            clear = fresh or state == 3 or verdict == 2 or kind == LIST_ITEM
            line = LIST_ITEM if clear or (np.intp(data[last]) == 44 or np.intp(data[last]) == 58 or np.intp(data[last]) == 59) else PROSE
        changed = line == LIST_ITEM or quoted != (kind == _QUOTE)
        if quoted:
            verdict, width, measured = 1, max(columns, 60), following
        elif fresh or changed or position >= measured:
            verdict, width, measured = _measure(
                data, position, end, blocks, records, lengths, words
            )
        limit = fresh or changed
        before = gap if fresh else LINE
        if not limit:
            short = verdict == 2 or columns + 1 + _first_word(data, content, stop) <= width
            if state == 3:
                limit = True
                before = LINE if short else SENTENCE
            elif short and verdict > 0:
                telling = _skip_openers(data, content, end, blocks, records)
                lower = telling < end and _class(data, telling, end, blocks, records) == _LOWER
                limit = not lower or width > _WIDEST
                if not limit:
                    opening = _skip_space(data, np.intp(units[count - 1]), end, blocks, records)
                    opening = _skip_openers(data, opening, end, blocks, records)
                    limit = _class(data, opening, end, blocks, records) == _LOWER
            elif short:
                limit = (
                    5 * (columns + 1) <= 3 * width
                    and _class(data, content, end, blocks, records) == _UPPER
                )
        if changed or fresh:
            kind = line
        if limit:
            shown = PROSE if kind == _QUOTE else kind
            count = _open(
                units, gaps, kinds, count, begin, _gap(kinds, count, first_unit, shown, before), shown
            )
            if count < 0:
                return -1
        title = count - 1 if fresh and line == PROSE else -1
        point = content
        while quoted and point < end and np.intp(data[point]) == 62:
            point = _skip_space(data, point + 1, end, blocks, records)
        while True:
            point, state = _scan_line(
                data, np.intp(units[count - 1]), point, end, quoted, byte_classes, blocks, records,
                word_hashes, word_flags,
            )  # fmt: skip
            if state != 0:
                break
            shown = PROSE if kind == _QUOTE else kind
            count = _open(units, gaps, kinds, count, point, SENTENCE, shown)
            if count < 0:
                return -1
        columns = _columns(data, position, point)
        position = _after_break(data, point, end) if point < end else end
        fresh = False
    if count == first_unit and end > start:
        count = _open(units, gaps, kinds, count, start, DOCUMENT, PROSE)
    return count


@kernel
def find_units(
    data, documents, byte_classes, blocks, records, word_hashes, word_flags, units, gaps, kinds, document_units
):
    """Cut the documents of a group into units.

    Parameters
    ----------
    data : ndarray of uint8, read-only
        The text of all documents, valid UTF-8 (lone surrogates as three bytes are let through).
    documents : ndarray of int32, shape (D + 1,), read-only
        Document j is data[documents[j]:documents[j + 1]].
    byte_classes, blocks, records, word_hashes, word_flags : ndarray, read-only
        `scission.tables.sentence_tables()`.
    units : ndarray of int32, shape (capacity + 1,)
        Receives the M + 1 offsets of the units; they tile the buffer.
    gaps, kinds : ndarray of uint8, shape (capacity,)
        Receive what lies before each unit and what it is; the constants of this module.
    document_units : ndarray of int32, shape (D + 1,)
        Receives the number of the first unit of each document.

    Returns
    -------
    int
        M, or -1 where `units` is too small. An empty document has no unit.
    """
    lengths = np.empty(_LINES_MEASURED, np.int32)
    words = np.empty(_LINES_MEASURED, np.int32)
    count = 0
    for document in range(documents.size - 1):
        document_units[document] = count
        count = _document(
            data, np.intp(documents[document]), np.intp(documents[document + 1]), byte_classes,
            blocks, records, word_hashes, word_flags, lengths, words, units, gaps, kinds, count,
        )  # fmt: skip
        if count < 0:
            return -1
    document_units[documents.size - 1] = count
    units[count] = documents[documents.size - 1]
    return count
