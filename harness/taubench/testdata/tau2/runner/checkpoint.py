def create_checkpoint_fns(save_path, lock):
    def save(simulation):
        if simulation.task_id == "1":
            raise OSError("the disk is full")
        with open(save_path, "a") as f:
            f.write(simulation.task_id + "\n")

    return save, lambda key, simulation: save(simulation)
