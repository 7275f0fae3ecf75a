# What the driver uses of tau2, without models: enough of its manners to see
# that the driver keeps to them.
from tau2.registry import registry  # noqa: F401
