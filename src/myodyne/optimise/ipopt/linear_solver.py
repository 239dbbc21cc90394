"""The linear solver behind IPOPT, and its options."""

from __future__ import annotations

from myodyne.native import ldl
from myodyne.optimise.settings import Option


def ipopt_linear_solver() -> dict[str, Option]:
    """Return the options with which IPOPT solves its linear systems fastest here.

    Where there is a C compiler that is our own solver, else MUMPS, ordered by METIS: MUMPS' own choice takes four times
    as long on problems of optimal control.

    Examples
    --------
    >>> from myodyne.optimise.ipopt.linear_solver import ipopt_linear_solver
    >>> ipopt_linear_solver()["linear_solver"] in ("ma97", "mumps")
    True
    """
    # A solver that does not load raises an error here, with the reason; IPOPT would not name it.
    solver = ldl.loaded_file()
    if solver is None:
        return {"linear_solver": "mumps", "mumps_pivot_order": 5}
    return {
        "linear_solver": "ma97",
        "hsllib": str(solver),
        # IPOPT's choice for others is 1e-8; residuals get twenty times smaller for one per cent more work.
        "ma97_u": 1e-6,
        "ma97_umax": 1e-2,
        # The solver scales by itself; IPOPT's own scaling would come on top.
        "ma97_scaling": "none",
        "linear_system_scaling": "none",
    }
