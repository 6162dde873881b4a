"""A new provider is one YAML file in the user's own project: the one that the documentation shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragbench.cli.main import main
from tests.chat_server import chatting

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"


def test_the_provider_of_the_documentation_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.search(r"<!-- provider -->\n```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACME_API_KEY", "sk-acme-1")
    (tmp_path / "set" / "corpus").mkdir(parents=True)
    (tmp_path / "set" / "corpus" / "a.txt").write_text("年假满一年后每年十五天。", encoding="utf-8")
    row = '{"id": "q", "question": "年假几天？", "evidence": [{"doc": "a.txt", "quote": "每年十五天"}]}'
    (tmp_path / "set" / "questions.jsonl").write_text(row, encoding="utf-8")
    with chatting(lambda body: '{"question": "年假有多少天？"}') as server:
        text = shown[1].replace("https://llm.acme.example/v1", server.url)
        assert text != shown[1]
        (tmp_path / "configs" / "llm").mkdir(parents=True)
        (tmp_path / "configs" / "llm" / "acme.yaml").write_text(text, encoding="utf-8")
        code = main(
            [
                "run", "llm=acme", "query=rewrite", "rewriter=llm", "rewriter.every=true", "variant=bm25", "splitter=whole",
                "eval_set=local", "eval_set.path=set", "generator=none", "judge=none", "sink=files",
            ]
        )  # fmt: skip
    assert code == 0
    assert server.keys == ["Bearer sk-acme-1"]
    assert (server.asked[0]["model"], server.asked[0]["top_p"]) == ("acme-large", 0.9)
    assert "model calls, query: 1, 50 + 5 tokens, price unknown (acme-large)" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["ls", "llm"]) == 0
    assert "Acme's models." in capsys.readouterr().out
