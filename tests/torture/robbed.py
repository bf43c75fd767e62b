"""Trials: inputs, outputs and rights that go away in mid-run."""
import os
import re
import shutil
import time

import checks
from moments import of_images, outputs_in, wait_for
from world import NOBODY


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
