"""The trials, round and round: what is done to a run, and what must hold after it. docs/cli.md is
what they hold the program to, above all 'Manners'."""
import os
import resource
import subprocess

from full import full_folder, full_files, full_device
from killed import kill, interrupt, hang_up, closed_pipe
from limited import (limit_descriptors, limit_size, limit_memory, limit_processes, limit_stack,
                     limit_time, descriptors)
from moments import bash
from robbed import vanishing_inputs, vanishing_outputs, permissions
from shared import together, namespaces
from world import NOBODY


# In this order.
ROUND = [kill, interrupt, full_folder, limit_descriptors, kill, descriptors, vanishing_inputs,
         together, kill, full_files, limit_size, namespaces, interrupt, kill, hang_up,
         full_device, limit_memory, vanishing_outputs, kill, closed_pipe, limit_processes,
         permissions, kill, limit_stack, limit_time]


def impossible(world):
    """Kinds of trials that cannot be done here, and why."""
    found = {}
    if world.disks.missing:
        found |= dict.fromkeys((full_folder, full_files), world.disks.missing)
    flags = '-pf' if os.geteuid() == 0 else '-Urpf'
    if subprocess.run(['unshare', flags, 'true'], capture_output=True).returncode != 0:
        found[namespaces] = 'unshare makes no namespace of processes'
    if os.geteuid() == 0:
        as_nobody = ['setpriv', '--reuid', str(NOBODY), '--regid', str(NOBODY), '--clear-groups',
                     world.program, 'version']
        if subprocess.run(as_nobody, capture_output=True).returncode != 0:
            why = 'the program cannot be started as an ordinary user'
            found |= dict.fromkeys((permissions, limit_processes), why)
    else:
        # The processes of this user count already.
        if resource.getrlimit(resource.RLIMIT_NPROC)[0] == 0:
            found[limit_processes] = 'there is a limit already'
    limited_start = bash(f'ulimit -v {300 * 1024}') + [world.program, 'version']
    if subprocess.run(limited_start, capture_output=True).returncode != 0:
        found[limit_memory] = 'the program needs more than 300 MB of addresses to start'
    return found
