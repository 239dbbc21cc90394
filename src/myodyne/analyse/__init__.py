"""What a model or a motion tells when asked: linearisation."""

from myodyne.analyse.linearise import Linearisation, linearise

__all__ = ["Linearisation", "linearise"]
