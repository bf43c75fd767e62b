"""Trials: limits of the system, and descriptors that are closed."""
import os
import signal
import subprocess

from moments import bash, fast, quick
from robbed import own_everything


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
