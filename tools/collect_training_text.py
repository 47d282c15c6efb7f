"""Collect the English text from which `minilm-static` is distilled, out of Debian packages.

    python tools/collect_training_text.py FOLDER [--packages CACHE]

Downloads the packages of `SOURCES` with ``apt-get download`` (nothing is installed), takes the
English text out of them and writes one ``<package>.txt`` each: paragraphs are divided by a blank line,
documents by a form feed. ``TRAINING_TEXT.tsv`` lists package, version, sha256 of the .deb, licences
and the amount of text. The same package versions give the same bytes.

Breadth matters more than volume: a table fitted on Unix manuals alone knows nothing of dogs and
cathedrals. Two dictionaries give every word of the language a sentence or two; novels, scripture,
quotations and the tales inside free games give narrative; manuals of accounting, genealogy, music,
astronomy, mapping, metal working and desktop software give connected exposition.

Left out on purpose: whatever stems from the Brown corpus or from Wikipedia's test articles, because
the models are measured on them, and Debian packages whose text is among the awkward files of the tests.
"""

import argparse
import bz2
import gzip
import hashlib
import html.parser
import pathlib
import re
import struct
import subprocess
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

Documents = Iterator[list[str]]  # of paragraphs

_BLOCKS = """
    address article aside blockquote body br caption dd div dl dt figcaption figure footer form h1 h2 h3 h4
    h5 h6 header hr li main nav ol p para section simpara table tbody td th title tr ul chapter sect1 sect2
    sect3 note tip item listitem formalpara entry row refsect1 abstract text quote
"""
_SILENT = """
    script style pre code programlisting screen literallayout math svg nav head guimenu synopsis
"""
_IS_BLOCK = frozenset(_BLOCKS.split())
_IS_SILENT = frozenset(_SILENT.split())


class _Paragraphs(html.parser.HTMLParser):
    """Markup to paragraphs: block elements divide, code and navigation fall silent."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = [""]
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _IS_SILENT:
            self._silent.append(tag)
        if tag in _IS_BLOCK:
            self.found.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _IS_BLOCK:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:  # elements that were never closed end with their parent
            while self._silent.pop() != tag:
                pass
        if tag in _IS_BLOCK:
            self.found.append("")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found[-1] += data


def _read(path: pathlib.Path) -> str:
    raw = path.read_bytes()
    if path.suffix in {".gz", ".dz"}:
        raw = gzip.decompress(raw)
    elif path.suffix == ".bz2":
        raw = bz2.decompress(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _markup(path: pathlib.Path) -> Documents:
    text = _read(path)
    if path.suffix != ".html" and "<!DOCTYPE" in text[:4000]:
        # Entities that a DTD defines would be read as text; their names say little.
        text = re.sub(r"&(?!amp;|lt;|gt;|quot;|apos;|#)[\w.-]+;", " ", text)
        text = re.sub(r"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", "", text, count=1, flags=re.DOTALL)
    parser = _Paragraphs()
    parser.feed(text)
    parser.close()
    yield parser.found


def _plain(path: pathlib.Path) -> Documents:
    yield re.split(r"\n\s*\n", _read(path))


def _info(path: pathlib.Path) -> Documents:
    for node in _read(path).split("\x1f"):
        yield re.split(r"\n\s*\n", re.sub(r"^\*.*$|^.*\bNext: .*$", "", node, flags=re.MULTILINE))


def _lines(path: pathlib.Path) -> Documents:
    """One passage per line, behind an optional ``key=`` or ``"name":``."""
    yield [re.sub(r"^[\w.\-]+\s*=\s*", "", line) for line in _read(path).split("\n")]


def _strings(path: pathlib.Path) -> Documents:
    """Take what stands between quotation marks or backquotes in data files of games."""
    yield [a or b for a, b in re.findall(r"`([^`]*)`|\"((?:[^\"\\]|\\.)*)\"", _read(path))]


def _fortunes(path: pathlib.Path) -> Documents:
    for cookie in re.split(r"^%%?.*$", _read(path), flags=re.MULTILINE):
        yield [re.sub(r"^\s*--.*", "", cookie, flags=re.MULTILINE | re.DOTALL)]


def _catalogue(path: pathlib.Path) -> Documents:
    """English originals of a gettext catalogue, in the order of the file (sorted by message)."""
    raw = path.read_bytes()
    order = "<" if raw[:4] == b"\xde\x12\x04\x95" else ">"
    count, table = struct.unpack(order + "2I", raw[8:16])
    found = []
    for index in range(count):
        length, start = struct.unpack_from(order + "2I", raw, table + 8 * index)
        message = raw[start : start + length].decode("utf-8", "replace")
        found.append(message.split("\x04")[-1].split("\x00")[0])
    for message in found:
        yield re.split(r"\n\s*\n", re.sub(r"<[^<>]*>", " ", message))


def _wordnet(path: pathlib.Path) -> Documents:
    """Glosses and examples; neighbouring synsets of a file are of one subject."""
    for line in _read(path).split("\n"):
        if " | " not in line or line.startswith("  "):
            continue
        head, gloss = line.split(" | ", 1)
        word = head.split(" ")[4].replace("_", " ")
        yield _gloss(word, gloss)


def _gloss(word: str, gloss: str) -> list[str]:
    definition, *examples = re.split(r";\s*(?=\")", gloss.strip())
    found = [f"{word.capitalize()}: {definition.strip(' ;')}."]
    for example in examples:
        found += [part.strip(' ;"') for part in re.findall(r"\"([^\"]+)\"", example)]
    return found


def _dictionary(path: pathlib.Path) -> Documents:
    """Entries of a dictd database: a head word at the margin, the body indented."""
    for entry in re.split(r"\n(?=\S)", _read(path)):
        yield re.split(r"\n\s*\n|(?<=[.\]])\n(?=\s+(?:\d+\.|\[))", re.sub(r"[{}]", "", entry))


def _scripture(path: pathlib.Path) -> Documents:
    """Read a module of the SWORD project: one zlib stream of OSIS markup per book."""
    for data in _zlib_streams(path.read_bytes()):
        text = re.sub(rb"<(note|title)\b.*?</\1>", b" ", data, flags=re.DOTALL)
        text = re.sub(rb"<[^<>]*type=\"x-p\"[^<>]*>|</?(p|lg|q|div)\b[^<>]*>", b"\n\n", text)
        yield re.sub(rb"<[^<>]*>", b" ", text).decode("utf-8", "replace").split("\n\n")


def _zlib_streams(raw: bytes) -> Iterator[bytes]:
    for match in re.finditer(rb"\x78[\x9c\xda\x01\x5e]", raw):
        try:
            yield zlib.decompressobj().decompress(raw[match.start() :])
        except zlib.error:  # the two bytes were no header
            continue


def _r_database(path: pathlib.Path) -> Documents:
    """Character vectors in R's lazy-load database: zlib streams of serialised strings."""
    for data in _zlib_streams(path.read_bytes()):
        lines = _r_strings(data)
        if len(lines) > 1000:
            yield "\n".join(lines).split("\n\n")


def _r_strings(data: bytes) -> list[str]:
    found, position = [], 0
    pattern = re.compile(rb"\x00[\x00-\x0f][\x00-\xff]\x09(....)", re.DOTALL)
    while match := pattern.search(data, position):
        (length,) = struct.unpack(">i", match.group(1))
        position = match.end()
        if 0 <= length < 400:
            found.append(data[position : position + length].decode("utf-8", "replace"))
            position += length
    return found


class Source(NamedTuple):
    """Which files of a package hold English text, and how to read them."""

    package: str
    read: Callable[[pathlib.Path], Documents]
    patterns: tuple[str, ...]


_DOC = "usr/share/doc/"
_MO = "usr/share/locale/de/LC_MESSAGES/"  # any language will do: the originals are English

_CAMPAIGNS = "did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs"

SOURCES = [
    Source("wordnet-base", _wordnet, ("usr/share/wordnet/data.*",)),
    Source("dict-gcide", _dictionary, ("usr/share/dictd/gcide.dict.dz",)),
    Source("dict-foldoc", _dictionary, ("usr/share/dictd/foldoc.dict.dz",)),
    Source("dict-jargon", _dictionary, ("usr/share/dictd/jargon.dict.dz",)),
    Source("dict-devil", _dictionary, ("usr/share/dictd/devil.dict.dz",)),
    Source("dict-elements", _dictionary, ("usr/share/dictd/elements.dict.dz",)),
    Source("r-cran-janeaustenr", _r_database, ("usr/lib/R/site-library/janeaustenr/data/*.rdb",)),
    Source("sword-text-web", _scripture, ("usr/share/sword/modules/texts/**/*.bzz",)),
    Source("fortunes", _fortunes, ("usr/share/games/fortunes/*",)),
    Source("miscfiles", _plain, ("usr/share/state/*.gz",)),
    Source("cfi-en", _markup, ("usr/**/*.htm",)),
    Source("anarchism", _markup, (_DOC + "anarchism/html/*.html",)),
    Source("debian-history", _markup, (_DOC + "debian-history/**/*.en.html",)),
    Source("debian-handbook", _markup, ("usr/share/doc/debian-handbook/html/en-US/*.html",)),
    Source("debian-reference-en", _markup, ("usr/share/debian-reference/*.en.html",)),
    Source("postgresql-doc-15", _markup, (_DOC + "postgresql-doc-15/html/*.html",)),
    Source("gnucash-docs", _markup, (
        "usr/share/gnome/help/gnucash-*/C/*.xml",
        "usr/share/help/C/**/*.xml",
        "usr/share/help/C/**/*.docbook",
        _DOC + "**/C/**/*.html",
    )),
    Source("gramps", _catalogue, (_MO + "gramps.mo",)),
    Source("gimp-help-en", _markup, ("usr/share/gimp/2.0/help/en/*.html",)),
    Source("gnome-user-docs", _markup, ("usr/share/help/C/**/*.page",)),
    Source("grass-doc", _markup, (_DOC + "grass-doc/html/*.html*",)),
    Source("lilypond-doc", _info, (
        "usr/share/info/lilypond-essay.info*",
        "usr/share/info/lilypond-learning.info*",
        "usr/share/info/music-glossary.info*",
    )),
    Source("kstars-data", _markup, ("usr/share/doc/HTML/en/kstars/*.docbook",)),
    Source("kalzium-data", _markup, ("usr/share/doc/HTML/en/kalzium/*.docbook",)),
    Source("stellarium-data", _markup, ("usr/share/stellarium/**/description.en.utf8",)),
    Source("solfege", _catalogue, (_MO + "*.mo",)),
    Source("tuxpaint-data", _markup, (_DOC + "tuxpaint-data/en/html/*.html*",)),
    Source("lincity-ng-data", _markup, ("usr/share/games/lincity-ng/help/en/*.xml",)),
    Source("freeciv-data", _catalogue, (_MO + "*.mo",)),
    Source("freecol", _lines, ("usr/share/games/freecol/strings/FreeColMessages.properties",)),
    Source("freeorion-data", _lines, ("usr/share/games/freeorion/default/stringtables/en.txt",)),
    Source("freedroidrpg-data", _catalogue, ("usr/share/**/de/LC_MESSAGES/*.mo",)),
    Source("endless-sky-data", _strings, ("usr/share/games/endless-sky/data/**/*.txt",)),
    Source("wesnoth-1.16-data", _catalogue, ("usr/share/games/wesnoth/1.16/**/de/LC_MESSAGES/*.mo",)),
    *(
        Source(f"wesnoth-1.16-{campaign}", _strings, ("usr/share/games/**/*.cfg",))
        for campaign in _CAMPAIGNS.split()
    ),
    Source("crawl-common", _plain, (
        "usr/share/crawl/dat/descript/*.txt",
        "usr/share/crawl/dat/database/*.txt",
    )),
    Source("angband-data", _plain, ("**/monster.txt", "**/help/*.txt")),
    Source("nethack-common", _plain, ("usr/lib/games/nethack/nhdat",)),
    Source("singularity", _lines, ("usr/**/singularity/data/*_str.dat", "usr/**/singularity/data/story.dat")),
    Source("colobot-common", _plain, ("usr/share/games/colobot/**/*.E.txt",)),
    Source("gnubg-data", _catalogue, ("usr/share/locale/de/LC_MESSAGES/gnubg.mo",)),
    Source("python-biopython-doc", _markup, (_DOC + "python-biopython-doc/**/*.html*",)),
    Source("gnumed-doc", _markup, (_DOC + "gnumed-doc/**/*.html*", _DOC + "gnumed/**/*.html*")),
    Source("klavaro", _lines, ("usr/share/klavaro/en*.paragraphs",)),
    Source("fillets-ng-data", _strings, (
        "usr/share/games/fillets-ng/script/**/*_en.lua",
        "usr/share/games/fillets-ng/script/**/dialogs.lua",
    )),
    Source("renpy-demo", _strings, ("usr/share/games/renpy/demo/game/*.rpy",)),
]  # fmt: skip


def _clean(paragraph: str) -> str:
    return re.sub(r"\s+", " ", paragraph.replace("\f", " ")).strip()


def _is_english_prose(paragraph: str) -> bool:
    """At least 20 letters, four words of five in plain letters, few digits and signs."""
    letters = sum((c.isascii() and c.isalpha()) or c == " " for c in paragraph)
    return len(paragraph) >= 24 and letters >= 0.85 * len(paragraph) and paragraph.count(" ") >= 3


def extract(source: Source, root: pathlib.Path) -> str:
    """Text of one unpacked package, in the order of its file names; repeated paragraphs once."""
    seen: set[str] = set()
    documents = []
    paths = sorted(
        {p for g in source.patterns for p in root.glob(g) if p.is_file() and not p.is_symlink()}
    )
    for path in paths:
        for paragraphs in source.read(path):
            kept = [p for p in map(_clean, paragraphs) if _is_english_prose(p) and p not in seen]
            seen.update(kept)
            if kept:
                documents.append("\n\n".join(kept))
    return "\n\f\n".join(documents)


def _licences(root: pathlib.Path, package: str) -> str:
    path = root / _DOC / package / "copyright"
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    names = re.findall(r"^License:[ \t]*(\S.*)$", text, flags=re.MULTILINE)
    names = names or re.findall(r"/usr/share/common-licenses/([A-Z][\w.-]*\w)", text)
    return (
        "; ".join(sorted(set(map(str.strip, names))))
        or "free (Debian main), see its copyright file"
    )


def _download(packages: list[str], folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    missing = [p for p in packages if not list(folder.glob(f"{p}_*.deb"))]
    if missing:
        subprocess.run(["apt-get", "download", *missing], cwd=folder, check=True)


def _unpack(package: pathlib.Path, folder: pathlib.Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True)
        subprocess.run(["dpkg", "-x", str(package.resolve()), str(folder)], check=True)


def collect(out: pathlib.Path, cache: pathlib.Path) -> None:
    """Write the texts of all sources and their list."""
    out.mkdir(parents=True, exist_ok=True)
    _download([source.package for source in SOURCES], cache)
    rows = ["package\tversion\tsha256\tcharacters\tlicences"]
    for source in SOURCES:
        (package,) = sorted(cache.glob(f"{source.package}_*.deb"))[-1:]
        root = cache / "unpacked" / source.package
        _unpack(package, root)
        text = extract(source, root)
        (out / f"{source.package}.txt").write_text(text + "\n", "utf-8")
        version = package.name.split("_")[1].replace("%3a", ":")
        digest = hashlib.sha256(package.read_bytes()).hexdigest()
        rows.append(
            f"{source.package}\t{version}\t{digest}\t{len(text)}\t{_licences(root, source.package)}"
        )
        print(rows[-1][:100], flush=True)
    (out / "TRAINING_TEXT.tsv").write_text("\n".join(rows) + "\n", "utf-8")


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, default=pathlib.Path("build/debian"))
    options = parser.parse_args()
    collect(options.folder, options.packages)


if __name__ == "__main__":
    _main()
