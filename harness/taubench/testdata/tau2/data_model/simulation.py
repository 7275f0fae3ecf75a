class TextRunConfig:
    model_fields = ("user", "max_steps", "llm_args_user")
    user = "user_simulator"

    def __init__(self, **fields):
        if fields.get("max_steps", 1) < 1:
            raise ValueError("max_steps: want 1 or more")
        self.__dict__.update(fields)
