"""How the Hub is reached: endpoint, token, proxy, certificates, offline; and where its cache lies.

The environment's names and their order are those of `huggingface_hub` 2.4 (constants.py), read at every call instead
of once at import. A setting beats the environment, so that a mirror can be chosen in the window.
"""

from __future__ import annotations

import functools
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2

from core.errors import AppError
from core.hub.places import hf_home, path_of
from core.settings import Settings
from core.version import __version__

DEFAULT_ENDPOINT: Final = "https://huggingface.co"
CONNECT_S: Final = 10.0
READ_S: Final = 15.0
"""Longest wait for the next byte of an answer."""
USER_AGENT: Final = f"stowage/{__version__}"

_TRUE: Final = frozenset(("1", "ON", "YES", "TRUE"))
_TOKEN_ENV: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_CA_ENV: Final = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Connection:
    """`endpoint` without a slash at its end; `proxy` "" means what the environment says (HTTPS_PROXY, NO_PROXY);
    `ca_bundle` a file or folder of certificates that are trusted besides the system's, "" none. `token` is never
    shown: not by `repr`, not in a log."""

    endpoint: str = DEFAULT_ENDPOINT
    token: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)
    ca_bundle: str = ""
    offline: bool = False

    @property
    def host(self) -> str:
        return urlsplit(self.endpoint).hostname or self.endpoint

    @property
    def headers(self) -> dict[str, str]:
        """Those of a request to the endpoint itself; never for another origin."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def owns(self, url: httpx2.URL | str) -> bool:
        """Whether `url` is of the endpoint's own origin: only there does the token go."""
        return httpx2.URL(url).origin == httpx2.URL(self.endpoint).origin


def read_connection(settings: Settings, environ: Mapping[str, str] = os.environ) -> Connection:
    """Raises: AppError: `hub.bad_endpoint` when the endpoint is no web address."""
    return Connection(
        endpoint=clean_endpoint(settings.hub_endpoint or environ.get("HF_ENDPOINT", "")),
        token=token_from_environment(environ) or token_from_file(environ),
        proxy=settings.hub_proxy.strip(),
        ca_bundle=settings.hub_ca_bundle.strip() or next((environ[name] for name in _CA_ENV if environ.get(name)), ""),
        offline=settings.hub_offline or any(_true(environ.get(n)) for n in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")),
    )


def clean_endpoint(text: str) -> str:
    """`text` as a person or a variable gives it; "" is the Hub itself. Raises `AppError` `hub.bad_endpoint`."""
    text = text.strip().strip("\"'")
    if not text:
        return DEFAULT_ENDPOINT
    url = (text if "://" in text else f"https://{text}").rstrip("/")
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or any(character.isspace() for character in url):
        raise AppError("hub.bad_endpoint", endpoint=text)
    return url


def clean_token(text: str) -> str:
    """A pasted token without what comes along with it: line ends, blanks, quotes, "Bearer", "HF_TOKEN="."""
    token = "".join(text.split("\n")).replace("\r", "").replace("\u200b", "").replace("\ufeff", "").strip()
    for head in ("export ", "HF_TOKEN=", "Authorization:", "Bearer "):
        token = token.strip("\"'` ")
        if token.lower().startswith(head.lower()):
            token = token[len(head) :].strip()
    return token.strip("\"'` ;,")


def token_from_environment(environ: Mapping[str, str] = os.environ) -> str:
    return clean_token(next((environ[name] for name in _TOKEN_ENV if environ.get(name)), ""))


def token_from_file(environ: Mapping[str, str] = os.environ) -> str:
    """The token of `hf auth login`; "" without one."""
    try:
        return clean_token(token_path(environ).read_text(encoding="utf-8"))
    except (OSError, UnicodeError):
        return ""


def token_path(environ: Mapping[str, str] = os.environ) -> Path:
    return path_of(environ.get("HF_TOKEN_PATH")) or hf_home(environ) / "token"


def open_client(connection: Connection, *, read_s: float = READ_S) -> httpx2.AsyncClient:
    """A client with a deadline on every step, that follows redirects and shows the token to the endpoint alone.

    Raises:
        AppError: `hub.bad_proxy`, `hub.bad_ca_bundle`.
    """

    async def authorize(request: httpx2.Request) -> None:
        """Runs before every hop: a redirect to another origin goes without the token."""
        if connection.owns(request.url):
            request.headers.update(connection.headers)
        else:
            request.headers.pop("Authorization", None)

    try:
        return httpx2.AsyncClient(
            headers={"User-Agent": USER_AGENT},
            verify=ssl_context(connection.ca_bundle),
            proxy=proxy_url(connection.proxy),
            timeout=httpx2.Timeout(read_s, connect=CONNECT_S),
            limits=httpx2.Limits(max_connections=16, keepalive_expiry=20.0),
            follow_redirects=True,
            max_redirects=5,
            event_hooks={"request": [authorize]},
        )
    except (ValueError, ImportError) as error:
        # A proxy of the environment: of an unknown scheme, or SOCKS.
        raise AppError("hub.bad_proxy", repr(error), proxy=_shown(connection.proxy), reason=str(error)) from error


@functools.lru_cache(maxsize=8)
def ssl_context(ca_bundle: str = "") -> ssl.SSLContext:
    """The system's certificates (or those of SSL_CERT_FILE), and `ca_bundle` besides. Verification is never off.

    Raises:
        AppError: `hub.bad_ca_bundle` when there are no certificates in it.
    """
    context = httpx2.create_ssl_context()
    if not ca_bundle:
        return context
    path = Path(ca_bundle).expanduser()
    try:
        if path.is_dir():
            context.load_verify_locations(capath=str(path))
        else:
            context.load_verify_locations(cafile=str(path))
    except OSError as error:  # ssl.SSLError is one too
        reason = error.strerror or str(error)
        raise AppError("hub.bad_ca_bundle", repr(error), path=ca_bundle, reason=reason) from error
    return context


def proxy_url(text: str) -> str | None:
    """None for "": what the environment says.

    Raises:
        AppError: `hub.bad_proxy` for what is no address, an unknown scheme, or SOCKS, which needs a library that is not
            there.
    """
    if not text:
        return None
    url = text if "://" in text else f"http://{text}"
    try:
        proxy = httpx2.Proxy(url)
        known = proxy.url.scheme in ("http", "https") and bool(proxy.url.host) and not any(map(str.isspace, url))
        reason = "" if known else f"scheme {proxy.url.scheme}" if proxy.url.host else "no host"
    except (ValueError, httpx2.InvalidURL) as error:
        known, reason = False, str(error)
    if not known:
        raise AppError("hub.bad_proxy", proxy=_shown(text), reason=reason)
    return url


def _shown(proxy: str) -> str:
    """A proxy without the password in it."""
    head, at, host = proxy.rpartition("@")
    if not at:
        return proxy
    return f"{head.partition('://')[0]}://{host}" if "://" in head else host


def _true(value: str | None) -> bool:
    return (value or "").upper() in _TRUE
