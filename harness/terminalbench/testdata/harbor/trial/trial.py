from pathlib import Path


class Trial:
    """Makes trials as harbor does: nothing is started, and a folder of their own is written."""

    @classmethod
    async def create(cls, config):
        Path(config.trials_dir, Path(config.task.path).name + "__1").mkdir()
        if config.environment.type == "daytona":
            raise ImportError("The 'daytona' package is required but not installed. Install it with:\n  pip install 'harbor[daytona]'")
        if not Path(config.task.path, "instruction.md").exists():
            raise FileNotFoundError("there is no instruction.md")
