"""What the user chose, in one JSON file: versioned, atomic, unknown keys kept, one backup, never fatal."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from core.errors import AppError
from core.versioned_file import Migration, VersionedFile

VERSION: Final = 1

Language = Literal["system", "en", "ru"]
Theme = Literal["system", "light", "dark"]


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every setting with its default. GiB where a person types it, as the name says."""

    language: Language = "system"
    theme: Theme = "system"
    engine: str | None = None
    previous_engine: str | None = None
    own_engines: tuple[str, ...] = ()
    model_folders: tuple[str, ...] = ()
    last_model: str = "starter"
    context_tokens: int | None = None
    enforce_eager: bool = True
    cpu_kv_cache_gib: int = 1
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    leave_free_gib: float | None = None
    # The server's port: None for any free one at each launch.
    server_port: int | None = None
    # The server's key: "" for a new one at each launch. With `share` other computers in the network reach the server.
    api_key: str = ""
    share: bool = False
    system_prompt: str = ""
    max_answer_tokens: int = 1024
    chat_sidebar: bool = True
    # Of the messages' text, in per cent of the window's own.
    chat_zoom: int = 100
    keep_server_on_close: Literal["ask", "stop", "keep"] = "ask"
    # Minutes without a request after which a server is ended; 0: never.
    unload_after_idle_minutes: int = 0
    # Start servers so that they can be put to sleep (GPU builds; vLLM's developer endpoints are open on this computer).
    sleep_mode: bool = False
    window_geometry: str = ""
    # The Hub: "" means what the environment says, else huggingface.co, the system's proxy and certificates.
    hub_endpoint: str = ""
    hub_proxy: str = ""
    hub_ca_bundle: str = ""
    hub_offline: bool = False
    hub_cache: str = ""
    download_limit_bytes_per_s: int = 0
    downloads_after_close: Literal["pause", "go_on"] = "pause"


MIGRATIONS: Final[dict[int, Migration]] = {}


class SettingsStore:
    """Owner of the settings file. `current` is a frozen snapshot; `change` is the only way to a new one.

    A file that cannot be read is set aside and reported in `problems`; the backup, else the defaults, are used.
    """

    def __init__(self, path: Path) -> None:
        self._file = VersionedFile(path, "settings", VERSION, MIGRATIONS)
        self._unknown: dict[str, Any] = {}
        self.current = self._file.load(self._accept) or Settings()

    @property
    def problems(self) -> list[AppError]:
        return self._file.problems

    def change(self, **values: Any) -> Settings:
        """Replace some values and write the file.

        Raises:
            AppError: `settings.bad_value` for a value of the wrong type, `settings.not_saved` when the disk refuses;
                in both cases the old settings stay in force.
        """
        if self._file.changed_by_another:
            # The terminal beside the window (`stowage engine use`): what it chose stays.
            self.current = self._file.load(self._accept) or self.current
        raw: dict[str, Any] = msgspec.to_builtins(self.current) | values
        try:
            settings = msgspec.convert(raw, Settings, strict=True)
        except msgspec.ValidationError as error:
            raise AppError("settings.bad_value", str(error), key=", ".join(values), reason=str(error)) from error
        self._file.save(self._unknown | msgspec.to_builtins(settings))
        self.current = settings
        return settings

    def _accept(self, raw: dict[str, Any]) -> Settings:
        """One bad value costs that value, not the file."""
        fields = set(Settings.__struct_fields__)
        self._unknown = {key: value for key, value in raw.items() if key not in fields}
        known = {key: value for key, value in raw.items() if key in fields}
        try:
            return msgspec.convert(known, Settings)
        except msgspec.ValidationError:
            good: dict[str, Any] = {}
            for key, value in known.items():
                try:
                    msgspec.convert({key: value}, Settings)
                except msgspec.ValidationError as error:
                    self._file.report("bad_value", str(error), key=key, reason=str(error))
                else:
                    good[key] = value
            return msgspec.convert(good, Settings)
