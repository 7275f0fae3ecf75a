# An environment of harbor's that needs no container engine: each trial has a
# folder of its own as root, with this machine's programs in it for as long as
# a command runs, in a mount namespace of the command's own.
import asyncio
import shutil
import tempfile
from pathlib import Path

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities

ENTER = """
for d in usr bin sbin lib lib64 etc proc dev; do
  if [ -L /$d ]; then [ -e $0/$d ] || cp -P /$d $0/$d
  elif [ -d /$d ]; then mkdir -p $0/$d && mount --rbind /$d $0/$d; fi
done
exec chroot $0 /bin/bash -c 'cd "$0" && eval "$1"' "$1" "$2"
"""


class Rooms(BaseEnvironment):
    @staticmethod
    def type():
        return "rooms"

    @property
    def capabilities(self):
        return EnvironmentCapabilities()

    def _validate_definition(self):
        pass

    async def start(self, force_build):
        self.root = Path(tempfile.mkdtemp(prefix="room-"))
        for name in ("app", "tmp", "root", "logs/agent", "logs/verifier", "logs/artifacts", "tests", "solution"):
            (self.root / name).mkdir(parents=True, exist_ok=True)

    async def stop(self, delete):
        shutil.rmtree(self.root, ignore_errors=True)

    def place(self, path):
        return self.root / str(path).lstrip("/")

    async def upload_file(self, source_path, target_path):
        self.place(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source_path, self.place(target_path))

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self.place(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path, target_path):
        shutil.copy2(self.place(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self.place(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        process = await asyncio.create_subprocess_exec(
            "unshare", "--mount", "sh", "-c", ENTER, str(self.root), cwd or "/app", command,
            env={"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", **(env or {})},
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode)
