"""Strategies of structure on the awkward real files: their parsers are the slow part."""

from __future__ import annotations

from bench.data import DATA, megabytes
from bench.rows import Row, row
from bench.timing import interleaved


def speed() -> list[Row]:
    """Time Markdown, HTML and Python code, one thread."""
    import scission

    chunkers = {
        ".md": scission.MarkdownChunker(),
        ".html": scission.HTMLChunker(),
        ".py": scission.CodeChunker(language="python"),
    }
    texts = {
        ending: [path.read_text("utf-8") for path in sorted((DATA / "wild").glob(f"*{ending}"))]
        for ending in chunkers
    }
    times = interleaved(
        {
            ending: lambda ending=ending: chunkers[ending].chunk_batch(texts[ending], threads=1)  # type: ignore[misc]
            for ending in chunkers
        }
    )
    return [
        row(
            f"{type(chunkers[e]).__name__}, {e} files",
            megabytes(texts[e]) / min(times[e]),
            "",
            True,
            "MB/s",
        )
        for e in chunkers
    ]
