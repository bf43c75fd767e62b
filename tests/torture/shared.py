"""Trials: several runs that share a folder."""
import os
import signal
import time

from moments import fast


def together(trial):
    """Runs at once into one folder: all with --resume, all with --force, or shards of one whole,
    of which one may be killed."""
    rng = trial.rng
    job = trial.pick(lambda j: j.detects() and fast(j) and not j.status)
    how = rng.choice(('resume', 'force', 'shards', 'killed'))
    count = rng.choice((2, 2, 2, 3, 5))
    album = trial.album(job)
    children = []
    for i in range(count):
        more = {'resume': ['--resume'], 'force': ['--force']}.get(how)
        more = more or ['--shard', f'{i + 1}/{count}']
        children.append(trial.start(job.words(album, trial.threads(), files=False, more=more)))
        if rng.random() < 0.5:
            time.sleep(rng.uniform(0, 0.02))
    if how == 'killed':
        time.sleep(rng.uniform(0, 2 * trial.world.seconds[job.name]))
        children[0].send(signal.SIGKILL)
    for child in children:
        child.wait()
    killed = children[0].status == -signal.SIGKILL
    for child in children[1:] if killed else children:
        # Until runs agree on who does what, the second to finish an output says that it exists.
        lines = [line for line in child.error_lines() if 'exists already' not in line]
        if how == 'resume' and child.status == 1 and child.error_lines() and not lines:
            continue
        trial.judge(child, allowed=(0,))
    if killed:
        trial.world.kills += 1
        _, parts = trial.check(job, children[0], complete=False, parts=None, scope='out/')
        trial.complete(job, parts=parts)
    else:
        trial.check(job, children[-1], scope='out/')
        trial.complete(job)


def namespaces(trial):
    """Runs that are each process 1 of their own namespace, as in containers, share one folder;
    files are there that look like temporary ones of process 1."""
    rng = trial.rng
    job = trial.pick(lambda j: j.detects() and fast(j) and not j.status)
    count = rng.choice((1, 2, 2, 3, 5))
    stale = set()
    if rng.random() < 0.5:
        for i in range(rng.choice((1, 1, 3))):
            for folder in ('out', 'out/a'):
                stale.add(f'{folder}/.skinmask-1-{i}.part')
    for name in stale:
        path = f'{trial.folder}/r/{name}'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(b'of a run that was killed')
    prefix = ['unshare', '-pf'] if os.geteuid() == 0 else ['unshare', '-Urpf']
    if rng.random() < 0.5:
        prefix.append('--mount-proc')
    children = []
    for i in range(count):
        words = job.words(trial.album(job), trial.threads(), files=False,
                          more=['--shard', f'{i + 1}/{count}'])
        children.append(trial.start(words, prefix))
    for child in children:
        child.wait()
    for child in children:
        trial.judge(child, allowed=(0,))
    trial.check(job, children[-1], scope='out/', parts=stale)
    trial.complete(job, parts=stale)
