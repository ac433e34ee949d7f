"""The API of the loopback Hub: lists, model info, trees, refs, accounts, as huggingface_hub 2.4 asks for them."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from tests.fakes.hub_content import Commit, Content, Repo
from tests.fakes.hub_request import Handler

if TYPE_CHECKING:
    from tests.fakes.fake_hub import FakeHub

_MODEL: Final = re.compile(
    r"/api/models/((?:[^/]+/)?[^/]+?)"
    r"(?:/(revision|tree|paths-info|xet-read-token)/([^/]+)(?:/(.*))?|/(refs|auth-check))?"
)
_SORTS: Final = {
    "downloads": "downloads",
    "likes": "likes",
    "createdAt": "createdAt",
    "created_at": "createdAt",
    "lastModified": "lastModified",
    "last_modified": "lastModified",
    "trendingScore": "trendingScore",
    "trending_score": "trendingScore",
}
_UNITS: Final = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


def answer(hub: FakeHub, handler: Handler) -> bool:
    """Answer a request below /api; False when it is none of ours."""
    path = handler.request_line.path
    if path == "/api/whoami-v2":
        _whoami(hub, handler)
    elif path == "/api/models":
        _models(hub, handler)
    elif (found := _MODEL.fullmatch(path)) is not None:
        _model(hub, handler, found)
    else:
        return False
    return True


def _whoami(hub: FakeHub, handler: Handler) -> None:
    user = hub.users.get(handler.token)
    if user is None:
        handler.refuse(401, "", "Invalid username or password.")
        return
    token = {"displayName": "a token", "role": "read"}
    handler.json({"type": "user", "name": user, "fullname": user, "auth": {"accessToken": token}, "orgs": []})


# ---- lists -----------------------------------------------------------------------------------------------------------


def _models(hub: FakeHub, handler: Handler) -> None:
    query = handler.request_line.query
    found = [repo for repo in hub.repos.values() if _wanted(hub, repo, handler)]
    if (sort := _SORTS.get(handler.first("sort"))) is not None:
        found.sort(key=lambda repo: described(repo, repo.head)[sort], reverse=handler.first("direction", "-1") == "-1")
    start = int(handler.first("cursor", "0"))
    count = min(int(handler.first("limit", str(hub.page_size))), hub.page_size)
    headers: dict[str, str] = {}
    if start + count < len(found):
        rest = {name: values for name, values in query.items() if name != "cursor"} | {"cursor": [str(start + count)]}
        headers["Link"] = f'<{hub.url}/api/models?{urlencode(rest, doseq=True)}>; rel="next"'
    page = found[start : start + count]
    handler.json([_summary(repo, repo.head, query, listed=True) for repo in page], headers=headers)


def _wanted(hub: FakeHub, repo: Repo, handler: Handler) -> bool:
    query = handler.request_line.query
    shown = described(repo, repo.head)
    checks: dict[str, Callable[[str], bool]] = {
        "search": lambda text: all(word in repo.id.lower() for word in text.lower().split()),
        "author": lambda author: repo.id.lower().startswith(f"{author.lower()}/"),
        "filter": lambda tag: tag in {*shown["tags"], shown["pipeline_tag"], shown["library_name"]},
        "pipeline_tag": lambda task: shown["pipeline_tag"] == task,
        "gated": lambda wanted: bool(repo.gated) == (wanted.lower() == "true"),
        "num_parameters": lambda span: _in_span(shown.get("safetensors", {}).get("total"), span),
    }
    visible = hub.allowed(repo, handler.token, files=False)
    return visible and all(checks[name](value) for name in checks for value in query.get(name, ()))


def _in_span(total: int | None, span: str) -> bool:
    """ "min:1B,max:8B"."""
    if total is None:
        return False
    bounds = {part.partition(":")[0]: part.partition(":")[2] for part in span.split(",")}
    return _number(bounds.get("min", "0")) <= total <= _number(bounds.get("max", "1000T"))


def _number(text: str) -> float:
    factor = _UNITS.get(text[-1:].upper(), 1.0)
    return float(text.rstrip("KMBTkmbt")) * factor


# ---- one model -------------------------------------------------------------------------------------------------------


def _model(hub: FakeHub, handler: Handler, asked: re.Match[str]) -> None:
    repo = hub.find(handler, asked[1])
    if repo is None:
        return
    if asked[5] == "refs":
        handler.json(_refs(repo))
    elif asked[5] == "auth-check":
        _auth_check(hub, handler, repo)
    elif (commit := repo.commit(asked[3] or "main")) is None:
        handler.refuse(404, "RevisionNotFound", f"Invalid rev id: {asked[3]}")
    elif asked[2] == "tree":
        _tree(handler, repo, commit, asked[4] or "")
    elif asked[2] == "paths-info":
        paths = handler.form().get("paths", [])
        handler.json([entry(repo, path, commit.files[path]) for path in paths if path in commit.files])
    elif asked[2] == "xet-read-token":
        _xet_token(hub, handler)
    else:
        handler.json(_summary(repo, commit, handler.request_line.query, listed=False))


def _auth_check(hub: FakeHub, handler: Handler, repo: Repo) -> None:
    if hub.allowed(repo, handler.token, files=True):
        handler.json({})
    else:
        handler.refuse(403 if handler.token else 401, "GatedRepo", f"Access to model {repo.id} is restricted.")


def _refs(repo: Repo) -> dict[str, Any]:
    def named(names: dict[str, str], kind: str) -> list[dict[str, str]]:
        return [{"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": sha} for name, sha in names.items()]

    return {"branches": named(repo.branches, "heads"), "tags": named(repo.tags, "tags"), "converts": []}


def _tree(handler: Handler, repo: Repo, commit: Commit, folder: str) -> None:
    below = f"{folder}/" if folder else ""
    paths = [path for path in sorted(commit.files) if path.startswith(below)]
    if handler.first("recursive").lower() != "true":
        paths = [path for path in paths if "/" not in path[len(below) :]]
    handler.json([entry(repo, path, commit.files[path]) for path in paths])


def _xet_token(hub: FakeHub, handler: Handler) -> None:
    expires = str(int(time.time()) + 3600)
    handler.json(
        {"casUrl": hub.cas_url, "exp": int(expires), "accessToken": "xet"},
        headers={
            "X-Xet-Cas-Url": hub.cas_url,
            "X-Xet-Access-Token": "xet",
            "X-Xet-Token-Expiration": expires,
        },
    )


def entry(repo: Repo, path: str, found: Content) -> dict[str, Any]:
    """A file as the tree shows it."""
    shown: dict[str, Any] = {"type": "file", "path": path, "size": found.size, "oid": pointer(repo, path, found)}
    if repo.is_lfs(path, found):
        shown["lfs"] = {"oid": found.sha256, "size": found.size, "pointerSize": 134}
    if path in repo.xet:
        shown["xetHash"] = repo.xet[path]
    return shown


def pointer(repo: Repo, path: str, found: Content) -> str:
    """The git object: of the file itself, or of its LFS pointer (made up)."""
    return hashlib.sha1(found.sha256.encode()).hexdigest() if repo.is_lfs(path, found) else found.git_sha1


def described(repo: Repo, commit: Commit) -> dict[str, Any]:
    """Everything about a model but its files."""
    return {
        "_id": hashlib.md5(repo.id.encode()).hexdigest()[:24],
        "id": repo.id,
        "modelId": repo.id,
        "author": repo.id.partition("/")[0],
        "sha": commit.sha,
        "private": repo.private,
        "gated": repo.gated,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "trendingScore": 0,
        "tags": ["transformers", "safetensors", "text-generation"],
        "pipeline_tag": "text-generation",
        "library_name": "transformers",
        "lastModified": "2026-11-01T00:00:00.000Z",
        "createdAt": "2026-10-01T00:00:00.000Z",
        "usedStorage": sum(found.size for found in commit.files.values()),
    } | repo.meta


def _summary(repo: Repo, commit: Commit, query: dict[str, list[str]], *, listed: bool) -> dict[str, Any]:
    shown = described(repo, commit)
    expand, blobs = query.get("expand", []), "blobs" in query
    if "siblings" in expand or "full" in query or (not listed and not expand):
        shown["siblings"] = [_sibling(repo, path, commit.files[path], blobs) for path in sorted(commit.files)]
    if expand:
        return {name: value for name, value in shown.items() if name in ("_id", "id", "modelId", *expand)}
    return shown


def _sibling(repo: Repo, path: str, found: Content, blobs: bool) -> dict[str, Any]:
    shown: dict[str, Any] = {"rfilename": path}
    if blobs:
        shown |= {"size": found.size, "blobId": pointer(repo, path, found)}
        if repo.is_lfs(path, found):
            shown["lfs"] = {"sha256": found.sha256, "size": found.size, "pointerSize": 134}
    return shown
