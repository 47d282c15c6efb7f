"""Prices, the account, answers on disk, and requests side by side."""

import json
import os
import stat
import threading
import time

import pytest

from scission import BudgetError, OptionError
from scission.remote import cache as caches
from scission.remote.cache import DiskCache, cache_key, default_folder, open_cache
from scission.remote.ledger import Ledger
from scission.remote.parallel import in_parallel
from scission.remote.prices import Price, price_of


def test_shipped_prices_have_a_date_and_are_found_by_name():
    from importlib.resources import files

    for name in ("prices.json", "chat_prices.json"):
        table = json.loads(files("scission").joinpath("data", name).read_text(encoding="utf-8"))
        assert table["as_of"] >= "2026"
        assert table["currency"] == "USD"
    assert price_of("text-embedding-3-small") == Price(0.02)
    assert price_of("gpt-4o-mini") == price_of("gpt-4o-mini-2024-07-18") == Price(0.15, 0.60)
    assert price_of("llama") is None


def test_own_prices_win(tmp_path, monkeypatch):
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"models": {"gpt-4o-mini": [1, 2], "llama": 0.5}}), encoding="utf-8")
    monkeypatch.setenv("SCISSION_PRICES", str(path))
    assert price_of("gpt-4o-mini") == Price(1.0, 2.0)
    assert price_of("llama") == Price(0.5)
    assert price_of("llama", {"llama": (3, 4)}) == Price(3.0, 4.0)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(OptionError, match="SCISSION_PRICES must name a JSON file"):
        price_of("llama")
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(OptionError, match="must map models to prices, got list"):
        price_of("llama")
    for bad in (-1, "free", (1, 2, 3), float("nan"), True):
        with pytest.raises(OptionError, match="must be a number of at least 0"):
            price_of("x", {"x": bad})


def test_the_account():
    ledger = Ledger("m", Price(1.0, 10.0), 1e-3)
    with ledger.request(100, 50) as receipt:
        receipt.input_tokens, receipt.output_tokens = 80, 20
    assert ledger.usage.cost == pytest.approx(280e-6)
    with pytest.raises(ValueError, match="lost"), ledger.request(100, 50):
        raise ValueError("lost")
    assert ledger.usage.requests == 1
    with pytest.raises(BudgetError), ledger.request(100, 70):
        pass
    with ledger.request(20, 70), pytest.raises(BudgetError), ledger.request(1, 0):
        pass
    assert ledger.usage.cost == pytest.approx(1e-3)


def test_the_cache(tmp_path):
    cache = DiskCache(tmp_path / "a" / "b")
    assert cache.get("x") is None
    cache.put({"x": b"1", "y": b"\xff\x00"})
    assert DiskCache(tmp_path / "a" / "b").get("y") == b"\xff\x00"
    cache.put({"x": b"2"})
    assert cache.get("x") == b"2"
    assert repr(cache) == f"DiskCache({str(tmp_path / 'a' / 'b')!r})"
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
    threads = [
        threading.Thread(target=lambda n=n: [cache.put({f"{n}-{i}": b"v"}) for i in range(20)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(cache.get(f"{n}-{i}") == b"v" for n in range(4) for i in range(20))
    cache.close()
    with pytest.raises(OptionError, match="cache must be a folder that can be written"):
        cache.get("x")
    with pytest.raises(OptionError, match="cache must be a folder"):
        cache.put({"x": b""})


def test_a_damaged_or_impossible_cache_is_an_error(tmp_path):
    (tmp_path / "answers.sqlite3").write_bytes(b"not a database, whatever it was before" * 99)
    with pytest.raises(OptionError, match=r"delete answers\.sqlite3 there if it is damaged"):
        open_cache(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OptionError, match="cache must be a folder"):
        open_cache(tmp_path / "file")


def test_keys_tell_everything_apart():
    keys = {
        cache_key("a", 1),
        cache_key("a", "1"),
        cache_key("a1"),
        cache_key("a", None),
        cache_key(["a", 1]),
    }
    assert len(keys) == 5
    assert cache_key({"b": 1, "a": "\ud800"}) == cache_key({"a": "\ud800", "b": 1})


def test_the_default_folder(monkeypatch, tmp_path):
    assert default_folder() == tmp_path / "cache"
    monkeypatch.delenv("SCISSION_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(caches.sys, "platform", "linux")
    assert default_folder() == tmp_path / "xdg" / "scission"
    monkeypatch.setattr(caches.sys, "platform", "darwin")
    assert default_folder().parts[-3:] == ("Library", "Caches", "scission")
    monkeypatch.setattr(caches.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert default_folder() == tmp_path / "scission"


def test_without_a_home_the_error_says_what_to_do(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(caches.Path, "home", no_home)
    monkeypatch.delenv("SCISSION_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    with pytest.raises(OptionError, match="set SCISSION_CACHE, or give cache=None"):
        open_cache(True)
    assert open_cache(False) is open_cache(None) is None


def test_side_by_side():
    running, most, lock = [0], [0], threading.Lock()

    def work(item):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.05)
        with lock:
            running[0] -= 1
        return item * item

    assert in_parallel(work, list(range(20)), 4) == [i * i for i in range(20)]
    assert most[0] == 4
    assert in_parallel(work, [], 4) == []
    assert in_parallel(work, [3], 1) == [9]


def test_the_first_failure_stops_what_is_not_begun():
    begun = []

    def work(item):
        begun.append(item)
        time.sleep(0.02)
        if item == 1:
            raise ValueError("one")
        return item

    with pytest.raises(ValueError, match="one"):
        in_parallel(work, list(range(50)), 2)
    assert len(begun) < 10
