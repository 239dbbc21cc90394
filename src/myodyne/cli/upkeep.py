"""``myodyne cache`` and ``myodyne schema``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from myodyne.cli.speech import Json, emit, show_facts


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete it; code is compiled again when needed.")] = False,
    as_json: Json = False,
) -> None:
    """Show the folder of compiled code and its size, or clear it."""
    from myodyne.native import cache as store

    folder = store.cache_folder()
    removed, freed = store.clear() if clear else (0, 0)
    sizes = [size for _, size, _ in store.entries(folder)]
    if as_json:
        emit(
            {
                "folder": str(folder),
                "entries": len(sizes),
                "bytes": sum(sizes),
                "largest_bytes": store.LARGEST_CACHE,
                "removed_entries": removed,
                "removed_bytes": freed,
            }
        )
        return
    facts = {
        "folder": str(folder),
        "entries": str(len(sizes)),
        "size": f"{sum(sizes) / 1e6:.1f} MB of at most {store.LARGEST_CACHE / 1e6:.0f} MB",
    }
    if clear:
        facts["removed"] = f"{removed} entries, {freed / 1e6:.1f} MB"
    show_facts("Compiled code", facts)


def schema() -> None:
    """Print the JSON schema of model files, for editors and other programs."""
    from myodyne.files.models.schema import schema_text

    sys.stdout.write(schema_text())
