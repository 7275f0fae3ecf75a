class Model:
    """What there is of pydantic's that is asked."""

    model_fields = {}

    def __init__(self, given):
        for name, value in given.items():
            setattr(self, name, value)


class Retry(Model):
    model_fields = {"max_retries": None}


class Agent(Model):
    model_fields = {"name": None, "import_path": None, "model_name": None, "max_timeout_sec": None, "kwargs": None}


class Environment(Model):
    model_fields = {"type": None, "import_path": None, "kwargs": None, "cpu_enforcement_policy": None}
    type = import_path = kwargs = None


class JobConfig(Model):
    model_fields = {"retry": None, "agents": None, "environment": None, "datasets": None}
    verifier = None

    @classmethod
    def model_validate(cls, given):
        if given["environment"].get("cpu_enforcement_policy") == "often":
            raise ValueError("cpu_enforcement_policy:\n  want auto")
        job = cls(given)
        job.environment = Environment(given["environment"])
        job.agents = [Agent(a) for a in given["agents"]]
        job.retry = Retry(given.get("retry") or {})
        return job
