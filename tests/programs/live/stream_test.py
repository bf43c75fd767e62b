"""`skinmask live` with streams: MJPEG over HTTP, RTSP, UDP."""
import os
import re
import signal
import socket
import subprocess
import sys
import time

from live_case import Case, free_port, wait_for


class StreamTest(Case):
    def check(self, source, frames=60):
        run = self.live(source, "--headless", "--frames", frames, "--record", "a.mp4")
        self.assertEqual(run.wait(30), 0, self.err())
        numbers = self.recorded_numbers("a.mp4")
        self.assertEqual(len(numbers), frames)
        self.check_numbers(numbers, gaps=frames // 10)

    def test_mjpeg_over_http(self):
        port = free_port()
        self.source("http", port)
        self.check(f"http://127.0.0.1:{port}/camera")

    def test_rtsp(self):
        port = free_port()
        self.source("rtsp", port)
        self.check(f"rtsp://127.0.0.1:{port}/camera")

    def test_udp(self):
        port = free_port()
        self.source("udp", port)
        time.sleep(1)
        self.check(f"udp://127.0.0.1:{port}")

    def test_a_file_by_http_is_played_once_and_as_a_whole(self):
        # FFmpeg finds no duration in a transport stream, but the server states the length.
        for name, codec in (("clip.mkv", "ffv1"), ("clip.ts", "mpeg2video")):
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-c:v", codec,
                            str(self.folder / name)], check=True)
        port = free_port()
        self.start([sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1"], cwd=self.folder,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, 20, "the server's start")
        for name in ("clip.mkv", "clip.ts"):
            run = self.live(f"http://127.0.0.1:{port}/{name}", "--headless", "--csv", "a.csv", "--force")
            self.assertEqual(run.wait(20), 0, self.err())
            rows = self.rows()
            dropped = re.search(r"([0-9]+) dropped", self.out() + self.err())
            self.assertEqual(len(rows) + int(dropped[1] if dropped else 0), 25, name)
            self.assertGreater(float(rows[-1]["seconds"]) - float(rows[0]["seconds"]), 0.5, name)

    def test_a_sender_that_goes_and_comes(self):
        port = free_port()
        sender = self.source("http", port)
        run = self.live(f"http://127.0.0.1:{port}/camera", "--headless", "--csv", "a.csv", "--record", "a.mp4")
        time.sleep(2.5)
        os.killpg(sender.pid, signal.SIGKILL)
        wait_for(lambda: "waiting for it to come back" in self.err(), 6, "the notice")
        self.source("http", port)
        wait_for(lambda: "is back after" in self.err(), 10, "the return")
        time.sleep(1)
        os.kill(run.pid, signal.SIGINT)
        self.assertEqual(run.wait(10), 130)
        self.assertEqual(len(self.recorded_numbers("a.mp4")), len(self.rows()))

    def test_errors_are_lines_that_say_how_long_was_waited(self):
        port = free_port()
        self.source("http", port)
        for place, part in (("silent", r"within ([0-9.]+) s"), ("absent", "404")):
            run = self.live(f"http://127.0.0.1:{port}/{place}", "--headless")
            self.assertEqual(run.wait(20), 1)
            found = re.search(part, self.err())
            self.assertTrue(found, self.err())
            self.assertLessEqual(float(found[1]) if found.groups() else 0, 3)
            self.assertEqual(self.err().count("\n"), 1, self.err())
