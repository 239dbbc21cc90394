"""``myodyne demo``: a jump and a walk by muscles, simulated, plotted and animated."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from myodyne.cli.speech import Json, emit, say, show_facts

if TYPE_CHECKING:
    from myodyne.data import Result

_CURVES = (
    "ankle",
    "knee",
    "hip",
    "soleus.activation",
    "vasti.activation",
    "glutei.activation",
    "stance.force_y",
    "com.position_y",
)
# A jump takes half a second: shown five times slower, it can be followed.
_SLOW = 0.2


def demo(
    out: Annotated[Path, typer.Option(help="Folder for figures and animations.")] = Path("myodyne-demo"),
    as_json: Json = False,
) -> None:
    """Let muscles jump and walk, plot and animate it: no arguments needed, some seconds."""
    from myodyne.cli.jump import jump
    from myodyne.native.compiler import find_compiler
    from myodyne.simulate import load_movement

    wait = "compiled the first time" if find_compiler() else "interpreted, which takes a minute"
    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    say(f"1 of 4: simulating the best jump of six muscles; its equations are {wait} ...")
    run = _whole(jump())
    facts = measures(run)
    say("2 of 4: drawing the jump ...")
    files = _pictures(run, out)
    say(f"3 of 4: simulating a predicted walk of sixteen muscles; {wait} ...")
    walk = _whole(load_movement("walk").run())
    say("4 of 4: drawing the walk ...")
    files |= _moving(walk, out, "walk", 1.0)
    facts["wall_seconds"] = time.perf_counter() - started
    if as_json:
        emit({**facts, "status": run.report.status, "files": {what: str(path) for what, path in files.items()}})
    else:
        _show(facts, files)


def _whole(run: Result) -> Result:
    """Return a run that was not interrupted."""
    if run.report.status == "interrupted":
        raise KeyboardInterrupt
    return run


def measures(run: Result) -> dict[str, Any]:
    """Return the numbers that describe a jump (SI units)."""
    import numpy as np

    from myodyne.cli.jump import CONTACT
    from myodyne.model import Model

    height = run.values("com.position_y")
    take_off = run.report.events[0][0]
    # The row of the take-off itself, with the ground still in force, is the last that is not later.
    row = int(np.searchsorted(run.time, take_off, side="right")) - 1
    model = Model(**(run.model_data or {}))
    peak = float(np.nanmax(run.values(f"{CONTACT}.force_y")))
    return {
        "duration": run.duration,
        "take_off_time": take_off,
        "take_off_speed": float(run.values("com.velocity_y")[row]),
        "rise_time": float(run.time[-1]) - take_off,
        "peak_height": float(height.max()),
        "jump_height": float(height.max() - height[row]),
        "peak_ground_force": peak,
        "peak_ground_force_in_weights": peak / (model.mass * abs(model.gravity[1])),
        "energy_error": run.report.energy_error,
        "drift": dict(run.report.drift),
        "simulation_seconds": run.report.wall_seconds,
    }


def _pictures(run: Result, folder: Path) -> dict[str, Path]:
    from myodyne.files import save
    from myodyne.plot import animate, plot

    files = {"curves": folder / "curves.png", "poses": folder / "poses.png", "data": folder / "jump.nc"}
    plot(run, _CURVES, degrees=True, title="A jump", path=files["curves"])
    animate(run, files["poses"], spread=True)
    save(run, files["data"])
    return files | _moving(run, folder, "jump", _SLOW)


def _moving(run: Result, folder: Path, name: str, speed: float) -> dict[str, Path]:
    """Write an animation and, where the viewer was built, a page."""
    from myodyne.plot import animate
    from myodyne.view.assets import viewer_installed

    files = {f"{name}_animation": folder / f"{name}.gif"}
    animate(run, files[f"{name}_animation"], speed=speed, frames_per_second=20)
    if viewer_installed():
        files[f"{name}_page"] = folder / f"{name}.html"
        animate(run, files[f"{name}_page"], speed=speed)
    else:
        say("The viewer was not built at installation, so there is no page to play: see docs/guide/viewing.md.")
    return files


def _show(facts: dict[str, Any], files: dict[str, Path]) -> None:
    error = facts["energy_error"]
    show_facts(
        "A jump",
        {
            "duration": f"{facts['duration']:.3f} s to the apex, {facts['rise_time']:.3f} s of it in the air",
            "take-off": f"at {facts['take_off_time']:.3f} s, {facts['take_off_speed']:.2f} m/s upwards",
            "apex": f"{facts['peak_height']:.3f} m, centre of mass; {facts['jump_height']:.3f} m above take-off",
            "ground force": f"{facts['peak_ground_force']:.0f} N at most, "
            f"{facts['peak_ground_force_in_weights']:.1f} times the weight of the body",
            "energy error": "unknown" if error is None else f"{error:.1g} of the energy exchanged",
            "wall time": f"{facts['wall_seconds']:.1f} s, {facts['simulation_seconds']:.1f} s of it simulation",
        },
    )
    shown = {what.replace("_", ", "): str(path) for what, path in files.items()}
    show_facts("Files", shown)
    page = files.get("jump_page")
    if page is not None:
        say(f"Open {page} and {files['walk_page']} in a browser: play, scrub, turn, zoom. Then try: myodyne studio")
