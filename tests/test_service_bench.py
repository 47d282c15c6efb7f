"""The benchmarks of services and GPUs run, small, on a CPU."""

import json

import pytest
from bench import service


def test_service(tmp_path, capsys):
    out = tmp_path / "service.json"
    arguments = ["--documents", "6", "--rounds", "1", "--callers", "1", "3", "-o", str(out)]
    results = service.main([*arguments, "--characters", "400"])
    assert json.loads(out.read_text())["callers"].keys() == {"1", "3"}
    for found in results["callers"].values():
        assert set(found) == {"one at a time", "batched, 2 ms", "batched, 0 ms"}
        for run in found.values():
            assert 0 < run["p50_ms"] <= run["p99_ms"]
            assert run["documents_per_s"] > 0
    assert capsys.readouterr().out.count("| batched, 2 ms |") == 2


@pytest.mark.slow
def test_gpu_on_a_cpu(tmp_path, capsys):
    for package in ("onnx", "onnxruntime", "safetensors"):
        pytest.importorskip(package, reason=f"{package} is part of scission[cpu]")
    from bench import gpu

    out = tmp_path / "gpu.json"
    arguments = ["--device", "cpu", "--precision", "fp32", "--layers", "1", "--documents", "3"]
    sizes = ["--characters", "600", "--sentences", "8", "--budgets", "128", "1024", "--rounds", "1"]
    results = gpu.main([*arguments, *sizes, "-o", str(out)])
    assert results["machine"]["provider"] == "CPUExecutionProvider"
    assert results["correctness"]["lowest_cosine"] == pytest.approx(1, abs=1e-5)
    assert [row["batch_tokens"] for row in results["throughput"]] == [128, 1024]
    for row in results["throughput"]:
        assert row["tokens_per_s"] > 0
        assert row["padding"] == 0  # on a CPU a batch holds one length
        assert 0 < row["share_model"] < 1
        assert row["share_sentences_and_tokens"] > 0
        assert 0 <= row["share_rest"] < 1
    assert "latency of one document: p50" in capsys.readouterr().out
    assert json.loads(out.read_text())["correctness"] == results["correctness"]
