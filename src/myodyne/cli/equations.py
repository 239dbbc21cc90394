"""``myodyne equations``: the equations of motion of a model or of lists, to read or to compile elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from myodyne.cli.guard import ArgumentError
from myodyne.cli.speech import say

if TYPE_CHECKING:
    from myodyne.formulations.lagrange import Description

_FORMS = ("text", "latex", "c", "matlab", "python")


def equations(  # noqa: PLR0913, PLR0917 - each is an option of the command
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A built-in model, a model file, or a description by lists (.yaml).")
    ],
    text: Annotated[bool, typer.Option("--text", help="As text, the default.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="For LaTeX.")] = False,
    c: Annotated[bool, typer.Option("--c", help="A function in C.")] = False,
    matlab: Annotated[bool, typer.Option("--matlab", help="A function for MATLAB and Octave.")] = False,
    python: Annotated[bool, typer.Option("--python", help="A function in Python.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Write out what otherwise gets a name.")] = False,
    digits: Annotated[int, typer.Option("--digits", min=1, max=17, help="Digits of numbers in text and LaTeX.")] = 6,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Print the equations of motion of a model: M(q) q'' + c - Q = G' lambda."""
    from myodyne.formulations import lagrange

    wanted = [form for form, on in zip(_FORMS, (text, latex, c, matlab, python), strict=True) if on] or ["text"]
    if len(wanted) > 1:
        raise ArgumentError(f"choose one of {', '.join('--' + form for form in wanted)}")
    derived = lagrange.derive(_description(model))
    match wanted[0]:
        case "text":
            written = derived.text(named=not full, digits=digits) + "\n"
        case "latex":
            written = derived.latex(named=not full, digits=digits) + "\n"
        case "c" | "matlab" | "python" as language:
            written = derived.code(language)
    if out is None:
        sys.stdout.write(written)
        return
    out.write_text(written, encoding="utf-8")
    say(f"Wrote {out}.")


def _description(source: str) -> Description:
    """Return the lists in a file, or those of a model without its muscles."""
    from myodyne.files import load_model
    from myodyne.formulations import lagrange

    path = Path(source)
    if path.suffix.lower() in (".yaml", ".yml") and path.is_file() and lagrange.is_description_file(path):
        return lagrange.load_description(path)
    model = load_model(source)
    if model.muscles:
        typer.echo(f"without the muscles: {len(model.muscles)} of them are left out", err=True)
        model = model.without(*model.muscles)
    return lagrange.from_model(model)
