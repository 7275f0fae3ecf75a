# Runs tau-bench. One JSON object on standard input says what to run; JSON
# lines on file descriptor 3 say what has become of it. Standard output and
# standard error are tau2's log.
import json
import math
import os
import re
import sys
import threading

MAX_TEXT = 2000
MAX_TOLD = 8 << 20


class Refused(Exception):
    """What was asked for cannot be run; its author can mend it."""


class Channel:
    """File descriptor 3. What tau2 or the agent starts does not get it."""

    def __init__(self):
        os.set_inheritable(3, False)
        self.file = os.fdopen(3, "w", encoding="utf-8", errors="replace")
        self.lock = threading.Lock()

    def emit(self, event, **fields):
        # tau2 runs a simulation again if its saving raises.
        try:
            line = json.dumps({"event": event, **fields}, default=str, allow_nan=False)
            with self.lock:
                self.file.write(line + "\n")
                self.file.flush()
        except BaseException as error:
            complain("tell of %s" % event, error)


def complain(what, error):
    try:
        print("%s: %s: %s" % (what, type(error).__name__, error), file=sys.stderr, flush=True)
    except BaseException:
        pass


def text(value):
    return None if value is None else str(value)[:MAX_TEXT]


def number(value):
    """A reward as it is, or as text if it is no number that JSON has."""
    if value is None or isinstance(value, (int, float)) and math.isfinite(value):
        return value
    return text(value)


def said(messages):
    """What was said, by whom, and which tools were called."""
    told, calls = [], {}
    for message in messages:
        role = "assistant" if message.get("role") == "assistant" else "user"
        if message.get("role") == "tool" and message.get("id") in calls:
            call = calls[message["id"]]
            call["error" if message.get("error") else "output"] = str(message.get("content") or "")
            continue
        if message.get("content"):
            told.append({"role": role, "text": str(message["content"])})
        for call in message.get("tool_calls") or []:
            entry = {"role": role, "tool": str(call.get("name")), "input": call.get("arguments")}
            calls[call.get("id")] = entry
            told.append(entry)
    return told


def account(simulation):
    """All that is known of a simulation beside its reward."""
    try:
        whole = simulation.model_dump(mode="json")
        messages = whole.pop("messages", None) or []
        usage = [m.get("usage") or {} for m in messages if m.get("role") == "assistant"]
        fields = {
            "input_tokens": sum(int(u.get("prompt_tokens") or 0) for u in usage),
            "output_tokens": sum(int(u.get("completion_tokens") or 0) for u in usage),
            "cost_usd": number(whole.get("agent_cost")) or 0,
            "messages": said(messages),
            "result": whole,
        }
        if len(json.dumps(fields, default=str)) > MAX_TOLD:
            del fields["messages"], fields["result"]
        json.dumps(fields, allow_nan=False)
        return fields
    except Exception as error:
        complain("read a simulation", error)
        return {}


class Simulations:
    """Tells of simulations, each as soon as it is saved."""

    def __init__(self, channel):
        self.channel = channel
        self.told = set()

    def tell(self, simulation):
        try:
            reward = simulation.reward_info.reward if simulation.reward_info else None
            termination = simulation.termination_reason
            info = getattr(simulation, "info", None) or {}
            self.channel.emit(
                "task",
                task_id=str(simulation.task_id),
                trial=simulation.trial,
                reward=number(reward),
                termination=str(getattr(termination, "value", termination)),
                duration=number(simulation.duration),
                error=text(info.get("error")),
                error_type=text(info.get("error_type")),
                traceback=str(info.get("error_traceback") or "")[-4 * MAX_TEXT :],
                measured={"duration_s": simulation.duration, **account(simulation)},
            )
            self.told.add(simulation.id)
        except BaseException as error:
            complain("tell of a simulation", error)

    def watch(self, batch):
        """Has batch's checkpoints tell. Saving that fails is no reason to
        run, and pay for, a simulation again."""
        make = getattr(batch, "create_checkpoint_fns", None)
        if make is None:
            return

        def guarded(write):
            def checkpoint(*args):
                self.tell(args[-1])
                try:
                    write(*args)
                except Exception as error:
                    complain("save a simulation", error)

            return checkpoint

        def create(*args, **kwargs):
            return tuple(guarded(write) for write in make(*args, **kwargs))

        batch.create_checkpoint_fns = create


def load_agent(own):
    """Registers the experiment's agent, unless it is one of tau2's, and returns the name."""
    from tau2 import registry

    if own:
        known = registry.get_agents()
        if own not in known:
            raise Refused('tau2 has no agent "%s": use %s' % (own, ", ".join(sorted(known))))
        return own
    try:
        from agent.agent import HarnessAgent
    except BaseException as error:
        raise Refused(
            "import HarnessAgent from agent/agent.py: %s: %s; mend it, or name an agent of tau2's own with agent"
            % (type(error).__name__, " ".join(str(error).split()))
        )

    def create(tools, domain_policy, **kwargs):
        return HarnessAgent(
            tools=tools, domain_policy=domain_policy, llm=kwargs.get("llm"), llm_args=kwargs.get("llm_args")
        )

    registry.register_agent_factory(create, "harness_agent")
    return "harness_agent"


def select(channel, domain, task_set, split, wanted):
    """Tells of the tasks to run; False if some are not in the split."""
    from tau2 import registry
    from tau2.run import load_tasks

    if domain not in registry.get_domains():
        raise Refused(
            'tau2 has no domain "%s" with data in %s: use %s'
            % (domain, os.environ.get("TAU2_DATA_DIR"), ", ".join(sorted(registry.get_domains())) or "`bench harness prepare` to fetch it")
        )
    if task_set != domain and task_set not in registry.get_task_sets():
        raise Refused('tau2 has no set of tasks "%s": use %s' % (task_set, ", ".join(sorted(registry.get_task_sets()))))
    load = registry.get_task_splits_loader(task_set)
    splits = (load() if load else None) or {}
    if split is not None and splits and split not in splits:
        raise Refused('domain "%s" has no split "%s": use %s' % (domain, split, ", ".join(splits)))
    try:
        ids = [str(task.id) for task in load_tasks(task_set, split)]
    except FileNotFoundError as error:
        raise Refused("tau2's data has no %s: fetch it with `bench harness prepare`, or say where it is with TAU2_DATA_DIR" % error.filename)
    except Exception as error:
        if split is None:
            raise
        # Domains without splits, and those that do not list theirs.
        why = re.sub(r"dict_keys\(\[(.*)\]\)", r"\1", str(error))
        raise Refused('load split "%s" of domain "%s": %s; null is all of its tasks' % (split, domain, why))
    outside = [i for i in wanted or [] if i not in set(ids)]
    if outside:
        channel.emit("outside", tasks=[{"id": i, "splits": [s for s in splits if i in splits[s]]} for i in outside])
        return False
    channel.emit("tasks", ids=ids if wanted is None else wanted)
    return True


def run(channel, request):
    sys.path.insert(0, os.getcwd())
    try:
        from tau2 import registry
        from tau2.data_model.simulation import TextRunConfig
        from tau2.run import run_domain
        from tau2.runner import batch
    except ImportError as error:
        raise Refused(
            "%s cannot import tau2: %s; install tau2 from its source, or name the Python that has it with tau2_python"
            % (sys.executable, error)
        )

    agent = load_agent(request.get("agent"))
    settings = request.get("settings") or {}
    unknown = sorted(set(settings) - set(TextRunConfig.model_fields))
    if unknown:
        raise Refused("the tau2 that is installed has no setting %s" % ", ".join(unknown))
    task_set = settings.get("task_set_name") or request["domain"]
    if not select(channel, request["domain"], task_set, request["split"], request["task_ids"]):
        return
    fields = dict(
        domain=request["domain"],
        agent=agent,
        llm_agent=request["agent_model"],
        llm_user=request["user_model"],
        task_split_name=request["split"],
        task_ids=request["task_ids"],
        max_concurrency=request["max_concurrency"],
        seed=request["seed"],
        timeout=request["timeout"],
        save_to=request["save_to"],
    )
    try:
        config = TextRunConfig(**{**fields, **settings})
    except ValueError as error:
        raise Refused("tau2 does not take the settings: %s" % " ".join(str(error).split()))
    users = registry.get_users()
    if config.user not in users:
        raise Refused('tau2 has no user "%s": use %s' % (config.user, ", ".join(sorted(users))))
    if request.get("check"):
        return
    simulations = Simulations(channel)
    simulations.watch(batch)
    results = run_domain(config)
    for simulation in results.simulations:
        if simulation.id not in simulations.told:
            simulations.tell(simulation)


def main():
    channel = Channel()
    try:
        run(channel, json.load(sys.stdin))
    except Refused as error:
        channel.emit("refused", error=text(error))
        sys.exit(1)
    except BaseException as error:
        channel.emit("failed", error=text("%s: %s" % (type(error).__name__, error)))
        raise
    channel.emit("done")
    # A connection that hangs at the interpreter's end is no reason to wait.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


main()
