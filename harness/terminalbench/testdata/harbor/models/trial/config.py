class TaskConfig:
    def __init__(self, path):
        self.path = path


class TrialConfig:
    def __init__(self, task, trials_dir, agent, environment, verifier):
        self.task, self.trials_dir, self.environment = task, trials_dir, environment
