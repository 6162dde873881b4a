"""Which column of a table people made is which field of a question, and what its words mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragbench.errors import DataError
from ragbench.records.question import CATEGORIES, DIFFICULTIES, LANGUAGES, SPLITS
from ragbench.text.normal import comparison_form

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "qid", "question_id", "编号", "序号", "问题编号"),
    "question": ("question", "query", "questions", "user_input", "问题", "提问", "问句", "用户问题"),
    "quote": ("quote", "quotes", "evidence", "reference_contexts", "引用", "引文", "原文", "证据", "依据", "原文引用"),
    "doc": ("doc", "docs", "document", "file", "filename", "path", "文档", "文件", "文件名", "来源文件", "出处"),
    "reference": ("reference", "answer", "answers", "ground_truth", "答案", "参考答案", "标准答案", "回答"),
    "category": ("category", "type", "question_type", "类别", "类型", "分类", "问题类型"),
    "difficulty": ("difficulty", "level", "难度", "难度等级"),
    "language": ("language", "lang", "语言", "语种"),
    "answerable": ("answerable", "可答", "可回答", "是否可答", "有答案"),
    "split": ("split", "划分", "数据集划分"),
}
_WORDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "category": {
        "lookup": ("fact", "factual", "single", "single-hop", "simple", "查询", "事实", "单跳", "查找"),
        "procedure": ("how-to", "howto", "process", "流程", "步骤", "操作"),
        "change": ("update", "version", "变更", "变化", "修订", "版本"),
        "identifier": ("code", "number", "编号", "代码", "型号"),
        "comparison": ("compare", "对比", "比较"),
        "multi_hop": ("multi", "multi-hop", "multihop", "multi hop", "多跳", "综合", "多文档"),
        "vague": ("ambiguous", "模糊", "含糊", "口语"),
        "negative": ("unanswerable", "null", "none", "无解", "无答案", "不可答", "拒答"),
    },
    "difficulty": {"easy": ("简单", "易", "容易"), "medium": ("中等", "中", "一般"), "hard": ("困难", "难", "高")},
    "language": {"zh": ("chinese", "中文", "汉语"), "en": ("english", "英文", "英语"), "mixed": ("混合", "中英混合")},
    "split": {"dev": ("train", "validation", "开发", "开发集"), "test": ("测试", "测试集")},
    "answerable": {
        "true": ("yes", "y", "1", "是", "可答", "有"),
        "false": ("no", "n", "0", "否", "不可答", "无"),
    },
}
_CANONICAL = {
    "category": CATEGORIES,
    "difficulty": DIFFICULTIES,
    "language": LANGUAGES,
    "split": SPLITS,
    "answerable": ("true", "false"),
}


def mapped_columns(found: Sequence[str], given: Mapping[str, str], where: str) -> dict[str, str]:
    """Field → column: as given, else by the names people use, each column once.

    Raises:
        DataError: an unknown field or column is given, two columns fit one field, or none is the question's.
    """
    for field, column in given.items():
        if field not in NAMES:
            raise DataError(f"--column {field}={column}", expected=f"one of {', '.join(NAMES)}", found=field)
        if column not in found:
            raise DataError(f"--column {field}={column}", expected=f"a column of {where}", found=_listed(found))
    mapping = dict(given)
    for field, names in NAMES.items():
        known = {comparison_form(name) for name in names}
        fitting = [column for column in found if comparison_form(column) in known and column not in given.values()]
        if field in mapping or not fitting:
            continue
        if len(fitting) > 1:
            hint = f"Say which: --column {field}={fitting[0]}"
            raise DataError(where, expected=f"one column for {field}", found=", ".join(fitting), hint=hint)
        mapping[field] = fitting[0]
    if "question" not in mapping:
        hint = f"Name it: --column question={found[0] if found else 'COLUMN'}"
        raise DataError(where, expected="a column of questions", found=_listed(found), hint=hint)
    return mapping


def canonical(field: str, word: str) -> str | None:
    """The id of a word in a field with a fixed vocabulary (`对比` → `comparison`); None for a word that is none."""
    form = comparison_form(word)
    for own in _CANONICAL[field]:
        spellings = (own, own.replace("_", " "), own.replace("_", "-"), *_WORDS[field].get(own, ()))
        if form in {comparison_form(spelling) for spelling in spellings}:
            return own
    return None


def _listed(found: Sequence[str]) -> str:
    return ", ".join(found[:20]) + (", …" if len(found) > 20 else "") if found else "none"
