"""What an endpoint is reached with: its address, and a key from the environment."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from ragbench.errors import ConfigError


def bearer(api_key_env: str, thing: str, key: str) -> dict[str, str]:
    """The header that carries the key of the environment variable `api_key_env`; none where that name is empty.

    `thing` is what needs it and `key` the configuration key that names the variable. Raises ConfigError where the
    variable is not set or cannot be sent.
    """
    if not api_key_env:
        return {}
    secret = os.environ.get(api_key_env, "").strip()
    if not secret:
        raise ConfigError(
            thing,
            expected=f"an API key in the environment variable {api_key_env}",
            found="it is not set",
            hint=f"Export it, or set {key}='' for a server without keys.",
        )
    if not secret.isascii() or not secret.isprintable():
        raise ConfigError(f"the API key in {api_key_env}", expected="ASCII characters", found="others")
    return {"Authorization": f"Bearer {secret}"}


def check_address(value: str, key: str) -> None:
    """Raises ConfigError where a base address is none, or holds what may be a secret: it is written to results."""
    if not value.startswith(("http://", "https://")):
        raise ConfigError(key, expected="an http(s) address", found=repr(value))
    parts = urlsplit(value)
    if "@" in parts.netloc or parts.query:
        hint = "Put the key into an environment variable and name it in api_key_env."
        raise ConfigError(key, expected="an address without user name, password or query", found="one with", hint=hint)
