"""The folders of pictures that the trials work on, all made here from the seed."""
import os
import shutil
import struct
import subprocess
import tarfile
import zlib

SKIN = ((224, 172, 138), (198, 134, 102), (141, 85, 58), (255, 219, 192))


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(width, height, rows, color):
    """`rows` are bytes without filter; `color` is PNG's colour type (0 grey, 2 RGB, 6 RGBA)."""
    header = struct.pack('>IIBBBBB', width, height, 8, color, 0, 0, 0)
    data = zlib.compress(b''.join(b'\0' + row for row in rows), 3)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', data) +
            chunk(b'IEND', b''))


def ppm(width, height, rows):
    return b'P6\n%d %d\n255\n' % (width, height) + b''.join(rows)


def picture_rows(rng, width, height):
    """RGB: stripes and noise with rectangles of skin, and the mask of these, for each row."""
    skin = bytes(max(0, min(255, c + rng.randint(-12, 12))) for c in rng.choice(SKIN))
    left, right = sorted(rng.sample(range(width + 1), 2))
    top, bottom = sorted(rng.sample(range(height + 1), 2))
    noise = rng.randbytes(3 * width)
    flat = bytes(rng.randrange(256) for _ in range(3)) * width
    rows, mask = [], []
    for y in range(height):
        row = noise if y % 7 < 3 else flat
        if y % 16 == 0:
            noise = noise[3:] + noise[:3]
        inside = top <= y < bottom
        rows.append(row[:3 * left] + skin * (right - left) + row[3 * right:] if inside else row)
        mask.append(bytes(left) + b'\xff' * (right - left) + bytes(width - right)
                    if inside else bytes(width))
    return rows, mask


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)


def name_of(rng, i, flat=False):
    folder = '' if flat else rng.choice(('', '', 'a/', 'b/c/', 'with blank/', 'ünï/'))
    return f'{folder}{i:03d}'


def album(folder, rng, count, low, high, jpegs=(), flat=False):
    """Pictures of `low` to `high` pixels a side, and at random places the JPEGs; unless `flat`,
    in sub-folders."""
    for i in range(count):
        width, height = rng.randint(low, high), rng.randint(low, high)
        rows, _ = picture_rows(rng, width, height)
        name = os.path.join(folder, name_of(rng, i, flat))
        kind = rng.randrange(5)
        if kind == 0:
            write(name + '.ppm', ppm(width, height, rows))
        elif kind == 1:
            write(name + '.png', png(width, height, [row[::3] for row in rows], 0))
        elif kind == 2:
            alpha = [b''.join(row[3 * x:3 * x + 3] + b'\xc0' for x in range(width))
                     for row in rows]
            write(name + '.png', png(width, height, alpha, 6))
        else:
            write(name + '.png', png(width, height, rows, 2))
    for i, jpeg in enumerate(jpegs):
        path = os.path.join(folder, name_of(rng, count + i, flat)) + '.jpg'
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(jpeg, path)


def archives(folder, albums, names):
    """Tar archives of other albums."""
    os.makedirs(folder)
    for name in names:
        with tarfile.open(f'{folder}/{name}.tar', 'w') as archive:
            archive.add(f'{albums}/{name}', '.')


def pairs(folder, rng, count):
    for i in range(count):
        width, height = rng.randint(40, 220), rng.randint(40, 220)
        rows, mask = picture_rows(rng, width, height)
        write(f'{folder}/images/{i:03d}.png', png(width, height, rows, 2))
        write(f'{folder}/masks/{i:03d}.png', png(width, height, mask, 0))


def large(folder, rng):
    """Pictures of 20 million pixels and more, small as files."""
    for i in range(3):
        width, height = rng.randint(5000, 6000), rng.randint(4000, 5000)
        rows, _ = picture_rows(rng, 500, 8)
        rows = [(row * (width // 500 + 1))[:3 * width] for row in rows]
        write(f'{folder}/large{i}.png',
              png(width, height, [rows[y // 64 % 8] for y in range(height)], 2))


def video(folder, seconds):
    """One without sound and one with it. False where ffmpeg is missing."""
    if not shutil.which('ffmpeg'):
        return False
    for name, size, more in (('film.mkv', '160x120', ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p']),
                             ('sub/test.mp4', '128x96',
                              ['-f', 'lavfi', '-i', f'sine=duration={seconds}', '-c:v', 'mpeg4'])):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        made = subprocess.run(
            ['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
             f'testsrc=size={size}:rate=25:duration={seconds}', *more, path],
            stdin=subprocess.DEVNULL)
        if made.returncode != 0:
            return False
    return True


def make_all(folder, rng, photos):
    """Makes every album below `folder`. Returns the names of those that could not be made."""
    jpegs = [os.path.join(photos, f) for f in sorted(os.listdir(photos)) if f.endswith('.jpg')]
    album(f'{folder}/small', rng, 45, 20, 160, jpegs)
    album(f'{folder}/many', rng, 118, 8, 60, jpegs * 2)
    album(f'{folder}/flat', rng, 80, 20, 120, flat=True)
    album(f'{folder}/medium', rng, 24, 200, 640, jpegs * 2)
    album(f'{folder}/faces', rng, 4, 40, 120, jpegs * 8)
    album(f'{folder}/spoiled', rng, 28, 20, 160, jpegs)
    for i, photo in enumerate(jpegs * 2):
        data = open(photo, 'rb').read()
        write(f'{folder}/spoiled/a/cut{i}.jpg', data[:rng.randrange(100, len(data) - 1000)])
    write(f'{folder}/spoiled/none.png', b'this is no picture\n')
    write(f'{folder}/spoiled/zzz.jpg', b'')
    pairs(f'{folder}/pairs', rng, 24)
    large(f'{folder}/large', rng)
    album(f'{folder}/films', rng, 8, 40, 160)
    archives(f'{folder}/archives', folder, ('many', 'flat'))
    return [] if video(f'{folder}/films', 1) else ['films']
