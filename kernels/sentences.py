"""Units: sentences, and the blocks of plain text and Markdown.

A *unit* is a sentence, a heading, a fence, a table, or a line of text that was never prose (verse, a log, code).
Each document is read three times, every time forward: `_classify` writes the class of each character,
`_read_lines` finds the line breaks, 32 lines at a time, and `_scan` stops at terminators. `_document` puts
each line into its block; `_judge` decides for a paragraph whether its line breaks mean anything;
`_sentence_end` decides about one terminator from the word before it, what closes it and what follows. Every
other look back or ahead is bounded, so the cost is linear: per core 165 MB/s on English documentation (six
nanoseconds a byte: two for classes and lines, three for terminators), 200 MB/s on Chinese.

In these kernels `text` is one document, uint8[n], and positions are offsets into it; `classes` is uint8[n + 4],
the sentence class of the character that begins at each byte, and `_END` at n. The classes are ordered:
letters, word characters, openers and closers are ranges; all from `_PARENTHESIS` on stop the scanner, `_BREAK`
and `_END` end a line.
"""

# Equality chains, not `in (...)`: numba compiles a tuple membership test far more slowly.
# ruff: noqa: SIM109, SIM114, SIM108

import numpy as np
from scission.kernels._jit import kernel

# What lies before a unit (`gaps`).
SENTENCE = 0  # white space, inside a paragraph
LINE = 1  # a line break that was meant as one
BLANK = 2  # a blank line
SECTION = 3  # the unit is a heading
AFTER_HEADING = 4  # the unit before is a heading: a cut is unwanted
DOCUMENT = 5  # the unit is the first of its document
FORCED = 6  # nothing: later stages cut a unit that is too long

# What a unit is (`kinds`).
PROSE, HEADING, LIST_ITEM, FENCE, TABLE = 0, 1, 2, 3, 4

# Kinds of line that are no kind of unit.
_RULE, _QUOTE, _NUMBERED = 8, 9, 10

# Sentence classes, as tools/build_character_tables.py numbers them.
_OTHER, _UPPER, _LOWER, _LETTER, _DIGIT, _SPACE, _CONTINUATION, _EXTEND = 0, 1, 2, 3, 4, 5, 6, 7
_COMMA, _OPEN, _MARK, _CLOSE, _PARENTHESIS, _COLON, _TITLE, _BULLET = 8, 9, 10, 11, 12, 13, 14, 15
_STOP, _TERMINATOR, _FULL, _BREAK, _END, _LEAD = 16, 17, 18, 19, 20, 21

# Kinds of words; a starter often begins a sentence and is seldom part of a name.
_NAMING, _REFERENCE, _GENERAL, _FINAL, _INNER, _MONTH, _TIME, _MEASURE = 1, 2, 3, 4, 5, 6, 7, 8
_LABEL, _PLACE = 9, 10
_STARTER = 16

# Nobody wraps prose narrower or wider than this many columns: there a line break is meant.
_NARROWEST, _WIDEST = 40, 160
_WINDOW = 32  # lines read at a time
_LONGEST_WORD = 32  # bytes; a longer word is no abbreviation

# How a line ends: in the middle of a sentence, with a terminator that may not end one, with one that does.
_OPEN_END, _DOUBTFUL_END, _SENTENCE_END = 1, 2, 3


@kernel
def _classify(text, byte_classes, blocks, records, classes):
    """Write the sentence class of each character to its first byte, `_CONTINUATION` to the others."""
    size = text.size
    position = 0
    while position < size:
        kind = byte_classes[text[position]]
        if kind != _LEAD:
            classes[position] = kind
            position += 1
            continue
        lead = np.intp(text[position])
        length = 2
        if lead >= 0xE0:
            length = 3 if lead < 0xF0 else 4
        code = lead & (0x7F >> length)
        stop = position + 1
        while stop < position + length and stop < size:
            code = code << 6 | np.intp(text[stop]) & 0x3F
            classes[stop] = _CONTINUATION
            stop += 1
        if code > 0x10FFFF:
            code = 0
        classes[position] = records[np.intp(blocks[code >> 6]) + (code & 63)] >> 5
        position = stop
    classes[size] = _END


@kernel
def _after_space(classes, position):
    """Return the offset of the next character in the line that is not white space."""
    while classes[position] == _SPACE or classes[position] == _CONTINUATION:
        position += 1
    return position


@kernel
def _after_character(classes, position):
    """Return the offset after the character at `position`."""
    position += 1
    while classes[position] == _CONTINUATION:
        position += 1
    return position


@kernel
def _class_before(classes, position):
    """Return the class of the character that ends at `position` > 0."""
    position -= 1
    while classes[position] == _CONTINUATION and position > 0:
        position -= 1
    return classes[position]


@kernel
def _after_break(text, classes, position):
    """Return the offset after the line break at `position`; CR LF and CR CR LF are one break."""
    if classes[position] == _END:
        return position
    if text[position] == 13:
        following = position + 1
        if classes[following] == _BREAK and text[following] == 13:
            following += 1
        if classes[following] == _BREAK and text[following] == 10:
            return following + 1
        return position + 1
    return _after_character(classes, position)


@kernel
def _columns(text, classes, position, stop):
    """Return the columns of a line that is not all ASCII, white space at its end left out."""
    columns = 0
    total = 0
    while position < stop:
        kind = classes[position]
        if kind != _CONTINUATION:
            columns += 2 if text[position] >= 0xE3 else 1
            if kind != _SPACE:
                total = columns
        position += 1
    return total


@kernel
def _read_lines(text, classes, position, lines):
    """Read up to 32 lines from `position` on and return their number.

    Row i of `lines` (int64[32, 6]) receives where the line begins, its first character that is not white
    space, its end, the begin of the next line, its columns, and those of its first word (24 at most; 2
    where the script has no spaces). White space at the end does not count, East Asian characters count twice.
    """
    count = 0
    while count < _WINDOW and classes[position] != _END:
        content = _after_space(classes, position)
        stop = position
        high = 0
        while classes[stop] < _BREAK:
            high |= text[stop]
            stop += 1
        last = stop
        while last > content and classes[last - 1] == _SPACE:
            last -= 1
        columns = last - position
        if high >= 0x80:
            columns = _columns(text, classes, position, stop)
        word = 0
        wide = 0
        i = content
        while i < last and word < 24 and classes[i] != _SPACE:
            wide |= text[i] >= 0xE3
            word += classes[i] != _CONTINUATION
            i += 1
        lines[count, 0] = position
        lines[count, 1] = content
        lines[count, 2] = stop
        lines[count, 4] = columns
        lines[count, 5] = 2 if wide else word
        position = _after_break(text, classes, stop)
        lines[count, 3] = position
        count += 1
    return count


@kernel
def _run(text, classes, position):
    """Return the offset after the run of the byte at `position`, and whether it fills the line."""
    byte = text[position]
    stop = position
    while classes[stop] != _END and text[stop] == byte:
        stop += 1
    return stop, classes[_after_space(classes, stop)] >= _BREAK


@kernel
def _is_list_marker(text, classes, position):
    """Return whether a letter or number at `position` marks a list item.

    "1. ", "12) ", "1.) ", "a) ", "iv) ", "(1) ", "(a) "; a letter with a stop may be an initial.
    """
    first = position
    if text[first] == 40:
        first += 1
    stop = first
    digits = 0
    others = 0
    while stop - first < 4 and _UPPER <= classes[stop] <= _DIGIT:
        byte = text[stop] | 32
        if classes[stop] == _DIGIT:
            digits += 1
        elif byte != 105 and byte != 118 and byte != 120:
            others += 1
        stop += 1
    size = stop - first
    if size == 0 or digits > 3 or (digits != size and (digits > 0 or (size > 1 and others > 0))):
        return False
    if classes[stop] == _STOP and digits > 0 and first == position:
        stop += 1
        if classes[stop] == _PARENTHESIS:
            stop += 1
    elif classes[stop] == _PARENTHESIS:
        stop += 1
    else:
        return False
    return classes[stop] == _SPACE


@kernel
def _block(text, classes, position):
    """Return the kind of the line whose first character is at `position`."""
    kind = classes[position]
    byte = text[position]
    if _UPPER <= kind <= _DIGIT or byte == 40:
        if byte == 111 and classes[position + 1] == _SPACE and classes[position + 2] == _SPACE:
            return LIST_ITEM  # the "o  " of RFCs
        return _NUMBERED if _is_list_marker(text, classes, position) else PROSE
    if kind == _BULLET:
        return LIST_ITEM
    if byte >= 0x80:
        return PROSE
    if byte == 124:
        return TABLE
    if byte == 62:
        return _QUOTE
    stop, fills = _run(text, classes, position)
    count = stop - position
    spaced = classes[stop] == _SPACE
    if byte == 35 and count <= 6 and spaced:
        return HEADING
    if count >= 3 and (byte == 96 or byte == 126):
        while byte == 96 and classes[stop] < _BREAK:
            if text[stop] == 96:
                return PROSE
            stop += 1
        return FENCE
    if fills and count >= 3:
        return _RULE
    if count == 1 and (byte == 45 or byte == 42 or byte == 43):
        if byte == 43 and classes[stop] != _END and text[stop] == 45:
            return TABLE  # the "+---+" of a drawn box
        if spaced:
            marks = 0
            while classes[stop] < _BREAK:
                if text[stop] == byte:
                    marks += 1
                elif classes[stop] != _SPACE and classes[stop] != _CONTINUATION:
                    return LIST_ITEM
                stop += 1
            return _RULE if marks > 1 else LIST_ITEM
    return PROSE


@kernel
def _line_end(classes, position):
    """Return the offset of the line break, or of the end."""
    while classes[position] < _BREAK:
        position += 1
    return position


@kernel
def _after_fence(text, classes, opening, position):
    """Return the offset after the line that closes the fence at `opening`, or the end (CommonMark).

    `position` is where the line after the opening one begins.
    """
    size = _run(text, classes, opening)[0] - opening
    while classes[position] != _END:
        content = _after_space(classes, position)
        position = _after_break(text, classes, _line_end(classes, content))
        if classes[content] < _BREAK and text[content] == text[opening]:
            stop, fills = _run(text, classes, content)
            if fills and stop - content >= size:
                break
    return position


@kernel
def _after_table(text, classes, position, head):
    """Return the offset after the table whose second line begins at `position`.

    `head` is the kind of the first: where it is no table by itself a row need only hold a "|", else it begins
    with one or, in a drawn box, with "+-".
    """
    while classes[position] < _BREAK:
        content = _after_space(classes, position)
        if classes[content] >= _BREAK:
            break
        row = text[content] == 124 or (
            text[content] == 43 and classes[content + 1] != _END and text[content + 1] == 45
        )
        while classes[content] < _BREAK:
            if head != TABLE and text[content] == 124:
                row = True
            content += 1
        if not row:
            break
        position = _after_break(text, classes, content)
    return position


@kernel
def _is_delimiter_row(text, position, stop):
    """Return whether a line is the "---|:-:" under the head of a table."""
    pipes = 0
    dashes = 0
    for i in range(position, stop):
        byte = text[i]
        if byte == 124:
            pipes += 1
        elif byte == 45:
            dashes += 1
        elif byte != 58 and byte != 32 and byte != 9:
            return False
    return pipes > 0 and dashes > 1


@kernel
def _is_plain_heading(classes, content, stop):
    """Return whether a line between blank lines is "3.2. Title", "3.  Title" or "TITLE"."""
    if stop - content > 72:
        return False
    upper = 0
    lower = 0
    levels = 0
    numbered = classes[content] == _DIGIT
    last = _OTHER
    closing = _OTHER
    for i in range(content, stop):
        kind = classes[i]
        if kind == _UPPER:
            upper += 1
        elif kind == _LOWER or kind == _LETTER:
            lower += 1
        elif kind == _STOP and last == _STOP:
            return False  # a line of a table of contents
        elif upper == 0:
            # "3.2" or "3.  "
            if (kind == _DIGIT and last == _STOP) or (
                i > content and kind == _SPACE and last == _SPACE
            ):
                levels += 1
            if kind != _DIGIT and kind != _STOP and kind != _SPACE:
                numbered = False
        if upper == 0 and lower > 0:
            return False
        if kind != _CONTINUATION:
            last = kind
            if kind != _SPACE:
                closing = kind
    if closing == _COMMA or closing > _PARENTHESIS:
        return False
    if numbered and levels > 0 and upper > 0:
        return True
    return lower == 0 and upper >= 4 and 2 * upper > stop - content


@kernel
def _judge(text, classes, lines, line, count):
    """Judge the paragraph that begins with row `line`: return (verdict, width, row where this ends).

    Verdict 0: wrapped prose; 1: each break is judged by itself; 2: every line break is meant.

    Notes
    -----
    A filled paragraph has no line so short that the first word of the next would have fitted on it, and most
    of its lines begin in lower case. On shared/data/wild this tells RFCs, mail and man pages from logs,
    verse, CSV and code.
    """
    width = np.intp(0)
    continuing = 0
    digits = 0
    last = line
    while last < count:
        content = lines[last, 1]
        kind = classes[content]
        if kind >= _BREAK:
            break
        if last > line:
            byte = text[content]
            if kind == _BULLET or byte == 35 or byte == 62 or byte == 124:
                break
            if (byte == 42 or byte == 43 or byte == 45) and classes[content + 1] == _SPACE:
                break
            if kind == _LOWER or kind == _LETTER:
                continuing += 1
            elif kind == _DIGIT:
                digits += 1
        if lines[last, 4] > width:
            width = lines[last, 4]
        last += 1
        if width > _WIDEST:
            return 2, width, last
    breaks = last - line - 1
    if width < _NARROWEST or (breaks >= 3 and (5 * continuing < breaks or 2 * digits > breaks)):
        return 2, width, last
    fits = 0
    for i in range(line, last - 1):
        if lines[i, 4] + 1 + lines[i + 1, 5] <= width:
            fits += 1
    if breaks > 1 and 10 * fits >= 6 * breaks:
        return 2, width, last
    return 1 if 4 * fits >= breaks else 0, width, last


@kernel
def _word_flags(text, start, stop, word_hashes, word_flags):
    """Return the flags of the word text[start:stop], ASCII case ignored; 0 if it is unknown."""
    key = np.intp(1)  # so that NULs at the front count
    for i in range(start, stop):
        byte = np.intp(text[i])
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
def _word_end(text, classes, position):
    """Return the end of the word at `position`: letters, digits and apostrophes."""
    stop = position
    while stop - position < _LONGEST_WORD:
        kind = classes[stop]
        if (kind == _SPACE or kind > _EXTEND) and (kind != _MARK or text[stop] != 39):
            break
        stop += 1
    return stop


@kernel
def _after_closers(text, classes, position):
    """Return the offset after the terminator at `position` and what belongs to it, and what was seen.

    Bits: 1 a bracket or quote, 2 two stops or more, 4 a mark as "!", 8 two of them or more.
    """
    seen = 0
    begin = position
    while classes[position] != _END:
        kind = classes[position]
        if kind == _SPACE:
            break
        byte = text[position]
        following = _after_character(classes, position)
        if kind == _STOP:
            if position > begin:
                seen |= 2
        elif kind == _TERMINATOR:
            seen |= 4 if seen & 4 == 0 else 8
        elif _MARK <= kind <= _PARENTHESIS:
            seen |= 1
        elif kind == _OPEN:
            after = classes[following]
            if byte == 91:  # "[12]"
                while classes[following] == _DIGIT or classes[following] == _COMMA:
                    following = _after_character(classes, following)
                if after != _DIGIT or classes[following] != _CLOSE:
                    break
                following += 1
            elif byte < 0x80 or (after != _SPACE and after < _BREAK):
                break  # what follows is not the “ that closes a German quotation
            else:
                seen |= 1
        elif kind != _FULL and kind != _EXTEND and byte != 42 and byte != 95 and position > begin:
            break
        position = following
    return position, seen


@kernel
def _after_openers(text, classes, position):
    """Return the offset of the character that tells a sentence from a clause: brackets, quotes, dashes passed."""
    for _ in range(4):
        kind = classes[position]
        if kind == _END:
            break
        byte = text[position]
        if kind == _COMMA and (byte == 45 or byte == 0xE2):
            position = _after_space(classes, _after_character(classes, position))
        elif (_OPEN <= kind <= _PARENTHESIS and byte != 96) or byte == 42 or byte == 95:
            position = _after_character(classes, position)
        else:
            break
    return position


@kernel
def _opening(text, classes, start):
    """Return the offset of the first word of a unit: after white space, a bullet, a block quote's ">"."""
    position = _after_space(classes, start)
    for _ in range(4):
        kind = classes[position]
        if kind == _END:
            break
        byte = text[position]
        if kind != _BULLET and byte != 62:
            if byte != 45 and byte != 42 and byte != 43:
                break
            if classes[position + 1] != _SPACE:
                break
        position = _after_space(classes, _after_character(classes, position))
    return position


@kernel
def _begins_in_lower_case(text, classes, start):
    """Return whether the unit at `start` begins in lower case, as in text that has no capitals."""
    return classes[_after_openers(text, classes, _opening(text, classes, start))] == _LOWER


@kernel
def _word_before(text, classes, position, start):
    """Return (begin, letters, digits, stops, vowels) of the word that ends at `position`.

    A letter of any script counts; those that are not ASCII count as vowels.
    """
    begin = position
    letters = 0
    digits = 0
    stops = 0
    vowels = 0
    while begin > start and position - begin < _LONGEST_WORD:
        last = begin - 1
        while last > start and classes[last] == _CONTINUATION:
            last -= 1
        kind = classes[last]
        if kind == _DIGIT:
            digits += 1
        elif kind == _STOP:
            stops += 1
        elif _UPPER <= kind <= _LETTER:
            letters += 1
            byte = text[last] | 32
            if byte == 97 or byte == 101 or byte == 105 or byte == 111 or byte == 117:
                vowels += 1
            elif byte == 121 or byte >= 0x80:
                vowels += 1
        elif kind != _EXTEND:
            break
        begin = last
    return begin, letters, digits, stops, vowels


@kernel
def _stop_ends(text, classes, start, position, opener, following, seen, word_hashes, word_flags):
    """Return whether one full stop at `position`, white space after it, ends a sentence.

    `start` is where its unit begins, `opener` where text goes on, `following` the first telling character from
    there on; `seen` is not 0 where a bracket or quote closes after the stop.
    """
    after = classes[following]
    lower = after == _LOWER
    begin, letters, digits, stops, vowels = _word_before(text, classes, position, start)
    if letters == 0 and digits == 0:
        # "N°. 5", but "(sic). 5".
        symbol = position > start and _class_before(classes, position) <= _DIGIT
        return not lower and not (symbol and after == _DIGIT)
    capital = classes[begin] == _UPPER
    if letters == 0:
        if lower or (stops == 0 and begin == _opening(text, classes, start)):
            return False  # "1. First"
        if digits < 3 and stops == 0 and after == _UPPER:
            stop = _word_end(text, classes, following)
            return _word_flags(text, following, stop, word_hashes, word_flags) & 15 != _MONTH
        return True
    flags = _word_flags(text, begin, position, word_hashes, word_flags) & 15
    if flags == 0 and stops > 0 and (digits > 0 or letters != stops + 1):
        # "example.com", "ad.es": the last part decides.
        last = position
        while last > begin and classes[last - 1] != _STOP:
            last -= 1
        if position - last < 2:
            return not lower
        flags = _word_flags(text, last, position, word_hashes, word_flags) & 15
        stops = 0
    if not capital and (flags == _MONTH or flags == _PLACE):
        flags = 0
    if flags == _INNER:
        return False
    if flags == 0 or flags == _LABEL:
        if flags == _LABEL and (after == _DIGIT or lower):
            return False
        if letters > 1 or digits > 0:
            if lower:
                # In text that does not capitalise, a stop is all there is.
                return (
                    letters > 2
                    and stops == 0
                    and opener == following
                    and _begins_in_lower_case(text, classes, start)
                )
            known = stops > 0  # "U.S.", "J.R.R."
            if vowels == 0 and digits == 0 and letters < 6 and classes[position - 1] == _LOWER:
                known = True  # "Blvd.", "Pvt."
            if flags == _LABEL or not known or (seen != 0 and stops == 0):
                return True
        elif begin > start:
            before = _class_before(classes, begin)
            if before == _OTHER or (before == _COMMA and text[begin - 1] != 45):
                return not lower  # "km/h.", "°C."
    elif flags == _FINAL or flags == _MEASURE:
        return not lower and text[opener] != 40
    elif seen != 0 and flags != _NAMING and flags != _REFERENCE:
        return not lower
    # An abbreviation or an initial: only before a word that begins sentences.
    if lower or after == _DIGIT or text[opener] == 40:
        return False
    if letters == 1 and begin == _opening(text, classes, start):
        return False  # "Q. What"
    if flags == _NAMING and capital:
        return False
    if flags == _TIME:
        # "At 5 a.m. Mr. Smith went": so short a sentence has no room for a verb.
        spaces = 0
        for i in range(start, begin if begin - start < 24 else start):
            if classes[i] == _SPACE:
                spaces += 1
        if begin - start >= 24 or spaces > 3:
            return True
    stop = _word_end(text, classes, following)
    if classes[stop] == _STOP or (classes[stop] == _COMMA and text[stop] == 45):
        return False
    return _word_flags(text, following, stop, word_hashes, word_flags) >= _STARTER


@kernel
def _glued(text, classes, start, position, following, before, word_hashes, word_flags):
    """Return whether a sentence ends at `position` without white space: "world.Today is", "1,000.That is"."""
    if classes[following] != _UPPER or (before != _LOWER and before != _DIGIT):
        return False
    begin = position
    while begin > start and position - begin < _LONGEST_WORD and classes[begin - 1] != _SPACE:
        begin -= 1
        byte = text[begin]
        if byte == 46 or byte == 47 or byte == 58 or byte == 64 or byte == 95 or byte == 40:
            return False
    stop = _word_end(text, classes, following)
    flags = _word_flags(text, following, stop, word_hashes, word_flags)
    if classes[stop] == _STOP:
        return flags & 15 == _NAMING
    return flags >= _STARTER and (classes[stop] == _SPACE or classes[stop] == _COMMA)


@kernel
def _footnote(text, classes, start, position, following):
    """Return where the sentence after a glued footnote number begins, or -1: "slow thinking.10 This"."""
    stop = following
    while classes[stop] == _DIGIT and text[stop] < 58 and stop - following < 3:
        stop += 1
    after = _after_space(classes, stop)
    if stop == following or classes[stop] != _SPACE or classes[after] != _UPPER:
        return -1
    if classes[position - 1] != _PARENTHESIS:
        begin, letters, digits, _, _ = _word_before(text, classes, position, start)
        if digits > 0 or letters < 4 or classes[begin] != _LOWER:
            return -1
    return after


@kernel
def _next_text(text, classes, position, quoted):
    """Return the next character that is not white space, and how the way there breaks.

    Breaks: 0 none, 1 one line break, 2 more or the end. In a block quote the ">" of the next line is passed.
    """
    position = _after_space(classes, position)
    if classes[position] < _BREAK:
        return position, 0
    position = _after_space(classes, _after_break(text, classes, position))
    while quoted and classes[position] != _END and text[position] == 62:
        position = _after_space(classes, position + 1)
    return position, 2 if classes[position] >= _BREAK else 1


@kernel
def _sentence_end(text, classes, start, position, quoted, titled, word_hashes, word_flags):
    """Judge the terminator at `position`: return (where to go on, boundary or -1, how the line ends or 0).

    The boundary is where the next unit begins when it begins in the same line.
    """
    first = classes[position]
    before = _class_before(classes, position) if position > start else _SPACE
    stop = position + 1
    while classes[stop] == _SPACE and classes[stop + 1] == _STOP and text[stop + 1] == 46:
        stop += 2
    if first == _STOP and stop > position + 1:
        # ". . ." is left out, ". . . ." ends a sentence; glued to a word, its first stop does.
        following, breaks = _next_text(text, classes, stop, quoted)
        if breaks > 0:
            return stop, -1, _SENTENCE_END
        after = classes[following]
        if following == stop or stop - position != 7 or after == _LOWER or after == _EXTEND:
            return stop, -1, 0
        if before != _SPACE:
            following = position + 2
        return following, following, 0
    stop, seen = _after_closers(text, classes, position)
    following, breaks = _next_text(text, classes, stop, quoted)
    if breaks == 2:
        return stop, -1, _SENTENCE_END
    opener = following
    after = classes[following]
    ends = False
    if opener == stop:
        if first == _FULL:
            # A zero-width joiner may tie an emoji to the terminator; a quotation that hiragana follows
            # goes on: 「何だ！」と言った。
            joined = classes[stop - 1] == _CONTINUATION and text[stop - 1] == 0x8D
            if seen & 1 != 0 and after == _LETTER and text[stop] == 0xE3:
                joined = joined or 0x81 <= text[stop + 1] <= 0x82
            ends = not titled and not joined and after != _COMMA and after != _COLON
        elif first == _STOP and text[position] != 46:
            ends = after == _LETTER  # a full-width stop
        elif before != _SPACE and seen == 0 and after == _DIGIT:
            following = _footnote(text, classes, start, position, stop)
            ends = following > 0
        else:
            ends = _glued(text, classes, start, position, stop, before, word_hashes, word_flags)
        return (following, following, 0) if ends else (stop, -1, 0)
    following = _after_openers(text, classes, opener)
    if classes[following] == _END:
        following = opener
    after = classes[following]
    if after == _EXTEND or classes[opener] == _EXTEND:
        ends = False
    elif first == _FULL:
        ends = not titled
    elif after == _COMMA or after == _COLON or after == _PARENTHESIS:
        ends = False
    elif text[opener] == 40 and _is_list_marker(text, classes, opener):
        ends = True
    elif before == _OPEN:
        ends = False  # "[...]"
    elif first == _STOP and seen & 6 == 0:
        ends = _stop_ends(
            text, classes, start, position, opener, following, seen, word_hashes, word_flags
        )
    elif after != _LOWER:
        ends = True
    elif seen & 5 == 4 and opener == following:
        ends = seen & 8 != 0 or _begins_in_lower_case(text, classes, start)
    if breaks == 1:
        return stop, -1, _SENTENCE_END if ends else _DOUBTFUL_END
    return (opener, opener, 0) if ends else (stop, -1, 0)


@kernel
def _number_at(text, classes, position):
    """Return (value, delimiter) of the list number or letter at `position`; delimiter 0 if there is none."""
    value = np.intp(0)
    stop = position
    while classes[stop] == _DIGIT and text[stop] < 58 and stop - position < 3:
        value = value * 10 + np.intp(text[stop]) - 48
        stop += 1
    if stop == position and classes[stop] == _LOWER:
        value = np.intp(text[stop])
        stop += 1
    if stop == position or (classes[stop] != _STOP and classes[stop] != _PARENTHESIS):
        return value, np.intp(0)
    return value, np.intp(text[stop])


@kernel
def _inline_item(text, classes, start, position):
    """Return where the list item begins whose number ends at `position`, or -1.

    A unit that begins "1)" goes on to "2)": only the next number with the same delimiter counts.
    """
    begin = position - 1
    if begin <= start or (classes[begin] != _DIGIT and classes[begin] != _LOWER):
        return -1
    while begin > start and classes[begin] == _DIGIT and classes[begin - 1] == _DIGIT:
        begin -= 1
    if begin <= start or position - begin > 3 or _class_before(classes, begin) != _SPACE:
        return -1
    after = position + 1
    if classes[after] == _PARENTHESIS:
        after += 1
    if classes[after] != _SPACE:
        return -1
    value, delimiter = _number_at(text, classes, begin)
    before, same = _number_at(text, classes, _after_space(classes, start))
    return begin if delimiter != 0 and delimiter == same and value == before + 1 else -1


@kernel
def _scan(text, classes, start, position, quoted, word_hashes, word_flags):
    """Find the next boundary from `position` on in the line: return (offset, how the line ends).

    0: a unit begins at `offset`; else `offset` is the end of the line. `start` is where the unit begins.
    """
    title = -1
    state = 0
    while True:
        while classes[position] < _PARENTHESIS:
            position += 1
        kind = classes[position]
        if kind >= _BREAK:
            return position, state if state > 0 else _OPEN_END
        ends = kind >= _STOP
        if kind == _STOP and classes[position + 1] == _LOWER:
            ends = False  # "example.com"
        elif kind == _STOP or kind == _PARENTHESIS:
            item = _inline_item(text, classes, start, position)
            if item >= 0:
                return item, 0
        elif kind == _BULLET:
            first = _after_space(classes, start)
            spaced = _class_before(classes, position) == _SPACE if position > start else False
            if spaced and first < position and classes[first] == _BULLET:
                # The last byte of a bullet tells it from the others.
                last = _after_character(classes, first) - 1
                if text[last] == text[_after_character(classes, position) - 1]:
                    return position, 0
        elif kind == _TITLE:
            title = position if text[position + 2] == 0x8A else -1
        elif kind == _COLON and position > start + 1 and classes[position + 1] >= _SPACE:
            # An Armenian full stop looks like ":", a Greek question mark like ";".
            lead = text[position - 2]
            if text[position] == 58:
                ends = lead == 0xD5 or lead == 0xD6
            else:
                ends = lead == 0xCE or lead == 0xCF
        if not ends:
            position = _after_character(classes, position)
            continue
        titled = title >= 0 and position - title < 96
        position, boundary, state = _sentence_end(
            text, classes, start, position, quoted, titled, word_hashes, word_flags
        )
        if boundary >= 0:
            return boundary, 0
        if state > 0:
            position = _line_end(classes, position)


@kernel
def _add(units, gaps, kinds, count, position, gap, kind):
    """Write a unit, if there is room, and return the new count. A block quote is prose."""
    if count < gaps.size:
        units[count] = position
        gaps[count] = gap
        kinds[count] = PROSE if kind >= _RULE else kind
    return count + 1


@kernel
def _document(
    text, classes, base, word_hashes, word_flags, lines, units, gaps, kinds, first
):  # fmt: skip
    """Cut a document that begins at offset `base` of the buffer; return the number of units, `first` included."""
    count = first
    start = np.intp(0)  # of the unit
    kind = PROSE  # of the block
    gap = BLANK  # what a fresh paragraph begins with
    fresh = True  # a paragraph begins here
    headed = False  # the unit before is a heading
    ending = _SENTENCE_END  # of the line before
    title = -1  # the unit that is the only line so far of its paragraph
    columns = 0  # of the line before
    verdict, width, judged = 2, 0, 0
    position = np.intp(0)  # where the line begins that is to be read next
    row = 0
    rows = 0
    indent = np.intp(0)  # of the line that began the block
    commented = False
    while count <= gaps.size:
        # A paragraph that begins late in the window is judged from a new one.
        if row == rows or (fresh and row > _WINDOW // 2):
            rows = _read_lines(text, classes, position, lines)
            row = 0
            judged = 0
            if rows == 0:
                break
        begin = lines[row, 0]
        content = lines[row, 1]
        stop = lines[row, 2]
        following = lines[row, 3]
        row += 1
        if begin < position:
            continue
        position = following
        if content == stop:
            if classes[stop] == _BREAK:
                fresh, gap, title, commented = True, BLANK, -1, False
            continue
        line = _block(text, classes, content)
        byte = text[content]
        below = classes[_after_space(classes, following)]
        if line == HEADING:
            same = False
            if below < _BREAK and text[following] == 35:
                size = _run(text, classes, content)[0] - content
                same = _run(text, classes, following)[0] - following == size
            if same or commented:
                line = PROSE  # lines of comments
            commented = same
        else:
            commented = False
        if title >= 0 and (line == _RULE or byte == 126 or byte == 45 or byte == 58):
            last, fills = _run(text, classes, content)
            size = last - content
            if fills and size >= 3 and (byte == 61 or byte == 45 or -3 < size - columns < 3):
                line = HEADING
            elif _is_delimiter_row(text, content, stop):
                position = _after_table(text, classes, following, line)
                line = TABLE
            if line == HEADING or line == TABLE:
                # The line before was no sentence: take back the units in it.
                count = title + 1
                headed = line == HEADING
                if title < gaps.size:
                    kinds[title] = line
                    if headed and gaps[title] < SECTION:
                        gaps[title] = SECTION
                fresh, gap, title = True, LINE, -1
                continue
        if (
            fresh
            and below == _BREAK
            and (line == PROSE or line == _NUMBERED)
            and _is_plain_heading(classes, content, stop)
        ):
            line = HEADING
        quoted = line == _QUOTE
        alone = line == HEADING or line == FENCE or line == TABLE or line == _RULE
        if line == _NUMBERED:
            # In wrapped prose "1984. " may begin a line.
            line = LIST_ITEM
            if not fresh and ending != _SENTENCE_END and verdict < 2 and kind != LIST_ITEM:
                last = begin - 1
                while (
                    classes[last] >= _BREAK
                    or classes[last] == _CONTINUATION
                    or classes[last] == _SPACE
                ):
                    last -= 1
                if classes[last] != _COMMA and classes[last] != _COLON:
                    line = PROSE
        changed = alone or line == LIST_ITEM or quoted != (kind == _QUOTE)
        if quoted:
            verdict, width, judged = 1, columns if columns > 60 else 60, row
        elif not alone and (fresh or changed or row > judged):
            verdict, width, judged = _judge(text, classes, lines, row - 1, rows)
        limit = fresh or changed
        if not fresh:
            gap = LINE
        if not limit:
            short = verdict == 2 or columns + 1 + lines[row - 1, 5] <= width
            if ending == _SENTENCE_END:
                limit = True
                if not short:
                    gap = SENTENCE
            elif (
                short
                and (kind != LIST_ITEM or content - begin <= indent)
                and (ending != _DOUBTFUL_END or verdict == 2)
            ):
                # Not before text that hangs under a list item, nor after "Dr." in wrapped prose.
                after = classes[_after_openers(text, classes, content)]
                if verdict == 0:
                    limit = after == _UPPER and 5 * (columns + 1) <= 3 * width
                else:
                    limit = (
                        after != _LOWER
                        or width > _WIDEST
                        or _begins_in_lower_case(text, classes, start)
                    )
        title = -1
        if limit:
            if fresh or changed:
                kind = line
                indent = content - begin
            if headed:
                gap = AFTER_HEADING
            elif kind == HEADING:
                gap = SECTION
            if count == first:
                gap = DOCUMENT
                begin = np.intp(0)
            if fresh and line == PROSE:
                title = count
            start = begin
            count = _add(units, gaps, kinds, count, base + start, gap, kind)
        headed = line == HEADING
        columns = lines[row - 1, 4]
        if alone:
            if line == FENCE:
                position = _after_fence(text, classes, content, following)
            elif line == TABLE:
                position = _after_table(text, classes, following, line)
            kind, fresh, gap, title = PROSE, True, LINE, -1
            continue
        fresh = False
        ending = 0
        while ending == 0:
            content, ending = _scan(text, classes, start, content, quoted, word_hashes, word_flags)
            if ending == 0:
                start = content
                count = _add(units, gaps, kinds, count, base + start, gap * 0, kind)
    if count == first and text.size > 0:
        count = _add(units, gaps, kinds, count, base, gap * 0 + DOCUMENT, kind)
    return count


@kernel
def find_units(
    data, documents, byte_classes, blocks, records, word_hashes, word_flags, units, gaps, kinds, document_units
):  # fmt: skip
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
        M, or -1 where there is no room for so many. An empty document has no unit.
    """
    longest = np.intp(0)
    for document in range(documents.size - 1):
        size = np.intp(documents[document + 1]) - np.intp(documents[document])
        if size > longest:
            longest = size
    # Three more, so that a look at the character after next never leaves the array.
    classes = np.empty(longest + 4, np.uint8)
    lines = np.empty((_WINDOW, 6), np.int64)
    count = np.intp(0)
    for document in range(documents.size - 1):
        document_units[document] = count
        start = np.intp(documents[document])
        text = data[start : np.intp(documents[document + 1])]
        _classify(text, byte_classes, blocks, records, classes)
        count = _document(
            text, classes, start, word_hashes, word_flags, lines, units, gaps, kinds, count
        )
        if count > gaps.size:
            return -1
    document_units[documents.size - 1] = count
    units[count] = documents[documents.size - 1]
    return count
