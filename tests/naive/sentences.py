"""Units by regular expressions over characters and over a string of their classes.

`chars` is the text, `kinds` has one letter per character for its sentence class:
o other, U upper, l lower, a letter, d digit, s space, e extend, c comma, ( open, " quote, ) close, p ")",
: colon, t title bracket, b bullet, . stop, ! mark, f full terminator, n line break. Lengths that the definition
gives in bytes are measured with `offsets`.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import scission

SENTENCE, LINE, BLANK, SECTION, AFTER_HEADING, DOCUMENT = range(6)
PROSE, HEADING, LIST_ITEM, FENCE, TABLE = range(5)
RULE, QUOTE, NUMBERED = "rule", "quote", "numbered"

_LETTERS = 'oUlads#ec(")p:tb.!fn'
_BREAK = re.compile("\r\r\n|\r\n|[\n\v\f\r\x85\u2028\u2029]")
_MARKER = re.compile(
    r"(?:[0-9]{1,3}(?:\.\)?|\))|\((?:[0-9]{1,3}|[A-Za-z]|[ivxIVX]{2,4})\)|(?:[A-Za-z]|[ivxIVX]{2,4})\))"
)
_SECTIONS = [
    "NAMING",
    "REFERENCE",
    "GENERAL",
    "FINAL",
    "INNER",
    "MONTH",
    "TIME",
    "MEASURE",
    "LABEL",
    "PLACE",
]


def _lower(word):
    return "".join(c.lower() if c.isascii() else c for c in word)


@cache
def words():
    """Return {spelling: {section, ...}} of abbreviations.txt."""
    table = {}
    path = Path(scission.__file__).parent / "data" / "abbreviations.txt"
    section = ""
    for line in path.read_text("utf-8").splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("["):
            section = text[1:-1]
            continue
        for word in text.split():
            for spelling in (word, word.lower(), word.upper(), word[:1].upper() + word[1:]):
                table.setdefault(_lower(spelling), set()).add(section)
    return table


def _section(word):
    """The section of an abbreviation, or "" for another word."""
    return next((s for s in _SECTIONS if s in words().get(_lower(word), ())), "")


class Line(NamedTuple):
    begin: int
    content: int  # the first character that is not white space
    stop: int
    following: int  # where the next line begins
    columns: int
    word: int  # columns of the first word


class Document:
    def __init__(self, text, blocks, records):
        self.chars = text
        self.kinds = "".join(
            _LETTERS[records[blocks[ord(c) >> 6] + (ord(c) & 63)] >> 5] for c in text
        )
        self.offsets = [0]
        for c in text:
            self.offsets.append(self.offsets[-1] + len(c.encode("utf-8", "surrogatepass")))
        self.size = len(text)
        self.lines = []
        begin = 0
        while begin < self.size:
            found = _BREAK.search(text, begin)
            stop, following = found.span() if found else (self.size, self.size)
            self.lines.append(self.line(begin, stop, following))
            begin = following

    def line(self, begin, stop, following):
        content = self.skip(begin)
        trimmed = stop
        while trimmed > content and self.kinds[trimmed - 1] == "s":
            trimmed -= 1
        wide = [c >= "\u3000" for c in self.chars[begin:trimmed]]
        columns = trimmed - begin + sum(wide) if trimmed > content else 0
        if all(c < "\x80" for c in self.chars[begin:stop]):
            columns = trimmed - begin
        word = re.match("[^s]{0,24}", self.kinds[content:trimmed])[0]
        first = self.chars[content : content + len(word)]
        return Line(
            begin,
            content,
            stop,
            following,
            columns,
            2 if any(c >= "\u3000" for c in first) else len(word),
        )

    def kind(self, i):
        """The class of character i; "$" beyond the end."""
        return self.kinds[i] if 0 <= i < self.size else "$"

    def char(self, i):
        return self.chars[i] if 0 <= i < self.size else ""

    def skip(self, i):
        while self.kind(i) == "s":
            i += 1
        return i

    def ends_line(self, i):
        return self.kind(i) in "n$"

    def after_break(self, i):
        found = _BREAK.match(self.chars, i)
        return found.end() if found else i

    def run(self, i):
        """Where the run of the character at i ends, and whether only white space follows in the line."""
        stop = i
        while self.char(stop) == self.chars[i]:
            stop += 1
        return stop, self.ends_line(self.skip(stop))

    def is_marker(self, i):
        found = _MARKER.match(self.chars, i)
        return bool(found) and self.kind(found.end()) == "s"

    def block(self, line):
        i, char, kind = line.content, self.chars[line.content], self.kinds[line.content]
        rest = self.chars[i : line.stop]
        if kind in "Ulad" or char == "(":
            if char == "o" and self.kind(i + 1) == "s" and self.kind(i + 2) == "s":
                return LIST_ITEM
            return NUMBERED if self.is_marker(i) else PROSE
        if kind == "b":
            return LIST_ITEM
        if char >= "\x80":
            return PROSE
        if char == "|":
            return TABLE
        if char == ">":
            return QUOTE
        stop, fills = self.run(i)
        if char == "#" and stop - i <= 6 and self.kind(stop) == "s":
            return HEADING
        if char in "`~" and stop - i >= 3:
            return PROSE if "`" in self.chars[stop : line.stop] and char == "`" else FENCE
        if fills and stop - i >= 3:
            return RULE
        if rest.startswith("+-"):
            return TABLE
        if char in "-*+" and stop - i == 1 and self.kind(stop) == "s":
            marks = [c for c, k in zip(rest, self.kinds[i : line.stop], strict=True) if k != "s"]
            return RULE if set(marks) == {char} and len(marks) > 2 else LIST_ITEM
        return PROSE

    def after_fence(self, line, rest):
        size = self.run(line.content)[0] - line.content
        for other in rest:
            if self.char(other.content) == self.chars[line.content] and other.content < other.stop:
                stop, fills = self.run(other.content)
                if fills and stop - other.content >= size:
                    return other.following
        return self.size

    def after_table(self, rest, head):
        end = None
        for other in rest:
            row = self.chars[other.content : other.stop]
            if not (row.startswith(("|", "+-")) or (head != TABLE and "|" in row)):
                break
            end = other.following
        return end

    def is_delimiter_row(self, line):
        row = self.chars[line.content : line.stop]
        return bool(re.fullmatch(r"[-|: \t]+", row)) and "|" in row and row.count("-") > 1

    def is_plain_heading(self, line):
        kinds = self.kinds[line.content : line.stop]
        if self.offsets[line.stop] - self.offsets[line.content] > 72:
            return False
        upper = kinds.count("U")
        before = re.match("[^U]*", kinds)[0]
        if ".." in kinds or "l" in before or "a" in before or kinds.rstrip("s")[-1] in "c:tb.!f":
            return False
        numbered = re.fullmatch(r"d[d.s]*", before)
        if numbered and upper and (".d" in before or "ss" in before):
            return True
        length = self.offsets[line.stop] - self.offsets[line.content]
        return "l" not in kinds and "a" not in kinds and upper >= 4 and 2 * upper > length

    def judge(self, lines):
        """Return (verdict, width, number of lines) of the paragraph that begins with lines[0]."""
        taken = []
        for line in lines:
            first = self.kind(line.content)
            if first in "n$":
                break
            if taken:
                char = self.chars[line.content]
                if (
                    first == "b"
                    or char in "#>|"
                    or (char in "*+-" and self.kind(line.content + 1) == "s")
                ):
                    break
            taken.append(line)
            if line.columns > 160:
                return 2, line.columns, len(taken)
        width = max((line.columns for line in taken), default=0)
        firsts = [self.kinds[line.content] for line in taken[1:]]
        breaks = len(firsts)
        fits = sum(a.columns + 1 + b.word <= width for a, b in zip(taken, taken[1:], strict=False))
        if width < 40:
            return 2, width, len(taken)
        if breaks >= 3 and (
            5 * sum(f in "la" for f in firsts) < breaks or 2 * firsts.count("d") > breaks
        ):
            return 2, width, len(taken)
        if breaks > 1 and fits >= 0.6 * breaks:
            return 2, width, len(taken)
        return int(4 * fits >= breaks), width, len(taken)

    # --- terminators ---------------------------------------------------------------------------------------

    def word_end(self, i):
        stop = i
        while self.offsets[min(stop, self.size)] - self.offsets[i] < 32:
            if not (self.kind(stop) in "oUlade" or self.char(stop) == "'"):
                break
            stop += 1
        return stop

    def after_closers(self, i):
        """Return (end, kinds of what was passed)."""
        begin, passed = i, ""
        while i < self.size:
            kind, char = self.kinds[i], self.chars[i]
            footnote = re.compile(r"\(d[dc]*\)").match(self.kinds, i) if char == "[" else None
            if footnote:
                passed += "f"
                i = footnote.end()
                continue
            if kind == "(":
                if char < "\x80" or self.kind(i + 1) not in "sn$":
                    break
                passed += '"'
            elif kind in '.!")p':
                passed += kind
            elif not (i == begin or kind in "fe" or char in "*_"):
                break
            i += 1
        return i, passed

    def after_openers(self, i):
        for _ in range(4):
            kind, char = self.kind(i), self.char(i)
            if kind == "c" and (char == "-" or "\u2000" <= char < "\u3000"):
                i = self.skip(i + 1)
            elif (kind in '(")p' and char != "`") or (char and char in "*_"):
                i += 1
            else:
                break
        return i

    def opening(self, start):
        i = self.skip(start)
        for _ in range(4):
            bullet = self.kind(i) == "b" or self.char(i) == ">"
            if not bullet and not (
                self.char(i) and self.char(i) in "-*+" and self.kind(i + 1) == "s"
            ):
                break
            i = self.skip(i + 1)
        return i

    def begins_in_lower_case(self, start):
        return self.kind(self.after_openers(self.opening(start))) == "l"

    def word_before(self, i, start):
        begin = i
        while begin > start and self.offsets[i] - self.offsets[begin] < 32:
            if self.kinds[begin - 1] not in "Ulade.":
                break
            begin -= 1
        return begin

    def is_starter(self, i):
        stop = self.word_end(i)
        if self.kind(stop) == "." or self.char(stop) == "-":
            return False
        return "STARTER" in words().get(_lower(self.chars[i:stop]), ())

    def stop_ends(self, start, i, opener, following, passed):
        after = self.kind(following)
        lower = after == "l"
        begin = self.word_before(i, start)
        word, kinds = self.chars[begin:i], self.kinds[begin:i]
        letters = sum(kinds.count(k) for k in "Ula")
        digits, stops = kinds.count("d"), kinds.count(".")
        closed = any(k in '")p' for k in passed)
        if not letters and not digits:
            symbol = i > start and self.kinds[i - 1] in "oUlad"
            return not lower and not (symbol and after == "d")
        if not letters:
            if lower or (not stops and begin == self.opening(start)):
                return False
            if digits < 3 and not stops and after == "U":
                return _section(self.chars[following : self.word_end(following)]) != "MONTH"
            return True
        section = _section(word)
        if not section and stops and (digits or letters != stops + 1):
            last = word.rpartition(".")[2]
            if len(last.encode("utf-8", "surrogatepass")) < 2:
                return not lower
            section = _section(last)
            stops = 0
        capital = kinds[0] == "U"
        if section in ("MONTH", "PLACE") and not capital:
            section = ""
        if section == "INNER":
            return False
        if section == "LABEL" and (lower or after == "d"):
            return False
        if section in ("", "LABEL"):
            if letters > 1 or digits:
                if lower:
                    return (
                        letters > 2
                        and not stops
                        and opener == following
                        and self.begins_in_lower_case(start)
                    )
                ascii_vowel = re.search(
                    "[aeiouy]|[^\x00-\x7f]",
                    "".join(c for c, k in zip(word, kinds, strict=True) if k in "Ula"),
                    re.I | re.A,
                )
                vowelless = (
                    not ascii_vowel and not digits and letters < 6 and self.kinds[i - 1] == "l"
                )
                if section == "LABEL" or not (stops or vowelless) or (closed and not stops):
                    return True
            elif begin > start:
                before = self.kinds[begin - 1]
                if before == "o" or (before == "c" and self.chars[begin - 1] != "-"):
                    return not lower
        elif section in ("FINAL", "MEASURE"):
            return not lower and self.char(opener) != "("
        elif closed and section not in ("NAMING", "REFERENCE"):
            return not lower
        if lower or after == "d" or self.char(opener) == "(":
            return False
        if letters == 1 and begin == self.opening(start):
            return False
        if section == "NAMING" and capital:
            return False
        if section == "TIME" and (
            self.offsets[begin] - self.offsets[start] >= 24
            or self.kinds[start:begin].count("s") > 3
        ):
            return True
        return self.is_starter(following)

    def glued(self, start, i, following):
        if self.kind(following) != "U" or i == start or self.kinds[i - 1] not in "ld":
            return False
        back = i
        while (
            back > start
            and self.offsets[i] - self.offsets[back] < 32
            and self.kinds[back - 1] != "s"
        ):
            back -= 1
            if self.chars[back] in "./:@_(":
                return False
        stop = self.word_end(following)
        if self.kind(stop) == ".":
            return _section(self.chars[following:stop]) == "NAMING"
        return self.kind(stop) in "sc" and "STARTER" in words().get(
            _lower(self.chars[following:stop]), ()
        )

    def footnote(self, start, i, following):
        found = re.compile(r"[0-9]{1,3}").match(self.chars, following)
        if not found or self.kind(found.end()) != "s" or self.kind(self.skip(found.end())) != "U":
            return None
        if self.chars[i - 1] != ")":
            begin = self.word_before(i, start)
            kinds = self.kinds[begin:i]
            if "d" in kinds or sum(kinds.count(k) for k in "Ula") < 4 or kinds[0] != "l":
                return None
        return self.skip(found.end())

    def next_text(self, i, quoted):
        i = self.skip(i)
        if not self.ends_line(i):
            return i, 0
        i = self.skip(self.after_break(i))
        while quoted and self.char(i) == ">":
            i = self.skip(i + 1)
        return i, 2 if self.ends_line(i) else 1

    def sentence_end(self, start, i, quoted, titled):
        """Return (where to go on, boundary or None, "" or how the line ends)."""
        first = self.kinds[i]
        before = self.kinds[i - 1] if i > start else "s"
        spaced = re.compile(r"\.([ \t\x1c-\x1f]\.)+").match(self.chars, i)
        if spaced:
            stop = spaced.end()
            following, breaks = self.next_text(stop, quoted)
            if breaks:
                return stop, None, "sentence"
            four = self.offsets[stop] - self.offsets[i] == 7
            if following == stop or not four or self.kinds[following] in "le":
                return stop, None, ""
            return (i + 2, i + 2, "") if before != "s" else (following, following, "")
        stop, passed = self.after_closers(i)
        closed = any(k in '")p' for k in passed)
        marks, stops = passed.count("!"), passed[1:].count(".")
        following, breaks = self.next_text(stop, quoted)
        if breaks == 2:
            return stop, None, "sentence"
        opener = following
        after = self.kind(following)
        boundary = None
        if opener == stop:
            if first == "f":
                joined = self.chars[stop - 1] in _JOINERS
                hiragana = closed and after == "a" and "\u3040" <= self.chars[stop] < "\u30c0"
                if not (titled or joined or hiragana or after in "c:"):
                    boundary = following
            elif first == "." and self.chars[i] != ".":
                boundary = following if after == "a" else None
            elif before != "s" and not closed and not marks and not stops and after == "d":
                boundary = self.footnote(start, i, stop)
            elif self.glued(start, i, stop):
                boundary = following
            return (stop if boundary is None else boundary), boundary, ""
        following = self.after_openers(opener)
        if following >= self.size:
            following = opener
        after = self.kind(following)
        if after == "e" or self.kinds[opener] == "e":
            ends = False
        elif first == "f":
            ends = not titled
        elif after in "c:p":
            ends = False
        elif self.chars[opener] == "(" and self.is_marker(opener):
            ends = True
        elif before == "(":
            ends = False
        elif first == "." and not stops and not marks:
            ends = self.stop_ends(start, i, opener, following, passed)
        elif after != "l":
            ends = True
        else:
            lone = marks and not closed and opener == following
            ends = bool(lone) and (marks > 1 or self.begins_in_lower_case(start))
        if breaks == 1:
            return stop, None, "sentence" if ends else "doubtful"
        return (opener, opener, "") if ends else (stop, None, "")

    def inline_item(self, start, i):
        head = re.compile(r"([0-9]{1,3}|[a-z])([.)])").match(self.chars, self.skip(start))
        tail = re.compile(r"(?:[0-9]+|[a-z])$").search(self.chars[start:i])
        if not head or not tail or self.char(i) != head[2]:
            return None
        begin = start + tail.start()
        number = self.chars[begin:i]
        after = i + 1 + (self.char(i + 1) == ")")
        if (
            begin <= start
            or len(number) > 3
            or self.kinds[begin - 1] != "s"
            or self.kind(after) != "s"
        ):
            return None
        values = [int(n) if n.isdigit() else ord(n) for n in (head[1], number)]
        return begin if values[1] == values[0] + 1 else None

    def scan(self, start, i, quoted):
        """Return (where a unit begins, "") or (the end of the line, how it ends)."""
        title = None
        state = ""
        while True:
            if self.ends_line(i):
                return i, state or "open"
            kind, char = self.kinds[i], self.chars[i]
            ends = kind in ".!f"
            if kind in ".p":
                item = self.inline_item(start, i)
                if item is not None:
                    return item, ""
            elif kind == "b":
                first = self.skip(start)
                same = ord(self.chars[first]) % 64 == ord(char) % 64
                if first < i and self.kinds[first] == "b" and same and self.kinds[i - 1] == "s":
                    return i, ""
            elif kind == "t":
                title = i if char == "《" else None
            elif kind == ":" and i > start and self.offsets[i] > self.offsets[start] + 1:
                leads = "\u0540", "\u05bf"
                if char == ";":
                    leads = "\u0380", "\u03ff"
                ends = leads[0] <= self.chars[i - 1] <= leads[1] and self.kind(i + 1) not in "oUlad"
            if not ends:
                i += 1
                continue
            titled = title is not None and self.offsets[i] - self.offsets[title] < 96
            i, boundary, state = self.sentence_end(start, i, quoted, titled)
            if boundary is not None:
                return boundary, ""
            while state and not self.ends_line(i):
                i += 1

    # --- lines ----------------------------------------------------------------------------------------------

    def units(self):
        """Return [[begin, gap, kind], ...] in code points."""
        units = []
        kind, gap, fresh, headed, ending = PROSE, BLANK, True, False, "sentence"
        title = None
        columns = position = indent = 0
        verdict, width, judged = 2, 0, 0
        window, limit_of_window = 0, 0
        commented = False
        row = 0
        while True:
            if row == limit_of_window or (fresh and row - window > 16):
                while row < len(self.lines) and self.lines[row].begin < position:
                    row += 1
                window, limit_of_window = row, min(row + 32, len(self.lines))
                judged = row
                if row == limit_of_window:
                    break
            line = self.lines[row]
            row += 1
            if line.begin < position:
                continue
            position = line.following
            if line.content == line.stop:
                if line.stop < self.size:
                    fresh, gap, title, commented = True, BLANK, None, False
                continue
            rest = self.lines[row:]
            block = self.block(line)
            char = self.chars[line.content]
            below = self.kind(self.skip(line.following))
            same = False
            if block == HEADING:
                if below not in "n$" and self.char(line.following) == "#":
                    same = (
                        self.run(line.content)[0] - line.content
                        == self.run(line.following)[0] - line.following
                    )
                if same or commented:
                    block = PROSE
            commented = same
            if title is not None and (block == RULE or char in "~-:"):
                stop, fills = self.run(line.content)
                length = stop - line.content
                underline = fills and length >= 3 and (char in "=-" or abs(length - columns) <= 2)
                if underline or self.is_delimiter_row(line):
                    del units[title + 1 :]
                    headed = underline
                    units[title][2] = HEADING if underline else TABLE
                    if underline:
                        units[title][1] = max(units[title][1], SECTION)
                    else:
                        position = self.after_table(rest, block) or line.following
                    fresh, gap, title = True, LINE, None
                    continue
            if (
                fresh
                and below == "n"
                and block in (PROSE, NUMBERED)
                and self.is_plain_heading(line)
            ):
                block = HEADING
            quoted = block == QUOTE
            alone = block in (HEADING, FENCE, TABLE, RULE)
            if block == NUMBERED:
                block = LIST_ITEM
                if not fresh and ending != "sentence" and verdict < 2 and kind != LIST_ITEM:
                    before = self.kinds[: line.begin].rstrip("ns")[-1]
                    if before not in "c:":
                        block = PROSE
            changed = alone or block == LIST_ITEM or quoted != (kind == QUOTE)
            if quoted:
                verdict, width, judged = 1, max(columns, 60), row
            elif not alone and (fresh or changed or row > judged):
                verdict, width, taken = self.judge(self.lines[row - 1 : limit_of_window])
                judged = row - 1 + taken
            if not fresh:
                gap = LINE
            limit = fresh or changed
            if not limit:
                hanging = kind == LIST_ITEM and self.indent(line) > indent
                limit, gap = self.limits(units, line, columns, verdict, width, ending, gap, hanging)
            title = None
            if limit:
                if fresh or changed:
                    kind, indent = block, self.indent(line)
                gap = AFTER_HEADING if headed else SECTION if kind == HEADING else gap
                if not units:
                    gap = DOCUMENT
                if fresh and block == PROSE:
                    title = len(units)
                units.append([line.begin if units else 0, gap, kind])
            headed = block == HEADING
            columns = line.columns
            if alone:
                if block == FENCE:
                    position = self.after_fence(line, rest)
                elif block == TABLE:
                    position = self.after_table(rest, block) or line.following
                kind, fresh, gap, title = PROSE, True, LINE, None
                continue
            fresh = False
            i, ending = self.scan(units[-1][0], line.content, quoted)
            while not ending:
                units.append([i, SENTENCE, kind])
                i, ending = self.scan(i, i, quoted)
        if not units and self.size:
            units.append([0, DOCUMENT, PROSE])
        return [(b, g, PROSE if k in (RULE, QUOTE) else k) for b, g, k in units]

    def indent(self, line):
        return self.offsets[line.content] - self.offsets[line.begin]

    def limits(self, units, line, columns, verdict, width, ending, gap, hanging):
        """Return (whether a line inside a paragraph begins a unit, the gap)."""
        short = verdict == 2 or columns + 1 + line.word <= width
        if ending == "sentence":
            return True, gap if short else SENTENCE
        if not short or hanging or (ending == "doubtful" and verdict < 2):
            return False, gap
        after = self.kind(self.after_openers(line.content))
        if verdict == 0:
            return after == "U" and columns + 1 <= 0.6 * width, gap
        return after != "l" or width > 160 or self.begins_in_lower_case(units[-1][0]), gap


# Characters whose UTF-8 form ends in the byte 8D: the zero-width joiner, and others that do no harm.
_JOINERS = {
    chr(c) for c in range(0x80, 0x30000) if not 0xD800 <= c < 0xE000 and chr(c).encode()[-1] == 0x8D
}


def find_units(
    data,
    documents,
    byte_classes,
    blocks,
    records,
    hashes,
    flags,
    units,
    gaps,
    kinds,
    document_units,
):
    count = 0
    for j in range(len(documents) - 1):
        base = int(documents[j])
        text = bytes(data[base : documents[j + 1]]).decode("utf-8", "surrogatepass")
        document = Document(text, blocks, records)
        document_units[j] = count
        for begin, gap, kind in document.units():
            if count >= len(gaps):
                return -1
            units[count], gaps[count], kinds[count] = base + document.offsets[begin], gap, kind
            count += 1
    document_units[-1] = count
    units[count] = documents[-1]
    return count
