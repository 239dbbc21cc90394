"""Bones as the files that an OpenSim model names."""

from __future__ import annotations

from pathlib import Path

from myodyne.errors import FileError
from myodyne.files.meshes import load_mesh
from myodyne.model import Model
from myodyne.view.scene import Mesh

_ENDINGS = (".vtp", ".obj", ".stl")


def meshes_of(model: Model, folder: str | Path) -> tuple[Mesh, ...]:
    """Return the meshes that a model names and that a folder holds; a folder that holds none of them is an error."""
    place = Path(folder)
    if not place.is_dir():
        raise FileError(f"{place}: there is no such folder of geometry")
    wanted = [(body, file) for body, part in model.bodies.items() for file in part.geometry]
    found = [(body, path) for body, file in wanted if (path := _inside(place, file)) is not None]
    if wanted and not found:
        raise FileError(
            f"{place}: none of the {len(wanted)} files that '{model.name}' names is here, as {wanted[0][1]}"
        )
    meshes = []
    for body, path in found:
        vertices, faces = load_mesh(path)
        meshes.append(Mesh(body, vertices, faces))
    return tuple(meshes)


def _inside(folder: Path, file: str) -> Path | None:
    """Return the file of a folder by its bare name: a model may not reach outside the folder."""
    name = Path(file.replace("\\", "/")).name
    path = folder / name
    return path if path.suffix.lower() in _ENDINGS and path.is_file() else None
