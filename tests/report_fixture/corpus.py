"""Four short documents and their chunks."""

from __future__ import annotations

import hashlib

from ragbench.records.document import Chunk, Document

_ZH = """# 年假管理办法
第一条 员工累计工作满一年不满十年的，年休假为5天；满十年不满二十年的，年休假为10天。
第二条 年假应在当年使用完毕，经部门负责人批准可顺延至次年3月31日。
第三条 未休年假按日工资收入的300%折算，离职时一并结清。
第四条 病假超过两个月的，当年不再享受年假。试用期员工不享受年假。
第五条 请假须提前3个工作日在 HR 系统提交，紧急情况可事后补办。
"""
_ZH2 = """# 差旅报销制度
一线城市住宿标准为每晚600元，其他城市为每晚400元。
报销单须在出差结束后15个自然日内提交，逾期每日扣减报销额的1%。
机票须选择经济舱；飞行超过6小时的，经总监批准可选择超级经济舱。
发票抬头与税号以财务公告 FIN-2024-017 为准。
"""
_EN = """# NimbusFlow Release Notes
Version 3.2 raises the default worker timeout from 30 to 45 seconds.
Error NF-4102 means that the queue token has expired; rotate it with `nimbus token rotate`.
The retention period of audit logs is 90 days on the Team plan and 365 days on the Enterprise plan.
Webhooks are retried five times with exponential backoff, then parked in the dead-letter queue.
"""
_MIXED = """# 数据平台 FAQ
如何重置 API Key?在控制台 Settings → Security 中点击 Rotate Key，旧 Key 在24小时后失效。
SLA 为 99.95%,P95 延迟不超过 200 ms，超出部分按月返还 service credit。
备份 (backup) 每6小时一次，保留14天，恢复演练每季度进行。
"""


def _document(doc_id: str, text: str) -> Document:
    digest = "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Document(doc_id, text, "md", digest, title=text.partition("\n")[0].lstrip("# "))


DOCUMENTS = (
    _document("hr/年假管理办法.md", _ZH),
    _document("finance/差旅报销制度.md", _ZH2),
    _document("product/release_notes.md", _EN),
    _document("platform/faq-中英.md", _MIXED),
)


def chunk_documents() -> list[Chunk]:
    """One chunk a line after the title."""
    chunks: list[Chunk] = []
    for document in DOCUMENTS:
        at = 0
        for line in document.text.splitlines(keepends=True):
            start, at = at, at + len(line)
            if line.startswith("#"):
                continue
            number, text = len(chunks), line.rstrip("\n")
            chunks.append(
                Chunk(
                    f"c{number:04d}", number, document.doc_id, start, start + len(text), text, text, (document.title,)
                )
            )
    return chunks


def window_chunks(size: int, overlap: int = 0, parent: int = 0) -> list[Chunk]:
    """Windows of `size` characters, `overlap` of them shared with the one before; with `parent`, each belongs to a
    stretch of so many characters that holds it. The last two lines of a document stay in no chunk."""
    chunks: list[Chunk] = []
    for document in DOCUMENTS:
        text = "".join(document.text.splitlines(keepends=True)[:-2])
        for start in range(0, len(text) - overlap, size - overlap):
            end = min(start + size, len(text))
            first = start - start % parent if parent else 0
            held = (first, min(len(text), max(end, first + parent))) if parent else None
            number, piece = len(chunks), text[start:end]
            headings = (document.title, "<b>二级</b>")
            chunks.append(
                Chunk(f"w{number:04d}", number, document.doc_id, start, end, piece, piece, headings, parent=held)
            )
    return chunks
