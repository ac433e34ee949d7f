"""What the Hub says, as frozen values. Sizes in bytes; None where the Hub did not say."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.events import ErrorInfo

if TYPE_CHECKING:
    from core.planner.plan import Plan

Gated = Literal["", "auto", "manual"]
Sort = Literal["trending", "downloads", "likes", "updated", "created"]


@dataclass(frozen=True, slots=True)
class RepoRef:
    """A model on the Hub as a person names it. `revision` is a branch, tag or commit; "" means the main branch."""

    repo_id: str
    revision: str = ""

    def __str__(self) -> str:
        return f"{self.repo_id}@{self.revision}" if self.revision else self.repo_id


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Parameter counts are in units (8e9 for 8B); `quantization` one of our names ("awq", "gptq", "fp8", ...), "" any;
    `updated_within_days` 0 any; `loadable_only`: only what vLLM can load as text generation."""

    text: str = ""
    sort: Sort = "trending"
    min_parameters: int = 0
    max_parameters: int = 0
    quantization: str = ""
    licence: str = ""
    author: str = ""
    gated: Literal["any", "open", "gated"] = "any"
    updated_within_days: int = 0
    loadable_only: bool = True


class Fit(enum.StrEnum):
    """How a model sits on this computer. `OFFLOAD`: runs with a part of its weights in RAM; `UNKNOWN`: not planned
    (yet, or at all: then `reason` says why)."""

    FITS = "fits"
    TIGHT = "tight"
    OFFLOAD = "offload"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FitBadge:
    """The planner's answer for one repository at one commit.

    `offload_bytes`: weights that would lie in RAM; `short_bytes`: what is missing on the tier that does not do (its id
    in `short_tier`); `tokens_per_s`: low and high of the predicted decode speed, None when not predicted; `exact` False
    when only file sizes or a parameter count were known; `reason` a word id of the group [fit_reason].
    """

    fit: Fit
    context_tokens: int = 0
    offload_bytes: int = 0
    short_bytes: int = 0
    short_tier: str = ""
    tokens_per_s: tuple[float, float] | None = None
    exact: bool = True
    reason: str = ""
    plan: Plan | None = None


@dataclass(frozen=True, slots=True)
class RepoRow:
    """One model in a list. `commit` is the revision everything else was read at; `weight_bytes` what vLLM would load,
    `download_bytes` all that a download fetches; `quantization` "" for plain weights; `cached`: "" not on this
    computer, "part", "whole"."""

    repo_id: str
    commit: str = ""
    parameters: int | None = None
    weight_bytes: int | None = None
    download_bytes: int | None = None
    dtype: str = ""
    quantization: str = ""
    architecture: str = ""
    context_tokens: int = 0
    licence: str = ""
    gated: Gated = ""
    downloads: int = 0
    likes: int = 0
    updated: str = ""
    tags: tuple[str, ...] = ()
    loadable: bool = True
    cached: Literal["", "part", "whole"] = ""
    badge: FitBadge | None = None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """`cursor` fetches the next page, "" when there is none; `stale`: from our own cache because the Hub could not be
    reached, for the reason in `problem`."""

    query: SearchQuery
    rows: tuple[RepoRow, ...]
    cursor: str = ""
    stale: bool = False
    problem: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository. `blob_id` is its git-sha1 (the ETag of a small file); `sha256` "" for files that are no
    LFS files; `xet_hash` "" where the file is not in Xet storage."""

    path: str
    size: int
    blob_id: str
    sha256: str = ""
    xet_hash: str = ""

    @property
    def etag(self) -> str:
        """The name of its blob in the cache."""
        return self.sha256 or self.blob_id


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another repository with the same model, usually another quantization."""

    row: RepoRow
    relation: Literal["base", "quantized", "same_base"]


@dataclass(frozen=True, slots=True)
class RepoDetails:
    """`needed`: the paths that vLLM loads, out of `files`; `card`: the README's Markdown without its YAML head;
    `remote_code`: the repository's Python files that loading would run, () when none is needed, `remote_code_allowed`
    whether the user allowed that for this commit; `warnings`: word ids of the group [repo_warning];
    `refused_by_engine`: why the chosen engine does not run it, as an error's words; `renamed_from`: the id that was
    asked for, "" when it is still the present one; `problem`: why all of this is from our own cache, None when the Hub
    answered."""

    row: RepoRow
    files: tuple[HubFile, ...]
    needed: tuple[str, ...]
    branches: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    card: str = ""
    remote_code: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refused_by_engine: ErrorInfo | None = None
    renamed_from: str = ""
    remote_code_allowed: bool = False
    problem: ErrorInfo | None = None

    @property
    def loadable(self) -> bool:
        """Whether there is anything to fetch for vLLM."""
        return not {"only_gguf", "no_weights"} & set(self.warnings)

    @property
    def needed_bytes(self) -> int:
        wanted = set(self.needed)
        return sum(file.size for file in self.files if file.path in wanted)

    @property
    def other_bytes(self) -> int:
        return sum(file.size for file in self.files) - self.needed_bytes


class DownloadState(enum.StrEnum):
    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"
    VERIFYING = "verifying"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DownloadInfo:
    """One model's download. `ref`: the branch or tag asked for, "" where it was a commit; `rate`: bytes/s over the last
    10 s, without what was there before; `eta_s` None until 3 s of data; `waits_for`: a word id of the group [waits_for]
    ("retry", "rate_limit", "stall", "disk", "other_process"), with `wait_s` until it tries again; `error` when it
    failed."""

    repo_id: str
    commit: str
    state: DownloadState
    ref: str = "main"
    done_bytes: int = 0
    total_bytes: int = 0
    rate: float = 0.0
    eta_s: float | None = None
    files_done: int = 0
    files_total: int = 0
    present_files: tuple[str, ...] = ()
    waits_for: str = ""
    wait_s: float = 0.0
    launch_after: bool = False
    error: ErrorInfo | None = None

    @property
    def key(self) -> str:
        return f"{self.repo_id}@{self.commit}"

    @property
    def model_id(self) -> str:
        """Of what it fetches, as a person names it: the revision only where it is not the main branch."""
        return self.repo_id if self.ref == "main" else f"{self.repo_id}@{self.ref or self.commit[:8]}"


@dataclass(frozen=True, slots=True)
class CachedRevision:
    """One commit of a cached model. `missing`: files that vLLM needs and that are not there or have another size;
    `freed_bytes`: what deleting only this revision frees; `verified`: "" never, else ISO time of the last full hash."""

    commit: str
    refs: tuple[str, ...]
    path: str
    size_bytes: int
    freed_bytes: int
    missing: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    verified: str = ""

    @property
    def whole(self) -> bool:
        return not self.missing and not self.damaged


@dataclass(frozen=True, slots=True)
class CachedRepo:
    """A model of the shared Hugging Face cache, by whichever tool it came. Times are Unix seconds, 0 when unknown;
    `partial_bytes`: unfinished downloads (`.incomplete` files); `freed_bytes`: what deleting all of it frees;
    `duplicate_bytes`: bytes that another repository of the cache holds as well; `in_use`: our server or a download uses
    it now. What is no model has its kind in front of its id ("datasets/org/name")."""

    repo_id: str
    path: str
    size_bytes: int
    last_used: float
    revisions: tuple[CachedRevision, ...]
    partial_bytes: int = 0
    freed_bytes: int = 0
    duplicate_bytes: int = 0
    in_use: bool = False


@dataclass(frozen=True, slots=True)
class Verified:
    """The full hash of one commit of the cache. `damaged`: files whose bytes are not those of the Hub; `unknown`: files
    with no hash to hold them to."""

    repo_id: str
    commit: str
    files: int
    hashed_bytes: int
    damaged: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheState:
    """The whole cache: its folder, what lies in it, what is free on its filesystem, leftovers that belong to nobody."""

    folder: str
    repos: tuple[CachedRepo, ...]
    size_bytes: int
    free_bytes: int | None
    orphans: tuple[str, ...] = ()
    orphan_bytes: int = 0
    warnings: tuple[ErrorInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """Who the Hub takes us for. `source`: where the token comes from ("env", "file", "" none); `user` "" while it is
    not checked; never the token itself. `problem`: what whoami said against it."""

    source: Literal["", "env", "file"]
    user: str = ""
    problem: ErrorInfo | None = None
