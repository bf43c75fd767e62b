#!/usr/bin/env python3
"""Pipelines of gst-launch-1.0 with the element skinmask give what `skinmask detect` gives of the same frames.

usage: launch_test.py SKINMASK PLUGIN SOURCE
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

skinmask, plugin, source = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
TOOLS = ('gst-launch-1.0', 'gst-inspect-1.0', 'ffmpeg')
MISSING = [tool for tool in TOOLS if not shutil.which(tool)]
WIDTH, HEIGHT, FRAMES = 320, 240, 20
OTHERS = ('coreelements', 'rawparse', 'videoconvertscale', 'videotestsrc')  # plug-ins of GStreamer's that are used
problems = []


def check(holds: bool, what: str) -> None:
    if not holds:
        problems.append(what)


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=200)


def launch(pipeline: str) -> subprocess.CompletedProcess[str]:
    return run('gst-launch-1.0', '-q', *pipeline.split())


def plugins_alone(work: Path) -> bool:
    """A folder with the few plug-ins that are used: to look through all of Debian's takes seconds."""
    found = run('pkg-config', '--variable=pluginsdir', 'gstreamer-1.0').stdout.strip()
    folder = work / 'plugins'
    folder.mkdir()
    for name in OTHERS:
        file = Path(found) / f'libgst{name}.so'
        if not file.exists():
            return False
        (folder / file.name).symlink_to(file)
    (folder / plugin.name).symlink_to(plugin)
    os.environ |= {'GST_PLUGIN_SYSTEM_PATH_1_0': str(folder), 'GST_REGISTRY': str(work / 'registry.bin')}
    os.environ.pop('GST_PLUGIN_PATH', None)
    os.environ.pop('SKINMASK_FACES', None)
    return True


def make_clip(work: Path, pixel_format: str) -> Path:
    clip = work / f'{pixel_format}.raw'
    if clip.exists():
        return clip
    made = run('ffmpeg', '-v', 'error', '-loop', 1, '-framerate', 25, '-i', source / 'samples/photos/grace_hopper.jpg', '-vf',
               f'scroll=h=0.013:v=0.007,scale={WIDTH}:{HEIGHT}', '-frames:v', FRAMES, '-pix_fmt', pixel_format, '-f', 'rawvideo', clip)
    check(made.returncode == 0, made.stderr)
    return clip


def compare_with_detect(work: Path) -> None:
    for pixel_format, output, flags, properties in (
            ('nv12', 'mask', '', ''), ('nv12', 'probability', '--adapt off', 'adapt=off'),
            ('bgr24', 'overlay', '--adapt faces --refine off', 'adapt=faces refine=false'),
            ('yuyv422', 'mask', '--threshold 0.3 --prior 0.1', 'threshold=0.3 prior=0.1')):
        clip = make_clip(work, pixel_format)
        expected, drawn = work / 'expected.raw', work / 'drawn.raw'
        with open(expected, 'wb') as file:
            detected = subprocess.run([skinmask, 'detect', '-q', clip, '--input-format', 'rawvideo', '--size', f'{WIDTH}x{HEIGHT}',
                                       '--pixel-format', pixel_format, '--output', output, '--output-format', 'rawvideo',
                                       *flags.split(), '-o', '-'], stdout=file, stderr=subprocess.PIPE, text=True)
        check(detected.returncode == 0, detected.stderr)
        name = {'nv12': 'nv12', 'bgr24': 'bgr', 'yuyv422': 'yuy2'}[pixel_format]
        ran = launch(f'filesrc location={clip} ! rawvideoparse format={name} width={WIDTH} height={HEIGHT} ! '
                     f'skinmask output={output} {properties} ! filesink location={drawn}')
        check(ran.returncode == 0, ran.stderr)
        check(drawn.read_bytes() == expected.read_bytes(), f'{pixel_format} {output} {flags}: not what detect gives')
        check(drawn.stat().st_size == FRAMES * WIDTH * HEIGHT * (3 if output == 'overlay' else 1), f'{output}: frames are missing')


def check_messages(work: Path) -> None:
    ends = '! skinmask {} ! fakesink'
    for properties, line in ((f'model={work}/none.json', f'{work}/none.json: '), ('prior=0', 'prior'),
                             (f'faces={source}/models/uci.json', f'{source}/models/uci.json: ')):
        ran = launch('videotestsrc num-buffers=2 ' + ends.format(properties))
        error = [text for text in ran.stderr.splitlines() if text.startswith('ERROR: from element')]
        check(ran.returncode != 0 and len(error) == 1 and line in error[0], f'{properties}: {ran.stderr}')
    ran = launch('videotestsrc num-buffers=5 ! videoconvert ! skinmask output=overlay adapt=faces ! videoconvert ! fakesink')
    check(ran.returncode == 0 and not ran.stderr, f'videoconvert on both sides: {ran.stderr}')


def check_inspection() -> None:
    text = run('gst-inspect-1.0', 'skinmask').stdout
    for word in ('Human skin', 'Apache 2.0', 'Filter/Effect/Video', 'NV12', 'GRAY8', 'output  ', 'adapt  ', 'search  ', 'model  ',
                 'faces  ', 'refine  ', 'threshold  ', 'prior  ', 'changeable in NULL, READY, PAUSED or PLAYING state'):
        check(word in text, f'gst-inspect-1.0 does not say: {word}')


def main() -> int:
    if MISSING:
        print(f'needs {", ".join(MISSING)}')
        return 77
    with tempfile.TemporaryDirectory() as name:
        if not plugins_alone(Path(name)):
            print(f'needs the plug-ins {", ".join(OTHERS)} of GStreamer')
            return 77
        check_inspection()
        compare_with_detect(Path(name))
        check_messages(Path(name))
    print('\n'.join(problems) or 'pipelines give what detect gives')
    return 1 if problems else 0


sys.exit(main())
