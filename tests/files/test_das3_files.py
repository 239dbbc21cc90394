"""The Dynamic Arm Simulator's export: what is read from it, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import myodyne as my
from myodyne.files.models.das3 import das3_model

EXPORT = Path(__file__).parents[3] / "shared" / "data" / "das3" / "rel2_model.json"


def segment(name: str, mass: float) -> dict[str, Any]:
    moment = 0.01 * mass
    return {
        "name": name,
        "mass": mass,
        "com": [0.0, -0.1 * mass, 0.0],
        "inertia": [[moment, 0, 0], [0, moment, 0], [0, 0, moment]],
    }


def joint(name: str, parent: str, child: str, **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "location": [0, 0, 0],
        "orientation": [0, 0, 0],
        "parent_segment": parent,
        "segment": child,
        **fields,
    }


# Made up: the fewest parts that an export can have.
SMALL: dict[str, Any] = {
    "dofs": [{"name": "SCy", "osim": "SC_y", "range": [-1.1, -0.3]}, {"name": "SCz", "osim": "SC_z", "range": [0, 1]}],
    "segments": [
        segment("ground", 0),
        segment("thorax", 20),
        segment("clavicle1", 0),
        segment("clavicler", 0.2),
        segment("scapular", 0.7),
        segment("handr", 0.5),
    ],
    "joints": [
        joint("base", "ground", "thorax"),
        joint(
            "sc1",
            "thorax",
            "clavicle1",
            r1_axis=[0, 1, 0],
            r1_coefs=[0, 1],
            r1_coordinates="SCy",
            r2_axis=[0, 0, 1],
            r2_coefs=[0, 0],
            t1_axis=[1, 0, 0],
            t1_coefs=[0, 0],
        ),
        joint("sc2", "clavicle1", "clavicler", r2_axis=[0, 0, 1], r2_coefs=[0, 1], r2_coordinates="SCz"),
        joint("ac", "clavicler", "scapular"),
        joint("rc", "scapular", "handr"),
    ],
    "muscles": [
        {
            "name": "trap1",
            "osim_name": "trap_1",
            "fmax": 118,
            "lceopt": 0.14,
            "lslack": 0.01,
            "pennopt": 0,
            "vmax": 10,
            "tact": 0.014,
            "tdeact": 0.05,
            "PEEslack": 1,
            "dof_names": "SCy",
            "lparams": [0, 1],
            "lcoefs": [0.22, 0.03],
        }
    ],
    "conoid": {
        "eps": 0.001,
        "stiffness": 80000,
        "length": 0.0174,
        "origin": [0.13, 0.02, 0.01],
        "insertion": [-0.05, 0.0, -0.02],
    },
    "scap_thorax": {
        "eps": 0.01,
        "k": 20000,
        "TS": [-0.12, -0.02, -0.03],
        "AI": [-0.12, -0.12, -0.02],
        "radii": [0.14, 0.2, 0.09],
        "center": [0.0, -0.14, 0.05],
    },
    "gravity": [0.0, -9.80665, 0.0],
}


def read(export: Any) -> my.Model:
    return das3_model(json.dumps(export).encode(), "arm.json")


def test_small_export() -> None:
    model = read(SMALL)
    assert list(model.bodies) == ["thorax", "clavicler", "scapular", "handr"]
    assert list(model.joints) == ["base", "sc", "ac", "rc"]
    assert list(model.coordinates) == ["SC_y", "SC_z"]
    assert [axis.direction for axis in model.joints["sc"].axes] == [(0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    assert model.muscles["trap_1"].path.length.terms[1] == my.Term(coefficient=0.03, powers=(1,))
    assert model.forces["hand_support"].force == (0.0, pytest.approx(0.5 * 9.80665), 0.0)


def test_it_is_read_and_written_like_other_models(tmp_path: Path) -> None:
    path = tmp_path / "arm.json"
    path.write_text(json.dumps(SMALL))
    model = my.load_model(path)
    my.save_model(model, tmp_path / "arm.yaml")
    assert my.load_model(tmp_path / "arm.yaml") == model


def test_moments_that_no_body_has_are_mended_and_reported() -> None:
    export = copy.deepcopy(SMALL)
    # The clavicle as published: 33 > 23 + 1 (1e-6 kg m²).
    export["segments"][3]["inertia"] = [
        [6.4e-6, -6.7e-6, -9.5e-6],
        [-6.7e-6, 2.63e-5, 2.9e-6],
        [-9.5e-6, 2.9e-6, 2.43e-5],
    ]
    model = read(export)
    assert model.bodies["clavicler"].inertia.yz == -2.9e-6
    assert "yz product of inertia of 'clavicler'" in model.source


Change = Callable[[dict[str, Any]], Any]

# name: (change of the export, words in the message)
FAULTS: dict[str, tuple[Change, str]] = {
    "no muscles": (lambda e: e.pop("muscles"), "it lacks 'muscles'"),
    "another table of fields": (lambda e: [e.pop(key) for key in ("dofs", "joints")], "it lacks 'dofs', 'joints'"),
    "muscles are text": (lambda e: e.update(muscles="all"), "muscles: "),
    "muscle without force": (lambda e: e["muscles"][0].pop("fmax"), "muscles.0.fmax: is missing"),
    "negative force": (lambda e: e["muscles"][0].update(fmax=-1), "muscles.0.fmax: .*not -1"),
    "force in quotes": (lambda e: e["muscles"][0].update(fmax="118"), "muscles.0.fmax: .*not '118'"),
    "fibres across the tendon": (lambda e: e["muscles"][0].update(pennopt=1.57), "muscles.0.pennopt: "),
    "tendon without length": (lambda e: e["muscles"][0].update(lslack=0), "muscles.0.lslack: "),
    "power of a half": (lambda e: e["muscles"][0].update(lparams=[0, 0.5]), r"muscles.0.lparams.1.0: .*not 0.5"),
    "negative power": (lambda e: e["muscles"][0].update(lparams=[0, -1]), r"muscles.0.lparams.1.0: .*not -1"),
    "too few coefficients": (lambda e: e["muscles"][0].update(lcoefs=[0.2]), "1 coefficients .* for 2 terms"),
    "too few powers": (lambda e: e["muscles"][0].update(dof_names=["SCy", "SCz"]), "'trap_1': .* 1 powers for 2"),
    "unknown coordinate of a muscle": (lambda e: e["muscles"][0].update(dof_names="SCx"), "crosses 'SCx'"),
    "muscle twice": (lambda e: e["muscles"].append(e["muscles"][0]), "muscle 'trap_1' appears in the export 2 times"),
    "coordinate twice": (lambda e: e["dofs"].append(e["dofs"][0]), "coordinate 'SC_y' appears in the export 2 times"),
    "range upside down": (lambda e: e["dofs"][0].update(range=[1, -1]), "empty or inverted"),
    "mass of a segment is huge": (lambda e: e["segments"][1].update(mass=10**400), "segments.1.mass: "),
    "impossible inertia": (
        lambda e: e["segments"][1].update(inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 5]]),
        "'thorax': .*triangle",
    ),
    "joint to nowhere": (lambda e: e["joints"][4].update(segment="foot"), "'rc' moves 'foot'"),
    "segment with two joints": (lambda e: e["joints"][4].update(segment="scapular"), "both move 'scapular'"),
    "joint on nothing": (lambda e: e["joints"][4].update(parent_segment="arm"), "unknown body 'arm'"),
    "circle without mass": (
        lambda e: e["joints"][1].update(parent_segment="clavicle1"),
        "no joint connects to the ground",
    ),
    "circle": (lambda e: e["joints"][0].update(parent_segment="handr"), "cycle"),
    "joint off a massless segment": (
        lambda e: e["joints"][2].update(location=[0, 0.1, 0]),
        "is offset from 'clavicle1'",
    ),
    "joint that translates": (lambda e: e["joints"][1].update(t1_coefs=[0.1, 0]), "'sc1' translates"),
    "axis turned for ever": (lambda e: e["joints"][1].update(r2_coefs=[0.1, 0]), "is rotated without a coordinate"),
    "axis of two numbers": (lambda e: e["joints"][1].update(r1_axis=[0, 1]), r"'sc1': r1_axis.2: is missing"),
    "zero axis": (lambda e: e["joints"][1].update(r1_axis=[0, 0, 0]), "zero vector"),
    "axis by an unknown coordinate": (lambda e: e["joints"][1].update(r1_coordinates="SCx"), "turns by 'SCx'"),
    "no hand": (lambda e: [e["segments"].pop(), e["joints"].pop()], "no segment 'handr'"),
    "no shoulder blade": (lambda e: e["segments"][4].update(name="blade"), "'scapular'"),
    "flat ellipsoid": (lambda e: e["scap_thorax"].update(radii=[0.1, 0.2, 0]), "scap_thorax.radii.2"),
    "ligament without ends": (lambda e: e["conoid"].update(origin=[]), "conoid.origin.0: is missing"),
    "everything is wrong": (lambda e: e.update(muscles=[{}] * 50), "and [0-9]+ more"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_the_content(name: str) -> None:
    change, words = FAULTS[name]
    export = copy.deepcopy(SMALL)
    change(export)
    with pytest.raises((my.FileError, my.ModelError), match=words) as caught:
        read(export)
    assert str(caught.value).startswith("arm.json: ")
    assert str(caught.value).count("\n") <= 10


WHOLE = json.dumps(SMALL).encode()
TEXTS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is not JSON"),
    "cut off": (WHOLE[: len(WHOLE) // 2], "line 1: is not JSON"),
    "a list": (b"[]", "not a table of fields"),
    "NaN": (WHOLE.replace(b"0.0174", b"NaN"), "holds NaN"),
    "infinity": (WHOLE.replace(b"0.0174", b"-Infinity"), "holds -Infinity"),
    "overflow": (WHOLE.replace(b"0.0174", b"1e999"), "conoid.length: "),
    "Latin text": (WHOLE.replace(b"trap1", b"trap\xe9"), "not UTF-8"),
    "nested deep": (b"[" * 100_000, "cannot be read as JSON|is not JSON"),
    "5000 digits": (WHOLE.replace(b"0.0174", b"9" * 5000), "cannot be read as JSON"),
    "too large": (b" " * 8_000_001, "larger than 8 MB"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_is_no_export(name: str) -> None:
    content, words = TEXTS[name]
    with pytest.raises((my.FileError, my.ModelError), match=words):
        das3_model(content, "arm.json")


@pytest.mark.skipif(not EXPORT.is_file(), reason="the Dynamic Arm Simulator's numbers are not beside the project")
def test_structure_of_the_release() -> None:
    model = my.load_model(EXPORT)
    assert list(model.coordinates) == [
        "SC_y",
        "SC_z",
        "SC_x",
        "AC_y",
        "AC_z",
        "AC_x",
        "GH_y",
        "GH_z",
        "GH_yy",
        "EL_x",
        "PS_y",
    ]
    assert len(model.bodies) == 7
    assert model.mass == pytest.approx(20 + 0.156 + 0.7054 + 2.0519 + 2 * 0.5464 + 0.525)
    assert len(model.muscles) == 138
    assert 2 * len(model.moving) + 2 * len(model.muscles) == 298
    assert max(len(muscle.path.length.of) for muscle in model.muscles.values()) == 9
    assert sum(len(muscle.path.length.terms) for muscle in model.muscles.values()) == 1052
    assert "'clavicler'" in model.source
