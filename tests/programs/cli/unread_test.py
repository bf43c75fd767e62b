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


class Run:
    """One that writes to the `pipe` in the folder, as `output` or as standard output."""

    def __init__(self, program, folder, pipe, words, output):
        os.mkfifo(f'{folder}/{pipe}')
        self.ours = os.open(f'{folder}/{pipe}', os.O_RDWR)
        self.child = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL if output else self.ours, stderr=subprocess.PIPE)
        self.before, self.since, self.early = -1, time.monotonic(), ''

    def full(self):
        """Whether the pipe is full, or the run has ended, which it must not."""
        if self.early:
            return True
        if self.child.poll() is not None:
            self.early = f'ends before the pipe is full: {self.child.stderr.read().decode()[:300]}'
            return True
        now = waiting(self.ours)
        if now != self.before:
            self.before, self.since = now, time.monotonic()
        # Full is what takes no more: each write of less than a page may take a whole one of the pipe.
        return now >= SIZE // 2 and time.monotonic() - self.since >= 0.3

    def end(self):
        """What goes wrong after an interrupt."""
        try:
            status = self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            return 'goes on after an interrupt'
        finally:
            os.close(self.ours)
        return '' if status == 130 else f'status {status}'


def main():
    program = os.path.abspath(sys.argv[1])
    # Its last resort is a timer, whose signal must reach it whatever it inherits.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
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
        runs = (
            ('lines', [*photos, 'a'], False),
            ('--jsonl', [*photos, 'b', '--jsonl', 'pipe1', '-q'], True),
            ('--csv', [*photos, 'c', '--csv', 'pipe2', '-q'], True),
            ('a video', [*video, '-'], False),
            ('a video to a named pipe', [*video, 'pipe4', '--output-format', 'rawvideo'], True))
        # At a time, since most of it they wait.
        begun = [Run(program, folder, f'pipe{i}', words, output) for i, (_, words, output) in enumerate(runs)]
        while not all([run.full() for run in begun]):
            time.sleep(0.02)
        for run in begun:
            run.child.send_signal(signal.SIGINT)
        found = [run.early or late for run, late in zip(begun, [run.end() for run in begun])]
        problems = [f'{run[0]}: {problem}' for run, problem in zip(runs, found) if problem]
    print('\n'.join(problems) or 'one interrupt ends each of them')
    return 1 if problems else 0


sys.exit(main())
