"""What every trial has: the right results of jobs, children with a time limit, violations."""
import collections
import fnmatch
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time

import checks
from disks import Disks

NOBODY = 65534
# What our program never says itself: a library, a sanitizer or the C++ runtime gave up.
GAVE_UP = re.compile(r'terminate called|what\(\):|Assertion|TBB Warning|Sanitizer|runtime error:')
# Text of exceptions that no user understands: told at the end, but no violation.
UNCLEAR = re.compile(r'OpenCV\(|std::|bad_alloc')


class Child:
    """A process in a group of its own, whose output goes to files (or, asked for, to pipes)."""

    def __init__(self, trial, words, prefix, **streams):
        self.trial, self.command = trial, [*prefix, trial.world.program, *words]
        self.number = trial.steps
        trial.steps += 1
        self.files = {}
        given = {'stdin': subprocess.DEVNULL}
        for name in ('stdout', 'stderr'):
            given[name] = streams.get(name)
            if given[name] is None:
                self.files[name] = f'{trial.folder}/step{self.number}.{name}'
                given[name] = open(self.files[name], 'wb')
        self.start = time.monotonic()
        self.process = subprocess.Popen(self.command, cwd=trial.folder, start_new_session=True,
                                        env=trial.world.environment, **given)
        trial.world.living.append(self.process)
        for name in self.files:
            given[name].close()
        self.out = self.err = ''
        self.status, self.seconds, self.hung = None, 0, False

    def ended(self):
        return self.process.poll() is not None

    def send(self, what):
        if not self.ended():
            self.process.send_signal(what)

    def catches(self, what, field='SigCgt'):
        """True if the process has a handler for a signal, and so will not die of it."""
        try:
            status = open(f'/proc/{self.process.pid}/status').read()
        except OSError:
            return True
        caught = re.search(rf'^{field}:\s*(\w+)', status, re.M)
        return not caught or int(caught.group(1), 16) >> (what - 1) & 1 == 1

    def ignores(self, what):
        return self.catches(what, 'SigIgn')

    def wait(self):
        limit = self.trial.world.limit
        try:
            piped = self.process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.hung = True
            os.killpg(self.process.pid, signal.SIGKILL)
            piped = self.process.communicate()
        self.seconds = time.monotonic() - self.start
        self.trial.world.living.remove(self.process)
        texts = dict(zip(('stdout', 'stderr'), piped))
        for name, file in self.files.items():
            texts[name] = open(file, 'rb').read()
        self.out, self.err = ((texts[n] or b'').decode(errors='replace')
                              for n in ('stdout', 'stderr'))
        self.status = self.process.returncode
        self.trial.note(f'{shlex.join(self.command)}\n  -> {self.status_text()} after '
                        f'{self.seconds:.2f} s\n{self.err}')
        if self.hung:
            self.trial.wrong('hang', f'no end within {limit} s', self)
        if GAVE_UP.search(self.err):
            self.trial.wrong('a library gave up', GAVE_UP.search(self.err).group(), self)
        for line in self.err.splitlines():
            if UNCLEAR.search(line):
                self.trial.world.remarks[(self.trial.kind, re.sub(r'\d+', 'N', line)[-90:])] += 1
        return self

    def status_text(self):
        if self.status < 0:
            return f'killed by {signal.Signals(-self.status).name}'
        return f'status {self.status}'

    def error_lines(self):
        return [line for line in self.err.splitlines()
                if line.startswith('skinmask: ') and 'warning: ' not in line[:20] and
                not line.startswith('skinmask: took ')]


class Trial:
    def __init__(self, world, kind, number):
        self.world, self.kind, self.number = world, kind, number
        self.rng = random.Random(f'{world.seed}/{kind}/{number}')
        self.folder = f'{world.folder}/trials/{kind}-{number}'
        self.steps, self.notes, self.problems, self.mounts = 0, [], [], []
        os.makedirs(f'{self.folder}/r/files')
        os.chmod(self.folder, 0o755)

    def note(self, text):
        self.notes.append(text)

    def wrong(self, what, detail, child=None):
        self.problems.append((what, detail, shlex.join(child.command) if child else ''))

    def album(self, job):
        return f'{self.world.folder}/inputs/{job.album}'

    def pick(self, want=lambda job: True):
        """A job at random; the slow ones seldom."""
        jobs = [j for j in self.world.jobs if want(j)]
        return self.rng.choices(jobs, [1 if 'slow' in j.tags else 4 for j in jobs])[0]

    def threads(self):
        return self.rng.choice((0, 1, 2, 2, 3, 8))

    def start(self, words, prefix=(), **streams):
        return Child(self, words, prefix, **streams)

    def run(self, words, prefix=(), **streams):
        return self.start(words, prefix, **streams).wait()

    def copy_album(self, job):
        shutil.copytree(self.album(job), f'{self.folder}/album')
        return 'album'

    def check(self, job, child, complete=True, parts=frozenset(), free=(), scope='', root='r'):
        """Holds the files below r/ to the job's reference. `parts`: temporary files that may be
        there (None: any). `free`: names that are passed over. Returns what is missing, and the
        temporary files."""
        reference, folder = self.world.reference(job), f'{self.folder}/{root}'
        # The JSON and the rows of a run that could not do all tell of what it did.
        disturbed = job.detects() and child.status != job.status
        present, found = checks.files_of(folder), set()
        for name in present:
            if checks.is_part(name):
                found.add(name)
            elif any(fnmatch.fnmatch(name, pattern) for pattern in free):
                continue
            elif name not in reference.files:
                self.wrong('stray file', name, child)
            elif disturbed and name.startswith('files/'):
                trouble = checks.trouble(f'{folder}/{name}')
                if trouble:
                    self.wrong('half a file', f'{name}: {trouble}', child)
            else:
                difference = reference.difference(name, f'{folder}/{name}')
                if difference:
                    self.wrong(*difference, child)
        wanted = [n for n in reference.files
                  if n.startswith(scope) and not any(fnmatch.fnmatch(n, p) for p in free)]
        missing = sorted(set(wanted) - set(present))
        if complete and missing:
            self.wrong('output lost', f'{missing[0]} and {len(missing) - 1} more', child)
        # What a run that could not write its table or record noted for one that resumes.
        journals = {name for name in found if disturbed and checks.is_journal(name)}
        if parts is not None and found - parts - journals:
            self.wrong('temporary file left', sorted(found - parts - journals)[0], child)
        return missing, found

    def judge(self, child, missing=(), allowed=(0, 1)):
        """Holds the status to what is missing and to what was said."""
        if child.hung:
            return
        lines = child.error_lines()
        if child.status == 0 and missing:
            text = f'{missing[0]} and {len(missing) - 1} more'
            self.wrong('status 0, outputs missing', text, child)
        elif child.status not in allowed:
            last = (child.err.strip().splitlines() or [''])[-1][:150]
            self.wrong(child.status_text(), last or 'nothing said', child)
        elif child.status == 0 and lines:
            self.wrong('status 0, but an error line', lines[0][:150], child)
        elif child.status == 1 and 'stderr' in child.files and not lines:
            self.wrong('status 1, but no line', child.err[:150], child)

    def judge_lines(self, job, child, missing):
        """One line for each image that lacks an output, and none for others."""
        if 'images' not in job.tags or child.status != 1:
            return
        bases = {re.sub(r'\..*', '', name.removeprefix('out/')) for name in missing}
        lines = child.error_lines()
        for base in sorted(bases):
            # (Of an image whose folder cannot be made, the folder is named.)
            folders = [f'r/out/{base[:i]}: ' for i in range(len(base)) if base[i] == '/']
            if not any(text in line for line in lines for text in (f'/{base}.', *folders)):
                self.wrong('no line for a missing output', base, child)
                return
        if len(lines) != len(bases):
            self.wrong('not one line each', f'{len(lines)} lines for {len(bases)} images', child)

    def complete(self, job, album=None, parts=frozenset(), prefix=()):
        """Finishes the work undisturbed; then all must be there, byte for byte."""
        # It names no table and no record, so that what is noted for them stays.
        journals = {name for name in checks.files_of(f'{self.folder}/r') if checks.is_journal(name)}
        child = self.run(job.again(album or self.album(job), self.threads()), prefix)
        self.judge(child, allowed=(job.status,))
        # What an interrupted run told of itself was looked at then, and stays as it was.
        free = ('files/*',) if job.detects() else ()
        return self.check(job, child, parts=parts | journals, free=free)

    def mount(self, where, pages, inodes=None):
        """A small file system in memory, of so many pages of 4 kB."""
        path = f'{self.folder}/{where}'
        os.makedirs(path, exist_ok=True)
        self.world.disks.mount(path, pages, inodes)
        self.mounts.append(path)
        self.note(f'# mount -t tmpfs -o size={4 * pages}k,nr_inodes={inodes} none {where}')

    def enlarge(self):
        for path in self.mounts:
            self.world.disks.mount(path, 16384, 100000, again=True)
        self.note('# room is made on the mounted file systems')

    def finish(self):
        """Removes the folder, or keeps it for inspection where something was wrong."""
        if self.problems:
            kept = f'{self.world.folder}/kept/{self.kind}-{self.number}'
            if self.world.wants_kept(self.kind, {what for what, _, _ in self.problems}):
                checks.copy_tree(self.folder, kept)
                with open(f'{kept}/trial.txt', 'w') as file:
                    file.write('\n'.join(self.notes) + '\n\nviolations:\n')
                    file.writelines(f'{what}: {detail}\n' for what, detail, _ in self.problems)
            self.world.report(self)
        for path in self.mounts:
            self.world.disks.unmount(path)
        subprocess.run(['chmod', '-R', 'u+rwX', self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


class World:
    def __init__(self, program, folder, seed, limit):
        self.program, self.folder, self.seed, self.limit = program, folder, seed, limit
        self.environment = {k: v for k, v in os.environ.items() if k != 'SKINMASK_FACES'}
        self.jobs, self.references, self.living = [], {}, []
        self.violated = collections.Counter()  # trials with a violation, by kind
        self.classes = {}                      # (kind, what): [count, first trial]
        self.remarks = collections.Counter()
        self.kept = collections.Counter()
        self.kills, self.signals, self.slowest_end = 0, 0, 0.0
        self.disks = Disks()
        self.seconds = {}

    def reference(self, job):
        return self.references[job.name]

    def make_reference(self, job):
        """Runs a job twice without disturbance: the same bytes, all whole."""
        folder = f'{self.folder}/references/{job.name}'
        trial = Trial(self, 'undisturbed', job.name)
        first = trial.run(job.words(trial.album(job), 2))
        trial.judge(first, allowed=(job.status,))
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        os.rename(f'{trial.folder}/r', folder)
        os.makedirs(f'{trial.folder}/r/files')
        reference = self.references[job.name] = checks.Reference(folder)
        for name in reference.files:
            what = checks.trouble(f'{folder}/{name}')
            if what:
                trial.wrong('half a file', f'{name}: {what}', first)
        second = trial.run(job.words(trial.album(job), 1))
        trial.check(job, second)
        self.seconds[job.name] = second.seconds
        for what, detail, _ in trial.problems:
            if what in ('wrong bytes', checks.ALIKE) and detail.endswith(('.mkv', '.mp4')):
                reference.loosen(detail)
        if job.verb == 'train':
            shown = trial.run(['show', f'{folder}/files/model.json'])
            trial.judge(shown, allowed=(0,))
        trial.finish()

    def wants_kept(self, kind, whats):
        self.kept.update((kind, what) for what in whats)
        return any(self.kept[(kind, what)] <= 3 for what in whats)

    def report(self, trial):
        self.violated[trial.kind] += 1
        for what in sorted({what for what, _, _ in trial.problems}):
            entry = self.classes.setdefault((trial.kind, what), [0, trial.number])
            entry[0] += 1
        first = ('half', 'wrong', 'hang', 'killed', 'output lost')  # the gravest
        trial.problems.sort(key=lambda problem: not problem[0].startswith(first))
        what, detail, command = trial.problems[0]
        more = len(trial.problems) - 1
        print(f'violation: --seed {self.seed} --trial {trial.kind}/{trial.number}: {what}: '
              f'{detail}' + (f' (and {more} more)' if more else '') +
              (f' | {command}' if command else ''), flush=True)
