"""The jobs: command lines, and the files that they make."""


class Job:
    """A command line and the files that it makes. Results are below r/: detect's in r/out, and
    all other files in r/files."""

    def __init__(self, name, verb, album, options=(), files=(), status=0, tags=()):
        self.name, self.verb, self.album, self.options = name, verb, album, list(options)
        self.files, self.status, self.tags = dict(files), status, set(tags)

    def detects(self):
        return self.verb == 'detect'

    def words(self, album, threads=2, files=True, more=()):
        words = [self.verb, '--threads', str(threads), *self.options]
        if self.detects():
            words += [album, '-o', 'r/out']
        elif self.verb == 'evaluate':
            words += ['--images', f'{album}/images', '--truth', f'{album}/masks']
        else:
            words += ['--images', f'{album}/images', '--masks', f'{album}/masks']
        if files or not self.detects():
            for flag, file in self.files.items():
                words += [flag, f'r/files/{file}']
        return words + list(more)

    def again(self, album, threads=2):
        """The command that completes what an earlier one left."""
        if self.detects():
            return self.words(album, threads, files=False, more=['--resume'])
        return self.words(album, threads, more=['--force'])


OFF = ['--adapt', 'off']
ALL = ['--output', 'mask,probability,overlay,cutout']
JOBS = [
    Job('small', 'detect', 'small', OFF, tags={'images', 'quick'}),
    Job('small-all', 'detect', 'small', OFF + ALL, {'--json': 'run.json'}, tags={'images'}),
    Job('many', 'detect', 'many', OFF, {'--json': 'run.json'}, tags={'images', 'quick'}),
    Job('flat', 'detect', 'flat', OFF, tags={'images', 'quick'}),
    Job('medium', 'detect', 'medium', OFF + ['--output', 'mask,overlay'], tags={'images'}),
    Job('scaled', 'detect', 'medium', OFF + ['--scale', '1/2'], tags={'images', 'quick'}),
    Job('faces', 'detect', 'faces', ['--output', 'mask,probability'], tags={'images', 'slow'}),
    Job('films', 'detect', 'films', OFF, {'--csv': 'rows.csv', '--json': 'run.json'}),
    Job('overlays', 'detect', 'films', OFF + ['--output', 'mask,overlay']),
    Job('cut', 'detect', 'films',
        OFF + ['--output', 'probability,overlay', '--depth', '16', '--from', '5f', '--to', '0.8']),
    Job('frames', 'detect', 'films', OFF + ['--frames'], {'--csv': 'rows.csv'}),
    Job('spoiled', 'detect', 'spoiled', OFF, status=1, tags={'images'}),
    Job('archives', 'detect', 'archives', OFF + ['--output', 'mask,overlay'], {'--csv': 'rows.csv', '--json': 'run.json'}),
    Job('large', 'detect', 'large', OFF, tags={'large'}),
    Job('sample', 'sample', 'pairs', (), {'-o': 'samples.csv', '--json': 'counts.json'}),
    Job('train', 'train', 'pairs', ['--max-f1'], {'-o': 'model.json', '--json': 'copy.json'}),
    Job('histogram', 'train', 'pairs', ['--kind', 'histogram'], {'-o': 'model.json'}),
    Job('evaluate', 'evaluate', 'pairs', OFF, {'--json': 'scores.json', '--report': 'page.html'}),
]
