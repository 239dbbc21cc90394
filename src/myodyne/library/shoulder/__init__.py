"""The shoulder of Ehsani's section 4-4-C: a girdle that follows a regression, and an arm."""

from myodyne.library.shoulder.model import shoulder

__all__ = ["shoulder"]
