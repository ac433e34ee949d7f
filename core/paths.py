"""The only source of folders. Everything Stowage writes lives under one of these."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.errors import AppError

HOME_ENV = "STOWAGE_HOME"
ENGINES_ENV = "STOWAGE_ENGINES_DIR"


@dataclass(frozen=True, slots=True)
class Paths:
    """Folders of one user. `STOWAGE_HOME` puts all of them under one folder (portable use, tests);
    `STOWAGE_ENGINES_DIR` moves the engines alone (they are several GB)."""

    config: Path
    data: Path
    cache: Path
    state: Path
    engines: Path
    sockets: Path

    @classmethod
    def of_user(cls) -> Paths:
        if home := os.environ.get(HOME_ENV):
            root = Path(home).expanduser().absolute()
            config, data, cache, state = root / "config", root / "data", root / "cache", root / "state"
        else:
            # Imported here: with a home of its own nothing needs it, and this runs before the first paint.
            import platformdirs

            config = platformdirs.user_config_path("stowage", appauthor=False)
            data = platformdirs.user_data_path("stowage", appauthor=False)
            cache = platformdirs.user_cache_path("stowage", appauthor=False)
            state = platformdirs.user_state_path("stowage", appauthor=False)
        engines_env = os.environ.get(ENGINES_ENV)
        engines = Path(engines_env).expanduser().absolute() if engines_env else data / "engines"
        return cls(config, data, cache, state, engines, _socket_dir())

    @property
    def models(self) -> Path:
        """Checkpoints that Stowage made itself (the starter)."""
        return self.data / "models"

    @property
    def conversations_file(self) -> Path:
        return self.data / "conversations.db"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def launches(self) -> Path:
        """The ledger: one file per running server."""
        return self.state / "launches"

    @property
    def comparisons(self) -> Path:
        """Results of comparisons, one folder each."""
        return self.data / "comparisons"

    @property
    def launch_history(self) -> Path:
        """What launches have taught."""
        return self.state / "launches.db"

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.json"

    @property
    def profiles_file(self) -> Path:
        """Named presets of launches."""
        return self.config / "profiles.json"

    def ensure(self) -> None:
        """Make the folders, private to the user.

        Raises:
            AppError: `app.data_not_writable` with the folder and the system's reason.
        """
        import tempfile

        for folder in (self.config, self.data, self.cache, self.state, self.logs, self.launches):
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    pass
            except OSError as error:
                raise AppError("app.data_not_writable", str(error), path=str(folder), reason=error.strerror) from error


def _socket_dir() -> Path:
    """A short folder for Unix sockets: their paths may not exceed 107 bytes, so they cannot live under `state`."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and len(runtime) < 60 and os.access(runtime, os.W_OK):
        return Path(runtime) / "stowage"
    import tempfile

    return Path(tempfile.gettempdir()) / f"stowage-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
