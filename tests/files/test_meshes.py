import struct

import numpy as np
import pytest

from myodyne.errors import FileError
from myodyne.files.meshes import load_mesh

VTP = """<?xml version="1.0"?><VTKFile type="PolyData"><PolyData><Piece NumberOfPoints="4" NumberOfPolys="1">
<Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>
<Polys><DataArray Name="connectivity" format="ascii">0 1 2 3</DataArray><DataArray Name="offsets" format="ascii">4
</DataArray></Polys></Piece></PolyData></VTKFile>"""
OBJ = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 -1\n"
CORNERS = [[(0, 0, 0), (1, 0, 0), (1, 1, 0)], [(0, 0, 0), (1, 1, 0), (0, 1, 0)]]


def stl(binary):
    if binary:
        facets = [struct.pack("<12fH", 0, 0, 1, *np.ravel(corners), 0) for corners in CORNERS]
        return b"\0" * 80 + struct.pack("<I", 2) + b"".join(facets)
    facets = [
        "facet normal 0 0 1 outer loop " + " ".join(f"vertex {x} {y} {z}" for x, y, z in corners) + " endloop endfacet"
        for corners in CORNERS
    ]
    return ("solid plate " + " ".join(facets) + " endsolid").encode()


def area(vertices, faces):
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.vtp", VTP.encode()), ("a.obj", OBJ.encode()), ("a.stl", stl(True)), ("b.stl", stl(False))],
)
def test_a_square_of_two_triangles_is_read_from_every_format(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    vertices, faces = load_mesh(tmp_path / name)
    assert vertices.shape == (4, 3)
    assert faces.shape == (2, 3)
    assert area(vertices, faces) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.vtp", b"<!DOCTYPE a [<!ENTITY b 'c'>]><VTKFile/>", "entities are not allowed"),
        ("a.vtp", b"<VTKFile/>", "no <Piece>"),
        ("a.vtp", VTP.replace('format="ascii">0 0 0', 'format="binary">AAAA').encode(), "save the file as ASCII"),
        ("a.vtp", b"<VTKFile", "not a mesh"),
        ("a.vtp", VTP.replace("0 1 2 3<", "0 1 2 9<").encode(), "refers to a vertex that does not exist"),
        ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "NaN or infinite"),
        ("a.obj", b"hello", "no triangles"),
        ("a.obj", b"v 0 0\nv 1\n", "not a mesh"),
        ("a.stl", b"short", "not a mesh"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 4_000_000_000), "the file is shorter"),
        ("a.ply", b"", "not from '.ply'"),
    ],
)
def test_broken_files_are_refused_by_name(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError, match=message):
        load_mesh(tmp_path / name)
