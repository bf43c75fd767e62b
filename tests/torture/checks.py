"""What a file must be to be whole, and what a folder of results may hold."""
import fnmatch
import json
import os
import shutil
import struct
import subprocess
import zlib

PART = '.skinmask-*.part'
ALIKE = 'bytes differ, pixels alike'


def png_data(data):
    """(header, raw rows) of a PNG; ValueError where it is not whole."""
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError('no signature of PNG')
    at, kinds, header, packed = 8, [], b'', b''
    while at < len(data):
        if len(data) - at < 12:
            raise ValueError('ends within a chunk')
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body, crc = data[at + 8:at + 8 + size], data[at + 8 + size:at + 12 + size]
        if len(crc) < 4:
            raise ValueError('ends within a chunk')
        if struct.unpack('>I', crc)[0] != zlib.crc32(kind + body):
            raise ValueError('wrong check sum')
        if kind == b'IHDR':
            header = body
        if kind == b'IDAT':
            packed += body
        kinds.append(kind)
        at += 12 + size
    if not kinds or kinds[0] != b'IHDR' or kinds[-1] != b'IEND':
        raise ValueError('lacks its first or its last chunk')
    width, height, depth, color = struct.unpack('>IIBB', header[:10])
    rows = zlib.decompress(packed)
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    if len(rows) != height * (1 + (width * samples * depth + 7) // 8):
        raise ValueError('has too few rows, or too many')
    return header, rows


def frames_of(path):
    """What ffmpeg decodes of a video, as text; ValueError where it complains."""
    done = subprocess.run(['ffmpeg', '-v', 'error', '-i', path, '-f', 'framemd5', '-'],
                          stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0 or done.stderr.strip():
        raise ValueError('a video that does not decode: ' + done.stderr.decode()[:100])
    return done.stdout.decode()


def trouble(path):
    """Why a file is not whole; empty if it is."""
    try:
        if path.endswith('.png'):
            png_data(open(path, 'rb').read())
        elif path.endswith('.json'):
            json.loads(open(path, 'rb').read())
        elif path.endswith('.csv'):
            if not open(path, 'rb').read().endswith(b'\n'):
                raise ValueError('the last row has no end')
        elif path.endswith('.html'):
            if not open(path, 'rb').read().rstrip().endswith(b'</html>'):
                raise ValueError('the page has no end')
        elif path.endswith(('.mkv', '.mp4')):
            frames_of(path)
    except (ValueError, KeyError, zlib.error, struct.error, UnicodeDecodeError) as error:
        return str(error) or type(error).__name__
    return ''


def is_part(name):
    return fnmatch.fnmatch(os.path.basename(name), PART)


def is_journal(name):
    """Beside a table or a record: what `--resume` goes on with."""
    return is_part(name) and name.endswith(('.csv.part', '.json.part'))


def files_of(folder):
    """Names of all files below a folder, relative to it, but for that in which runs leave their options."""
    found = []
    for path, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(path, name), folder) for name in names if name != '.skinmask-options.jsonl']
    return sorted(found)


class Reference:
    """What an undisturbed run makes. `loose` are videos whose bytes differ from run to run: that
    is told once, as a violation; from then on their frames are compared."""

    def __init__(self, folder):
        self.folder = folder
        self.files = {f: open(os.path.join(folder, f), 'rb').read() for f in files_of(folder)}
        self.loose = {}

    def loosen(self, name):
        self.loose[name] = frames_of(os.path.join(self.folder, name))

    def is_record_alike(self, name, data):
        """True for JSON of the same results that another command line asked for."""
        if not name.endswith('.json'):
            return False
        try:
            mine, other = json.loads(self.files[name]), json.loads(data)
        except ValueError:
            return False
        for record in (mine, other):
            record.pop('options', None)      # of another command line
            record.pop('interrupted', None)  # a signal that came when all was done
        return mine == other

    def difference(self, name, path):
        """(kind of violation, detail) of a file against its like here; None where it is right."""
        data = open(path, 'rb').read()
        if data == self.files[name] or self.is_record_alike(name, data):
            return None
        what = trouble(path)
        if what:
            return 'half a file', f'{name}: {what}, {len(data)} of {len(self.files[name])} bytes'
        if name in self.loose:
            if frames_of(path) == self.loose[name]:
                return None
            return 'wrong frames', name
        if name.endswith('.png') and png_data(data) == png_data(self.files[name]):
            return ALIKE, name
        if name.endswith(('.mkv', '.mp4')):
            if frames_of(path) == frames_of(os.path.join(self.folder, name)):
                return ALIKE, name
        return 'wrong bytes', name


def need_of(reference, prefix):
    """Bytes that files take on a file system with pages of 4 kB."""
    return sum(-(-len(data) // 4096) * 4096
               for name, data in reference.files.items() if name.startswith(prefix))


def copy_tree(source, destination):
    """A copy with links and odd modes left as they are, as far as it can be read."""
    try:
        shutil.copytree(source, destination, symlinks=True, dirs_exist_ok=True)
    except shutil.Error:
        pass


def sums(folder):
    """A check sum of every file, to see that inputs stay what they are."""
    return {f: zlib.crc32(open(os.path.join(folder, f), 'rb').read()) for f in files_of(folder)}
