# Says what a run of Terminal-Bench would miss: harbor's JobConfig is on standard
# input, and checks go to file descriptor 3, a JSON object a line.
import asyncio
import difflib
import fnmatch
import json
import os
import re
import sys
import tempfile

tell = os.fdopen(3, "w", encoding="utf-8", errors="replace")


def check(name, detail="", problem="", infrastructure=False):
    tell.write(json.dumps({"name": name, "detail": detail, "problem": problem, "infrastructure": infrastructure}) + "\n")
    tell.flush()
    if problem:
        os._exit(0)


def said(error):
    return "%s: %s" % (type(error).__name__, error) if str(error) else type(error).__name__


def among(name, names):
    near = difflib.get_close_matches(name, names, 1)
    return 'did you mean "%s"?' % near[0] if near else "use one of " + ", ".join(sorted(names))


def version():
    from importlib.metadata import version

    try:
        return version("harbor")
    except Exception:
        return "of an unknown version"


def imported(path, what, key):
    """Checks that a class module:Class can be imported."""
    module, _, name = path.partition(":")
    try:
        loaded = __import__(module, fromlist=[name])
    except ModuleNotFoundError as error:
        check(what, problem="the %s %s cannot be imported (%s): name another one with %s" % (what, path, error, key))
    except BaseException as error:
        check(what, problem="the %s %s cannot be imported (%s): mend its module" % (what, path, said(error)))
    if not isinstance(getattr(loaded, name, None), type):
        check(what, problem='the %s %s cannot be used: %s has no class "%s"; name another one with %s' % (what, path, module, name, key))


request = json.load(sys.stdin)
sys.path.insert(0, os.getcwd())
try:
    from harbor.agents.factory import AgentFactory
    from harbor.environments.factory import EnvironmentFactory
    from harbor.models.agent.name import AgentName
    from harbor.models.environment_type import EnvironmentType
    from harbor.models.job.config import JobConfig
except BaseException as error:
    check("harbor", problem="%s cannot import harbor (%s): install it again, or name another one with harbor" % (sys.executable, said(error)))
check("harbor", version())

agent, environment = request["agents"][0], request["environment"]
names = [n.value for n in AgentName]
if agent.get("name") and agent["name"] not in names and not agent["name"].startswith("acp:"):
    check("agent", problem='harbor %s has no agent "%s": %s' % (version(), agent["name"], among(agent["name"], names)))
if agent.get("import_path"):
    imported(agent["import_path"], "agent", "agent_import_path")
kinds = [t.value for t in EnvironmentType]
if environment.get("type") and environment["type"] not in kinds:
    check("sandbox", problem='harbor %s has no sandbox "%s": %s' % (version(), environment["type"], among(environment["type"], kinds)))
if environment.get("import_path"):
    imported(environment["import_path"], "sandbox", "env_provider")
try:
    config = JobConfig.model_validate(request)
except BaseException as error:
    check("options", problem="harbor %s does not take the configuration (%s): mend options" % (version(), said(error)))

try:
    from harbor.models.task.config import TaskConfig

    parse = TaskConfig.model_validate_toml
except (ImportError, AttributeError):  # another harbor: it says so in the run
    parse = None
for dataset in request["datasets"] if parse else []:
    folder = dataset.get("path")
    for name in sorted(os.listdir(folder)) if folder else []:
        path = os.path.join(folder, name, "task.toml")
        try:
            with open(path, encoding="utf-8") as file:
                parse(file.read())
        except OSError:
            continue
        except BaseException as error:
            check("tasks", problem="harbor %s cannot read %s (%s): mend it, or take the task away" % (version(), path, said(error)))


def unknown(model, given, above=""):
    for name, value in given.items():
        if name not in type(model).model_fields:
            check("options", problem="harbor %s has no setting %s: leave it out of options" % (version(), above + name))
        nested = getattr(model, name)
        if isinstance(value, dict) and hasattr(type(nested), "model_fields"):
            unknown(nested, value, above + name + ".")


unknown(config, {k: v for k, v in request.items() if k not in ("agents", "datasets")})
unknown(config.agents[0], agent, "agent.")
sandbox = environment.get("type") or environment.get("import_path")


def extra_of(error):
    """Returns the extra of harbor's whose packages an error misses, if it is that."""
    found = re.search(r"harbor\[([\w-]+)\]", str(error)) if isinstance(error, ImportError) else None
    return found.group(1) if found else None


def unusable(error, infrastructure=False):
    """Tells why the sandbox cannot be used."""
    text, mend = str(error).rstrip("."), "mend that, or name another one with env_provider"
    extra, missing = extra_of(error), getattr(error, "name", None)
    if extra:
        text = "this harbor is without its extra %s" % extra
        mend = "install it with `uv tool install 'harbor[%s]'`, or name another one with env_provider" % extra
    elif isinstance(error, ModuleNotFoundError) and missing:
        mend = "install the package with `%s -m pip install %s`, or name another one with env_provider" % (sys.executable, missing.partition(".")[0])
    check("sandbox", problem="the sandbox %s cannot be used (%s): %s" % (sandbox, text or said(error), mend), infrastructure=infrastructure)


try:
    if environment.get("type") and hasattr(EnvironmentFactory, "get_environment_class"):
        EnvironmentFactory.get_environment_class(config.environment.type)  # its packages are an extra
    EnvironmentFactory.run_preflight(
        type=config.environment.type, import_path=config.environment.import_path, **(
            {"kwargs": config.environment.kwargs} if "kwargs" in EnvironmentFactory.run_preflight.__code__.co_varnames else {}
        )
    )
except BaseException as error:
    unusable(error, infrastructure=environment.get("type") in ("docker", "podman"))
if hasattr(AgentFactory, "run_preflight"):
    try:
        AgentFactory.run_preflight(config.agents[0])
    except BaseException as error:
        check("agent", problem="the agent %s cannot be used (%s): mend that, or name another one" % (agent.get("name") or agent.get("import_path"), str(error).rstrip(".")))


def tasks(folder, names):
    """Yields the folders of those of a folder's tasks that are run."""
    for name in sorted(os.listdir(folder)):
        if names is None or any(fnmatch.fnmatchcase(name, n) for n in names):
            if os.path.exists(os.path.join(folder, name, "task.toml")):
                yield os.path.join(folder, name)


def example(folder):
    """Writes a task, which stands for those that harbor fetches in the run."""
    for name in ("instruction.md", "task.toml", "environment/Dockerfile", "solution/solve.sh", "tests/test.sh"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write("FROM scratch\n" if name.endswith("Dockerfile") else "")
    return folder


def trials(scratch):
    """Has harbor make the trials, which starts nothing, and returns the first task that it cannot begin, and why: such a
    one ends a job with all others. Of a registry's, which are not here, the packages of the sandbox alone count."""
    try:
        from harbor.models.trial.config import TaskConfig, TrialConfig
        from harbor.trial.trial import Trial

        create = Trial.create
    except (ImportError, AttributeError):  # another harbor: it says so in the run
        return None, None
    for dataset in request["datasets"]:
        folder = dataset.get("path")
        for path in tasks(folder, dataset.get("task_names")) if folder else [example(os.path.join(scratch, "example"))]:
            try:
                asyncio.run(create(TrialConfig(
                    task=TaskConfig(path=path), trials_dir=scratch, agent=config.agents[0], environment=config.environment, verifier=config.verifier,
                )))
            except BaseException as error:
                if folder or extra_of(error):
                    return path, error
    return None, None


with tempfile.TemporaryDirectory(prefix="bench-check-", ignore_cleanup_errors=True) as scratch:
    task, error = trials(scratch)
if extra_of(error):
    unusable(error)
if error:
    check("tasks", problem="harbor %s cannot begin the task %s in the sandbox %s with the agent %s (%s): mend that, or name others with env_provider and agent" % (
        version(), task, sandbox, agent.get("name") or agent.get("import_path"), said(error).rstrip(".")))
check("sandbox", sandbox)
check("agent", agent.get("name") or agent.get("import_path"))
os._exit(0)
