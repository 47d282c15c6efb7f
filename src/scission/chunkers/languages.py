"""Separators of programming and markup languages, from the best to the worst.

A string stands for itself, a pattern for what it matches. The lists and their order are those that
``RecursiveCharacterTextSplitter.from_language`` reads, as patterns all of them, so that its chunks can be had too
(`patterns`).
"""

from __future__ import annotations

import re

from ..errors import OptionError
from .hierarchy import Separator

_LINES = ("\n\n", "\n", " ", "")


def _each(form: str, words: str) -> tuple[str, ...]:
    """Return the form with each of the words in the place of its ``@``."""
    return tuple(form.replace("@", word) for word in words.split())


def _lines_beginning(words: str) -> tuple[str, ...]:
    """Return the separators of lines that begin with one of the words."""
    return _each("\n@ ", words)


def _matching(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


_C = (*_lines_beginning("class void int float double if for while switch case"), *_LINES)
_MODIFIER = r"(?:Public|Private|Friend|Global|Static)\s+"
_VB6 = _matching(
    *(
        rf"\n(?!End\s){_MODIFIER}?{rest}\s+"
        for rest in ("Sub", "Function", r"Property\s+(?:Get|Let|Set)", "Type", "Enum")
    ),
    r"\n(?!End\s)If\s+",
    *_each(r"\n@\s+", r"ElseIf Else Select\s+Case Case For Do While With"),
    r"\n\n",
    r"\n",
)

LANGUAGES: dict[str, tuple[Separator, ...]] = {
    "c": _C,
    "cobol": (
        *_each("\n@ DIVISION.", "IDENTIFICATION ENVIRONMENT DATA PROCEDURE"),
        *_each("\n@ SECTION.", "WORKING-STORAGE LINKAGE FILE INPUT-OUTPUT"),
        *_lines_beginning("OPEN CLOSE READ WRITE IF ELSE MOVE PERFORM UNTIL VARYING ACCEPT DISPLAY"),
        "\nSTOP RUN.", "\n", " ", "",
    ),
    "cpp": _C,
    "csharp": (
        *_lines_beginning("interface enum delegate event class abstract public protected private static return"),
        *_lines_beginning("if continue for foreach while switch break case else try throw finally catch"),
        *_LINES,
    ),
    "elixir": (
        *_lines_beginning("def defp defmodule defprotocol defmacro defmacrop if unless case cond with for do"),
        *_LINES,
    ),
    "go": (*_lines_beginning("func var const type if for switch case"), *_LINES),
    "haskell": (
        "\nmain :: ", "\nmain = ", *_lines_beginning("let in do where :: = data newtype type module import"),
        "\nqualified ", "\nimport qualified ", *_lines_beginning("class instance case |"), "\n= {", "\n, ",
        *_LINES,
    ),
    "html": (
        *_each("<@", "body div p br li h1 h2 h3 h4 h5 h6 span table tr td th ul ol"),
        *_each("<@", "header footer nav head style script meta title"),
        "",
    ),
    "java": (
        *_lines_beginning("class public protected private static if for while switch case"),
        *_LINES,
    ),
    "js": (
        *_lines_beginning("function const let var class if for while switch case default"),
        *_LINES,
    ),
    "kotlin": (
        *_lines_beginning("class public protected private internal companion fun val var if for while when else"),
        *_LINES,
    ),
    "latex": (
        *_matching(*_each("\n\\\\@{", "chapter section subsection subsubsection")),
        *_matching(*_each("\n\\\\begin{@}", "enumerate itemize description list quote quotation verse verbatim align")),
        "$$", "$", " ", "",
    ),
    "lua": (*_lines_beginning("local function if for while repeat"), *_LINES),
    "markdown": (
        *_matching("\n#{1,6} "), "```\n", *_matching("\n\\*\\*\\*+\n", "\n---+\n", "\n___+\n"), *_LINES,
    ),
    "php": (*_lines_beginning("function class if foreach while do switch case"), *_LINES),
    "powershell": (
        *_lines_beginning("function param if foreach for while switch class try catch finally"),
        *_LINES,
    ),
    "proto": (*_lines_beginning("message service enum option import syntax"), *_LINES),
    "python": ("\nclass ", "\ndef ", "\n\tdef ", *_LINES),
    "r": (
        "\nfunction ", *_matching("\nsetClass\\(", "\nsetMethod\\(", "\nsetGeneric\\("),
        *_lines_beginning("if else for while repeat"), *_matching("\nlibrary\\(", "\nrequire\\("),
        *_LINES,
    ),
    "rst": (*_matching("\n=+\n", "\n-+\n", "\n\\*+\n", "\n\n.. *\n\n"), *_LINES),
    "ruby": (*_lines_beginning("def class if unless while for do begin rescue"), *_LINES),
    "rust": (*_lines_beginning("fn const let if while for loop match"), *_LINES),
    "scala": (*_lines_beginning("class object def val var if for while match case"), *_LINES),
    "sol": (
        *_lines_beginning("pragma using contract interface library constructor type function event modifier"),
        *_lines_beginning("error struct enum if for while"), "\ndo while ", "\nassembly ",
        *_LINES,
    ),
    "swift": (*_lines_beginning("func class struct enum if for while do switch case"), *_LINES),
    "ts": (
        *_lines_beginning("enum interface namespace type class function const let var if for while switch case"),
        "\ndefault ", *_LINES,
    ),
    "visualbasic6": (*_VB6, " ", ""),
}  # fmt: skip

#: Where the separators go, when not as ``keep_separator="auto"`` has it: a tag opens what follows, an underline
#: belongs to the title before it.
KEEP = {"html": "start", "rst": "end"}

_ESCAPED = re.compile(r"\\(\W)")


def separators(language: str) -> tuple[Separator, ...]:
    """Return the separators of a language; patterns that only escape characters as what they stand for."""
    return tuple(
        entry if isinstance(entry, str) else _simplified(entry) for entry in _known(language)
    )


def patterns(language: str) -> list[str]:
    """Return what LangChain reads as the patterns of a language."""
    return [entry if isinstance(entry, str) else entry.pattern for entry in _known(language)]


def _known(language: str) -> tuple[Separator, ...]:
    found = LANGUAGES.get(language) if isinstance(language, str) else None
    if found is None:
        raise OptionError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    return found


def _simplified(pattern: re.Pattern[str]) -> Separator:
    rest = _ESCAPED.sub("", pattern.pattern)
    if re.search(r"[\\.^$*+?\[\]|()]|\{\d", rest):
        return pattern
    return _ESCAPED.sub(r"\1", pattern.pattern)
