"""What the tests of `skinmask live` share: a folder, the program, its sources, and the numbers in its pictures."""
import csv
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import numbered

PROGRAM, SOURCES = sys.argv[1:3]
PHOTO = os.path.join(SOURCES, "samples/photos/astronaut.png")
HERE = pathlib.Path(__file__).resolve().parent


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {seconds} s")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="skinmask-live-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, command, **options):
        process = subprocess.Popen(command, start_new_session=True, **options)

        def end():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

        self.addCleanup(end)
        return process

    def source(self, mode, where="", size="640x480", log=None):
        command = ["/usr/bin/python3", str(HERE / "numbered.py"), mode] + ([str(where)] if where else [])
        command += ["--photo", PHOTO, "--size", size] + (["--log", str(log)] if log else [])
        process = self.start(command, stderr=subprocess.DEVNULL)
        if mode in ("rtsp", "http"):
            def answers():
                with socket.socket() as s:
                    return s.connect_ex(("127.0.0.1", int(where))) == 0
            wait_for(answers, 20, f"the {mode} server's start")
        elif mode.endswith("camera"):
            time.sleep(2)
        return process

    def live(self, *arguments, camera=False, **options):
        command = (["pw-v4l2"] if camera else []) + [PROGRAM, "live", *map(str, arguments)]
        return self.start(command, cwd=self.folder, stdout=open(self.folder / "out", "w"),
                          stderr=open(self.folder / "err", "w"), **options)

    def out(self):
        return (self.folder / "out").read_text()

    def err(self):
        return "".join(line for line in (self.folder / "err").read_text().splitlines(True) if "dbus" not in line)

    def rows(self, name="a.csv"):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def recorded_numbers(self, name, width=640, height=480):
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.folder / name, "-fps_mode", "passthrough", "-f", "rawvideo",
                              "-pix_fmt", "bgr24", "-"], capture_output=True, check=True).stdout
        frames = numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, 3)
        return [numbered.read(frame) for frame in frames]

    def check_numbers(self, numbers, gaps=0):
        self.assertNotIn(None, numbers)
        steps = numpy.diff(numbers)
        self.assertTrue((steps > 0).all(), numbers)
        self.assertLessEqual(int((steps - 1).sum()), gaps, numbers)
