"""Chinese names of people, places and institutions in a text."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_LONGEST = 2000
_SURNAMES = frozenset(
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏"
    "钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊殷施倪严牛温俞"
) | {"欧阳", "司马", "诸葛", "上官", "夏侯", "司徒", "令狐", "皇甫", "尉迟", "公孙", "慕容"}
_NOT_BEFORE_A_PLACE = frozenset("于任何何万方江金常白马高文石龙段")
_FAMILIAR = re.compile(r"[小老阿](?P<surname>.)")
# What the dictionary takes for names and is none in questions.
_NO_NAMES = frozenset(
    """
    城市 东西 平原 外国 爱国 南北 自治州 自治县 英雄 朝廷 太阳 哥哥 海洋 大桥 湖泊 高原 上市 建国 美丽 江湖 山区 大街
    王国 开国 共和国 城镇 大都 京城 阿哥 庆典 深度 山脉 回国 治安 大国 新鲜 古城 海峡 长度 山水 长大 冰川 河口 莫非
    琉璃瓦 普及 商城 内河 古典 阴阳 江山 高山 大海 山坡 河谷 上马 太平 福利 日志 甘泉 云集 青春 山河 直隶 神圣 莲蓬
    桥头堡 中路 新建 西门 河水 中断 山洞 都城 关联 海湾 上半场 湖水 广义 大圣 上山 江水 南门 新城 海关 舞美 大洋 山峰
    内城 石桥 中密度 北门 朝阳 下山 上台 之江 山寨 契约 二哥 入口 入市 金牙 路桥 都市 广布 西城 古都 诸国 重阳 重镇
    三角洲 江中 山口 大山 故城 千古 城堡 中道 深山 江河 伦理 泉水 渡江 城垣 大河 大湖 大江 关山 南口 治国 中和 天黑
    法典 四中 三中 长河 山镇 池塘 天桥 加盟 登山 密封 安宁 上门 立马 莫大 湖区 城南 沿河 海滩 西路 牡丹 西瓜 贵宾 东路
    滨海 沧海 入海 嘉宾 屯田 城西 北路 山林 山川 北风 赞美 大城 喜庆 四海 登极 台地 大门口 上路 礼拜 庙里 兴旺 深海
    山羊 青竹 远洋 井口 台基 中堂 山门 正南 深谷 朝野 台风 山岭 象牙 深水 中西 归国 渡河 河湾 河里 四门 江流 上铺 海岛
    入门 深渊 土城 河畔 如林 上岗 夕阳 河沟 远古 永固 港湾 新春 绕城 新桥 苏打 台站 东至 长寿 波及 来京 绵羊 旧城 江底
    古镇 五县 山庄 城东 广度 三鲜 江道 满口 六中 美德 欢庆 郡县 山野 乌黑 立国 密林 天宫 开朗 上古 上街 缅怀 端庄 珍藏
    松林 锦旗 黑洞 山沟 大伯 香水 广为 上楼 越野 四壁 后山 虎口 法度 浅海 法门 大兴土木 大中城市 入阁 大坝 台大 山丘
    新旧 沧桑 朝霞 滑坡 南瓜 小国 云头 串联 黑马 青山 美化 长脚 葡萄园 回城 深藏 两城 山村 登门 古堡 大关 海鲜 太阳穴
    山崖 西街 开山 盐湖 阳极 扎根 东街 蓝牙 得意洋洋 满头大汗 万国 横梁 满嘴 山城 恩典 三山 三边 下海 大城市 贵国
    大江南北 三联 新区 加密 巴士 中风 离京 爱美 列国 广博 上下水 罗列 以利 信口开河 塞车 花钱买 小港 普通员工 音乐会
    天文学 国际化 建设路 社会科学 解放区 四合院 施工队 统计学 中医药 联合会 伦理学 交易会 音乐厅 美术馆 公安局 卫生院
    商学院 通讯社 交易所 国家机关 党组织 中南部 中西部 国家队 人民政府 家里人 在城镇 荷尔蒙 海洛因
    """.split()  # noqa: SIM905 - words are read more easily than a list of quotes
)


def han_names(text: str) -> list[str]:
    """Names of people, places and institutions in the Chinese of a text's first 2,000 characters, each once, in order.

    Places and institutions are those that jieba's dictionary knows, people are found by surname (王海宁, 欧阳娜娜,
    老李, 陈经理). Names of companies and products that no dictionary holds (蜀南驱动) and those that are ordinary
    words too are not seen. The first call of a process that finds Han reads the dictionary (a second or two).
    """
    found = (name for run in _HAN.findall(text[:_LONGEST]) for name in _of_run(run))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def _of_run(run: str) -> tuple[str, ...]:
    tagger, known = _tagger()
    return tuple(_names([(pair.word, pair.flag) for pair in tagger.cut(run)], known))


def _names(words: Sequence[tuple[str, str]], known: frozenset[str]) -> Iterator[str]:
    at = 0
    while at < len(words):
        word, tag = words[at]
        after = words[at + 1] if at + 1 < len(words) else ("", "")
        if _joins(word, after):
            yield word + after[0]
            at += 1
        elif _is_name(word, tag, known):
            yield word
        at += 1


def _joins(word: str, after: tuple[str, str]) -> bool:
    """Whether a surname stands before what alone would be a place or a given name: 王 and 海宁."""
    given, tag = after
    named = tag[:2] in ("nr", "ns") and len(given) <= 2 and given not in _NO_NAMES
    return word in _SURNAMES - _NOT_BEFORE_A_PLACE and named


def _is_name(word: str, tag: str, known: frozenset[str]) -> bool:
    if len(word) < 2 or word in _NO_NAMES:
        return False
    if tag == "ns":
        return True
    if tag in ("nt", "nrt"):
        return len(word) > 2
    if not tag.startswith("nr"):
        return False
    if familiar := _FAMILIAR.fullmatch(word):
        return familiar["surname"] in _SURNAMES
    surname = word[:2] in _SURNAMES or word[0] in _SURNAMES
    return surname and len(word) <= 4 and (len(word) > 2 or word not in known)


@cache
def _tagger() -> tuple[Any, frozenset[str]]:
    """A tagger of our own, and the words of its dictionary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its regular expressions hold escapes that newer Pythons complain about
        import jieba
        from jieba import posseg

    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    known = frozenset(word for word, count in tokenizer.FREQ.items() if count)
    return posseg.POSTokenizer(tokenizer), known
