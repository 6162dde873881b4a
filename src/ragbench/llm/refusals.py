"""What a server's refusal means: the key, the address, the model, the credit, the length, or the request itself."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ragbench.errors import ConfigError, DataError, UserError


class Refused(DataError):
    """The server will not take this request, whoever sends it (status 400, 413, 422 …)."""


class ContextOverflow(Refused):
    """The request is longer than the model reads."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to ask, and what messages call it.

    `title` is the thing (`rerank endpoint`), `key` the configuration key that holds the address, `api_key_env` the
    variable that holds the key (empty: none is sent), `hint` the next step when every try failed, `model_key` the
    configuration key that holds the model (empty: a model that is not known is no case of its own).
    """

    url: str
    title: str
    key: str
    api_key_env: str
    hint: str = "Try again later."
    model_key: str = ""


_NO_MODEL = re.compile(
    r"model_not_found|model[^.\n]{0,80}?(?:not[ _]found|not[ _]exist|does not exist|not available|unknown)"
    r"|(?:unknown|invalid|no such) model|模型不存在",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|maximum context|exceed_context|prompt is too long|too many tokens"
    r"|input is too long|max(?:imum)?[ _](?:input|prompt)[ _](?:tokens|length)"
    r"|range of input length|上下文长度|输入长度",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient[ _](?:quota|balance)|billing_hard_limit|arrearage|欠费|余额不足", re.IGNORECASE)
_SHOWN = 200


def is_out_of_credit(status: int, text: str) -> bool:
    """Whether a refusal is one that no waiting helps, though its status says so."""
    return status == 402 or (status in (403, 429) and bool(_NO_CREDIT.search(text)))


def refusal(status: int, text: str, address: Address) -> UserError:
    """The error of a status from 300 on that is not tried again; `text` is what the server says, without keys."""
    thing, found = f"{address.title} {address.url}", f"status {status}"
    said = f"{found}: {text[:_SHOWN]}"
    if is_out_of_credit(status, text):
        return ConfigError(thing, expected="a key with credit", found=said, hint="Check the account of the provider.")
    if status in (401, 403):
        hint = f"Check the key in the environment variable {address.api_key_env or '(none set)'}."
        return ConfigError(thing, expected="a key it accepts", found=found, hint=hint)
    if address.model_key and status in (400, 404, 422) and _NO_MODEL.search(text):
        return ConfigError(thing, expected="a model it knows", found=said, hint=f"Check {address.model_key}.")
    if status in (404, 405) or status < 400:
        path = "/" + address.url.rsplit("/", 1)[-1]
        return ConfigError(thing, expected=f"an address of {path}", found=found, hint=f"Check {address.key}.")
    if status == 413 or _TOO_LONG.search(text):
        hint = "Send less (fewer or shorter passages) or choose a model with a longer context."
        return ContextOverflow(thing, expected="a request that the model can read whole", found=said, hint=hint)
    return Refused(thing, expected="the request to be accepted", found=said)
