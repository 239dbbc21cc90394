"""Published passive moments, against their formulae as printed."""

from __future__ import annotations

from math import exp, radians

import pytest

import myodyne as my

ANGLES = [(0.0, 0.0, 0.0), (30.0, 10.0, -15.0), (-15.0, 5.0, 10.0), (20.0, 60.0, 20.0)]


def printed(hip: float, knee: float, plantar: float) -> tuple[float, float, float]:
    """Return the moments (N m) of Riener and Edrich 1999: hip flexion, knee flexion, plantar flexion; in degrees."""
    return (
        exp(1.4655 - 0.0034 * knee - 0.0750 * hip) - exp(1.3403 - 0.0226 * knee + 0.0305 * hip) + 8.072,
        exp(1.800 - 0.0460 * plantar - 0.0352 * knee + 0.0217 * hip)
        - exp(-3.971 - 0.0004 * plantar + 0.0495 * knee - 0.0128 * hip)
        - 4.820
        + exp(2.220 - 0.150 * knee),
        exp(2.1016 - 0.0843 * plantar - 0.0176 * knee) - exp(-7.9763 + 0.1949 * plantar + 0.0008 * knee) - 1.792,
    )


def leg(sign: int) -> my.Model:
    bodies = {name: my.Body(mass=3.0, inertia=0.05) for name in ("thigh", "shank", "foot")}
    joints = {
        "hip": my.pin("ground", "thigh", "hip"),
        "knee": my.pin({"body": "thigh", "at": (0.0, -0.4, 0.0)}, "shank", "knee"),
        "ankle": my.pin({"body": "shank", "at": (0.0, -0.4, 0.0)}, "foot", "ankle"),
    }
    moments = my.passive_leg("hip", "knee", "ankle", knee_flexion=1 if sign > 0 else -1)
    forces = {f"{name}_passive": part for name, part in moments.items()}
    return my.Model(name="leg", bodies=bodies, joints=joints, forces=forces)


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_leg_of_riener_and_edrich(sign: int) -> None:
    eq = my.equations_of(leg(sign), compiled=False)
    for hip, knee, plantar in ANGLES:
        state = eq.state({"hip": radians(hip), "knee": sign * radians(knee), "ankle": -radians(plantar)})
        outputs = dict(zip(eq.outputs, eq.output_values(state, eq.derivative(state)), strict=True))
        moments = printed(hip, knee, plantar)
        assert outputs["hip_passive.torque"] == pytest.approx(moments[0])
        assert outputs["knee_passive.torque"] == pytest.approx(sign * moments[1])
        assert outputs["ankle_passive.torque"] == pytest.approx(-moments[2])


def test_a_relaxed_ankle_rests_plantar_flexed() -> None:
    """With a straight knee the moment vanishes between 10° and 25° of plantar flexion, as a foot that hangs."""
    assert printed(0.0, 0.0, 10.0)[2] > 0 > printed(0.0, 0.0, 25.0)[2]


@pytest.mark.parametrize("flipped", [False, True])
def test_stops_push_back_at_both_ends(flipped: bool) -> None:
    moment = my.passive_stop("knee", of="knee", flipped=flipped)

    def at(extension: float) -> float:
        q = -extension if flipped else extension
        return sum(term.size * exp(term.rate * (q - term.at)) for term in moment.terms)

    back = 1 if not flipped else -1
    assert at(0.2) * back < -50.0
    assert at(-2.6) * back > 50.0
    assert abs(at(-1.0)) < 0.1
    assert at(0.13) * back == pytest.approx(-6.09, abs=1e-6)


def test_an_unknown_motion_is_named() -> None:
    with pytest.raises(my.ModelError, match="did you mean 'ankle'"):
        my.passive_stop("ankle_angle_r", of="ankel")


def test_a_term_without_a_coordinate_is_refused() -> None:
    with pytest.raises(my.ModelError, match="constant"):
        my.ExponentialTerm(size=1.0, rate=0.0)


def test_an_unknown_neighbour_is_named() -> None:
    term = my.ExponentialTerm(size=1.0, rate=1.0, others={"hipp": 1.0})
    with pytest.raises(my.ModelError, match="did you mean 'hip'"):
        leg(-1).with_parts(forces={"more": my.PassiveMoment(coordinate="knee", terms=[term])})
