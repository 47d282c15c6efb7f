"""``scission models distill``: make a static model."""

from __future__ import annotations

import argparse
import time
from typing import Any

#: Options that `distill` has defaults for.
_TUNING = ("dimensions", "sentences", "ridge", "seed")


def add_actions(actions: Any) -> None:
    """Declare the action."""
    making = actions.add_parser(
        "distill",
        help="make a static model from a sentence transformer",
        description="Fit a table of token vectors to a BERT-family sentence transformer. "
        "Needs the extra: pip install 'scission[distill]'.",
    )
    making.add_argument(
        "checkpoint", help="folder with config.json, model.safetensors and tokenizer.json"
    )
    making.add_argument("text", nargs="+", help="folders of .txt files, or files, to learn from")
    making.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="the model's folder"
    )
    making.add_argument("--dimensions", type=int, metavar="N", help="of the vectors (128)")
    making.add_argument(
        "--sentences", type=int, metavar="N", help="that the teacher reads (100000)"
    )
    making.add_argument("--ridge", type=float, metavar="X", help="pull towards single tokens (0.1)")
    making.add_argument("--seed", type=int, metavar="N", help="of the sample (0)")
    making.add_argument("--pooling", choices=("mean", "cls"), help="if the checkpoint does not say")
    making.add_argument(
        "--cache", metavar="FOLDER", help="keep the teacher's vectors, to go on later"
    )
    making.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="batches at once (1)"
    )
    making.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make a static model."""
    from ...embed.distill import distill

    began = time.perf_counter()
    recipe = distill(
        options.checkpoint,
        options.text[0] if len(options.text) == 1 else options.text,
        options.output,
        pooling=options.pooling,
        threads=options.threads,
        cache=options.cache,
        **{name: value for name in _TUNING if (value := getattr(options, name)) is not None},
    )
    measured = recipe["measured"]
    print(
        f"{options.output}: {measured['sentences']:,} sentences, held-out R2 "
        f"{measured['held_out_r2']:.3f}, {time.perf_counter() - began:.0f} s; "
        f"use it with model={options.output!r}"
    )
    return 0
