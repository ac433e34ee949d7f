"""What went wrong between us and the Hub, as an `AppError` by kind: its answers, and having none.

The Hub names the kind in `X-Error-Code` (huggingface_hub 2.4, utils/_http.py); a mirror may not, and then the status
and whether a token was sent decide.
"""

from __future__ import annotations

import re
import socket
import ssl
from typing import Final

import httpx2

from core.errors import AppError
from core.hub.connection import Connection
from core.hub.model import RepoRef
from core.hub.retry_after import asked_wait_s

DEFAULT_WAIT_S: Final = 60
_DNS: Final = re.compile(
    r"name or service not known|nodename nor servname|getaddrinfo|name resolution|no address associated", re.IGNORECASE
)


def failure_of(
    response: httpx2.Response, connection: Connection, ref: RepoRef | None = None, file: str = ""
) -> AppError:
    """The failure that an answer of status 400 or more stands for."""
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    detail = f"{response.request.method} {shown_url(response)}: {status} {code} {_message(response)}".strip()
    if status == 429:
        return AppError("hub.rate_limited", detail, seconds=asked_wait_s(response.headers) or DEFAULT_WAIT_S)
    if status >= 500:
        return AppError("hub.server_error", detail, status=status, host=connection.host)
    if status == 407:
        return AppError("hub.proxy", detail, reason="407")
    if ref is not None and (found := _of_repo(status, code, detail, connection, ref, file)) is not None:
        return found
    if status == 401 and connection.token:
        return AppError("hub.bad_token", detail)
    return AppError("hub.refused", detail, status=status, host=connection.host)


def _of_repo(status: int, code: str, detail: str, connection: Connection, ref: RepoRef, file: str) -> AppError | None:
    repo = ref.repo_id
    if code == "GatedRepo":
        # 401: nobody was recognised; 403: somebody was, who has not accepted the licence (or waits for its author).
        kind = "hub.gated_not_accepted" if status == 403 and connection.token else "hub.gated_no_token"
        return AppError(kind, detail, repo=repo, url=f"{connection.endpoint}/{repo}")
    if code == "RevisionNotFound":
        return AppError("hub.revision_not_found", detail, repo=repo, revision=ref.revision or "main")
    if code == "EntryNotFound":
        return AppError("hub.file_not_found", detail, repo=repo, file=file)
    if code == "RepoNotFound" or status == 404:
        return AppError("hub.not_found", detail, repo=repo)
    if status == 401:
        # The Hub answers so for a repository that is not there, or not for everyone.
        bad = connection.token and "token" in detail.lower()
        return AppError("hub.bad_token", detail) if bad else AppError("hub.not_found", detail, repo=repo)
    if status == 403:
        return AppError("hub.gated_not_accepted", detail, repo=repo, url=f"{connection.endpoint}/{repo}")
    return None


def no_answer(error: Exception, connection: Connection) -> AppError:
    """The failure behind a transport error: no route, no name, no answer in time, no trust, a proxy that refuses."""
    host = connection.host
    if isinstance(error, httpx2.ProxyError):
        return AppError("hub.proxy", repr(error), reason=str(error))
    if isinstance(error, httpx2.TimeoutException):
        seconds = next((value for value in _timeouts(error) if value), None)
        return AppError("hub.timeout", repr(error), host=host, seconds=seconds)
    chain = tuple(_chain(error))
    tls = next((cause for cause in chain if isinstance(cause, ssl.SSLError)), None)
    if tls is not None or "CERTIFICATE_VERIFY_FAILED" in str(error):
        reason = getattr(tls, "verify_message", "") or getattr(tls, "reason", "") or str(tls or error)
        return AppError("hub.tls", repr(error), host=host, reason=str(reason))
    if any(isinstance(cause, socket.gaierror) for cause in chain) or _DNS.search(str(error)):
        return AppError("hub.dns", repr(error), host=host)
    if isinstance(error, httpx2.TooManyRedirects | httpx2.UnsupportedProtocol | httpx2.DecodingError):
        return AppError("hub.not_a_hub", repr(error), endpoint=connection.endpoint, reason=str(error))
    return AppError("hub.unreachable", repr(error), host=host, reason=str(error) or type(error).__name__)


def shown_url(response: httpx2.Response) -> str:
    """The address without its query: signed links carry secrets there."""
    return str(response.request.url.copy_with(query=None, fragment=None))


def _message(response: httpx2.Response) -> str:
    return response.headers.get("X-Error-Message", "")[:200]


def _timeouts(error: httpx2.TimeoutException) -> tuple[float | None, ...]:
    try:
        found: dict[str, float | None] = error.request.extensions.get("timeout", {})
    except RuntimeError:
        return ()
    kind = "connect" if isinstance(error, httpx2.ConnectTimeout) else "read"
    return (found.get(kind),)


def _chain(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return found
