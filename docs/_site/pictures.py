"""What makes each picture of ``docs/images``; ``python docs/_site/pictures.py`` renews those of gallery and tables.

Most are those of the gallery, copied from where the site keeps them; some are drawn from the table of their page.
"""

from __future__ import annotations

import runpy
import shutil
import sys
import textwrap
from pathlib import Path

DOCS = Path(__file__).parents[1]
# Pictures that the gallery makes, by the name of their example.
OF_THE_GALLERY = (
    "accelerations_from_film.png",
    "best_jump.gif",
    "built_in_models.png",
    "double_pendulum.png",
    "four_bar.png",
    "gains_of_a_law.png",
    "ground_forces.png",
    "hanging_leg.png",
    "moment_arms.png",
    "noisy_markers.png",
    "pedalling.png",
    "power_of_a_jump.png",
    "resting_postures.png",
    "rocking_foot.png",
    "sharing_a_moment.png",
    "spread_of_moments.png",
    "squeezer.png",
    "steps_of_an_arm.png",
    "structure_of_gait.png",
    "swing_up.png",
    "three_ways.png",
    "tornado.png",
)
# Pictures of longer examples, of the command line and of pages, by what makes them.
OF_OTHERS = {
    "demo_curves.png": "src/myodyne/cli/demo.py",
    "beside_moco.png": "docs/_site/pictures.py",
    "beside_mocoinverse.png": "docs/_site/pictures.py",
    "beside_opensim.png": "docs/_site/pictures.py",
    "coupled_arms.png": "examples/coupled_arms.py",
    "curves_compared.png": "examples/muscle_curves.py",
    "curves_degroote_fregly_2016.png": "examples/muscle_curves.py",
    "curves_millard_2012.png": "examples/muscle_curves.py",
    "curves_thelen_2003.png": "examples/muscle_curves.py",
    "curves_van_den_bogert_2011.png": "examples/muscle_curves.py",
    "curves_van_soest_bobbert_1993.png": "examples/muscle_curves.py",
    "das3_excited.png": "examples/das3_excited.py",
    "force_reflex.png": "examples/force_reflex.py",
    "gait_report.png": "docs/guide/gait_report.md",
    "gait_speeds.png": "examples/gait_speeds.py",
    "hopper.png": "examples/hopper.py",
    "mcgeer_walker.png": "examples/mcgeer_walker.py",
    "passive_walker.png": "examples/passive_walker.py",
    "path_fit.png": "docs/guide/paths.md",
    "posture.png": "examples/posture.py",
    "predicted_gait.png": "examples/predicted_gait.py",
    "predicted_run.gif": "examples/gait_speeds.py",
    "predicted_walk.gif": "examples/gait_speeds.py",
    "predicted_walk_fast.gif": "examples/gait_speeds.py",
    "predicted_walk_slow.gif": "examples/gait_speeds.py",
    "shoulder.png": "examples/shoulder.py",
    "ski_landing.png": "examples/ski_landing.py",
    "sparsity.png": "src/myodyne/plot/sparsity.py",
    "squat.png": "docs/tutorials/recording_to_forces.md",
    "studio.png": "docs/screenshots.py",
    "studio_first_visit.png": "docs/screenshots.py",
    "studio_first_visit_dark.png": "docs/screenshots.py",
    "studio_pinned.png": "docs/screenshots.py",
    "studio_script_dark.png": "docs/screenshots.py",
    "tracked_stride.png": "examples/tracked_stride.py",
    "walk_tornado.png": "examples/walk_tornado.py",
    "two_legged_hopper.png": "examples/two_legged_hopper.py",
    "viewer_compared.png": "docs/screenshots.py",
    "viewer_jump.png": "docs/screenshots.py",
    "viewer_model_dark.png": "docs/screenshots.py",
    "viewer_walk.png": "docs/screenshots.py",
    "viewer_walk_dark.png": "docs/screenshots.py",
}
# Drawn once from solutions on recordings beside the project; their pages say how these were solved.
MADE_ONCE = (
    "gait3d_walk.png",
    "imu_estimation.png",
    "prosthesis.png",
    "reproduced_stride.png",
    "tracked_walk_3d.png",
)


def copy_from_gallery() -> None:
    """Copy what the gallery has made; a script that has not been run raises an error that names it."""
    gallery = runpy.run_path(str(DOCS / "_site" / "gallery.py"), run_name="gallery")
    found = {example.name: example for example in gallery["examples"](DOCS.parent)}
    for name in OF_THE_GALLERY:
        example = found[Path(name).stem]
        if not gallery["made"](DOCS, example):
            sys.exit(
                f"{example.file.name} has not been run: pytest -m long tests/docs/test_gallery.py -k {example.name}"
            )
        shutil.copyfile(gallery["kept"](DOCS, example) / name, DOCS / "images" / name)


def table_of(page: str, begins: str) -> list[list[str]]:
    """Return the cells of the table of a guide whose first line begins with a text."""
    tables = runpy.run_path(str(DOCS / "_site" / "tables.py"), run_name="tables")["tables"]
    text = (DOCS / "guide" / f"{page}.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    return next(table.rows for table in tables(text) if lines[table.first].startswith(begins))


def draw_moco() -> None:
    """Draw what the minima of Moco's walk consist of."""
    import matplotlib.pyplot as plt
    import numpy as np

    head, *rows = table_of("moco", "| | objective |")
    figure, axes = plt.subplots(figsize=(7, 2.4), layout="constrained")
    left = np.zeros(len(rows))
    for column in range(2, len(head)):
        width = np.array([float(row[column]) for row in rows])
        axes.barh([row[0] for row in rows], width, left=left, label=head[column])
        left += width
    axes.invert_yaxis()
    axes.set(xlabel="objective", xlim=(0, 2.0))
    axes.legend(fontsize="small")
    figure.savefig(DOCS / "images" / "beside_moco.png", dpi=90)


def draw_mocoinverse() -> None:
    """Draw the effort of each muscle by MocoInverse over ours, on both legs."""
    import matplotlib.pyplot as plt

    _, *rows = table_of("prescribed_motion", "| muscle |")
    figure, axes = plt.subplots(figsize=(4.5, 4.2), layout="constrained")
    for first, tolerance in enumerate(("1e-3", "1e-5"), start=1):
        pairs = [(float(row[side + 2]), float(row[side + first - 1])) for row in rows for side in (1, 4)]
        axes.plot(*zip(*pairs, strict=True), "os"[first - 1], markersize=4, label=f"tolerance {tolerance}")
    axes.axline((0, 0), slope=1, color="grey", linewidth=0.8)
    axes.set(xlabel="effort of a muscle, myodyne", ylabel="MocoInverse")
    axes.legend(fontsize="small")
    figure.savefig(DOCS / "images" / "beside_mocoinverse.png", dpi=90)


def draw_opensim() -> None:
    """Draw the differences from OpenSim's tools."""
    import matplotlib.pyplot as plt

    head, *rows = table_of("opensim_setups", "| set-up |")
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    names, tool = [], ""
    for row in rows:
        tool = row[0] or tool
        names.append("\n".join(textwrap.wrap(f"{tool}: {row[1]}", 60)))
    for column, mark in ((2, "o"), (3, "s"), (4, "x")):
        pairs = [(value, name) for row, name in zip(rows, names, strict=True) if (value := _leading(row[column]))]
        axes.plot(*zip(*pairs, strict=True), mark, label=head[column])
    axes.set(xscale="log", xlabel="largest difference (unit of the row)")
    axes.tick_params(axis="y", labelsize="small")
    axes.invert_yaxis()
    axes.grid(axis="y", linewidth=0.4)
    figure.legend(fontsize="small", loc="outside upper right", ncols=3)
    figure.savefig(DOCS / "images" / "beside_opensim.png", dpi=90)


def _leading(cell: str) -> float | None:
    try:
        return float(cell.split(maxsplit=1)[0].rstrip(",;"))
    except (ValueError, IndexError):
        return None


if __name__ == "__main__":
    copy_from_gallery()
    draw_moco()
    draw_mocoinverse()
    draw_opensim()
