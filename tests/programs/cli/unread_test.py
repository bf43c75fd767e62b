#!/usr/bin/env python3
"""One interrupt ends a run that writes to a pipe that is full, and of which nobody reads.

unread_test.py PROGRAM
"""
import fcntl
import os
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

SIZE = 1 << 16  # of a pipe
PATIENCE = 60  # seconds, for a machine that does much else; without an answer all this time it hangs


def waiting(pipe):
    return struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4))[0]


def check(program, folder, words, output):
    """What goes wrong with a run that writes to `output`, a name in the folder, or to standard output."""
    os.mkfifo(f'{folder}/pipe')
    ours = os.open(f'{folder}/pipe', os.O_RDWR)
    child = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=ours if output is None else subprocess.DEVNULL, stderr=subprocess.PIPE)
    before, since = -1, time.monotonic()
    # Full is what takes no more: each write of less than a page may take a whole one of the pipe.
    while waiting(ours) < SIZE // 2 or waiting(ours) != before or time.monotonic() - since < 0.3:
        if waiting(ours) != before:
            before, since = waiting(ours), time.monotonic()
        if child.poll() is not None:
            return f'ends before the pipe is full: {child.stderr.read().decode()[:300]}'
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    try:
        status = child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return 'goes on after an interrupt'
    finally:
        os.close(ours)
        os.unlink(f'{folder}/pipe')
    return '' if status == 130 else f'status {status}'


def main():
    program, problems = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as folder:
        # Each line names a photograph with all of its folders.
        deep = 'd' * 200 + ('/' + 'd' * 200) * 6
        os.makedirs(f'{folder}/{deep}')
        picture = b'P5 4 4 255\n' + bytes(16)
        for i in range(100):
            with open(f'{folder}/{deep}/{i}.pgm', 'wb') as file:
                file.write(picture)
        frame = b'FRAME\n' + bytes(320 * 240)
        with open(f'{folder}/v.y4m', 'wb') as file:
            file.write(b'YUV4MPEG2 W320 H240 F25:1 Cmono\n' + 40 * frame)
        photos = ['detect', 'd' * 200, '--adapt', 'off', '-o']
        video = ['detect', 'v.y4m', '--adapt', 'off', '-o']
        for name, words, output in (
                ('lines', [*photos, 'a'], None),
                ('--jsonl', [*photos, 'b', '--jsonl', 'pipe', '-q'], 'pipe'),
                ('--csv', [*photos, 'c', '--csv', 'pipe', '-q'], 'pipe'),
                ('a video', [*video, '-'], None),
                ('a video to a named pipe', [*video, 'pipe', '--output-format', 'rawvideo'], 'pipe')):
            problem = check(program, folder, words, output)
            problems += [f'{name}: {problem}'] if problem else []
    print('\n'.join(problems) or 'one interrupt ends each of them')
    return 1 if problems else 0


sys.exit(main())
