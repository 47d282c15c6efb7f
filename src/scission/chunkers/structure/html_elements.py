"""What the elements of HTML mean to a reader of the text."""

from __future__ import annotations

HEADINGS = {f"h{level}": level for level in range(1, 7)}
SECTIONS = {"article", "main", "section"}
_LISTS = {"dl", "menu", "ol", "ul"}
CELLS = {"td", "th"}
PARAGRAPH = "\n\n"
LINE = "\n"

_SPACED = {
    *HEADINGS, *SECTIONS, *_LISTS, "address", "aside", "blockquote", "details", "dialog", "fieldset", "figure",
    "footer", "form", "header", "hr", "nav", "p", "pre", "search", "table",
}  # fmt: skip
_LINES = {
    "body", "br", "caption", "center", "dd", "div", "dt", "figcaption", "head", "hgroup", "html", "legend", "li",
    "option", "summary", "tbody", "tfoot", "thead", "tr",
}  # fmt: skip

#: Blocks that keep their lines inside a cell; a paragraph there does not, so that a row stays on its line.
KEPT_IN_CELLS = {*HEADINGS, *_LISTS, "blockquote", "dd", "dt", "li", "pre", "table", "tr"}

#: What stands before and after each block.
SEPARATORS = {**dict.fromkeys(_SPACED, PARAGRAPH), **dict.fromkeys(_LINES, LINE)}

#: Nothing inside these is text of the document.
UNSEEN = {
    "audio", "canvas", "datalist", "iframe", "noembed", "noframes", "noscript", "object", "script", "select", "style",
    "svg", "template", "textarea", "title", "video",
}  # fmt: skip

#: What is on every page of a site.
_BOILERPLATE = {"aside", "nav", "search"}
_OF_THE_PAGE = {"footer", "header"}
_ROLES = {"banner", "complementary", "contentinfo", "navigation", "search"}

VOID = {"br", "hr"}

#: Blocks kept in one piece while they fit.
WHOLE = {*HEADINGS, *_LISTS, "blockquote", "dd", "dt", "figure", "li", "pre", "table", "tr"}
BLOCKS = {*WHOLE, "p"}

#: Blocks whose text is their own; elsewhere text is a paragraph without a tag.
LEAVES = {*HEADINGS, "dt", "p", "pre", "tr"}

#: The elements that a start tag ends when their own end tags were left out.
_ENDED_BY = {
    "dd": {"dd", "dt", "p"},
    "dt": {"dd", "dt", "p"},
    "li": {"li", "p"},
    "option": {"option"},
    "tbody": {"p", "tbody", "td", "tfoot", "th", "thead", "tr"},
    "td": {"p", "td", "th"},
    "tfoot": {"p", "tbody", "td", "tfoot", "th", "thead", "tr"},
    "th": {"p", "td", "th"},
    "thead": {"p", "tbody", "td", "tfoot", "th", "thead", "tr"},
    "tr": {"p", "td", "th", "tr"},
}
_PARAGRAPHS = {"p"}
_NONE: set[str] = set()

#: The elements whose end tags matter.
TRACKED = {*SEPARATORS, *CELLS, *UNSEEN}


def ended_by(tag: str) -> set[str]:
    """Return the elements that end where this one begins, if they are the innermost ones."""
    if tag in _ENDED_BY:
        return _ENDED_BY[tag]
    return _PARAGRAPHS if tag in SEPARATORS and tag != "br" else _NONE


def is_boilerplate(tag: str, attributes: dict[str, str], in_content: bool) -> bool:
    """Tell whether an element is furniture of the page; headers and footers of an article are not."""
    if attributes.get("role", "").lower() in _ROLES:
        return True
    return tag in _BOILERPLATE or (tag in _OF_THE_PAGE and not in_content)
