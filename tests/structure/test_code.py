"""Source code: definitions kept whole, comments with what they describe, scopes, syntax errors."""

import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scission import CodeChunker, MissingExtra, OptionError
from scission.chunkers.structure import code_languages
from scission.chunkers.structure.code_languages import GRAMMARS, guess_language
from tests.helpers import PLAIN, assert_tiles, needs_data, wild_files, wild_text
from tests.structure.test_invariants import texts

BODY = {
    "python": "    total = 0\n    for row in rows:\n        total += row.amount * rate\n    return total\n",
    "ruby": "  total = 0\n  rows.each { |row| total += row * rate }\n  total\nend\n",
    "sql": "CREATE TABLE {0} (\n  id integer PRIMARY KEY,\n  name text,\n  amount numeric\n);\n",
    "bash": '{0}() {{\n  for row in rows; do\n    echo "$row" >> total\n  done\n}}\n',
}
BRACES = (
    "  int total = 0;\n  for (int i = 0; i < 10; i++) { total += i * rate; }\n  return total;\n}\n"
)
HEADS = {
    "python": "# About {0}.\n@cached\ndef {0}(rows, rate):\n" + BODY["python"],
    "ruby": "# About {0}.\ndef {0}(rows, rate)\n" + BODY["ruby"].replace("{", "{{").replace("}", "}}"),
    "sql": "-- About {0}.\n" + BODY["sql"],
    "bash": "# About {0}.\n" + BODY["bash"],
}  # fmt: skip


def _braced(head):
    return (head + " {\n" + BRACES).replace("{", "{{").replace("}", "}}").replace("NAME", "{0}")


HEADS["javascript"] = _braced("// About NAME.\nexport function NAME(rows, rate)")
HEADS["typescript"] = _braced("// About NAME.\nexport function NAME(rows: number[]): number")
HEADS["c"] = _braced("/* About NAME. */\nstatic int NAME(int rate)")
HEADS["cpp"] = _braced("// About NAME.\ntemplate <typename T>\nint NAME(T rate)")
HEADS["go"] = _braced("// About NAME.\nfunc NAME(rate int) int")
HEADS["rust"] = _braced("/// About NAME.\n#[inline]\npub fn NAME(rate: i32) -> i32")
HEADS["java"] = _braced("// About NAME.\n@Override\npublic int NAME(int rate)")
HEADS["csharp"] = _braced("/// About NAME.\n[Pure]\npublic int NAME(int rate)")
HEADS["php"] = _braced("/** About NAME. */\nfunction NAME($rate)")
#: Around methods, where functions do not stand alone.
AROUND = {"java": "class Outer {\n%s}\n", "csharp": "class Outer {\n%s}\n", "php": "<?php\n%s"}


@pytest.mark.parametrize("language", HEADS)
def test_functions_are_whole_with_their_comments(language):
    names = ["alpha", "beta", "gamma", "delta"]
    functions = [HEADS[language].format(name) for name in names]
    text = AROUND.get(language, "%s") % "\n".join(functions)
    chunks = CodeChunker(language=language, max_tokens=80).chunk(text)
    assert_tiles(text, chunks)
    assert all(chunk.metadata["language"] == language for chunk in chunks)
    for name, function in zip(names, functions, strict=True):
        (home,) = [chunk for chunk in chunks if function.strip() in chunk.text]
        assert [d.rsplit(".", 1)[-1] for d in home.metadata["definitions"]].count(name) == 1
    apart = CodeChunker(language=language, max_tokens=400, join=False).chunk(text)
    assert_tiles(text, apart)
    if language not in AROUND:
        assert [chunk.metadata["scope"] for chunk in apart] == [[name] for name in names]


def test_a_class_is_cut_between_its_methods():
    methods = "".join(
        f"    @property\n    def m{i}(self):\n        '''Say {i}.'''\n        return compute({i}, self.x)\n\n"
        for i in range(6)
    )
    text = f"import os\n\n\nclass Ships(Base):\n    '''Ships.'''\n\n{methods}\n\ndef last():\n    pass\n"
    chunks = CodeChunker(language="py", max_tokens=64).chunk(text)
    assert_tiles(text, chunks)
    assert all(chunk.metadata["scope"][0] == "Ships" for chunk in chunks[1:-1])
    assert chunks[1].metadata["scope"] == ["Ships"]
    assert chunks[1].text.startswith("class Ships")
    assert all(chunk.text.lstrip().startswith("@property") for chunk in chunks[2:-1])
    assert chunks[-1].metadata == {
        "language": "python",
        "scope": ["last"],
        "definitions": ["last"],
    }
    assert chunks[2].metadata["definitions"][0].startswith("Ships.m")


def test_an_oversize_body_is_cut_between_statements():
    statements = [f"    value_{i} = compute(alpha, {i})  # step {i}\n" for i in range(40)]
    text = "def long(alpha):\n" + "".join(statements) + "    return alpha\n"
    chunks = CodeChunker(language="python", max_tokens=60).chunk(text)
    assert_tiles(text, chunks)
    assert all(chunk.metadata["scope"] == ["long"] for chunk in chunks)
    assert all(any(line in chunk.text for chunk in chunks) for line in statements)
    assert min(chunk.token_count for chunk in chunks[:-1]) > 40


def test_a_comment_after_a_blank_line_stands_alone():
    text = "# Licence.\n\n# About f.\ndef f():\n    return '" + "x y " * 30 + "'\n"
    chunks = CodeChunker(language="python", max_tokens=50).chunk(text)
    assert [chunk.text.split("\n")[0] for chunk in chunks][:2] == ["# Licence.", "# About f."]


def test_names():
    cases = {
        "cpp": ("int A::b(int c) { return c; }", ["A::b"]),
        "go": ("package p\nfunc (s *Ship) Sail() {}\ntype T struct { a int }\n", ["Ship.Sail", "T"]),
        "rust": ("impl Show for Ship { fn show(&self) {} }", ["Ship", "Ship.show"]),
        "javascript": ("const go = () => { x(); };\nclass A { m() {} }", ["go", "A", "A.m"]),
        "typescript": ("interface I { a: string }\nnamespace N { export class C {} }", ["I", "N", "N.C"]),
        "sql": ("CREATE FUNCTION f() RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;", ["f"]),
        "ruby": ("module M\n  class A\n    def self.b; end\n  end\nend\n", ["M", "M.A", "M.A.b"]),
        "bash": ("f() { echo; }\nfunction g { echo; }\n", ["f", "g"]),
        "c": ("struct s { int a; };\nstruct s f(struct s *a) { return *a; }\n", ["s", "f"]),
        "php": ("<?php namespace N; trait T { function m() {} }", ["N", "T", "T.m"]),
        "java": ("enum E { A; void m() {} } record R(int a) { }", ["E", "E.m", "R"]),
        "csharp": ("namespace N { interface I { void M(); } struct S { } }", ["N", "N.I", "N.I.M", "N.S"]),
    }  # fmt: skip
    for language, (text, names) in cases.items():
        (chunk,) = CodeChunker(language=language).chunk(text)
        assert chunk.metadata["definitions"] == names, language


def test_the_language_is_told_by_name_or_first_line():
    assert guess_language("", {"source": "a/b.PY"}) == "python"
    assert guess_language("#!/usr/bin/env python3\n", {}) == "python"
    assert guess_language("#!/bin/sh -e\n", {"source": "run"}) == "bash"
    assert guess_language("<?php echo 1;", {}) == "php"
    assert guess_language("Dear all,", {"source": "letter.txt"}) is None
    assert guess_language("x", {"source": 7}) is None
    batch = CodeChunker().chunk_batch(
        ["def f(): pass", "Dear all."], metadata=[{"source": "a.py"}, {"source": "b"}]
    )
    assert [chunk.metadata["language"] for chunk in batch] == ["python", None]
    assert batch[0].metadata["source"] == "a.py"


CODE = [
    "def f(x):\n", "    return 1\n", "class A:\n", "  @dec\n", "# c\n", "{", "}", "(", ")", ";", "\n", "\r\n", "\r",
    "\t", "int x = 1;\n", "/* c */", "// d\n", '"s"', "'", "`", "fn f() {\n", "é", "\u0301", "👩‍🚀", "\ud800", "\x00",
    "if (a) {\n", "<?php ", "SELECT 1;\n", "#if X\n", "#endif\n", "end\n", "function g() {\n", "namespace n {\n",
    "x" * 40,
]  # fmt: skip


@pytest.mark.parametrize("language", [name for name in GRAMMARS if GRAMMARS[name].bundled])
@given(text=st.lists(st.sampled_from(CODE), max_size=30).map("".join))
def test_syntax_errors_are_no_obstacle(language, text):
    chunks = CodeChunker(language=language, max_tokens=12).chunk(text)
    assert_tiles(text, chunks)
    assert all(chunk.token_count <= 12 for chunk in chunks)


@given(text=texts)
def test_prose_is_no_obstacle(text):
    assert_tiles(text, CodeChunker(language="cpp", max_tokens=12).chunk(text))


@needs_data
@pytest.mark.parametrize("file", [name for name in wild_files() if name.startswith("code_")])
def test_wild_definitions_are_whole_or_above_the_limit(file):
    text = wild_text(file, 500 if PLAIN else None)
    chunks = CodeChunker(max_tokens=200).chunk(text, metadata={"source": file})
    assert_tiles(text, chunks)
    assert max(chunk.token_count for chunk in chunks) <= 200
    if file.endswith(("cli.py", "set.rs", ".cs", ".cu")) and not PLAIN:
        assert sum(bool(chunk.metadata["definitions"]) for chunk in chunks) > len(chunks) / 5


def test_deeply_nested_code():
    text = "x = " + "[" * 3000 + "1" + "]" * 3000
    assert_tiles(text, CodeChunker(language="python", max_tokens=50).chunk(text))
    text = "int x = " + "1 + " * 5000 + "1;"
    assert_tiles(text, CodeChunker(language="c", max_tokens=50).chunk(text))


def test_bad_options():
    with pytest.raises(OptionError, match=r"language must be one of 'bash'.*, got 'klingon'"):
        CodeChunker(language="klingon")
    with pytest.raises(OptionError, match="join must be True or False"):
        CodeChunker(join=1)


def test_a_missing_grammar_says_what_to_type(monkeypatch):
    real = code_languages.importlib.import_module

    def without(name):
        if name.startswith("tree_sitter"):
            raise ImportError(name)
        return real(name)

    code_languages.grammar_of.cache_clear()
    monkeypatch.setattr(code_languages.importlib, "import_module", without)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[code\]'"):
        CodeChunker(language="go")
    with pytest.raises(MissingExtra, match="pip install tree-sitter-kotlin"):
        CodeChunker(language="kotlin")
    (chunk,) = CodeChunker().chunk("package a", metadata={"source": "a.go"})
    assert chunk.metadata["language"] is None
    code_languages.grammar_of.cache_clear()


def test_missing_tree_sitter_says_what_to_type(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "tree_sitter":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"pip install 'scission\[code\]'"):
        CodeChunker()
