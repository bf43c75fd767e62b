"""The trials: what is done to a run, and what must hold after it. docs/cli.md is what they hold
the program to, above all 'Manners'."""
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import time

import checks
from world import NOBODY


def bash(script):
    """A prefix: the program replaces a shell that has done `script`, or has "$@" in it."""
    return ['bash', '-c', script if '"$@"' in script else script + ' && exec "$@"', '-']


def fast(job):
    return not job.tags & {'slow', 'large'}


def of_images(job):
    return 'images' in job.tags and 'slow' not in job.tags


def quick(job):
    return 'quick' in job.tags


def outputs_in(trial, parts=False):
    """How many files are below r/out; with `parts` whether a temporary one is below r/."""
    files = checks.files_of(f'{trial.folder}/r' + ('' if parts else '/out'))
    return any(map(checks.is_part, files)) if parts else len(files)


def wait_for(child, condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not child.ended():
        if condition():
            return


def random_moment(trial, job, child):
    """Waits for a moment in the run: by the clock, until a temporary file is there, or until a
    number of outputs are."""
    lasts = trial.world.seconds[job.name]
    how = trial.rng.random()
    if how < 0.6 or not job.detects():
        time.sleep(trial.rng.uniform(0, 1.1 * lasts))
    elif how < 0.8:
        time.sleep(trial.rng.uniform(0, 0.8 * lasts))
        wait_for(child, lambda: outputs_in(trial, parts=True), lasts)
    else:
        count = trial.rng.randrange(1, 1 + len(trial.world.reference(job).files))
        wait_for(child, lambda: outputs_in(trial) >= count, 2 * lasts)


def partial(job):
    """What a completed run need not have: files that a run with --resume does not write."""
    return ('files/*',) if job.detects() else ()


# Kills and signals.

def kill(trial):
    job = trial.pick()
    words = job.words(trial.album(job), trial.threads())
    for turn in range(trial.rng.choice((1, 1, 2, 3))):
        child = trial.start(words)
        random_moment(trial, job, child)
        child.send(signal.SIGKILL)
        child.wait()
        if child.status == -signal.SIGKILL:
            trial.world.kills += 1
        elif not child.hung:
            trial.judge(child, allowed=(job.status,))
        complete = child.status == 0
        _, parts = trial.check(job, child, complete, None, partial(job) if turn else ())
        words = job.again(trial.album(job), trial.threads())
    trial.complete(job, parts=parts)


def interrupt(trial):
    """SIGINT or SIGTERM, and now and then a second one, which may kill."""
    job = trial.pick()
    what = trial.rng.choice((signal.SIGINT, signal.SIGTERM))
    twice = trial.rng.random() < 0.15
    child = trial.start(job.words(trial.album(job), trial.threads()))
    random_moment(trial, job, child)
    caught = child.catches(what)
    sent = time.monotonic()
    child.send(what)
    if twice:
        time.sleep(trial.rng.uniform(0, 0.02))
        child.send(what)
    child.wait()
    trial.world.signals += 1
    trial.world.slowest_end = max(trial.world.slowest_end, time.monotonic() - sent)
    died = child.status == -what
    allowed = (130, job.status) + ((-what,) if twice or not caught else ())
    trial.judge(child, allowed=allowed)
    if died and not twice and outputs_in(trial):
        trial.wrong('died of the signal in mid-run', child.status_text(), child)
    complete = child.status == job.status
    _, parts = trial.check(job, child, complete, None if died and twice else frozenset())
    trial.complete(job, parts=parts)


def hang_up(trial):
    """SIGHUP ends a run as a kill does, unless it is ignored, as by nohup. SIGSTOP and SIGCONT
    change nothing."""
    job = trial.pick(fast)
    how = trial.rng.choice(('hup', 'nohup', 'stop'))
    child = trial.start(job.words(trial.album(job), trial.threads()),
                        bash('trap "" HUP') if how == 'nohup' else ())
    while how == 'nohup' and not child.ignores(signal.SIGHUP) and not child.ended():
        time.sleep(0.001)  # the shell has not come to it yet
    random_moment(trial, job, child)
    if how == 'stop':
        child.send(signal.SIGSTOP)
        time.sleep(trial.rng.uniform(0, 0.1))
        child.send(signal.SIGCONT)
    elif how == 'hup' or not child.catches(signal.SIGHUP):
        child.send(signal.SIGHUP)
    child.wait()
    died = how == 'hup' and child.status == -signal.SIGHUP
    trial.judge(child, allowed=(job.status, *((-signal.SIGHUP, 130) if how == 'hup' else ())))
    complete = child.status == job.status
    _, parts = trial.check(job, child, complete, None if died else frozenset())
    trial.complete(job, parts=parts)


def closed_pipe(trial):
    """Standard output or standard error is a pipe that nobody reads, from the start or after some
    bytes. The run may die of SIGPIPE, as a kill; where that is ignored, it goes on and tells."""
    job = trial.pick(lambda j: fast(j) and j.detects())
    which = trial.rng.choice(('stdout', 'stderr') if job.status else ('stdout',))
    ignored = trial.rng.random() < 0.5
    read, write = os.pipe()
    if trial.rng.random() < 0.5:
        os.close(read)
        read = None
    child = trial.start(job.words(trial.album(job), trial.threads()),
                        bash('trap "" PIPE') if ignored else (), **{which: write})
    os.close(write)
    if read:
        if select.select([read], [], [], trial.world.limit)[0]:
            os.read(read, trial.rng.choice((1, 100)))
        os.close(read)
    child.wait()
    died = child.status == -signal.SIGPIPE
    # What was read in one piece may have been all.
    usual = (job.status,) if read or which == 'stderr' else ()
    trial.judge(child, allowed=(1, *usual) + (() if ignored else (-signal.SIGPIPE,)))
    _, parts = trial.check(job, child, not died, None if died else frozenset())
    trial.complete(job, parts=parts)


# Full disks.

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
    if job.detects():
        trial.check(job, child, scope='out/', free=('files/filler',))
    trial.enlarge()
    os.unlink(f'{trial.folder}/r/files/filler')
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


# Limits.

def limited(trial, flag, value, want, prefix=(), own=()):
    """A run under `ulimit FLAG VALUE`. `own`: the signals that the limit itself sends."""
    job = trial.pick(want)
    album = trial.album(job)
    script = f'ulimit {flag} {value} && exec "$@"'
    child = trial.run(job.words(album, trial.threads()), [*prefix, *bash(script)])
    died = -child.status in own
    ends = () if job.status else (0,)
    missing, parts = trial.check(job, child, complete=False, parts=None if died else frozenset())
    trial.judge(child, missing if not job.status else (), allowed=(1, *ends, *(-s for s in own)))
    if child.status == 1 and not missing and not job.status:
        trial.wrong('status 1, but all is there', child.err[:150], child)
    trial.complete(job, parts=parts, prefix=prefix)


def limit_descriptors(trial):
    limited(trial, '-n', trial.rng.randint(8, 64), fast)


def limit_size(trial):
    """Files of at most so many kilobytes. Standard output is a pipe: it has no such limit."""
    job = trial.pick(fast)
    largest = max(len(data) for data in trial.world.reference(job).files.values())
    size = trial.rng.randrange(0, min(64, largest // 1024 + 2))
    # SIGXFSZ is not ignored by the shell: the program has to do that itself.
    child = trial.run(job.words(trial.album(job), trial.threads()), bash(f'ulimit -f {size}'),
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    missing, parts = trial.check(job, child, complete=False)
    big = [n for n in missing if len(trial.world.reference(job).files[n]) <= 1024 * size]
    trial.judge(child, missing, allowed=(1,) if missing or job.status else (0,))
    of_json = [n for n in big if n.startswith('files/')]
    if job.detects() and big and 'images' in job.tags and not of_json and not job.status:
        # An image whose first output fails may go without its others, and has one line.
        trial.judge_lines(job, child, missing)
    elif child.status == 1 and not child.error_lines():
        trial.wrong('status 1, but no line', child.err[:150], child)
    trial.complete(job, parts=parts)


def limit_memory(trial):
    """Of the address space, or (which Linux does not enforce) of resident pages."""
    if trial.rng.random() < 0.1:
        return limited(trial, '-m', 300000, quick)
    large = trial.rng.random() < 0.4
    # From a little above what the program and its libraries take by themselves.
    value = int(300 * 6.7 ** trial.rng.random()) * 1024
    return limited(trial, '-v', value, (lambda j: 'large' in j.tags) if large else fast)


def limit_processes(trial):
    """Of an ordinary user of its own, so that processes of others do not count."""
    prefix = ()
    if os.geteuid() == 0:
        user = str(trial.rng.randrange(50000, 60000))
        prefix = ['setpriv', '--reuid', user, '--regid', user, '--clear-groups']
        own_everything(trial, int(user))
    limited(trial, '-u', trial.rng.choice((1, 1, 2, 2, 3, 4, 6, 10)), quick, prefix)


def limit_stack(trial):
    limited(trial, '-s', trial.rng.randint(192, 1024), lambda j: fast(j) or 'slow' in j.tags)


def limit_time(trial):
    """One second of processor time, which `faces` and `large` may need more than."""
    limited(trial, '-t', 1, lambda j: j.tags & {'slow', 'large'},
            own=(signal.SIGXCPU, signal.SIGKILL))


# Descriptors.

def descriptors(trial):
    """0, 1 and 2 closed at the start, or opened for the wrong direction, in all combinations."""
    rng = trial.rng
    job = trial.pick(fast)
    which = rng.choice(([0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]))
    wrong_way = rng.random() < 0.25
    ways = {0: '0>/dev/null', 1: '1</dev/null', 2: '2</dev/null'}
    to = ' '.join(ways[d] if wrong_way else f'{d}{"<" if d == 0 else ">"}&-' for d in which)
    quiet = rng.random() < 0.2
    json = not quiet and rng.random() < 0.2 and '--json' not in job.files and job.detects()
    more = ['-q'] if quiet else ['--json'] if json else []
    child = trial.run(job.words(trial.album(job), trial.threads(), more=more),
                      bash(f'exec "$@" {to}'))
    # (evaluate prints its table even with -q.)
    prints = job.verb == 'evaluate' or (job.detects() and not quiet)
    allowed = (1,) if job.status or (prints and 1 in which) else (0,)
    if 2 in which and job.verb in ('sample', 'train') and not quiet:
        allowed = (0, 1)  # a summary that cannot be written
    if child.status not in allowed:
        trial.wrong(f'{child.status_text()} with closed descriptors',
                    f'{to}: {child.err[:100].strip()}', child)
    trial.check(job, child)


# What vanishes.

def vanishing_inputs(trial):
    """Inputs are removed, cut off or replaced in mid-run, or all at once."""
    rng = trial.rng
    job = trial.pick(lambda j: of_images(j) and not j.files and not j.status)
    album = f'{trial.folder}/{trial.copy_album(job)}'
    names = checks.files_of(album)
    plan = []  # (name, how, by which)
    whole = rng.random() < 0.2
    for name in rng.sample(names, rng.randint(1, 25 if len(names) > 25 else len(names))):
        like = [n for n in names if n.endswith(name[-4:]) and n != name]
        plan.append((name, rng.choice(('remove', 'cut', 'replace')) if like else 'remove',
                     rng.choice(like or names)))
    source = trial.album(job)
    lasts = trial.world.seconds[job.name]
    child = trial.start(job.words('album', trial.threads()))
    # What goes before the folder is listed was never there; the output folder is made after that.
    wait_for(child, lambda: os.path.isdir(f'{trial.folder}/r/out'), trial.world.limit)
    time.sleep(rng.uniform(0, 0.8 * lasts))
    touched = {}
    for name, how, other in [] if whole else plan:
        path = f'{album}/{name}'
        if how == 'remove':
            os.unlink(path)
        elif how == 'cut':
            os.truncate(path, int(os.path.getsize(path) * rng.random()))
        else:
            shutil.copyfile(f'{source}/{other}', path + '.new')
            os.rename(path + '.new', path)
        touched[name] = (how, other)
        time.sleep(rng.uniform(0, 0.1 * lasts))
    if whole:
        os.rename(album, f'{trial.folder}/elsewhere')
        touched = dict.fromkeys(names, ('remove', ''))
    child.wait()
    judge_vanished(trial, job, child, names, touched)


def judge_vanished(trial, job, child, names, touched):
    """Every image that nobody touched is done; each of the others is done or has its line."""
    reference = trial.world.reference(job)
    folder = f'{trial.folder}/r'
    base_of = {os.path.splitext(name)[0]: name for name in names}
    missing = []
    for name in reference.files:
        source = base_of[re.sub(r'\..*', '', name.removeprefix('out/'))]
        how, other = touched.get(source, ('', ''))
        path = f'{folder}/{name}'
        if not os.path.exists(path):
            missing.append(name)
            if not how:
                trial.wrong('output lost', f'{name}, whose input was not touched', child)
            continue
        data = open(path, 'rb').read()
        difference = reference.difference(name, path)
        if difference and how == 'replace':
            other_name = name.replace(os.path.splitext(source)[0], os.path.splitext(other)[0])
            if data == reference.files[other_name]:
                continue
        if difference:
            trial.wrong(*difference, child)
    stray = set(checks.files_of(folder)) - set(reference.files)
    if stray:
        kind = 'temporary file left' if checks.is_part(min(stray)) else 'stray file'
        trial.wrong(kind, min(stray), child)
    trial.judge(child, missing, allowed=(1,) if missing else (0,))
    trial.judge_lines(job, child, missing)


def vanishing_outputs(trial):
    """The output folder is removed, or moved away, in mid-run."""
    rng = trial.rng
    job = trial.pick(lambda j: of_images(j) and not j.status)
    out = f'{trial.folder}/r/out'
    child = trial.start(job.words(trial.album(job), rng.choice((1, 2, 8))))
    count = rng.randint(1, len(trial.world.reference(job).files) // 3)
    wait_for(child, lambda: outputs_in(trial) >= count, 2 * trial.world.seconds[job.name])
    gone = False
    for _ in range(100):
        try:
            if rng.random() < 0.5:
                os.rename(out, f'{trial.folder}/moved')
            else:
                shutil.rmtree(out)
            gone = True
            break
        except OSError:
            continue  # it is not there yet, or a file came or went meanwhile
    early = not child.ended()
    trial.note(f'# the output folder was {"removed" if gone else "not removed"}'
               f'{"" if early else " too late"}')
    child.wait()
    if gone and early:
        missing = list(trial.world.reference(job).files)
        trial.judge(child, missing, allowed=(1,))
    os.makedirs(f'{trial.folder}/moved', exist_ok=True)
    trial.check(job, child, complete=False)
    os.makedirs(f'{trial.folder}/kept/out', exist_ok=True)
    os.rename(f'{trial.folder}/moved', f'{trial.folder}/kept/out')
    trial.check(job, child, complete=False, parts=None, root='kept')
    trial.complete(job)


def own_everything(trial, user):
    """Gives the trial's folder to an ordinary user."""
    for path, folders, files in os.walk(trial.folder):
        for name in ['.', *folders, *files]:
            os.chown(os.path.join(path, name), user, user)


def permissions(trial):
    """Rights to inputs, or to the output folder, are taken away before or in mid-run."""
    rng = trial.rng
    job = trial.pick(lambda j: of_images(j) and not j.files and not j.status)
    album = f'{trial.folder}/{trial.copy_album(job)}'
    out = f'{trial.folder}/r/out'
    os.makedirs(out)
    prefix = ()
    if os.geteuid() == 0:
        own_everything(trial, NOBODY)
        prefix = ['setpriv', '--reuid', str(NOBODY), '--regid', str(NOBODY), '--clear-groups']
    names = checks.files_of(album)
    how = rng.choice(('files', 'folder', 'out'))
    taken = {'files': [f'{album}/{n}' for n in rng.sample(names, rng.randint(1, 12))],
             'folder': [f'{album}/{os.path.dirname(rng.choice(names))}'], 'out': [out]}[how]
    lasts = trial.world.seconds[job.name]
    modes = {path: os.stat(path).st_mode for path in taken}
    first = how != 'folder' and rng.random() < 0.5
    child = None if first else trial.start(job.words('album', trial.threads()), prefix)
    if child:
        time.sleep(rng.uniform(0, lasts))
    for path in taken:
        os.chmod(path, 0o555 if how == 'out' else 0)
    child = child or trial.start(job.words('album', trial.threads()), prefix)
    child.wait()
    # A file in the making cannot be removed any more from a folder without rights.
    missing, parts = trial.check(job, child, complete=False,
                                 parts=None if how == 'out' and not first else frozenset())
    trial.judge(child, missing, allowed=(1,) if missing else (0,))
    if how == 'files':
        trial.judge_lines(job, child, missing)
    for path, mode in modes.items():
        os.chmod(path, mode)
    trial.complete(job, album='album', parts=parts, prefix=prefix)


# Several runs.

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


# In this order, round and round.
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
