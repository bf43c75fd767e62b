#!/usr/bin/env python3
"""Milliseconds that a frame of 720p takes in pipelines of GStreamer, with skinmask and without.

usage: gstreamer.py FOLDER_OF_PLUGIN PHOTO [YUNET.onnx]     needs gst-launch-1.0 and ffmpeg

A frame's time is that of 120 frames less that of 20, over 100; the median of five runs, in turn.
What reading the file takes is in all of them, and is the first line.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH, HEIGHT, RUNS = 1280, 720, 5
SHORT, LONG = 20, 120
WAYS = {'read': '',
        'videoconvert to BGR': 'videoconvert ! video/x-raw,format=BGR !',
        'mask, adapt=off': 'skinmask adapt=off !',
        'probability, adapt=off': 'skinmask adapt=off output=probability !',
        'overlay, adapt=off': 'skinmask adapt=off output=overlay !',
        'mask': 'skinmask !',
        'overlay': 'skinmask output=overlay !',
        'overlay, search=aside': 'skinmask output=overlay search=aside !'}


def make_clip(photo: str, file: str) -> None:
    scroll = f'scale={WIDTH}:-2,scroll=v=0.002,crop={WIDTH}:{HEIGHT}:0:100'
    subprocess.run(['ffmpeg', '-v', 'error', '-loop', '1', '-framerate', '30', '-i', photo,
                    '-vf', scroll, '-frames:v', str(LONG), '-pix_fmt', 'nv12', '-f', 'rawvideo',
                    file], check=True)


def run(clip: str, frames: int, elements: str) -> tuple[float, float]:
    """Seconds by the clock, and of CPU."""
    pipeline = (f'filesrc location={clip} num-buffers={frames} '
                f'blocksize={WIDTH * HEIGHT * 3 // 2} ! '
                f'rawvideoparse format=nv12 width={WIDTH} height={HEIGHT} ! {elements} fakesink')
    before, start = os.times(), time.monotonic()
    subprocess.run(['gst-launch-1.0', '-q', *pipeline.split()], check=True)
    took, after = time.monotonic() - start, os.times()
    cpu = (after.children_user + after.children_system
           - before.children_user - before.children_system)
    return took, cpu


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    os.environ['GST_PLUGIN_PATH'] = sys.argv[1]
    ways = dict(WAYS)
    if len(sys.argv) > 3:
        ways['overlay, YuNet'] = f'skinmask output=overlay faces={sys.argv[3]} !'
    taken: dict[str, list[list[float]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        clip = os.path.join(folder, 'clip.raw')
        make_clip(sys.argv[2], clip)
        for _ in range(RUNS):
            for way, elements in ways.items():
                short, long = run(clip, SHORT, elements), run(clip, LONG, elements)
                frames = LONG - SHORT
                taken[way].append([1e3 * (b - a) / frames for a, b in zip(short, long)])
    print(f'{"ms a frame":24} {"clock":>7} {"CPU":>7}')
    for way, runs in taken.items():
        clock, cpu = (statistics.median(values) for values in zip(*runs))
        print(f'{way:24} {clock:7.2f} {cpu:7.2f}')
    return 0


sys.exit(main())
