"""What trials share: which jobs they take, and when in a run they strike."""
import time

import checks


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
