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
        subprocess.run([PROGRAM, "detect", PHOTO, "-o", self.folder / "expected", "--output", "mask,overlay,probability", "-q"],
                       check=True)
        pipeline = (f"filesrc location={PHOTO} ! pngdec ! videoconvert ! video/x-raw,format=BGR ! imagefreeze is-live=true ! "
                    "video/x-raw,framerate=30/1 ! appsink")
        self.run_ = self.live(pipeline, "-o", ".", env=self.screen.environment)
        wait_for(lambda: (self.screen.window() or [0] * 4)[3] == self.SIZE, 15, "the window")
        time.sleep(1)
        _, self.x, self.y, self.width, self.height = self.screen.window()

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

    def find(self, picture, wanted):
        """Rows that `wanted` is moved down by in `picture`."""
        errors = [numpy.abs(picture[top:top + wanted.shape[0], :wanted.shape[1]].astype(int) - wanted).mean()
                  for top in range(picture.shape[0] - wanted.shape[0] + 1)]
        return int(numpy.argmin(errors)), min(errors)

    def written(self, pattern):
        return sorted(self.folder.glob(pattern))

    def test_a_session(self):
        # Without words and ellipse the overlay is what `detect` writes.
        first = self.look("first")
        self.press("i", "e")
        time.sleep(4.5)  # the first message goes
        overlay = self.look("overlay")
        top, error = self.find(overlay, self.expected(".overlay.png"))
        self.assertLess(error, 0.5)
        self.assertGreater(numpy.abs(first.astype(int) - overlay).mean(), 1)  # words and ellipse
        frame = (slice(top, top + self.SIZE), slice(0, self.SIZE))
        self.press("2")
        mask = self.look("mask")[frame]
        self.assertLess(numpy.abs(mask[:, :, 0].astype(int) - self.expected(".png")).mean(), 0.5)
        self.press("3")
        heat = self.look("probability")[frame].astype(int).sum(axis=2)
        probability = self.expected(".probability.png")
        self.assertLess(heat[probability < 5].max(), 60)
        self.assertGreater(heat[probability > 240].min(), 300)
        self.press("4")
        both = self.look("both")
        half = numpy.asarray(Image.fromarray(numpy.ascontiguousarray(self.expected(".overlay.png"))).resize(
            (self.SIZE // 2, self.SIZE // 2), Image.BOX))
        self.assertLess(self.find(both, half)[1], 2)

        # Sliders: with the threshold up no skin is left, with it down there is more than before.
        self.press("2")
        self.move_threshold(1)
        none = (self.look("threshold-up")[frame][:, :, 0] > 127).mean()
        self.move_threshold(0.05)
        much = (self.look("threshold-down")[frame][:, :, 0] > 127).mean()
        normal = (mask[:, :, 0] > 127).mean()
        self.assertLess(none, 0.2 * normal)
        self.assertGreater(much, 1.2 * normal)
        self.assertLess(much, 1)

        # A snapshot is what `detect` makes of its frame with the model that was written.
        self.press("p", "w")
        model, = self.written("live-*.json")
        snapshot, = self.written("live-*.frame.png")
        subprocess.run([PROGRAM, "detect", snapshot, "-o", self.folder / "again", "--model", model, "-q",
                        "--output", "mask,probability"], check=True)
        for kind in ("mask", "probability"):
            ours, = self.written(f"live-*.{kind}.png")
            name = snapshot.name[:-4] + (".png" if kind == "mask" else ".probability.png")
            self.assertTrue((numpy.asarray(Image.open(ours)) ==
                             numpy.asarray(Image.open(self.folder / "again" / name))).all())
        self.assertTrue((numpy.asarray(Image.open(snapshot)) ==
                         numpy.asarray(Image.open(PHOTO).convert("RGB"))).all())

        # A rectangle of background teaches: its pixels are in the model, and no skin any more.
        self.press("1", "b")
        a, b = (400, 20), (500, 120)
        self.drag(*[(self.x + px, self.y + top + py) for px, py in (a, b)])
        self.look("sampled")
        time.sleep(1)  # another name for the model
        self.press("w")
        before, after = [json.loads(path.read_text()) for path in self.written("live-*.json")]
        counts = [[c["count"] for c in m["parameters"]["classes"]] for m in (before, after)]
        self.assertEqual(counts[0][0], counts[1][0])
        self.assertAlmostEqual(counts[1][1] - counts[0][1], 101 * 101, delta=500)
        self.press("b", "z")

        # Pause, help, a recording, tracking.
        self.press("h")
        self.assertGreater(numpy.abs(self.look("help").astype(int) - overlay).mean(), 3)
        self.press("h", "r")
        time.sleep(2)
        self.press("r")
        recording, = self.written("live-*.mp4")
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width",
                                "-of", "csv=p=0", recording], capture_output=True, text=True, check=True).stdout
        width, frames = map(int, probe.strip().split(","))
        self.assertEqual(width, self.SIZE)
        self.assertGreater(frames, 30)
        self.press("i", "e", "t", "space")
        time.sleep(4.5)
        paused = self.look("tracked-paused")
        time.sleep(0.5)
        self.assertTrue((self.look("tracked-paused") == paused).all())

        # The close button of the window manager: at the right end of the bar above.
        self.screen.xdotool("mousemove", self.x + self.width - 9, self.y - 10, "click", 1)
        self.assertEqual(self.run_.wait(5), 0, self.err())
        self.assertIn("frames in", self.out())

    def move_threshold(self, share):
        """Drags the slider's handle, found by the blue that fills its groove, to a share of its way."""
        strip = self.look("slider").astype(int)[self.SIZE:]
        groove = self.groove(strip)
        y = self.y + self.SIZE + groove[0]
        self.drag((self.x + groove[2], y), (self.x + groove[1] + int(share * (self.width - 8 - groove[1])), y))

    def groove(self, strip):
        """Row, first column and handle of the upper slider: its filled part is bluish."""
        blue = (strip[:, :, 0] - strip[:, :, 2]) > 60
        rows = numpy.flatnonzero(blue.sum(axis=1) > 3)
        self.assertGreater(rows.size, 0, "no slider in sight")
        first = rows[0]
        last = first
        while last + 1 in rows:
            last += 1
        columns = numpy.flatnonzero(blue[first:last + 1].any(axis=0))
        return (first + last) // 2, int(columns[0]), int(columns[-1]) + 6

    def test_q_quits(self):
        self.press("q")
        self.assertEqual(self.run_.wait(5), 0, self.err())
