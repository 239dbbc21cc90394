"""The tables of segments: typed right, consistent in themselves, adding up to the body."""

import csv
import math
from itertools import pairwise
from pathlib import Path

import pytest

from myodyne.errors import ModelError
from myodyne.library.anthropometry import (
    DE_LEVA,
    DE_LEVA_WHOLE_BODY,
    WINTER,
    WINTER_WHOLE_BODY,
    check_body,
    de_leva_segments,
    winter_segments,
)

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "winter_appendix"
SEXES = ("male", "female")
ALTERNATIVES = {
    "head": ["head_2"],
    "trunk": ["trunk_2", "trunk_3"],
    "upper_trunk": ["upper_trunk_2"],
    "forearm": ["forearm_2"],
    "hand": ["hand_2", "hand_3", "hand_4"],
    "shank": ["shank_2", "shank_3"],
}


def published(name):
    path = PUBLISHED / name
    if not path.exists():
        pytest.skip(f"the published table {name} is not beside this repository")
    with path.open(encoding="utf-8") as file:
        return {row["Segment"].strip().lower().replace(" ", "_"): row for row in csv.DictReader(file, delimiter="\t")}


def test_winter_is_the_published_table():
    renamed = {"shank": "leg", "foot_shank": "foot_leg"}
    table = published("BSP_DempsterWinter.txt")
    for name, row in WINTER.items():
        print_ = table[renamed.get(name, name)]
        assert (row.mass, row.centre) == (float(print_["Mass"]), float(print_["CM prox"])), name
        gyration = float(print_["Rg CM"])
        assert (row.gyration is None) if math.isnan(gyration) else (row.gyration == gyration), name


@pytest.mark.parametrize("sex", SEXES)
def test_de_leva_is_the_published_table(sex):
    table = published(f"BSP{sex}_ZdeLeva.txt")
    assert set(table) == set(DE_LEVA[sex])
    for name, row in DE_LEVA[sex].items():
        numbers = [float(table[name][column]) for column in ("Mass", "CM Long", "Rg Sag", "Rg Trans", "Rg Long")]
        assert [row.mass, row.centre, row.sagittal, row.transverse, row.longitudinal] == numbers, name
        assert row.ends == table[name]["Endpoints"].strip()


@pytest.mark.parametrize("sex", SEXES)
def test_lengths_make_the_alternative_rows_agree(sex):
    """One segment between other ends is the same mass: its radii in metres, and its centre, do not change.

    The lengths are not in the published files, so this redundancy is what confirms them.
    """
    table = DE_LEVA[sex]
    for name, others in ALTERNATIVES.items():
        for one, other in ((table[name], table[o]) for o in others):
            rounding = 0.0005 * (one.length + other.length)
            for radius in ("sagittal", "transverse", "longitudinal"):
                in_mm = getattr(one, radius) * one.length, getattr(other, radius) * other.length
                assert in_mm[0] == pytest.approx(in_mm[1], abs=rounding), (name, other.ends, radius)
            (start, end), (other_start, other_end) = one.ends.split("-"), other.ends.split("-")
            if start == other_start:
                assert one.centre * one.length == pytest.approx(other.centre * other.length, abs=0.15), other.ends
            if end == other_end:
                from_end = (1 - one.centre) * one.length, (1 - other.centre) * other.length
                assert from_end[0] == pytest.approx(from_end[1], abs=0.15), other.ends


@pytest.mark.parametrize("sex", SEXES)
def test_parts_of_the_trunk_make_the_trunk(sex):
    sized = de_leva_segments(70.0, 1.74, sex)
    parts = [sized["upper_trunk_2"], sized["middle_trunk"], sized["lower_trunk"]]
    whole = sized["trunk_2"]
    assert sum(part.length for part in parts) == pytest.approx(whole.length, rel=1e-9)
    assert sum(part.mass for part in parts) == pytest.approx(whole.mass, rel=1e-9)
    tops = [sum(part.length for part in parts[:number]) for number in range(3)]
    centres = [top + part.centre for top, part in zip(tops, parts, strict=True)]
    centre = sum(p.mass * c for p, c in zip(parts, centres, strict=True)) / whole.mass
    assert centre == pytest.approx(whole.centre, rel=0.01)
    shifted = sum(p.mass * (c - centre) ** 2 for p, c in zip(parts, centres, strict=True))
    # de Leva took the whole trunk from other regressions than its parts: they agree to a few percent.
    assert sum(p.transverse for p in parts) + shifted == pytest.approx(whole.transverse, rel=0.06)


@pytest.mark.parametrize("body", [(75.0, 1.75), (48.3, 1.512), (131.0, 2.03)])
def test_segments_weigh_what_the_body_weighs(body):
    mass = body[0]
    winter = winter_segments(*body)
    assert math.fsum(winter[n].mass * k for n, k in WINTER_WHOLE_BODY.items()) == pytest.approx(mass, rel=1e-14)
    for sex in SEXES:
        sized = de_leva_segments(*body, sex)
        assert math.fsum(sized[n].mass * k for n, k in DE_LEVA_WHOLE_BODY.items()) == pytest.approx(mass, rel=1e-14)


def test_masses_are_divided_by_the_sum_of_the_table():
    whole = math.fsum(DE_LEVA["female"][name].mass * count for name, count in DE_LEVA_WHOLE_BODY.items())
    assert whole == pytest.approx(0.9999, abs=1e-12)
    assert de_leva_segments(60.0, 1.70, "female")["thigh"].mass == pytest.approx(60.0 * 0.1478 / 0.9999, rel=1e-12)
    assert de_leva_segments(60.0, 1.70, "male")["thigh"].mass == pytest.approx(60.0 * 0.1416, rel=1e-12)


def test_groups_of_winter_weigh_what_their_parts_weigh():
    sized = winter_segments(80.0, 1.8)
    groups = {
        "forearm_hand": ["forearm", "hand"],
        "total_arm": ["upper_arm", "forearm_hand"],
        "foot_shank": ["foot", "shank"],
        "total_leg": ["thigh", "foot_shank"],
        "trunk_head_neck": ["trunk", "head_neck"],
        "hat": ["trunk_head_neck", "total_arm", "total_arm"],
    }
    for group, parts in groups.items():
        assert sized[group].mass == pytest.approx(sum(sized[part].mass for part in parts), rel=1e-12), group


def test_trunk_and_head_together_turn_like_the_published_group():
    sized = winter_segments(75.0, 1.75)
    trunk, head, both = sized["trunk"], sized["head_neck"], sized["trunk_head_neck"]
    apart = trunk.length + head.centre - trunk.centre
    reduced = trunk.mass * head.mass / (trunk.mass + head.mass)
    assert trunk.inertia + head.inertia + reduced * apart**2 == pytest.approx(both.inertia, rel=1e-12)
    # A trunk is longer than the line from hip to shoulder, yet compact: its radius lies between those of a thin
    # rod on that line and of two masses at its ends.
    assert 0.29 < math.sqrt(trunk.inertia / trunk.mass) / trunk.length < 0.5


@pytest.mark.parametrize("sex", SEXES)
def test_no_moment_exceeds_the_other_two(sex):
    for name, segment in de_leva_segments(75.0, 1.75, sex).items():
        small, middle, large = sorted([segment.sagittal, segment.transverse, segment.longitudinal])
        assert large <= small + middle, name


def test_sizes_scale():
    small, tall = winter_segments(60.0, 1.5), winter_segments(90.0, 1.8)
    for name, segment in small.items():
        assert tall[name].mass == pytest.approx(1.5 * segment.mass)
        assert tall[name].length == pytest.approx(1.2 * segment.length)
        assert tall[name].inertia == pytest.approx(1.5 * 1.2**2 * segment.inertia)
    women = de_leva_segments(60.0, 1.735, "female")
    assert women["thigh"].length == pytest.approx(0.3685)
    assert women["thigh"].centre == pytest.approx(0.3612 * 0.3685)
    assert women["shank"].longitudinal == pytest.approx(60.0 * 0.0481 / 0.9999 * (0.092 * 0.4386) ** 2)


def test_heights_of_winter_stack_up():
    sized = winter_segments(75.0, 2.0)
    legs = sized["thigh"].length + sized["shank"].length
    assert legs == pytest.approx((0.530 - 0.039) * 2.0)
    assert sized["trunk"].length == pytest.approx(0.288 * 2.0)
    lengths = [sized[name].length for name in ("thigh", "upper_arm", "forearm", "hand")]
    assert all(longer > shorter for longer, shorter in pairwise(lengths))


@pytest.mark.parametrize(
    ("mass", "height", "words"),
    [
        (75.0, 175.0, "centimetres"),
        (75.0, 0.0, "height"),
        (75.0, -1.7, "height"),
        (75.0, math.nan, "height"),
        (75000.0, 1.75, "grams"),
        (0.0, 1.75, "mass"),
        (math.inf, 1.75, "mass"),
        ("75", 1.75, "must be a number"),
        (75.0, True, "must be a number"),
        (75.0, None, "must be a number"),
    ],
)
def test_nonsense_is_refused(mass, height, words):
    for function in (check_body, winter_segments, de_leva_segments):
        with pytest.raises(ModelError, match=words):
            function(mass, height)


def test_unknown_sex_is_answered_with_the_known_ones():
    with pytest.raises(ModelError, match="did you mean 'female'"):
        de_leva_segments(60.0, 1.7, "femal")
