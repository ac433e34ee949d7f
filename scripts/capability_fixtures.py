"""Make the capabilities fixtures of the tests: the facts of real vLLM wheels, without their help texts.

    python scripts/capability_fixtures.py 0.10.2 0.33.0      # fetches each wheel (300 to 500 MB), reads it, deletes it
    python scripts/capability_fixtures.py --package DIR 0.32.0+cpu --platform cpu     # from an unpacked package

They land in tests/data/capabilities; `tests/core/test_capabilities_of_wheels.py` holds them to what is known.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from core.engine.capabilities.model import Capabilities  # noqa: E402
from core.engine.capabilities.read import read_capabilities  # noqa: E402

DATA = ROOT / "tests" / "data" / "capabilities"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+")
    parser.add_argument("--package", type=Path, help="an unpacked `vllm` folder, for a single version")
    parser.add_argument("--platform", default="cuda")
    args = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    for version in args.versions:
        if args.package is not None:
            write(read_capabilities(args.package, version, args.platform))
            continue
        with tempfile.TemporaryDirectory(prefix="stowage-wheel-") as folder:
            write(read_capabilities(fetched(version, Path(folder)), version, args.platform))


def fetched(version: str, folder: Path) -> Path:
    """The `vllm` folder of a wheel, its Python text only."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder)]
    subprocess.run([*command, f"vllm=={version}"], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "text", [name for name in archive.namelist() if name.endswith(".py")])
    wheel.unlink()
    return folder / "text" / "vllm"


def write(found: Capabilities) -> None:
    # A help text is prose of another project; what follows from it (deprecated, no effect) is kept.
    options = tuple(msgspec.structs.replace(option, help="") for option in found.options)
    controls = tuple(msgspec.structs.replace(control, help="") for control in found.ple)
    slim = msgspec.structs.replace(found, options=options, ple=controls)
    path = DATA / f"{found.version}{'-cpu' if found.platform == 'cpu' else ''}.json"
    fields = msgspec.to_builtins(slim)
    lines = [f"{msgspec.json.encode(name).decode()}:{compact(value)}" for name, value in fields.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(path.relative_to(ROOT), path.stat().st_size)


def compact(value: object) -> str:
    """One record a line, so that a change shows where it is."""
    if isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        return "[\n" + ",\n".join(msgspec.json.encode(each).decode() for each in value) + "\n]"
    return msgspec.json.encode(value).decode()


if __name__ == "__main__":
    main()
