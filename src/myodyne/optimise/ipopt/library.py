"""IPOPT's C interface: the library that CasADi brings along, with the types of its functions."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_bool, c_char_p, c_double, c_int, c_void_p
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from myodyne.errors import MyodyneError
from myodyne.types import Floats

if TYPE_CHECKING:
    from ctypes import _Pointer

DoublePointer: TypeAlias = "_Pointer[c_double]"
IntegerPointer: TypeAlias = "_Pointer[c_int]"

_Doubles, _Integers = POINTER(c_double), POINTER(c_int)
ObjectiveCall = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, _Doubles, c_void_p)
GradientCall = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, _Doubles, c_void_p)
RowsCall = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, c_int, _Doubles, c_void_p)
JacobianCall = CFUNCTYPE(c_bool, c_int, _Doubles, c_bool, c_int, c_int, _Integers, _Integers, _Doubles, c_void_p)
HessianCall = CFUNCTYPE(
    c_bool, c_int, _Doubles, c_bool, c_double, c_int, _Doubles, c_bool, c_int, _Integers, _Integers, _Doubles, c_void_p
)
WatchCall = CFUNCTYPE(c_bool, c_int, c_int, *([c_double] * 8), c_int, c_void_p)


@cache
def library() -> ctypes.CDLL:
    """Return IPOPT's library, with the types of what is called."""
    import casadi

    folder = Path(casadi.__file__).parent
    # CasADi's own plug-in loads the libraries that IPOPT depends on.
    casadi.load_nlpsol("ipopt")
    names = ["libipopt.so.3", "libipopt.so", "libipopt.3.dylib", "libipopt.dylib", "libipopt-3.dll", "libipopt.dll"]
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        raise MyodyneError(
            "CasADi was installed without IPOPT, which optimal control needs; install the wheel from "
            "PyPI: pip install --force-reinstall casadi"
        )
    loaded = ctypes.CDLL(str(found))
    # OpenBLAS, which IPOPT uses, takes twice the time for sums of long vectors with several threads.
    if hasattr(loaded, "openblas_set_num_threads"):
        loaded.openblas_set_num_threads(1)
    loaded.CreateIpoptProblem.restype = c_void_p
    loaded.CreateIpoptProblem.argtypes = (
        c_int,
        _Doubles,
        _Doubles,
        c_int,
        _Doubles,
        _Doubles,
        c_int,
        c_int,
        c_int,
        ObjectiveCall,
        RowsCall,
        GradientCall,
        JacobianCall,
        HessianCall,
    )
    loaded.FreeIpoptProblem.argtypes = (c_void_p,)
    loaded.FreeIpoptProblem.restype = None
    for name, kind in (("Str", c_char_p), ("Num", c_double), ("Int", c_int)):
        add = getattr(loaded, f"AddIpopt{name}Option")
        add.argtypes, add.restype = (c_void_p, c_char_p, kind), c_bool
    loaded.SetIpoptProblemScaling.argtypes = (c_void_p, c_double, _Doubles, _Doubles)
    loaded.SetIpoptProblemScaling.restype = c_bool
    loaded.SetIntermediateCallback.argtypes = (c_void_p, WatchCall)
    loaded.SetIntermediateCallback.restype = c_bool
    loaded.IpoptSolve.argtypes = (c_void_p, _Doubles, _Doubles, _Doubles, _Doubles, _Doubles, _Doubles, c_void_p)
    loaded.IpoptSolve.restype = c_int
    loaded.GetIpoptCurrentIterate.argtypes = (
        c_void_p,
        c_bool,
        c_int,
        _Doubles,
        _Doubles,
        _Doubles,
        c_int,
        _Doubles,
        _Doubles,
    )
    loaded.GetIpoptCurrentIterate.restype = c_bool
    return loaded


def pointer_to(array: Floats) -> DoublePointer:
    """Return the address of a contiguous array."""
    return array.ctypes.data_as(_Doubles)


def doubles_at(pointer: DoublePointer, count: int) -> Floats:
    """Return the numbers at an address as an array, without a copy."""
    return np.ctypeslib.as_array(pointer, (count,)) if count else np.zeros(0)


def integers_at(pointer: IntegerPointer, count: int) -> NDArray[np.intc]:
    """Return the whole numbers at an address as an array, without a copy."""
    return np.ctypeslib.as_array(pointer, (count,)) if count else np.zeros(0, dtype=np.intc)
