"""Sentence boundaries against gold: the English golden rules, and running text in four languages."""

from __future__ import annotations

from bench.data import rows
from scission import split_sentences


def golden_rules() -> tuple[int, int, list[str]]:
    """Rules kept, rules in all, and the names of those that are not."""
    failed = []
    cases = rows("sbd/golden_en.jsonl.gz")
    for case in cases:
        text = case["text"]
        # Up to white space: two rules want a line break inside a sentence taken out, and spans are verbatim.
        found = [" ".join(text[a:b].split()) for a, b in split_sentences(text)]
        if found != [" ".join(sentence.split()) for sentence in case["sentences"]]:
            failed.append(case["name"])
    return len(cases) - len(failed), len(cases), failed


def boundary_f1(name: str) -> float:
    """F1 of sentence ends in running text, per cent."""
    hits = found_count = gold_count = 0
    for case in rows(f"sbd/{name}.jsonl.gz"):
        gold = {end for _, end in case["spans"]}
        found = {end for _, end in split_sentences(case["text"])}
        hits += len(gold & found)
        found_count += len(found)
        gold_count += len(gold)
    return 200 * hits / (found_count + gold_count)
