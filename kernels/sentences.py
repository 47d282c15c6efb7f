"""Units: sentences, and the blocks of plain text and Markdown.

A *unit* is a sentence, a heading, a fence, a table, or a line of text that was never prose (verse, a log, code).
Each document is read three times, every time forward: `_classify` writes the class of each character,
`_read_lines` finds the line breaks, 32 lines at a time, and `_scan` stops at terminators. `_document` puts
each line into its block; `_judge` decides for a paragraph whether its line breaks mean anything;
`_sentence_end` decides about one terminator from the word before it, what closes it and what follows. Every
other look back or ahead is bounded, so the cost is linear.

In these kernels `text` is one document, uint8[n], and positions are offsets into it; `classes` is uint8[n + 1],
the sentence class of the character that begins at each byte, and `_END` at n. Class numbers compare: all from
`_COLON` on stop the scanner, `_BREAK` and `_END` end a line.
"""

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
_OTHER, _LOWER, _UPPER, _LETTER, _DIGIT, _SPACE, _COMMA, _OPEN, _MARK = 0, 1, 2, 3, 4, 5, 6, 7, 8
_EXTEND, _CLOSE, _CONTINUATION, _COLON, _PARENTHESIS, _BULLET, _TITLE = 9, 10, 11, 12, 13, 14, 15
_STOP, _TERMINATOR, _FULL, _BREAK, _END, _LEAD = 16, 17, 18, 19, 20, 21

# Kinds of words; a starter often begins a sentence and is seldom part of a name.
_NAMING, _REFERENCE, _GENERAL, _FINAL, _INNER, _MONTH, _TIME, _MEASURE = 1, 2, 3, 4, 5, 6, 7, 8
_STARTER = 16

# Nobody wraps prose narrower or wider than this many columns: there a line break is meant.
_NARROWEST, _WIDEST = 40, 160
_WINDOW = 32  # lines read at a time
_LONGEST_WORD = 32  # bytes; a longer word is no abbreviation
_LONGEST_TAG = 16  # bytes of an HTML tag after a sentence

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
        stop = min(position + length, size)
        for i in range(position + 1, stop):
            code = code << 6 | np.intp(text[i]) & 0x3F
            classes[i] = _CONTINUATION
        code = min(code, 0x10FFFF)
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
def _line_end(classes, position):
    """Return the offset of the line break, or of the end."""
    while classes[position] < _BREAK:
        position += 1
    return position


@kernel
def _read_lines(text, classes, position, lines):
    """Read up to 32 lines from `position` on and return their number.

    Row i of `lines` (int32[32, 5]) receives where the line begins, its first character that is not white
    space, its end, the begin of the next line, and its length in code points.
    """
    count = 0
    while count < _WINDOW and classes[position] != _END:
        content = _after_space(classes, position)
        stop = content
        continuations = 0
        last = position
        while classes[stop] < _BREAK:
            continuations += classes[stop] == _CONTINUATION
            if classes[stop] != _SPACE:
                last = stop + 1
            stop += 1
        lines[count, 0] = position
        lines[count, 1] = content
        lines[count, 2] = stop
        position = _after_break(text, classes, stop)
        lines[count, 3] = position
        lines[count, 4] = last - lines[count, 0] - continuations
        count += 1
    return count


@kernel
def _run(text, classes, position):
    """Return how often the byte at `position` comes in a row, and whether it fills the line."""
    byte = text[position]
    stop = position
    while classes[stop] != _END and text[stop] == byte:
        stop += 1
    return stop - position, classes[_after_space(classes, stop)] >= _BREAK


@kernel
def _list_marker(text, classes, position):
    """Return whether a letter or number at `position` marks a list item.

    "1. ", "12) ", "1.) ", "a) ", "iv) ", "(1) ", "(a) "; a letter with a stop may be an initial.
    """
    first = position
    if text[first] == 40:
        first += 1
    stop = first
    digits = 0
    roman = 0
    while stop - first < 4:
        kind = classes[stop]
        if kind == _DIGIT:
            digits += 1
        elif kind != _LOWER and kind != _UPPER:
            break
        else:
            byte = text[stop] | 32
            roman += byte == 105 or byte == 118 or byte == 120
        stop += 1
    size = stop - first
    if size == 0 or digits > 3 or (digits != size and (digits > 0 or (size > 1 and roman < size))):
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
    if kind == _LOWER or kind == _UPPER or kind == _DIGIT or byte == 40:
        if byte == 111 and classes[position + 1] == _SPACE and classes[position + 2] == _SPACE:
            return LIST_ITEM  # the "o  " of RFCs
        return _NUMBERED if _list_marker(text, classes, position) else PROSE
    if kind == _BULLET:
        return LIST_ITEM
    if kind == _CONTINUATION or byte >= 0x80:
        return PROSE
    if byte == 124:
        return TABLE
    if byte == 62:
        return _QUOTE
    count, fills = _run(text, classes, position)
    after = classes[position + count]
    if byte == 35 and count <= 6 and after == _SPACE:
        return HEADING
    if fills and count >= 3 and byte != 96 and byte != 126:
        return _RULE
    if (byte == 96 or byte == 126) and count >= 3:
        stop = position + count
        while byte == 96 and classes[stop] < _BREAK:
            if text[stop] == 96:
                return PROSE
            stop += 1
        return FENCE
    if byte == 43 and count == 1 and (text[position + 1 - (after == _END)] == 45 or after == _STOP):
        return TABLE
    if (byte == 45 or byte == 42 or byte == 43) and count == 1 and after == _SPACE:
        stop = position
        marks = 0
        while classes[stop] == _SPACE or (classes[stop] != _END and text[stop] == byte):
            marks += text[stop] == byte
            stop += 1
        return _RULE if marks >= 3 and classes[stop] >= _BREAK else LIST_ITEM
    return PROSE


@kernel
def _after_fence(text, classes, position, stop):
    """Return the offset after the line that closes the fence at `position`, or the end (CommonMark).

    `stop` is the end of the opening line.
    """
    mark = text[position]
    size, _ = _run(text, classes, position)
    position = _after_break(text, classes, stop)
    while classes[position] != _END:
        content = _after_space(classes, position)
        stop = _line_end(classes, content)
        position = _after_break(text, classes, stop)
        if content < stop and text[content] == mark:
            count, fills = _run(text, classes, content)
            if fills and count >= size:
                break
    return position


@kernel
def _after_table(text, classes, position, piped):
    """Return the offset after the table whose second line begins at `position`.

    A row begins with "|" or, in a drawn box, with "+-"; with `piped` false it need only hold a "|".
    """
    while classes[position] != _END:
        content = _after_space(classes, position)
        stop = _line_end(classes, content)
        if content == stop:
            break
        row = text[content] == 124 or (
            text[content] == 43 and content + 1 < stop and text[content + 1] == 45
        )
        for i in range(content, stop):
            if piped or row:
                break
            row = text[i] == 124
        if not row:
            break
        position = _after_break(text, classes, stop)
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
def _is_plain_heading(text, classes, content, stop):
    """Return whether a line between blank lines is "3.2. Title", "3.  Title" or "TITLE"."""
    while classes[stop - 1] == _SPACE:
        stop -= 1
    last = classes[stop - 1]
    if stop - content > 72 or last == _COMMA or (_COLON <= last and last != _PARENTHESIS):
        return False
    upper = 0
    lower = 0
    levels = 0
    numbered = 0
    stops = 0
    for i in range(content, stop):
        kind = classes[i]
        if kind == _UPPER:
            upper += 1
        elif kind == _LOWER or kind == _LETTER:
            lower += 1
        elif kind == _STOP and upper + lower == 0:
            levels += 1
        elif kind == _STOP and classes[i - 1] == _STOP:
            stops += 1
        elif kind == _SPACE and upper + lower == 0 and classes[i + 1] != _UPPER:
            levels += 1  # two spaces
        elif kind == _DIGIT and upper + lower == 0:
            numbered += 1
        if i == content + numbered + levels and kind == _LOWER:
            return False
    if stops > 0:
        return False  # a line of a table of contents
    if classes[content] == _DIGIT and levels > 1 and upper > 0:
        return True
    return lower == 0 and upper >= 4 and 2 * upper > stop - content


@kernel
def _first_word(classes, position):
    """Return the columns of the word at `position`, 24 at most; 2 in a script without spaces."""
    columns = 0
    letters = 0
    while classes[position] != _SPACE and classes[position] < _BREAK and columns < 24:
        columns += classes[position] != _CONTINUATION
        letters += classes[position] == _CONTINUATION
        position += 1
    return 2 if letters > columns else columns


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
    width = 0
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
            continuing += kind == _LOWER or kind == _LETTER
            digits += kind == _DIGIT
        width = max(width, np.intp(lines[last, 4]))
        last += 1
        if width > _WIDEST:
            return 2, width, last
    breaks = last - line - 1
    if width < _NARROWEST or (breaks >= 3 and (5 * continuing < breaks or 2 * digits > breaks)):
        return 2, width, last
    fits = 0
    for i in range(line, last - 1):
        fits += np.intp(lines[i, 4]) + 1 + _first_word(classes, np.intp(lines[i + 1, 1])) <= width
    if breaks > 1 and 10 * fits >= 6 * breaks:
        return 2, width, last
    return np.intp(4 * fits >= breaks), width, last


@kernel
def _word_flags(text, start, stop, word_hashes, word_flags):
    """Return the flags of the word text[start:stop], ASCII case ignored; 0 if it is unknown."""
    key = np.intp(0)
    for i in range(start, stop):
        byte = np.intp(text[i])
        if 65 <= byte and byte <= 90:
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
        if kind == _SPACE or (kind >= _COMMA and kind != _CONTINUATION and kind != _EXTEND):
            if kind != _MARK or text[stop] != 39:
                break
        stop += 1
    return stop


@kernel
def _is_starter(text, classes, position, word_hashes, word_flags):
    """Return whether the word at `position` is a sentence starter."""
    stop = _word_end(text, classes, position)
    if classes[stop] == _STOP or (classes[stop] == _COMMA and text[stop] == 45):
        return False
    return _word_flags(text, position, stop, word_hashes, word_flags) & _STARTER != 0


@kernel
def _after_tag(text, classes, position):
    """Return the offset after the HTML tag at `position`, or `position`."""
    stop = position + 1
    while stop - position < _LONGEST_TAG and classes[stop] < _BREAK:
        if text[stop] == 62:
            return stop + 1
        stop += 1
    return position


@kernel
def _after_closers(text, classes, position):
    """Return the offset after the terminator at `position` and what belongs to it, and what was seen.

    Bits: 1 a bracket or quote, 2 two stops or more, 4 a mark as "!", 8 two of them or more.
    """
    seen = 0
    begin = position
    while True:
        kind = classes[position]
        byte = text[min(position, text.size - 1)]
        following = _after_character(classes, position) if kind != _END else position
        if kind == _STOP:
            seen |= 2 if position > begin else 0
        elif kind == _TERMINATOR:
            seen |= 4 if seen & 4 == 0 else 8
        elif kind == _CLOSE or kind == _MARK or kind == _PARENTHESIS:
            seen |= 1
        elif kind == _OPEN and byte == 91:  # "[12]"
            while classes[following] == _DIGIT or classes[following] == _COMMA:
                following = _after_character(classes, following)
            if following == position + 1 or classes[following] != _CLOSE:
                break
            following += 1
        elif kind == _OTHER and byte == 60:  # "</em>"
            if classes[following] == _END or text[following] != 47:
                break
            following = _after_tag(text, classes, position)
            if following == position:
                break
        elif kind == _END or (
            kind != _FULL and kind != _EXTEND and byte != 42 and byte != 95 and position > begin
        ):
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
        if byte == 60:
            following = _after_tag(text, classes, position)
            if following == position:
                break
            position = following
        elif kind == _COMMA and (byte == 45 or byte == 0xE2):
            position = _after_space(classes, _after_character(classes, position))
        elif byte != 96 and (
            (_OPEN <= kind and kind <= _CLOSE) or byte == 42 or byte == 95 or byte == 41
        ):
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
        bullet = kind == _BULLET or byte == 62
        if not bullet and classes[position + 1] == _SPACE:
            bullet = byte == 45 or byte == 42 or byte == 43
        if not bullet:
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

    A letter of any script counts; all that are not ASCII count as vowels.
    """
    begin = position
    letters = 0
    digits = 0
    stops = 0
    vowels = 0
    while begin > start and position - begin < _LONGEST_WORD:
        kind = classes[begin - 1]
        if kind == _DIGIT:
            digits += 1
        elif kind == _STOP:
            stops += 1
        elif kind == _LOWER or kind == _UPPER or kind == _LETTER:
            letters += 1
            byte = text[begin - 1] | 32
            if (
                byte == 97
                or byte == 101
                or byte == 105
                or byte == 111
                or byte == 117
                or byte == 121
            ):
                vowels += 1
            elif byte >= 0x80:
                vowels += 1
        elif kind == _CONTINUATION:
            lead = begin - 1
            while lead > start and classes[lead] == _CONTINUATION:
                lead -= 1
            kind = classes[lead]
            if kind != _DIGIT and kind != _EXTEND and (kind < _LOWER or kind > _LETTER):
                break
            begin = lead + 1
            continue
        elif kind != _EXTEND:
            break
        begin -= 1
    return begin, letters, digits, stops, vowels


@kernel
def _short_lead(classes, start, begin):
    """Return whether fewer than four words lie between `start` and `begin`."""
    if begin - start > 24:
        return False
    spaces = 0
    for i in range(start, begin):
        spaces += classes[i] == _SPACE
    return spaces < 4


@kernel
def _stop_ends(
    text, classes, start, position, opener, following, bracketed, word_hashes, word_flags
):
    """Return whether one full stop at `position`, white space after it, ends a sentence.

    `start` is where its unit begins, `opener` where text goes on, `following` the first telling character from
    there on, `bracketed` whether a bracket or quote closes after the stop.
    """
    after = classes[following]
    begin, letters, digits, stops, vowels = _word_before(text, classes, position, start)
    if letters == 0 and digits == 0:
        # "N°. 5"; a bracket or quote before the stop ends what it closes.
        symbol = position > start and classes[position - 1] < _SPACE
        return after != _LOWER and not (symbol and after == _DIGIT)
    at_start = begin == _opening(text, classes, start)
    if letters == 0:
        if after == _LOWER or (at_start and stops == 0):
            return False  # "1. First"
        if digits < 3 and stops == 0 and after == _UPPER:
            stop = _word_end(text, classes, following)
            return _word_flags(text, following, stop, word_hashes, word_flags) & 15 != _MONTH
        return True
    flags = _word_flags(text, begin, position, word_hashes, word_flags) & 15
    if flags == 0 and stops > 0 and (digits > 0 or letters != stops + 1):
        last = position
        while last > begin and classes[last - 1] != _STOP:
            last -= 1
        flags = _word_flags(text, last, position, word_hashes, word_flags) & 15
        stops = 0
        if position - last == 1:
            return after != _LOWER
    if bracketed and after != _LOWER and letters > 1 and stops == 0:
        return flags == 0 or flags >= _GENERAL
    starter = after != _LOWER and _is_starter(text, classes, following, word_hashes, word_flags)
    if letters == 1 and digits == 0:
        return starter and not at_start  # an initial
    if flags == 0:
        if stops > 0:
            return starter  # "U.S.", "J.R.R."
        if after == _LOWER:
            return (
                letters > 2 and opener == following and _begins_in_lower_case(text, classes, start)
            )
        if vowels == 0 and digits == 0 and letters < 6 and classes[position - 1] == _LOWER:
            return starter  # "Blvd.", "Pvt."
        return True
    if after == _LOWER or flags == _INNER or flags == _NAMING:
        return False
    if after == _DIGIT:
        return flags == _FINAL or flags == _MEASURE
    if flags == _FINAL or flags == _MEASURE:
        return True
    # "At 5 a.m. Mr. Smith went": so short a sentence has no room for a verb.
    return starter or (flags == _TIME and not _short_lead(classes, start, begin))


@kernel
def _mark_ends(text, classes, start, opener, following, seen):
    """Return whether "!", "?" or an ellipsis, white space after it, ends a sentence."""
    if classes[following] != _LOWER:
        return True
    if seen & 5 != 4 or opener != following:
        return False
    return seen & 8 != 0 or _begins_in_lower_case(text, classes, start)


@kernel
def _glued(text, classes, start, position, following, word_hashes, word_flags):
    """Return whether a sentence ends at `position` without white space: "world.Today is", "1,000.That is"."""
    if classes[following] != _UPPER or position == start:
        return False
    if classes[position - 1] != _LOWER and classes[position - 1] != _DIGIT:
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
    return flags & _STARTER != 0 and (
        classes[stop] == _SPACE or text[min(stop, text.size - 1)] == 44
    )


@kernel
def _footnote(text, classes, start, position, following):
    """Return where the sentence after a glued footnote number begins, or -1: "slow thinking.10 This"."""
    stop = following
    while classes[stop] == _DIGIT and stop - following < 3:
        stop += 1
    if classes[stop] != _SPACE or classes[stop + 1] != _UPPER or stop == following:
        return -1
    if classes[position - 1] != _PARENTHESIS:
        begin, letters, digits, _, _ = _word_before(text, classes, position, start)
        if digits > 0 or letters < 4 or classes[begin] != _LOWER:
            return -1
    return stop + 1


@kernel
def _full_ends(text, classes, position, following, bracketed):
    """Return whether a terminator that needs no white space ends a sentence before `following`."""
    kind = classes[following]
    if kind == _COMMA or kind == _COLON:
        return False
    if text[following - 1] == 0x8D and text[following - 2] == 0x80:
        return False  # a zero-width joiner may tie an emoji to the terminator
    # A quotation that hiragana follows goes on: 「何だ！」と言った。
    hiragana = text[following] == 0xE3 and text[following + 1] < 0x83
    return not (bracketed and hiragana and kind == _LETTER and text[following + 1] >= 0x81)


@kernel
def _next_text(text, classes, position, quoted):
    """Return the next character that is not white space, and how the way there breaks.

    Breaks: 0 none, 1 one line break, 2 more or the end. In a block quote the ">" of the next line is passed.
    """
    position = _after_space(classes, position)
    if classes[position] == _END:
        return position, 2
    if classes[position] != _BREAK:
        return position, 0
    position = _after_space(classes, _after_break(text, classes, position))
    while quoted and classes[position] != _END and text[position] == 62:
        position = _after_space(classes, position + 1)
    return position, 2 if classes[position] >= _BREAK else 1


@kernel
def _after_spaced_stops(text, classes, position):
    """Return the offset after the last stop of ". . ." at `position`."""
    while classes[position + 1] == _SPACE and classes[position + 2] == _STOP:
        position += 2
    return position + 1


@kernel
def _sentence_end(text, classes, start, position, quoted, titled, word_hashes, word_flags):
    """Judge the terminator at `position`: return (where to go on, boundary or -1, how the line ends or 0).

    The boundary is where the next unit begins when it begins in the same line.
    """
    first = classes[position]
    attached = position > start and classes[position - 1] != _SPACE
    if first == _STOP and classes[position + 1] == _SPACE and classes[position + 2] == _STOP:
        stop = _after_spaced_stops(text, classes, position)
        following, breaks = _next_text(text, classes, stop, quoted)
        four = stop - position == 7
        if breaks > 0 or following == stop or not four or classes[following] == _LOWER:
            return stop, -1, 0 if breaks == 0 else _SENTENCE_END
        if attached:
            following = position + 2
        return following, following, 0
    stop, seen = _after_closers(text, classes, position)
    following, breaks = _next_text(text, classes, stop, quoted)
    if breaks == 2:
        return stop, -1, _SENTENCE_END
    if following == stop:
        ends = False
        if first == _FULL:
            ends = not titled and _full_ends(text, classes, position, following, seen & 1 != 0)
        elif first == _STOP and text[position] != 46:
            ends = classes[following] == _LETTER
        else:
            ends = _glued(text, classes, start, position, following, word_hashes, word_flags)
            if attached and seen == 0 and classes[following] == _DIGIT:
                note = _footnote(text, classes, start, position, following)
                if note >= 0:
                    return note, note, 0
        return (following, following, 0) if ends else (stop, -1, 0)
    opener = following
    following = _after_openers(text, classes, opener)
    after = classes[following]
    if after == _EXTEND or classes[opener] == _EXTEND:
        ends = False
    elif first == _FULL:
        ends = not titled
    elif after == _COMMA or (_COLON <= after and after <= _PARENTHESIS):
        ends = False
    elif text[opener] == 40 and _list_marker(text, classes, opener):
        ends = True
    elif attached and classes[position - 1] == _OPEN:
        ends = False  # "[...]"
    elif first == _STOP and seen & 6 == 0:
        ends = _stop_ends(
            text, classes, start, position, opener, following, seen != 0, word_hashes, word_flags
        )
    else:
        ends = _mark_ends(text, classes, start, opener, following, seen)
    if breaks == 1:
        return stop, -1, _SENTENCE_END if ends else _DOUBTFUL_END
    return (opener, opener, 0) if ends else (stop, -1, 0)


@kernel
def _colon_ends(text, classes, position):
    """Return whether ":" is an Armenian full stop or ";" a Greek question mark."""
    if position < 2 or text[position - 1] < 0x80 or classes[position + 1] < _SPACE:
        return False
    lead = text[position - 2]
    if text[position] == 58:
        return lead == 0xD5 or lead == 0xD6
    return lead == 0xCE or lead == 0xCF


@kernel
def _number_at(text, classes, position):
    """Return (value, delimiter) of the list number or letter at `position`; delimiter 0 if there is none."""
    value = np.intp(0)
    stop = position
    while classes[stop] == _DIGIT and stop - position < 3:
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
    begin = position
    while begin > start and (classes[begin - 1] == _DIGIT or classes[begin - 1] == _LOWER):
        begin -= 1
        if position - begin > 3:
            return -1
    if begin == position or begin <= start or classes[begin - 1] != _SPACE:
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
    state = _OPEN_END
    while True:
        while classes[position] < _COLON:
            position += 1
        kind = classes[position]
        if kind >= _BREAK:
            return position, state
        if kind == _STOP or kind == _PARENTHESIS:
            item = _inline_item(text, classes, start, position)
            if item >= 0:
                return item, 0
        elif kind == _BULLET and position > start:
            first = _after_space(classes, start)
            if first < position and classes[first] == _BULLET:
                last = _after_character(classes, first) - 1
                if text[last] == text[_after_character(classes, position) - 1]:
                    return position, 0
        elif kind == _TITLE:
            title = position if text[position + 2] == 0x8A else -1
        ends = _STOP <= kind
        if kind == _COLON and position > start:
            ends = _colon_ends(text, classes, position)
        if not ends:
            position = _after_character(classes, position)
            continue
        titled = title >= 0 and position - title < 96
        position, boundary, ending = _sentence_end(
            text, classes, start, position, quoted, titled, word_hashes, word_flags
        )
        if boundary >= 0:
            return boundary, 0
        if ending > 0:
            state = ending
            position = _line_end(classes, position)


@kernel
def _add(units, gaps, kinds, count, position, gap, kind):
    """Write a unit, if there is room, and return the new count."""
    if count < gaps.size:
        units[count] = position
        gaps[count] = gap
        kinds[count] = kind
    return count + 1


@kernel
def _document(text, classes, base, word_hashes, word_flags, lines, units, gaps, kinds, first):
    """Cut a document that begins at offset `base` of the buffer; return the number of units, `first` included."""
    count = first
    start = 0  # of the unit
    kind = np.intp(PROSE)  # of the block
    gap = np.intp(BLANK)  # what a fresh paragraph begins with
    fresh = True  # a paragraph begins here
    headed = False  # the unit before is a heading
    ending = _SENTENCE_END  # of the line before
    title = -1  # the unit that is the only line so far of its paragraph
    columns = 0  # of the line before
    verdict, width, judged = 2, 0, 0
    resume = 0
    row = 0
    rows = 0
    commented = False
    while count <= gaps.size:
        if row == rows or (fresh and row > _WINDOW // 2):
            position = resume if row == rows else np.intp(lines[row, 0])
            rows = _read_lines(text, classes, max(resume, position), lines)
            row = 0
            judged = 0
            if rows == 0:
                break
        position = np.intp(lines[row, 0])
        content = np.intp(lines[row, 1])
        stop = np.intp(lines[row, 2])
        following = np.intp(lines[row, 3])
        this = row
        row += 1
        if position < resume:
            continue
        resume = following
        if content == stop:
            if classes[stop] == _BREAK:
                fresh, gap, title, commented = True, np.intp(BLANK), -1, False
            continue
        line = np.intp(_block(text, classes, content))
        byte = text[content]
        if line == HEADING:
            size, _ = _run(text, classes, content)
            same = False
            if classes[following] != _END and text[following] == 35:
                below, _ = _run(text, classes, following)
                same = below == size
            if same or commented:
                line = np.intp(PROSE)  # lines of comments
            commented = same
        else:
            commented = False
        if title >= 0 and (line == _RULE or byte == 126 or byte == 45 or byte == 58):
            size, fills = _run(text, classes, content)
            if fills and size >= 3 and (byte == 61 or byte == 45 or abs(size - columns) <= 2):
                line = np.intp(HEADING)
            elif _is_delimiter_row(text, content, stop):
                line = np.intp(TABLE)
                resume = _after_table(text, classes, following, False)
            if line == HEADING or line == TABLE:
                # The line before was no sentence: take back the units in it.
                count = title + 1
                headed = line == HEADING
                if title < gaps.size:
                    kinds[title] = line
                    if headed and gaps[title] < SECTION:
                        gaps[title] = SECTION
                fresh, gap, title = True, np.intp(LINE), -1
                continue
        if fresh and (line == PROSE or line == _NUMBERED) and classes[following] != _END:
            if classes[_after_space(classes, following)] == _BREAK:
                if _is_plain_heading(text, classes, content, stop):
                    line = np.intp(HEADING)
        quoted = line == _QUOTE
        alone = line == HEADING or line == FENCE or line == TABLE or line == _RULE
        if line == _NUMBERED:
            last = stop
            if not fresh:
                last = position - 1
                while last > 0 and classes[last] >= _BREAK:
                    last -= 1
            after = classes[last]
            clear = fresh or ending == _SENTENCE_END or verdict == 2 or kind == LIST_ITEM
            line = np.intp(LIST_ITEM if clear or after == _COMMA or after == _COLON else PROSE)
        changed = alone or line == LIST_ITEM or quoted != (kind == _QUOTE)
        if not alone:
            if quoted:
                verdict, width, judged = 1, max(columns, 60), this
            elif fresh or changed or this >= judged:
                verdict, width, judged = _judge(text, classes, lines, this, rows)
        limit = fresh or changed
        if not fresh:
            gap = np.intp(LINE)
        if not limit:
            short = verdict == 2 or columns + 1 + _first_word(classes, content) <= width
            if ending == _SENTENCE_END:
                limit = True
                if not short:
                    gap = np.intp(SENTENCE)
            elif short:
                after = classes[_after_openers(text, classes, content)]
                if verdict == 0:
                    limit = after == _UPPER and 5 * (columns + 1) <= 3 * width
                else:
                    limit = after != _LOWER or width > _WIDEST
                    limit = limit or _begins_in_lower_case(text, classes, start)
        if limit:
            if fresh or changed:
                kind = np.intp(PROSE if line == _RULE else line)
            shown = np.intp(PROSE if kind == _QUOTE else kind)
            if headed:
                gap = np.intp(AFTER_HEADING)
            elif shown == HEADING:
                gap = np.intp(SECTION)
            if count == first:
                gap = np.intp(DOCUMENT)
                position = 0
            start = position
            title = count if fresh and line == PROSE else -1
            count = _add(units, gaps, kinds, count, base + start, gap, shown)
        else:
            title = -1
        headed = line == HEADING
        columns = np.intp(lines[this, 4])
        if alone:
            if line == FENCE:
                resume = _after_fence(text, classes, content, stop)
            elif line == TABLE:
                resume = _after_table(text, classes, following, True)
            kind, fresh, gap, title = np.intp(PROSE), True, np.intp(LINE), -1
            continue
        fresh = False
        point = content
        while quoted and classes[point] != _END and text[point] == 62:
            point = _after_space(classes, point + 1)
        while True:
            point, ending = _scan(text, classes, start, point, quoted, word_hashes, word_flags)
            if ending != 0:
                break
            start = point
            shown = np.intp(PROSE if kind == _QUOTE else kind)
            count = _add(units, gaps, kinds, count, base + start, np.intp(SENTENCE), shown)
    if count == first and text.size > 0:
        count = _add(units, gaps, kinds, count, base, np.intp(DOCUMENT), np.intp(PROSE))
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
    longest = 0
    for document in range(documents.size - 1):
        longest = max(longest, np.intp(documents[document + 1]) - np.intp(documents[document]))
    # Three more, so that a look at the next character never leaves the array.
    classes = np.full(longest + 4, _END, np.uint8)
    lines = np.empty((_WINDOW, 5), np.int32)
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
