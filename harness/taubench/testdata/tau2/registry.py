SPLITS = {"train": ["0", "1"], "test": ["[mobile]a|b:c", "42"], "base": ["0", "1", "[mobile]a|b:c", "42"]}


class Registry:
    def __init__(self):
        self.agents = {}

    def register_agent_factory(self, factory, name):
        self.agents[name] = factory

    def get_agents(self):
        return ["llm_agent", *self.agents]

    def get_users(self):
        return ["user_simulator", "dummy_user"]

    def get_domains(self):
        return ["retail", "banking_knowledge"]

    def get_task_splits_loader(self, domain):
        return (lambda: SPLITS) if domain == "retail" else None


registry = Registry()
