"""What the names of a study stand for: numbers of the model, initial states, handles of control curves.

==========================  =====================================================================
``soleus.max_force``        a number of the model, as `Model.with_values` names it
``start:knee``              an initial state, as `simulate(start=...)` names it
``control:soleus``          a control that is a number
``control:soleus.value.1``  a control value of a curve, counted from 0 as in `Signal.values`
``control:soleus.time.0``   a time (s) of a curve: the jump of a step, the times of samples
``soleus.onset``            a number of `Onsets` or `SplineControls`, if those are the controls
==========================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from myodyne.data import Trajectory
from myodyne.data.curves.handles import Handles
from myodyne.errors import ModelError, unknown_name
from myodyne.model import Model
from myodyne.simulate.signals import Control, Signal
from myodyne.simulate.starts import Start
from myodyne.study.controls import ControlFamily

START, CONTROL = "start:", "control:"


@dataclass(frozen=True)
class Inputs:
    """The varied names of a study by what they stand for."""

    numbers: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    family: tuple[str, ...] = ()

    def model(self, model: Model, values: Mapping[str, float]) -> Model:
        """Return the model with the numbers of a row."""
        return model.with_values({name: values[name] for name in self.numbers}) if self.numbers else model

    def start(self, start: Start | None, values: Mapping[str, float]) -> Start | None:
        """Return the initial states of a row."""
        if not self.states or isinstance(start, Trajectory):
            return start
        return {**(start or {}), **{name: values[START + name] for name in self.states}}

    def controls(
        self, controls: Mapping[str, Control] | ControlFamily | None, values: Mapping[str, float]
    ) -> dict[str, Control] | None:
        """Return the controls of a row."""
        if isinstance(controls, ControlFamily):
            return controls.controls({name: values[name] for name in self.family if name in values})
        if not self.handles:
            return None if controls is None else dict(controls)
        changed = dict(controls or {})
        for name in self.handles if values else ():
            control, kind, number = _parts(name, changed)
            changed[control] = _changed(name, changed[control], kind, number, values[CONTROL + name])
        return changed


def inputs_of(
    names: Iterable[str],
    model: Model,
    controls: Mapping[str, Control] | ControlFamily | None,
    states: Iterable[str] | None,
) -> Inputs:
    """Return what each name stands for; ``states`` are None where nothing is simulated."""
    found: dict[str, list[str]] = {"numbers": [], "states": [], "handles": [], "family": []}
    family = controls.names if isinstance(controls, ControlFamily) else ()
    for name in names:
        if name in family:
            found["family"].append(name)
        elif name.startswith(START):
            found["states"].append(_state(name, states))
        elif name.startswith(CONTROL):
            found["handles"].append(_handle(name, controls, states))
        else:
            found["numbers"].append(_model_number(name, model, family))
    return Inputs(**{kind: tuple(names) for kind, names in found.items()})


def _state(name: str, states: Iterable[str] | None) -> str:
    if states is None:
        raise ModelError(f"vary '{name}': there is a start only where the study simulates; give it a duration")
    state = name.removeprefix(START)
    if state not in tuple(states):
        raise ModelError(f"vary '{name}': " + unknown_name("state", state, states))
    return state


def _handle(name: str, controls: Mapping[str, Control] | ControlFamily | None, states: Iterable[str] | None) -> str:
    if states is None:
        raise ModelError(f"vary '{name}': there are controls only where the study simulates; give it a duration")
    if isinstance(controls, ControlFamily):
        raise ModelError(f"vary '{name}': " + unknown_name("number of the controls", name, controls.names))
    handle, given = name.removeprefix(CONTROL), dict(controls or {})
    control, kind, number = _parts(handle, given)
    # Trying it out finds handles that a curve does not have.
    _changed(handle, given[control], kind, number, None)
    return handle


def _model_number(name: str, model: Model, family: tuple[str, ...]) -> str:
    try:
        value = model.value(name)
    except ModelError as error:
        # The suggestions of the controls are nearer if the name ends like one of them.
        if family and name.rpartition(".")[2] in {known.rpartition(".")[2] for known in family}:
            raise ModelError(f"vary '{name}': " + unknown_name("name", name, family)) from None
        raise ModelError(f"vary '{name}': {error}") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"vary '{name}': it is not a single number but {value!r:.60}; name one of its components")
    return name


def _parts(handle: str, controls: Mapping[str, Control]) -> tuple[str, str, int]:
    """Return the control, ``"value"`` or ``"time"``, and the number of a handle."""
    if handle in controls:
        return handle, "value", 0
    control, _, rest = handle.rpartition(".")
    control, _, kind = control.rpartition(".")
    if kind in ("value", "time") and rest.isdigit() and control in controls:
        return control, kind, int(rest)
    if not controls:
        raise ModelError(f"vary '{CONTROL}{handle}': the study has no controls; give it some: controls={{...}}")
    known = [f"{CONTROL}{name}{ending}" for name in controls for ending in ("", ".value.0", ".time.0")]
    raise ModelError(f"vary '{CONTROL}{handle}': " + unknown_name("handle", CONTROL + handle, known))


def _changed(handle: str, control: Control, kind: str, number: int, value: float | None) -> Control:
    """Return a control with another handle; without a value, the control as it is."""
    if not isinstance(control, Signal):
        if kind == "value" and number == 0:
            return control if value is None else value
        raise ModelError(f"vary '{CONTROL}{handle}': the control is a number; vary it by its name alone")
    handles = control.handles
    if handles is None:
        raise ModelError(f"vary '{CONTROL}{handle}': the signal has no handles; .fitted(points=6) gives it some")
    old = handles.values if kind == "value" else handles.times
    if not number < len(old):
        raise ModelError(f"vary '{CONTROL}{handle}': {control} has {len(old)} {kind}s, counted from 0")
    if value is None:
        return control
    new = (*old[:number], float(value), *old[number + 1 :])
    return _signal(replace(handles, values=new) if kind == "value" else replace(handles, times=new))


def _signal(handles: Handles) -> Signal:
    # The way through plain data checks the new numbers as the functions that make signals do.
    return Signal.from_dict(handles.to_dict())
