"""Trials: signals, and streams that nobody reads."""
import os
import select
import signal
import time

from moments import bash, fast, outputs_in, random_moment, partial


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
