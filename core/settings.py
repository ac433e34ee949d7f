"""What the user chose, in one JSON file: versioned, atomic, unknown keys kept, one backup, never fatal."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from core.errors import AppError
from core.files import write_whole

log = logging.getLogger(__name__)

VERSION: Final = 1

Language = Literal["system", "en", "ru"]
Theme = Literal["system", "light", "dark"]


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every setting with its default. GiB where a person types it, as the name says."""

    language: Language = "system"
    theme: Theme = "system"
    engine: str | None = None
    own_engines: tuple[str, ...] = ()
    model_folders: tuple[str, ...] = ()
    last_model: str = "starter"
    context_tokens: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    leave_free_gib: float | None = None
    system_prompt: str = ""
    max_answer_tokens: int = 1024
    chat_sidebar: bool = True
    keep_server_on_close: Literal["ask", "stop", "keep"] = "ask"
    window_geometry: str = ""
    # The Hub: "" means what the environment says, else huggingface.co, the system's proxy and certificates.
    hub_endpoint: str = ""
    hub_proxy: str = ""
    hub_ca_bundle: str = ""
    hub_offline: bool = False
    hub_cache: str = ""
    download_limit_bytes_per_s: int = 0
    downloads_after_close: Literal["pause", "go_on"] = "pause"


# Pure steps from version n to n + 1, applied to the raw object before it is checked.
Migration = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: Final[dict[int, Migration]] = {}


class SettingsStore:
    """Owner of the settings file. `current` is a frozen snapshot; `change` is the only way to a new one.

    A file that cannot be read is set aside and reported in `problems`; the backup, else the defaults, are used.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._backup = path.with_suffix(".backup.json")
        self._unknown: dict[str, Any] = {}
        self._newer = False
        self.problems: list[AppError] = []
        self.current = self._load()

    def change(self, **values: Any) -> Settings:
        """Replace some values and write the file.

        Raises:
            AppError: `settings.bad_value` for a value of the wrong type, `settings.not_saved` when the disk refuses;
                in both cases the old settings stay in force.
        """
        raw: dict[str, Any] = msgspec.to_builtins(self.current) | values
        try:
            settings = msgspec.convert(raw, Settings, strict=True)
        except msgspec.ValidationError as error:
            raise AppError("settings.bad_value", str(error), key=", ".join(values), reason=str(error)) from error
        self._save(settings)
        self.current = settings
        return settings

    def _save(self, settings: Settings) -> None:
        if self._newer:
            raise AppError("settings.newer", path=str(self._path), found=None, known=VERSION)
        document = self._unknown | {"version": VERSION} | msgspec.to_builtins(settings)
        data = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._path.exists():
                write_whole(self._backup, self._path.read_bytes())
            write_whole(self._path, data)
        except OSError as error:
            raise AppError(
                "settings.not_saved", str(error), path=str(self._path), reason=error.strerror or str(error)
            ) from error

    def _load(self) -> Settings:
        for path in (self._path, self._backup):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                if path == self._path and not self._backup.exists():
                    return Settings()
                continue
            except OSError as error:
                self._report(AppError("settings.corrupt", str(error), path=str(path), kept_as=None, reason=str(error)))
                continue
            try:
                return self._decode(data, path)
            except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, KeyError) as error:
                self._set_aside(path, str(error))
        return Settings()

    def _decode(self, data: bytes, path: Path) -> Settings:
        raw = msgspec.json.decode(data, type=dict[str, Any])
        version = raw.pop("version", 0)
        if not isinstance(version, int):
            raise TypeError(f"version is {version!r}")
        if version > VERSION:
            # Written by a later Stowage: use what is understood and never overwrite it.
            self._newer = True
            self._report(AppError("settings.newer", path=str(path), found=version, known=VERSION))
        for step in range(version, VERSION):
            raw = MIGRATIONS.get(step, _unchanged)(raw)
        fields = set(Settings.__struct_fields__)
        self._unknown = {key: value for key, value in raw.items() if key not in fields}
        return self._convert({key: value for key, value in raw.items() if key in fields})

    def _convert(self, known: dict[str, Any]) -> Settings:
        """One bad value costs that value, not the file."""
        try:
            return msgspec.convert(known, Settings)
        except msgspec.ValidationError:
            good: dict[str, Any] = {}
            for key, value in known.items():
                try:
                    msgspec.convert({key: value}, Settings)
                except msgspec.ValidationError as error:
                    self._report(AppError("settings.bad_value", str(error), key=key, reason=str(error)))
                else:
                    good[key] = value
            return msgspec.convert(good, Settings)

    def _set_aside(self, path: Path, reason: str) -> None:
        kept = path.with_name(f"{path.name}.broken-{time.strftime('%Y%m%d-%H%M%S')}")
        try:
            path.replace(kept)
        except OSError as error:
            log.warning("cannot set %s aside: %s", path, error)
        self._report(AppError("settings.corrupt", reason, path=str(path), kept_as=str(kept), reason=reason))

    def _report(self, problem: AppError) -> None:
        log.warning("settings: %s", problem)
        self.problems.append(problem)


def _unchanged(raw: dict[str, Any]) -> dict[str, Any]:
    return raw
