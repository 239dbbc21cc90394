"""Which number matters for a jump.

Maximal forces of the jumper's muscles vary by 10 %, one at a time, with the excitations as they are. Stronger glutei
help; stronger vasti and calves make the jump lower, as long as nobody retimes them.
"""

import myodyne as my

jump = my.load_movement("jump")


def height(model):
    """Return the height of the centre of mass at the top of the flight (m)."""
    until = my.falls_through_zero("stance.force_y")
    push = my.simulate(model, 0.6, start=jump.start, controls=jump.controls, until=until)
    return push.final["com.position_y"] + push.final["com.velocity_y"] ** 2 / (2 * 9.81)


forces = {f"{name}.max_force": muscle.max_force for name, muscle in jump.model.muscles.items()}
study = my.Study(jump.model, vary={name: (0.9 * size, 1.1 * size) for name, size in forces.items()}, measure=height)
effects = my.sensitivity(study, my.OneAtATime())
my.plot(effects, path="tornado.png")
print("most effect first:", ", ".join(effects.order))
