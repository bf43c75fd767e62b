"""`skinmask live` with a V4L2 camera, which PipeWire provides."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

import numpy

from live_case import Case, wait_for


class PipeWire:
    """The service that cameras come from, for as long as the tests run."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="skinmask-pipewire-")
        os.environ["XDG_RUNTIME_DIR"] = self.folder
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes = [subprocess.Popen(["pipewire"], **quiet)]
        wait_for(lambda: os.path.exists(self.folder + "/pipewire-0"), 10, "PipeWire's start")
        self.processes.append(subprocess.Popen(["wireplumber"], **quiet))
        time.sleep(1)
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class CameraTest(Case):
    def test_frames_of_a_v4l2_camera_come_once_each_in_order(self):
        self.source("camera")
        run = self.live(0, "--headless", "--frames", 90, "--record", "a.mp4", "--csv", "a.csv", "--json=a.json", camera=True)
        self.assertEqual(run.wait(20), 0, self.err())
        numbers = self.recorded_numbers("a.mp4")
        statistics = json.loads((self.folder / "a.json").read_text())
        self.assertEqual(len(numbers), 90)
        self.check_numbers(numbers, gaps=statistics["dropped"] + 2)  # and what PipeWire drops
        rows = self.rows()
        self.assertEqual(len(rows), 90)
        self.assertGreater(float(rows[5]["skin_fraction"]), 0.02)
        self.assertAlmostEqual(float(rows[-1]["seconds"]), 89 / 30, delta=0.3)

    def test_motion_jpeg(self):
        self.source("jpeg-camera")
        run = self.live(0, "--headless", "--frames", 45, "--format", "MJPG", "--record", "a.mp4", camera=True)
        self.assertEqual(run.wait(20), 0, self.err())
        self.check_numbers(self.recorded_numbers("a.mp4"), gaps=5)
        self.assertNotIn("not all that was asked", self.err())

    def test_what_a_camera_does_not_have_is_said(self):
        self.source("camera")
        run = self.live(0, "--headless", "--frames", 5, "--size", "1280x720", "--format", "MJPG", camera=True)
        self.assertEqual(run.wait(20), 0)
        self.assertIn("gives 640 x 480 pixels, 30 frames/s, YUYV", self.err())

    def test_unplugged_and_plugged_in_again(self):
        camera = self.source("camera")
        run = self.live(0, "--headless", "--csv", "a.csv", "--record", "a.mp4", camera=True)
        time.sleep(2.5)
        os.killpg(camera.pid, signal.SIGKILL)
        wait_for(lambda: "waiting for it to come back" in self.err(), 10, "the notice")
        self.source("camera")
        wait_for(lambda: "is back after" in self.err(), 15, "the return")
        time.sleep(2)
        os.kill(run.pid, signal.SIGINT)
        self.assertEqual(run.wait(10), 130)
        seconds = numpy.array([float(row["seconds"]) for row in self.rows()])
        steps = numpy.diff(seconds)
        self.assertEqual(int((steps > 1).sum()), 1)
        self.assertGreater(int((seconds > seconds[int(steps.argmax()) + 1]).sum()), 20)
        self.assertEqual(len(self.recorded_numbers("a.mp4")), len(seconds))

    def test_one_that_stays_away_ends_the_run(self):
        camera = self.source("camera")
        run = self.live(0, "--headless", "--csv", "a.csv", "--wait", 1, camera=True)
        time.sleep(2.5)
        os.killpg(camera.pid, signal.SIGKILL)
        self.assertEqual(run.wait(15), 1)
        self.assertIn("did not come back within 1 s", self.err())
        self.assertGreater(len(self.rows()), 10)
