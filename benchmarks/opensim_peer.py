"""OpenSim in a process of its own, which answers questions with times and numbers.

OpenSim brings a CasADi of its own that cannot live in one process with another; so the benchmark writes one line of
JSON for each question to this script, and reads one line for each answer. Both sides clock only their own work.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Pose = dict[str, dict[str, float]]


class Worker:
    """Models by file, each with the states that the benchmark has asked for."""

    def __init__(self) -> None:
        import opensim

        self.opensim = opensim
        opensim.Logger.setLevelString("off")
        opensim.Logger.removeFileSink()
        self.models: dict[str, Any] = {}
        self.states: dict[str, list[Any]] = {}

    def version(self) -> str:
        return str(self.opensim.GetVersion())

    def load(self, model: str) -> None:
        """Read a model and build its system."""
        if model not in self.models:
            self.models[model] = self.opensim.Model(model)
            self.models[model].initSystem()

    def poses(self, model: str, poses: list[Pose], activation: float) -> None:
        """Keep a state for each pose (values and speeds by coordinate), with its muscles in balance."""
        self.load(model)
        body, kept = self.models[model], []
        for pose in poses:
            state = body.initializeState()
            for name, value in pose["values"].items():
                body.getCoordinateSet().get(name).setValue(state, value, False)
            for name, speed in pose["speeds"].items():
                body.getCoordinateSet().get(name).setSpeedValue(state, speed)
            self._activate(body, state, activation)
            kept.append(self.opensim.State(state))
        self.states[model] = kept

    @staticmethod
    def _activate(body: Any, state: Any, activation: float) -> None:
        for number in range(body.getMuscles().getSize()):
            body.getMuscles().get(number).setActivation(state, activation)
        body.equilibrateMuscles(state)

    def accelerations(self, model: str, names: list[str]) -> list[list[float]]:
        """Return the accelerations of the named coordinates, a row for each pose."""
        body, rows = self.models[model], []
        for state in self.states[model]:
            body.realizeAcceleration(state)
            rows.append([body.getCoordinateSet().get(name).getAccelerationValue(state) for name in names])
        return rows

    def fibres(self, model: str, names: list[str]) -> list[list[float]]:
        """Return the lengths (m) of the fibres of the named muscles, a row for each pose."""
        body, rows = self.models[model], []
        for state in self.states[model]:
            body.realizeDynamics(state)
            rows.append([body.getMuscles().get(name).getFiberLength(state) for name in names])
        return rows

    def time_accelerations(self, model: str, rounds: int) -> float:
        """Return the seconds that accelerations at one pose take."""
        body, states = self.models[model], self.states[model]
        realize = body.realizeAcceleration
        started = time.perf_counter()
        for _ in range(rounds):
            for state in states:
                state.setTime(0.0)  # all that was computed from the state is computed anew
                realize(state)
        return (time.perf_counter() - started) / (rounds * len(states))

    def moment_arms(self, model: str, muscles: list[str], coordinates: list[str]) -> list[list[float]]:
        """Return all moment arms (m) at the first pose."""
        body, state = self.models[model], self.states[model][0]
        return [
            [
                body.getMuscles().get(muscle).computeMomentArm(state, body.getCoordinateSet().get(name))
                for name in coordinates
            ]
            for muscle in muscles
        ]

    def time_moment_arms(self, model: str) -> float:
        """Return the seconds that the moment arms of all muscles about all coordinates take at one pose."""
        body, states = self.models[model], self.states[model]
        muscles = [body.getMuscles().get(number) for number in range(body.getMuscles().getSize())]
        coordinates = [body.getCoordinateSet().get(number) for number in range(body.getCoordinateSet().getSize())]
        state = states[0]
        state.setTime(0.0)
        started = time.perf_counter()
        for muscle in muscles:
            for coordinate in coordinates:
                muscle.computeMomentArm(state, coordinate)
        return time.perf_counter() - started

    def time_inverse_dynamics(self, files: dict[str, str], cutoff: float, end: float) -> float:
        """Return the seconds that the tool takes on a trial, reading and writing files; the model is there already."""
        opensim = self.opensim
        # The tool adds the loads to the model that it is given, so each run has one of its own.
        body = opensim.Model(files["model"])
        body.initSystem()
        started = time.perf_counter()
        tool = opensim.InverseDynamicsTool()
        tool.setModel(body)
        tool.setCoordinatesFileName(files["motion"])
        tool.setExternalLoadsFileName(files["loads"])
        tool.setLowpassCutoffFrequency(cutoff)
        excluded = opensim.ArrayStr()
        excluded.append("Muscles")
        tool.setExcludedForces(excluded)
        tool.setStartTime(0.0)
        tool.setEndTime(end)
        tool.setResultsDir(files["results"])
        tool.setOutputGenForceFileName("moments.sto")
        if not tool.run():
            raise RuntimeError("OpenSim's inverse dynamics failed")
        return time.perf_counter() - started

    def time_files(self, files: dict[str, str], recording: str) -> float:
        """Return the seconds that reading and writing the files of inverse dynamics take by themselves."""
        opensim = self.opensim
        moments = opensim.Storage(f"{files['results']}/moments.sto")
        started = time.perf_counter()
        opensim.ExternalLoads(files["loads"], True)
        opensim.Storage(files["motion"])
        opensim.Storage(recording)
        moments.printToFile(f"{files['results']}/again.sto", "w")
        return time.perf_counter() - started

    def loads(self, xml: str, data: str, target: str) -> None:
        """Write external loads whose recording is in another file."""
        loads = self.opensim.ExternalLoads(xml, True)
        loads.setDataFileName(data)
        loads.printToXML(target)

    def simulation(
        self, model: str, activation: float, duration: float, accuracy: float, names: list[str]
    ) -> dict[str, Any]:
        """Return the seconds that a simulation from the default pose takes, and its last coordinates."""
        opensim = self.opensim
        self.load(model)
        body = self.models[model]
        state = body.initializeState()
        self._activate(body, state, activation)
        body.setDefaultControls(opensim.Vector(body.getNumControls(), activation))
        manager = opensim.Manager(body)
        manager.setWriteToStorage(False)
        manager.setIntegratorAccuracy(accuracy)
        manager.initialize(state)
        started = time.perf_counter()
        last = manager.integrate(duration)
        spent = time.perf_counter() - started
        return {"seconds": spent, "last": [body.getCoordinateSet().get(name).getValue(last) for name in names]}


def main() -> None:
    # What OpenSim prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker()
    for line in sys.stdin:
        question: dict[str, Any] = json.loads(line)
        work: Callable[..., Any] = getattr(worker, question.pop("do"))
        try:
            answer = {"answer": work(**question)}
        except Exception as error:  # the benchmark tells it to its reader
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]
    main()
