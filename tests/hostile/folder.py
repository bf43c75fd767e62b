"""The folder of photographs from strangers: good ones, and hostile files among them."""
import collections
import glob
import os
import random
import shutil
import socket
import subprocess

import content
import inputs
import kinds
from kinds import LINE, PART, SKIPPED

GOOD = 300
# Pipes that nobody writes to, and names that FFmpeg would take for orders to open `secret.mkv`.
NAMED = ('pipe.png', 'pipe.mkv', 'concat:secret.mkv', 'subfile,,start,0,end,0,,:secret.mkv')
# `number` stands in the name, and tells which file a line speaks of, whatever the name is.
Bad = collections.namedtuple('Bad', 'number name expected')


def cut_videos(folder):
    """Truncated videos of several containers, and one whole one as the secret; none without
    ffmpeg."""
    made = []
    for name, options, share, expected in (
            ('mp4', '-c:v mpeg4', .5, LINE), ('mov', '-c:v mpeg4 -movflags faststart', .6, PART),
            ('mkv', '-c:v ffv1', .5, PART), ('webm', '-c:v libvpx -b:v 1M', .5, PART),
            ('avi', '-c:v mpeg4', .5, PART), ('nut', '-c:v mpeg4', .5, PART)):
        path = f'{folder}/cut.{name}'
        subprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=160x120:'
                        'rate=25:duration=2', *options.split(), path],
                       check=True, stdin=subprocess.DEVNULL)
        data = open(path, 'rb').read()
        made.append((name, data[:int(len(data) * share)], expected))
    return made


def special(folder, put):
    """What is no file, and links."""
    os.mkfifo(put('fifo.png', SKIPPED))
    os.mkfifo(put('fifo.mkv', SKIPPED))
    os.makedirs(put('folder.jpg', None))
    os.symlink('.', put('link-to-its-folder.png', None))
    os.symlink('/', put('link-to-all.png', None))
    os.symlink('nowhere.png', put('broken.png', LINE))
    loop = put('loop.png', LINE)
    os.symlink(os.path.basename(loop), loop)
    for name, device in (('zero.png', 'zero'), ('random.mp4', 'urandom'), ('full.tar', 'full'),
                         ('terminal.jpg', 'tty'), ('null.webp', 'null')):
        os.symlink(f'/dev/{device}', put(name, SKIPPED))
    os.symlink('/proc/self/mem', put('memory.png', LINE))
    os.symlink('../elsewhere/text.txt', put('text.png', LINE))
    path = put('socket.png', SKIPPED)
    with socket.socket(socket.AF_UNIX) as local:  # whose names may have 107 bytes
        here = os.getcwd()
        os.chdir(folder)
        local.bind(os.path.basename(path))
        os.chdir(here)


def good_photographs(folder):
    """Copies, so that no link leads out of the folder. Returns what they are."""
    data = os.environ.get('SKINMASK_DATA') or f'{content.ROOT}/../shared/data'
    found = []
    for part in ('ecu/images', 'groups/images', 'hgr/images', 'negatives'):
        found += sorted(glob.glob(f'{data}/{part}/*.jp*g'))
    if len(found) >= GOOD:
        os.makedirs(folder)
        for i, path in enumerate(found[:GOOD]):
            shutil.copyfile(path, f'{folder}/{i:03d}.jpg')
        return 'photographs of the research data'
    photos = [f'{content.ROOT}/samples/photos/{name}'
              for name in os.listdir(f'{content.ROOT}/samples/photos') if name.endswith('.jpg')]
    inputs.album(folder, random.Random(0), GOOD - len(photos), 20, 160, photos, flat=True)
    return 'generated pictures and the samples, as ../shared/data is not there'


class Folder:
    """Makes `in` (all), `good` (the good ones alone), `limited` (for a run with a smaller limit of
    pixels) and `elsewhere`, whose files nobody should open, in a folder that is empty."""

    def __init__(self, folder, port):
        self.folder, self.bad = folder, []
        self.good_are = good_photographs(f'{folder}/good')
        self.good = sorted(os.listdir(f'{folder}/good'))
        shutil.copytree(f'{folder}/good', f'{folder}/in')
        for name in ('elsewhere', 'cut', 'limited'):
            os.makedirs(f'{folder}/{name}')
        secrets = [f'{folder}/elsewhere/secret.png', f'{folder}/elsewhere/secret.mkv']
        shutil.copyfile(f'{content.ROOT}/samples/photos/astronaut.png', secrets[0])
        inputs.write(f'{folder}/elsewhere/text.txt', b'no picture\n')
        self.has_videos = bool(shutil.which('ffmpeg'))
        videos = cut_videos(f'{folder}/cut') if self.has_videos else []
        if videos:
            shutil.copyfile(f'{folder}/cut/cut.mkv', secrets[1])
        else:
            inputs.write(secrets[1], content.y4m(64, 48) + bytes(64 * 48 * 2))
        files = list(kinds.all_files(secrets, port, videos))
        self.step = GOOD / (len(files) + 20)
        for name, data, expected in files:
            path = self.put(name, expected)
            if data == '{self}':
                data = content.hls(os.path.basename(path), 39, ends=False)
            inputs.write(path, data.encode() if isinstance(data, str) else data)
        special(f'{folder}/in', self.put)
        shutil.copyfile(secrets[1], f'{folder}/secret.mkv')
        for name in NAMED:
            if name.startswith('pipe'):
                os.mkfifo(f'{folder}/{name}')
            else:
                inputs.write(f'{folder}/{name}', content.junk(name))
        for name, data in kinds.below_the_limit():
            inputs.write(f'{folder}/limited/{name}', data)

    def put(self, name, expected):
        """The path for a file, spread among the good ones."""
        number = len(self.bad)
        name = f'{int(number * self.step):03d}-{number:03d}-{name}'
        self.bad.append(Bad(number, name, expected))
        return f'{self.folder}/in/{name}'
