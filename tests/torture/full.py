"""Trials: disks and devices that are full."""
import os

import checks
from moments import bash, fast


def full_folder(trial):
    """The output folder is on a file system with too little room, or with too few inodes."""
    job = trial.pick(lambda j: fast(j) and j.detects())
    reference = trial.world.reference(job)
    pages = checks.need_of(reference, 'out/') // 4096
    if trial.rng.random() < 0.7:
        trial.mount('r/out', max(1, int(pages * trial.rng.uniform(0.02, 0.95))))
    else:
        trial.mount('r/out', 16384, trial.rng.randint(1, len(reference.files) + 2))
    child = trial.run(job.words(trial.album(job), trial.threads()))
    missing, _ = trial.check(job, child, complete=False)
    missing = [name for name in missing if name.startswith('out/')]
    trial.judge(child, missing, allowed=(1,) if missing or job.status else (0,))
    if not job.status:
        trial.judge_lines(job, child, missing)
    for name in reference.files:
        if name.startswith('files/') and not os.path.exists(f'{trial.folder}/r/{name}'):
            trial.wrong('output lost', f'{name}, which is on another file system', child)
    trial.enlarge()
    trial.complete(job)


def full_files(trial):
    """--json, --csv, --report, a table or a model goes to a full file system."""
    job = trial.pick(lambda j: fast(j) and j.files)
    pages = checks.need_of(trial.world.reference(job), 'files/') // 4096
    room = trial.rng.randrange(pages)
    trial.mount('r/files', room + 1)
    with open(f'{trial.folder}/r/files/filler', 'wb') as file:
        file.write(bytes(4096))
    child = trial.run(job.words(trial.album(job), trial.threads()))
    missing, _ = trial.check(job, child, complete=False, free=('files/filler',))
    trial.judge(child, missing, allowed=(1,) if missing else (0,))
    trial.enlarge()
    os.unlink(f'{trial.folder}/r/files/filler')
    if job.detects():  # what there was no room to note has no outputs
        trial.complete(job)
    again = trial.run(job.words(trial.album(job), trial.threads(), more=['--force']))
    trial.judge(again, allowed=(job.status,))
    trial.check(job, again)


def full_device(trial):
    """/dev/full as standard output, as standard error, or as a file of results."""
    rng = trial.rng
    how = rng.choice(('stdout', 'stderr', 'both', 'file', 'words'))
    if how == 'words':
        words = rng.choice((['show'], ['version'], ['--version'], ['--help'], ['show', '--json'],
                            ['detect', '--help'], ['version', '--json']))
        child = trial.run(words, bash('exec "$@" >/dev/full'))
        trial.judge(child, allowed=(1,))
        return
    job = trial.pick(fast)
    words = job.words(trial.album(job), trial.threads())
    if how == 'file':
        flag = rng.choice(list(job.files) or ['--json'])
        if job.files:
            words[words.index(flag) + 1] = '/dev/full'
        else:
            words += [flag, '/dev/full']
        if flag == '--json':  # which takes another word only if that ends in .json
            at = words.index(flag)
            words[at:at + 2] = ['--json=/dev/full']
        child = trial.run(words)
        trial.judge(child, allowed=(1,))
        trial.check(job, child, complete=job.detects(), free=('files/*',) * job.detects())
        return
    to = {'stdout': '>/dev/full', 'stderr': '2>/dev/full', 'both': '>/dev/full 2>/dev/full'}[how]
    child = trial.run(words, bash(f'exec "$@" {to}'))
    prints = job.detects() or job.verb == 'evaluate'
    says = job.verb in ('sample', 'train')  # a summary, on standard error
    if how != 'stderr':
        allowed = (1,) if prints or job.status else (0,)
    else:
        allowed = (job.status,)
    if how != 'stdout' and says:
        allowed = (0, 1)
    if how == 'stdout':
        trial.judge(child, allowed=allowed)
    elif child.status not in allowed:
        trial.wrong(child.status_text(), f'with {to}', child)
    trial.check(job, child)
