"""What a model or a motion tells when asked: linearisation, embedding of loops."""

from myodyne.analyse.embed import Embedding, embed
from myodyne.analyse.linearise import Linearisation, linearise

__all__ = ["Embedding", "Linearisation", "embed", "linearise"]
