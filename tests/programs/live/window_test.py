"""The window of `skinmask live`, used as a user does. SKINMASK_SCREENSHOTS=DIR keeps the screenshots."""
import json
import os
import subprocess
import time

import numpy
from PIL import Image

from live_case import PHOTO, PROGRAM, Case, wait_for
from screen import Screen


class WindowTest(Case):
    """One window for the steps of a user; a still photograph as camera, whose pixels are known."""
    SIZE = 512

    def setUp(self):
        super().setUp()
        self.screen = Screen(self)
        subprocess.run([PROGRAM, "detect", PHOTO, "-o", self.folder / "expected", "--output", "mask,overlay,probability", "-q",
                        "--adapt", "off"], check=True)
        pipeline = (f"filesrc location={PHOTO} ! pngdec ! videoconvert ! video/x-raw,format=BGR ! imagefreeze is-live=true ! "
                    "video/x-raw,framerate=30/1 ! appsink")
        self.run_ = self.live(pipeline, "-o", ".", "--adapt", "off", env=self.screen.environment)
        wait_for(lambda: (self.screen.window() or [0] * 5)[4] > self.SIZE, 15, "the window as large as its picture")
        time.sleep(1)
        _, self.x, self.y, self.width, self.height = self.screen.window()
        self.bar = self.y - 10  # of the window manager
        # The picture begins below the views.
        window, overlay = self.look("window").astype(int), self.expected(".overlay.png")
        top = min(range(self.height - self.SIZE + 1), key=lambda row: numpy.abs(
            window[row:row + self.SIZE, :self.SIZE] - overlay).sum())
        self.y += top
        self.height -= top

    def press(self, *keys):
        for key in keys:
            self.screen.xdotool("mousemove", self.x + 2, self.y + self.height // 2, "key", key)
            time.sleep(0.4)

    def drag(self, a, b):
        self.screen.xdotool("mousemove", *a, "mousedown", 1)
        for i in range(1, 6):
            self.screen.xdotool("mousemove", a[0] + (b[0] - a[0]) * i // 5, a[1] + (b[1] - a[1]) * i // 5)
        self.screen.xdotool("mouseup", 1)
        time.sleep(0.6)

    def look(self, name):
        picture = self.screen.shot(self.x, self.y, self.width, self.height)
        if os.environ.get("SKINMASK_SCREENSHOTS"):
            os.makedirs(os.environ["SKINMASK_SCREENSHOTS"], exist_ok=True)
            Image.fromarray(picture[:, :, ::-1]).save(os.path.join(os.environ["SKINMASK_SCREENSHOTS"], name + ".png"))
        return picture

    def expected(self, suffix):
        picture = numpy.asarray(Image.open(self.folder / "expected" / ("astronaut" + suffix)))
        return picture[:, :, ::-1] if picture.ndim == 3 else picture

    def written(self, pattern):
        return sorted(self.folder.glob(pattern))

    def picture(self, name):
        """What the window shows of the frame: at first as large as that, at the top left."""
        return self.look(name)[:self.SIZE, :self.SIZE]

    def test_a_session(self):
        # The overlay is what `detect` writes; with the ellipse that is on it; adapted it is another.
        overlay = self.picture("overlay")
        self.assertLess(numpy.abs(overlay.astype(int) - self.expected(".overlay.png")).mean(), 0.5)
        for key in "ea":
            self.press(key)
            time.sleep(1)
            self.assertGreater(numpy.abs(self.picture("key-" + key).astype(int) - overlay).mean(), 0.1)
            self.press(key)
        self.assertTrue((self.picture("overlay-again") == overlay).all())
        self.press("2")
        mask = self.picture("mask")
        self.assertLess(numpy.abs(mask[:, :, 0].astype(int) - self.expected(".png")).mean(), 0.5)
        self.press("3")
        heat = self.picture("probability").astype(int).sum(axis=2)
        probability = self.expected(".probability.png")
        self.assertLess(heat[probability < 5].max(), 60)
        self.assertGreater(heat[probability > 240].min(), 300)
        self.press("4")
        both = self.picture("both")
        half = numpy.asarray(Image.fromarray(numpy.ascontiguousarray(self.expected(".overlay.png"))).resize(
            (self.SIZE // 2, self.SIZE // 2), Image.BOX))
        top = self.SIZE // 4
        self.assertLess(numpy.abs(both[top:top + self.SIZE // 2, :self.SIZE // 2].astype(int) - half).mean(), 2)
        self.press("5")
        split = self.picture("split")
        photo = numpy.asarray(Image.open(PHOTO).convert("RGB"))[:, :, ::-1]
        quarter = self.SIZE // 4
        self.assertLess(numpy.abs(split[:, :quarter].astype(int) - photo[:, :quarter]).mean(), 0.5)
        self.assertLess(numpy.abs(split[:, -quarter:].astype(int) - self.expected(".overlay.png")[:, -quarter:]).mean(), 0.5)

        # Sliders, by keys alone: with the threshold up no skin is left, with it down there is more than before.
        self.press("2", "alt+t", "End")
        none = (self.picture("threshold-up")[:, :, 0] > 127).mean()
        self.press("Home", "Prior")
        much = (self.picture("threshold-down")[:, :, 0] > 127).mean()
        normal = (mask[:, :, 0] > 127).mean()
        self.assertLess(none, 0.2 * normal)
        self.assertGreater(much, 1.2 * normal)
        self.press("Escape")  # back to the picture

        # A snapshot is what `detect` makes of its frame with the model that was written.
        self.press("p", "w")
        model, = self.written("live-*.json")
        snapshot, = self.written("live-*.frame.png")
        subprocess.run([PROGRAM, "detect", snapshot, "-o", self.folder / "again", "--model", model, "-q",
                        "--output", "mask,probability", "--adapt", "off"], check=True)
        for kind in ("mask", "probability"):
            ours, = self.written(f"live-*.{kind}.png")
            name = snapshot.name[:-4] + (".png" if kind == "mask" else ".probability.png")
            self.assertTrue((numpy.asarray(Image.open(ours)) ==
                             numpy.asarray(Image.open(self.folder / "again" / name))).all())
        self.assertTrue((numpy.asarray(Image.open(snapshot)) ==
                         numpy.asarray(Image.open(PHOTO).convert("RGB"))).all())

        # A rectangle of background teaches: its pixels are in the model, and no skin any more.
        self.press("1", "b")
        self.drag((self.x + 400, self.y + 20), (self.x + 500, self.y + 120))
        self.look("sampled")
        time.sleep(1)  # another name for the model
        self.press("w")
        before, after = [json.loads(path.read_text()) for path in self.written("live-*.json")]
        counts = [[c["count"] for c in m["parameters"]["classes"]] for m in (before, after)]
        self.assertEqual(counts[0][0], counts[1][0])
        self.assertAlmostEqual(counts[1][1] - counts[0][1], 101 * 101, delta=500)
        self.press("b", "z")

        # Help, a recording, the panel, tracking, a pause.
        self.press("h")
        self.assertGreater(numpy.abs(self.picture("help").astype(int) - overlay).mean(), 3)
        self.press("h", "r")
        time.sleep(2)
        self.press("r")
        recording, = self.written("live-*.mp4")
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width",
                                "-of", "csv=p=0", recording], capture_output=True, text=True, check=True).stdout
        width, frames = map(int, probe.strip().split(","))
        self.assertEqual(width, self.SIZE)
        self.assertGreater(frames, 30)
        self.press("i", "t", "space")
        time.sleep(4.5)  # messages go
        paused = self.look("tracked-paused")
        time.sleep(0.5)
        self.assertTrue((self.look("tracked-paused") == paused).all())
        # Without the panel the picture stands in the middle, and beside it is nothing.
        self.assertFalse(paused[:self.SIZE, :20].any() or paused[:self.SIZE, -20:].any())

        # The whole screen, of which the picture takes all of the height, and back by Escape, which then does not quit.
        self.press("f")
        wait_for(lambda: self.screen.window()[1:] == (0, 0, 1600, 1100), 5, "the full screen")
        time.sleep(1)
        full = self.screen.shot(0, 0, 1600, 1100)
        self.assertFalse(full[:, :240].any() or full[:, -240:].any())
        self.assertGreater(full[[2, -3], 600:1000].astype(int).sum(axis=2).min(axis=1).max(), 0)
        self.press("Escape")
        wait_for(lambda: self.screen.window()[3] < 1600, 5, "the window")
        self.assertIsNone(self.run_.poll())

        # The close button of the window manager: at the right end of the bar above.
        self.screen.xdotool("mousemove", self.x + self.width - 9, self.bar, "click", 1)
        self.assertEqual(self.run_.wait(5), 0, self.err())
        self.assertIn("frames in", self.out())

    def test_q_quits(self):
        self.press("q")
        self.assertEqual(self.run_.wait(5), 0, self.err())

    def test_a_screen_that_is_lost_ends_the_run_and_keeps_the_recording(self):
        self.press("r")
        time.sleep(1)
        self.screen.server.kill()
        self.assertEqual(self.run_.wait(10), 1)
        self.assertIn("the connection to the screen broke", self.err())
        recordings = self.written("*.mp4")
        self.assertEqual(len(recordings), 1)
        self.assertEqual(subprocess.run(["ffprobe", "-v", "error", str(recordings[0])]).returncode, 0)
