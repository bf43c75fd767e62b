#!/usr/bin/env python3
"""What a terminal shows of a run that takes a while: lines whole, and the bar of progress below them.

terminal_test.py PROGRAM. The program writes to a pseudo-terminal, and what it writes goes to a screen
that knows \\r, \\n and the erasing of a line's rest, which is all that a bar needs.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

IMAGES = 12
BAR = re.compile(r'\[#*\.*\] (\d+)/13 ')


class Screen:
    """Rows of so many columns, those that are scrolled away included."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = ['']
        self.column = 0

    def feed(self, text):
        """One control, or one character."""
        row = self.rows[-1]
        if text == '\r':
            self.column = 0
        elif text == '\n':
            self.rows.append('')
        elif text == '\x1b[K':
            self.rows[-1] = row[:self.column]
        else:
            if self.column == self.columns:
                self.rows.append('')
                row, self.column = '', 0
            self.rows[-1] = row[:self.column].ljust(self.column) + text + row[self.column + 1:]
            self.column += 1


def png(width, height):
    """A grey picture."""
    def chunk(name, body):
        return struct.pack('>I', len(body)) + name + body + struct.pack('>I', zlib.crc32(name + body))
    rows = (b'\0' + bytes(width)) * height
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


def feed_pipe(pipe, picture):
    """The first picture comes when the bar is due, two seconds after the run began to read it."""
    os.write(pipe, picture[:8])
    while struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4))[0] > 0:
        time.sleep(0.02)
    time.sleep(2.2)
    os.write(pipe, picture[8:])
    os.close(pipe)


def written_to_terminal(program, columns, folder):
    names = ['first.png'] + [f'{i:02}.png' for i in range(IMAGES)]
    picture = png(40, 30)
    os.mkfifo(f'{folder}/first.png')
    for name in names[1:]:
        with open(f'{folder}/{name}', 'wb') as file:
            file.write(picture)
    pipe = os.open(f'{folder}/first.png', os.O_RDWR)
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    child = subprocess.Popen([program, 'detect', *names, '-o', 'o', '--adapt', 'off', '--threads', '1'],
                             cwd=folder, stdin=subprocess.DEVNULL, stdout=its, stderr=its)
    os.close(its)
    feeder = threading.Thread(target=feed_pipe, args=(pipe, picture))
    feeder.start()
    written = b''
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:  # so a terminal says that nobody writes to it any more
        pass
    feeder.join()
    return child.wait(), names, written.decode()


def check(program, columns):
    with tempfile.TemporaryDirectory() as folder:
        status, names, written = written_to_terminal(program, columns, folder)
    problems = [] if status == 0 else [f'status {status}']
    screen, bars, below = Screen(columns), [], 0
    for text in re.findall(r'\x1b\[K|.', written, re.DOTALL):
        before = screen.rows[-1]
        screen.feed(text)
        if text == '\n' and '[' in before:
            problems.append(f'a line that is glued to the bar: {before!r}')
        if text not in '\r\n' and screen.column > 30 and BAR.match(screen.rows[-1]):
            bars.append(screen.rows[-1])
    # Each line but the last pushes a bar down, which is drawn again.
    pieces = written.split('\n')
    below = sum(bool(BAR.search(piece)) for piece in pieces)
    if below < IMAGES:
        problems.append(f'the bar is drawn below {below} lines, not below {IMAGES}')
    if columns >= 80 and not any(re.fullmatch(r'.* images  [\d.]+ images/s  [\d.]+ Mpx/s  \d+ s left', bar)
                                 for bar in bars):
        problems.append(f'no bar tells images a second: {bars[-1:]}')
    lines = screen.rows
    results = [f'{name}: 0.0 % skin -> o/{name}' for name in names]
    if lines[:len(results)] != results:
        problems.append('the lines of results are ' + repr(lines[:len(results)]))
    rest = lines[len(results):]
    if len(rest) != 2 or not rest[0].startswith('0 failed, 0 skipped, 13 of 13 done') or rest[1]:
        problems.append(f'what follows them is {rest!r}')
    return [f'{columns} columns: {problem}' for problem in problems]


def main():
    program = os.path.abspath(sys.argv[1])
    with ThreadPoolExecutor() as pool:  # both wait until a bar is due
        problems = sum(pool.map(lambda columns: check(program, columns), (80, 48)), [])
    print('\n'.join(problems) or 'lines are whole, and the bar is below them')
    return 1 if problems else 0


sys.exit(main())
