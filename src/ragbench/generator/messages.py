"""What a refusal says."""

from __future__ import annotations

from ragbench.text.language import answers_in_chinese

NO_CONTEXT = "no_context"
FEW_CONTEXTS = "few_contexts"
"""There are passages, but fewer than the variant answers from."""
LOW_RELEVANCE = "low_relevance"
"""Not even the most relevant passage is relevant enough."""
LOW_MEAN_RELEVANCE = "low_mean_relevance"
"""The passages taken together are not relevant enough."""
LOW_SUPPORT = "low_support"
NOT_IN_SOURCES = "not_in_sources"
"""A model that read the sources says that they do not hold the answer."""
NOT_GROUNDED = "not_grounded"
"""An answer was written, and the sources do not support what it claims."""

NOT_KNOWN = "not_known"
"""A model that was shown no sources says that it does not know."""

_MESSAGES = {
    (NO_CONTEXT, True): "没有检索到可供回答的资料。",
    (NO_CONTEXT, False): "No sources were found to answer from.",
    (FEW_CONTEXTS, True): "检索到的资料太少，不足以回答这个问题。",
    (FEW_CONTEXTS, False): "Too few sources were found to answer this question from.",
    (LOW_RELEVANCE, True): "检索到的资料与这个问题的相关性都不够高，因此不作答。",
    (LOW_RELEVANCE, False): "None of the retrieved sources is relevant enough to answer this question from.",
    (LOW_MEAN_RELEVANCE, True): "检索到的资料与这个问题的平均相关性不够高，因此不作答。",
    (
        LOW_MEAN_RELEVANCE,
        False,
    ): "The sources found, taken together, are not relevant enough to answer this question.",
    (LOW_SUPPORT, True): "检索到的资料中没有足够的依据回答这个问题。",
    (LOW_SUPPORT, False): "The retrieved sources do not hold enough to answer this question.",
    (NOT_GROUNDED, True): "检索到的资料不能支持生成的回答，因此不作答。",
    (NOT_GROUNDED, False): "The retrieved sources do not support the answer that was written, so none is given.",
    (NOT_KNOWN, True): "模型不知道这个问题的答案。",
    (NOT_KNOWN, False): "The model does not know the answer to this question.",
    (NOT_IN_SOURCES, True): "检索到的资料中没有这个问题的答案。",
    (NOT_IN_SOURCES, False): "The retrieved sources do not hold the answer to this question.",
}


def refusal_message(reason: str, question: str) -> str:
    """The sentence for a reason in the language of the question."""
    return _MESSAGES[reason, answers_in_chinese(question)]
