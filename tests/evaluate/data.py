"""A small corpus on disk, which the tests of the evaluation share."""

import json

SHIPS = (
    "The ship left the harbour at dawn. Its sails were full of wind. The captain watched the sea. "
    "Gulls followed the mast for an hour."
)
BREAD = (
    "The baker kneads the dough at night. Yeast makes the bread rise. The oven must be very hot. "
    "Flour from old mills tastes best."
)
STARS = (
    "A telescope gathers faint light. Distant stars look red. The galaxy turns slowly. "
    "Astronomers sleep by day."
)
TEXTS = {"ships.txt": f"{SHIPS}\n\n{BREAD}\n", "sky/stars.txt": f"{STARS}\n\n{SHIPS}\n"}


def questions():
    """Questions with references by offset, by text, and by document alone."""
    text = TEXTS["ships.txt"]
    at = text.index("Yeast makes the bread rise.")
    return [
        {
            "id": "yeast",
            "question": "What makes bread rise?",
            "references": [{"document": "ships.txt", "start": at, "end": at + 27}],
        },
        {
            "question": "Who sleeps by day?",
            "references": [{"document": "sky/stars.txt", "text": "Astronomers sleep by day."}],
        },
        {"question": "Which text is about the oven?", "relevant": {"ships.txt": 2}},
        {"question": "Why?", "impossible": True},
    ]


def write_corpus(folder):
    """Write documents and questions; returns both paths."""
    for name, text in TEXTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    queries = folder / "questions.jsonl"
    write_lines(queries, questions())
    return folder / "docs", queries


def write_lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
