class AgentFactory:
    @classmethod
    def run_preflight(cls, config):
        if (getattr(config, "kwargs", None) or {}).get("version") == "none":
            raise ValueError("there is no such version.")
