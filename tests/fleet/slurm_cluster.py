"""A Slurm cluster of several nodes on this machine: Debian's own programs, with a key and ports of their own.

    with Cluster(["n1", "n2", "n3"]) as cluster:
        cluster.run("srun", "-N3", "hostname")

Nothing of the machine's own Slurm or Munge, if it has one, is touched.
"""

import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_SECONDS = 120  # far more than it needs, on a busy machine too


def free_ports(count):
    """Ports that are free now."""
    sockets = []
    for _ in range(count):
        each = socket.socket()
        each.bind(("127.0.0.1", 0))
        sockets.append(each)
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def program(name):
    """Where a program is; daemons are often not in a user's path."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        raise FileNotFoundError(f"{name} is not installed; 'scripts/setup all' does it")
    return found


class Cluster:
    """munged, slurmctld and one slurmd for each node, which end with it."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.folder = None
        self.processes = []
        self.daemons = {}  # of nodes, by name

    def __enter__(self):
        # Munge refuses folders that others may write to.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cyclescope-slurm-"))
        os.chmod(self.folder, 0o755)
        try:
            self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self):
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, name, *arguments, **options):
        """Runs one of Slurm's programs, and says how it ended."""
        return subprocess.run(
            [program(name), *map(str, arguments)], env=self.environment(), encoding="utf-8", check=False,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, **options,
        )

    def start(self, name, *arguments):
        """Starts one of Slurm's programs, and does not wait."""
        return subprocess.Popen(
            [program(name), *map(str, arguments)], env=self.environment(), encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def kill_node(self, node, task):
        """Ends all that runs on a node at once, as where its power fails: Slurm's daemon, the process that looks
        after the task of this number, and the task itself."""
        daemon = self.daemons.pop(node)
        self.processes.remove(daemon)
        status = pathlib.Path(f"/proc/{task}/stat").read_text(encoding="utf-8")
        parent = int(status.rpartition(")")[2].split()[1])
        daemon.kill()
        os.kill(parent, signal.SIGKILL)
        os.killpg(task, signal.SIGKILL)
        daemon.wait()
        # Slurm finds out by itself, in minutes.
        self.run("scontrol", "update", f"nodename={node}", "state=down", "reason=killed")

    def bring_back(self, node):
        """A node that was killed."""
        self._start_node(node)
        self.run("scontrol", "update", f"nodename={node}", "state=resume")
        self._wait_for(self._is_up)

    def _start_node(self, node):
        self.daemons[node] = self._daemon("slurmd", "-D", "-N", node)

    def logs(self):
        """What the daemons said, for a test that failed."""
        return "\n".join(
            f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-20:])
            for log in sorted(self.folder.glob("*.log"))
        )

    def _daemon(self, name, *arguments):
        log = open(self.folder / f"{name}-{len(self.processes)}.log", "w", encoding="utf-8")
        with log:
            self.processes.append(
                subprocess.Popen(
                    [program(name), *map(str, arguments)], env=self.environment(), stdout=log, stderr=log,
                    stdin=subprocess.DEVNULL,
                )
            )
        return self.processes[-1]

    def _start(self):
        folder = self.folder
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        munge = folder / "munge.socket"
        self._write_settings(munge)
        self._daemon(
            "munged", "--foreground", f"--key-file={key}", f"--socket={munge}",
            f"--pid-file={folder / 'munge.pid'}", f"--log-file={folder / 'munge.log'}",
            f"--seed-file={folder / 'munge.seed'}",
        )
        self._wait_for(munge.exists)
        self._daemon("slurmctld", "-D", "-c")
        for node in self.nodes:
            self._start_node(node)
        self._wait_for(self._is_up)

    def _is_up(self):
        seen = self.run("sinfo", "--noheader", "--format=%D", "--states=idle")
        return sum(int(line) for line in seen.stdout.split() if line.isdigit()) == len(self.nodes)

    def _wait_for(self, holds):
        end = time.monotonic() + START_SECONDS
        while not holds():
            if time.monotonic() > end or any(process.poll() is not None for process in self.processes):
                raise RuntimeError("the cluster did not start\n" + self.logs())
            time.sleep(0.2)

    def _write_settings(self, munge):
        folder, host, user = self.folder, socket.gethostname(), getpass.getuser()
        control, *ports = free_ports(1 + len(self.nodes))
        (folder / "state").mkdir()
        for node in self.nodes:
            (folder / f"spool.{node}").mkdir()
        lines = [
            "ClusterName=made",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmctldPort={control}",
            "AuthType=auth/munge",
            f"AuthInfo=socket={munge}",
            "CredType=cred/munge",
            f"SlurmUser={user}",
            f"SlurmdUser={user}",
            f"StateSaveLocation={folder / 'state'}",
            f"SlurmdSpoolDir={folder / 'spool.%n'}",
            f"SlurmctldPidFile={folder / 'slurmctld.pid'}",
            f"SlurmdPidFile={folder / 'slurmd.%n.pid'}",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "SelectType=select/linear",
            "MpiDefault=none",
            "ReturnToService=2",
            "AccountingStorageType=accounting_storage/none",
            "JobAcctGatherType=jobacct_gather/none",
            "KillWait=5",
            *(
                f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={os.cpu_count()} State=UNKNOWN"
                for node, port in zip(self.nodes, ports)
            ),
            "PartitionName=all Nodes=ALL Default=YES State=UP",
        ]
        (folder / "slurm.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")
