"""Scaled models: lengths, masses and inertia follow the factors, and the muscles their paths."""

from __future__ import annotations

import numpy as np
import pytest

import myodyne as my
from myodyne.analyse.markers.stretched import rotation, times


def a_leg() -> my.Model:
    """A thigh and a shank that slides while it turns, with a muscle around the knee, a ligament and a rod."""
    slide = my.Spline(coordinate="knee", x=(-2.0, -1.0, 0.0), y=(0.02, 0.012, 0.0))
    knee = my.Joint(
        parent=my.Placement(body="thigh", at=(0.0, -0.4, 0.0)),
        child=my.Placement(body="shank", at=(0.0, 0.1, 0.0)),
        axes=(
            my.Axis(motion="translation", direction="x", function=slide),
            my.Axis(motion="rotation", direction="z", function="knee"),
        ),
        coordinates={"knee": my.Coordinate(default=-0.5, range=(-2.0, 0.0))},
    )
    path = my.PointPath(
        points=(
            ("thigh", (0.05, -0.1, 0.01)),
            my.MovingPoint(body="shank", at=(my.Linear(coordinate="knee", slope=-0.01, offset=0.05), 0.05, 0.0)),
            ("shank", (0.03, 0.0, 0.0)),
        ),
        wraps=(my.Wrap(surface="condyles"),),
    )
    surface = my.WrapCylinder(frame=my.Placement(body="thigh", at=(0.0, -0.4, 0.0)), radius=0.03, length=0.1)
    band = my.PointPath(points=(("thigh", (-0.03, -0.3, 0.0)), ("shank", (-0.03, 0.0, 0.0))))
    return my.Model(
        name="leg",
        bodies={
            "thigh": my.Body(
                mass=7.0, centre_of_mass=(0.0, -0.2, 0.0), inertia=my.Inertia(xx=0.12, yy=0.02, zz=0.13, xy=0.001)
            ),
            "shank": my.Body(mass=3.0, centre_of_mass=(0.0, -0.1, 0.0), inertia=0.05),
        },
        joints={"hip": my.pin("ground", "thigh", "hip"), "knee": knee},
        surfaces={"condyles": surface},
        muscles={"quads": my.Muscle(max_force=5000.0, optimal_fibre_length=0.1, tendon_slack_length=0.2, path=path)},
        forces={"band": my.Ligament(path=band, slack_length=0.25, stiffness=1e4)},
        markers={
            "hip_m": my.Marker(body="thigh"),
            "knee_m": my.Marker(body="thigh", at=(0.0, -0.4, 0.0)),
            "ankle_m": my.Marker(body="shank", at=(0.0, -0.3, 0.0)),
        },
    )


def test_a_model_that_is_larger_all_over_is_the_same_from_further_away() -> None:
    small, factor = a_leg(), 1.25
    large = my.scale_model(small, factor)
    before, after = (my.equations_of(model, compiled=False) for model in (small, large))
    for q in ([0.0, -0.5], [0.4, -1.3]):
        assert after.muscle_lengths(q) == pytest.approx(factor * before.muscle_lengths(q), rel=1e-12)
        assert after.moment_arms(q) == pytest.approx(factor * before.moment_arms(q), rel=1e-9)
        # Mass grows with the third power of the length, the inertia with the fifth.
        assert after.mass_matrix(q) == pytest.approx(factor**5 * before.mass_matrix(q), rel=1e-12)
        assert after.centre_of_mass(q) == pytest.approx(factor * before.centre_of_mass(q), rel=1e-12)
    assert large.muscles["quads"].optimal_fibre_length == pytest.approx(0.125)
    assert large.muscles["quads"].tendon_slack_length == pytest.approx(0.25)
    assert large.forces["band"].slack_length == pytest.approx(0.25 * factor)
    assert large.muscles["quads"].max_force == 5000.0


def test_a_stretched_body_has_the_inertia_of_its_stretched_points() -> None:
    draw = np.random.default_rng(1)
    points, masses = draw.normal(size=(50, 3)), draw.uniform(0.1, 1.0, 50)
    points -= (masses[:, None] * points).sum(axis=0) / masses.sum()

    def inertia(places: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for r, m in zip(places, weights, strict=True))

    matrix = inertia(points, masses)
    body = my.Body(
        mass=masses.sum(),
        inertia=my.Inertia(
            xx=matrix[0, 0], yy=matrix[1, 1], zz=matrix[2, 2], xy=matrix[0, 1], xz=matrix[0, 2], yz=matrix[1, 2]
        ),
    )
    model = my.Model(name="cloud", bodies={"cloud": body}, joints={"root": my.pin("ground", "cloud", "turn")})
    by = np.array([1.3, 0.8, 1.1])
    for keep in (True, False):
        scaled = my.scale_model(model, {"cloud": by.tolist()}, keep_mass_distribution=keep).bodies["cloud"]
        grown = 1.0 if keep else by.prod()
        assert scaled.mass == pytest.approx(body.mass * grown)
        assert np.array(scaled.inertia.matrix) == pytest.approx(inertia(points * by, masses * grown), rel=1e-12)


def test_a_mass_is_shared_out_in_proportion() -> None:
    leg = a_leg()
    kept = my.scale_model(leg, {"thigh": (1.0, 1.2, 1.0)}, mass=20.0, keep_mass_distribution=True)
    assert [kept.bodies[name].mass for name in kept.bodies] == pytest.approx([14.0, 6.0])
    grown = my.scale_model(leg, {"thigh": (1.0, 1.2, 1.0)}, mass=20.0)
    assert grown.mass == pytest.approx(20.0)
    assert grown.bodies["thigh"].mass / grown.bodies["shank"].mass == pytest.approx(7.0 * 1.2 / 3.0)


def test_lengths_of_muscles_follow_their_paths() -> None:
    leg = a_leg()
    scaled = my.scale_model(leg, {"thigh": (1.1, 1.2, 0.9), "shank": 0.8})
    q = [0.0, -0.5]
    ratio = float(
        (
            my.equations_of(scaled, compiled=False).muscle_lengths(q)
            / my.equations_of(leg, compiled=False).muscle_lengths(q)
        )[0]
    )
    assert ratio != pytest.approx(1.0, abs=0.01)
    assert scaled.muscles["quads"].optimal_fibre_length == pytest.approx(0.1 * ratio, rel=1e-12)
    assert scaled.surfaces["condyles"].radius == pytest.approx(0.03 * 1.15)
    assert scaled.surfaces["condyles"].length == pytest.approx(0.1 * 0.9)
    assert scaled.joints["knee"].axes[0].function.y == pytest.approx((0.022, 0.0132, 0.0))
    assert scaled.joints["knee"].parent.at == pytest.approx((0.0, -0.48, 0.0))
    assert scaled.joints["knee"].child.at == pytest.approx((0.0, 0.08, 0.0))
    assert scaled.muscles["quads"].path.points[1].at[0].offset == pytest.approx(0.04)


def test_coordinates_that_slide_are_not_scaled() -> None:
    model = my.load_model("sliding_blocks")
    scaled = my.scale_model(model, 2.0)
    for name, joint in model.joints.items():
        assert [axis.function for axis in scaled.joints[name].axes] == [axis.function for axis in joint.axes]


def test_factors_come_from_markers() -> None:
    leg = a_leg()
    tall = my.scale_model(leg, {"thigh": 1.1, "shank": 1.3})
    equations = my.equations_of(tall, compiled=False)
    places = equations.kernel("markers")(np.array([0.2, -0.5]), np.empty(0))[0].reshape(1, -1, 3)
    record = my.Markers([0.0, 0.1], list(tall.markers), np.repeat(places, 2, axis=0))
    measures = {
        "thigh": my.Measurement([("hip_m", "knee_m")], {"thigh": "xyz"}),
        "both": my.Measurement([("hip_m", "knee_m"), ("knee_m", "hip_m")], {"shank": "yz"}),
    }
    assert my.scale_factors(leg, record, measures) == {
        "thigh": pytest.approx((1.1, 1.1, 1.1)),
        "shank": pytest.approx((1.0, 1.1, 1.1)),
    }


def test_a_set_up_file_shows_measurements_and_factors(tmp_path) -> None:
    file = tmp_path / "scale.xml"
    file.write_text("""<OpenSimDocument Version="30000"><ScaleTool name="s"><mass>72.5</mass><ModelScaler>
    <scaling_order>measurements manualScale</scaling_order><preserve_mass_distribution>true</preserve_mass_distribution>
    <MeasurementSet><objects><Measurement name="thigh"><apply>true</apply>
      <MarkerPairSet><objects><MarkerPair><markers> hip_m knee_m</markers></MarkerPair></objects></MarkerPairSet>
      <BodyScaleSet><objects><BodyScale name="thigh"><axes> X Y Z</axes></BodyScale></objects></BodyScaleSet></Measurement>
      <Measurement name="off"><apply>false</apply></Measurement></objects></MeasurementSet>
    <ScaleSet><objects><Scale><scales> 1 1.2 1</scales><segment>/bodyset/shank</segment><apply>true</apply></Scale></objects></ScaleSet>
    <marker_file>static.trc</marker_file><time_range> 0.5 1</time_range></ModelScaler></ScaleTool></OpenSimDocument>""")
    setup = my.load_scale_setup(file)
    assert setup.mass == 72.5
    assert setup.keep_mass_distribution
    assert setup.measurements == {"thigh": my.Measurement([("hip_m", "knee_m")], {"thigh": "xyz"})}
    assert setup.merged({"thigh": (1.1, 1.1, 1.1)}) == {"thigh": (1.1, 1.1, 1.1), "shank": (1.0, 1.2, 1.0)}
    assert setup.time_range == (0.5, 1.0)
    file.write_text("<OpenSimDocument Version='40000'><Model/></OpenSimDocument>")
    with pytest.raises(my.FileError, match="ModelScaler"):
        my.load_scale_setup(file)


@pytest.mark.parametrize(
    "function",
    [
        my.Constant(value=0.2),
        my.Linear(coordinate="q", slope=2.0, offset=1.0),
        my.Polynomial(of=("q",), terms=(my.Term(coefficient=2.0, powers=(2,)),)),
        my.Spline(coordinate="q", x=(0, 1, 2), y=(0.1, 0.4, 0.3)),
        my.PiecewiseLinear(coordinate="q", x=(0.0, 1.0), y=(1.0, 2.0)),
        my.Fourier(coordinate="q", period=1.0, mean=0.1, slope=0.2, cosines=(0.3,), sines=(0.4,)),
        my.Product(factors=("q", 0.5)),
    ],
    ids=lambda function: function.kind,
)
def test_every_function_can_be_multiplied(function) -> None:
    slide = my.Joint(
        parent=my.Placement(body="ground"),
        child=my.Placement(body="b"),
        coordinates={"q": my.Coordinate()},
        axes=(
            my.Axis(motion="translation", direction="x", function=function),
            my.Axis(motion="rotation", direction="z", function="q"),
        ),
    )
    places = []
    for one in (function, times(function, 3.0)):
        joint = slide.model_copy(update={"axes": (slide.axes[0].model_copy(update={"function": one}), slide.axes[1])})
        model = my.Model(name="m", bodies={"b": my.Body(mass=1.0, inertia=1.0)}, joints={"j": joint})
        places.append(my.equations_of(model, compiled=False).body_positions([0.7])["b"][0])
    assert places[1] == pytest.approx(3.0 * places[0])


def test_turns_are_about_the_frames_own_axes() -> None:
    assert rotation((np.pi / 2, 0.0, 0.0)) @ [0.0, 1.0, 0.0] == pytest.approx([0.0, 0.0, 1.0])
    assert rotation((np.pi / 2, np.pi / 2, 0.0)) @ [0.0, 0.0, 1.0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_mistakes_are_reported() -> None:
    leg = a_leg()
    with pytest.raises(my.ModelError, match="thigh"):
        my.scale_model(leg, {"thig": 1.1})
    for factor in (0.0, -1.0, float("nan"), 100.0, (1.0, 2.0), "tall"):
        with pytest.raises(my.ModelError, match="one factor or three"):
            my.scale_model(leg, {"thigh": factor})
    with pytest.raises(my.ModelError, match=r"positive number \(kg\)"):
        my.scale_model(leg, 1.0, mass=-3.0)
    with pytest.raises(my.ModelError, match="'stretched' or 'cylinder'"):
        my.scale_model(leg, 1.0, inertia="sphere")
    fitted = leg.with_parts(
        muscles={
            "quads": leg.muscles["quads"].model_copy(
                update={"path": my.FunctionPath(length=my.Linear(coordinate="knee", slope=-0.04, offset=0.3))}
            )
        }
    )
    with pytest.raises(my.ModelError, match="'quads' are functions"):
        my.scale_model(fitted, 1.1)
    record = my.Markers([0.0], ["hip_m", "knee_m"], [[[0, 0, 0], [0, 1, 0]]])
    with pytest.raises(ValueError, match="ankle_m"):
        my.scale_factors(leg, record, {"shank": my.Measurement([("knee_m", "ankle_m")], {"shank": "y"})})
    with pytest.raises(ValueError, match="both scale 'thigh' along y"):
        one = my.Measurement([("hip_m", "knee_m")], {"thigh": "y"})
        my.scale_factors(leg, record, {"one": one, "two": one})
    with pytest.raises(ValueError, match="some of 'xyz'"):
        my.Measurement([("a", "b")], {"thigh": "w"})


def test_a_scaled_model_is_another_model() -> None:
    """What was asked of the model before, its mass, its order and its hash, is not taken for that of the scaled one."""
    leg = a_leg()
    told = leg.mass, leg.hash, leg.structure_hash, leg.moving
    scaled = my.scale_model(leg, 2.0)
    assert scaled.mass == pytest.approx(8.0 * told[0])
    assert scaled.hash != told[1]
    assert scaled.structure_hash != told[2]
    assert scaled.moving == told[3]
