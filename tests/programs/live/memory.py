"""Resident memory of `skinmask detect` over 100,000 frames: flat within 5 % after the first thousand.

    python3 tests/programs/live/memory.py PROGRAM [FRAMES [OPTION...]]

Some minutes. A clip is looped through a named pipe, so the frames never end and nothing is stored.
Prints the figures; exit status 1 where memory grew. Needs the program ffmpeg. (MP4 keeps an index of some
90 bytes a frame until it is finished, so with --output overlay small frames show growth.)
"""
import os
import subprocess
import sys
import tempfile


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main():
    program = sys.argv[1]
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    photo = os.path.join(os.path.dirname(__file__), "../../../samples/photos/grace_hopper.jpg")
    with tempfile.TemporaryDirectory(prefix="skinmask-memory-") as folder:
        clip, pipe = os.path.join(folder, "clip.mp4"), os.path.join(folder, "endless.mkv")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-loop", "1", "-framerate", "30", "-i", photo, "-vf",
             "scroll=h=0.01:v=0.007,scale=176:144", "-frames:v", "300", "-pix_fmt", "yuv420p", clip],
            check=True)
        os.mkfifo(pipe)
        source = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", clip, "-c", "copy", "-frames:v",
             str(wanted), "-f", "matroska", "-y", pipe])
        run = subprocess.Popen(
            [program, "detect", pipe, "-o", os.path.join(folder, "out"), "--csv", "/dev/stdout", "-q",
             *sys.argv[3:]], stdout=subprocess.PIPE)
        rows, after_thousand, largest, last = 0, None, 0, 0
        for line in run.stdout:
            rows += 1
            if rows >= 1001 and (rows == 1001 or rows % 1000 == 0):
                kib = resident_kib(run.pid)
                after_thousand = after_thousand or kib
                largest, last = max(largest, kib), kib
        status, frames = run.wait(), rows - 1
        source.wait()
    growth = 100 * (largest / after_thousand - 1)
    print(f"{frames} frames: {after_thousand / 1024:.1f} MiB after 1000, {largest / 1024:.1f} at most "
          f"({growth:+.1f} %), {last / 1024:.1f} at the end; exit status {status}")
    return 0 if status == 0 and frames == wanted and growth <= 5 else 1


if __name__ == "__main__":
    sys.exit(main())
