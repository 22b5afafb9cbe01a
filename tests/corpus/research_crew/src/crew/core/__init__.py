from ._brief import Brief
from ._models import model

__all__ = ["Brief", "model"]
