"""``scission models build``: make the graph of a transformer before it is needed."""

from __future__ import annotations

import argparse
import time
from typing import Any


def add_actions(actions: Any) -> None:
    """Declare the action."""
    building = actions.add_parser(
        "build",
        help="fetch a transformer and build its graph ahead of time",
        description="Fetch a transformer when it is not there, build its graph for a device, and say what the graph "
        "keeps of the checkpoint's vectors. An image for containers does it when it is made.",
    )
    add_arguments(building)
    building.set_defaults(run=run)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what names a transformer and how it runs."""
    parser.add_argument("model", help="a name of 'scission models list', or a checkpoint's folder")
    parser.add_argument("--precision", metavar="NAME", help="fp32, fp16 or int8")
    parser.add_argument("--device", metavar="NAME", help="auto, cpu, cuda or coreml")


def opened(options: argparse.Namespace, device: str | None = None) -> Any:
    """Open the transformer that was named."""
    from ...embed.onnx import OnnxEmbedder
    from ...embed.registry import resolve
    from ...errors import OptionError

    model = resolve(options.model, precision=options.precision, device=device or options.device)
    if not isinstance(model, OnnxEmbedder):
        raise OptionError(f"model must be a transformer, got {options.model!r}, which is none")
    return model


def run(options: argparse.Namespace) -> int:
    """Build a graph."""
    began = time.perf_counter()
    model = opened(options)
    measured = model.recipe["measured"]
    print(
        f"{options.model}  {model.precision}, {model.recipe['dialect']} graph, cosine to float32 "
        f"{measured['mean_cosine']:.4f} (lowest {measured['lowest_cosine']:.4f} of {measured['texts']} texts), "
        f"{time.perf_counter() - began:.1f} s"
    )
    return 0
