import os
import traceback
from types import SimpleNamespace

from tau2.registry import SPLITS, registry
from tau2.runner.checkpoint import create_checkpoint_fns

if os.environ.get("FAKE_TAU2") == "other":
    del create_checkpoint_fns


def simulate(config, task_id):
    print("simulating", task_id)
    agent = registry.agents[config.agent](tools=[], domain_policy="policy", llm=config.llm_agent, llm_args={}, task=None)
    reward = SimpleNamespace(reward=agent.solve(task_id))
    return SimpleNamespace(
        id="simulation-" + task_id, task_id=task_id, trial=0, duration=1.5, reward_info=reward, info=None,
        termination_reason=SimpleNamespace(value="user_stop"),
    )


def attempt(config, task_id, save):
    for _ in range(4):
        try:
            simulation = simulate(config, task_id)
            save(simulation)
            return simulation
        except Exception as error:
            last, where = error, traceback.format_exc()
    simulation = SimpleNamespace(
        id="failed-" + task_id, task_id=task_id, trial=0, duration=0.0, reward_info=None,
        info={"error": str(last), "error_type": type(last).__name__, "error_traceback": where},
        termination_reason=SimpleNamespace(value="infrastructure_error"),
    )
    save(simulation)
    return simulation


def run_domain(config):
    save_dir = os.path.join(os.environ["TAU2_DATA_DIR"], "simulations", config.save_to)
    save_path = os.path.join(save_dir, "results.json")
    if os.path.exists(save_path):
        input("resume? ")
    with open(save_path, "w") as f:
        f.write(repr(sorted(vars(config).items())) + "\n")
    save = lambda simulation: None
    if "create_checkpoint_fns" in globals():
        save, _ = create_checkpoint_fns(save_path, None)
    ids = SPLITS[config.task_split_name] if config.task_ids is None else config.task_ids
    if len(set(ids)) < len(ids) or not ids:
        raise ValueError("No tasks to run")
    simulations = [attempt(config, i, save) for i in ids]
    if os.environ.get("FAKE_TAU2") == "metrics":
        raise ZeroDivisionError("compute_metrics")
    return SimpleNamespace(simulations=simulations)
