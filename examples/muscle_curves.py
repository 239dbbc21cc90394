"""Muscle curves: value and derivative of each family, and all families in one figure. Run it with

    python examples/muscle_curves.py

It writes ``curves_van_den_bogert_2011.png``, ``curves_van_soest_bobbert_1993.png``,
``curves_degroote_fregly_2016.png``, ``curves_thelen_2003.png``, ``curves_millard_2012.png`` and
``curves_compared.png``, the figures of docs/theory/muscle_curves.md.
"""

from __future__ import annotations

import numpy as np

import myodyne as my

FAMILIES = {
    "van den Bogert et al. 2011": my.VanDenBogert2011(),
    "van Soest and Bobbert 1993": my.VanSoestBobbert1993(),
    "De Groote et al. 2016": my.DeGrooteFregly2016(),
    "Thelen 2003": my.Thelen2003(),
    "Millard et al. 2013": my.Millard2012(),
}


def main() -> None:
    curves = {title: my.muscle_curves(family) for title, family in FAMILIES.items()}
    print("family                        strongest at  passive at 1.4  lengthening at 2/s  tendon at 4 % strain")
    for title, family in curves.items():
        active, passive, tendon = family["force_length"], family["parallel"], family["tendon"]
        velocity = family["force_velocity"]
        print(
            f"{title:28} {active.at[np.argmax(active.value)]:13.2f}"
            f"{np.interp(1.4, passive.at, passive.value):16.3f}{np.interp(2.0, velocity.at, velocity.value):20.3f}"
            f"{np.interp(1.04, tendon.at, tendon.value):22.3f}"
        )
        my.plot(family, title=title, path=f"curves_{family.kind}.png")
    my.plot(curves, path="curves_compared.png")


if __name__ == "__main__":
    main()
