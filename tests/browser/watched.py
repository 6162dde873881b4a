"""A page in the browser, what it asked for and what it complained of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
  const lum = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, i) => { const v = c[i] / 255; return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
  const back = (node) => { for (; node; node = node.parentElement) { const c = rgb(getComputedStyle(node).backgroundColor); if (c[3] > 250) return c; } return [255, 255, 255]; };
  const weak = new Set();
  for (const node of document.querySelectorAll("main *")) {
    if (node.closest("svg") || ![...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(node);
    const a = lum(rgb(style.color)), b = lum(back(node));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) weak.add(node.tagName + "." + node.className + " " + ratio.toFixed(2));
  }
  return [...weak];
}"""


@dataclass
class Watched:
    """A page, what it asked for, and what it complained of."""

    page: Any
    lang: str
    path: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: Path | None = None) -> None:
        self.page.goto((path or self.path).as_uri())


def watch(browser: Any, lang: str, path: Path, **options: Any) -> Iterator[Watched]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    watched = Watched(context.new_page(), lang, path)
    watched.page.on("request", lambda one: watched.requests.append(one.url))
    watched.page.on(
        "console", lambda one: watched.complaints.append(one.text) if one.type in ("error", "warning") else None
    )
    watched.page.on("pageerror", lambda one: watched.complaints.append(str(one)))
    watched.page.on("dialog", lambda one: watched.complaints.append(f"dialog {one.message}"))
    watched.open()
    yield watched
    context.close()
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(("file://", "data:"))] == []


def open_question(shown: Watched, question_id: str) -> Any:
    shown.page.locator("#questions-table tbody tr", has=shown.page.get_by_text(question_id, exact=True)).click()
    return shown.page.locator("#detail")
