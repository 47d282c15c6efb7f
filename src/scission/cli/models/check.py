"""``scission models check``: which devices run a transformer here, and how fast."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

from ...embed import providers
from ...errors import ModelError, OptionError
from . import build

#: Cosine to the CPU's vectors below which a device computes something else.
_AGREE = 0.99
_SENTENCES = 256
_WORDS = (
    "the harbour lay still at dawn and three ships came in laden with salt while bread was rising in the old oven of "
    "the town whose bakers start early and sell out by noon"
)


def add_actions(actions: Any) -> None:
    """Declare the action."""
    checking = actions.add_parser(
        "check",
        help="show devices, providers and versions; with a model, run it on each",
        description="Show which devices run a transformer here. With a model, run it on each that is there and compare "
        "vectors and speed with the CPU's.",
    )
    checking.add_argument("model", nargs="?", help="a name of 'scission models list', or a folder")
    checking.add_argument("--precision", metavar="NAME", help="fp32, fp16 or int8")
    checking.add_argument("--device", metavar="NAME", help="that one only")
    checking.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the check; 2 when a device that was asked for, or every one, fails."""
    if options.device is not None and options.device not in providers.DEVICES:
        raise OptionError(
            f"device must be one of {', '.join(map(repr, providers.DEVICES))}, got {options.device!r}"
        )
    print(f"machine    {providers.machine()}, Python {sys.version.split()[0]}")
    print(f"runtime    {providers.describe()}")
    print(f"providers  {', '.join(providers.available())}")
    if (clash := providers.clash()) is not None:
        print(f"warning    {clash}")
    devices = [options.device] if options.device else [d for d in providers.DEVICES if d != "auto"]
    working = [device for device in devices if _runs(device, options)]
    verdict = f"transformers run on {', '.join(working)}" if working else "no device runs them"
    print(f"verdict    {verdict}")
    return 0 if working else 2


def _runs(device: str, options: argparse.Namespace) -> bool:
    try:
        choice = providers.choose(device)
        if options.model is None:
            print(f"{device:<10} yes: {choice.provider}, {choice.precision} by default")
            return True
        return _measured(device, options)
    except (OptionError, ModelError) as error:
        print(f"{device:<10} no: {error}")
        return False


def _measured(device: str, options: argparse.Namespace) -> bool:
    began = time.perf_counter()
    model = build.opened(options, device)
    opened = time.perf_counter() - began
    texts = _texts()
    vectors = model.embed(texts)
    began = time.perf_counter()
    again = model.embed(texts)
    seconds = time.perf_counter() - began
    agreement = _agreement(options, texts, vectors)
    same = "the same again" if np.array_equal(vectors, again) else "other last bits the second time"
    good = agreement >= _AGREE and bool(np.isfinite(vectors).all())
    print(
        f"{device:<10} {'yes' if good else 'NO'}: {model.precision}, opened in {opened:.1f} s, "
        f"{len(texts) / seconds:,.0f} sentences/s, lowest cosine to fp32 on the CPU {agreement:.4f}, {same}"
    )
    return good


def _agreement(options: argparse.Namespace, texts: list[str], vectors: Any) -> float:
    plain = argparse.Namespace(**{**vars(options), "precision": "fp32"})
    return float(np.sum(build.opened(plain, "cpu").embed(texts) * vectors, axis=1).min())


def _texts() -> list[str]:
    """Sentences of 3 to 60 words, always the same."""
    words = _WORDS.split()
    random = np.random.default_rng(0)
    counts = random.integers(3, 60, _SENTENCES)
    return [" ".join(random.choice(words, count)) + "." for count in counts]
