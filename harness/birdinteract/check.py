# Says what a run of BIRD-Interact would miss: what is to be looked at is on standard
# input, and checks go to file descriptor 3, a JSON object a line.
import importlib
import json
import os
import shutil
import sys

tell = os.fdopen(3, "w", encoding="utf-8", errors="replace")


def check(name, detail="", problem="", infrastructure=False):
    tell.write(json.dumps({"name": name, "detail": detail, "problem": problem, "infrastructure": infrastructure}) + "\n")
    tell.flush()
    if problem:
        os._exit(0)


def said(error):
    return " ".join(("%s: %s" % (type(error).__name__, error)).split())


def packages(names):
    for name in names:
        try:
            importlib.import_module(name)
        except BaseException as error:
            check(
                "packages",
                problem="%s cannot import %s (%s): `%s -m pip install -r requirements.txt` in the ADK's folder installs it, or name another Python with bird_python_bin"
                % (sys.executable, name, said(error), sys.executable),
            )
    check("packages", ", ".join(names))


def agent(module):
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        file = module.replace(".", "/") + ".py"
        check("agent", problem="the agent %s cannot be imported (%s): write it, or use the ADK's with `agent: system_agent`" % (file, error))
    except BaseException as error:
        check("agent", problem="the agent %s cannot be imported (%s): mend it" % (module.replace(".", "/") + ".py", said(error)))
    if not hasattr(loaded, "app"):
        check("agent", problem="the agent %s has no app, which is its service: write one" % (module.replace(".", "/") + ".py"))
    check("agent", module)


def database(needed):
    for program in ("psql", "createdb", "dropdb"):
        if not shutil.which(program):
            check("PostgreSQL", problem="%s is not on PATH: install PostgreSQL's client programs" % program)
    import psycopg2
    from shared.config import settings

    where = "PostgreSQL at %s:%s" % (settings.pg_host, settings.pg_port)
    try:
        connection = psycopg2.connect(
            host=settings.pg_host, port=settings.pg_port, user=settings.pg_user, password=settings.pg_password, dbname="postgres", connect_timeout=10
        )
    except psycopg2.Error as error:
        text = " ".join(str(error).split())
        if any(w in text for w in ("authentication", "does not exist", "no pg_hba.conf entry", "no password supplied", "not permitted")):
            check("PostgreSQL", problem="%s refuses the user %s (%s): say who may with pg_user and pg_password" % (where, settings.pg_user, text))
        check("PostgreSQL", problem="%s cannot be reached (%s): start it, or say where it is with pg_host and pg_port" % (where, text), infrastructure=True)
    cursor = connection.cursor()
    cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    if not cursor.fetchone()[0]:
        check("PostgreSQL", problem="the user %s of %s is no superuser, which copying databases takes: `ALTER ROLE %s SUPERUSER`, or say another one with pg_user" % (settings.pg_user, where, settings.pg_user))
    cursor.execute("SELECT datname FROM pg_database")
    there = {row[0] for row in cursor.fetchall()}
    missing = [name for name in needed if name not in there]
    if missing:
        check("PostgreSQL", problem="%s has no database %s: restore the dataset's dumps there, as the README of BIRD-Interact-ADK says" % (where, ", ".join(missing)))
    check("PostgreSQL", "%s, %d databases of the tasks" % (where, len(needed)))


request = json.load(sys.stdin)
packages(request.get("packages") or [])
if request.get("agent"):
    agent(request["agent"])
if request.get("databases") is not None:
    database(request["databases"])
os._exit(0)
