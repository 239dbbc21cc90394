"""Tags of OpenSim files that are known before anything is read."""

from __future__ import annotations

# What old files hold without an envelope: a model, a set, or a tool.
WITHOUT_ENVELOPE = frozenset(
    (
        *("Model", "IKTaskSet", "MarkerSet", "ScaleSet", "MeasurementSet", "ForceSet", "ControlSet", "ExternalLoads"),
        *("ScaleTool", "InverseKinematicsTool", "IKTool", "InverseDynamicsTool", "AnalyzeTool", "ForwardTool"),
    )
)

# What has no part in the motion, and is left out without a word on each.
WHY_SKIPPED = {
    **dict.fromkeys(
        (
            "Appearance",
            "SurfaceProperties",
            "VisibleObject",
            "FrameGeometry",
            "GeometrySet",
            "DisplayGeometry",
            "Mesh",
            "Brick",
            "Cylinder",
            "Sphere",
            "Ellipsoid",
            "Cone",
            "Torus",
            "LineGeometry",
            "Arrow",
            "Geometry",
            "ModelVisualPreferences",
            "ModelDisplayHints",
            "Transform",
        ),
        "for drawing only",
    ),
    "ObjectGroup": "groups are not kept",
    "PhysicalOffsetFrame": "nothing that is read is attached to it",
}
