"""A Slurm cluster of one machine, without systemd, control groups or files of the system."""
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time

NODES = ["n1", "n2", "n3"]

CONFIGURATION = """ClusterName=skinmask-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
CryptoType=crypto/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ReturnToService=1
SlurmdTimeout=5
InactiveLimit=0
MinJobAge=300
KillWait=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,sched_min_interval=0,bf_interval=2,batch_sched_delay=0,requeue_setup_env_fail
JobRequeue=1
MaxArraySize=10001
SlurmdParameters=config_overrides
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Ports that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def first_line(path, key):
    """The value of a line 'key=value' of a file of zero-ended lines such as /proc/PID/environ."""
    try:
        with open(path, "rb") as file:
            for line in file.read().split(b"\0"):
                if line.startswith(key.encode() + b"="):
                    return line.split(b"=", 1)[1].decode()
    except OSError:
        pass
    return None


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def lives(process):
    """False for one that has ended, also where nobody has asked how."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Cluster:
    """Starts munged, slurmctld and a slurmd for each node; ends them all."""

    def __init__(self, folder, program):
        self.folder = folder
        os.makedirs(f"{folder}/state")
        os.makedirs(f"{folder}/spool")
        self.environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf", SKINMASK=program)
        self.environment.pop("SKINMASK_FACES", None)
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        folder, ports = self.folder, free_ports(1 + len(NODES))
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=1000 State=UNKNOWN"
                          for name, port in zip(NODES, ports[1:]))
        with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=folder, host=host, user=getpass.getuser(),
                                            controller_port=ports[0], nodes=nodes))
        with open(os.open(f"{folder}/munge.key", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(128))
        os.chmod(folder, 0o755)  # munged asks for it
        self.run(["munged", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.sock",
                  f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed"])
        self.run(["slurmctld"])
        for node in NODES:
            self.run(["slurmd", "-N", node])
        self.wait(lambda: self.run(["sinfo", "-h", "-o", "%T %D"]).strip() == f"idle {len(NODES)}", 30, "idle nodes")

    def run(self, words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: {done.stderr}")
        return done.stdout

    @staticmethod
    def wait(condition, seconds, what):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"no {what} within {seconds} s")
            time.sleep(0.1)

    def submit(self, words, **variables):
        """Gives the number of a job."""
        environment = dict(self.environment, **variables)
        done = subprocess.run(["sbatch", "--parsable", f"--output={self.folder}/job-%A-%a.log", *words], env=environment,
                              capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.strip()

    def states(self, job):
        """Of a job's tasks, e.g. {'COMPLETED'}."""
        text = self.run(["scontrol", "show", "job", job])
        return {word.split("=")[1] for word in text.split() if word.startswith("JobState=")}

    def finish(self, job, seconds=120):
        """Waits until all tasks of a job have ended, and returns their states."""
        running = {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED", "SUSPENDED"}
        self.wait(lambda: not self.states(job) & running, seconds, f"end of job {job}")
        return self.states(job)

    def kill(self, node):
        """A node dies like a machine: its daemon, the daemons of its steps and all that they started, by SIGKILL."""
        with open(f"{self.folder}/slurmd.{node}.pid", encoding="utf-8") as file:
            doomed = {int(file.read())}
        for process in processes():
            if first_line(f"/proc/{process}/environ", "SLURMD_NODENAME") == node and self.is_ours(process):
                doomed |= {process, self.parent(process)}
        for process in doomed:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.run(["scontrol", "update", f"nodename={node}", "state=down", "reason=lost"])
        return len(doomed)

    def is_ours(self, process):
        return first_line(f"/proc/{process}/environ", "SLURM_CONF") == self.environment["SLURM_CONF"]

    @staticmethod
    def parent(process):
        """The step daemon of a task's first process; the process itself where it is another's child."""
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{parent}/cmdline", encoding="utf-8") as file:
                return parent if file.read().startswith("slurmstepd") else process
        except OSError:
            return process

    def stop(self):
        subprocess.run(["scontrol", "shutdown"], env=self.environment, capture_output=True, timeout=60, check=False)
        pids = []
        for name in ["munged", "slurmctld", *(f"slurmd.{node}" for node in NODES)]:
            try:
                with open(f"{self.folder}/{name}.pid", encoding="utf-8") as file:
                    pids.append(int(file.read()))
            except (OSError, ValueError):
                continue
        ours = [p for p in processes() if p in pids or (p != os.getpid() and self.is_ours(p))]
        for number in (signal.SIGTERM, signal.SIGKILL):
            for process in ours:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
            end = time.monotonic() + 5
            while any(lives(process) for process in ours) and time.monotonic() < end:
                time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)
