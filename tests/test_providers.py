"""Devices and providers, with a runtime that pretends to have them."""

import sys
from types import SimpleNamespace

import pytest

from scission import MissingExtra, ModelError, OptionError
from scission.cli import main
from scission.embed import providers

CPU, CUDA, COREML = (f"{name}ExecutionProvider" for name in ("CPU", "CUDA", "CoreML"))


class Runtime:
    """ONNX Runtime as it behaves: offers what it was built with, and goes on on the CPU when that fails."""

    __version__ = "9.9"

    def __init__(self, offered, working):
        self.offered, self.working = offered, working
        self.preloaded = 0

    def get_available_providers(self):
        return list(self.offered)

    def preload_dlls(self):
        self.preloaded += 1
        print("Failed to load libcudnn.so")

    SessionOptions = SimpleNamespace

    def InferenceSession(self, graph, settings, providers):  # noqa: N802
        assert graph.startswith(b"\x08\x08")
        runs = [name for name in providers if name in self.working]
        return SimpleNamespace(get_providers=lambda: [*runs, CPU])


@pytest.fixture
def pretend(monkeypatch):
    def use(offered, working=(), installed=None):
        runtime = Runtime(offered, working)
        monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
        found = installed or {"onnxruntime": "9.9"}
        monkeypatch.setattr(providers, "distributions", lambda: found)
        providers._tried.cache_clear()
        return runtime

    yield use
    providers._tried.cache_clear()


def test_auto_is_cuda_where_it_works(pretend, capsys):
    runtime = pretend([CUDA, CPU], [CUDA])
    choice = providers.choose("auto")
    assert (choice.provider, choice.precision, choice.dialect) == (CUDA, "fp16", "fused")
    assert choice.options["arena_extend_strategy"] == "kSameAsRequested"
    assert providers.choose("cuda") == choice
    assert runtime.preloaded == 1  # tried once, and its chatter is kept from the user
    assert capsys.readouterr().out == ""


def test_auto_says_so_when_cuda_does_not_work(pretend):
    pretend([CUDA, CPU])
    with pytest.warns(
        RuntimeWarning, match="device='auto' takes the CPU: .* offers CUDAExecutionProvider, but"
    ):
        assert providers.choose("auto") is providers.CPU


def test_auto_leaves_coreml_alone(pretend):
    pretend([COREML, CPU], [COREML])
    assert providers.choose("auto") is providers.CPU
    choice = providers.choose("coreml")
    assert (choice.provider, choice.dialect, choice.precision) == (COREML, "plain", "fp16")
    assert choice.options["ModelFormat"] == "MLProgram"


@pytest.mark.parametrize(
    ("device", "advice"), [("cuda", r"scission\[gpu\]"), ("coreml", r"scission\[coreml\]")]
)
def test_a_device_that_is_not_offered(pretend, device, advice):
    pretend([CPU])
    with pytest.raises(
        OptionError, match=f"onnxruntime 9.9 offers CPUExecutionProvider: .*{advice}"
    ):
        providers.choose(device)


def test_a_device_that_is_offered_and_does_not_run(pretend):
    pretend([CUDA, CPU])
    with pytest.raises(
        ModelError, match=r"but a session runs on CPUExecutionProvider: .*device='cpu'"
    ):
        providers.choose("cuda")


def test_a_provider_that_raises_does_not_run(pretend, monkeypatch):
    runtime = pretend([CUDA, CPU])

    def refuse(*_, **__):
        raise RuntimeError("no driver")

    monkeypatch.setattr(runtime, "InferenceSession", refuse)
    with pytest.raises(ModelError, match="a session runs on nothing"):
        providers.choose("cuda")


def test_what_a_session_runs_on_is_read_back():
    cuda = providers._CHOICES["cuda"]
    providers.verify([CUDA, CPU], cuda)
    with pytest.raises(ModelError, match="runs on CPUExecutionProvider"):
        providers.verify([CPU], cuda)
    with pytest.raises(ModelError, match="runs on CPUExecutionProvider, CUDAExecutionProvider"):
        providers.verify([CPU, CUDA], cuda)


def test_both_distributions_are_explained(pretend, capsys):
    pretend([CPU], installed={"onnxruntime": "9.9", "onnxruntime-gpu": "9.8"})
    with pytest.raises(
        OptionError,
        match=r"both installed, into the same folder.*pip uninstall -y onnxruntime onnx",
    ):
        providers.choose("cuda")
    assert main(["models", "check"]) == 0
    assert "warning    onnxruntime 9.9 and onnxruntime-gpu 9.8 are both" in capsys.readouterr().out


def test_no_runtime(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r"scission\[cpu\].*scission\[gpu\]"):
        providers.choose("auto")
    monkeypatch.setitem(
        sys.modules, "onnxruntime", SimpleNamespace()
    )  # what uninstalling one of two leaves
    with pytest.raises(MissingExtra, match="not whole"):
        providers.choose("auto")


def test_unknown_device():
    with pytest.raises(
        OptionError, match="device must be one of 'auto', 'cpu', 'cuda', 'coreml', got 'tpu'"
    ):
        providers.choose("tpu")


def test_precisions():
    assert providers.CPU.checked_precision(None) == "int8"
    assert providers.CPU.checked_precision("fp32") == "fp32"
    with pytest.raises(
        OptionError, match="one of 'fp32', 'fp16' with CUDAExecutionProvider, got 'int8'"
    ):
        providers._CHOICES["cuda"].checked_precision("int8")


def test_the_installed_runtime_runs_the_probe():
    pytest.importorskip("onnxruntime", reason="onnxruntime is part of scission[cpu]")
    providers._tried.cache_clear()
    assert providers._tried(CPU) == (CPU,)
    assert providers.choose("cpu") is providers.CPU
    assert set(providers.distributions()) & {"onnxruntime", "onnxruntime-gpu"}


def test_check_prints_a_verdict(pretend, capsys):
    pretend([CUDA, CPU])
    assert main(["models", "check"]) == 0
    out = capsys.readouterr().out
    assert "providers  CUDAExecutionProvider, CPUExecutionProvider" in out
    assert "cpu        yes: CPUExecutionProvider, int8 by default" in out
    assert "cuda       no: onnxruntime 9.9 offers CUDAExecutionProvider, but" in out
    assert out.endswith("verdict    transformers run on cpu\n")
    assert main(["models", "check", "--device", "cuda"]) == 2
    assert "verdict    no device runs them" in capsys.readouterr().out
    assert main(["models", "check", "--device", "tpu"]) == 2
    assert "device must be one of" in capsys.readouterr().err


def test_build_and_check_a_checkpoint(tmp_path, capsys):
    for package in ("onnx", "onnxruntime", "safetensors", "tokenizers"):
        pytest.importorskip(package, reason=f"{package} is part of scission[cpu]")
    from tests.tiny_bert import write_checkpoint

    folder = str(write_checkpoint(tmp_path / "tiny"))
    assert main(["models", "build", folder, "--precision", "fp32"]) == 0
    assert "fp32, fused graph, cosine to float32 1.0000" in capsys.readouterr().out
    assert main(["models", "check", folder, "--precision", "fp32", "--device", "cpu"]) == 0
    out = capsys.readouterr().out
    assert "lowest cosine to fp32 on the CPU 1.0000, the same again" in out
    assert main(["models", "build", "minilm-static"]) == 2
    assert "model must be a transformer, got 'minilm-static'" in capsys.readouterr().err


@pytest.mark.cuda
@pytest.mark.skipif("sys.platform == 'darwin'", reason="there is no CUDA")
def test_cuda_agrees_with_the_cpu(tmp_path):
    ort = pytest.importorskip("onnxruntime")
    if CUDA not in ort.get_available_providers():
        pytest.skip("onnxruntime-gpu is not installed")
    from scission.embed.onnx import OnnxEmbedder
    from tests.tiny_bert import write_checkpoint

    folder = write_checkpoint(tmp_path / "tiny")
    texts = ["the cat sat on the mat", "a king and a queen", "sun moon star " * 15]
    cpu = OnnxEmbedder(folder, device="cpu", precision="fp32").embed(texts)
    for precision, least in (("fp32", 0.9999), ("fp16", 0.999)):
        gpu = OnnxEmbedder(folder, device="cuda", precision=precision).embed(texts)
        assert (cpu * gpu).sum(axis=1).min() > least
