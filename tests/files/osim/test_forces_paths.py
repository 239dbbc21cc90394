"""Paths, wrap objects, muscles and forces of OpenSim files: what is read, and what becomes of the odd ones."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

import myodyne as my
from myodyne.files.osim import read_osim
from myodyne.files.osim.function_paths import with_function_paths
from myodyne.files.osim.paths import read_function_paths

CYLINDER = '<WrapCylinder name="{}"><radius>0.02</radius><length>0.1</length>{}</WrapCylinder>'
WRAP = '<PathWrap name="w"><wrap_object>{}</wrap_object>{}</PathWrap>'
END = '<PathPoint name="p1"><socket_parent_frame>/ground</socket_parent_frame><location>0 0.1 0</location></PathPoint>'
OTHER = '<PathPoint name="p9"><socket_parent_frame>/bodyset/arm</socket_parent_frame><location>0 -0.3 0</location></PathPoint>'
CONDITIONAL = (
    '<ConditionalPathPoint name="c"><socket_parent_frame>/bodyset/arm</socket_parent_frame>'
    "<location>0.05 -0.1 0</location><socket_coordinate>/jointset/hinge/angle</socket_coordinate>"
    "<range>{}</range></ConditionalPathPoint>"
)


def path(*inner: str, wraps: str = "", first: str = END, last: str = OTHER) -> str:
    return (
        f'<GeometryPath name="path"><PathPointSet><objects>{first}{"".join(inner)}{last}</objects></PathPointSet>'
        f"<PathWrapSet><objects>{wraps}</objects></PathWrapSet></GeometryPath>"
    )


def muscle(way: str, more: str = "", kind: str = "Thelen2003Muscle", name: str = "flexor") -> str:
    return f'<{kind} name="{name}">{way}{more}</{kind}>'


def text(forces: str, wraps: str = "", more: str = "") -> bytes:
    return f"""<OpenSimDocument Version="40000"><Model name="small"><Ground name="ground"/>
<BodySet name="bodyset"><objects><Body name="arm"><mass>1</mass><inertia>0.1 0.1 0.1 0 0 0</inertia>
<WrapObjectSet name="wrapobjectset"><objects>{wraps}</objects></WrapObjectSet></Body></objects></BodySet>
<JointSet name="jointset"><objects><PinJoint name="hinge"><socket_parent_frame>/ground</socket_parent_frame>
<socket_child_frame>/bodyset/arm</socket_child_frame><coordinates><Coordinate name="angle"/></coordinates></PinJoint>
</objects></JointSet><ForceSet name="forceset"><objects>{forces}</objects></ForceSet>{more}</Model></OpenSimDocument>
""".encode()


def read(forces: str, wraps: str = "", more: str = "") -> my.Model:
    content = text(forces, wraps, more)
    model = read_osim(content, "small.osim")
    assert model.audit is not None
    # Every element is accounted for, whatever became of it.
    counted = {kind: count.found for kind, count in model.audit.counts.items()}
    assert counted == Counter(e.tag for e in ElementTree.fromstring(content).iter() if e.tag[0].isupper())
    return model


def remarks(model: my.Model, fate: str) -> str:
    assert model.audit is not None
    return "\n".join(str(remark) for remark in model.audit.remarks if remark.fate == fate)


def wraps_of(model: my.Model) -> tuple[my.Wrap, ...]:
    way = model.muscles["flexor"].path
    assert isinstance(way, my.PointPath)
    return way.wraps


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("", None, None),
        ("-1 -1", None, None),
        ("0 0", None, None),
        ("1 2", 1, 2),
        ("2 -1", 2, None),
        ("-1 2", None, 2),
    ],
)
def test_ranges_of_wraps(written: str, first: int | None, last: int | None) -> None:
    wrap = WRAP.format("ring", f"<range>{written}</range>" if written else "")
    model = read(muscle(path(CONDITIONAL.format("0 1"), wraps=wrap)), CYLINDER.format("ring", ""))
    assert wraps_of(model) == (my.Wrap(surface="ring", first=first, last=last),)


def test_a_range_beyond_the_points_is_cut_and_reported() -> None:
    model = read(muscle(path(wraps=WRAP.format("ring", "<range>1 7</range>"))), CYLINDER.format("ring", ""))
    assert wraps_of(model)[0].last == 2
    assert "ends at point 7 of 2" in remarks(model, "suspicious")


def test_a_wrap_over_a_single_point_is_left_out() -> None:
    model = read(muscle(path(wraps=WRAP.format("ring", "<range>2 2</range>"))), CYLINDER.format("ring", ""))
    assert wraps_of(model) == ()
    assert "less than one piece" in remarks(model, "skipped")


@pytest.mark.parametrize(("quadrant", "half"), [("+x", "x"), ("x", "x"), ("-y", "-y"), ("all", "all"), ("Z", "z")])
def test_quadrants(quadrant: str, half: str) -> None:
    model = read(muscle(path()), CYLINDER.format("ring", f"<quadrant>{quadrant}</quadrant>"))
    assert model.surfaces["ring"].half == half


def test_surfaces_of_every_kind_stand_where_the_file_says() -> None:
    shift = "<translation>0.1 0.2 0.3</translation><xyz_body_rotation>0.4 0.5 0.6</xyz_body_rotation>"
    model = read(
        muscle(path()),
        f"""{CYLINDER.format("a", shift)}
        <WrapSphere name="b">{shift}<radius>0.03</radius></WrapSphere>
        <WrapEllipsoid name="c">{shift}<dimensions>0.1 0.2 0.3</dimensions></WrapEllipsoid>
        <WrapTorus name="d">{shift}<inner_radius>0.01</inner_radius><outer_radius>0.04</outer_radius></WrapTorus>""",
    )
    place = my.Placement(body="arm", at=(0.1, 0.2, 0.3), orientation=(0.4, 0.5, 0.6))
    assert dict(model.surfaces) == {
        "a": my.WrapCylinder(frame=place, radius=0.02, length=0.1),
        "b": my.WrapSphere(frame=place, radius=0.03),
        "c": my.WrapEllipsoid(frame=place, radii=(0.1, 0.2, 0.3)),
        "d": my.WrapTorus(frame=place, inner_radius=0.01, outer_radius=0.04),
    }


def test_inactive_surfaces_and_their_wraps_are_left_out_by_name() -> None:
    model = read(muscle(path(wraps=WRAP.format("ring", ""))), CYLINDER.format("ring", "<active>false</active>"))
    assert not model.surfaces
    assert wraps_of(model) == ()
    assert "WrapCylinder 'ring' skipped: not active" in remarks(model, "skipped")
    assert "'ring' is left out" in remarks(model, "skipped")


def test_surfaces_give_up_their_name_to_muscles_and_paths_still_find_them() -> None:
    model = read(muscle(path(wraps=WRAP.format("flexor", ""))), CYLINDER.format("flexor", ""))
    assert list(model.surfaces) == ["arm_surface_flexor"]
    assert wraps_of(model)[0].surface == "arm_surface_flexor"


def test_the_first_of_two_surfaces_of_one_name_is_meant() -> None:
    model = read(
        muscle(path(wraps=WRAP.format("ring", ""))),
        CYLINDER.format("ring", "") + CYLINDER.format("ring", "<translation>0 1 0</translation>"),
    )
    assert list(model.surfaces) == ["ring", "arm_surface_ring"]
    assert wraps_of(model)[0].surface == "ring"
    assert "paths take the first" in remarks(model, "suspicious")


def test_an_unknown_wrap_object_is_refused_with_its_line() -> None:
    with pytest.raises(my.FileError, match=r"small\.osim, line \d+, <PathWrap 'w'>: unknown wrap object 'ringg'"):
        read(muscle(path(wraps=WRAP.format("ringg", ""))), CYLINDER.format("ring", ""))


@pytest.mark.parametrize(
    ("forces", "element", "message"),
    [
        (
            muscle(path(CONDITIONAL.format("0 1").replace("hinge/angle", "hinge/angel"))),
            "ConditionalPathPoint 'c'",
            "unknown coordinate 'angel': did you mean 'angle'",
        ),
        (muscle(path(last=OTHER.replace("arm", "leg"))), "PathPoint 'p9'", "unknown body or frame 'leg'"),
        (
            '<CoordinateActuator name="motor"><coordinate>nope</coordinate></CoordinateActuator>',
            "CoordinateActuator 'motor'",
            "unknown coordinate 'nope'",
        ),
        (
            '<SmoothSphereHalfSpaceForce name="heel"><socket_sphere>ball</socket_sphere></SmoothSphereHalfSpaceForce>',
            "SmoothSphereHalfSpaceForce 'heel'",
            "unknown contact geometry 'ball'",
        ),
        (
            muscle(path(), "<max_isometric_force>nan</max_isometric_force>"),
            "Thelen2003Muscle 'flexor'",
            "not finite",
        ),
        (muscle(path()) * 2, "Thelen2003Muscle 'flexor'", "has the same name"),
        (muscle(path(), name="arm"), "Thelen2003Muscle 'arm'", "has the same name"),
        (muscle(path(OTHER * 600)), "PathPointSet", "at most 500 are read"),
    ],
)
def test_what_is_wrong_is_refused_with_line_and_element(forces: str, element: str, message: str) -> None:
    with pytest.raises(my.FileError, match=rf"small\.osim, line \d+, <{element}>: .*{message}"):
        read(forces)


def test_conditional_points_count_a_little_beyond_their_range() -> None:
    point = read(muscle(path(CONDITIONAL.format("0.2 0.9")))).muscles["flexor"].path.points[1]
    assert point.range == pytest.approx((0.2 - 1e-5, 0.9 + 1e-5), abs=1e-15)


def test_conditional_points_that_are_never_touched_do_not_shift_the_wraps() -> None:
    way = path(CONDITIONAL.format("1 0"), CONDITIONAL.format("0 1"), wraps=WRAP.format("ring", "<range>1 3</range>"))
    model = read(muscle(way), CYLINDER.format("ring", ""))
    assert len(model.muscles["flexor"].path.points) == 3
    assert wraps_of(model) == (my.Wrap(surface="ring", first=1, last=2),)
    assert "is inverted" in remarks(model, "suspicious")


def test_a_conditional_end_is_always_touched_and_reported() -> None:
    model = read(muscle(path(last=CONDITIONAL.format("0 1"))))
    assert isinstance(model.muscles["flexor"].path.points[-1], my.PathPoint)
    assert "the end of a path" in remarks(model, "approximated")


def test_ranges_beyond_a_turn_are_cut_back_for_angles() -> None:
    point = read(muscle(path(CONDITIONAL.format("-100 1")))).muscles["flexor"].path.points[1]
    assert point.range[0] == pytest.approx(-6.283185307179586)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("<appliesForce>false</appliesForce>", "switched off"),
        ("<isDisabled>true</isDisabled>", "switched off"),
        ("<max_isometric_force>0</max_isometric_force>", "max_force"),
        ("<pennation_angle_at_optimal>25</pennation_angle_at_optimal>", "pennation"),
    ],
)
def test_muscles_that_cannot_be_are_skipped_by_name(more: str, why: str) -> None:
    model = read(muscle(path(), more))
    assert not model.muscles
    assert "Thelen2003Muscle 'flexor' skipped" in remarks(model, "skipped")
    assert why in remarks(model, "skipped")


@pytest.mark.parametrize(
    "kind", ["Millard2012AccelerationMuscle", "Delp1990Muscle_Deprecated", "MeyerFregly2016Muscle"]
)
def test_muscles_of_other_kinds_are_skipped_by_name(kind: str) -> None:
    model = read(muscle(path(), kind=kind) + muscle(path(), name="extensor"))
    assert list(model.muscles) == ["extensor"]
    assert f"{kind} 'flexor' skipped: muscles of this kind are not supported" in remarks(model, "skipped")


def test_a_tendon_without_length_is_rigid_and_odd_fibres_are_reported() -> None:
    more = "<tendon_slack_length>0</tendon_slack_length><default_fiber_length>0.9</default_fiber_length>"
    model = read(muscle(path(), more))
    assert model.muscles["flexor"].tendon == "rigid"
    assert "its tendon has no length" in remarks(model, "approximated")
    assert "fibres of 0.9 m" in remarks(model, "suspicious")


@pytest.mark.parametrize(
    ("optimal", "slack", "odd"),
    [
        (0.1, 0.3, False),
        (0.2, 0.15, False),
        (100.0, 300.0, True),
        (1.5, 0.3, True),
        (0.01, 0.3, True),
        (0.1, 0.5, True),
    ],
)
def test_fibres_and_tendons_that_do_not_fit_their_path_are_reported(optimal: float, slack: float, odd: bool) -> None:
    lengths = (
        f"<optimal_fiber_length>{optimal}</optimal_fiber_length><tendon_slack_length>{slack}</tendon_slack_length>"
        f"<default_fiber_length>{optimal}</default_fiber_length>"
    )
    told = remarks(read(muscle(path(), lengths)), "suspicious")
    assert ("'flexor' suspicious: its path is 0.4 m long in the default pose" in told) == odd, told


def test_flags_of_millards_muscle() -> None:
    more = (
        "<ignore_tendon_compliance>true</ignore_tendon_compliance>"
        "<ignore_activation_dynamics>true</ignore_activation_dynamics>"
    )
    found = read(muscle(path(), more, kind="Millard2012EquilibriumMuscle")).muscles["flexor"]
    assert found.tendon == "rigid"
    assert found.activation == my.NoActivation()
    assert found.damping == pytest.approx(0.01)


def test_defaults_of_the_file_hold_for_its_muscles() -> None:
    defaults = "<defaults><Thelen2003Muscle name='default'><Flen>1.8</Flen></Thelen2003Muscle></defaults>"
    curves = read(muscle(path()), more=defaults).muscles["flexor"].curves
    assert isinstance(curves, my.Thelen2003)
    assert curves.eccentric_force == 1.8


def test_forces_of_other_kinds_are_skipped_by_name() -> None:
    model = read(
        '<ClutchedPathSpring name="odd"/><ElasticFoundationForce name="mesh"/>'
        '<CoordinateActuator name="angle"><coordinate>angle</coordinate></CoordinateActuator>'
    )
    assert list(model.forces) == ["angle_actuator"]
    assert "ClutchedPathSpring 'odd' skipped: the stretch of its clutch is a state" in remarks(model, "skipped")
    assert "ElasticFoundationForce 'mesh' skipped: contact of meshes" in remarks(model, "skipped")
    assert "called 'angle_actuator'" in remarks(model, "approximated")


def test_a_piston_between_points_of_the_ground_is_skipped_by_name_and_refused_among_reserves(tmp_path: Path) -> None:
    piston = (
        '<PointToPointActuator name="piston"><bodyA>arm</bodyA><bodyB>arm</bodyB><points_are_global>true'
        "</points_are_global></PointToPointActuator>"
    )
    model = read(piston)
    assert list(model.forces) == []
    assert "'piston' skipped: cannot be read as a force: points fixed in the ground" in remarks(model, "skipped")
    file = tmp_path / "reserves.xml"
    file.write_text(
        f'<OpenSimDocument Version="40000"><ForceSet><objects>{piston}</objects></ForceSet></OpenSimDocument>'
    )
    with pytest.raises(my.FileError, match=r"line 1, <PointToPointActuator 'piston'>: points fixed in the ground"):
        my.load_forces(file, model)


def test_springs() -> None:
    model = read("""<SpringGeneralizedForce name="hinge_spring"><coordinate>angle</coordinate><stiffness>3</stiffness>
        <rest_length>0.2</rest_length><viscosity>0.5</viscosity></SpringGeneralizedForce>
        <PointToPointSpring name="rubber"><socket_body1>/ground</socket_body1><socket_body2>/bodyset/arm</socket_body2>
        <point1>0 1 0</point1><point2>0 -0.2 0</point2><stiffness>40</stiffness><rest_length>0.6</rest_length>
        </PointToPointSpring>""")
    assert dict(model.forces) == {
        "hinge_spring": my.TorsionSpring(coordinate="angle", stiffness=3.0, rest=0.2, damping=0.5),
        "rubber": my.PointSpring(
            start=my.Marker(body="ground", at=(0.0, 1.0, 0.0)),
            stiffness=40.0,
            rest_length=0.6,
            end=my.Marker(body="arm", at=(0.0, -0.2, 0.0)),
        ),
    }


def test_contacts_in_the_ground_are_reported_with_their_force() -> None:
    sphere = '<ContactSphere name="{0}"><socket_frame>/bodyset/arm</socket_frame><radius>0.1</radius></ContactSphere>'
    geometry = (
        '<ContactGeometrySet><objects><ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame>'
        f"</ContactHalfSpace>{sphere.format('heel')}{sphere.format('toe')}</objects></ContactGeometrySet>"
    )
    force = (
        "<HuntCrossleyForce name='sole'><HuntCrossleyForce::ContactParametersSet><objects>"
        "<HuntCrossleyForce::ContactParameters><geometry>floor heel toe</geometry><stiffness>1e6</stiffness>"
        "</HuntCrossleyForce::ContactParameters></objects></HuntCrossleyForce::ContactParametersSet></HuntCrossleyForce>"
    )
    model = read_osim(text(force, more=geometry), "sole.osim")
    assert list(model.forces) == ["sole_heel", "sole_toe"]
    told = remarks(model, "suspicious")
    assert told.count("HuntCrossleyForce 'sole' suspicious: contact 'sole_") == 2


FUNCTIONS = """<OpenSimDocument Version="40600"><Set_FunctionBasedPath_><objects>
<FunctionBasedPath name="/forceset/{}"><coordinate_paths>/jointset/hinge/angle</coordinate_paths><length_function>
<MultivariatePolynomialFunction><coefficients>0.3 -0.05 0 0.01</coefficients><dimension>1</dimension><order>3</order>
</MultivariatePolynomialFunction></length_function></FunctionBasedPath></objects></Set_FunctionBasedPath_>
</OpenSimDocument>"""


def test_paths_are_exchanged_for_functions(tmp_path: Path) -> None:
    file = tmp_path / "paths.xml"
    file.write_text(FUNCTIONS.format("flexor"))
    model = with_function_paths(read(muscle(path())), file)
    eq = my.equations_of(model, compiled=False)
    assert eq.muscle_lengths([0.5])[0] == pytest.approx(0.3 - 0.05 * 0.5 + 0.01 * 0.125, abs=1e-15)
    file.write_text(FUNCTIONS.format("soleus"))
    with pytest.raises(my.FileError, match="does not have: 'soleus'"):
        with_function_paths(model, file)
    with pytest.raises(my.FileError, match="cannot be read"):
        with_function_paths(model, tmp_path / "missing.xml")


def test_a_path_may_stand_in_an_element_of_the_property_s_name() -> None:
    # OpenSim 4.6 reads both spellings of a property that is an object.
    assert read(muscle(f"<path>{path()}</path>")).muscles == read(muscle(path())).muscles
    function = FUNCTIONS.partition("<objects>")[2].partition("</objects>")[0].replace("/forceset/{}", "path")
    named = read(muscle(f"<path>{function}</path>"))
    assert named.muscles == read(muscle(function)).muscles
    assert named.muscles["flexor"].path.kind == "function"


def test_a_file_without_function_paths_is_refused() -> None:
    with pytest.raises(my.FileError, match="holds no <FunctionBasedPath>"):
        read_function_paths(text(muscle(path())), "small.osim")


OLD = """<OpenSimDocument Version="20301"><Model name="old"><BodySet><objects><Body name="ground"/>
<Body name="arm"><mass>1</mass><mass_center>0 0 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.1</inertia_yy>
<inertia_zz>0.1</inertia_zz><Joint><PinJoint name="hinge"><parent_body>ground</parent_body>
<location_in_parent>0 0 0</location_in_parent><orientation_in_parent>0 0 0</orientation_in_parent>
<location>0 0 0</location><orientation>0 0 0</orientation><CoordinateSet><objects><Coordinate name="angle"/></objects>
</CoordinateSet></PinJoint></Joint></Body></objects></BodySet><ForceSet><objects>
<Thelen2003Muscle name="flexor"><isDisabled>false</isDisabled><pennation_angle>0.2</pennation_angle>
<MusclePointSet><objects><MusclePoint name="a"><location>0 0.1 0</location><body>ground</body></MusclePoint>
<MuscleViaPoint name="b"><location>0.05 -0.1 0</location><body>arm</body><range>0 1</range>
<coordinate>angle</coordinate></MuscleViaPoint>
<MovingMusclePoint name="m"><body>arm</body><x_coordinate>angle</x_coordinate><XAttachment><LinearFunction>
<coefficients>0.1 0.2</coefficients></LinearFunction></XAttachment></MovingMusclePoint>
<MusclePoint name="c"><location>0 -0.3 0</location><body>arm</body></MusclePoint></objects></MusclePointSet>
</Thelen2003Muscle>
<BushingForce name="bush"><body_1>ground</body_1><body_2>arm</body_2><location_body_1>0.1 0.2 0.3</location_body_1>
<orientation_body_1>0 0 0</orientation_body_1><location_body_2>0 0 0.5</location_body_2>
<orientation_body_2>0.1 0 0</orientation_body_2><rotational_stiffness>1 2 3</rotational_stiffness></BushingForce>
<CoordinateLimitForce name="stop"><coordinate>angle</coordinate><upper_limit>90</upper_limit>
<lower_limit>-45</lower_limit><upper_stiffness>2</upper_stiffness><transition>10</transition></CoordinateLimitForce>
</objects></ForceSet></Model></OpenSimDocument>"""


def test_names_of_older_formats() -> None:
    model = read_osim(OLD.encode(), "old.osim")
    flexor, bush, stop = model.muscles["flexor"], model.forces["bush"], model.forces["stop"]
    assert flexor.pennation == 0.2
    assert [point.kind for point in flexor.path.points] == ["fixed", "conditional", "moving", "fixed"]
    assert model.audit is not None
    assert model.audit.counts["XAttachment"].read == 1
    assert isinstance(bush, my.Bushing)
    assert bush.first == my.Placement(body="ground", at=(0.1, 0.2, 0.3))
    assert bush.second == my.Placement(body="arm", at=(0.0, 0.0, 0.5), orientation=(0.1, 0.0, 0.0))
    assert isinstance(stop, my.CoordinateLimit)
    assert (stop.lower, stop.upper) == pytest.approx((my.degrees(-45), my.degrees(90)))
    assert stop.upper_stiffness == pytest.approx(2 / my.degrees(1))
