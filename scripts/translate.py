"""The window's translations: `python scripts/translate.py` brings them up to date, `--check` says whether they are.

Texts are collected from `gui` into `resources/translations/stowage_*.ts` (English holds only its plural forms) and
compiled into the `.qm` files that the window loads; both are kept in git. Uses the tools that come with PySide6.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("en", "ru")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        update(FOLDER)
        problems = unfinished(FOLDER)
    else:
        problems = stale() + unfinished(FOLDER)
    print("\n".join(problems) or "The translations are complete and fresh.")
    return 1 if problems else 0


def update(folder: Path) -> None:
    """Collect the texts into the .ts files of `folder` and compile them."""
    sources = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "gui").rglob("*.py"))
    for language in LANGUAGES:
        ts = folder / f"stowage_{language}.ts"
        plural = ["-pluralonly"] if language == "en" else []
        options = ["-no-obsolete", "-locations", "none", "-sort-messages", "-silent", "-target-language", language]
        _tool("lupdate", *options, *plural, *sources, "-ts", str(ts))
        _tool("lrelease", "-silent", str(ts), "-qm", str(ts.with_suffix(".qm")))


def stale() -> list[str]:
    """Files that an update would change."""
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary)
        for language in LANGUAGES:
            shutil.copy(FOLDER / f"stowage_{language}.ts", fresh)
        update(fresh)
        names = [f"stowage_{language}.{kind}" for language in LANGUAGES for kind in ("ts", "qm")]
        return [
            f"{name} is out of date: run scripts/translate.py"
            for name in names
            if not (FOLDER / name).is_file() or (FOLDER / name).read_bytes() != (fresh / name).read_bytes()
        ]


def unfinished(folder: Path) -> list[str]:
    """Texts without a translation, and translations that lost or gained a {placeholder}."""
    found: list[str] = []
    for language in LANGUAGES:
        for context in ET.parse(folder / f"stowage_{language}.ts").getroot().iter("context"):
            for message in context.iter("message"):
                found += [f"{language}: {context.findtext('name')}: {problem}" for problem in _problems(message)]
    return found


def _problems(message: ET.Element) -> list[str]:
    source = message.findtext("source") or ""
    translation = message.find("translation")
    if translation is None or translation.get("type") == "unfinished":
        return [f"not translated: {source!r}"]
    forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
    return [f"placeholders differ: {source!r}" for form in forms if _placeholders(form) != _placeholders(source)]


def _placeholders(text: str) -> list[str]:
    words = text.replace("}", "{").split("{")[1::2]
    return sorted([*words, *(mark for mark in ("%n", "%Ln") if mark in text)])


def _tool(name: str, *arguments: str) -> None:
    # Beside the interpreter, as pip installs them.
    program = Path(sys.executable).with_name(f"pyside6-{name}")
    subprocess.run([str(program), *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
