"""Files of a release agree with the package: versions, dependencies, systems; none names a person or an address."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import myodyne as my
from myodyne.cli.main import app

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yaml").read_text(encoding="utf-8"))
# What conda calls otherwise.
NAMES = {"matplotlib-base": "matplotlib"}
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def requirement(text: str) -> tuple[str, str]:
    """Return the name and the bound of a requirement, spelt in one way."""
    match = re.fullmatch(r"([\w.-]+)\s*(\S*)", text)
    assert match, text
    name = match[1].lower().replace("_", "-")
    return NAMES.get(name, name), match[2]


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_all_files_have_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == my.__version__
    assert RECIPE["context"]["version"] == my.__version__
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first
    assert first[1] == my.__version__


def test_citation_and_archive_say_the_same() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert archive["title"] == citation["title"]
    assert archive["license"] == citation["license"] == PROJECT["license"] == RECIPE["about"]["license"]
    assert archive["keywords"] == citation["keywords"]
    assert [one["name"] for one in archive["creators"]] == [one["name"] for one in citation["authors"]]
    assert [one["name"] for one in PROJECT["authors"]] == [one["name"] for one in citation["authors"]]
    assert citation["url"] == PROJECT["urls"]["Documentation"] == RECIPE["about"]["homepage"]


def test_the_conda_recipe_asks_for_what_the_package_asks_for() -> None:
    lowest = RECIPE["context"]["python_min"]
    assert PROJECT["requires-python"] == f">={lowest}"
    wanted = {requirement(text) for text in PROJECT["dependencies"]}
    run = {requirement(text) for text in RECIPE["requirements"]["run"] if not text.startswith("python ")}
    assert run == wanted
    host = {requirement(text) for text in RECIPE["requirements"]["host"] if "$" not in text}
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert {requirement(text) for text in build} <= host
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert RECIPE["build"]["python"]["entry_points"] == [f"myodyne = {PROJECT['scripts']['myodyne']}"]
    assert (ROOT / RECIPE["about"]["license_file"]).exists()


def test_the_recipe_tries_commands_that_exist() -> None:
    known = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    scripts = [line for test in RECIPE["tests"] for line in test.get("script", [])]
    words = [line.split() for line in scripts]
    assert [name for name, _ in words] == ["myodyne"] * len(words)
    assert {word for _, word in words} <= known | {"--version"}


def test_the_workflow_runs_every_python_and_system() -> None:
    marked = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    jobs = WORKFLOW["jobs"]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == marked
    assert {name.partition("-")[0] for name in jobs["others"]["strategy"]["matrix"]["os"]} == {"windows", "macos"}
    assert set(jobs["others"]["strategy"]["matrix"]["python"]) <= set(marked)


def test_the_workflow_runs_what_exists() -> None:
    lines = [line for job in WORKFLOW["jobs"].values() for line in commands(job)]
    for line in lines:
        for extra in re.findall(r"\.\[([\w,]+)\]", line):
            assert set(extra.split(",")) <= set(PROJECT["optional-dependencies"])
        for file in re.findall(r"(?:bash|python) ([\w./]+/[\w.]+)", line):
            assert (ROOT / file).exists(), file
        for folder in re.findall(r"\b(?:tests|docs)/[\w./]+", line):
            assert (ROOT / folder).exists(), folder
    assert "bash .ci/run" in lines
    assert any("python -m build" in line for line in lines)
    used = [step["uses"] for job in WORKFLOW["jobs"].values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", one) for one in used)


def test_the_site_of_read_the_docs_is_built_from_what_exists() -> None:
    settings = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    assert (ROOT / settings["sphinx"]["configuration"]).exists()
    assert settings["sphinx"]["fail_on_warning"] is True
    extras = {name for step in settings["python"]["install"] for name in step["extra_requirements"]}
    assert extras <= set(PROJECT["optional-dependencies"])


def test_extras_are_explained() -> None:
    page = (ROOT / "docs" / "releases.md").read_text(encoding="utf-8")
    missing = [extra for extra in PROJECT["optional-dependencies"] if f"`{extra}`" not in page]
    assert not missing


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.stem)
def test_a_template_of_issues_has_its_head(file: Path) -> None:
    _, head, text = file.read_text(encoding="utf-8").split("---\n", 2)
    assert set(yaml.safe_load(head)) == {"name", "about", "labels"}
    assert text.strip()


def test_no_file_of_the_release_has_an_address_of_a_person() -> None:
    names = ("CITATION.cff", ".zenodo.json", "SECURITY.md", "CODE_OF_CONDUCT.md", "pyproject.toml", "README.md")
    for file in [*(ROOT / name for name in names), *TEMPLATES]:
        assert not re.search(r"[\w.+-]+@[\w-]+\.\w+|orcid", file.read_text(encoding="utf-8"), re.IGNORECASE), file.name
    assert len(TEMPLATES) >= 3
