"""What a model or a motion tells when asked: linearisation, embedding of loops, curves of muscles."""

from myodyne.analyse.embed import embed
from myodyne.analyse.linearise import Linearisation, linearise
from myodyne.analyse.loop_equations import Embedding
from myodyne.analyse.muscle_curves import MuscleCurve, MuscleCurves, muscle_curves

__all__ = ["Embedding", "Linearisation", "MuscleCurve", "MuscleCurves", "embed", "linearise", "muscle_curves"]
