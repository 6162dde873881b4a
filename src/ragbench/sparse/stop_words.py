"""Words that carry grammar and no subject, Chinese and English, left out of a sparse index and its queries.

People ask in words that documents seldom hold ("how do I", "怎么", "我们"). Where such a word is rare in a corpus its
idf is high, and BM25 then ranks the chat log that holds it above the rule that answers. Negations (`no`, `not`, `不`,
`没`) stay, and so do single Latin letters but `i`: `vitamin A`, `R 语言` and `C` are subjects.
"""

from __future__ import annotations

_ENGLISH = """
an the of in on at to for and or but nor if then than so as by with from into onto over under about between through
during before after again once is am are was were be been being do does did doing done have has had having will would
shall should can could may might must i me my mine myself we us our ours ourselves you your yours yourself he him his
she her hers it its itself they them their theirs this that these those there here what which who whom whose when
where why how any some such each both all just only also too very own same other please tell want need get got let
"""

_CHINESE = """
的 地 得 了 着 过 是 在 和 与 及 以及 或 或者 也 都 就 而 而且 被 把 对 对于 于 以 为 之 其 此 这 那 这个 那个 这些
那些 这样 那样 这里 那里 这儿 那儿 有 有的 个 一个 一下 一些 吗 呢 吧 啊 呀 哦 嘛 么 我 你 您 他 她 它 我们 你们 他们
她们 它们 咱 咱们 大家 自己 什么 啥 谁 哪 哪个 哪些 哪里 哪儿 怎 怎么 怎样 怎么样 怎么办 如何 多少 几 何时 为什么 为何
为啥 是否 是不是 能 能否 能不能 可以 可不可以 可 要 要不要 会 会不会 想 应该 应 该 需要 请 请问 告诉 知道 还 还是 再
又 很 最 更 到 去 来 给 让 从 向 跟 但 但是 不过 如果 要是 的话 因为 所以 由于 等 等等 现在 时候
"""

FUNCTION_WORDS = frozenset(_ENGLISH.split()) | frozenset(_CHINESE.split())
