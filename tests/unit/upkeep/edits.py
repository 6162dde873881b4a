"""Random edits of a folder: add, modify, delete, rename, touch, revert, save in another encoding."""

from __future__ import annotations

import os
import random
from pathlib import Path

WORDS = {
    "zh": """年假 结转 审批 员工 报销 发票 主管 服务器 备份 集群 版本 发布 窗口 流程 合同 采购 质量 设备 三天 五个工作日""".split(),  # noqa: SIM905
    "en": """backup retention node snapshot cluster invoice approval release window refund warranty 30 days must not never""".split(),  # noqa: SIM905
}
ENCODINGS = {
    "zh": ("utf-8", "utf-8-sig", "utf-16", "gb18030"),
    "en": ("utf-8", "utf-8-sig", "utf-16"),
    "mixed": ("utf-8", "utf-16"),
}


class Editor:
    """Edits files below `folder` by a seeded generator; every text that it writes holds a word of its own, `uidNNNN`.

    `dead` are such words of texts that stand in no file any more.
    """

    def __init__(self, folder: Path, seed: int, n_sentences: int = 8) -> None:
        self.folder = folder
        self._random = random.Random(seed)
        self._n_sentences = n_sentences
        self._texts: dict[str, str] = {}
        self._history: dict[str, list[str]] = {}
        self._n = 0
        self.kinds: list[str] = []

    def edit(self) -> None:
        """One edit."""
        kinds = ["add", "modify", "modify", "delete", "rename", "touch", "revert", "encode", "cut"]
        kind = self._random.choice(kinds if len(self._texts) > 3 else ["add"])
        self.kinds.append(kind)
        getattr(self, f"_{kind}")()

    @property
    def alive(self) -> set[str]:
        """The words that stand in some file."""
        return {word for text in self._texts.values() for word in text.split() if word.startswith("uid")}

    @property
    def dead(self) -> list[str]:
        """The words that once did."""
        return sorted({f"uid{n:04}" for n in range(1, self._n + 1)} - self.alive)

    def _add(self) -> None:
        language = self._random.choice(("zh", "en", "mixed"))
        folder = self._random.choice(("", "sub/", "文档/"))
        self._save(f"{folder}{language}-{self._n}.{self._random.choice(('md', 'txt'))}", self._text(language))

    def _modify(self) -> None:
        name = self._pick()
        paragraphs = self._texts[name].split("\n\n")
        paragraphs.insert(self._random.randrange(len(paragraphs) + 1), self._paragraph(self._language(name)))
        if len(paragraphs) > 3:
            del paragraphs[self._random.randrange(len(paragraphs))]
        self._save(name, "\n\n".join(paragraphs))

    def _cut(self) -> None:
        name = self._pick()
        self._save(name, self._texts[name].split("\n\n")[0])

    def _delete(self) -> None:
        name = self._pick()
        del self._texts[name]
        (self.folder / name).unlink()

    def _rename(self) -> None:
        name = self._pick()
        self._n += 1
        new = f"{Path(name).parent.as_posix()}/{self._language(name)}-{self._n}{Path(name).suffix}"
        (self.folder / name).rename(self.folder / new)
        self._texts[new] = self._texts.pop(name)

    def _touch(self) -> None:
        day = 1_700_000_000 + 86400 * self._random.randrange(400)
        os.utime(self.folder / self._pick(), (day, day))

    def _revert(self) -> None:
        name = self._random.choice(sorted(self._history))
        self._save(name, self._random.choice(self._history[name]))

    def _encode(self) -> None:
        name = self._pick()
        encoding = self._random.choice(ENCODINGS[self._language(name)])
        (self.folder / name).write_bytes(self._texts[name].encode(encoding))

    def _pick(self) -> str:
        return self._random.choice(sorted(self._texts))

    def _language(self, name: str) -> str:
        return Path(name).name.split("-")[0]

    def _save(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self._texts[name] = text
        self._history.setdefault(name, []).append(text)

    def _text(self, language: str) -> str:
        parts = [f"# {self._random.choice(WORDS['zh' if language == 'zh' else 'en'])}"]
        return "\n\n".join(parts + [self._paragraph(language) for _ in range(self._random.randrange(1, 4))])

    def _paragraph(self, language: str) -> str:
        self._n += 1
        words = WORDS["zh"] + WORDS["en"] if language == "mixed" else WORDS[language]
        chosen = self._random.choices(words, k=self._random.randrange(3, self._n_sentences * 3))
        return f"uid{self._n:04} " + ("" if language == "zh" else " ").join(chosen)
