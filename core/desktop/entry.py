"""The entry in the user's application menu: a `.desktop` file and an icon, put there and taken away whole.

Source: Desktop Entry Specification 1.5 and Icon Theme Specification 0.13 (a user's own icons live in `hicolor`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

from core.desktop.exec_line import exec_line, parse_exec_line
from core.errors import AppError
from core.files import write_whole

# Also the application id of the window (`QGuiApplication.setDesktopFileName`), so that the two are shown as one.
NAME: Final = "stowage"
ROOT: Final = Path(__file__).resolve().parents[2]
ICON: Final = ROOT / "resources" / "icons" / "stowage.svg"

_TEXT: Final = """\
[Desktop Entry]
Type=Application
Name=Stowage
Name[ru]=Stowage
GenericName=Local language models
GenericName[ru]=Локальные языковые модели
Comment=Run language models on this computer with vLLM
Comment[ru]=Запуск языковых моделей на этом компьютере с помощью vLLM
Exec={exec}
Icon={name}
Terminal=false
StartupNotify=true
StartupWMClass={name}
Categories=Science;ArtificialIntelligence;
Keywords=LLM;AI;chat;model;vLLM;
Keywords[ru]=LLM;ИИ;чат;модель;нейросеть;vLLM;
"""


def install() -> tuple[Path, ...]:
    """Put the entry and the icon into the user's menu; what an older Stowage left there is replaced.

    Returns the files, the entry first.

    Raises:
        AppError: `desktop.unsupported` off Linux, `desktop.invalid`, `desktop.not_writable`; nothing is left then.
    """
    entry, icon = _files()
    icon_was_there = icon.exists()
    try:
        text = entry_text(launch_command())
        for path, data in ((icon, ICON.read_bytes()), (entry, text.encode())):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data, mode=0o644)
    except OSError as error:
        if not icon_was_there:
            _delete(icon)
        raise _not_writable(entry, error) from error
    _refresh(entry.parent)
    return entry, icon


def remove() -> tuple[Path, ...]:
    """Take both files away, and the folders that are empty then. Returns what was there.

    Raises:
        AppError: `desktop.unsupported`, `desktop.not_writable`.
    """
    files = _files()
    present = tuple(path for path in files if path.exists())
    try:
        for path in files:
            _delete(path)
    except OSError as error:
        raise _not_writable(files[0], error) from error
    if present:
        _refresh(files[0].parent)
    return present


def launch_command() -> list[str]:
    """What starts the window of this very installation, wherever it is called from."""
    if Path(sysconfig.get_path("purelib")).resolve() == ROOT:
        # Installed: by module, since a script there would put the whole of site-packages before the standard library.
        return [sys.executable, "-P", "-m", "stowage_start"]
    return [sys.executable, str(ROOT / "stowage_start.py")]


def entry_text(command: list[str]) -> str:
    """The checked text of the entry.

    Raises:
        AppError: `desktop.invalid` with what is wrong.
    """
    try:
        line = exec_line(command)
        understood = parse_exec_line(line)
    except ValueError as error:
        raise AppError("desktop.invalid", str(error), reason=str(error)) from error
    if understood[-len(command) :] != command:
        raise AppError("desktop.invalid", line, reason=f"{command} cannot be written as one line")
    if not os.access(command[0], os.X_OK):
        raise AppError("desktop.invalid", command[0], reason=f"{command[0]} cannot be started")
    text = _TEXT.format(exec=line, name=NAME)
    if problems := _validator_says(text):
        raise AppError("desktop.invalid", problems, reason=problems.splitlines()[0])
    return text


def _validator_says(text: str) -> str:
    """The complaints of `desktop-file-validate`; empty when it has none or is not there."""
    validator = shutil.which("desktop-file-validate")
    if validator is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="stowage-") as folder:
        draft = Path(folder) / f"{NAME}.desktop"
        draft.write_text(text, encoding="utf-8")
        done = subprocess.run([validator, str(draft)], capture_output=True, text=True, timeout=30, check=False)
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip() or f"exit code {done.returncode}"


def _files() -> tuple[Path, Path]:
    if sys.platform != "linux":
        raise AppError("desktop.unsupported", platform=sys.platform)
    data = _data_home()
    return data / "applications" / f"{NAME}.desktop", data / "icons/hicolor/scalable/apps" / f"{NAME}.svg"


def _data_home() -> Path:
    """A relative XDG_DATA_HOME counts as unset (XDG Base Directory Specification 0.8)."""
    value = os.environ.get("XDG_DATA_HOME", "")
    return Path(value) if value.startswith("/") else Path.home() / ".local" / "share"


def _delete(path: Path) -> None:
    path.unlink(missing_ok=True)
    home = _data_home()
    for folder in path.parents:
        if folder == home or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()


def _refresh(applications: Path) -> None:
    """Menus watch the folder themselves. Its MIME cache is brought up to date only where there is one: the entry
    opens no files, and a cache made for it would stay behind."""
    updater = shutil.which("update-desktop-database")
    if updater is not None and (applications / "mimeinfo.cache").exists():
        subprocess.run([updater, "-q", str(applications)], timeout=60, check=False, stdin=subprocess.DEVNULL)


def _not_writable(path: Path, error: OSError) -> AppError:
    where = error.filename if isinstance(error.filename, str) else str(path.parent)
    return AppError("desktop.not_writable", str(error), path=where, reason=error.strerror or str(error))
