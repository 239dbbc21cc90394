"""The cyclist with one leg, driven by muscles in the place of motors."""

from __future__ import annotations

import math

from myodyne.library.cycling.skeletons import cyclist_one_leg
from myodyne.library.leg_muscles import leg_limits, leg_muscles
from myodyne.library.muscle_pictures import with_leg_pictures
from myodyne.model.model import Model


def cyclist_one_leg_muscles(mass: float = 75.0, height: float = 1.75) -> Model:
    """Return `cyclist_one_leg` with the six muscle groups of the `jumper` and limits of the joints, without motors.

    Muscle lengths and moment arms are functions of the joint angles; they do not grow with the person.

    Parameters
    ----------
    mass : float
        Body mass (kg).
    height : float
        Body height (m).

    Examples
    --------
    >>> cyclist_one_leg_muscles().controls
    ('soleus', 'gastrocnemius', 'vasti', 'rectus_femoris', 'glutei', 'hamstrings')
    """
    cyclist = cyclist_one_leg(mass, height)
    # The foot's frame stands at the ball of the foot, upright in a flat foot.
    ankle = cyclist.joints["ankle"].parent.at
    muscles = leg_muscles(math.atan2(ankle[1], ankle[0]))
    driven = cyclist.without(*cyclist.forces).with_parts(muscles=muscles, forces=leg_limits())
    source = (
        "Muscles: those of the jumper of van Soest and Bobbert 1993 in the version of Wong et al. 2016 (PLoS ONE 11, "
        "e0150019), half of both legs, not scaled to this person; limits of the joints are chosen."
    )
    driven = with_leg_pictures(driven)
    return driven.model_copy(update={"name": "cyclist_one_leg_muscles", "source": f"{driven.source} {source}"})
