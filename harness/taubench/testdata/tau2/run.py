from types import SimpleNamespace

from tau2.registry import SPLITS
from tau2.runner.batch import run_domain  # noqa: F401


def load_tasks(domain, split=None):
    if domain == "banking_knowledge" and split is not None:
        raise ValueError("no split " + split)
    return [SimpleNamespace(id=i) for i in SPLITS[split or "base"]]
