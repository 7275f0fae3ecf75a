class EnvironmentFactory:
    @classmethod
    def run_preflight(cls, type, import_path=None, kwargs=None):
        if type == "docker":
            raise SystemExit("Docker is not installed.")
        if type == "e2b":
            raise SystemExit("E2B requires E2B_API_KEY to be set. CUA_TOKEN is read too.")
